//go:build !purego

package aescore

import (
	"runtime"
	"slices"

	"github.com/cipherlane/cipherlane/internal/aescore/internal/loong64"
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/ghash"
)

const (
	lsx  uint8 = iota + 1 // kernels: LSX, ByBlocks, ByCTR32
	lasx                  // kernels: LASX, ByBlocks, ByCTR32
)

// Arguments of kernels.
//
//switches:argument *loong64.Keys = k.vectors

// Rows returns the table of drivers, for package aes.
// Priorities: docs/benchmarks.md, Instruction counts.
func Rows() []drivers.Info { return slices.Clone(infos) }

var infos = []drivers.Info{
	generic: {Name: "generic", Priority: 100, Timing: timingGeneric},
	lsx:     {Name: "lsx", Priority: 200, Needs: cpu.LSX, Timing: timingLSX},
	lasx:    {Name: "lasx", Priority: 300, Needs: cpu.LASX, Timing: timingLSX},
}

// The drivers that FrodoKEM's drivers use.
const (
	LSX  = lsx
	LASX = lasx
)

const timingLSX = "independent of secrets where the CPU's look-ups inside registers (VSHUFB) are, which LoongArch does not promise"

var traits = [...]Traits{
	generic: genericTraits,
	lsx:     {CTRShort: MaxAhead, CTRAhead: MaxAhead, GHASH: ghash.LSX, SIVShort: ghash.LSX, SIVLong: ghash.LSX, Width: 1},
	lasx:    {CTRShort: MaxAhead, CTRAhead: MaxAhead, GHASH: ghash.LASX, SIVShort: ghash.LASX, SIVLong: ghash.LASX, Width: 1},
}

// Keys are the round keys in the representations that the drivers of a plan use.
type Keys struct {
	vectors *loong64.Keys // nil if no driver needs them
	generic *genericKeys  // likewise
}

func (k *Keys) portable() *genericKeys { return k.generic }

// Expand sets a key of 16, 24 or 32 bytes, in the representations for these drivers.
func (k *Keys) Expand(plan drivers.Plan, key []byte) {
	if plan.Has(generic) {
		if k.generic == nil {
			k.generic = new(genericKeys)
		}
		k.generic.expand(key)
	}
	if !plan.Has(lsx) && !plan.Has(lasx) {
		return
	}
	if k.vectors == nil {
		k.vectors = new(loong64.Keys)
	}
	var memory [4 * (maxRounds + 1)]uint32
	words := memory[:len(key)+28]
	ExpandKey(words, key)
	loong64.Expand(k.vectors, words)
	clear(words)
	runtime.KeepAlive(&memory)
}

// Wipe overwrites the round keys.
func (k *Keys) Wipe() {
	if k.vectors != nil {
		*k.vectors = loong64.Keys{Rounds: k.vectors.Rounds} // Rounds is not secret
	}
	if k.generic != nil {
		k.generic.wipe()
	}
}

// Rounds returns the number of rounds.
func (k *Keys) Rounds() int {
	if k.vectors != nil {
		return k.vectors.Rounds
	}
	return k.generic.rounds
}
