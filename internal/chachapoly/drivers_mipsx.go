//go:build (mips || mipsle || mips64 || mips64le) && !purego

package chachapoly

import (
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
)

const mipsR2 uint8 = 1

// Priorities: docs/benchmarks.md, ChaCha20-Poly1305 by driver.
var infos = []drivers.Info{
	generic: {Name: "generic", Priority: 100, Timing: timingGeneric},
	mipsR2:  {Name: "mips-r2", Priority: 200, Needs: cpu.MIPSR2, Timing: timingGeneric},
}

// ahead is the table of Ahead.
var ahead = [...]uint8{generic: 1, mipsR2: 1}

//switches:argument *[16]uint32 = state

// Messages are sealed and opened by parts, for which there are kernels.

func sealMIPSR2(row uint8, dst, src, ad []byte, key *[8]uint32, nonce *[3]uint32) {
	sealByParts(row, dst, src, ad, key, nonce)
}

func openMIPSR2(row uint8, dst, src, ad []byte, key *[8]uint32, nonce *[3]uint32) bool {
	return openByParts(row, dst, src, ad, key, nonce)
}
