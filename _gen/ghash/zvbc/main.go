// Command zvbc writes the GHASH kernels of internal/ghash/internal/riscv64 that use the vector
// carry-less multiplication of RISC-V (Zvbc) and byte reversal (Zvkb).
//
// # Algorithm
//
// Lane j of N holds the blocks j, j+N, ... from the end of the message on: the first pass has the
// blocks that do not fill all lanes, in the last lanes. All lanes are multiplied by H^N
// before each of the other passes, and lane j by H^(N-j) at the end. Their sum is reduced.
// The words of a block are in two vectors. Field elements, Karatsuba's method and the reduction are
// those of the driver zbc. N is what four registers have of words, but at most 16. A product of two
// powers times x is a power times x, so the same code makes the powers: 1, 2, 4 and 8 at once.
//
// # Registers
//
//	8   words low and high of the hash, four registers each
//	8   words of blocks, and the middle part of a product
//	16  lower and upper part of a product
//
// # Bound
//
// A pass is 30 instructions, 10 of them multiplications, for N blocks: 0.23 a byte with registers
// of 128 bits and 0.12 with 256 or more. No CPU with Zvbc was available, such as the SpacemiT
// X100, to measure on. Data that is not at a multiple of 8 takes 5 more, which copy it.
package main

import (
	"flag"
	"fmt"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/riscv64"
)

//go:generate go run . -out ../../../internal/ghash/internal/riscv64/ghash_zvbc_riscv64.s -declarations ../../../internal/ghash/internal/riscv64/ghash_zvbc_riscv64.go -older ../../../internal/ghash/internal/riscv64/ghash_zvbc_older_riscv64.go

func main() {
	out := flag.String("out", "", "assembly `file` to write")
	declarations := flag.String("declarations", "", "Go `file` to write")
	flag.Parse()
	file := &asm.File{Target: Target, Proofs: proofs}
	powers(file)
	update(file, "updateZvbc", false)
	update(file, "updateReversedZvbc", true)
	file.Write(*out, *declarations)
}

// lanesMax is N at most, and tableEnd the size of the powers.
const (
	lanesMax = 16
	tableEnd = 16 * lanesMax
)

// A kernel has the registers of products. Vectors are four registers.
type kernel struct {
	*asm.Func
	hash, data []asm.Reg // two vectors each: words low and high
	lo, hi     []asm.Reg // two vectors each
	poly       asm.Reg
	power      []asm.Reg // words low and high, and their sum
}

func start(file *asm.File, name, signature string) *kernel {
	f := file.Func(name, signature)
	k := &kernel{Func: f}
	k.hash, k.data = f.Group(Vector, "hash", 8, 8), f.Group(Vector, "data", 8, 8)
	k.lo, k.hi = f.Group(Vector, "lo", 8, 4), f.Group(Vector, "hi", 8, 4)
	k.poly, k.power = f.New(Integer, "poly"), f.Several(Integer, "power", 3)
	return k
}

// constants loads the polynomial and the power at this address.
func (k *kernel) constants(at asm.Reg) {
	k.Add(
		MOVI(0xc2, k.poly),
		SLLI(56, k.poly, k.poly),
		MOV(0, at, k.power[0]),
		MOV(8, at, k.power[1]),
		XOR(k.power[0], k.power[1], k.power[2]),
	)
}

// multiply multiplies all lanes of the hash by the power. It overwrites the data.
func (k *kernel) multiply() {
	a0, a1 := k.hash[:4], k.hash[4:]
	mid0, mid1 := k.data[:4], k.data[4:]
	k.Add(
		VCLMULVX(k.power[0], a0, k.lo[:4]),
		VCLMULHVX(k.power[0], a0, k.lo[4:]),
		VXORVV(a1, a0, a0),
		VCLMULVX(k.power[1], a1, k.hi[:4]),
		VCLMULHVX(k.power[1], a1, k.hi[4:]),
		VCLMULVX(k.power[2], a0, mid0),
		VCLMULHVX(k.power[2], a0, mid1),
	)
	k.join(mid0, mid1)
	k.reduce(k.lo[:4], mid0, mid1, k.hi[4:], a0, a1)
}

// join makes the product four words, lo[:4], mid0, mid1 and hi[4:].
func (k *kernel) join(mid0, mid1 []asm.Reg) {
	k.Add(
		VXORVV(k.lo[4:], k.hi[:4], k.hi[:4]),
		VXORVV(k.lo[:4], mid0, mid0),
		VXORVV(k.hi[4:], mid1, mid1),
		VXORVV(k.hi[:4], mid0, mid0),
		VXORVV(k.hi[:4], mid1, mid1),
	)
}

// reduce makes to the words w, which it overwrites.
func (k *kernel) reduce(w0, w1, w2, w3, to0, to1 []asm.Reg) {
	k.Add(
		VCLMULVX(k.poly, w0, to0),
		VCLMULHVX(k.poly, w0, to1),
		VXORVV(w0, w2, w2),
		VXORVV(to0, w1, w1),
		VXORVV(to1, w2, w2),
		VCLMULVX(k.poly, w1, to0),
		VCLMULHVX(k.poly, w1, to1),
		VXORVV(w1, w3, w3),
		VXORVV(w2, to0, to0),
		VXORVV(w3, to1, to1),
	)
}

// powers writes the function that makes the table.
func powers(file *asm.File) {
	k := start(file, "powersZvbc", "(t *[16][2]uint64)")
	k.Doc = "powersZvbc computes the powers of the hash key from the first one, the last entry. All are times x."
	k.Secret = "t"
	at, count, lanes, size := k.Arg("t"), k.New(Integer, "known"), k.New(Integer, "lanes"), k.New(Integer, "size")
	k.Add(ADDI(tableEnd-16, at, at), MOVI(1, count), MOVI(16, size), VSETIVLI(lanesMax, E64, M4, TA, lanes))
	k.Label("double")
	k.constants(at)
	k.Add(VSETVLI(count, E64, M4, TA, ZERO), VLSEG2E64V(at, k.hash))
	k.multiply()
	k.Add(
		SUB(size, at, at),
		VSSEG2E64V(k.hash, at),
		SLLI(1, size, size),
		SLLI(1, count, count),
		BLTU(count, lanes, "double"),
		RET(),
	)
}

// update writes the hash of blocks whose bytes are in the order of GCM or of POLYVAL.
func update(file *asm.File, name string, reversed bool) {
	k := start(file, name, "(t *[16][2]uint64, y *[2]uint64, p *byte, n int, buffer *[32]uint64)")
	order := "NIST SP 800-38D"
	low, high := 4, 0 // where the words of a block are
	if reversed {
		order = "RFC 8452, appendix A, in which every block is byte-reversed"
		low, high = 0, 4
	}
	k.Doc = name + ` continues the hash y over n > 0 bytes, whole blocks. The order of bytes is that
		of ` + order + `. If p is not at a multiple of 8, the data goes through the buffer.`
	k.Banner = "30 instructions for as many blocks as four registers have of words, at most 16."
	k.Secret = "t y p buffer"
	top, y, p, n, buffer := k.Arg("t"), k.Arg("y"), k.Arg("p"), k.Arg("n"), k.Arg("buffer")
	lanes, first, bytes, odd := k.New(Integer, "lanes"), k.New(Integer, "first"), k.New(Integer, "bytes"), k.New(Integer, "odd")
	at, end := k.New(Integer, "at"), k.New(Integer, "end")
	lowOf := func(v []asm.Reg) []asm.Reg { return v[low:][:4] }
	highOf := func(v []asm.Reg) []asm.Reg { return v[high:][:4] }

	// load loads so many blocks, which is also the length of vectors.
	var copies []func()
	labels := 0
	load := func(blocks, bytes asm.Reg) {
		labels++
		odds, loaded := fmt.Sprint("copy", labels), fmt.Sprint("loaded", labels)
		k.Add(BNEZ(odd, odds), VLSEG2E64V(p, k.data))
		k.Label(loaded)
		copies = append(copies, func() {
			k.Label(odds)
			k.Add(
				VSETVLI(bytes, E8, M8, TA, ZERO),
				VLE8V(p, k.data),
				VSE8V(k.data, buffer),
				VSETVLI(blocks, E64, M4, TA, ZERO),
				VLSEG2E64V(buffer, k.data),
				JMP(loaded),
			)
		})
	}
	// begin loads the first blocks and adds the hash.
	begin := func(bytes asm.Reg) {
		state := k.Group(Vector, "state", 2, 1)
		k.Add(VSETVLI(first, E64, M4, TA, ZERO))
		load(first, bytes)
		k.Add(
			VSETIVLI(1, E64, M1, TU, ZERO),
			VLSEG2E64V(y, state),
			VXORVV(state[0], k.data[0], k.data[0]),
			VXORVV(state[1], k.data[4], k.data[4]),
		)
	}
	swap := func() {
		if !reversed {
			k.Add(VREV8V(k.data[:4], k.data[:4]), VREV8V(k.data[4:], k.data[4:]))
		}
	}

	k.Add(
		ADD(p, n, end),
		ADDI(tableEnd, top, top),
		ANDI(7, p, odd),
		SRLI(4, n, first),
		VSETIVLI(lanesMax, E64, M4, TA, lanes),
		BGEU(lanes, first, "few"),
	)
	k.Remark("1 to N blocks first.")
	k.Add(
		ADDI(-1, first, first),
		ADDI(-1, lanes, at),
		AND(at, first, first),
		ADDI(1, first, first),
		SLLI(4, first, bytes),
	)
	begin(bytes)
	k.Add(
		ADD(bytes, p, p),
		SLLI(4, lanes, n),
		SUB(n, top, at),
	)
	k.constants(at)
	k.Add(SUB(first, lanes, first), VSETVLI(lanes, E64, M4, TA, ZERO))
	swap()
	k.Add(
		VMVVI(0, k.hash[:4]),
		VMVVI(0, k.hash[4:]),
		VSLIDEUPVX(first, lowOf(k.data), k.hash[:4]),
		VSLIDEUPVX(first, highOf(k.data), k.hash[4:]),
	)
	k.Label("pass")
	k.multiply()
	load(lanes, n)
	k.Add(ADD(n, p, p))
	swap()
	k.Add(
		VXORVV(lowOf(k.data), k.hash[:4], k.hash[:4]),
		VXORVV(highOf(k.data), k.hash[4:], k.hash[4:]),
		BNE(p, end, "pass"),
	)

	k.Label("fold")
	k.Remark("Each lane times its own power.")
	a0, a1, h0, h1 := k.hash[:4], k.hash[4:], k.data[:4], k.data[4:]
	k.Add(
		SUB(n, top, at),
		VLSEG2E64V(at, k.data),
		VCLMULVV(h0, a0, k.lo[:4]),
		VCLMULHVV(h0, a0, k.lo[4:]),
		VXORVV(a1, a0, a0),
		VCLMULVV(h1, a1, k.hi[:4]),
		VCLMULHVV(h1, a1, k.hi[4:]),
		VXORVV(h1, h0, h0),
		VCLMULVV(h0, a0, a1),
		VCLMULHVV(h0, a0, h1),
	)
	k.join(a1, h1)
	k.Remark("The sum of the lanes.")
	zero, sums, out := k.New(Vector, "zero"), k.Several(Vector, "sum", 4), k.Group(Vector, "out", 2, 1)
	k.Add(VMVSX(ZERO, zero))
	for i, w := range [][]asm.Reg{k.lo[:4], a1, h1, k.hi[4:]} {
		k.Add(VREDXORVS(zero, w, sums[i]))
	}
	k.Add(VSETIVLI(1, E64, M1, TA, ZERO))
	if reversed {
		k.reduce(sums[:1], sums[1:2], sums[2:3], sums[3:], out[:1], out[1:])
	} else {
		r := k.Several(Vector, "r", 2)
		k.reduce(sums[:1], sums[1:2], sums[2:3], sums[3:], r[:1], r[1:])
		k.Add(VREV8V(r[1:], out[:1]), VREV8V(r[:1], out[1:]))
	}
	k.Add(VSSEG2E64V(out, y), RET())

	k.Label("few")
	begin(n)
	k.Add(
		MOVI(0xc2, k.poly),
		SLLI(56, k.poly, k.poly),
		VSETVLI(first, E64, M4, TA, ZERO),
	)
	if reversed {
		k.Add(VMVVV(k.data[:4], k.hash[:4]), VMVVV(k.data[4:], k.hash[4:]))
	} else {
		k.Add(VREV8V(k.data[4:], k.hash[:4]), VREV8V(k.data[:4], k.hash[4:]))
	}
	k.Add(JMP("fold"))
	k.Remark("Vectors of words must be at a multiple of 8.")
	for _, c := range copies {
		c()
	}
}
