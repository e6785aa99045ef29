//go:build s390x || ppc64 || ppc64le

package aes

// XORKeyStreamAt is Go's.
func (c *CTR) XORKeyStreamAt(dst, src []byte, offset uint64) { c.xorKeyStreamAtStd(dst, src, offset) }
