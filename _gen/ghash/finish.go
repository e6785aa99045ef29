package ghash

import (
	"github.com/cipherlane/cipherlane/_gen/simd"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Finish sets out to the unreduced product lo, mid, hi modulo the polynomial of
// GHASH, as Fold does, on CPUs with AVX-512 (VL): what cancels the low
// quadword has the place of mid, so that nothing is shifted, and mid is needed
// only after the first multiplication. It overwrites lo, mid and t; out may be
// neither mid nor hi. mid may be nil if it is zero.
func Finish(lo, mid, hi, out, t reg.VecPhysical, poly Op) {
	VPCLMULQDQ(Imm(0x10), poly, lo, t)
	VPSHUFD(Imm(0x4e), lo, lo)
	if mid == nil {
		mid = lo
		simd.Xor(t, lo, mid)
	} else {
		VPTERNLOGQ(Imm(0x96), t, lo, mid)
	}
	VPCLMULQDQ(Imm(0x10), poly, mid, out)
	VPSHUFD(Imm(0x4e), mid, mid)
	VPTERNLOGQ(Imm(0x96), mid, hi, out)
}

// Lanes sets the XMM register out to the sum of the four lanes of z, whose
// lower parts are y and x. It overwrites z, and the register of which ty and tx
// are parts.
func Lanes(z, y, x, ty, tx, out reg.VecPhysical) {
	VEXTRACTI64X4(Imm(1), z, ty)
	VPXORQ(ty, y, y)
	VEXTRACTI64X2(Imm(1), y, tx)
	VPXORQ(tx, x, out)
}
