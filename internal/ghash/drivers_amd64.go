//go:build !purego

package ghash

import (
	"strconv"

	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/ghash/internal/amd64"
)

// Rows of the table of drivers. PCLMULQDQ keeps H^1 to H^8 in the last entries
// of Key.Table, VPCLMULQDQ512 fills it.
const (
	Generic uint8 = iota
	PCLMULQDQ
	VPCLMULQDQ512
)

var table = driver.Register("ghash", []driver.Info{
	Generic: {Name: "generic", Priority: 100, Timing: timingGeneric},
	PCLMULQDQ: {Name: "pclmulqdq", Priority: 200, Timing: timingAMD64,
		Needs: cpu.PCLMULQDQ | cpu.AVX},
	VPCLMULQDQ512: {Name: "vpclmulqdq-avx512", Priority: 400, Timing: timingAMD64,
		Needs: cpu.VPCLMULQDQ | cpu.AVX512},
})

const timingAMD64 = "independent of secrets: fixed instructions, no table"

func (k *Key) init(h *[16]byte) {
	switch k.row {
	case Generic:
		k.generic.init(h)
	case PCLMULQDQ:
		amd64.InitPCLMUL(&k.powers, h)
	case VPCLMULQDQ512:
		amd64.InitVPCLMUL512(&k.powers, h)
	default:
		panic("ghash: no driver " + strconv.Itoa(int(k.row)))
	}
}

func (k *Key) update(y *[16]byte, p []byte) {
	switch k.row {
	case Generic:
		k.generic.update(y, p)
	case PCLMULQDQ:
		amd64.UpdatePCLMUL(&k.powers, y, p)
	case VPCLMULQDQ512:
		amd64.UpdateVPCLMUL512(&k.powers, y, p)
	default:
		panic("ghash: no driver " + strconv.Itoa(int(k.row)))
	}
}
