//go:build !purego

package sm3

import (
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/sm3/internal/amd64"
)

const (
	ssse3 uint8 = iota + 1
	bmi2AVX
	avx2   // kernels: BMI2AVX
	avx512 // kernels: BMI2AVX
	sm3ni
)

// Priorities: docs/benchmarks.md, SM3 by driver. avx2 and avx512 differ from
// bmi2-avx only for many messages; for one message they use the same kernel.
//
// ssse3 is for CPUs without BMI2, by counts: 40 instructions for a byte, and 58 in portable code.
//
// The priority of sm3ni is from a model, not from a CPU: llvm-mca of LLVM 22 predicts
// 2.5 cycles per byte on Lunar Lake, Arrow Lake and Diamond Rapids, and 9.1 for
// bmi2-avx. If sm3ni were twice as slow, it would still be the fastest for one
// message. It has no lanes for many messages, but processes them one after the other:
// short ones overlap in the CPU (in the model 0.7 to 1.8 cycles per byte up to 512
// bytes; the lanes of AVX2 take 1.8 to 2.2). The lanes of avx512 are faster (0.9).
var table = drivers.Register("sm3", []drivers.Info{
	generic: {Name: "generic", Priority: 100, Timing: "length only"},
	ssse3:   {Name: "ssse3", Priority: 150, Needs: cpu.SSSE3, Timing: "length only"},
	bmi2AVX: {Name: "bmi2-avx", Priority: 200, Needs: cpu.BMI1 | cpu.BMI2 | cpu.AVX, Timing: "length only"},
	avx2:    {Name: "avx2", Priority: 300, Needs: cpu.BMI1 | cpu.BMI2 | cpu.AVX2, Timing: "length only"},
	avx512:  {Name: "avx512", Priority: 400, Needs: cpu.BMI1 | cpu.BMI2 | cpu.AVX512, Timing: "length only"},
	sm3ni:   {Name: "sm3ni", Priority: 500, Needs: cpu.AVX | cpu.SM3, Timing: "length only"},
},
	drivers.Rule{For: drivers.Many, Use: avx512, Why: "it has lanes, and sm3ni has none",
		Data: "model-sm-instructions"})

// lanes is the table of sideBySide, iterateLanes and kdfLanes. The kernels for PBKDF2
// need not transpose messages, so they pay earlier; those for KDF need less work per
// lane.
var lanes = [...]struct{ messages, keys, digests widths }{
	avx2:   {messages: widths{{4, 8}}, keys: widths{{3, 8}}, digests: widths{{eightDigests, 8}}},
	avx512: {messages: widths{{17, 32}, {3, 16}}, keys: widths{{17, 32}, {3, 16}}, digests: widths{{16, 32}, {eightDigests, 8}}},
	sm3ni:  {},
}

var eightDigests = eightDigestsOn(cpu.Microarchitecture())

// eightDigestsOn returns how many digests of KDF take less time in eight lanes than one after the
// other. Four take 1.13 times as long in lanes on Zen 5 (docs/machines/zen5-sweep.json), and 0.7 times
// on Sapphire Rapids.
func eightDigestsOn(uarch cpu.Uarch) int {
	if uarch == cpu.Zen5 {
		return 5
	}
	return 4
}

const maxLanes = 32 // messages side by side, at most

func compress(row uint8, width int, v *[8][maxLanes]uint32, w *[32][maxLanes]uint32, src *[maxLanes][]byte, n int) {
	switch row {
	case avx2:
		amd64.Compress8AVX2(v, w, src, n)
	case avx512:
		if width == 16 {
			amd64.Compress16AVX512(v, w, src, n)
		} else {
			amd64.Compress32AVX512(v, w, src, n)
		}
	default: // ssse3, bmi2AVX, sm3ni
		panic(noKernel)
	}
}

func iterate(row uint8, width int, m *pbkdf2Memory, n int) {
	switch row {
	case avx2:
		amd64.Iterate8AVX2(&m.keys, &m.t, &m.w, n)
	case avx512:
		if width == 16 {
			amd64.Iterate16AVX512(&m.keys, &m.t, &m.w, n)
		} else {
			amd64.Iterate32AVX512(&m.keys, &m.t, &m.w, n)
		}
	default: // ssse3, bmi2AVX, sm3ni
		panic(noKernel)
	}
}

func kdfDigests(row uint8, width int, dst []byte, v *[8]uint32, base, delta *blockWords, t *kdfTable) {
	switch row {
	case avx2, avx512:
		if width == 8 {
			amd64.KDF8AVX2((*[8 * Size]byte)(dst), v, (*[2][64]uint32)(base), (*[2][64]uint32)(delta), &t.lanes)
		} else {
			amd64.KDF32AVX512((*[32 * Size]byte)(dst), v, (*[2][64]uint32)(base), (*[2][64]uint32)(delta), &t.lanes)
		}
	default: // ssse3, bmi2AVX, sm3ni
		panic(noKernel)
	}
}

func digests(row uint8, count int, dst []byte, v *[8][maxLanes]uint32) {
	switch row {
	case avx512:
		if count == maxLanes {
			amd64.Digests32AVX512((*[32 * Size]byte)(dst), v)
		} else {
			digestsPortable(row, count, dst, v)
		}
	default: // ssse3, bmi2AVX, avx2, sm3ni
		digestsPortable(row, count, dst, v)
	}
}
