//go:build !purego

package sm2

import (
	"unsafe"

	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/sm2/internal/arm64"
)

const aarch64 uint8 = 1 // kernels: ARM64

// Priorities: docs/benchmarks.md, Instruction counts.
var infos = []drivers.Info{
	generic: {Name: "generic", Priority: 100, Timing: timing},
	aarch64: {Name: "arm64", Priority: 200, Timing: timing},
}

var table = drivers.Register("sm2", infos)

func (m *modulus) limbs() *[6]uint64 { return (*[6]uint64)(unsafe.Pointer(m)) }

func productsARM64(product *element, before []element, p []affine) {
	arm64.ProductsARM64((*[4]uint64)(product), (*[4]uint64)(&before[0]), p[0].limbs(), len(before))
}

func addPairsARM64(inverse *element, before []element, p []affine) {
	arm64.AddPairsARM64((*[4]uint64)(inverse), (*[4]uint64)(&before[0]), p[0].limbs(), len(before))
}
