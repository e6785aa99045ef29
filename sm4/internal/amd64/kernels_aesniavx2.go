//go:build amd64 && !purego

package amd64

// The family AESNIAVX2 needs AVX2, AES-NI and PCLMULQDQ.

// ExpandAESNIAVX2 computes the round keys.
func ExpandAESNIAVX2(k *Keys, key *[16]byte) { expandAESNIAVX2(k, key) }

// EncryptBlocksAESNIAVX2 encrypts whole blocks, at least one.
func EncryptBlocksAESNIAVX2(k *Keys, dst, src []byte) { aesniAVX2.ecb(k, forward, dst, src) }

// DecryptBlocksAESNIAVX2 decrypts whole blocks, at least one.
func DecryptBlocksAESNIAVX2(k *Keys, dst, src []byte) { aesniAVX2.ecb(k, backward, dst, src) }

// CBCEncryptAESNIAVX2 encrypts whole blocks, at least one; iv becomes the last
// ciphertext block.
func CBCEncryptAESNIAVX2(k *Keys, iv *[16]byte, dst, src []byte) {
	cbcEncryptAESNIAVX2(k, iv, &dst[0], &src[0], len(src)/16)
}

// CBCDecryptAESNIAVX2 decrypts whole blocks, at least one; iv becomes the last
// ciphertext block.
func CBCDecryptAESNIAVX2(k *Keys, iv *[16]byte, dst, src []byte) {
	aesniAVX2.cbcDecrypt(k, iv, dst, src)
}

// CTRAESNIAVX2 adds keystream to src, at least one byte, and advances the
// 128-bit counter. Unused keystream of the last block goes to the same offsets in
// rest.
func CTRAESNIAVX2(k *Keys, counter *[16]byte, dst, src []byte, rest *[16]byte) {
	aesniAVX2.ctr(k, counter, dst, src, rest)
}

// SealAESNIAVX2 encrypts src and sets m.Y to the tag. The last entries of h are H^8
// to H^1.
func SealAESNIAVX2(k *Keys, h *[64][16]byte, m *Message, dst, src []byte) {
	aesniAVX2.gcm(k, h, m, dst, src, false)
}

// OpenAESNIAVX2 is like SealAESNIAVX2, with the ciphertext in src.
func OpenAESNIAVX2(k *Keys, h *[64][16]byte, m *Message, dst, src []byte) {
	aesniAVX2.gcm(k, h, m, dst, src, true)
}

// The kernels. framing.go describes the numbers of blocks that they accept.

//go:noescape
//ct:secret k key
//prove:sm4.affine
func expandAESNIAVX2(k *Keys, key *[16]byte)

//go:noescape
//ct:secret k dst src
//prove:ecb.encrypt keys=sm4-keys stack=0,8,16,24 step=1,-1 blocks=1
//prove:ecb.encrypt keys=sm4-keys stack=8 step=1 blocks=4,8,16,32
//prove:ecb.encrypt keys=sm4-keys stack=16 step=1 blocks=128
func blocksAESNIAVX2(k *Keys, step int, dst, src *byte, blocks int)

//go:noescape
//ct:secret k iv dst src
//prove:cbc.encrypt keys=sm4-keys blocks=1,2
func cbcEncryptAESNIAVX2(k *Keys, iv *[16]byte, dst, src *byte, blocks int)

//go:noescape
//ct:secret k dst
//ct:public iv src
//prove:cbc.decrypt keys=sm4-keys stack=0 blocks=64,128
func cbcDecryptAESNIAVX2(k *Keys, iv *[16]byte, dst, src *byte, blocks int)

//go:noescape
//ct:secret k ctr dst src
//prove:ctr keys=sm4-keys stack=0,16,24 counter=ctr inc=32 blocks=4
//prove:ctr keys=sm4-keys stack=8 counter=ctr inc=32 blocks=1,8,16,32
//prove:ctr keys=sm4-keys stack=8 counter=ctr inc=32 lanes=32 pass=64 blocks=128
func ctrAESNIAVX2(k *Keys, ctr *[16]byte, dst, src *byte, blocks int)
