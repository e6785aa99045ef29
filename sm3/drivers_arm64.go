//go:build !purego

package sm3

import (
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/sm3/internal/arm64"
)

const (
	neon  uint8 = iota + 1
	sm3CE       // kernels: SM3
)

// Priorities: docs/benchmarks.md, Instruction counts.
var infos = []drivers.Info{
	generic: {Name: "generic", Priority: 100, Timing: "length only"},
	neon:    {Name: "neon", Priority: 200, Needs: cpu.NEON, Timing: "length only"},
	sm3CE:   {Name: "sm3", Priority: 300, Needs: cpu.SM3, Timing: "length only"},
}

var table = drivers.Register("sm3", infos)

// lanes is the table of sideBySide, iterateLanes and kdfLanes. In llvm-mca's models of
// Cortex-A72 and Neoverse N1 and V2, the four lanes of neon take as long as 2.8 to 2.9
// messages one after the other, and eight as long as 3.5 to 5.6. In those of Neoverse N2 and
// V2 the four of sm3 take as long as 2.7. There are no kernels for KDF: it uses those for many
// messages.
var lanes = [...]struct{ messages, keys, digests widths }{
	neon:  {messages: widths{{5, 8}, {3, 4}}, keys: widths{{5, 8}, {3, 4}}},
	sm3CE: {messages: widths{{3, 4}}, keys: widths{{3, 4}}},
}

const maxLanes = 8 // messages side by side, at most

func compress(row uint8, width int, v *[8][maxLanes]uint32, w *[32][maxLanes]uint32, src *[maxLanes][]byte, n int) {
	switch row {
	case neon:
		if width == 4 {
			arm64.Compress4NEON(v, w, src, n)
		} else {
			arm64.Compress8NEON(v, w, src, n)
		}
	case sm3CE:
		arm64.Compress4SM3(v, w, src, n)
	default:
		panic(noKernel)
	}
}

func iterate(row uint8, width int, m *pbkdf2Memory, n int) {
	switch row {
	case neon:
		if width == 4 {
			arm64.Iterate4NEON(&m.keys, &m.t, &m.w, n)
		} else {
			arm64.Iterate8NEON(&m.keys, &m.t, &m.w, n)
		}
	case sm3CE:
		arm64.Iterate4SM3(&m.keys, &m.t, &m.w, n)
	default:
		panic(noKernel)
	}
}
