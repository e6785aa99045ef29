//go:build !purego

package cpu

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestIdentify(t *testing.T) {
	const intel, amd = "GenuineIntel", "AuthenticAMD"
	for _, c := range []struct {
		vendor    string
		signature uint32
		want      Uarch
	}{
		{amd, 0x00a00f11, Zen3}, // EPYC 7xx3
		{amd, 0x00a20f10, Zen3}, // Ryzen 5000
		{amd, 0x00a50f00, Zen3},
		{amd, 0x00a10f11, Zen4}, // EPYC 9xx4
		{amd, 0x00a60f12, Zen4}, // Ryzen 7000
		{amd, 0x00aa0f02, Zen4}, // EPYC 97x4
		{amd, 0x00ab0f00, 0},
		{amd, 0x00b00f21, Zen5}, // EPYC 9xx5
		{amd, 0x00b40f40, Zen5}, // Ryzen 9000
		{amd, 0x00b50f00, 0},    // Zen 6
		{amd, 0x00830f10, 0},    // Zen 2
		{intel, 0x00050654, SkylakeServer},
		{intel, 0x00050657, SkylakeServer}, // Cascade Lake
		{intel, 0x000606a6, IceLakeServer},
		{intel, 0x000806f8, SapphireRapids}, // 6, 143
		{intel, 0x000c06f2, SapphireRapids}, // 6, 207: Emerald Rapids
		{intel, 0x00090672, AlderLake},
		{intel, 0x000b0671, AlderLake},      // Raptor Lake
		{intel, 0x000a06d1, SapphireRapids}, // Granite Rapids
		{intel, 0x000a06e1, SapphireRapids}, // Granite Rapids D
		{intel, 0x000306c3, 0},              // Haswell
		{intel, 0x008806f8, SapphireRapids},
		{intel, 0x00080ff8, 0}, // not family 6
		{amd, 0x000806f8, 0},
		{intel, 0x00a10f11, 0},
		{"HygonGenuine", 0x00a10f11, 0},
		{"", 0, 0},
	} {
		if got := identify(c.vendor, c.signature); got != c.want {
			t.Errorf("%s %#08x: %v, want %v", c.vendor, c.signature, got, c.want)
		}
	}
}

// TestLinuxUarch compares the decoding of the signature with Linux's.
func TestLinuxUarch(t *testing.T) {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		t.Skip(err)
	}
	if model(string(text)) != Model() {
		t.Skip("/proc/cpuinfo is that of another machine")
	}
	value := func(key string) (n uint32, s string) {
		_, line, _ := strings.Cut(string(text), "\n"+key+"\t")
		line, _, _ = strings.Cut(line, "\n")
		_, s, _ = strings.Cut(line, ": ")
		fmt.Sscan(s, &n)
		return n, s
	}
	_, vendor := value("vendor_id")
	family, _ := value("cpu family")
	number, _ := value("model")
	signature := number<<12&0xf0000 | number<<4&0xf0
	if family > 15 {
		signature |= 15<<8 | (family-15)<<20
	} else {
		signature |= family << 8
	}
	if got, want := Microarchitecture(), identify(vendor, signature); got != want {
		t.Errorf("%v, Linux says %s, family %d, model %d: %v", got, vendor, family, number, want)
	}
}
