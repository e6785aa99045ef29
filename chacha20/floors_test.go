package chacha20_test

import (
	"runtime"
	"slices"
	"testing"

	"github.com/cipherlane/cipherlane/chacha20"
)

// Drivers that generate several blocks side by side are not for one block, except on amd64,
// arm64 and loong64, where they have a kernel for it (docs/benchmarks.md, Instruction counts).
func TestFloors(t *testing.T) {
	for _, d := range chacha20.Drivers() {
		want := 0
		if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" && runtime.GOARCH != "loong64" && slices.Contains([]string{"sse2", "neon", "rvv", "rvv-zvkb"}, d.Name) {
			want = 65
		}
		if d.MinBytes != want {
			t.Errorf("%s is for %d bytes or more, want %d", d.Name, d.MinBytes, want)
		}
	}
}
