// Command zkn writes the AES kernels of internal/aescore/internal/riscv64 for CPUs with Zkne,
// Zknd and Zbkb. Package scalar has the modes.
//
// # Algorithm
//
// A block is two words. One instruction computes a word of the next round, but for the round
// key, from both:
//
//	s0, s1 = aes64esm(s0, s1) ^ key0, aes64esm(s1, s0) ^ key1
//
// Decryption is the equivalent inverse cipher of FIPS 197, section 5.3.5, whose round keys have
// been through InvMixColumns (aes64im). Kernels have one body for all sizes of keys: four rounds
// are skipped if the key has 128 bits, two of them if it has 192.
//
// # Registers
//
//	8      state of four blocks
//	8      tweaks of XTS; otherwise a counter, or ciphertext for the next block
//	2      round key
//	4      temporary, 2 in XTS
//	4      keys, dst, src, n
//
// CBC encryption, with one block, keeps eight round keys in registers.
//
// # Bound
//
// Four blocks take 18 instructions a round, which is 2.9 a byte for AES-128, 3.8 in counter mode
// and 4.2 in XTS. One block takes 66 and 8 for data in CBC encryption, 16 less with round keys
// in registers: 3.8 a byte, of which 20 wait for each other. The SpacemiT X60, which
// starts two instructions in a cycle, has no Zkne. No CPU that has it was available to measure on.
package main

import (
	"flag"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/riscv64"
	"github.com/cipherlane/cipherlane/_gen/scalar"
)

//go:generate go run . -out ../../../internal/aescore/internal/riscv64/aes_zkn_riscv64.s -declarations ../../../internal/aescore/internal/riscv64/aes_zkn_riscv64.go

func main() {
	out := flag.String("out", "", "assembly `file` to write")
	declarations := flag.String("declarations", "", "Go `file` to write")
	flag.Parse()
	file := &asm.File{Target: Target, Proofs: proofs}
	expand(file)
	scalar.Blocks(file, "encryptBlocksZkn", false, cipher)
	scalar.Blocks(file, "decryptBlocksZkn", true, cipher)
	scalar.CTR(file, "ctrZkn", cipher)
	scalar.CBCEncrypt(file, "cbcEncryptZkn", cipher)
	scalar.CBCDecrypt(file, "cbcDecryptZkn", cipher)
	lessTemps := cipher
	lessTemps.Temps = 2
	scalar.XTS(file, "xtsEncryptZkn", false, false, lessTemps)
	scalar.XTS(file, "xtsDecryptZkn", false, true, lessTemps)
	file.Write(*out, *declarations)
}

// Offsets in the keys.
const (
	backward = 15 * 16
	rounds   = 30 * 16
)

var cipher = scalar.Cipher{
	Type:    "KeysZkn",
	Known:   "k.Rounds",
	Words:   2,
	Width:   4,
	Temps:   4,
	In:      [2]int{0, 1},
	Out:     [2]int{0, 1},
	Prepare: prepare,
	Crypt:   crypt,
}

// prepare puts round keys that all sizes of keys use into registers.
func prepare(k *scalar.Kernel, decrypt bool) {
	for i := 7; i < 15; i++ {
		for _, offset := range []int{16 * i, 16*i + 8} {
			k.Held[offset] = k.New(Integer, "held")
			k.Add(MOV(offset, k.Keys, k.Held[offset]))
		}
	}
}

func crypt(k *scalar.Kernel, in []scalar.Block, state [][]asm.Reg, decrypt bool) {
	var key [2]asm.Reg
	load := func(i int) {
		for j := range key {
			offset := 16*i + 8*j
			if decrypt {
				offset += backward
			}
			if r, ok := k.Held[offset]; ok {
				key[j] = r
				continue
			}
			key[j] = k.New(Integer, "key")
			k.Add(MOV(offset, k.Keys, key[j]))
		}
	}
	round := func(i int, op func(a, b, d asm.Reg) asm.Op) {
		load(i)
		for s := state; len(s) > 0; s = s[min(len(s), len(k.T)):] {
			group := s[:min(len(s), len(k.T))]
			for b, s := range group {
				k.Add(op(s[1], s[0], k.T[b]))
			}
			for _, s := range group {
				k.Add(op(s[0], s[1], s[1]))
			}
			for b, s := range group {
				k.Add(XOR(key[0], k.T[b], s[0]), XOR(key[1], s[1], s[1]))
			}
		}
	}
	first := 0
	if decrypt {
		first = 14
	}
	load(first)
	for b, s := range state {
		k.Add(XOR(key[0], in[b][0], s[0]), XOR(key[1], in[b][1], s[1]))
	}
	label := k.Labels()
	size := func() { k.Add(MOV(rounds, k.Keys, k.T[0]), ADDI(-12, k.T[0], k.T[0])) }
	if decrypt {
		for i := 13; i >= 5; i-- {
			round(i, AES64DSM)
		}
		size()
		k.Add(BLTZ(k.T[0], label("final")))
		round(4, AES64DSM)
		round(3, AES64DSM)
		size()
		k.Add(BEQZ(k.T[0], label("final")))
		round(2, AES64DSM)
		round(1, AES64DSM)
		k.Label(label("final"))
		round(0, AES64DS)
		return
	}
	size()
	k.Add(BLTZ(k.T[0], label("nine")), BEQZ(k.T[0], label("eleven")))
	round(1, AES64ESM)
	round(2, AES64ESM)
	k.Label(label("eleven"))
	round(3, AES64ESM)
	round(4, AES64ESM)
	k.Label(label("nine"))
	for i := 5; i < 14; i++ {
		round(i, AES64ESM)
	}
	round(14, AES64ES)
}

// expand writes the key schedule: FIPS 197, section 5.2.
func expand(file *asm.File) {
	f := file.Func("expandZkn", "(k *KeysZkn, key *[4]uint64)")
	f.Doc = `expandZkn sets k to the round keys of a key, whose size is that for k.Rounds.`
	f.Secret, f.Public = "k key", "k.Rounds"
	k, key := f.Arg("k"), f.Arg("key")
	size, t := f.New(Integer, "size"), f.New(Integer, "t")
	f.Add(MOV(rounds, k, size), ADDI(-12, size, size), BEQZ(size, "key192"), BGTZ(size, "key256"))
	schedule := func(words int) {
		w := f.Several(Integer, "w", words)
		total := 2 * (2*words + 7) // of the round keys
		done := 0
		store := func(r asm.Reg) {
			slot := 0
			if done >= 2 {
				slot = 14 - (2*words + 6) + done/2
			}
			offset := 16*slot + 8*(done%2)
			f.Add(SD(r, offset, k))
			if slot == 0 || slot == 14 {
				f.Add(SD(r, backward+offset, k))
			} else {
				f.Add(AES64IM(r, t), SD(t, backward+offset, k))
			}
			done++
		}
		for i, r := range w {
			f.Add(MOV(8*i, key, r))
		}
		for _, r := range w {
			store(r)
		}
		for i := 0; done < total; i++ {
			before := w[words-1]
			f.Add(AES64KS1I(i, before, t), AES64KS2(w[0], t, w[0]))
			for j := 1; j < words && done+j < total; j++ {
				if words == 4 && j == 2 {
					f.Add(AES64KS1I(10, w[1], t), AES64KS2(w[2], t, w[2]))
				} else {
					f.Add(AES64KS2(w[j], w[j-1], w[j]))
				}
			}
			for j := 0; j < words && done < total; j++ {
				store(w[j])
			}
		}
		f.Add(RET())
	}
	schedule(2)
	f.Label("key192")
	schedule(3)
	f.Label("key256")
	schedule(4)
}
