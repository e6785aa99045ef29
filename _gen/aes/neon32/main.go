// Command neon32 writes the AES kernels for 32-bit Arm with NEON and without AES instructions.
//
// # Algorithm
//
// That of _gen/aes/bitslice: eight blocks as eight planes of bits, and the S-box as a circuit. But
// the bytes of a block are in the order of rows, so that a rotation of columns is VEXT: with a
// a plane, a' rotated by a row and t = a + a', MixColumns is
//
//	2 a + 3 a' + a" + a"'  =  2 t + a' + t"     t" = t two rows further
//
// VTBL moves the rows in ShiftRows. The first one also changes the order of bytes, and the last one
// changes it back: each round key comes with its own indices. The first round key and the last one
// have their bytes in the order of blocks.
//
// # Registers
//
//	x           blocks, then planes
//	s           values of the circuit, of which some wait in memory (spill)
//	shift       indices for VTBL
//	k           round key
//	others      of MixColumns, data, counters, tweaks
//
// # Bound
//
// NEON of Cortex-A7, which does one instruction at a time. A round is 106 gates, 22 moves to and
// from memory, 17 instructions for ShiftRows, 43 for MixColumns, and 12 for the key: 202 for 128
// bytes, 14.5 per byte for AES-128, whose last round has no MixColumns. Transposing twice is 0.7.
// The moves go up and down in memory, where the address follows for free.
package main

import (
	"flag"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm"
	"github.com/cipherlane/cipherlane/_gen/planes/neon"
)

//go:generate sh -c "go run ../../circuit aes-gates > circuit.tmp && mv circuit.tmp circuit.go"
//go:generate go run . -out ../../../internal/aescore/internal/arm/aes_neon_arm.s -go ../../../internal/aescore/internal/arm/aes_neon_arm.go

func main() {
	out := flag.String("out", "", "assembly `file` to write")
	declarations := flag.String("go", "", "Go `file` to write")
	flag.Parse()
	file := &asm.File{Target: Target}
	encrypt := neon.Order(substitute, 2)
	decrypt := neon.Order(unsubstitute, 1)
	expand(file)
	blocks(file, encrypt, false)
	blocks(file, decrypt, true)
	cbcDecrypt(file, decrypt)
	ctr(file, encrypt)
	xts(file, encrypt, false)
	xts(file, decrypt, true)
	file.Write(*out, *declarations)
}

func expand(file *asm.File) {
	f := file.Func("expandNEON", "(keys *byte, words *uint32, order *byte, constant, n int)")
	f.Doc = `expandNEON makes the planes of n > 0 round keys of 16 bytes, which are added to a constant in
all bytes: plane b has bit b of each byte, as 0 or 0xff. order has where each byte of a plane is from.`
	f.Secret, f.Public = "keys words", "order"
	keys, words, at, constant, n := f.Arg("keys"), f.Arg("words"), f.Arg("order"), f.Arg("constant"), f.Arg("n")
	bits := neon.Bits(f)
	order, c := f.New(Vector, "order"), f.New(Vector, "c")
	f.Add(VLD1(At(at), []asm.Reg{order}), VDUP(constant, c))
	f.Label("key")
	word, key := f.New(Vector, "word"), f.New(Vector, "key")
	f.Add(VLD1(Post(words), []asm.Reg{word}), VEOR(c, word, word), ADD(indices, keys, keys))
	f.Add(Permute(order, word, key)...)
	neon.Planes(f, bits, key, keys)
	f.Add(SUBS(1, n, n), BNE("key"), RET())
}
