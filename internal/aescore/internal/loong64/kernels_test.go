//go:build loong64 && !purego

package loong64

import (
	"math/rand/v2"
	"testing"

	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/guard"
)

// The results of the kernels are tested through package aescore. Here the stack must be the same
// after two different keys and texts: nothing of them is left.
func TestNothingLeftOnTheStack(t *testing.T) {
	type blocks = func(k *Keys, dst, src []byte)
	type chain = func(k *Keys, iv *[16]byte, dst, src []byte)
	type counters = func(k *Keys, counter *[16]byte, dst, src []byte, rest *[16]byte)
	for name, f := range map[string]struct {
		needs            cpu.Set
		encrypt, decrypt blocks
		cbc, cbcDecrypt  chain
		ctr, ctr32       counters
	}{
		"LSX":  {cpu.LSX, EncryptBlocksLSX, DecryptBlocksLSX, CBCEncryptLSX, CBCDecryptLSX, CTRLSX, CTR32LSX},
		"LASX": {cpu.LASX, EncryptBlocksLASX, DecryptBlocksLASX, CBCEncryptLASX, CBCDecryptLASX, CTRLASX, CTR32LASX},
	} {
		if !cpu.Features().Has(f.needs) {
			continue
		}
		k, words, text, dst := new(Keys), make([]uint32, 60), make([]byte, 1008), make([]byte, 1008)
		counter, rest := new([16]byte), new([16]byte)
		secret := func(seed byte) {
			random := rand.NewChaCha8([32]byte{seed})
			for i := range words {
				words[i] = uint32(random.Uint64())
			}
			Expand(k, words)
			random.Read(text)
			*counter = [16]byte{}
		}
		for _, n := range []int{1, 16, 31, 48, 160, 511, 512, 999} { // with and without a part of a group
			whole := (n + 15) &^ 15
			for what, call := range map[string]func(){
				"Expand":        func() { Expand(k, words) },
				"EncryptBlocks": func() { f.encrypt(k, dst[:whole], text[:whole]) },
				"DecryptBlocks": func() { f.decrypt(k, dst[:whole], text[:whole]) },
				"CBCEncrypt":    func() { f.cbc(k, counter, dst[:whole], text[:whole]) },
				"CBCDecrypt":    func() { f.cbcDecrypt(k, counter, dst[:whole], text[:whole]) },
				"CTR":           func() { f.ctr(k, counter, dst[:n], text[:n], rest) },
				"CTR32":         func() { f.ctr32(k, counter, dst[:n], text[:n], rest) },
			} {
				if left := guard.Left(secret, call); left > 0 {
					t.Errorf("%s%s, %d bytes: %d bytes on the stack depend on the key and the text", what, name, n, left)
				}
			}
		}
	}
}
