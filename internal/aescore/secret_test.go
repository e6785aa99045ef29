package aescore

import (
	"crypto/cipher"
	"fmt"
	"slices"
	"testing"

	"github.com/cipherlane/cipherlane/internal/aescore/spec"
	"github.com/cipherlane/cipherlane/internal/ctgrind"
)

// secret returns a copy of b that valgrind treats as secret, like everything computed
// from it.
func secret(b []byte) []byte {
	s := slices.Clone(b)
	ctgrind.Secret(s)
	return s
}

// reveal checks a result, which is not secret any more.
func reveal(t *testing.T, name string, got, want []byte) {
	t.Helper()
	ctgrind.Public(got)
	if d := diff(got, want); d != "" {
		t.Fatalf("%s, %d bytes: %s", name, len(want), d)
	}
}

// All code paths of the portable driver with a secret key and secret data. The tweak of
// XTS is secret, too.
func TestSecretGeneric(t *testing.T) {
	eachSecretKey(t, func(t *testing.T, key []byte, spec cipher.Block) {
		iv := random(BlockSize)
		for _, blocks := range []int{
			1, 2, narrowBlocks + 1, wideMin/BlockSize - 1, wideMin/BlockSize + wideBlocks,
		} {
			plain := random(blocks * BlockSize)
			ecb, cbc := make([]byte, len(plain)), make([]byte, len(plain))
			ctr, xts := make([]byte, len(plain)-5), make([]byte, len(plain))
			for i := 0; i < len(plain); i += BlockSize {
				spec.Encrypt(ecb[i:], plain[i:])
			}
			cipher.NewCBCEncrypter(spec, iv).CryptBlocks(cbc, plain)
			cipher.NewCTR(spec, iv).XORKeyStream(ctr, plain[:len(ctr)])
			next := [BlockSize]byte(iv)
			specXTS(spec, &next, xts, plain)

			var k genericKeys
			k.expand(secret(key))
			b := secret(plain)
			k.encryptBlocks(b, b)
			reveal(t, "ECB", b, ecb)
			b = secret(ecb)
			k.decryptBlocks(b, b)
			reveal(t, "ECB backwards", b, plain)
			b, chain := secret(plain), [BlockSize]byte(iv)
			k.cbcEncrypt(&chain, b, b)
			reveal(t, "CBC", b, cbc)
			b, chain = secret(cbc), [BlockSize]byte(iv)
			k.cbcDecrypt(&chain, b, b)
			reveal(t, "CBC backwards", b, plain)
			b, counter, rest := secret(plain[:len(ctr)]), [BlockSize]byte(iv), new([BlockSize]byte)
			k.ctr(&counter, b, b, rest)
			reveal(t, "CTR", b, ctr)
			b, tweak := secret(plain), secret(iv)
			k.xts((*[BlockSize]byte)(tweak), b, b, false)
			reveal(t, "XTS", b, xts)
			reveal(t, "XTS tweak", tweak, next[:])
			b, tweak = secret(xts), secret(iv)
			k.xts((*[BlockSize]byte)(tweak), b, b, true)
			reveal(t, "XTS backwards", b, plain)
			k.wipe()
		}
	})
}

func eachSecretKey(t *testing.T, f func(t *testing.T, key []byte, spec cipher.Block)) {
	for size := 16; size <= 32; size += 8 {
		t.Run(fmt.Sprint("AES-", 8*size), func(t *testing.T) {
			key := random(size)
			f(t, key, spec.New(key))
		})
	}
}
