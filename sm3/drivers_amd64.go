//go:build !purego

package sm3

import (
	"strconv"

	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/sm3/internal/amd64"
)

const (
	generic uint8 = iota
	bmi2AVX
	avx2
	avx512
	sm3ni
)

// Priorities: docs/benchmarks.md, SM3 by driver. avx2 and avx512 differ from
// bmi2-avx only for many messages; for one message they use the same kernel.
//
// The priority of sm3ni is from a model, not from a CPU: llvm-mca of LLVM 22 predicts
// 2.5 cycles per byte on Lunar Lake, Arrow Lake and Diamond Rapids, and 9.1 for
// bmi2-avx. If sm3ni were twice as slow, it would still be the fastest for one
// message. It has no lanes for many messages, but processes them one after the other:
// short ones overlap in the CPU (in the model 0.7 to 1.8 cycles per byte up to 512
// bytes; the lanes of AVX2 take 1.8 to 2.2). With AVX-512, the lanes of avx512 would
// be faster (0.9), but the speed for one message matters more.
var table = drivers.Register("sm3", []driver.Info{
	generic: {Name: "generic", Priority: 100, Timing: "length only"},
	bmi2AVX: {Name: "bmi2-avx", Priority: 200, Needs: cpu.BMI1 | cpu.BMI2 | cpu.AVX, Timing: "length only"},
	avx2:    {Name: "avx2", Priority: 300, Needs: cpu.BMI1 | cpu.BMI2 | cpu.AVX2, Timing: "length only"},
	avx512:  {Name: "avx512", Priority: 400, Needs: cpu.BMI1 | cpu.BMI2 | cpu.AVX512, Timing: "length only"},
	sm3ni:   {Name: "sm3ni", Priority: 500, Needs: cpu.AVX | cpu.SM3, Timing: "length only"},
})

// maxKernelBytes limits the length of one call of a kernel, because the runtime cannot
// preempt assembly.
const maxKernelBytes = 64 << 10

// blocks compresses the blocks of p, at least one.
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
	case sm3ni:
		for len(p) > maxKernelBytes {
			amd64.BlocksSM3NI(v, p[:maxKernelBytes])
			p = p[maxKernelBytes:]
		}
		amd64.BlocksSM3NI(v, p)
	default:
		panic("sm3: no driver " + strconv.Itoa(int(row)))
	}
}

// sideBySide returns the number of lanes of the kernel that a driver uses for count
// messages, or 1 if processing them one after the other is fastest.
func sideBySide(row uint8, count int) int {
	switch row {
	case generic, bmi2AVX, sm3ni:
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

// digests writes the digests of count lanes one after the other. If the driver has no
// kernel for that, it returns false and does nothing.
func digests(row uint8, count int, dst []byte, v *[8][maxLanes]uint32) bool {
	if row != avx512 || count != 32 {
		return false
	}
	amd64.Digests32AVX512((*[32 * Size]byte)(dst), v)
	return true
}

// kdfLanes returns the number of lanes that kdfDigests should use for count digests, or
// 0 if it would not be faster.
func kdfLanes(row uint8, count int) int {
	switch {
	case row == avx512 && count >= 16:
		return 32
	case (row == avx2 || row == avx512) && count >= 4:
		return 8
	}
	return 0
}

// kdfDigests writes the digests of all lanes. kdfLanes must have returned lanes for
// this driver.
func kdfDigests(row uint8, lanes int, dst []byte, v *[8]uint32, base, delta *blockWords, t *kdfTable) {
	switch {
	case (row == avx2 || row == avx512) && lanes == 8:
		amd64.KDF8AVX2((*[8 * Size]byte)(dst), v, (*[2][64]uint32)(base), (*[2][64]uint32)(delta), &t.lanes)
	case row == avx512 && lanes == 32:
		amd64.KDF32AVX512((*[32 * Size]byte)(dst), v, (*[2][64]uint32)(base), (*[2][64]uint32)(delta), &t.lanes)
	default:
		panic("sm3: no driver " + strconv.Itoa(int(row)) + " for KDF in " + strconv.Itoa(lanes) + " lanes")
	}
}

// compress compresses n blocks of each lane. sideBySide must have returned width for
// this driver.
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

// iterateLanes is like sideBySide, for PBKDF2, whose kernels need not transpose
// messages.
func iterateLanes(row uint8, count int) int {
	if row == avx2 && count == 3 {
		return 8
	}
	return sideBySide(row, count)
}

// iterate does n iterations of PBKDF2 in each lane. iterateLanes must have returned
// width for this driver.
func iterate(row uint8, width int, m *pbkdf2Memory, n int) {
	switch {
	case row == avx2 && width == 8:
		amd64.Iterate8AVX2(&m.keys, &m.t, &m.w, n)
	case row == avx512 && width == 16:
		amd64.Iterate16AVX512(&m.keys, &m.t, &m.w, n)
	case row == avx512 && width == 32:
		amd64.Iterate32AVX512(&m.keys, &m.t, &m.w, n)
	default:
		panic("sm3: no driver " + strconv.Itoa(int(row)) + " for " + strconv.Itoa(width) + " keys")
	}
}
