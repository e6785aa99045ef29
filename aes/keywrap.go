package aes

import "github.com/cipherlane/cipherlane/internal/modes"

// WrapKey encrypts and authenticates a key under this one (AES Key Wrap, RFC
// 3394, NIST SP 800-38F section 6.2) and appends the result, which is 8 bytes
// longer, to dst. The key must have a multiple of 8 bytes and at least 16;
// [Cipher.WrapKeyPadded] has no such condition. Equal keys give equal results.
func (c *Cipher) WrapKey(dst, key []byte) ([]byte, error) {
	return modes.WrapKey((*bulk)(c), dst, key)
}

// UnwrapKey undoes [Cipher.WrapKey] and appends the key to dst. It returns an
// error, and no part of a key, if wrapped is not what WrapKey returned.
func (c *Cipher) UnwrapKey(dst, wrapped []byte) ([]byte, error) {
	return modes.UnwrapKey((*bulk)(c), dst, wrapped)
}

// WrapKeyPadded is [Cipher.WrapKey] for keys of any length but 0 (AES Key Wrap
// with Padding, RFC 5649, NIST SP 800-38F section 6.3). The result is 8 to 15
// bytes longer than the key.
func (c *Cipher) WrapKeyPadded(dst, key []byte) ([]byte, error) {
	return modes.WrapKeyPadded((*bulk)(c), dst, key)
}

// UnwrapKeyPadded undoes [Cipher.WrapKeyPadded] as [Cipher.UnwrapKey] does.
func (c *Cipher) UnwrapKeyPadded(dst, wrapped []byte) ([]byte, error) {
	return modes.UnwrapKeyPadded((*bulk)(c), dst, wrapped)
}
