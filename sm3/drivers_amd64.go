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
	avx2
	avx512
)

// Priorities: docs/benchmarks.md, SM3 by driver. The last two differ from
// bmi2-avx in many messages only: one goes through the same kernel.
var table = driver.Register("sm3", []driver.Info{
	generic: {Name: "generic", Priority: 100, Timing: "length only"},
	bmi2AVX: {Name: "bmi2-avx", Priority: 200, Needs: cpu.BMI1 | cpu.BMI2 | cpu.AVX, Timing: "length only"},
	avx2:    {Name: "avx2", Priority: 300, Needs: cpu.BMI1 | cpu.BMI2 | cpu.AVX2, Timing: "length only"},
	avx512:  {Name: "avx512", Priority: 400, Needs: cpu.BMI1 | cpu.BMI2 | cpu.AVX512, Timing: "length only"},
})

// maxKernelBytes bounds the time in which the runtime cannot stop a goroutine.
const maxKernelBytes = 64 << 10

// blocks compresses the blocks of p, of which there is at least one.
func blocks(row uint8, v *[8]uint32, p []byte) {
	switch row {
	case generic:
		blocksGeneric(v, p)
	case bmi2AVX, avx2, avx512:
		for len(p) > maxKernelBytes {
			amd64.BlocksBMI2AVX(v, p[:maxKernelBytes])
			p = p[maxKernelBytes:]
		}
		amd64.BlocksBMI2AVX(v, p)
	default:
		panic("sm3: no driver " + strconv.Itoa(int(row)))
	}
}

// sideBySide returns how many lanes the kernel has that a row takes for count
// messages, or 1 if they are the fastest one after the other.
func sideBySide(row uint8, count int) int {
	switch row {
	case generic, bmi2AVX:
		return 1
	case avx2:
		if count > 3 {
			return 8
		}
		return 1
	case avx512:
		switch {
		case count > 16:
			return 32
		case count > 2:
			return 16
		}
		return 1
	default:
		panic("sm3: no driver " + strconv.Itoa(int(row)))
	}
}

// digests writes the digests of count lanes one after the other. It reports false
// if the row has no kernel for so many, and has done nothing then.
func digests(row uint8, count int, dst []byte, v *[8][maxLanes]uint32) bool {
	if row != avx512 || count != 32 {
		return false
	}
	amd64.Digests32AVX512((*[32 * Size]byte)(dst), v)
	return true
}

// compress compresses n blocks of each of width lanes, a number that sideBySide
// has returned for this row.
func compress(row uint8, width int, v *[8][maxLanes]uint32, w *[32][maxLanes]uint32, src *[maxLanes][]byte, n int) {
	switch {
	case row == avx2 && width == 8:
		amd64.Compress8AVX2(v, w, src, n)
	case row == avx512 && width == 16:
		amd64.Compress16AVX512(v, w, src, n)
	case row == avx512 && width == 32:
		amd64.Compress32AVX512(v, w, src, n)
	default:
		panic("sm3: no driver " + strconv.Itoa(int(row)) + " for " + strconv.Itoa(width) + " messages")
	}
}
