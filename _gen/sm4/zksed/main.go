// Command zksed writes the SM4 kernels of sm4/internal/riscv64 for CPUs with Zksed and Zbkb.
// Package scalar has the modes.
//
// # Algorithm
//
// GB/T 32907-2016. sm4ed adds what T makes of one byte of a word, so that a round is four of
// them and the sum of three words and the round key. Two rounds share the sum of two words:
//
//	u = X[i+2] ^ X[i+3]
//	X[i+4] = X[i] ^ T(u ^ X[i+1] ^ rk[i])
//	X[i+5] = X[i+1] ^ T(u ^ X[i+4] ^ rk[i+1])
//
// The instruction expects the first byte of a word as the lowest, so that data and round keys
// are as they are in memory, two words in a register. The upper halves of state have no
// meaning. Decryption has the round keys backwards.
//
// # Registers
//
//	12     state of three blocks, of two in XTS
//	6      u, sums, and a round key
//	3      counter
//	4      keys, dst, src, n
//
// CBC encryption, with one block, keeps 12 round keys in registers.
//
// # Bound
//
// Two rounds are 13 instructions a block, with round keys 219 in 32 rounds: 13.7 a byte, 14.5 in
// counter mode. The SpacemiT X60, which starts two instructions in a cycle, has no Zksed; for a
// core like it with one unit for sm4ed, these 128 are the bound, 8 cycles a byte. CBC encryption
// waits: six instructions a round, 12 cycles a byte. No CPU was available to measure on.
package main

import (
	"encoding/binary"
	"flag"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/riscv64"
	"github.com/cipherlane/cipherlane/_gen/scalar"
)

//go:generate go run . -out ../../../sm4/internal/riscv64/sm4_zksed_riscv64.s -declarations ../../../sm4/internal/riscv64/sm4_zksed_riscv64.go

func main() {
	out := flag.String("out", "", "assembly `file` to write")
	declarations := flag.String("declarations", "", "Go `file` to write")
	flag.Parse()
	file := &asm.File{Target: Target, Proofs: proofs}
	expand(file)
	scalar.Blocks(file, "cryptBlocksZksed", false, cipher)
	scalar.CTR(file, "ctrZksed", cipher)
	scalar.CBCEncrypt(file, "cbcEncryptZksed", cipher)
	scalar.CBCDecrypt(file, "cbcDecryptZksed", cipher)
	scalar.CFBDecrypt(file, "cfbDecryptZksed", cipher)
	two := cipher
	two.Width, two.Temps = 2, 4
	scalar.XTS(file, "xtsZksed", false, false, two)
	scalar.XTS(file, "xtsGBZksed", true, false, two)
	file.Write(*out, *declarations)
}

var cipher = scalar.Cipher{
	Type:    "KeysZksed",
	Words:   4,
	Width:   3,
	Temps:   6,
	In:      [2]int{0, 2},
	Out:     [2]int{3, 1},
	Prepare: prepare,
	Crypt:   crypt,
}

// prepare puts round keys into registers.
func prepare(k *scalar.Kernel, _ bool) {
	for i := range 12 {
		k.Held[4*i] = k.New(Integer, "held")
		k.Add(MOVWU(4*i, k.Keys, k.Held[4*i]))
	}
}

// expand writes the key schedule: GB/T 32907-2016, 7.3. Its rounds are those of the cipher with
// another T.
func expand(file *asm.File) {
	var constants []byte
	for i := range 4 * 32 {
		constants = append(constants, byte(7*i))
	}
	for _, fk := range []uint32{0xa3b1bac6, 0x56aa3350, 0x677d9197, 0xb27022dc} {
		constants = binary.BigEndian.AppendUint32(constants, fk)
	}
	table := file.Table("constants", "CK and FK: GB/T 32907-2016, 7.3.", constants)
	f := file.Func("expandZksed", "(k *PairZksed, key *[2]uint64)")
	f.Doc = "expandZksed sets k to the round keys of a key."
	f.Secret = "k key"
	k, key, constant := f.Arg("k"), f.Arg("key"), f.New(Integer, "constants")
	x, u, sum := f.Several(Integer, "x", 4), f.New(Integer, "u"), f.New(Integer, "sum")
	f.Add(Address(table, constant), MOV(0, key, x[0]), MOV(8, key, x[2]), SRLI(32, x[0], x[1]), SRLI(32, x[2], x[3]))
	for i, x := range x {
		f.Add(MOVWU(128+4*i, constant, sum), XOR(sum, x, x))
	}
	round := func(i int, sum asm.Reg) {
		to := x[i%4]
		for n := range 4 {
			f.Add(SM4KS(n, sum, to, to))
		}
		f.Add(SW(to, 4*i, k), SW(to, 128+4*(31-i), k))
	}
	for i := 0; i < 32; i += 2 {
		f.Add(
			XOR(x[(i+2)%4], x[(i+3)%4], u),
			MOVWU(4*i, constant, sum),
			XOR(x[(i+1)%4], sum, sum),
			XOR(u, sum, sum),
		)
		round(i, sum)
		f.Add(
			MOVWU(4*i+4, constant, sum),
			XOR(sum, u, u),
			XOR(x[i%4], u, u),
		)
		round(i+1, u)
	}
	f.Add(RET())
}

func crypt(k *scalar.Kernel, in []scalar.Block, state [][]asm.Reg, _ bool) {
	for b, x := range state {
		for i, w := range in[b] {
			k.Add(SRLI(32, w, x[2*i+1]))
			if w != x[2*i] {
				k.Add(MOVR(w, x[2*i]))
			}
		}
	}
	u, sum := func(b int) asm.Reg { return k.T[2*b] }, func(b int) asm.Reg { return k.T[2*b+1] }
	// key returns a round key, which may be in the sum of the last block.
	key := func(i int) asm.Reg {
		if r, ok := k.Held[4*i]; ok {
			return r
		}
		r := sum(len(state) - 1)
		k.Add(MOVWU(4*i, k.Keys, r))
		return r
	}
	transform := func(sum func(b int) asm.Reg, to int) {
		for n := range 4 {
			for b, x := range state {
				k.Add(SM4ED(n, sum(b), x[to], x[to]))
			}
		}
	}
	for i := 0; i < 32; i += 2 {
		first, second, third, fourth := i%4, (i+1)%4, (i+2)%4, (i+3)%4
		for b, x := range state {
			k.Add(XOR(x[third], x[fourth], u(b)))
		}
		rk := key(i)
		for b, x := range state {
			k.Add(XOR(rk, x[second], sum(b)))
		}
		for b := range state {
			k.Add(XOR(u(b), sum(b), sum(b)))
		}
		transform(sum, first)
		rk = key(i + 1)
		for b := range state {
			k.Add(XOR(rk, u(b), u(b)))
		}
		for b, x := range state {
			k.Add(XOR(x[first], u(b), u(b)))
		}
		transform(u, second)
	}
	for _, x := range state {
		k.Add(PACK(x[2], x[3], x[3]), PACK(x[0], x[1], x[1]))
	}
}
