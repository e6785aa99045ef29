package aes

import "github.com/cipherlane/cipherlane/internal/modes"

// WrapKey encrypts and authenticates a key under this one (AES Key Wrap, RFC
// 3394, NIST SP 800-38F section 6.2) and appends the result, which is 8 bytes
// longer, to dst. The length of the key must be a multiple of 8 and at least 16
// bytes; [Cipher.WrapKeyPadded] accepts other lengths. Equal keys give equal
// results.
func (c *Cipher) WrapKey(dst, key []byte) ([]byte, error) {
	return modes.WrapKey((*bulk)(c), dst, key)
}

// UnwrapKey reverses [Cipher.WrapKey] and appends the key to dst. If wrapped is
// not authentic, it returns an error and no part of the key.
func (c *Cipher) UnwrapKey(dst, wrapped []byte) ([]byte, error) {
	return modes.UnwrapKey((*bulk)(c), dst, wrapped)
}

// WrapKeyPadded is like [Cipher.WrapKey] for keys of any length except 0 (AES Key
// Wrap with Padding, RFC 5649, NIST SP 800-38F section 6.3). The result is 8 to 15
// bytes longer than the key.
func (c *Cipher) WrapKeyPadded(dst, key []byte) ([]byte, error) {
	return modes.WrapKeyPadded((*bulk)(c), dst, key)
}

// UnwrapKeyPadded reverses [Cipher.WrapKeyPadded], as [Cipher.UnwrapKey] reverses
// [Cipher.WrapKey].
func (c *Cipher) UnwrapKeyPadded(dst, wrapped []byte) ([]byte, error) {
	return modes.UnwrapKeyPadded((*bulk)(c), dst, wrapped)
}
