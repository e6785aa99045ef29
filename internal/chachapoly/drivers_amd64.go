//go:build !purego

package chachapoly

import (
	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/internal/chachapoly/internal/amd64"
	"github.com/cipherlane/cipherlane/internal/cpu"
)

const (
	generic uint8 = iota
	ssse3
	avx2
	avx512
)

// Rows returns the table of drivers, for package chacha20poly1305 or chacha20.
// Priorities: docs/benchmarks.md, ChaCha20-Poly1305 by driver.
func Rows() []driver.Info {
	return []driver.Info{
		generic: {Name: "generic", Priority: 100, Timing: timingGeneric},
		ssse3:   {Name: "ssse3", Priority: 200, Needs: cpu.SSSE3, Timing: timingAMD64},
		avx2:    {Name: "avx2", Priority: 300, Needs: cpu.AVX2 | cpu.BMI2, Timing: timingAMD64},
		avx512:  {Name: "avx512", Priority: 400, Needs: cpu.AVX512 | cpu.AVX512IFMA | cpu.BMI2, Timing: timingAMD64},
	}
}

// Seal writes the encryption of src to dst, followed by the tag; len(dst) ==
// len(src) + TagSize.
func Seal(row uint8, dst, src, ad []byte, key *[8]uint32, nonce *[3]uint32) {
	switch row {
	case generic:
		sealGeneric(dst, src, ad, key, nonce)
	case ssse3:
		amd64.SealSSSE3(dst, src, ad, key, nonce)
	case avx2:
		amd64.SealAVX2(dst, src, ad, key, nonce)
	case avx512:
		amd64.SealAVX512(dst, src, ad, key, nonce)
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
	case ssse3:
		return amd64.OpenSSSE3(dst, src, ad, key, nonce)
	case avx2:
		return amd64.OpenAVX2(dst, src, ad, key, nonce)
	case avx512:
		return amd64.OpenAVX512(dst, src, ad, key, nonce)
	default:
		panic(noKernel)
	}
}

// SealBatch is Seal for several packets.
func SealBatch(row uint8, key *[8]uint32, packets []Packet) {
	switch row {
	case generic, ssse3, avx2:
		sealEach(row, key, packets)
	case avx512:
		sealBatch512(key, packets)
	default:
		panic(noKernel)
	}
}

// OpenBatch is Open for several packets.
func OpenBatch(row uint8, key *[8]uint32, packets []Packet) {
	switch row {
	case generic, ssse3, avx2:
		openEach(row, key, packets)
	case avx512:
		openBatch512(key, packets)
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
	case ssse3:
		amd64.XORSSSE3(dst, src, state)
	case avx2:
		amd64.XORAVX2(dst, src, state)
	case avx512:
		amd64.XORAVX512(dst, src, state)
	default:
		panic(noKernel)
	}
}

// HChaCha derives the key of XChaCha20 from a key and the first 16 bytes of
// the nonce.
func HChaCha(row uint8, out, key *[8]uint32, nonce *[4]uint32) {
	switch row {
	case generic, ssse3, avx2:
		hChaChaGeneric(out, key, nonce)
	case avx512:
		amd64.HChaChaAVX512(out, key, nonce)
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
	case ssse3:
		amd64.BlocksSSSE3(h, r, p)
	case avx2:
		amd64.BlocksAVX2(h, r, p)
	case avx512:
		amd64.BlocksAVX512(h, r, p)
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

const timingAMD64 = "independent of secrets: fixed instructions, no table"
