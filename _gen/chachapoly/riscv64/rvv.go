package main

import (
	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/riscv64"
)

// chacha has the registers of vector kernels.
type chacha struct {
	*asm.Func
	x     []asm.Reg       // word i of all blocks
	half  []asm.Reg       // d and b between the halves of quarter rounds
	power map[int]asm.Reg // 1<<n for a rotation by n
}

// rotate makes to = from <<< n, two instructions: the bits that go around and, added to
// them, a product with 2^n, because the X60 multiplies and adds in half the time of a
// shift. Some of the shifts to the right are products, too, so that both units have the
// same to do.
func (k *chacha) rotate(n int, from, to asm.Reg, product bool) asm.Stream {
	wrapped := VSRLVI(32-n, from, to)
	if product {
		wrapped = VMULHUVX(k.power[n], from, to)
	}
	return asm.Stream{wrapped, VMACCVX(from, k.power[n], to)}
}

// rounds returns n double rounds. Rotations are one instruction with Zvkb.
func (k *chacha) rounds(zvkb bool, n int) (s asm.Stream) {
	x := k.x
	for round := range 2 * n {
		for i := range 4 {
			q := column(x, i)
			if round%2 == 1 {
				q = diagonal(x, i)
			}
			a, b, c, d := q[0], q[1], q[2], q[3]
			if zvkb {
				step := func(x, y, z asm.Reg, n int) {
					s.Add(VADDVV(y, x, x), VXORVV(x, z, z), VRORVI(32-n, z, z))
				}
				step(a, b, d, 16)
				step(c, d, b, 12)
				step(a, b, d, 8)
				step(c, d, b, 7)
				continue
			}
			u, v := k.half[2*i], k.half[2*i+1]
			step := func(x, y, z asm.Reg, n int, to asm.Reg, product bool) {
				s.Add(VADDVV(y, x, x), VXORVV(x, z, z))
				s.Add(k.rotate(n, z, to, product)...)
			}
			step(a, b, d, 16, u, i < 2)
			step(c, u, b, 12, v, false)
			step(a, v, u, 8, d, i < 2)
			step(c, d, v, 7, b, false)
		}
	}
	return s
}

// vectors writes ChaCha20 in vector registers.
func vectors(file *asm.File, zvkb bool) {
	const unroll = 2
	name := "chachaRVV"
	if zvkb {
		name = "chachaZVKB"
	}
	f := file.Func(name, "(dst, src *byte, n int, state *[16]uint32) (done int)")
	k := &chacha{Func: f, power: map[int]asm.Reg{}}
	f.Doc = name + ` adds keystream to n > 0 bytes and advances the counter in the state by
		the blocks that this takes, the last one perhaps in part. It stops when no more than
		192 bytes are left, and returns how many it has processed: whole blocks or n.`
	if zvkb {
		f.Banner = "96 instructions for a double round: a rotation is vror.vi.\n"
	} else {
		f.Banner = `128 instructions for a double round. A rotation is a shift to the right, to which
		the product with a power of two is added: on the SpacemiT X60 the two take 3 cycles, or 2
		with vmulhu.vx for the shift, where two shifts and vor.vv take 6. Estimated there: 200
		cycles for a double round of 512 bytes.
`
	}
	f.Banner += `
		A pass is as many blocks as a vector register has words, at most 32. Segment stores with a
		stride put words into blocks. The keystream goes through the stack, because src and dst may
		lie anywhere and vector instructions for bytes alone do not care.`
	f.Secret = "dst src state"
	dst, src, n := f.Arg("dst"), f.Arg("src"), f.Arg("n")
	at, word, blocks := f.New(Integer, "at"), f.Several(Integer, "word", 16), f.New(Integer, "blocks")
	loops, size, count := f.New(Integer, "loops"), f.New(Integer, "size"), f.New(Integer, "count")
	stream := f.Local("stream", 2048)
	k.x = f.Group(Vector, "x", 16, 1)
	number := f.New(Vector, "number")
	f.LoadArg("state", at)
	for i, w := range word {
		f.Add(MOVWU(4*i, at, w))
	}

	f.Label("pass")
	f.Add(
		ADDI(63, n, blocks),
		SRLI(6, blocks, blocks),
		MOVI(32, at),
		BGEU(at, blocks, "fits"),
		MOVR(at, blocks),
	)
	f.Label("fits")
	f.Add(VSETVLI(blocks, E32, M1, TA, blocks))
	for i, w := range word {
		f.Add(VMVVX(w, k.x[i]))
	}
	f.Add(VIDV(number), VADDVV(number, k.x[12], k.x[12]))
	if !zvkb {
		k.half = f.Several(Vector, "half", 8)
		for _, n := range []int{16, 12, 8, 7} {
			k.power[n] = f.New(Integer, "power")
			f.Add(MOVI(1<<n, k.power[n]))
		}
	}
	f.Add(MOVI(10/unroll, loops))

	f.Label("rounds")
	f.Add(asm.Schedule(k.rounds(zvkb, unroll), X60)...)
	f.Add(ADDI(-1, loops, loops), BNEZ(loops, "rounds"))

	f.Add(VIDV(number))
	for i, w := range word {
		f.Add(VADDVX(w, k.x[i], k.x[i]))
	}
	high := f.New(Integer, "high")
	f.Add(
		VADDVV(number, k.x[12], k.x[12]),
		Address(stream, at),
		MOVI(64, size),
		ADDI(32, at, high),
		VSSSEG8E32V(k.x[:8], size, at),
		VSSSEG8E32V(k.x[8:], size, high),
		ADD(blocks, word[12], word[12]),
		SLLI(6, blocks, size),
		BGEU(n, size, "whole"),
		MOVR(n, size),
	)
	f.Label("whole")
	f.Add(SUB(size, n, n))
	f.Label("add")
	text, key := f.Group(Vector, "text", 8, 8), f.Group(Vector, "key", 8, 8)
	f.Add(
		VSETVLI(size, E8, M8, TA, count),
		VLE8V(src, text),
		VLE8V(at, key),
		VXORVV(key, text, text),
		VSE8V(text, dst),
		ADD(count, src, src),
		ADD(count, at, at),
		ADD(count, dst, dst),
		SUB(count, size, size),
		BNEZ(size, "add"),
		MOVI(192, at),
		BLTU(at, n, "pass"),
	)

	f.LoadArg("n", at)
	f.Add(SUB(n, at, at), SetResult(at, f.Result("done")))
	f.LoadArg("state", at)
	f.Add(SW(word[12], 48, at))

	f.Remark("Wipe the stream: 16 registers at most.")
	zero, limit := f.Group(Vector, "zero", 8, 8), f.New(Integer, "limit")
	f.Add(
		VSETVLI(ZERO, E8, M8, TA, count),
		VMVVI(0, zero),
		SLLI(1, count, size),
		Address(stream, at),
		MOVI(2048, limit),
		BGEU(limit, size, "wipe"),
		MOVR(limit, size),
	)
	f.Label("wipe")
	f.Add(
		VSETVLI(size, E8, M8, TA, count),
		VSE8V(zero, at),
		ADD(count, at, at),
		SUB(count, size, size),
		BNEZ(size, "wipe"),
	)
	f.Remark("ct:allow stack: a pass wrote 64 bytes for each word of a register, at most 2048; the loop overwrites as many")
	f.Add(RET())
}

// xor writes the addition of a keystream.
func xor(file *asm.File) {
	f := file.Func("xorRVV", "(dst, x, y *byte, n int)")
	f.Doc = "xorRVV sets dst to x XOR y, n > 0 bytes."
	f.Secret = "dst x y"
	dst, x, y, n := f.Arg("dst"), f.Arg("x"), f.Arg("y"), f.Arg("n")
	count := f.New(Integer, "count")
	a, b := f.Group(Vector, "a", 8, 8), f.Group(Vector, "b", 8, 8)
	f.Label("add")
	f.Add(
		VSETVLI(n, E8, M8, TA, count),
		VLE8V(x, a),
		VLE8V(y, b),
		VXORVV(b, a, a),
		VSE8V(a, dst),
		ADD(count, dst, dst),
		ADD(count, x, x),
		ADD(count, y, y),
		SUB(count, n, n),
		BNEZ(n, "add"),
		RET(),
	)
}
