package sm4

import "github.com/cipherlane/cipherlane/internal/modes"

// EncryptCTS encrypts a message of at least 16 bytes, not necessarily whole
// blocks, by CBC with ciphertext stealing (Addendum to NIST SP 800-38A), so
// that dst is as long as src. The variant 1, 2 or 3 stands for CBC-CS1, CBC-CS2
// or CBC-CS3, which differ in the order of the last two blocks; Linux's
// cts(cbc(sm4)) is variant 3. It panics on any other variant, an iv that is not
// 16 bytes long, a short src or dst, or if they overlap other than exactly. CTS
// does not authenticate; [NewGCM] does.
func (c *Cipher) EncryptCTS(dst, src, iv []byte, variant int) {
	modes.EncryptCTS((*bulk)(c), variant, dst, src, iv)
}

// DecryptCTS undoes [Cipher.EncryptCTS], with the same conditions. It works on
// many blocks at once.
func (c *Cipher) DecryptCTS(dst, src, iv []byte, variant int) {
	modes.DecryptCTS(c.wide(), variant, dst, src, iv)
}
