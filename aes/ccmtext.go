package aes

import (
	"github.com/cipherlane/cipherlane/internal/aescore"
	"github.com/cipherlane/cipherlane/internal/modes"
)

// hasCCMText reports whether the driver of c has kernels for CCMText.
func hasCCMText(c *Cipher) bool {
	return aescore.HasCCMText && aescore.TraitsOf(c.plan.Serial()).CCMText
}

// sealText is Seal with kernels for CCMText. It needs neither calls through an interface nor memory from
// the heap.
func (c *CCM) sealText(dst, nonce, plaintext, data []byte) []byte {
	whole, out := c.mode.BuffersToSeal(dst, nonce, plaintext, data)
	var h modes.CCMHead
	c.crypt(&h, nonce, out[:len(plaintext)], plaintext, data, false)
	copy(out[len(plaintext):], h.State[0][:])
	h.Wipe()
	return whole
}

// openText is Open with kernels for CCMText.
func (c *CCM) openText(dst, nonce, ciphertext, data []byte) ([]byte, error) {
	whole, out, err := c.mode.BuffersToOpen(dst, nonce, ciphertext, data)
	if err != nil {
		return nil, err
	}
	ciphertext, tag := ciphertext[:len(out)], ciphertext[len(out):]
	var h modes.CCMHead
	c.crypt(&h, nonce, out, ciphertext, data, true)
	good := modes.EqualTag(&h.State[0], tag)
	h.Wipe() // the right tag would allow a forgery
	if !good {
		clear(out)
		return nil, errOpen
	}
	return whole, nil
}

// crypt encrypts or decrypts src. The tag becomes the first block of the state.
func (c *CCM) crypt(h *modes.CCMHead, nonce, dst, src, data []byte, decrypt bool) {
	row, k := c.c.plan.Serial(), &c.c.keys
	head, data := h.Begin(c.mode, nonce, len(src), data)
	for len(data) > 0 {
		aescore.CCMText(row, k, &h.State, head, nil, nil, decrypt)
		head, data = h.NextData(data)
	}
	n := min(len(src), aescore.MaxPass)
	aescore.CCMText(row, k, &h.State, head, dst[:n], src[:n], decrypt)
	if n < len(src) {
		c.cryptMore(h, dst, src, decrypt)
		return
	}
	h.Tag()
}

// cryptMore is for what one call of the kernel may not process. Since a call begins with blocks for
// the MAC alone, the first block of text is encrypted here.
func (c *CCM) cryptMore(h *modes.CCMHead, dst, src []byte, decrypt bool) {
	row, k := c.c.plan.Serial(), &c.c.keys
	mask := h.State[2]
	for n := aescore.MaxPass; n < len(src); {
		dst, src = dst[n:], src[n:]
		h.NextCounter(n)
		aescore.EncryptBlock(row, k, h.State[2][:], h.State[2][:])
		first := min(len(src), BlockSize)
		head := h.NextText(dst[:first], src[:first], decrypt)
		dst, src = dst[first:], src[first:]
		n = min(len(src), aescore.MaxPass)
		aescore.CCMText(row, k, &h.State, head, dst[:n], src[:n], decrypt)
	}
	h.State[2] = mask
	h.Tag()
}
