//go:build !purego

package cpu

import (
	"errors"
	"testing"
)

// TestApple has answers of systems that cannot run here: with the names of macOS 13 and iOS 16,
// those of macOS 11 and 12, both, and none.
func TestApple(t *testing.T) {
	const base = NEON | AES | PMULL | SHA2
	for name, c := range map[string]struct {
		answers map[string]uint32
		want    Set
	}{
		"all names": {map[string]uint32{"hw.optional.arm.FEAT_SHA3": 1, "hw.optional.arm.FEAT_SHA512": 1, "hw.optional.arm.FEAT_DIT": 1,
			"hw.optional.armv8_2_sha3": 1, "hw.optional.armv8_2_sha512": 1}, base | SHA3 | SHA512 | DIT},
		"new names":   {map[string]uint32{"hw.optional.arm.FEAT_SHA3": 1, "hw.optional.arm.FEAT_SHA512": 1}, base | SHA3 | SHA512},
		"old names":   {map[string]uint32{"hw.optional.armv8_2_sha3": 1, "hw.optional.armv8_2_sha512": 1}, base | SHA3 | SHA512},
		"no features": {map[string]uint32{"hw.optional.arm.FEAT_SHA3": 0, "hw.optional.arm.FEAT_SHA512": 0, "hw.optional.arm.FEAT_DIT": 0}, base},
		"no DIT":      {map[string]uint32{"hw.optional.arm.FEAT_SHA3": 1, "hw.optional.arm.FEAT_SHA512": 1, "hw.optional.arm.FEAT_DIT": 0}, base | SHA3 | SHA512},
		"no names":    {nil, base},
	} {
		got := apple(func(name string) (uint32, error) {
			if v, ok := c.answers[name]; ok {
				return v, nil
			}
			return 7, errors.New("no such name")
		})
		if got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
