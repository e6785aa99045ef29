// Package cpu detects which instruction set extensions this machine has and its
// operating system lets programs use.
//
// It does its own detection because neither the standard library nor
// golang.org/x/sys/cpu covers everything that drivers need: the VEX forms of GFNI,
// VAES and VPCLMULQDQ on CPUs without AVX-512, the SM3 and SM4 instructions of
// x86, and the individual Zvk extensions of RISC-V.
package cpu

import (
	"math/bits"
	"runtime"
	"slices"
)

// A Set is a set of CPU features. One enumeration serves all architectures:
// AES means "this CPU's AES instructions", whichever CPU it is.
type Set uint64

// Features. AVX512 stands for F, CD, BW, DQ and VL together: no CPU worth a
// driver has one of them without the others. No driver needs SVE: on nearly all CPUs its
// registers have 128 bits, as those of NEON, and its instructions for AES, SM4 and PMULL execute
// on the same units.
const (
	AES    Set = 1 << iota // amd64 AES-NI; arm64 and arm AESE
	PMULL                  // arm64, arm: 64-bit carry-less multiply
	NEON                   // arm64 (always), arm
	SHA2                   // amd64 SHA-NI; arm64, arm SHA-256
	SHA3                   // arm64: EOR3, BCAX, RAX1, XAR
	SHA512                 // amd64, arm64
	SM3                    // amd64 VSM3*; arm64
	SM4                    // amd64 VSM4*; arm64
	SVE                    // arm64
	SVE2                   // arm64
	DIT                    // arm64: data-independent timing mode
	ARMV6                  // arm: UMAAL and unaligned words, on Linux

	SSSE3     // amd64
	SSE41     // amd64
	PCLMULQDQ // amd64
	AVX       // amd64, YMM state saved by the system
	AVX2      // amd64
	BMI1      // amd64
	BMI2      // amd64
	ADX       // amd64
	AVX512    // amd64: F, CD, BW, DQ, VL; ZMM and mask state saved by the system
	AVX512IFMA
	AVX512VBMI
	AVX512VBMI2
	AVX512VNNI
	AVXIFMA
	AVXVNNI
	GFNI       // amd64: XMM; with AVX the VEX forms, with AVX512 the EVEX forms
	VAES       // amd64: YMM; with AVX512 also ZMM
	VPCLMULQDQ // amd64: YMM; with AVX512 also ZMM

	V // riscv64 vectors, version 1.0
	ZBA
	ZBB
	ZBC
	ZBKB
	ZBKC // riscv64: the part of ZBC that GHASH needs
	ZKND
	ZKNE
	ZKSED
	ZKSH
	ZVBB
	ZVBC
	ZVKB
	ZVKG
	ZVKNED
	ZVKNHA
	ZVKNHB
	ZVKSED
	ZVKSH
	ZVKT // riscv64: vector instructions with data-independent timing

	MIPSR2 // mips, mips64: release 2 to 5 of the architecture

	LSX  // loong64: vectors of 128 bits, and loads from any address
	LASX // loong64: vectors of 256 bits

	end
)

var names = [...]string{
	"aes", "pmull", "neon", "sha2", "sha3", "sha512", "sm3", "sm4", "sve", "sve2", "dit", "armv6",
	"ssse3", "sse41", "pclmulqdq", "avx", "avx2", "bmi1", "bmi2", "adx",
	"avx512", "avx512ifma", "avx512vbmi", "avx512vbmi2", "avx512vnni",
	"avxifma", "avxvnni", "gfni", "vaes", "vpclmulqdq",
	"v", "zba", "zbb", "zbc", "zbkb", "zbkc", "zknd", "zkne", "zksed", "zksh", "zvbb", "zvbc", "zvkb", "zvkg",
	"zvkned", "zvknha", "zvknhb", "zvksed", "zvksh", "zvkt",
	"mipsr2",
	"lsx", "lasx",
}

// implies contains the features that a feature directly depends on. Those of another
// architecture do not count: SM4 depends on NEON on arm64 and on AVX2 on amd64.
var implies = [...]struct{ feature, base Set }{
	{AES, NEON},
	{PMULL, NEON},
	{SHA2, NEON},
	{SHA3, NEON},
	{SHA512, NEON | AVX2},
	{SM3, NEON | AVX},
	{SM4, NEON | AVX2},
	{SVE, NEON},
	{SVE2, SVE},

	{SSE41, SSSE3},
	{AVX, SSE41},
	{AVX2, AVX},
	{AVX512, AVX2},
	{AVX512IFMA, AVX512},
	{AVX512VBMI, AVX512},
	{AVX512VBMI2, AVX512},
	{AVX512VNNI, AVX512},
	{AVXIFMA, AVX2},
	{AVXVNNI, AVX2},
	{VAES, AVX | AES},
	{VPCLMULQDQ, AVX | PCLMULQDQ},

	{ZBC, ZBKC},

	{ZVBB, ZVKB},
	{ZVBC, V},
	{ZVKB, V},
	{ZVKG, V},
	{ZVKNED, V},
	{ZVKNHA, V},
	{ZVKNHB, ZVKNHA},
	{ZVKSED, V},
	{ZVKSH, V},
	{ZVKT, V},

	{LASX, LSX},
}

var (
	told     = detect()
	features = told
)

// Features returns the features that this machine has and its operating system lets
// programs use. They are detected once, when the program starts. With the build tag
// purego the set is empty, because there is no assembly to select.
func Features() Set { return features }

// Told returns the part of Features that the system tells, without that of [Assert].
func Told() Set { return told }

// Assert adds features that the system does not tell, as far as they are in Assertable. It
// must be called before any table of drivers exists.
func Assert(s Set) { features |= s & Assertable() }

// Assertable returns the features that may be used although the system does not tell
// them: a program that runs their instructions without a signal has them. Vectors are not
// among them, because the kernel must save their registers, nor are promises about time.
func Assertable() Set {
	if !assembly || runtime.GOARCH != "riscv64" {
		return 0
	}
	return ZBA | ZBB | ZBC | ZBKB | ZKND | ZKNE | ZKSED | ZKSH
}

// Parse returns the feature of that name, or 0 if there is none.
func Parse(name string) Set {
	if i := slices.Index(names[:], name); i >= 0 {
		return 1 << i
	}
	return 0
}

// Without returns s without off and without all features that depend on off.
func (s Set) Without(off Set) Set { return (s &^ off).complete(s) }

// complete returns s without the features whose dependencies are not in s. Only
// dependencies in detectable count.
func (s Set) complete(detectable Set) Set {
	for before := Set(0); before != s; {
		before = s
		for _, i := range implies {
			if !s.Has(i.base & detectable) {
				s &^= i.feature
			}
		}
	}
	return s
}

// Has reports whether s contains all of want.
func (s Set) Has(want Set) bool { return s&want == want }

// Names returns the names of the features in s, in the order of their bits.
func (s Set) Names() []string {
	var list []string
	for b := s & (end - 1); b != 0; b &= b - 1 {
		list = append(list, names[bits.TrailingZeros64(uint64(b))])
	}
	return list
}

// String returns the names separated by spaces, or "nothing" for the empty set.
func (s Set) String() string {
	if s == 0 {
		return "nothing"
	}
	text, _ := s.MarshalText()
	return string(text)
}

// MarshalText returns the names separated by spaces; the empty set is empty text. It does not
// use [strings.Join], which would make every program larger by 3 kB, and is not inlined for
// the same reason.
//
//go:noinline
func (s Set) MarshalText() (text []byte, _ error) {
	for i, name := range s.Names() {
		if i > 0 {
			text = append(text, ' ')
		}
		text = append(text, name...)
	}
	return text, nil
}
