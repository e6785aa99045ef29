//go:build amd64 && !purego

package amd64

// The family SM4NIAVX2 needs AVX2, the SM4 instructions and VPCLMULQDQ (VEX).

// ExpandSM4NIAVX2 computes the round keys.
func ExpandSM4NIAVX2(k *Keys, key *[16]byte) { expandSM4NIAVX2(k, key) }

// EncryptBlocksSM4NIAVX2 encrypts whole blocks, at least one.
func EncryptBlocksSM4NIAVX2(k *Keys, dst, src []byte) {
	blocksSM4NIAVX2(k, forward, &dst[0], &src[0], len(src)/16)
}

// DecryptBlocksSM4NIAVX2 decrypts whole blocks, at least one.
func DecryptBlocksSM4NIAVX2(k *Keys, dst, src []byte) {
	blocksSM4NIAVX2(k, backward, &dst[0], &src[0], len(src)/16)
}

// CBCEncryptSM4NIAVX2 encrypts whole blocks, at least one; iv becomes the last
// ciphertext block.
func CBCEncryptSM4NIAVX2(k *Keys, iv *[16]byte, dst, src []byte) {
	cbcEncryptSM4NIAVX2(k, iv, &dst[0], &src[0], len(src)/16)
}

// CBCDecryptSM4NIAVX2 decrypts whole blocks, at least one; iv becomes the last
// ciphertext block.
func CBCDecryptSM4NIAVX2(k *Keys, iv *[16]byte, dst, src []byte) {
	cbcDecryptSM4NIAVX2(k, iv, &dst[0], &src[0], len(src)/16)
}

// CTRSM4NIAVX2 adds keystream to src, at least one byte, and advances the
// 128-bit counter. What the last block has left over goes to the same place in
// rest.
func CTRSM4NIAVX2(k *Keys, ctr *[16]byte, dst, src []byte, rest *[16]byte) {
	sm4niAVX2.ctr(k, ctr, dst, src, rest)
}

// SealSM4NIAVX2 encrypts src with the counters after j0, continues the hash y
// over the ciphertext and lens, and makes it the tag. h has H^16 to H^1 in its
// last entries.
func SealSM4NIAVX2(k *Keys, h *[64][16]byte, j0, y, lens *[16]byte, dst, src []byte) {
	sm4niAVX2.gcm(k, h, j0, y, lens, dst, src, false)
}

// OpenSM4NIAVX2 is SealSM4NIAVX2 with the ciphertext in src.
func OpenSM4NIAVX2(k *Keys, h *[64][16]byte, j0, y, lens *[16]byte, dst, src []byte) {
	sm4niAVX2.gcm(k, h, j0, y, lens, dst, src, true)
}

// The kernels take any number of blocks, at least one.

//go:noescape
func expandSM4NIAVX2(k *Keys, key *[16]byte)

//go:noescape
func blocksSM4NIAVX2(k *Keys, step int, dst, src *byte, blocks int)

//go:noescape
func cbcEncryptSM4NIAVX2(k *Keys, iv *[16]byte, dst, src *byte, blocks int)

//go:noescape
func cbcDecryptSM4NIAVX2(k *Keys, iv *[16]byte, dst, src *byte, blocks int)

//go:noescape
func ctrSM4NIAVX2(k *Keys, ctr *[16]byte, dst, src *byte, blocks int)
