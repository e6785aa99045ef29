//go:build !purego

package chachapoly

import (
	"slices"

	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/internal/chachapoly/internal/arm"
	"github.com/cipherlane/cipherlane/internal/cpu"
)

const (
	armv6 uint8 = iota + 1
	neon
)

// Rows returns the table of drivers, for package chacha20poly1305 or chacha20.
// Priorities: docs/benchmarks.md, ChaCha20-Poly1305 by driver.
func Rows() []driver.Info { return slices.Clone(infos) }

var infos = []driver.Info{
	generic: {Name: "generic", Priority: 100, Timing: timingGeneric},
	armv6:   {Name: "armv6", Priority: 200, Needs: cpu.ARMV6, Timing: timingARM},
	neon:    {Name: "neon", Priority: 300, Needs: cpu.ARMV6 | cpu.NEON, Timing: timingARM},
}

const timingARM = "independent of secrets where the CPU's multiplication is"

// ahead is the table of Ahead.
var ahead = [...]uint8{generic: 1, armv6: 1, neon: MaxAhead}

func sealKernel(row uint8, dst, src, ad []byte, key *[8]uint32, nonce *[3]uint32) {
	switch row {
	case armv6:
		arm.SealV6(dst, src, ad, key, nonce)
	case neon:
		arm.SealNEON(dst, src, ad, key, nonce)
	default:
		sealPortable(row, dst, src, ad, key, nonce)
	}
}

func openKernel(row uint8, dst, src, ad []byte, key *[8]uint32, nonce *[3]uint32) bool {
	switch row {
	case armv6:
		return arm.OpenV6(dst, src, ad, key, nonce)
	case neon:
		return arm.OpenNEON(dst, src, ad, key, nonce)
	default:
		return openPortable(row, dst, src, ad, key, nonce)
	}
}

func xorKernel(row uint8, dst, src []byte, state *[16]uint32) {
	switch row {
	case armv6:
		arm.XORV6(dst, src, state)
	case neon:
		arm.XORNEON(dst, src, state)
	default:
		xorPortable(row, dst, src, state)
	}
}

func blocksKernel(row uint8, h *[3]uint64, r *[2]uint64, p []byte) {
	switch row {
	case armv6:
		arm.BlocksV6(h, r, p)
	case neon:
		arm.BlocksNEON(h, r, p)
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
