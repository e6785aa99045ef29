// Command zvkg writes the GHASH kernels of internal/ghash/internal/riscv64 for CPUs with Zvkg.
//
// # Algorithm
//
// One instruction adds a block to the hash and multiplies by the hash key, in the standard's
// order of bytes. For POLYVAL the bytes of each block are reversed first. Many blocks are in
// lanes: a vector of four registers has N blocks, and all of them are multiplied by the power N
// of the key.
//
// # Registers
//
//	1  hash
//	1  hash key
//	2  block, and reversed
//	1  numbers of the bytes in reverse
//
// In lanes:
//
//	4  hashes
//	4  powers of the hash key
//	4  blocks
//
// # Bound
//
// A block is 6 instructions, 0.38 a byte, or 7 for POLYVAL. The chain of multiplications is one
// for each block. In lanes it is one for N blocks, in 4 instructions: with registers of 256 bits,
// 0.03 a byte. No CPU with it was available, such as the SpacemiT X100, to measure on.
package main

import (
	"flag"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/riscv64"
	"github.com/cipherlane/cipherlane/_gen/zvk"
)

//go:generate go run . -out ../../../internal/ghash/internal/riscv64/ghash_zvkg_riscv64.s -declarations ../../../internal/ghash/internal/riscv64/ghash_zvkg_riscv64.go -older ../../../internal/ghash/internal/riscv64/ghash_zvkg_older_riscv64.go

func main() {
	out := flag.String("out", "", "assembly `file` to write")
	declarations := flag.String("declarations", "", "Go `file` to write")
	flag.Parse()
	file := &asm.File{Target: Target, Proofs: proofs}
	update(file, "updateZvkg", false)
	update(file, "updateReversedZvkg", true)
	lanes(file)
	file.Write(*out, *declarations)
}

func update(file *asm.File, name string, reversed bool) {
	f := file.Func(name, "(h, y *[16]byte, p *byte, n int)")
	f.Doc = name + " continues the hash y with the key h over n > 0 bytes, whole blocks."
	f.Secret = "h y p"
	h, y, p, end := f.Arg("h"), f.Arg("y"), f.Arg("p"), f.Arg("n")
	key, hash, block := f.New(Vector, "key"), f.New(Vector, "hash"), f.New(Vector, "block")
	other, index := f.New(Vector, "other"), f.New(Vector, "index")
	bytes := VSETIVLI(16, E8, M1, TA, ZERO)
	f.Add(bytes, VLE8V(h, key), VLE8V(y, hash), ADD(p, end, end))
	next, sum := block, hash
	if reversed {
		next, sum = other, f.New(Vector, "sum")
		f.Add(VIDV(index), VRSUBVI(15, index, index), VRGATHERVV(index, hash, sum))
	}
	f.Label("block")
	f.Add(VLE8V(p, block))
	if reversed {
		f.Add(VRGATHERVV(index, block, next))
	}
	f.Add(
		VSETIVLI(4, E32, M1, TA, ZERO),
		VGHSHVV(next, key, sum),
		bytes,
		ADDI(16, p, p),
		BNE(p, end, "block"),
	)
	if reversed {
		f.Add(VRGATHERVV(index, sum, hash))
	}
	f.Add(VSE8V(hash, y), RET())
}

// lanes adds the kernel of many blocks. The pass after one loads its blocks.
func lanes(file *asm.File) {
	f := file.Func("updateLanesZvkg", "(t *Powers, y *[16]byte, p *byte, n int)")
	f.Doc = "updateLanesZvkg continues the hash y with powers of the key over n > 0 bytes, whole blocks."
	f.Secret = "t y p"
	top, y, p, n := f.Arg("t"), f.Arg("y"), f.Arg("p"), f.Arg("n")
	at, step, stop, powers := f.New(Integer, "at"), f.New(Integer, "step"), f.New(Integer, "stop"), f.New(Integer, "powers")
	x, data := f.Group(Vector, "x", 4, 4), f.Group(Vector, "data", 4, 4)
	hash := zvk.NewHash(f, at)
	words := VSETVLI(ZERO, E32, M4, TA, at)
	f.Add(
		ADDI(zvk.PowersEnd, top, top),
		VSETIVLI(16, E8, M4, TA, ZERO),
		VLE8V(y, data),
	)
	hash.Start(data)
	f.Add(
		VSETVLI(ZERO, E8, M4, TA, step),
		BLTU(n, step, "rest"),
		NEG(step, stop),
		AND(n, stop, stop),
		SUB(stop, n, n),
		ADD(p, stop, stop),
		words,
		VL4RE8V(top, x),
		VL4RE8V(p, data),
		ADD(step, p, p),
		BEQ(p, stop, "last"),
	)
	f.Label("pass")
	f.Add(
		VGHSHVV(data, x, hash.Sum),
		VL4RE8V(p, data),
		ADD(step, p, p),
		BNE(p, stop, "pass"),
	)
	f.Label("last")
	f.Add(
		SUB(step, top, powers),
		VL4RE8V(powers, x),
		VGHSHVV(data, x, hash.Sum),
	)
	hash.Fold("passes")
	f.Add(BEQZ(n, "done"), VMV1RV(hash.Sum[0], data[0]))
	hash.Start(data)
	f.Label("rest")
	f.Add(
		VSETVLI(n, E8, M4, TA, ZERO),
		VLE8V(p, data),
		SUB(n, top, powers),
		VLE8V(powers, x),
		SRLI(2, n, n),
		VSETVLI(n, E32, M4, TU, ZERO),
		VGHSHVV(data, x, hash.Sum),
	)
	hash.Fold("rest")
	f.Label("done")
	f.Add(VSETIVLI(16, E8, M1, TA, ZERO), VSE8V(hash.Sum[0], y), RET())
}
