// Command zvksh writes the SM3 kernel of sm3/internal/riscv64 for CPUs with Zvksh and Zvkb.
//
// # Algorithm
//
// VSM3C is two rounds: j and j + 1 need the words W[j], W[j+1], W[j+4] and W[j+5]. They are in
// the window of eight words that begins with W[j], or two elements higher in that of j - 2.
// VSM3ME makes a window from those that begin 16 and 8 words before it, wherever they begin. So
// there are two chains of windows, at multiples of 8 and four words behind them, and no window
// must be put together from two others, except for the first that is neither in memory nor has
// two predecessors, W[12] to W[19]. All words, and those of the state, have the order of bytes in
// memory.
//
// A window is one register of 256 bits or more, or two of 128. The code is the same: registers have
// even numbers, and what differs is the type of vectors.
//
// # Registers
//
//	2 + 2     the state, and what it was before the block
//	2 * 5     windows
//	2         words for the next two rounds
//
// # Bound
//
// A block is 73 instructions for 64 bytes, 1.14 a byte, and 1.21 in calls of 16 KiB: 32 VSM3C, 12
// VSM3ME and 18 slides. But each VSM3C waits for the one before. No such CPU was available to
// measure on, as the SpacemiT X100.
package main

import (
	"flag"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/riscv64"
)

//go:generate go run . -out ../../../sm3/internal/riscv64/sm3_zvksh_riscv64.s -declarations ../../../sm3/internal/riscv64/sm3_zvksh_riscv64.go -older ../../../sm3/internal/riscv64/sm3_zvksh_older_riscv64.go

func main() {
	out := flag.String("out", "", "assembly `file` to write")
	declarations := flag.String("declarations", "", "Go `file` to write")
	flag.Parse()
	file := &asm.File{Target: Target, Proofs: proofs}
	blocks(file)
	file.Write(*out, *declarations)
}

// blocks writes the compression function.
func blocks(file *asm.File) {
	f := file.Func("blocksZVKSH", "(v *[8]uint32, p *byte, n int)")
	f.Doc = "blocksZVKSH compresses n > 0 bytes, whole blocks, into the chaining value v."
	f.Secret = "v p"

	v, p, end := f.Arg("v"), f.Arg("p"), f.Arg("n")
	words, bytes := f.New(Integer, "words"), f.New(Integer, "bytes") // types of vectors
	eight, size, at := f.New(Integer, "eight"), f.New(Integer, "size"), f.New(Integer, "at")
	f.Add(
		ADD(p, end, end),
		MOVI(8, eight),
		MOVI(32, size),
		MOVI(agnostic|e32, words),
		VSETVL(words, eight, at),
		BEQ(at, eight, "fits"),
		MOVI(agnostic|e32|m2, words),
	)
	f.Label("fits")
	vector := func(name string) []asm.Reg { return f.Group(Vector, name, 2, 2) }
	state, before, t := vector("state"), vector("before"), vector("t")
	f.Add(
		ADDI(-e32, words, bytes),
		VSETVL(words, eight, ZERO),
		VLE32V(v, state),
		VREV8V(state, state),
	)

	f.Label("block")
	window := make([][]asm.Reg, 64) // that begins with this word
	f.Add(VSETVL(bytes, size, ZERO))
	for _, k := range []int{0, 4, 8} {
		window[k] = vector("window")
		from := p
		if k > 0 {
			from = at
			f.Add(ADDI(4*k, p, at))
		}
		f.Add(VLE8V(from, window[k]))
	}
	f.Add(
		ADDI(64, p, p),
		VSETVL(words, eight, ZERO),
		VMVVV(state, before),
	)
	for j := 0; j < 64; j += 4 {
		if k := j + 8; k >= 16 && k < 64 {
			window[k] = vector("window")
			f.Add(VSM3MEVV(window[k-16], window[k-8], window[k]))
		}
		if j == 8 {
			window[12] = vector("window")
			f.Add(VSLIDEDOWNVI(4, window[8], window[12]), VSLIDEUPVI(4, window[16], window[12]))
		}
		f.Add(
			VSM3CVI(j/2, window[j], state),
			VSLIDEDOWNVI(2, window[j], t),
			VSM3CVI(j/2+1, t, state),
		)
	}
	f.Add(
		VXORVV(before, state, state),
		BNE(p, end, "block"),
		VREV8V(state, state),
		VSE32V(state, v),
		RET(),
	)
}

// Parts of the type of vectors.
const (
	agnostic = 1<<6 | 1<<7 // what is behind the last element has no meaning, nor what a mask excludes
	e32      = 2 << 3
	m2       = 1
)
