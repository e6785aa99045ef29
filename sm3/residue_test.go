//go:build !race

package sm3

import (
	"testing"

	"github.com/cipherlane/cipherlane/internal/guard"
)

// Functions that derive keys must leave none on the stack. A few bytes may remain that
// the compiler had no register for. There are more of them with the portable driver and
// with the race detector.
func TestNoKeyOnTheStack(t *testing.T) {
	for _, info := range Drivers() {
		if !info.Available() || info.Name == "generic" {
			continue
		}
		t.Run(info.Name, func(t *testing.T) {
			d, err := On(info.Name)
			if err != nil {
				t.Fatal(err)
			}
			secret, public := make([]byte, 40), make([]byte, 40)
			short, long := make([]byte, Size), make([]byte, 100*Size)
			set := func(seed byte) {
				for i := range secret {
					secret[i] = seed * byte(37+i)
				}
			}
			for name, f := range map[string]func(){
				"PBKDF2, an iteration": func() { d.PBKDF2(short, secret, public[:8], 1) },
				"PBKDF2":               func() { d.PBKDF2(short, secret, public, 3) },
				"PBKDF2 of a long key": func() { d.PBKDF2(long, secret, public, 3) },
				"HKDF":                 func() { d.HKDF(short, secret, public, public) },
				"HKDF of a long key":   func() { d.HKDF(long, secret, public, public) },
				"KDF":                  func() { d.KDF(short, secret) },
				"KDF of a long key":    func() { d.KDF(long, secret) },
			} {
				if left := guard.Left(set, f); left >= Size {
					t.Errorf("%s: %d bytes on the stack depend on the secret", name, left)
				}
			}
		})
	}
}
