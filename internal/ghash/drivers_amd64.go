//go:build !purego

package ghash

import (
	"strconv"

	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/ghash/internal/amd64"
)

// Rows of the table of drivers. In the last entries of Key.Table, PCLMULQDQ has
// H^8 to H^1 and VPCLMULQDQ256 has H^16 to H^1; VPCLMULQDQ512 fills it.
const (
	Generic uint8 = iota
	PCLMULQDQ
	VPCLMULQDQ256
	VPCLMULQDQ512
)

var table = driver.NewTable("ghash", []driver.Info{
	Generic: {Name: "generic", Priority: 100, Timing: timingGeneric},
	PCLMULQDQ: {Name: "pclmulqdq", Priority: 200, Timing: timingAMD64,
		Needs: cpu.PCLMULQDQ | cpu.AVX},
	VPCLMULQDQ256: {Name: "vpclmulqdq-avx2", Priority: 300, Timing: timingAMD64,
		Needs: cpu.PCLMULQDQ | cpu.VPCLMULQDQ | cpu.AVX2},
	VPCLMULQDQ512: {Name: "vpclmulqdq-avx512", Priority: 400, Timing: timingAMD64,
		Needs: cpu.PCLMULQDQ | cpu.VPCLMULQDQ | cpu.AVX512},
})

const timingAMD64 = "independent of secrets: fixed instructions, no table"

// powers are those of the hash key: entry i is H^(64-i) in the form of the
// kernels.
type powers [64][16]byte

// Table returns the powers of the hash key for kernels that do GHASH along
// with something else.
func (k *Key) Table() *[64][16]byte { return (*[64][16]byte)(&k.powers) }

func (k *Key) init(h *[16]byte) {
	switch k.row {
	case Generic:
		k.generic.init(h)
	case PCLMULQDQ:
		amd64.InitPCLMUL(k.Table(), h)
	case VPCLMULQDQ256:
		amd64.InitVPCLMUL256(k.Table(), h)
	case VPCLMULQDQ512:
		amd64.InitVPCLMUL512(k.Table(), h)
	default:
		panic("ghash: no driver " + strconv.Itoa(int(k.row)))
	}
}

func (k *Key) update(y *[16]byte, p []byte) {
	switch k.row {
	case Generic:
		k.generic.update(y, p)
	case PCLMULQDQ:
		amd64.UpdatePCLMUL(k.Table(), y, p)
	case VPCLMULQDQ256:
		amd64.UpdateVPCLMUL256(k.Table(), y, p)
	case VPCLMULQDQ512:
		amd64.UpdateVPCLMUL512(k.Table(), y, p)
	default:
		panic("ghash: no driver " + strconv.Itoa(int(k.row)))
	}
}
