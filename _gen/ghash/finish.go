package ghash

import (
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/cipherlane/cipherlane/_gen/asm"
	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
)

// Finish returns the instructions that set out to the unreduced product lo, mid, hi modulo the
// polynomial of GHASH, as Fold does, on CPUs with AVX-512 (VL): what cancels the low quadword has
// the place of mid, so that nothing is shifted, and mid is needed only after the first
// multiplication. It overwrites lo, mid and t; out may be neither mid nor hi. mid may be nil if
// it is zero.
func Finish(lo, mid, hi, out, t reg.VecPhysical, poly Op) (s asm.Stream) {
	s.Add(amd64.VPCLMULQDQ(Imm(0x10), poly, lo, t))
	s.Add(amd64.VPSHUFD(Imm(0x4e), lo, lo))
	switch {
	case mid != nil:
		s.Add(amd64.VPTERNLOGQ(Imm(0x96), t, lo, mid))
	case out.Size() == 64: // no VEX form for ZMM
		mid = lo
		s.Add(amd64.VPXORQ(t, lo, mid))
	default:
		mid = lo
		s.Add(amd64.VPXOR(t, lo, mid))
	}
	s.Add(amd64.VPCLMULQDQ(Imm(0x10), poly, mid, out))
	s.Add(amd64.VPSHUFD(Imm(0x4e), mid, mid))
	s.Add(amd64.VPTERNLOGQ(Imm(0x96), mid, hi, out))
	return s
}

// Lanes returns the instructions that set the XMM register out to the sum of the four lanes
// of z, whose lower parts are y and x. They overwrite z, and the register of which ty and tx
// are parts.
func Lanes(z, y, x, ty, tx, out reg.VecPhysical) asm.Stream {
	return asm.Stream{
		amd64.VEXTRACTI64X4(Imm(1), z, ty),
		amd64.VPXORQ(ty, y, y),
		amd64.VEXTRACTI64X2(Imm(1), y, tx),
		amd64.VPXORQ(tx, x, out),
	}
}
