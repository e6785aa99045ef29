//go:build arm64 && !purego

package arm64

// The family AES needs the AES instructions, AESSHA3 also those of SHA-3. The families
// share the round keys and the kernels for few blocks.

// ExpandAES computes the round keys.
func ExpandAES(k *Keys, key *[16]byte) { expandAES(k, key) }

// EncryptBlocksAES encrypts whole blocks, at least one.
func EncryptBlocksAES(k *Keys, dst, src []byte) { aes.ecb(k, forward, dst, src) }

// DecryptBlocksAES decrypts whole blocks, at least one.
func DecryptBlocksAES(k *Keys, dst, src []byte) { aes.ecb(k, backward, dst, src) }

// CBCEncryptAES encrypts whole blocks, at least one. iv becomes the last ciphertext block.
func CBCEncryptAES(k *Keys, iv *[16]byte, dst, src []byte) {
	cbcEncryptAES(k, iv, &dst[0], &src[0], len(src)/16)
}

// CFBEncryptAES encrypts whole blocks, at least one, and returns their length. iv becomes the last
// ciphertext block.
func CFBEncryptAES(k *Keys, iv *[16]byte, dst, src []byte) int {
	cfbEncryptAES(k, iv, &dst[0], &src[0], len(src)/16)
	return len(src)
}

// CBCDecryptAES decrypts whole blocks, at least one. iv becomes the last ciphertext block.
func CBCDecryptAES(k *Keys, iv *[16]byte, dst, src []byte) { aes.cbcDecrypt(k, iv, dst, src) }

// CFBDecryptAES decrypts the whole blocks at the beginning of src, at least one, and
// returns their length. iv becomes the last of these ciphertext blocks.
func CFBDecryptAES(k *Keys, iv *[16]byte, dst, src []byte) int {
	return aes.cfbDecrypt(k, iv, dst, src)
}

// CTRAES adds keystream to src, at least one byte, and advances the 128-bit counter.
// Unused keystream of the last block goes to the same offsets in rest, which may be nil if
// src is whole blocks.
func CTRAES(k *Keys, counter *[16]byte, dst, src []byte, rest *[16]byte) {
	aes.ctr(k, counter, dst, src, rest)
}

// CTR32AES is like CTRAES with the counter of GCM: only the last 32 bits count. Its time
// does not depend on the counter.
func CTR32AES(k *Keys, counter *[16]byte, dst, src []byte, rest *[16]byte) {
	aes.ctr32(k, counter, dst, src, rest)
}

// The same with EOR3.

// EncryptBlocksAESSHA3 is EncryptBlocksAES.
func EncryptBlocksAESSHA3(k *Keys, dst, src []byte) { aesSHA3.ecb(k, forward, dst, src) }

// DecryptBlocksAESSHA3 is DecryptBlocksAES.
func DecryptBlocksAESSHA3(k *Keys, dst, src []byte) { aesSHA3.ecb(k, backward, dst, src) }

// CBCDecryptAESSHA3 is CBCDecryptAES.
func CBCDecryptAESSHA3(k *Keys, iv *[16]byte, dst, src []byte) { aesSHA3.cbcDecrypt(k, iv, dst, src) }

// CFBDecryptAESSHA3 is CFBDecryptAES.
func CFBDecryptAESSHA3(k *Keys, iv *[16]byte, dst, src []byte) int {
	return aesSHA3.cfbDecrypt(k, iv, dst, src)
}

// CTRAESSHA3 is CTRAES.
func CTRAESSHA3(k *Keys, counter *[16]byte, dst, src []byte, rest *[16]byte) {
	aesSHA3.ctr(k, counter, dst, src, rest)
}

// CTR32AESSHA3 is CTR32AES.
func CTR32AESSHA3(k *Keys, counter *[16]byte, dst, src []byte, rest *[16]byte) {
	aesSHA3.ctr32(k, counter, dst, src, rest)
}
