//go:build !purego

package chachapoly

import (
	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/internal/chachapoly/internal/arm64"
	"github.com/cipherlane/cipherlane/internal/cpu"
)

const (
	generic uint8 = iota
	neon
)

// Rows returns the table of drivers, for package chacha20poly1305 or chacha20.
// Priorities: docs/benchmarks.md, ChaCha20-Poly1305 by driver.
func Rows() []driver.Info {
	return []driver.Info{
		generic: {Name: "generic", Priority: 100, Timing: timingGeneric},
		neon:    {Name: "neon", Priority: 300, Needs: cpu.NEON, Timing: timingARM64},
	}
}

// Seal writes the encryption of src to dst, followed by the tag; len(dst) ==
// len(src) + TagSize.
func Seal(row uint8, dst, src, ad []byte, key *[8]uint32, nonce *[3]uint32) {
	switch row {
	case generic:
		sealGeneric(dst, src, ad, key, nonce)
	case neon:
		arm64.SealNEON(dst, src, ad, key, nonce)
	default:
		panic(noKernel)
	}
}

// Open is the inverse: len(dst) == len(src) - TagSize. It reports whether the
// tag is right. If it is not, the caller has to wipe dst.
func Open(row uint8, dst, src, ad []byte, key *[8]uint32, nonce *[3]uint32) bool {
	switch row {
	case generic:
		return openGeneric(dst, src, ad, key, nonce)
	case neon:
		return arm64.OpenNEON(dst, src, ad, key, nonce)
	default:
		panic(noKernel)
	}
}

// SealBatch is Seal for several packets.
func SealBatch(row uint8, key *[8]uint32, packets []Packet) {
	switch row {
	case generic, neon:
		sealEach(row, key, packets)
	default:
		panic(noKernel)
	}
}

// OpenBatch is Open for several packets.
func OpenBatch(row uint8, key *[8]uint32, packets []Packet) {
	switch row {
	case generic, neon:
		openEach(row, key, packets)
	default:
		panic(noKernel)
	}
}

// XOR is ChaCha20 with an initial state: dst = src ^ keystream, len(dst) ==
// len(src) > 0. The counter, word 12, wraps around at 32 bits without a carry
// into word 13. The state is not changed.
func XOR(row uint8, dst, src []byte, state *[16]uint32) {
	switch row {
	case generic:
		xorGeneric(dst, src, state)
	case neon:
		arm64.XORNEON(dst, src, state)
	default:
		panic(noKernel)
	}
}

// HChaCha derives the key of XChaCha20 from a key and the first 16 bytes of
// the nonce.
func HChaCha(row uint8, out, key *[8]uint32, nonce *[4]uint32) {
	switch row {
	case generic, neon:
		hChaChaGeneric(out, key, nonce)
	default:
		panic(noKernel)
	}
}

// Blocks continues Poly1305 over whole blocks: h = (h + m + 2^128) r mod
// 2^130-5, where h[2] <= 4 before and after; r is clamped and len(p) > 0.
func Blocks(row uint8, h *[3]uint64, r *[2]uint64, p []byte) {
	switch row {
	case generic:
		blocksGeneric(h, r, p)
	case neon:
		arm64.BlocksNEON(h, r, p)
	default:
		panic(noKernel)
	}
}

// Ahead returns how many blocks of keystream, at most MaxAhead, the driver generates
// in hardly more time than one. Streams generate that many for short requests.
func Ahead(row uint8) int {
	switch row {
	case generic:
		return 1
	default:
		return MaxAhead
	}
}

const timingARM64 = "independent of secrets where the CPU's multiplication is"
