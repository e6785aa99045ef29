//go:build !purego

package cpu

import "testing"

func TestIdentify(t *testing.T) {
	for _, c := range []struct {
		vendor, architecture uint64
		want                 Uarch
	}{
		{0x710, 0x8000000058000001, SpacemitX60},
		{0x710, 0x8000000058000002, 0},
		{0x489, 0x8000000058000001, 0},
		{0x489, 0x8000000000000007, SiFive7},
		{0x710, 0x8000000000000007, 0},
		{1<<64 - 1, 1<<64 - 1, 0},
	} {
		if got := identify(c.vendor, c.architecture); got != c.want {
			t.Errorf("%#x, %#x: %v, want %v", c.vendor, c.architecture, got, c.want)
		}
	}
}
