//go:build amd64 && !purego

package amd64

// The kernels for many messages compress n blocks of each message, at least one, into
// its chaining value: v[i][l] is word i of the chaining value of lane l, and the blocks
// of lane l begin at src[l][0]. The number of lanes is in the name of a kernel. All are
// processed, so each needs blocks, but several may have the same. The kernels store
// words of the messages in w, which the caller must wipe. They are fastest if v and w
// are aligned to 64 bytes.

// Compress8AVX2 needs AVX2.
//
//go:noescape
//ct:secret v w src
//prove:sm3.lanes lanes=8 n=1,2
func Compress8AVX2(v *[8][32]uint32, w *[32][32]uint32, src *[32][]byte, n int)

// Compress16AVX512 needs AVX-512 (F, BW).
//
//go:noescape
//ct:secret v w src
//prove:sm3.lanes lanes=16 n=1,2
func Compress16AVX512(v *[8][32]uint32, w *[32][32]uint32, src *[32][]byte, n int)

// Compress32AVX512 needs AVX-512 (F, BW).
//
//go:noescape
//ct:secret v w src
//prove:sm3.lanes lanes=32 n=1,2
func Compress32AVX512(v *[8][32]uint32, w *[32][32]uint32, src *[32][]byte, n int)

// Digests32AVX512 writes the chaining values of 32 lanes as digests, one after the
// other. It needs AVX-512 (F, BW).
//
//go:noescape
//ct:secret dst v
//prove:sm3.digests
func Digests32AVX512(dst *[1024]byte, v *[8][32]uint32)

// The kernels for PBKDF2 do n iterations, at least one, in each lane. w[:8] is U: every
// iteration replaces U by its HMAC and XORs that into t. keys holds the chaining values
// of the inner and the outer hash after the key. The caller must wipe w.

// Iterate8AVX2 needs AVX2.
//
//go:noescape
//ct:secret keys t w
//prove:sm3.iterate lanes=8 n=1,2
func Iterate8AVX2(keys *[2][8][32]uint32, t *[8][32]uint32, w *[32][32]uint32, n int)

// Iterate16AVX512 needs AVX-512 (F, BW).
//
//go:noescape
//ct:secret keys t w
//prove:sm3.iterate lanes=16 n=1,2
func Iterate16AVX512(keys *[2][8][32]uint32, t *[8][32]uint32, w *[32][32]uint32, n int)

// Iterate32AVX512 needs AVX-512 (F, BW).
//
//go:noescape
//ct:secret keys t w
//prove:sm3.iterate lanes=32 n=1,2
func Iterate32AVX512(keys *[2][8][32]uint32, t *[8][32]uint32, w *[32][32]uint32, n int)

// The kernels for KDF hash blocks that differ only in a counter, from the chaining value
// v on, and write the digests to dst one after the other. Word W_j of lane l is
// base[0][j] ^ differences[0][j][l], and W'_j is the same with index 1. Finally base
// becomes base ^ delta.

// KDF8AVX2 needs AVX2.
//
//go:noescape
//ct:secret dst v base delta differences
//prove:sm3.kdf lanes=8
func KDF8AVX2(dst *[256]byte, v *[8]uint32, base, delta *[2][64]uint32, differences *[2][64][32]uint32)

// KDF32AVX512 needs AVX-512 (F, BW).
//
//go:noescape
//ct:secret dst v base delta differences
//prove:sm3.kdf lanes=32
func KDF32AVX512(dst *[1024]byte, v *[8]uint32, base, delta *[2][64]uint32, differences *[2][64][32]uint32)
