//go:build !purego && 386.sse2

package chachapoly

import (
	"github.com/cipherlane/cipherlane/internal/drivers"
)

const sse2 uint8 = 1

// Priorities: docs/benchmarks.md, ChaCha20-Poly1305 by driver.
var infos = []drivers.Info{
	generic: {Name: "generic", Priority: 100, Timing: timingGeneric},
	// Without GO386=softfloat the compiler assumes SSE2.
	sse2: {Name: "sse2", Priority: 300, Timing: timingSSE2},
}

const timingSSE2 = "independent of secrets: fixed instructions, no table"

// ahead is the table of Ahead.
var ahead = [...]uint8{generic: 1, sse2: MaxAhead}
