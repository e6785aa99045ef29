//go:build amd64 && !purego

package amd64

// BlocksBMI2AVX compresses the blocks of p into the chaining value v. The
// length of p must be a multiple of 64, not zero and at most 64 KiB. It needs
// BMI1, BMI2 and AVX, and keeps nothing of p on the stack.
//
//go:noescape
//ct:secret v p
//prove:sm3.compress n=64,128
func BlocksBMI2AVX(v *[8]uint32, p []byte)

// BlocksSSSE3 is BlocksBMI2AVX with SSSE3 alone.
//
//go:noescape
//ct:secret v p
//prove:sm3.compress n=64,128
func BlocksSSSE3(v *[8]uint32, p []byte)
