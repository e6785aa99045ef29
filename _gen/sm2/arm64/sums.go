package main

import (
	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm64"
)

// affinePoint is point i of what a pointer points to.
func affinePoint(base asm.Reg, i int) (x, y element) { return at(base, 2*i), at(base, 2*i+1) }

func products(file *asm.File) {
	k := begin(file, "ProductsARM64", "(product, before *[4]uint64, p *[8]uint64, n int)", "product before p",
		`ProductsARM64 multiplies product by x2 - x1 of each of n pairs of points, from the last one on, and
sets before to the products before, for n > 0. These are for AddPairsARM64.`,
		"One multiplication for a pair.")
	v := k.elements(1)[0]
	k.store(k.load(at(k.Arg("product"), 0)), v)
	n, p, before := k.Arg("n"), k.Arg("p"), k.Arg("before")
	k.Add(ADD(Left(n, 7), p, p), ADD(Left(n, 5), before, before))
	k.Label("next")
	k.Add(SUB(128, p, p), SUB(32, before, before))
	x1, _ := affinePoint(p, 0)
	x2, _ := affinePoint(p, 1)
	t := k.store(k.load(v), at(before, 0))
	k.store(k.mul(t, k.sub(k.load(x2), k.load(x1))), v)
	k.Add(SUB(1, n, n), CBNZ(n, "next"))
	k.store(k.subtractPrime(k.load(v), ZR), at(k.Arg("product"), 0))
	k.end()
}

func addPairs(file *asm.File) {
	k := begin(file, "AddPairsARM64", "(inverse, before *[4]uint64, p *[8]uint64, n int)", "inverse before p",
		`AddPairsARM64 replaces n pairs of points by their n sums, for n > 0. before is from ProductsARM64, and
inverse is the inverse of its product, which changes to that of the product at the start. No pair has the same x.`,
		`With s = (y2 - y1) / (x2 - x1),
   x = s^2 - x1 - x2    y = s (x1 - x) - y1
4 multiplications, 1 squaring for a pair.`)
	e := k.elements(3)
	inverse, x, slope := e[0], e[1], e[2]
	number := k.Local("number", 8)
	k.store(k.load(at(k.Arg("inverse"), 0)), inverse)
	i := k.n("i")
	k.Add(MOVD(0, i))
	k.Label("next")
	k.Add(MOVD(i, On(number, 0)))
	p, before := k.Arg("p"), k.Arg("before")
	k.Add(ADD(Left(i, 7), p, p), ADD(Left(i, 5), before, before))
	x1, y1 := affinePoint(p, 0)
	x2, y2 := affinePoint(p, 1)
	t := k.load(inverse)
	k.store(k.mul(t, k.sub(k.load(x2), k.load(x1))), inverse)
	k.store(k.mul(t, k.load(at(before, 0))), slope)
	t = k.store(k.mulP(k.load(slope), k.sub(k.load(y2), k.load(y1))), slope)
	t = k.store(k.sub(k.sub(k.sqrP(t), k.load(x1)), k.load(x2)), x)
	y := k.sub(k.mulP(k.sub(k.load(x1), t), k.load(slope)), k.load(y1))
	r, n := k.Arg("p"), k.Arg("n")
	k.Add(MOVD(On(number, 0), i), ADD(Left(i, 6), r, r))
	rx, ry := affinePoint(r, 0)
	k.store(y, ry)
	k.store(k.load(x), rx)
	k.Add(ADD(1, i, i), CMP(n, i), BNE("next"))
	k.store(k.subtractPrime(k.load(inverse), ZR), at(k.Arg("inverse"), 0))
	k.end()
}
