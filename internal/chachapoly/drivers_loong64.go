//go:build !purego

package chachapoly

import (
	"runtime"

	"github.com/cipherlane/cipherlane/internal/chachapoly/internal/loong64"
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
)

const (
	lsx uint8 = iota + 1
	lasx
)

// Priorities: docs/benchmarks.md, Instruction counts.
var infos = []drivers.Info{
	generic: {Name: "generic", Priority: 100, Timing: timingGeneric},
	lsx:     {Name: "lsx", Priority: 200, Needs: cpu.LSX, Timing: timingGeneric},
	lasx:    {Name: "lasx", Priority: 300, Needs: cpu.LASX, Timing: timingGeneric},
}

// ahead is the table of Ahead.
var ahead = [...]uint8{generic: 1, lsx: 1, lasx: 2}

// Messages are sealed and opened by parts, for which there are kernels.

func sealLSX(row uint8, dst, src, ad []byte, key *[8]uint32, nonce *[3]uint32) {
	sealByParts(row, dst, src, ad, key, nonce)
}

func sealLASX(row uint8, dst, src, ad []byte, key *[8]uint32, nonce *[3]uint32) {
	sealByParts(row, dst, src, ad, key, nonce)
}

func openLSX(row uint8, dst, src, ad []byte, key *[8]uint32, nonce *[3]uint32) bool {
	return openByParts(row, dst, src, ad, key, nonce)
}

func openLASX(row uint8, dst, src, ad []byte, key *[8]uint32, nonce *[3]uint32) bool {
	return openByParts(row, dst, src, ad, key, nonce)
}

// Fewer bytes than these are not worth the powers of r.
const leastLSX, leastLASX = 512, 256

func blocksLSX(row uint8, h *[3]uint64, r *[2]uint64, p []byte) {
	if n := len(p) &^ 31; n >= leastLSX {
		var powers [4][3]uint64
		powersOf(&powers, r)
		loong64.BlocksLSX(h, &powers, p[:n])
		clear(powers[:])
		runtime.KeepAlive(&powers)
		p = p[n:]
	}
	blocksGeneric(h, r, p)
}

func blocksLASX(row uint8, h *[3]uint64, r *[2]uint64, p []byte) {
	if n := len(p) &^ 63; n >= leastLASX {
		var powers [4][3]uint64
		powersOf(&powers, r)
		loong64.BlocksLASX(h, &powers, p[:n])
		clear(powers[:])
		runtime.KeepAlive(&powers)
		p = p[n:]
	}
	blocksGeneric(h, r, p)
}

// powersOf computes r, r^2, r^3 and r^4.
func powersOf(powers *[4][3]uint64, r *[2]uint64) {
	var zero [TagSize]byte
	powers[0] = [3]uint64{r[0], r[1], 0}
	for i := 1; i < len(powers); i++ {
		powers[i] = powers[i-1]
		powers[i][2]-- // which the bit behind the block adds
		blocksGeneric(&powers[i], r, zero[:])
	}
}
