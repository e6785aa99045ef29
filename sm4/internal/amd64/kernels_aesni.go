//go:build amd64 && !purego

package amd64

// The family AESNI needs AES-NI, PCLMULQDQ and SSSE3.

// ExpandAESNI computes the round keys.
func ExpandAESNI(k *Keys, key *[16]byte) { expandAESNI(k, key) }

// EncryptBlocksAESNI encrypts whole blocks, at least one.
func EncryptBlocksAESNI(k *Keys, dst, src []byte) { aesni.ecb(k, forward, dst, src) }

// DecryptBlocksAESNI decrypts whole blocks, at least one.
func DecryptBlocksAESNI(k *Keys, dst, src []byte) { aesni.ecb(k, backward, dst, src) }

// CBCEncryptAESNI encrypts whole blocks, at least one; iv becomes the last
// ciphertext block.
func CBCEncryptAESNI(k *Keys, iv *[16]byte, dst, src []byte) {
	cbcEncryptAESNI(k, iv, &dst[0], &src[0], len(src)/16)
}

// CBCDecryptAESNI decrypts whole blocks, at least one; iv becomes the last
// ciphertext block.
func CBCDecryptAESNI(k *Keys, iv *[16]byte, dst, src []byte) {
	aesni.cbcDecrypt(k, iv, dst, src)
}

// CTRAESNI adds keystream to src, at least one byte, and advances the
// 128-bit counter. Unused keystream of the last block goes to the same offsets in
// rest.
func CTRAESNI(k *Keys, counter *[16]byte, dst, src []byte, rest *[16]byte) {
	aesni.ctr(k, counter, dst, src, rest)
}

// SealAESNI encrypts src and sets m.Y to the tag. The last entries of h are H^8
// to H^1.
func SealAESNI(k *Keys, h *[64][16]byte, m *Message, dst, src []byte) {
	aesni.gcm(k, h, m, dst, src, false)
}

// OpenAESNI is like SealAESNI, with the ciphertext in src.
func OpenAESNI(k *Keys, h *[64][16]byte, m *Message, dst, src []byte) {
	aesni.gcm(k, h, m, dst, src, true)
}

// The kernels. framing.go describes the numbers of blocks that they accept.

//go:noescape
//ct:secret k key
//prove:sm4.affine
func expandAESNI(k *Keys, key *[16]byte)

//go:noescape
//ct:secret k dst src
//prove:ecb.encrypt keys=sm4-keys stack=0,8,16,24 step=1,-1 blocks=1
//prove:ecb.encrypt keys=sm4-keys stack=8 step=1 blocks=4,8,16
//prove:ecb.encrypt keys=sm4-keys stack=16 step=1 blocks=64
func blocksAESNI(k *Keys, step int, dst, src *byte, blocks int)

//go:noescape
//ct:secret k iv dst src
//prove:cbc.encrypt keys=sm4-keys blocks=1,2
func cbcEncryptAESNI(k *Keys, iv *[16]byte, dst, src *byte, blocks int)

//go:noescape
//ct:secret k ctr dst src
//prove:ctr keys=sm4-keys stack=0,16,24 counter=ctr inc=32 blocks=4
//prove:ctr keys=sm4-keys stack=8 counter=ctr inc=32 blocks=1,8,16
//prove:ctr keys=sm4-keys stack=8 counter=ctr inc=32 lanes=16 pass=32 blocks=64
func ctrAESNI(k *Keys, ctr *[16]byte, dst, src *byte, blocks int)
