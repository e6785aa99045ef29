//go:build amd64 && !purego

package amd64

// The kernels for many messages compress n blocks, at least one, of each into
// their chaining values: v[i][l] is word i of that of lane l, and the blocks of
// lane l begin where src[l] does. All lanes that a kernel is named after are
// done; lanes with the same blocks are none too many. In w the kernels keep
// words of the messages, which the caller wipes. Memory at a multiple of 64
// bytes is the fastest for v and w.

// Compress8AVX2 needs AVX2.
//
//go:noescape
func Compress8AVX2(v *[8][32]uint32, w *[32][32]uint32, src *[32][]byte, n int)

// Compress16AVX512 needs AVX-512 (F, BW).
//
//go:noescape
func Compress16AVX512(v *[8][32]uint32, w *[32][32]uint32, src *[32][]byte, n int)

// Compress32AVX512 needs AVX-512 (F, BW).
//
//go:noescape
func Compress32AVX512(v *[8][32]uint32, w *[32][32]uint32, src *[32][]byte, n int)

// Digests32AVX512 writes the chaining values of 32 lanes as digests, one after the
// other. It needs AVX-512 (F, BW).
//
//go:noescape
func Digests32AVX512(dst *[1024]byte, v *[8][32]uint32)

// The kernels for PBKDF2 do n iterations, at least one, in all lanes that they are
// named after: w[:8] has U in the words of the lanes, and every iteration replaces
// that by its HMAC and adds it to t with xor. keys has the chaining values after the
// key, of the inner hash and of the outer one. The caller wipes w.

// Iterate8AVX2 needs AVX2.
//
//go:noescape
func Iterate8AVX2(keys *[2][8][32]uint32, t *[8][32]uint32, w *[32][32]uint32, n int)

// Iterate16AVX512 needs AVX-512 (F, BW).
//
//go:noescape
func Iterate16AVX512(keys *[2][8][32]uint32, t *[8][32]uint32, w *[32][32]uint32, n int)

// Iterate32AVX512 needs AVX-512 (F, BW).
//
//go:noescape
func Iterate32AVX512(keys *[2][8][32]uint32, t *[8][32]uint32, w *[32][32]uint32, n int)

// The kernels for KDF hash, from the chaining value v, blocks that differ in a counter
// only, and write the digests to dst one after the other. Word W_j of lane l is
// base[0][j] ^ differences[0][j][l], and W'_j the same with index 1. Then base becomes
// base ^ delta.

// KDF8AVX2 needs AVX2.
//
//go:noescape
func KDF8AVX2(dst *[256]byte, v *[8]uint32, base, delta *[2][64]uint32, differences *[2][64][32]uint32)

// KDF32AVX512 needs AVX-512 (F, BW).
//
//go:noescape
func KDF32AVX512(dst *[1024]byte, v *[8]uint32, base, delta *[2][64]uint32, differences *[2][64][32]uint32)
