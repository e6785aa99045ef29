//go:build !purego

package cpu

import (
	"encoding/binary"
	"runtime"
	"strings"
)

// cpuid and xcr0 are in cpuid_amd64.s.

//ct:public
func cpuid(leaf, subleaf uint32) (eax, ebx, ecx, edx uint32)

//ct:public
func xcr0() uint32

// detectable contains the features that CPUID reports.
const detectable = AES | SHA2 | SHA512 | SM3 | SM4 |
	SSSE3 | SSE41 | PCLMULQDQ | AVX | AVX2 | BMI1 | BMI2 | ADX |
	AVX512 | AVX512IFMA | AVX512VBMI | AVX512VBMI2 | AVX512VNNI |
	AVXIFMA | AVXVNNI | GFNI | VAES | VPCLMULQDQ

func detect() Set { return decode(cpuid, xcr0, runtime.GOOS) }

// decode interprets CPUID as described in Intel's Software Developer's Manual, volume
// 2A. Only AVX and AVX512 check the register state that the system saves; complete
// removes all features that depend on them if they are missing.
func decode(cpuid func(leaf, subleaf uint32) (eax, ebx, ecx, edx uint32), xcr0 func() uint32, goos string) Set {
	top, _, _, _ := cpuid(0, 0)
	if top < 1 {
		return 0
	}
	_, _, ecx, _ := cpuid(1, 0)
	s := flags(ecx, bit{1, PCLMULQDQ}, bit{9, SSSE3}, bit{19, SSE41}, bit{25, AES})
	var state uint32
	if ecx>>27&1 != 0 { // OSXSAVE: XGETBV may be executed
		state = xcr0()
	}
	if state&0x06 == 0x06 { // XMM, YMM
		s |= flags(ecx, bit{28, AVX})
	}
	if top < 7 {
		return s.complete(detectable)
	}
	subleaves, ebx, ecx, _ := cpuid(7, 0)
	s |= flags(ebx, bit{3, BMI1}, bit{5, AVX2}, bit{8, BMI2}, bit{19, ADX}, bit{21, AVX512IFMA}, bit{29, SHA2})
	s |= flags(ecx, bit{1, AVX512VBMI}, bit{6, AVX512VBMI2}, bit{8, GFNI}, bit{9, VAES}, bit{10, VPCLMULQDQ}, bit{11, AVX512VNNI})
	// macOS enables the ZMM state of a thread only at its first use, so XCR0
	// describes only the current thread there.
	const f, dq, cd, bw, vl = 1 << 16, 1 << 17, 1 << 28, 1 << 30, 1 << 31
	const all = f | dq | cd | bw | vl
	if state&0xe6 == 0xe6 && ebx&all == all && goos != "darwin" { // XMM, YMM, masks, both halves of ZMM
		s |= AVX512
	}
	if subleaves >= 1 {
		eax, _, _, _ := cpuid(7, 1)
		s |= flags(eax, bit{0, SHA512}, bit{1, SM3}, bit{2, SM4}, bit{4, AVXVNNI}, bit{23, AVXIFMA})
	}
	return s.complete(detectable)
}

type bit struct {
	n     uint
	means Set
}

func flags(register uint32, bits ...bit) (s Set) {
	for _, b := range bits {
		if register>>b.n&1 != 0 {
			s |= b.means
		}
	}
	return s
}

// brand returns the 48 bytes of leaves 0x80000002 to 0x80000004.
func brand() string {
	if top, _, _, _ := cpuid(0x80000000, 0); top < 0x80000004 {
		return ""
	}
	var text []byte
	for leaf := uint32(0x80000002); leaf <= 0x80000004; leaf++ {
		eax, ebx, ecx, edx := cpuid(leaf, 0)
		for _, r := range [...]uint32{eax, ebx, ecx, edx} {
			text = binary.LittleEndian.AppendUint32(text, r)
		}
	}
	return words(text)
}

// words returns the text before a zero byte, with one space between words.
func words(text []byte) string {
	var b []byte
	for _, c := range text {
		if c == 0 {
			break
		}
		if c != ' ' || len(b) > 0 && b[len(b)-1] != ' ' {
			b = append(b, c)
		}
	}
	return strings.TrimSuffix(string(b), " ")
}
