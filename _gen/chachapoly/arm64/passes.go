package main

import (
	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm64"
)

// A cipher is what a kernel of passes has of ChaCha20: blocks whose words, and perhaps rows, are in
// registers.
type cipher interface {
	start() asm.Stream                  // sets the blocks to the initial state
	doubleRounds(n int) asm.Stream      // does n double rounds
	output(dst, src asm.Reg) asm.Stream // XORs the keystream to a pass, and increases the counter
	store() asm.Stream                  // writes the counter back
}

// passes writes the kernel of both ciphers at once. A pass is ten double rounds, in five units of two.
// Units have some blocks of Poly1305 each as long as there are some, and the output of a pass whose five
// units had them has more.
func passes(f *asm.Func, newCipher func() cipher, perUnit, last int) {
	f.Secret = "dst src state h r p"
	dst, src, n := f.Arg("dst"), f.Arg("src"), f.Arg("n")
	p, units, steady := f.Arg("p"), f.New(Integer, "units"), f.Arg("steady")
	f.LoadArg("first", units)
	c := newCipher()
	k := newPoly(f)
	cipherOnly := f.New(Integer, "alone") // units without Poly1305

	f.Label("pass")
	f.Add(c.start()...)
	f.Add(
		MOVD(5, cipherOnly),
		SUB(units, cipherOnly, cipherOnly),
		CBZ(units, "alone"))

	f.Label("both")
	f.Add(asm.Weave(c.doubleRounds(2), k.blocks(p, perUnit))...)
	f.Add(
		SUB(1, units, units),
		CBNZ(units, "both"),
		CBZ(cipherOnly, "last"))

	f.Label("alone")
	f.Add(c.doubleRounds(2)...)
	f.Add(
		SUB(1, cipherOnly, cipherOnly),
		CBNZ(cipherOnly, "alone"))
	f.Add(c.output(dst, src)...)
	f.Add(
		MOVD(steady, units),
		SUB(1, n, n),
		CBNZ(n, "pass"),
		B("done"))

	f.Label("last")
	f.Add(asm.Weave(c.output(dst, src), k.blocks(p, last))...)
	f.Add(
		MOVD(steady, units),
		SUB(1, n, n),
		CBNZ(n, "pass"))

	f.Label("done")
	f.Add(c.store()...)
	k.store()
	f.Add(RET())
}

func passes4(file *asm.File, tables *asm.Table) {
	f := file.Func("passesNEON", "(dst, src *byte, n int, state *[16]uint32, h *[3]uint64, r *[2]uint64, p *byte, first, steady int)")
	f.Doc = `passesNEON adds keystream to n > 0 times 256 bytes, advances the counter and continues
		Poly1305 over blocks from p on: in the first pass three for each of first units (at
		most 5), in the others three for each of steady units, and one more in a pass of 5
		units. Blocks of one pass may be what the pass before has written.`
	f.Banner = `Two double rounds are 224 vector instructions, three blocks of Poly1305 are 78 integer
		ones. By llvm-mca's model of Cortex-A72 both together take 184 cycles, and so do the
		vector ones alone: the chain of a quarter round is 45. On Neoverse N1 it is 128.`
	passes(f, func() cipher { return newChaCha(f, tables, 16) }, 3, 1)
}

func passes6(file *asm.File, tables *asm.Table) {
	f := file.Func("widePassesNEON", "(dst, src *byte, n int, state *[16]uint32, h *[3]uint64, r *[2]uint64, p *byte, first, steady int)")
	f.Doc = `widePassesNEON is passesNEON for n > 0 times 384 bytes, with four blocks of Poly1305 for each
		unit, and four more in a pass of 5 units.`
	f.Banner = `Two double rounds are 360 vector instructions, four blocks of Poly1305 are 104 integer ones. By
		llvm-mca both together take 204 cycles on Cortex-A72, 184 on Neoverse N1 and 120 on Neoverse V2, and
		so do the vector ones alone: a byte takes 0.74, 0.96 and 0.71 times as long as with four blocks.
		Cortex-A55 takes 1.14 times as long.`
	passes(f, func() cipher { return newWide(f, tables) }, 4, 4)
}
