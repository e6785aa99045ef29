//go:build !purego

package cpu

import (
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/cpu"
)

// TestOtherDetection compares Features with golang.org/x/sys/cpu, for features that both
// detect.
func TestOtherDetection(t *testing.T) {
	if strings.Contains(os.Getenv("GODEBUG"), "cpu.") {
		t.Skip("GODEBUG changes the flags of golang.org/x/sys/cpu")
	}
	x := cpu.X86
	all := x.HasAVX512F && x.HasAVX512CD && x.HasAVX512BW && x.HasAVX512DQ && x.HasAVX512VL && runtime.GOOS != "darwin"
	for f, want := range map[Set]bool{
		AES:         x.HasAES,
		SSSE3:       x.HasSSSE3,
		SSE41:       x.HasSSE41,
		PCLMULQDQ:   x.HasPCLMULQDQ,
		AVX:         x.HasAVX,
		AVX2:        x.HasAVX2,
		BMI1:        x.HasBMI1,
		BMI2:        x.HasBMI2,
		ADX:         x.HasADX,
		AVX512:      all,
		AVX512IFMA:  all && x.HasAVX512IFMA,
		AVX512VBMI:  all && x.HasAVX512VBMI,
		AVX512VBMI2: all && x.HasAVX512VBMI2,
		AVX512VNNI:  all && x.HasAVX512VNNI,
		AVXIFMA:     x.HasAVXIFMA,
		AVXVNNI:     x.HasAVXVNNI,
	} {
		if got := Features().Has(f); got != want {
			t.Errorf("%v: %v, golang.org/x/sys/cpu says %v", f, got, want)
		}
	}
	if all && (Features().Has(GFNI) != x.HasAVX512GFNI || Features().Has(VAES) != x.HasAVX512VAES || Features().Has(VPCLMULQDQ) != x.HasAVX512VPCLMULQDQ) {
		t.Errorf("%v, golang.org/x/sys/cpu says GFNI %v, VAES %v, VPCLMULQDQ %v", Features(), x.HasAVX512GFNI, x.HasAVX512VAES, x.HasAVX512VPCLMULQDQ)
	}
}

// TestLinux compares Features with the flags that Linux lists. Linux may list fewer, but
// not more; features that it has listed for ten years must agree.
func TestLinux(t *testing.T) {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		t.Skip(err)
	}
	if model(string(text)) != Model() {
		t.Skipf("/proc/cpuinfo is that of another machine: %q, not %q", model(string(text)), Model())
	}
	_, line, _ := strings.Cut(string(text), "\nflags")
	line, _, _ = strings.Cut(line, "\n")
	shown := map[string]bool{}
	for _, flag := range strings.Fields(line) {
		shown[flag] = true
	}
	if !shown["sse2"] {
		t.Fatalf("flags not understood: %q", line)
	}
	avx512 := shown["avx512f"] && shown["avx512cd"] && shown["avx512bw"] && shown["avx512dq"] && shown["avx512vl"]
	if got := Features().Has(AVX512); got != avx512 {
		t.Errorf("avx512: %v, Linux says %v", got, avx512)
	}
	for flag, f := range map[string]Set{
		"aes": AES, "sha_ni": SHA2, "ssse3": SSSE3, "sse4_1": SSE41, "pclmulqdq": PCLMULQDQ,
		"avx": AVX, "avx2": AVX2, "bmi1": BMI1, "bmi2": BMI2, "adx": ADX,
		"avx512ifma": AVX512IFMA, "avx512vbmi": AVX512VBMI, "avx512_vbmi2": AVX512VBMI2, "avx512_vnni": AVX512VNNI,
		"gfni": GFNI, "vaes": VAES, "vpclmulqdq": VPCLMULQDQ,
	} {
		if got := Features().Has(f); got != shown[flag] {
			t.Errorf("%v: %v, Linux says %v", f, got, shown[flag])
		}
	}
	for flag, f := range map[string]Set{"sha512": SHA512, "sm3": SM3, "sm4": SM4, "avx_ifma": AVXIFMA, "avx_vnni": AVXVNNI} {
		if shown[flag] && !Features().Has(f) {
			t.Errorf("%v: Linux says %s", f, flag)
		}
	}
}

// A processor maps leaf and subleaf of CPUID to EAX, EBX, ECX, EDX.
type processor map[[2]uint32][4]uint32

func (p processor) cpuid(leaf, subleaf uint32) (eax, ebx, ecx, edx uint32) {
	r := p[[2]uint32{leaf, subleaf}]
	return r[0], r[1], r[2], r[3]
}

func TestDecode(t *testing.T) {
	const (
		state    = 0xe7
		xsave    = 1 << 27
		sse      = 1<<1 | 1<<9 | 1<<19 | 1<<25
		avx      = 1 << 28
		ebx7     = 1<<3 | 1<<5 | 1<<8 | 1<<19
		avx512   = 1<<16 | 1<<17 | 1<<28 | 1<<30 | 1<<31
		ecx7     = 1<<1 | 1<<6 | 1<<8 | 1<<9 | 1<<10 | 1<<11
		leaf71   = 1<<0 | 1<<1 | 1<<2 | 1<<4 | 1<<23
		baseline = PCLMULQDQ | SSSE3 | SSE41 | AES
		scalar   = BMI1 | BMI2 | ADX
		ymm      = AVX | AVX2 | VAES | VPCLMULQDQ
		all      = detectable &^ (SHA2 | AVX512IFMA)
		zmm      = AVX512 | AVX512VBMI | AVX512VBMI2 | AVX512VNNI
	)
	full := func() processor {
		return processor{
			{0, 0}: {7},
			{1, 0}: {0, 0, sse | xsave | avx, 0},
			{7, 0}: {1, ebx7 | avx512, ecx7, 0},
			{7, 1}: {leaf71},
		}
	}
	for _, c := range []struct {
		name   string
		change func(processor)
		state  uint32
		goos   string
		want   Set
	}{
		{"all", func(p processor) {}, state, "linux", all},
		{"IFMA and SHA", func(p processor) { p[[2]uint32{7, 0}] = [4]uint32{1, ebx7 | avx512 | 1<<21 | 1<<29, ecx7} }, state, "linux", detectable},
		{"macOS", func(p processor) {}, state, "darwin", all &^ zmm},
		{"no leaf 1", func(p processor) { p[[2]uint32{0, 0}] = [4]uint32{0} }, state, "linux", 0},
		{"no leaf 7", func(p processor) { p[[2]uint32{0, 0}] = [4]uint32{6} }, state, "linux", baseline | AVX},
		{"no subleaf 1", func(p processor) { p[[2]uint32{7, 0}] = [4]uint32{0, ebx7 | avx512, ecx7} }, state, "linux", all &^ (SHA512 | SM3 | SM4 | AVXVNNI | AVXIFMA)},
		{"no OSXSAVE", func(p processor) { p[[2]uint32{1, 0}] = [4]uint32{0, 0, sse | avx} }, state, "linux", baseline | scalar | GFNI},
		{"no AVX", func(p processor) { p[[2]uint32{1, 0}] = [4]uint32{0, 0, sse | xsave} }, state, "linux", baseline | scalar | GFNI},
		{"no SSSE3", func(p processor) { p[[2]uint32{1, 0}] = [4]uint32{0, 0, (sse | xsave | avx) &^ (1 << 9)} }, state, "linux", AES | PCLMULQDQ | scalar | GFNI},
		{"no AES", func(p processor) { p[[2]uint32{1, 0}] = [4]uint32{0, 0, (sse | xsave | avx) &^ (1 << 25)} }, state, "linux", all &^ (AES | VAES)},
		{"no AVX2", func(p processor) { p[[2]uint32{7, 0}] = [4]uint32{1, (ebx7 | avx512) &^ (1 << 5), ecx7} }, state, "linux", baseline | scalar | GFNI | AVX | VAES | VPCLMULQDQ | SM3},
		{"no F", func(p processor) { p[[2]uint32{7, 0}] = [4]uint32{1, (ebx7 | avx512) &^ (1 << 16), ecx7} }, state, "linux", all &^ zmm},
		{"no DQ", func(p processor) { p[[2]uint32{7, 0}] = [4]uint32{1, (ebx7 | avx512) &^ (1 << 17), ecx7} }, state, "linux", all &^ zmm},
		{"no CD", func(p processor) { p[[2]uint32{7, 0}] = [4]uint32{1, (ebx7 | avx512) &^ (1 << 28), ecx7} }, state, "linux", all &^ zmm},
		{"no BW", func(p processor) { p[[2]uint32{7, 0}] = [4]uint32{1, (ebx7 | avx512) &^ (1 << 30), ecx7} }, state, "linux", all &^ zmm},
		{"no VL", func(p processor) { p[[2]uint32{7, 0}] = [4]uint32{1, (ebx7 | avx512) &^ (1 << 31), ecx7} }, state, "linux", all &^ zmm},
		{"nothing saved", func(p processor) {}, 0, "linux", baseline | scalar | GFNI},
		{"XMM saved", func(p processor) {}, 0x03, "linux", baseline | scalar | GFNI},
		{"YMM saved, not XMM", func(p processor) {}, 0xe5, "linux", baseline | scalar | GFNI},
		{"YMM saved", func(p processor) {}, 0x07, "linux", all &^ zmm},
		{"masks missing", func(p processor) {}, state &^ 0x20, "linux", all &^ zmm},
		{"upper halves missing", func(p processor) {}, state &^ 0x40, "linux", all &^ zmm},
		{"registers 16 to 31 missing", func(p processor) {}, state &^ 0x80, "linux", all &^ zmm},
	} {
		p := full()
		c.change(p)
		xcr0 := func() uint32 {
			if p[[2]uint32{1, 0}][2]&xsave == 0 {
				t.Errorf("%s: XGETBV without OSXSAVE traps", c.name)
			}
			return c.state
		}
		if got := decode(p.cpuid, xcr0, c.goos); got != c.want {
			t.Errorf("%s: %v, want\n%v", c.name, got, c.want)
		}
	}
}

// TestDecodeAnything: whatever CPUID returns, no feature is reported without those that it
// depends on, or without the register state that it needs.
func TestDecodeAnything(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var seen Set
	for range 20000 {
		// Mostly ones, so that features with five conditions occur, too.
		register := func() uint32 { return r.Uint32() | r.Uint32() | r.Uint32() }
		p := processor{
			{0, 0}: {r.Uint32N(9)},
			{1, 0}: {0, 0, register(), 0},
			{7, 0}: {r.Uint32N(3), register(), register(), 0},
			{7, 1}: {register()},
		}
		state := register()
		got := decode(p.cpuid, func() uint32 { return state }, "linux")
		seen |= got
		if got != got.complete(detectable) {
			t.Fatalf("%v of %x: %v without what it builds on", got, p, got&^got.complete(detectable))
		}
		if state&0x06 != 0x06 && got&(AVX|AVX2|AVX512|VAES|VPCLMULQDQ|SM3|SM4|SHA512|AVXIFMA|AVXVNNI) != 0 {
			t.Fatalf("%v with only state %#x saved", got, state)
		}
		if state&0xe6 != 0xe6 && got&(AVX512|AVX512IFMA|AVX512VBMI|AVX512VBMI2|AVX512VNNI) != 0 {
			t.Fatalf("%v with only state %#x saved", got, state)
		}
	}
	if seen != detectable {
		t.Errorf("never seen: %v", detectable&^seen)
	}
}
