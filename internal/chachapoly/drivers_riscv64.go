//go:build !purego

package chachapoly

import (
	"slices"

	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/internal/chachapoly/internal/riscv64"
	"github.com/cipherlane/cipherlane/internal/cpu"
)

const (
	zbb uint8 = iota + 1
	rvv
	rvvZvkb
)

// Rows returns the table of drivers, for package chacha20poly1305 or chacha20.
// Priorities: docs/benchmarks.md, ChaCha20-Poly1305 by driver.
func Rows() []driver.Info { return slices.Clone(infos) }

var infos = []driver.Info{
	generic: {Name: "generic", Priority: 100, Timing: timingGeneric},
	zbb:     {Name: "zbb", Priority: 200, Needs: cpu.ZBA | cpu.ZBB, Timing: timingRISCV64},
	rvv:     {Name: "rvv", Priority: 300, Needs: cpu.V | cpu.ZBA | cpu.ZBB, Timing: timingRISCV64},
	rvvZvkb: {Name: "rvv-zvkb", Priority: 400, Needs: cpu.V | cpu.ZVKB | cpu.ZBA | cpu.ZBB, Timing: timingRISCV64},
}

const timingRISCV64 = "independent of secrets where the CPU's multiplication is"

// ahead is the table of Ahead.
var ahead = [...]uint8{generic: 1, zbb: 1, rvv: MaxAhead, rvvZvkb: MaxAhead}

func sealKernel(row uint8, dst, src, ad []byte, key *[8]uint32, nonce *[3]uint32) {
	switch row {
	case zbb:
		riscv64.SealZBB(dst, src, ad, key, nonce)
	case rvv:
		riscv64.SealRVV(dst, src, ad, key, nonce)
	case rvvZvkb:
		riscv64.SealZVKB(dst, src, ad, key, nonce)
	default:
		sealPortable(row, dst, src, ad, key, nonce)
	}
}

func openKernel(row uint8, dst, src, ad []byte, key *[8]uint32, nonce *[3]uint32) bool {
	switch row {
	case zbb:
		return riscv64.OpenZBB(dst, src, ad, key, nonce)
	case rvv:
		return riscv64.OpenRVV(dst, src, ad, key, nonce)
	case rvvZvkb:
		return riscv64.OpenZVKB(dst, src, ad, key, nonce)
	default:
		return openPortable(row, dst, src, ad, key, nonce)
	}
}

func xorKernel(row uint8, dst, src []byte, state *[16]uint32) {
	switch row {
	case zbb:
		riscv64.XORZBB(dst, src, state)
	case rvv:
		riscv64.XORRVV(dst, src, state)
	case rvvZvkb:
		riscv64.XORZVKB(dst, src, state)
	default:
		xorPortable(row, dst, src, state)
	}
}

func blocksKernel(row uint8, h *[3]uint64, r *[2]uint64, p []byte) {
	switch row {
	case zbb:
		riscv64.BlocksZBB(h, r, p)
	case rvv:
		riscv64.BlocksRVV(h, r, p)
	case rvvZvkb:
		riscv64.BlocksZVKB(h, r, p)
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
