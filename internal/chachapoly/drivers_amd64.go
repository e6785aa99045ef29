//go:build !purego

package chachapoly

import (
	"github.com/cipherlane/cipherlane/internal/chachapoly/internal/amd64"
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
)

const (
	ssse3      uint8 = iota + 1 // kernels: SSSE3, X64
	avx2                        // kernels: AVX2, X64
	bmi2AVX512                  // kernels: BMI2AVX512, AVX512
	avx512                      // kernels: AVX512, X64
)

// Priorities: docs/benchmarks.md, ChaCha20-Poly1305 by driver.
var infos = []drivers.Info{
	generic:    {Name: "generic", Priority: 100, Timing: timingGeneric},
	ssse3:      {Name: "ssse3", Priority: 200, Needs: cpu.SSSE3, Timing: timingAMD64},
	avx2:       {Name: "avx2", Priority: 300, Needs: cpu.AVX2 | cpu.BMI2, Timing: timingAMD64},
	bmi2AVX512: {Name: "bmi2-avx512", Priority: 350, Needs: cpu.AVX512 | cpu.AVX512IFMA | cpu.BMI2, Timing: timingAMD64},
	avx512:     {Name: "avx512", Priority: 400, Needs: cpu.AVX512 | cpu.AVX512IFMA | cpu.BMI2, Timing: timingAMD64},
}

// PacketRules are the rules of package chacha20poly1305. On Sapphire Rapids, where vector
// instructions take one cycle and not two as on Zen 5, the kernels of bmi2-avx512 for one message
// take 0.5 to 0.9 of the time: docs/benchmarks.md, ChaCha20-Poly1305 on Sapphire Rapids. On Zen 5
// they do where the Poly1305 of a message has much to do beside its last ChaCha20 blocks. The
// features of both CPUs are the same, so that both drivers are in the table.
func PacketRules() []drivers.Rule {
	return []drivers.Rule{
		{For: drivers.Short, Below: amd64.BMI2PacketMax + 1, On: oneCycleOn, Use: bmi2AVX512, Why: oneCycle, Data: "sapphire-rapids sapphire-rapids-chacha"},
		{For: drivers.Short, From: amd64.BMI2ShortMax + 1, Below: 3073, On: cpu.Zen5, Use: bmi2AVX512,
			Why: "Poly1305 takes no time of its own", Data: "zen5 zen5-sweep"},
		{For: drivers.Many, On: oneCycleOn, Use: bmi2AVX512, Why: "short messages one by one are faster",
			Data: "sapphire-rapids-chacha"},
	}
}

// StreamRules are those of package chacha20, where a single block is what is short.
func StreamRules() []drivers.Rule {
	return []drivers.Rule{{For: drivers.Short, Below: BlockSize + 1, On: oneCycleOn, Use: bmi2AVX512, Why: oneCycle,
		Data: "sapphire-rapids"}}
}

const oneCycle = "vector instructions take one cycle"

// oneCycleOn is measured for Sapphire Rapids. For Ice Lake, llvm-mca gives half of the cycles for
// the rounds of up to 320 bytes, too.
const oneCycleOn = cpu.IceLakeServer | cpu.SapphireRapids

const timingAMD64 = "independent of secrets: fixed instructions, no table"

// ahead is the table of Ahead.
var ahead = [...]uint8{generic: 1, ssse3: MaxAhead, avx2: MaxAhead, bmi2AVX512: MaxAhead, avx512: MaxAhead}
