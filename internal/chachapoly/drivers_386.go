//go:build !purego && 386.sse2

package chachapoly

import (
	"slices"

	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/internal/chachapoly/internal/i386"
)

const (
	sse2 uint8 = iota + 1
)

// Rows returns the table of drivers, for package chacha20poly1305 or chacha20.
// Priorities: docs/benchmarks.md, ChaCha20-Poly1305 by driver.
func Rows() []driver.Info { return slices.Clone(infos) }

var infos = []driver.Info{
	generic: {Name: "generic", Priority: 100, Timing: timingGeneric},
	// Without GO386=softfloat the compiler assumes SSE2.
	sse2: {Name: "sse2", Priority: 300, Timing: timingSSE2},
}

const timingSSE2 = "independent of secrets: fixed instructions, no table"

// ahead is the table of Ahead.
var ahead = [...]uint8{generic: 1, sse2: MaxAhead}

func sealKernel(row uint8, dst, src, ad []byte, key *[8]uint32, nonce *[3]uint32) {
	switch row {
	case sse2:
		i386.SealSSE2(dst, src, ad, key, nonce)
	default:
		sealPortable(row, dst, src, ad, key, nonce)
	}
}

func openKernel(row uint8, dst, src, ad []byte, key *[8]uint32, nonce *[3]uint32) bool {
	switch row {
	case sse2:
		return i386.OpenSSE2(dst, src, ad, key, nonce)
	default:
		return openPortable(row, dst, src, ad, key, nonce)
	}
}

func xorKernel(row uint8, dst, src []byte, state *[16]uint32) {
	switch row {
	case sse2:
		i386.XORSSE2(dst, src, state)
	default:
		xorPortable(row, dst, src, state)
	}
}

func blocksKernel(row uint8, h *[3]uint64, r *[2]uint64, p []byte) {
	switch row {
	case sse2:
		i386.BlocksSSE2(h, r, p)
	default:
		blocksPortable(row, h, r, p)
	}
}

// No driver has kernels for these.

func sealManyKernel(row uint8, key *[8]uint32, packets []Packet) {
	sealManyPortable(row, key, packets)
}

func openManyKernel(row uint8, key *[8]uint32, packets []Packet) {
	openManyPortable(row, key, packets)
}

func hChaChaKernel(row uint8, out, key *[8]uint32, nonce *[4]uint32) {
	hChaChaPortable(row, out, key, nonce)
}
