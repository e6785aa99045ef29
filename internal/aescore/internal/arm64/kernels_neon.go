//go:build arm64 && !purego

package arm64

// The family NEON needs nothing but NEON. It is for few blocks, and for chains of blocks.

// ExpandNEON computes the round keys of a key of 16, 24 or 32 bytes, in a
// representation that only this family can use.
func ExpandNEON(k *Keys, key []byte) {
	k.Rounds = 6 + len(key)/4
	expandNEON(&k.Enc, &k.Dec, &key[0], k.Rounds)
}

// EncryptBlocksNEON encrypts whole blocks, at least one.
func EncryptBlocksNEON(k *Keys, dst, src []byte) { encryptBlocksNEON(k, &dst[0], &src[0], len(src)) }

// DecryptBlocksNEON decrypts whole blocks, at least one.
func DecryptBlocksNEON(k *Keys, dst, src []byte) { decryptBlocksNEON(k, &dst[0], &src[0], len(src)) }

// CBCEncryptNEON encrypts whole blocks, at least one. iv becomes the last ciphertext block.
func CBCEncryptNEON(k *Keys, iv *[16]byte, dst, src []byte) {
	cbcEncryptNEON(k, &iv[0], &dst[0], &src[0], len(src))
}

// CBCEncryptManyNEON encrypts n blocks, at least one, of each of 1 to 4 lanes. All keys
// have the same number of rounds.
func CBCEncryptManyNEON(lanes []Lane, n int) {
	if len(lanes) == 4 {
		cbcEncrypt4NEON(&lanes[0], n)
		return
	}
	if len(lanes)&2 != 0 {
		cbcEncrypt2NEON(&lanes[0], n)
		lanes = lanes[2:]
	}
	if len(lanes) > 0 {
		cbcEncrypt1NEON(&lanes[0], n)
	}
}
