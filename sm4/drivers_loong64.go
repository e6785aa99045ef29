//go:build !purego

package sm4

import (
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/ghash"
	"github.com/cipherlane/cipherlane/sm4/internal/loong64"
)

const (
	lsx uint8 = iota + 1
	lasx
)

//switches:argument *loong64.Keys = k.vectors

// Priorities: docs/benchmarks.md, Instruction counts.
var infos = []drivers.Info{
	generic: {Name: "generic", Priority: 100, Timing: timingGeneric},
	lsx:     {Name: "lsx", Priority: 200, Needs: cpu.LSX, Timing: timingLSX},
	lasx:    {Name: "lasx", Priority: 300, Needs: cpu.LASX, Timing: timingLSX},
}

const timingLSX = "independent of secrets where the CPU's look-ups inside registers (VSHUFB) are, which LoongArch does not promise"

var table = drivers.Register("sm4", infos)

var traits = [...]trait{
	generic: genericTrait,
	lsx:     {ghash: ghash.LSX, sivShort: ghash.LSX, sivLong: ghash.LSX, togetherMin: togetherMinGeneric},
	lasx:    {ghash: ghash.LASX, sivShort: ghash.LASX, sivLong: ghash.LASX, togetherMin: togetherMinGeneric},
}

// roundKeys are the round keys in the representations of the drivers. All have those of the
// portable one.
type roundKeys struct {
	generic genericKeys
	vectors *loong64.Keys // nil for the portable driver
}

func (k *roundKeys) portable() *genericKeys { return &k.generic }

func (k *roundKeys) expand(row uint8, key *[KeySize]byte) {
	k.generic.expand(key)
	if row != generic {
		if k.vectors == nil {
			k.vectors = new(loong64.Keys)
		}
		loong64.Expand(k.vectors, &k.generic.words)
	}
}

func (k *roundKeys) wipe() {
	k.generic.wipe()
	if k.vectors != nil {
		*k.vectors = loong64.Keys{}
	}
}
