//go:build amd64 && !purego

package amd64

// The family GFNIAVX2 needs AVX2, GFNI and VPCLMULQDQ (VEX).

// ExpandGFNIAVX2 computes the round keys.
func ExpandGFNIAVX2(k *Keys, key *[16]byte) { expandGFNIAVX2(k, key) }

// EncryptBlocksGFNIAVX2 encrypts whole blocks, at least one.
func EncryptBlocksGFNIAVX2(k *Keys, dst, src []byte) { gfniAVX2.ecb(k, forward, dst, src) }

// DecryptBlocksGFNIAVX2 decrypts whole blocks, at least one.
func DecryptBlocksGFNIAVX2(k *Keys, dst, src []byte) { gfniAVX2.ecb(k, backward, dst, src) }

// CBCEncryptGFNIAVX2 encrypts whole blocks, at least one; iv becomes the last
// ciphertext block.
func CBCEncryptGFNIAVX2(k *Keys, iv *[16]byte, dst, src []byte) {
	cbcEncryptGFNIAVX2(k, iv, &dst[0], &src[0], len(src)/16)
}

// CBCDecryptGFNIAVX2 decrypts whole blocks, at least one; iv becomes the last
// ciphertext block.
func CBCDecryptGFNIAVX2(k *Keys, iv *[16]byte, dst, src []byte) { gfniAVX2.cbcDecrypt(k, iv, dst, src) }

// CTRGFNIAVX2 adds keystream to src, at least one byte, and advances the
// 128-bit counter. Unused keystream of the last block goes to the same offsets in
// rest.
func CTRGFNIAVX2(k *Keys, counter *[16]byte, dst, src []byte, rest *[16]byte) {
	gfniAVX2.ctr(k, counter, dst, src, rest)
}

// SealGFNIAVX2 encrypts src and sets m.Y to the tag. The last entries of h are H^16
// to H^1.
func SealGFNIAVX2(k *Keys, h *[64][16]byte, m *Message, dst, src []byte) {
	gfniAVX2.gcm(k, h, m, dst, src, false)
}

// OpenGFNIAVX2 is like SealGFNIAVX2, with the ciphertext in src.
func OpenGFNIAVX2(k *Keys, h *[64][16]byte, m *Message, dst, src []byte) {
	gfniAVX2.gcm(k, h, m, dst, src, true)
}

// The kernels. framing.go describes the numbers of blocks that they accept.

//go:noescape
//ct:secret k key
//prove:sm4.affine
func expandGFNIAVX2(k *Keys, key *[16]byte)

//go:noescape
//ct:secret k dst src
//prove:ecb.encrypt keys=sm4-keys stack=0,8,16,24 step=1,-1 blocks=1
//prove:ecb.encrypt keys=sm4-keys stack=8 step=1 blocks=8,16,32
//prove:ecb.encrypt keys=sm4-keys stack=16 step=1 blocks=128
func blocksGFNIAVX2(k *Keys, step int, dst, src *byte, blocks int)

//go:noescape
//ct:secret k iv dst src
//prove:cbc.encrypt keys=sm4-keys blocks=1,2
func cbcEncryptGFNIAVX2(k *Keys, iv *[16]byte, dst, src *byte, blocks int)

//go:noescape
//ct:secret k dst
//ct:public iv src
//prove:cbc.decrypt keys=sm4-keys stack=0 blocks=64,128
func cbcDecryptGFNIAVX2(k *Keys, iv *[16]byte, dst, src *byte, blocks int)

//go:noescape
//ct:secret k ctr dst src
//prove:ctr keys=sm4-keys stack=0,16,24 counter=ctr inc=32 blocks=8
//prove:ctr keys=sm4-keys stack=8 counter=ctr inc=32 blocks=1,16
//prove:ctr keys=sm4-keys stack=8 counter=ctr inc=32 lanes=32 pass=64 blocks=32,128
func ctrGFNIAVX2(k *Keys, ctr *[16]byte, dst, src *byte, blocks int)
