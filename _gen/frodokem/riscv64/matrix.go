package main

import (
	"github.com/cipherlane/cipherlane/_gen/aes/rvv/rounds"
	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/riscv64"
	"github.com/cipherlane/cipherlane/_gen/byteslice"
)

// Offsets in riscv64.Matrix.
const (
	keysOffset = 0
	xOffset    = 256
	yOffset    = xOffset + 16*maxN

	maxN = 1344
)

func matrixRVV(file *asm.File) {
	table := file.Table("tables", "Look-ups of nibbles: see _gen/aes/permute.", rounds.Tables())
	k := byteslice.Expand(file, table, "basisRVV", rounds.AES(rounds.Forward, rounds.All))
	k.Secret, k.Public = "", "dst src"
	k = byteslice.Blocks(file, table, "twoRVV", "applies the first two rounds, without the second key, to", rounds.AES(rounds.Forward, rounds.FirstTwo), "")
	k.Secret, k.Public = "", "k dst src"
	rowsRVV(file, table)
}

func rowsRVV(file *asm.File, table *asm.Table) {
	k := byteslice.New(file, table, "rowsRVV", "(m *Matrix, rows *uint16, row, blocks, total int)", rounds.AES(rounds.Forward, rounds.LastEight))
	k.Doc = `rowsRVV writes total > 0 blocks of A, from the beginning of a row on. A row has the given
number of blocks. It changes the third of the round keys.`
	k.Banner = `A pass is as many blocks as a register has bytes, but not more than a row. The state is
X[i] + Y[j], of which X[i] is the third round key.`
	k.Public = "m rows"

	integer := func(name string) asm.Reg { return k.Func.New(Integer, name) }
	k.LoadArg("m", k.Keys)
	out, x, blocks, total := k.Arg("rows"), k.Arg("row"), k.Arg("blocks"), k.Arg("total")
	y, at, stride, left, t, u := integer("y"), integer("first"), integer("stride"), integer("left"), integer("t"), integer("u")
	k.Add(
		MOVI(xOffset, t),
		SLLI(4, x, x),
		ADD(k.Keys, x, x),
		ADD(t, x, x),
		MOVI(yOffset, y),
		ADD(k.Keys, y, y),
		MOVI(0, at), // the number of the first block in its row
		MOVI(16, stride),
	)
	k.Start(total)

	k.Label("pass")
	k.Add(MOVR(total, t), BGEU(blocks, total, "lanes"), MOVR(blocks, t))
	k.Label("lanes")
	k.SetLanesTo(t)
	k.Add(
		MOV(0, x, t), SD(t, keysOffset+32, k.Keys),
		MOV(8, x, t), SD(t, keysOffset+40, k.Keys),
		SLLI(4, at, t),
		ADD(y, t, t),
	)
	for c := range 4 {
		k.Add(ADDI(4*c, t, k.At), VLSSEG4E8V(k.At, stride, k.State[4*c:4*c+4]))
	}
	k.Add(
		SUB(at, blocks, left), // in this row
		ADD(k.Lanes, at, at),
		BLTU(k.Lanes, left, "same"),
		ADDI(16, x, x),
		MOVI(0, at),
		BEQ(k.Lanes, left, "same"),
	)
	k.Remark("The others are in the next row.")
	mask, zero := k.Func.New(Vector, "mask"), k.Func.New(Vector, "zero")
	index, delta := k.Func.New(Vector, "index"), k.Func.Several(Vector, "delta", 2)
	k.Fix(mask, 0)
	k.Add(
		SUB(left, k.Lanes, at),
		ADDI(-1, left, t),
		VIDV(index),
		VMSGTUVX(t, index, mask),
		VMVVI(0, zero),
	)
	for i, s := range k.State {
		d := delta[i&1]
		k.Add(
			MOVBU(i-16, x, t), MOVBU(i, x, u), XOR(t, u, u),
			VMERGEVXM(u, zero, mask, d),
			VXORVV(d, s, s),
		)
	}
	k.Label("same")
	k.Rounds(k)
	for c := range 4 {
		k.Add(ADDI(4*c, out, k.At), VSSSEG4E8V(k.State[4*c:4*c+4], stride, k.At))
	}
	k.Add(
		SLLI(4, k.Lanes, t),
		ADD(t, out, out),
		SUB(k.Lanes, total, total),
		BNEZ(total, "pass"),
		RET(),
	)
}

// twoZvkned makes what rowsZvkned needs.
func twoZvkned(file *asm.File) {
	f := start(file, "twoZvkned", "(k *Keys, p *[16]byte, blocks int)",
		"twoZvkned applies the first two rounds to blocks > 0 blocks.", "", "k p")
	k, p, words := f.Arg("k"), f.Arg("p"), f.Arg("blocks")
	key, state, at, n := f.Several(Vector, "key", 3), f.Group(Vector, "state", 8, 8), f.New(Integer, "at"), f.New(Integer, "n")
	f.Add(VSETIVLI(4, E32, M1, TA, ZERO), VLE32V(k, key[0]))
	for i := 1; i < 3; i++ {
		f.Add(ADDI(16*i, k, at), VLE32V(at, key[i]))
	}
	step := f.New(Integer, "step")
	f.Add(VSETVLI(ZERO, E32, M8, TA, step), SLLI(2, words, words))
	loop(f, words, step, n, func() {
		f.Add(
			VSETVLI(n, E32, M8, TA, ZERO),
			VLE32V(p, state),
			VAESZVS(key[0], state), VAESEMVS(key[1], state), VAESEMVS(key[2], state),
			VSE32V(state, p),
			SLLI(2, n, at),
			ADD(at, p, p),
		)
	})
	f.Add(RET())
}

// loop runs body until left is 0, with n as long as a vector or, at last, what is left. The
// length of a vector must be whole blocks, and VSETVLI promises that only if all that is asked
// for fits.
func loop(f *asm.Func, left, step, n asm.Reg, body func()) {
	f.Add(MOVR(step, n), BGEU(left, step, "loop"))
	f.Label("last")
	f.Add(MOVR(left, n))
	f.Label("loop")
	body()
	f.Add(
		SUB(n, left, left),
		BGEU(left, step, "loop"),
		BNEZ(left, "last"),
	)
}

func rowsZvkned(file *asm.File) {
	f := start(file, "rowsZvkned", "(m *Matrix, rows *uint16, row, blocks, count int)",
		"rowsZvkned writes count > 0 rows of A. A row has the given number of blocks.", "", "m rows")
	integer := func(name string) asm.Reg { return f.New(Integer, name) }
	m, out, x, blocks, count := f.Arg("m"), f.Arg("rows"), f.Arg("row"), f.Arg("blocks"), f.Arg("count")
	y, at, n, left, step, t := integer("y"), integer("at"), integer("n"), integer("left"), integer("step"), integer("t")
	key, row, state := f.Several(Vector, "key", 8), f.New(Vector, "row"), f.Group(Vector, "state", 8, 8)
	f.Add(VSETIVLI(4, E32, M1, TA, ZERO))
	for i, v := range key {
		f.Add(ADDI(keysOffset+16*(3+i), m, at), VLE32V(at, v))
	}
	f.Add(
		MOVI(xOffset, t),
		SLLI(4, x, x),
		ADD(m, x, x),
		ADD(t, x, x),
		MOVI(yOffset, y),
		ADD(m, y, y),
		SLLI(2, blocks, blocks), // words
		VSETVLI(ZERO, E32, M8, TA, step),
	)
	f.Label("row")
	f.Add(
		VSETIVLI(4, E32, M1, TA, ZERO),
		VLE32V(x, row),
		MOVR(y, at),
		MOVR(blocks, left),
	)
	loop(f, left, step, n, func() {
		f.Add(
			VSETVLI(n, E32, M8, TA, ZERO),
			VLE32V(at, state),
			VAESZVS(row, state),
		)
		for _, v := range key[:7] {
			f.Add(VAESEMVS(v, state))
		}
		f.Add(
			VAESEFVS(key[7], state),
			SLLI(1, n, t),
			VSETVLI(t, E16, M8, TA, ZERO), // rows may be at a multiple of two only
			VSE16V(state, out),
			SLLI(1, t, t),
			ADD(t, at, at),
			ADD(t, out, out),
		)
	})
	f.Add(
		ADDI(16, x, x),
		ADDI(-1, count, count),
		BNEZ(count, "row"),
		RET(),
	)
}
