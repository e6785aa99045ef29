//go:build !purego

package ghash

import (
	"unsafe"

	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/ghash/internal/amd64"
)

// Rows of the table.
const (
	PCLMULQDQ     uint8 = iota + 1 // kernels: PCLMUL
	VPCLMULQDQ256                  // kernels: VPCLMUL256
	VPCLMULQDQ512                  // kernels: VPCLMUL512
)

var infos = []drivers.Info{
	Generic: {Name: "generic", Priority: 100, Timing: timingGeneric},
	PCLMULQDQ: {Name: "pclmulqdq", Priority: 200, Timing: timingAMD64,
		Needs: cpu.PCLMULQDQ | cpu.SSSE3},
	VPCLMULQDQ256: {Name: "vpclmulqdq-avx2", Priority: 300, Timing: timingAMD64,
		Needs: cpu.PCLMULQDQ | cpu.VPCLMULQDQ | cpu.AVX2},
	VPCLMULQDQ512: {Name: "vpclmulqdq-avx512", Priority: 400, Timing: timingAMD64,
		Needs: cpu.PCLMULQDQ | cpu.VPCLMULQDQ | cpu.AVX512},
}

var table = drivers.New("ghash", infos)

//switches:argument *[64][16]byte = k.powers()
//switches:argument VPCLMULQDQ512 *[64][16]byte = k.Table((len(p) + blockSize - 1) / blockSize)
//switches:argument *amd64.Order = amd64.GHASH

const timingAMD64 = "independent of secrets: fixed instructions, no table"

// Powers has H^(64-i) in entry i, in the form that the kernels need. PCLMULQDQ stores
// H^8 to H^1 in the last entries, and VPCLMULQDQ256 stores H^16 to H^1. The same number
// of entries before them hold, twice each, the sum of the halves of these powers.
// VPCLMULQDQ512 fills all entries with powers.
type Powers = [64][16]byte

// The drivers share the memory because smaller objects are faster to create.
type keyMemory [128]uint64

func (k *Key) powers() *Powers { return (*Powers)(unsafe.Pointer(&k.memory)) }

// firstPowers is the number of powers that initKernel provides if there is an
// extendKernel.
const firstPowers = amd64.FirstPowers512

func hasExtend(row uint8) bool { return row == VPCLMULQDQ512 }

func multiplies(row uint8) bool { return row == VPCLMULQDQ512 }
