// Command arm64 writes the kernels of frodokem/internal/arm64, but for the generation of A without
// AES instructions, which is in _gen/aes/bitslice. Command frodokem has the products of FrodoKEM,
// with the names used here.
//
// # Algorithm
//
// Entries 8j to 8j+7 of row i of A are AES-128 of the numbers i and 8j, and then zeros. After two
// rounds the state is X[i] + Y[j], since the bytes of i and j meet only in the second, and there
// only linearly. So n + n/8 blocks of two rounds are made first, and eight rounds are left for each
// of the n n/8 blocks of A. X[i] has the round key, and AESE adds it to Y[j]. Sixteen rows
// at a time are stored, and then multiplied:
//
//	matrix.go     rows of A by AES instructions
//	products.go   S'A, S'B; and rows by rows, which is A S and B'S
//	noise.go      sampling, comparison
//
// A register has eight entries of a row. MLA multiplies it by an element of S' and adds. The 16
// columns of S' that meet 16 rows of A are in registers while all columns of A pass.
//
// Secrets are S, S' and the noise. A is public.
//
// # Registers
//
//	matrix        8 states, 8 round keys, X[i]
//	S'A           16 columns of S', which must be V0 to V15; 8 sums; 8 rows of A; 24 pointers
//	S'B           8 rows of S'; 8 of B; 8 sums
//	rows by rows  16 sums, 4 + 4 rows
//	sampling      12 entries of the distribution; words, signs, sums of four vectors
//
// # Bound
//
// For FrodoKEM-640-AES, 51200 blocks of A are 16 instructions and two halves of loads and stores
// of pairs: 0.88 million. S'A is 128 MLA for 16 vectors of A, 16 loads of them, and 16 loads and
// stores of sums: 0.52 million. Keccak, 240 permutations, is 0.65 million. In llvm-mca's models,
// eight blocks of A take 120 cycles on Cortex-A72, 124 on Neoverse N1 and 34 on V2; it does not
// fuse AESE and AESMC. The 128 MLA take 256 cycles on Cortex-A72, whose multiplier needs two for
// each, 73 on N1 and 71 on V2.
package main

import (
	"flag"
	"path/filepath"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm64"
)

//go:generate go run . -dir ../../../frodokem/internal/arm64

func main() {
	dir := flag.String("dir", "", "`folder` to write to")
	flag.Parse()
	for name, kernels := range map[string][]func(*asm.File){
		"matrix_ce":     {twoCE, rowsCE},
		"products_neon": {columns, addRows, mulSB, dots},
		"noise_neon":    {sample, difference},
	} {
		file := &asm.File{Target: Target, Proofs: proofs[name]}
		for _, f := range kernels {
			f(file)
		}
		path := filepath.Join(*dir, name+"_arm64")
		file.Write(path+".s", path+".go")
	}
}

// proofs are by files.
var proofs = map[string]map[string][]string{
	"matrix_ce": {
		"twoCE":  {"frodo.two blocks=1,2"},
		"rowsCE": {"frodo.generate rows=2 first=3 n=64,96,128"},
	},
	"products_neon": {
		"columnsNEON": {"frodo.pairs pairs=ssse3 n=8,16"},
		"addRowsNEON": {"frodo.rows pairs=ssse3 rows=16 n=8,24 first=0,16"},
		"mulSBNEON":   {"frodo.sb n=8,24"},
		"dotsNEON":    {"frodo.dots r=4,8 n=8,24"},
	},
	"noise_neon": {
		"sampleNEON":     {"frodo.sample n=32,64 entries=12"},
		"differenceNEON": {"frodo.difference n=32,64"},
	},
}

// start begins a function.
func start(file *asm.File, name, signature, doc, secret, public string) *asm.Func {
	f := file.Func(name, signature)
	f.Doc, f.Secret, f.Public = doc, secret, public
	return f
}

// pointers returns n registers: p, p + stride, and so on.
func pointers(f *asm.Func, name string, n int, p, stride asm.Reg) []asm.Reg {
	r := f.Several(Integer, name, n)
	f.Add(MOVD(p, r[0]))
	for i := 1; i < n; i++ {
		f.Add(ADD(stride, r[i-1], r[i]))
	}
	return r
}
