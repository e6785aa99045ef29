//go:build !purego

package chachapoly

import (
	"slices"

	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/internal/chachapoly/internal/amd64"
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
)

const (
	ssse3 uint8 = iota + 1
	avx2
	bmi2AVX512
	avx512
)

// Rows returns the table of drivers, for package chacha20poly1305 or chacha20.
// Priorities: docs/benchmarks.md, ChaCha20-Poly1305 by driver.
func Rows() []driver.Info { return slices.Clone(infos) }

var infos = []driver.Info{
	generic:    {Name: "generic", Priority: 100, Timing: timingGeneric},
	ssse3:      {Name: "ssse3", Priority: 200, Needs: cpu.SSSE3, Timing: timingAMD64},
	avx2:       {Name: "avx2", Priority: 300, Needs: cpu.AVX2 | cpu.BMI2, Timing: timingAMD64},
	bmi2AVX512: {Name: "bmi2-avx512", Priority: 350, Needs: cpu.AVX512 | cpu.AVX512IFMA | cpu.BMI2, Timing: timingAMD64},
	avx512:     {Name: "avx512", Priority: 400, Needs: cpu.AVX512 | cpu.AVX512IFMA | cpu.BMI2, Timing: timingAMD64},
}

// PacketRules are the rules of package chacha20poly1305. On Sapphire Rapids, where vector
// instructions take one cycle and not two as on Zen 5, the kernels of bmi2-avx512 for one message
// take 0.5 to 0.9 of the time: docs/benchmarks.md, ChaCha20-Poly1305 on Sapphire Rapids.
func PacketRules() []drivers.Rule {
	return []drivers.Rule{
		{For: driver.Short, Below: amd64.BMI2PacketMax + 1, On: oneCycleOn, Use: bmi2AVX512, Why: oneCycle},
		{For: driver.Many, On: oneCycleOn, Use: bmi2AVX512, Why: "short messages one by one are faster"},
	}
}

// StreamRules are those of package chacha20, where a single block is what is short.
func StreamRules() []drivers.Rule {
	return []drivers.Rule{{For: driver.Short, Below: BlockSize + 1, On: oneCycleOn, Use: bmi2AVX512, Why: oneCycle}}
}

const oneCycle = "vector instructions take one cycle"

// oneCycleOn is measured for Sapphire Rapids. For Ice Lake, llvm-mca gives half of the cycles for
// the rounds of up to 320 bytes, too.
const oneCycleOn = cpu.IceLakeServer | cpu.SapphireRapids

const timingAMD64 = "independent of secrets: fixed instructions, no table"

// ahead is the table of Ahead.
var ahead = [...]uint8{generic: 1, ssse3: MaxAhead, avx2: MaxAhead, bmi2AVX512: MaxAhead, avx512: MaxAhead}

func sealKernel(row uint8, dst, src, ad []byte, key *[8]uint32, nonce *[3]uint32) {
	switch row {
	case ssse3:
		amd64.SealSSSE3(dst, src, ad, key, nonce)
	case avx2:
		amd64.SealAVX2(dst, src, ad, key, nonce)
	case bmi2AVX512:
		amd64.SealBMI2AVX512(dst, src, ad, key, nonce)
	case avx512:
		amd64.SealAVX512(dst, src, ad, key, nonce)
	default:
		sealPortable(row, dst, src, ad, key, nonce)
	}
}

func openKernel(row uint8, dst, src, ad []byte, key *[8]uint32, nonce *[3]uint32) bool {
	switch row {
	case ssse3:
		return amd64.OpenSSSE3(dst, src, ad, key, nonce)
	case avx2:
		return amd64.OpenAVX2(dst, src, ad, key, nonce)
	case bmi2AVX512:
		return amd64.OpenBMI2AVX512(dst, src, ad, key, nonce)
	case avx512:
		return amd64.OpenAVX512(dst, src, ad, key, nonce)
	default:
		return openPortable(row, dst, src, ad, key, nonce)
	}
}

func xorKernel(row uint8, dst, src []byte, state *[16]uint32) {
	switch row {
	case ssse3:
		amd64.XORSSSE3(dst, src, state)
	case avx2:
		amd64.XORAVX2(dst, src, state)
	case bmi2AVX512, avx512:
		amd64.XORAVX512(dst, src, state)
	default:
		xorPortable(row, dst, src, state)
	}
}

func blocksKernel(row uint8, h *[3]uint64, r *[2]uint64, p []byte) {
	switch row {
	case ssse3:
		amd64.BlocksSSSE3(h, r, p)
	case avx2:
		amd64.BlocksAVX2(h, r, p)
	case bmi2AVX512, avx512:
		amd64.BlocksAVX512(h, r, p)
	default:
		blocksPortable(row, h, r, p)
	}
}

func sealManyKernel(row uint8, key *[8]uint32, packets []Packet) {
	switch row {
	case bmi2AVX512, avx512:
		sealMany512(row, key, packets)
	default: // ssse3, avx2
		sealManyPortable(row, key, packets)
	}
}

func openManyKernel(row uint8, key *[8]uint32, packets []Packet) {
	switch row {
	case bmi2AVX512, avx512:
		openMany512(row, key, packets)
	default: // ssse3, avx2
		openManyPortable(row, key, packets)
	}
}

func hChaChaKernel(row uint8, out, key *[8]uint32, nonce *[4]uint32) {
	switch row {
	case bmi2AVX512:
		amd64.HChaChaBMI2AVX512(out, key, nonce)
	case avx512:
		amd64.HChaChaAVX512(out, key, nonce)
	default: // ssse3, avx2
		hChaChaPortable(row, out, key, nonce)
	}
}
