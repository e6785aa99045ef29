package main

import (
	"fmt"
	"strings"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/riscv64"
	"github.com/cipherlane/cipherlane/_gen/keccak/fips202"
)

// width is the number of states in memory: a[8i+k] is lane i of state k.
const width = 8

// permuteWide has rotations and VANDN of Zvkb, or instructions of V instead.
func permuteWide(file *asm.File, table *asm.Table, name string, zvkb bool) {
	f := file.Func(name, "(a *[200]uint64, states int)")
	f.Doc = name + ` is Keccak-f[1600] of at least the given number of states, 1 to 8; a[8i+k] is lane i
of state k. States behind them may be permuted, or not.`
	f.Banner = "A pass is as many states as a register has words."
	f.Secret = "a"
	a, states := f.Arg("a"), f.Arg("states")
	n, at, next, end, constant := f.New(Integer, "n"), f.New(Integer, "at"), f.New(Integer, "next"), f.New(Integer, "end"), f.New(Integer, "constant")
	lane, c, t := f.Several(Vector, "a", 25), f.Several(Vector, "c", 5), f.Several(Vector, "t", 2)
	// Shifts by more than 31 bits take the number from a register.
	distances := map[int]asm.Reg{}
	if !zvkb {
		for _, plane := range fips202.Plane {
			for _, l := range plane {
				rotation := int(l.Rotate)
				if rotation = max(rotation, 64-rotation); rotation < 64 && distances[rotation] == (asm.Reg{}) {
					distances[rotation] = f.New(Integer, fmt.Sprint("by", rotation))
					f.Add(MOVI(rotation, distances[rotation]))
				}
			}
		}
	}
	rol := func(n int, x, d, t asm.Reg) {
		switch {
		case zvkb:
			f.Add(VRORVI(64-n, x, d))
		case n < 32:
			f.Add(VSLLVI(n, x, t), VSRLVX(distances[64-n], x, d), VORVV(t, d, d))
		default:
			f.Add(VSLLVX(distances[n], x, t), VSRLVI(64-n, x, d), VORVV(t, d, d))
		}
	}
	andn := func(a, b, d asm.Reg) {
		if zvkb {
			f.Add(VANDNVV(a, b, d))
		} else {
			f.Add(VANDVV(a, b, d), VXORVV(b, d, d))
		}
	}
	f.Label("pass")
	f.Add(VSETVLI(states, E64, M1, TA, n), MOVR(a, at))
	for i, v := range lane {
		f.Add(VLE64V(at, v))
		if i < 24 {
			f.Add(ADDI(8*width, at, at))
		}
	}
	f.Add(Address(table, next), ADDI(8*24, next, end))
	f.Label("round")
	for x := range 5 {
		f.Add(VXORVV(lane[x], lane[x+5], c[x]))
		for y := 2; y < 5; y++ {
			f.Add(VXORVV(lane[x+5*y], c[x], c[x]))
		}
	}
	// D of a column takes the place of the parity that is not needed any more.
	for i, x := range []int{0, 2, 4, 1, 3} {
		d := t[i&1]
		rol(1, c[(x+1)%5], d, t[1-i&1])
		f.Add(VXORVV(c[(x+4)%5], d, d))
		for y := range 5 {
			f.Add(VXORVV(d, lane[x+5*y], lane[x+5*y]))
		}
	}
	// Rho and pi are one cycle of 24 lanes.
	source := func(to int) (from, rotation int) {
		p := fips202.Plane[to/5][to%5]
		return p.Lane, int(p.Rotate)
	}
	f.Add(VMV1RV(lane[1], t[0]))
	for to := 1; ; {
		from, rotation := source(to)
		if from == 1 {
			rol(rotation, t[0], lane[to], t[1])
			break
		}
		rol(rotation, lane[from], lane[to], t[1])
		to = from
	}
	for y := range 5 {
		b := lane[5*y : 5*y+5]
		for x := range b {
			andn(b[(x+1)%5], b[(x+2)%5], c[x])
		}
		for x := range b {
			f.Add(VXORVV(c[x], b[x], b[x]))
		}
	}
	f.Add(
		MOV(0, next, constant),
		ADDI(8, next, next),
		VXORVX(constant, lane[0], lane[0]),
		BNE(end, next, "round"),
		MOVR(a, at),
	)
	for i, v := range lane {
		f.Add(VSE64V(v, at))
		if i < 24 {
			f.Add(ADDI(8*width, at, at))
		}
	}
	f.Add(
		SUB(n, states, states),
		SLLI(3, n, n),
		ADD(n, a, a),
		BNEZ(states, "pass"),
		RET(),
	)
}

// blocksWide adds blocks to the states, or copies them from there. Blocks are loaded and stored
// as bytes, because they can be at any address.
func blocksWide(file *asm.File, absorb bool) {
	name, doc := "squeezeWideRVV", "squeezeWideRVV copies a block of each of eight states: a[8i+k] to word i at p[k]."
	if absorb {
		name, doc = "absorbWideRVV", "absorbWideRVV adds a block to each of eight states: word i at p[k] to a[8i+k]."
	}
	f := file.Func(name, "(a *[200]uint64, p *[8]*byte, words int)")
	f.Doc = doc + " words is\n17 or 21."
	f.Secret = "a p"
	integer := func(names string) (r []asm.Reg) {
		for name := range strings.FieldsSeq(names) {
			r = append(r, f.New(Integer, name))
		}
		return r
	}
	a, p, words := f.Arg("a"), f.Arg("p"), f.Arg("words")
	r := integer("state block left n bytes stride count")
	state, block, left, n, bytes, stride, count := r[0], r[1], r[2], r[3], r[4], r[5], r[6]
	x, y := f.Group(Vector, "x", 8, 8), f.Group(Vector, "y", 8, 8)
	f.Add(MOVI(8*width, stride), MOVI(width, count))
	f.Label("state")
	f.Add(MOV(0, p, block), MOVR(a, state), MOVR(words, left))
	f.Label("loop")
	f.Add(VSETVLI(left, E64, M8, TA, n), SLLI(3, n, bytes), VLSE64V(state, stride, x))
	if absorb {
		f.Add(
			VSETVLI(bytes, E8, M8, TA, ZERO),
			VLE8V(block, y),
			VXORVV(y, x, x),
			VSETVLI(n, E64, M8, TA, ZERO),
			VSSE64V(x, stride, state),
		)
	} else {
		f.Add(VSETVLI(bytes, E8, M8, TA, ZERO), VSE8V(x, block))
	}
	f.Add(
		ADD(bytes, block, block),
		SLLI(3, bytes, bytes),
		ADD(bytes, state, state),
		SUB(n, left, left),
		BNEZ(left, "loop"),
		ADDI(8, p, p),
		ADDI(8, a, a),
		ADDI(-1, count, count),
		BNEZ(count, "state"),
		RET(),
	)
}
