// Command zvkg writes the GHASH kernels of internal/ghash/internal/riscv64 for CPUs with Zvkg.
//
// # Algorithm
//
// One instruction adds a block to the hash and multiplies by the hash key, in the standard's
// order of bytes. For POLYVAL the bytes of each block are reversed first.
//
// # Registers
//
//	1  hash
//	1  hash key
//	2  block, and reversed
//	1  numbers of the bytes in reverse
//
// # Bound
//
// A block is 6 instructions, 0.38 a byte, or 7 for POLYVAL. The chain of multiplications is one
// for each block. No CPU with it was available, such as the SpacemiT X100, to measure on.
package main

import (
	"flag"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/riscv64"
)

//go:generate go run . -out ../../../internal/ghash/internal/riscv64/ghash_zvkg_riscv64.s -declarations ../../../internal/ghash/internal/riscv64/ghash_zvkg_riscv64.go

func main() {
	out := flag.String("out", "", "assembly `file` to write")
	declarations := flag.String("declarations", "", "Go `file` to write")
	flag.Parse()
	file := &asm.File{Target: Target}
	update(file, "updateZvkg", false)
	update(file, "updateReversedZvkg", true)
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
