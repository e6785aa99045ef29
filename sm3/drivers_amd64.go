//go:build !purego

package sm3

import (
	"strconv"

	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/sm3/internal/amd64"
)

const (
	generic uint8 = iota
	bmi2AVX
)

// Priorities: docs/benchmarks.md, SM3 by driver.
var table = driver.Register("sm3", []driver.Info{
	generic: {Name: "generic", Priority: 100, Timing: "length only"},
	bmi2AVX: {Name: "bmi2-avx", Priority: 200, Needs: cpu.BMI1 | cpu.BMI2 | cpu.AVX, Timing: "length only"},
})

// maxKernelBytes bounds the time in which the runtime cannot stop a goroutine.
const maxKernelBytes = 64 << 10

// blocks compresses the blocks of p, of which there is at least one.
func blocks(row uint8, v *[8]uint32, p []byte) {
	switch row {
	case generic:
		blocksGeneric(v, p)
	case bmi2AVX:
		for len(p) > maxKernelBytes {
			amd64.BlocksBMI2AVX(v, p[:maxKernelBytes])
			p = p[maxKernelBytes:]
		}
		amd64.BlocksBMI2AVX(v, p)
	default:
		panic("sm3: no driver " + strconv.Itoa(int(row)))
	}
}
