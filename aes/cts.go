package aes

import "github.com/cipherlane/cipherlane/internal/modes"

// EncryptCTS encrypts a message of at least 16 bytes, not necessarily whole
// blocks, in CBC mode with ciphertext stealing (Addendum to NIST SP 800-38A): the
// ciphertext is as long as src. The variants 1, 2 and 3 are CBC-CS1, CBC-CS2 and
// CBC-CS3, which differ in the order of the last two blocks; Kerberos (RFC 3962)
// and Linux's cts(cbc(aes)) use variant 3. It panics if variant is another number,
// iv is not 16 bytes long, src is shorter than 16 bytes, dst is shorter than src,
// or they overlap other than exactly. CTS does not authenticate; [NewGCM] does.
func (c *Cipher) EncryptCTS(dst, src, iv []byte, variant int) {
	modes.EncryptCTS((*bulk)(c), variant, dst, src, iv)
}

// DecryptCTS reverses [Cipher.EncryptCTS], under the same conditions. It processes
// many blocks at once.
func (c *Cipher) DecryptCTS(dst, src, iv []byte, variant int) {
	modes.DecryptCTS((*bulk)(c), variant, dst, src, iv)
}
