//go:build !purego

package sm3

import (
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/sm3/internal/loong64"
)

const (
	lsx uint8 = iota + 1
	lasx
)

// Priorities: docs/benchmarks.md, Instruction counts.
var infos = []drivers.Info{
	generic: {Name: "generic", Priority: 100, Timing: "length only"},
	lsx:     {Name: "lsx", Priority: 200, Needs: cpu.LSX, Timing: "length only"},
	lasx:    {Name: "lasx", Priority: 300, Needs: cpu.LASX, Timing: "length only"},
}

var table = drivers.Register("sm3", infos)

// lanes is the table of sideBySide, iterateLanes and kdfLanes. Four or eight lanes take as many instructions
// as one message. The chain of a round is twice as long, of instructions of vectors. There are no kernels for KDF: it
// uses those for many messages.
var lanes = [...]struct{ messages, keys, digests widths }{
	lsx:  {messages: widths{{3, 4}}, keys: widths{{3, 4}}},
	lasx: {messages: widths{{5, 8}, {3, 4}}, keys: widths{{5, 8}, {3, 4}}},
}

const maxLanes = 8 // messages side by side, at most

func compress(row uint8, width int, v *[8][maxLanes]uint32, _ *[32][maxLanes]uint32, src *[maxLanes][]byte, n int) {
	switch row {
	case lsx:
		loong64.Compress4LSX(v, src, n)
	case lasx:
		if width == 4 {
			loong64.Compress4LSX(v, src, n)
		} else {
			loong64.Compress8LASX(v, src, n)
		}
	default:
		panic(noKernel)
	}
}

func iterate(row uint8, width int, m *pbkdf2Memory, n int) {
	switch row {
	case lsx:
		loong64.Iterate4LSX(&m.keys, &m.t, &m.w, n)
	case lasx:
		if width == 4 {
			loong64.Iterate4LSX(&m.keys, &m.t, &m.w, n)
		} else {
			loong64.Iterate8LASX(&m.keys, &m.t, &m.w, n)
		}
	default:
		panic(noKernel)
	}
}
