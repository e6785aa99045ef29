package conformance

import (
	"crypto/cipher"
	"testing"
)

// Kernels are functions of a block cipher under one key: any number of whole blocks.
type Kernels struct {
	Encrypt, Decrypt       func(dst, src []byte)
	CBCEncrypt, CBCDecrypt func(chain *[16]byte, dst, src []byte)
}

// Test compares with a block cipher, for numbers of blocks around those of a pass.
func (k Kernels) Test(t *testing.T, b cipher.Block) {
	t.Helper()
	r := newRandom(t)
	for n := range 71 {
		plain, iv := r.bytes(16*n), [16]byte(r.bytes(16))
		ecb, cbc := make([]byte, len(plain)), make([]byte, len(plain))
		eachBlock(b, b.Encrypt)(ecb, plain)
		cipher.NewCBCEncrypter(b, iv[:]).CryptBlocks(cbc, plain)
		last := iv
		if n > 0 {
			last = [16]byte(cbc[16*n-16:])
		}
		chained := func(crypt func(chain *[16]byte, dst, src []byte)) func(dst, src []byte) {
			return func(dst, src []byte) {
				chain := iv
				crypt(&chain, dst, src)
				equal(t, chain[:], last[:], "the chaining value behind %d blocks", n)
			}
		}
		for _, c := range []struct {
			name      string
			crypt     func(dst, src []byte)
			src, want []byte
		}{
			{"encrypted", k.Encrypt, plain, ecb},
			{"decrypted", k.Decrypt, ecb, plain},
			{"encrypted in CBC mode", chained(k.CBCEncrypt), plain, cbc},
			{"decrypted in CBC mode", chained(k.CBCDecrypt), cbc, plain},
		} {
			got := make([]byte, len(plain))
			c.crypt(got, c.src)
			equal(t, got, c.want, "%d blocks %s", n, c.name)
			copy(got, c.src)
			c.crypt(got, got)
			equal(t, got, c.want, "%d blocks %s in place", n, c.name)
		}
	}
}
