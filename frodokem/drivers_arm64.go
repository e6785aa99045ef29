//go:build !purego

package frodokem

import (
	"encoding/binary"

	"github.com/cipherlane/cipherlane/frodokem/internal/arm64"
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/keccak"
)

const (
	neon uint8 = iota + 1 // kernels: NEON, Bitslice
	ce                    // kernels: CE, NEON
)

// Priorities: docs/benchmarks.md, Instruction counts.
var infos = []drivers.Info{
	generic: {Name: "generic", Priority: 100, Timing: timingGeneric},
	neon:    {Name: "neon", Priority: 200, Needs: cpu.NEON, Timing: timingARM64},
	ce:      {Name: "ce", Priority: 300, Needs: cpu.NEON | cpu.AES, Timing: timingARM64},
}

var table = drivers.Register("frodokem", infos)

const timingARM64 = "independent of secrets: fixed instructions, no table"

// hashRow has the driver of Keccak that goes with each driver. It does not depend on the
// machine's instructions for AES.
var hashRow = [...]uint8{generic: keccak.Generic, neon: keccak.Fastest(), ce: keccak.Fastest()}

//switches:argument *arm64.Matrix = &k.matrix
//switches:argument *arm64.Columns = &k.columns

type kernelScratch struct {
	matrix  arm64.Matrix
	columns arm64.Columns // of S'
}

func (k *kernelScratch) wipe(p *params) { clear(k.columns[:p.n]) }

// prepareBitslice makes the states after two rounds with the look-ups of the portable driver.
func prepareBitslice(k *kernelScratch, keys *[11][16]byte, n int) {
	m := &k.matrix
	var t aesTables
	for r, key := range keys[:3] {
		for i := range t.keys[r] {
			t.keys[r][i] = binary.LittleEndian.Uint32(key[4*i:])
		}
	}
	aesLookup.once.Do(makeLookup)
	put := func(block *[16]byte, a, b [4]uint32) {
		for i := range a {
			binary.LittleEndian.PutUint32(block[4*i:], a[i]^b[i])
		}
	}
	x0 := t.two(0, 0)
	for i := range n {
		put(&m.X[i], t.two(uint32(i), 0), [4]uint32{})
	}
	for j := range n / 8 {
		put(&m.Y[j], t.two(0, uint32(8*j)), x0)
	}
	arm64.PrepareBitslice(m, keys, n)
}

func pairsNEON(k *kernelScratch, s []uint16) { arm64.ColumnsNEON(&k.columns, s) }

func mulSBNEON(v *[nbar * nbar]uint16, k *kernelScratch, s, b []uint16) {
	arm64.MulSBNEON(v, s, b)
}
