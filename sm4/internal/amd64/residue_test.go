//go:build amd64 && !purego

package amd64

import (
	"fmt"
	"testing"

	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/guard"
)

// pending is a function of GCM with a hash that is pending.
func pending(f func(k *Keys, h *[64][16]byte, m *Message, dst, src []byte)) func(k *Keys, h *[64][16]byte, m *Message, dst, src []byte) {
	return func(k *Keys, h *[64][16]byte, m *Message, dst, src []byte) {
		m.Pending = true
		f(k, h, m, dst, src)
	}
}

// TestNothingLeftOnTheStack runs everything with two keys and otherwise equal
// arguments: the stack must be the same afterwards.
func TestNothingLeftOnTheStack(t *testing.T) {
	gfni512 := functions{"GFNI512", cpu.AVX512 | cpu.AVX512VBMI2 | cpu.GFNI | cpu.VPCLMULQDQ, ExpandGFNI512, EncryptBlocksGFNI512, DecryptBlocksGFNI512,
		CBCEncryptGFNI512, CBCDecryptGFNI512, CTRGFNI512, pending(SealGFNI512), pending(OpenGFNI512)}
	for _, f := range append(families[:len(families):len(families)], gfni512) {
		if missing := f.needs &^ cpu.Features(); missing != 0 {
			t.Logf("%s: this CPU lacks %v", f.name, missing)
			continue
		}
		k, h, key := new(Keys), new([64][16]byte), new([16]byte)
		one, rest, m := new([16]byte), new([16]byte), new(Message)
		dst := make([]byte, 5000)
		check := func(what string, crypt func()) {
			t.Helper()
			secret := func(seed byte) {
				*key = [16]byte(random(seed, 16))
				f.expand(k, key)
				rk := plainExpand(*key)
				*h = *powersGFNI512(&rk)
				*one, *m = [16]byte{}, Message{}
			}
			if different := guard.Left(secret, crypt); different > 0 {
				t.Errorf("%s, %s: %d bytes on the stack depend on the key", f.name, what, different)
			}
		}
		check("Expand", func() { f.expand(k, key) })
		for _, blocks := range []int{1, 3, 4, 8, 9, 16, 17, 20, 31, 32, 40, 63, 64, 65, 80, 95, 100, 128, 150, 200, 300} {
			n := 16 * blocks
			src := make([]byte, n)
			for name, crypt := range map[string]func(){
				"EncryptBlocks": func() { f.encryptBlocks(k, dst[:n], src) },
				"DecryptBlocks": func() { f.decryptBlocks(k, dst[:n], src) },
				"CBCEncrypt":    func() { f.cbcEncrypt(k, one, dst[:n], src) },
				"CBCDecrypt":    func() { f.cbcDecrypt(k, one, dst[:n], src) },
				"CTR":           func() { f.ctr(k, one, dst[:n], src, rest) },
				"CTR of part":   func() { f.ctr(k, one, dst[:n-5], src[:n-5], rest) },
				"Seal":          func() { f.seal(k, h, m, dst[:n], src) },
				"Seal of part":  func() { f.seal(k, h, m, dst[:n-5], src[:n-5]) },
				"Open":          func() { f.open(k, h, m, dst[:n], src) },
				"Open of part":  func() { f.open(k, h, m, dst[:n-5], src[:n-5]) },
			} {
				check(fmt.Sprintf("%s, %d blocks", name, blocks), crypt)
			}
		}
	}
}
