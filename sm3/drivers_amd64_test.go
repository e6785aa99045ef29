//go:build !purego

package sm3

import (
	"testing"

	"github.com/cipherlane/cipherlane/internal/cpu"
)

// Four digests of KDF are made in lanes, but not on Zen 5: docs/machines/zen5-sweep.json.
func TestEightDigests(t *testing.T) {
	for uarch, want := range map[cpu.Uarch]int{0: 4, cpu.SapphireRapids: 4, cpu.Zen4: 4, cpu.Zen5: 5} {
		if got := eightDigestsOn(uarch); got != want {
			t.Errorf("%v: %d, want %d", uarch, got, want)
		}
	}
}
