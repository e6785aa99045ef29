//go:build linux && !nokernel

package kcapi_test

import (
	stdaes "crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"strconv"
	"testing"
)

// Linux compared with the standard library. On an emulated machine only the differences
// between sizes are meaningful.

func bench(b *testing.B, f func(n int)) {
	for _, n := range []int{16, 64, 1420, 16 << 10, 64 << 10} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			b.SetBytes(int64(n))
			b.ReportAllocs()
			for b.Loop() {
				f(n &^ 15)
			}
		})
	}
}

var src, dst = make([]byte, 64<<10), make([]byte, 0, 64<<10+16)

func BenchmarkSHA256(b *testing.B) {
	h := hash(b, "sha256")
	b.Run("linux", func(b *testing.B) {
		bench(b, func(n int) { check(h.Digest(dst, src[:n])) })
	})
	b.Run("go", func(b *testing.B) {
		bench(b, func(n int) { sha256.Sum256(src[:n]) })
	})
}

func BenchmarkCBC(b *testing.B) {
	key, iv := src[:16], make([]byte, 16)
	c := ciph(b, "cbc(aes)", key)
	b.Run("linux", func(b *testing.B) {
		bench(b, func(n int) {
			if err := c.Encrypt(dst[:n], src[:n], iv); err != nil {
				b.Fatal(err)
			}
		})
	})
	block := check(stdaes.NewCipher(key))
	b.Run("go", func(b *testing.B) {
		bench(b, func(n int) { cipher.NewCBCEncrypter(block, iv).CryptBlocks(dst[:n], src[:n]) })
	})
}

func BenchmarkGCM(b *testing.B) {
	key, nonce := src[:16], make([]byte, 12)
	a := aead(b, "gcm(aes)", key, 16)
	ref := check(cipher.NewGCM(check(stdaes.NewCipher(key))))
	b.Run("linux/seal", func(b *testing.B) {
		bench(b, func(n int) { check(a.Seal(dst, nonce, src[:n], nil)) })
	})
	b.Run("linux/open", func(b *testing.B) {
		sealed := map[int][]byte{}
		bench(b, func(n int) {
			if sealed[n] == nil {
				sealed[n] = ref.Seal(nil, nonce, src[:n], nil)
			}
			check(a.Open(dst, nonce, sealed[n], nil))
		})
	})
	b.Run("go/seal", func(b *testing.B) {
		bench(b, func(n int) { ref.Seal(dst, nonce, src[:n], nil) })
	})
}
