// Command riscv64 writes the kernels of frodokem/internal/riscv64, for CPUs with vectors (V).
// Command frodokem has the products of FrodoKEM, with the names used here.
//
// # Algorithm
//
// Entries 8j to 8j+7 of row i of A are AES-128 of the numbers i and 8j, and then zeros. After two
// rounds the state is X[i] + Y[j], since the bytes of i and j meet only in the second, and there
// only linearly. So n + n/8 blocks of two rounds are made first, and eight rounds are left for each
// of the n n/8 blocks of A. Sixteen rows at a time are stored, and then multiplied:
//
//	matrix.go     rows of A by look-ups inside registers (rvv) or AES instructions (zvkned)
//	products.go   S'A; and rows by rows, which is A S, S'B and B'S if an operand is transposed
//	noise.go      sampling, comparison
//	pack.go       matrices as bytes
//
// With look-ups, a lane is a block, and the lanes of a pass go from the end of a row to the
// beginning of the next one: so that none is empty, although rows are 80, 122 or 168 blocks. The
// next row differs by X[i] + X[i+1], which is added under a mask.
//
// Secrets are S, S' and the noise. The instructions on them are those that Zvkt lists: so sums of
// elements are by slides and not by vredsum, and comparisons by subtraction and not by masks. A
// is public, and so may be an index of look-ups.
//
// # Registers
//
//	matrix, rvv     16 state, 6 and 10 for look-ups: see _gen/aes/rvv
//	matrix, zvkned  8 state, 8 round keys, 1 row of X
//	S'A             2 x 8 sums of two rows, 2 x 8 rows of A; 16 entries of S' in integer registers
//	rows by rows    2 x 8 sums of two columns, 8 + 8 operands
//	sampling        4 x 8 words, signs, sums and a temporary group; 12 integer registers
//	pack, unpack    8 words, 15 bytes, and what is between
//
// # Bound
//
// For FrodoKEM-640-AES with registers of 256 bits, 51200 blocks of A are 1600 passes of 2925
// instructions, 4.7 million; S'A is 77,000 and A S 290,000, of which 110,000 sum the elements of
// registers. On the SpacemiT X60, which uses half of each register, 2925 instructions make 16
// blocks in about as many cycles: 9.4 million. With Zvkned A is 67,000 instructions, and Keccak,
// 0.64 million, is what limits encapsulation, as on an X100. No such CPU was available to measure
// on.
package main

import (
	"flag"
	"path/filepath"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/riscv64"
)

//go:generate go run . -dir ../../../frodokem/internal/riscv64

func main() {
	dir := flag.String("dir", "", "`folder` to write to")
	flag.Parse()
	for name, kernels := range map[string][]func(*asm.File){
		"matrix_rvv":    {matrixRVV},
		"matrix_zvkned": {twoZvkned, rowsZvkned},
		"products_rvv":  {transpose, addRows, dots},
		"noise_rvv":     {sample, difference, pack15, unpack15, swap},
	} {
		file := &asm.File{Target: Target, Older: filepath.Join(*dir, name+"_older_riscv64.go")}
		for _, f := range kernels {
			f(file)
		}
		path := filepath.Join(*dir, name+"_riscv64")
		file.Write(path+".s", path+".go")
	}
}

// start begins a function.
func start(file *asm.File, name, signature, doc, secret, public string) *asm.Func {
	f := file.Func(name, signature)
	f.Doc, f.Secret, f.Public = doc, secret, public
	return f
}
