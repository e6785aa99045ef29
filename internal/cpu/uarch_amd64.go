//go:build !purego

package cpu

import "encoding/binary"

func detectUarch() Uarch {
	_, b, c, d := cpuid(0, 0)
	vendor := binary.LittleEndian.AppendUint32(nil, b)
	vendor = binary.LittleEndian.AppendUint32(vendor, d)
	vendor = binary.LittleEndian.AppendUint32(vendor, c)
	signature, _, _, _ := cpuid(1, 0)
	return identify(string(vendor), signature)
}

// identify returns the microarchitecture of a vendor's CPU with this signature, which
// is EAX of leaf 1. Families and models are those of Linux: intel-family.h, and
// bsp_init_amd in arch/x86/kernel/cpu/amd.c.
func identify(vendor string, signature uint32) Uarch {
	family, model := signature>>8&15, signature>>4&15
	if family == 6 || family == 15 {
		model |= signature >> 12 & 0xf0
	}
	if family == 15 {
		family += signature >> 20 & 255
	}
	switch vendor {
	case "AuthenticAMD":
		switch series := model >> 4; family {
		case 0x19:
			switch series {
			case 0, 2, 3, 4, 5:
				return Zen3
			case 1, 6, 7, 8, 9, 10:
				return Zen4
			}
		case 0x1a:
			switch series {
			case 0, 1, 2, 4, 6, 7:
				return Zen5
			}
		}
	case "GenuineIntel":
		if family != 6 {
			return 0
		}
		switch model {
		case 0x55:
			return SkylakeServer
		case 0x6a, 0x6c:
			return IceLakeServer
		case 0x8f, 0xcf, 0xad, 0xae:
			return SapphireRapids
		case 0x97, 0x9a, 0xb7, 0xba, 0xbf:
			return AlderLake
		}
	}
	return 0
}
