package cpu

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"math/bits"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestNames compares the names with the constants in the source code: one each, in
// the same order, in lower case.
func TestNames(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "cpu.go", nil, 0)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("run away from the source text")
	} else if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, d := range file.Decls {
		if d, ok := d.(*ast.GenDecl); ok && d.Tok == token.CONST {
			for _, spec := range d.Specs {
				for _, id := range spec.(*ast.ValueSpec).Names {
					want = append(want, strings.ToLower(id.Name))
				}
			}
		}
	}
	want = want[:len(want)-1] // end
	if !slices.Equal(names[:], want) {
		t.Fatalf("names\n%q, want\n%q", names, want)
	}
	if end != 1<<len(names) {
		t.Errorf("end is %#x, but there are %d names", uint64(end), len(names))
	}
	for i, name := range names {
		if got := Parse(name); got != 1<<i {
			t.Errorf("Parse(%q) = %#x, want bit %d", name, uint64(got), i)
		}
	}
}

func TestParseUnknown(t *testing.T) {
	for _, name := range []string{"", " ", "avx1024", "AVX2", "avx2 ", "avx512f", "nothing", "end"} {
		if got := Parse(name); got != 0 {
			t.Errorf("Parse(%q) = %v", name, got)
		}
	}
}

func TestPrinting(t *testing.T) {
	for _, c := range []struct {
		set           Set
		text, marshal string
	}{
		{0, "nothing", ""},
		{AES, "aes", "aes"},
		{ZVKT | AES | AVX512, "aes avx512 zvkt", "aes avx512 zvkt"},
		{end - 1, strings.Join(names[:], " "), strings.Join(names[:], " ")},
		{end, "", ""}, // no feature, and no panic
	} {
		text, err := c.set.MarshalText()
		if c.set.String() != c.text || string(text) != c.marshal || err != nil {
			t.Errorf("%#x prints as %q and %q (%v), want %q and %q", uint64(c.set), c.set.String(), text, err, c.text, c.marshal)
		}
	}
}

func TestHas(t *testing.T) {
	s := AVX | AVX2
	if !s.Has(0) || !s.Has(AVX) || !s.Has(AVX|AVX2) || s.Has(AVX|AVX512) || s.Has(AVX512) {
		t.Error("Has does not ask for all of a set")
	}
}

// machines contains the features of some machines.
var machines = map[string]Set{
	"Zen 5": AES | SHA2 | SSSE3 | SSE41 | PCLMULQDQ | AVX | AVX2 | BMI1 | BMI2 | ADX | AVX512 | AVX512IFMA | AVX512VBMI |
		AVX512VBMI2 | AVX512VNNI | AVXVNNI | GFNI | VAES | VPCLMULQDQ,
	"Arrow Lake": AES | SHA2 | SHA512 | SM3 | SM4 | SSSE3 | SSE41 | PCLMULQDQ | AVX | AVX2 | BMI1 | BMI2 | ADX | AVXIFMA |
		AVXVNNI | GFNI | VAES | VPCLMULQDQ,
	"Neoverse V1": NEON | AES | PMULL | SHA2 | SHA3 | SHA512 | SM3 | SM4 | SVE | DIT,
	"Zvk":         V | ZBA | ZBB | ZBC | ZBKB | ZBKC | ZKND | ZKNE | ZKSED | ZKSH | ZVBB | ZVBC | ZVKB | ZVKG | ZVKNED | ZVKNHA | ZVKNHB | ZVKSED | ZVKSH | ZVKT,
}

func TestWithout(t *testing.T) {
	avx512 := AVX512 | AVX512IFMA | AVX512VBMI | AVX512VBMI2 | AVX512VNNI
	for _, c := range []struct {
		machine   string
		off, gone Set
	}{
		{"Zen 5", 0, 0},
		{"Zen 5", GFNI, GFNI},
		{"Zen 5", AVX512VBMI, AVX512VBMI},
		{"Zen 5", AVX512, avx512},
		{"Zen 5", AVX2, AVX2 | AVXVNNI | avx512},
		{"Zen 5", AVX, AVX | AVX2 | AVXVNNI | VAES | VPCLMULQDQ | avx512},
		{"Zen 5", SSSE3, SSSE3 | SSE41 | AVX | AVX2 | AVXVNNI | VAES | VPCLMULQDQ | avx512},
		{"Zen 5", AES, AES | VAES},
		{"Zen 5", PCLMULQDQ | BMI2, PCLMULQDQ | VPCLMULQDQ | BMI2},
		{"Zen 5", NEON | SM4 | V, 0},
		{"Zen 5", end - 1, machines["Zen 5"]},
		{"Arrow Lake", AVX, AVX | AVX2 | AVXIFMA | AVXVNNI | VAES | VPCLMULQDQ | SHA512 | SM3 | SM4},
		{"Arrow Lake", AVX2, AVX2 | AVXIFMA | AVXVNNI | SHA512 | SM4},
		{"Neoverse V1", AVX | AVX2 | SSSE3, 0},
		{"Neoverse V1", SVE, SVE},
		{"Neoverse V1", NEON, machines["Neoverse V1"] &^ DIT},
		{"Zvk", V, machines["Zvk"] &^ (ZBA | ZBB | ZBC | ZBKB | ZBKC | ZKND | ZKNE | ZKSED | ZKSH)},
		{"Zvk", ZVKB, ZVKB | ZVBB},
		{"Zvk", ZVKNHA, ZVKNHA | ZVKNHB},
		{"Zvk", ZVKNHB, ZVKNHB},
		{"Zvk", ZBB, ZBB},
		{"Zvk", ZBKC, ZBKC | ZBC},
	} {
		s := machines[c.machine]
		if got := s &^ s.Without(c.off); got != c.gone {
			t.Errorf("%s without %v loses\n%v, want\n%v", c.machine, c.off, got, c.gone)
		}
	}
}

// TestWithoutLaws: the result is a subset of s and disjoint from off, Without is
// idempotent, and removing two sets one after the other is the same as removing both
// at once.
func TestWithoutLaws(t *testing.T) {
	for name, s := range machines {
		for i := range names {
			for j := range names {
				a, b := Set(1)<<i, Set(1)<<j
				got := s.Without(a | b)
				if got&^s != 0 || got&(a|b) != 0 || got.Without(a|b) != got || s.Without(a).Without(b) != got {
					t.Fatalf("%s without %v: %v; step by step %v", name, a|b, got, s.Without(a).Without(b))
				}
			}
		}
	}
}

// TestImplies: no feature depends on itself, directly or indirectly.
func TestImplies(t *testing.T) {
	var seen Set
	for _, i := range implies {
		if bits.OnesCount64(uint64(i.feature)) != 1 || seen.Has(i.feature) {
			t.Errorf("implies has %v, which is no feature or there twice", i.feature)
		}
		seen |= i.feature
		dependencies := i.base
		for range names {
			for _, j := range implies {
				if dependencies&j.feature != 0 {
					dependencies |= j.base
				}
			}
		}
		if dependencies&i.feature != 0 {
			t.Errorf("%v builds on itself", i.feature)
		}
	}
}

// TestFeatures checks that the detected features exist on this architecture.
func TestFeatures(t *testing.T) {
	got := Features()
	t.Logf("%s/%s, %q: %v", runtime.GOOS, runtime.GOARCH, Model(), got)
	possible := map[string]Set{
		"amd64":   machines["Zen 5"] | machines["Arrow Lake"],
		"arm64":   machines["Neoverse V1"] | SVE2,
		"arm":     ARMV6 | NEON | AES | PMULL | SHA2,
		"riscv64": machines["Zvk"],
		"loong64": LSX | LASX,
		"mips":    MIPSR2, "mipsle": MIPSR2, "mips64": MIPSR2, "mips64le": MIPSR2,
	}[runtime.GOARCH]
	if purego {
		possible = 0
	}
	if alien := got &^ possible; alien != 0 {
		t.Errorf("has %v", alien)
	}
	if runtime.GOARCH == "arm64" && !purego && !got.Has(NEON) {
		t.Error("arm64 without NEON")
	}
	if second := detect(); second != got {
		t.Errorf("a second look finds %v", second)
	}
	if incomplete := got &^ got.complete(possible); incomplete != 0 {
		t.Errorf("has %v without what it builds on", incomplete)
	}
}

// emulated has the features to compare with the models of QEMU.
var emulated = Features

// TestEmulated checks the features of some models of QEMU (10.0 and later), which reads
// the model to emulate from the environment variable QEMU_CPU. Features after "not"
// must be missing.
func TestEmulated(t *testing.T) {
	model, ok := os.LookupEnv("QEMU_CPU")
	if !ok || purego {
		t.Skip("QEMU_CPU is not set, or there is nothing to detect")
	}
	line, ok := map[string]string{
		"amd64 qemu64":         "not ssse3 aes avx",
		"amd64 Nehalem":        "ssse3 sse41 not aes pclmulqdq avx",
		"amd64 Westmere":       "ssse3 sse41 aes pclmulqdq not avx",
		"amd64 SandyBridge":    "aes pclmulqdq avx not avx2 bmi2",
		"amd64 Haswell":        "aes pclmulqdq avx avx2 bmi1 bmi2 not adx sha2 gfni vaes avx512",
		"amd64 max":            "aes pclmulqdq avx avx2 bmi1 bmi2 adx sha2 not avx512 avx512ifma sm4",
		"amd64 max,avx=off":    "ssse3 sse41 aes not avx avx2 vaes vpclmulqdq avxvnni sm4",
		"amd64 max,xsave=off":  "ssse3 sse41 aes bmi2 not avx avx2 vaes vpclmulqdq avxvnni sm4",
		"arm arm926":           "not neon aes pmull sha2 armv6",
		"arm arm1176":          "armv6 not neon aes pmull sha2",
		"arm cortex-a7":        "armv6 neon not aes pmull sha2",
		"arm cortex-a8":        "armv6 neon not aes pmull sha2",
		"arm cortex-a15":       "armv6 neon not aes pmull sha2",
		"arm max":              "armv6 neon aes pmull sha2",
		"arm64 cortex-a53":     "neon aes pmull sha2 not sha3 sha512 sm3 sm4 sve dit",
		"arm64 cortex-a72":     "neon aes pmull sha2 not sha3 sha512 sm3 sm4 sve dit",
		"arm64 neoverse-n1":    "neon aes pmull sha2 not sha3 sha512 sm3 sm4 sve dit",
		"arm64 neoverse-v1":    "neon aes pmull sha2 sha3 sha512 sm3 sm4 sve dit not sve2",
		"arm64 neoverse-n2":    "neon aes pmull sha2 sha3 sha512 sm3 sm4 sve sve2 dit",
		"arm64 max":            "neon aes pmull sha2 sha3 sha512 sm3 sm4 sve sve2 dit",
		"riscv64 rv64":         "zba zbb zbc not v zvkb zvksed zvkt",
		"riscv64 rv64,v=true":  "v zba zbb zbc not zvbb zvkb zvkned zvksed zvksh",
		"riscv64 rva22s64":     "zba zbb not v zvkt",
		"riscv64 rva23s64":     "v zba zbb zvbb zvkb zvkt not zvkned zvksed zvksh",
		"riscv64 max":          "v zba zbb zbc zbkb zvbb zvbc zvkb zvkg zvkned zvknha zvknhb zvksed zvksh zvkt",
		"riscv64 max,vlen=512": "v zba zbb zbc zbkb zvbb zvbc zvkb zvkg zvkned zvknha zvknhb zvksed zvksh zvkt",
		"riscv64 max,v=off":    "zba zbb zbc zbkb not v zvbb zvbc zvkb zvkg zvkned zvknha zvknhb zvksed zvksh zvkt",
	}[runtime.GOARCH+" "+model]
	if !ok {
		t.Skipf("no expectation for %s %s", runtime.GOARCH, model)
	}
	has, not, _ := strings.Cut(line, "not ")
	for _, name := range strings.Fields(has) {
		if !emulated().Has(Parse(name)) {
			t.Errorf("%s lacks %s", model, name)
		}
	}
	for _, name := range strings.Fields(not) {
		if emulated().Has(Parse(name)) {
			t.Errorf("%s has %s", model, name)
		}
	}
}

func TestModel(t *testing.T) {
	for _, c := range []struct{ cpuinfo, want string }{
		{"", ""},
		{"\n:\nprocessor\t: 0\n", ""},
		{"processor\t: 0\nvendor_id\t: GenuineIntel\nmodel\t\t: 94\nmodel name\t: Intel(R)  Core(TM) i7 @ 3.40GHz\n\nprocessor\t: 1\nmodel name\t: other\n", "Intel(R) Core(TM) i7 @ 3.40GHz"},
		{"processor\t: 0\nmodel name\t: ARMv7 Processor rev 4 (v7l)\nCPU implementer\t: 0x41\nCPU part\t: 0xd03\n\nHardware\t: BCM2835\n", "ARMv7 Processor rev 4 (v7l) (implementer 0x41, part 0xd03)"},
		{"Processor\t: ARMv5\nHardware\t: ARM-Versatile PB\n", "ARM-Versatile PB"},
		{"processor\t: 0\nFeatures\t: fp asimd\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n", "(implementer 0x41, part 0xd0c)"},
		{"processor\t: 0\nhart\t: 2\nisa\t: rv64imafdc\nmmu\t: sv39\nuarch\t: sifive,u74-mc\n", "sifive,u74-mc"},
		{"processor\t: 0\ncpu\t\t: POWER9, altivec supported\n", "POWER9, altivec supported"},
		{"system type\t: MIPS Malta\nprocessor\t: 0\ncpu model\t: MIPS 24Kc V0.0  FPU V0.0\n", "MIPS 24Kc V0.0 FPU V0.0"},
		{"system type\t: generic\nprocessor\t: 0\nModel Name\t: Loongson-3A5000\n", "Loongson-3A5000"},
		{"model name\t:\nmodel name\t: second", "second"},
	} {
		if got := model(c.cpuinfo); got != c.want {
			t.Errorf("model(%q) = %q, want %q", c.cpuinfo, got, c.want)
		}
	}
	if got := Model(); got != strings.TrimSpace(got) || strings.ContainsFunc(got, func(r rune) bool { return r < ' ' || r > '~' }) {
		t.Errorf("Model() = %q", got)
	}
}

// TestUarch: every microarchitecture has a name.
func TestUarch(t *testing.T) {
	t.Logf("%v", Microarchitecture())
	if endUarch != 1<<len(uarchNames) {
		t.Errorf("endUarch is %#x, but there are %d names", uint32(endUarch), len(uarchNames))
	}
	for u, want := range map[Uarch]string{
		0: "unknown", endUarch: "unknown", Zen3: "zen3", SapphireRapids: "sapphirerapids", AlderLake: "alderlake", Zen4 | Zen5: "zen4 zen5",
	} {
		if got := u.String(); got != want {
			t.Errorf("%#x prints as %q, want %q", uint32(u), got, want)
		}
	}
	if got := Microarchitecture(); bits.OnesCount32(uint32(got)) > 1 || purego && got != 0 {
		t.Errorf("this CPU is %v", got)
	}
}
