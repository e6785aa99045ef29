package chacha20_test

import (
	"runtime"
	"testing"

	"github.com/cipherlane/cipherlane/chacha20"
)

// On x86, one block is for the portable driver (docs/benchmarks.md, ChaCha20-Poly1305 by driver).
func TestFloors(t *testing.T) {
	floor := 0
	if runtime.GOARCH == "amd64" || runtime.GOARCH == "386" {
		floor = 65
	}
	for i, d := range chacha20.Drivers() {
		if want := min(i, 1) * floor; d.MinBytes != want {
			t.Errorf("%s is for %d bytes or more, want %d", d.Name, d.MinBytes, want)
		}
	}
}
