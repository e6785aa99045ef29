//go:build amd64 && !purego

package amd64

// BlocksSM3NI compresses the blocks of p into the chaining value v. The length of p
// must be a multiple of 64, not zero and at most 64 KiB. It needs AVX and the SM3
// instructions, and keeps nothing on the stack.
//
//go:noescape
//ct:secret v p
//prove:sm3.compress n=64,128
func BlocksSM3NI(v *[8]uint32, p []byte)
