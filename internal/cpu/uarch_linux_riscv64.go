//go:build !purego

package cpu

import "golang.org/x/sys/unix"

func detectUarch() Uarch {
	pairs := []unix.RISCVHWProbePairs{{Key: unix.RISCV_HWPROBE_KEY_MVENDORID}, {Key: unix.RISCV_HWPROBE_KEY_MARCHID}}
	if unix.RISCVHWProbe(pairs, nil, 0) != nil {
		return 0
	}
	return identify(pairs[0].Value, pairs[1].Value)
}

// identify returns the microarchitecture with these registers mvendorid and marchid, in
// which Linux returns all bits set if cores differ. The values of the X60 are those in
// /proc/cpuinfo of a SpacemiT K1, those of the 7 series in Linux's arch/riscv/errata/sifive.
func identify(vendor, architecture uint64) Uarch {
	switch {
	case vendor == 0x710 && architecture == 0x8000000058000001:
		return SpacemitX60
	case vendor == 0x489 && architecture == 0x8000000000000007:
		return SiFive7
	}
	return 0
}
