//go:build !purego

package frodokem

import (
	"github.com/cipherlane/cipherlane/frodokem/internal/loong64"
	"github.com/cipherlane/cipherlane/internal/aescore"
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/keccak"
)

const (
	lsx  uint8 = iota + 1
	lasx       // kernels: LASX, LSX
)

// Priorities: docs/benchmarks.md, Instruction counts.
var infos = []drivers.Info{
	generic: {Name: "generic", Priority: 100, Timing: timingGeneric},
	lsx:     {Name: "lsx", Priority: 200, Needs: cpu.LSX, Timing: timingLSX},
	lasx:    {Name: "lasx", Priority: 300, Needs: cpu.LASX, Timing: timingLSX},
}

var table = drivers.Register("frodokem", infos)

const timingLSX = "independent of secrets where the CPU's multiplication is"

// hashRow has the driver of Keccak that goes with each driver.
var hashRow = [...]uint8{generic: keccak.Generic, lsx: keccak.LSX, lasx: keccak.LASX}

//switches:argument *loong64.Columns = &k.columns

type kernelScratch struct {
	aes     aescore.Keys    // seedA, which is public
	columns loong64.Columns // of S'
}

func (k *kernelScratch) wipe(p *params) { clear(k.columns[:p.n]) }

func prepareLSX(k *kernelScratch, keys *[11][16]byte, n int) {
	k.aes.Expand(drivers.Uniform(aescore.LSX), keys[0][:]) // LASX has the same
}

func rowsLSX(rows []uint16, k *kernelScratch, first, n int) {
	encryptRows(aescore.LSX, rows, k, first, n)
}
func rowsLASX(rows []uint16, k *kernelScratch, first, n int) {
	encryptRows(aescore.LASX, rows, k, first, n)
}

// encryptRows encrypts the blocks of rows in place, by a driver of AES.
func encryptRows(aesRow uint8, rows []uint16, k *kernelScratch, first, n int) {
	clear(rows)
	for at := 0; at < len(rows); at += 8 {
		rows[at], rows[at+1] = uint16(first+at/n), uint16(at%n)
	}
	text := bytesOf(rows)
	aescore.EncryptBlocks(aesRow, &k.aes, text, text)
}

func pairsLSX(k *kernelScratch, s []uint16) { loong64.ColumnsLSX(&k.columns, s) }

func mulSBLSX(v *[nbar * nbar]uint16, k *kernelScratch, s, b []uint16) {
	loong64.MulSBLSX(v, &k.columns, b)
}
