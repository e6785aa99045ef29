//go:build !purego

package cpu

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/cpu"
)

func TestIdentify(t *testing.T) {
	for _, c := range []struct {
		midr uint64
		want Uarch
	}{
		{0x611f0221, Apple},   // M1, a fast core
		{0x611f0220, Apple},   // and a slow one
		{0xc00fac30, Ampere1}, // AmpereOne
		{0xc00fac40, Ampere1}, // AmpereOne A
		{0xc00fac50, 0},
		{0x413fd0c1, 0},         // Neoverse N1 of Altra, whose implementer is Arm
		{0x410fd083, CortexA72}, // Raspberry Pi 4
		{0x411fd070, CortexA72}, // Cortex-A57
		{0x410fd034, CortexA55}, // Cortex-A53
		{0x412fd050, CortexA55},
		{0x410fd0a0, 0}, // Cortex-A75
		{0x481fd080, 0},
		{0x481fd010, 0}, // Kunpeng 920
		{0x610fac30, Apple},
		{0x410fac30, 0},
		{0, 0},
	} {
		if got := identify(c.midr); got != c.want {
			t.Errorf("%#x: %v, want %v", c.midr, got, c.want)
		}
	}
}

// TestLinuxUarch compares the register with Linux's /proc/cpuinfo. Cores may differ.
func TestLinuxUarch(t *testing.T) {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil || !cpu.ARM64.HasCPUID {
		t.Skip("Linux does not show the register")
	}
	register := midr()
	found := false
	value := map[string]uint64{}
	for line := range strings.Lines(string(text)) {
		key, s, _ := strings.Cut(line, ":")
		var n uint64
		fmt.Sscan(s, &n)
		value[strings.TrimSpace(key)] = n
		if strings.HasPrefix(key, "CPU revision") {
			found = found || register == value["CPU implementer"]<<24|value["CPU variant"]<<20|0xf<<16|value["CPU part"]<<4|n
		}
	}
	if value["CPU part"] == 0 {
		t.Skip("/proc/cpuinfo is that of another machine")
	}
	if !found {
		t.Errorf("MIDR_EL1 is %#x, which no CPU has in\n%s", register, text)
	}
}

// TestISAR0 compares what the register says with what Linux does.
func TestISAR0(t *testing.T) {
	if !cpu.ARM64.HasCPUID {
		t.Skip("this system does not show the register")
	}
	if got, want := parseISAR0(isar0()), detect()&isar0Features; got != want {
		t.Errorf("ID_AA64ISAR0_EL1 is %#x: %v, but the system says %v", isar0(), got, want)
	}
}

func TestParseISAR0(t *testing.T) {
	for _, c := range []struct {
		register uint64
		want     Set
	}{
		{0, 0},
		{0x0000_1000_1021_1120, AES | PMULL | SHA2},
		{0x0000_0000_0000_0010, AES},
		{0x0000_0000_0000_2000, SHA2 | SHA512},
		{0x0000_0111_0000_0000, SHA3 | SM3 | SM4},
		{0x0110_1111_1021_2120, AES | PMULL | SHA2 | SHA512 | SHA3 | SM3 | SM4}, // Neoverse N2
	} {
		if got := parseISAR0(c.register); got != c.want {
			t.Errorf("%#x: %v, want %v", c.register, got, c.want)
		}
	}
}
