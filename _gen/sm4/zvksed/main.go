// Command zvksed writes the SM4 kernels of sm4/internal/riscv64 for CPUs with Zvksed and Zvkb.
// Package zvk has the modes.
//
// # Algorithm
//
// One instruction is four rounds of all blocks of a vector, with four round keys for all of
// them. Decryption has the round keys backwards. The words of a block have their first byte
// highest, and the last four words are the result in reverse: together, all 16 bytes of a
// block are reversed, 8 at a time, and then the two halves change places by two slides.
//
// Modes are those of AES, and so is what they need. Where each block waits for the one before,
// one VRGATHER with a fixed order takes the place of the slides, and the chain is of words as
// rounds want them.
//
// # Registers
//
//	8       round keys
//	4 + 4   state and data
//	4       result
//	4       counters, ciphertext for the next block, or tweaks
//	4       hashes, the power of x between two passes, or what is added to counters
//	1       mask of the halves to slide up, which are also those that count
//
// # Bound
//
// A pass is 8 instructions of rounds and 3 of order; counter mode has 9 for counters, data,
// changes of the size of elements and the loop: with registers of 256 bits, as in the SpacemiT
// X100, 20 for 128 bytes, 0.16 a byte. GCM has 23 (0.18), CBC decryption 22 (0.17), XTS 25
// (0.20), or 32 (0.25) by shifts. CBC and CFB encryption have 16.5 for a block, 1.03 a byte,
// CBC-MAC 13.5 and CCM 23 (1.4). No such CPU was available to measure on.
package main

import (
	"flag"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/riscv64"
	"github.com/cipherlane/cipherlane/_gen/zvk"
)

//go:generate go run . -out ../../../sm4/internal/riscv64/sm4_zvksed_riscv64.s -declarations ../../../sm4/internal/riscv64/sm4_zvksed_riscv64.go -older ../../../sm4/internal/riscv64/sm4_zvksed_older_riscv64.go

func main() {
	out := flag.String("out", "", "assembly `file` to write")
	declarations := flag.String("declarations", "", "Go `file` to write")
	flag.Parse()
	file := &asm.File{Target: Target, Proofs: proofs}
	zvk.Blocks(file, "cryptBlocksZvksed", "", false, cipher)
	zvk.CTR(file, "ctrZvksed", "", cipher)
	zvk.CBCEncrypt(file, "cbcEncryptZvksed", "", cipher)
	zvk.CBCDecrypt(file, "cbcDecryptZvksed", "", cipher)
	zvk.CBCMAC(file, "cbcMACZvksed", "", cipher)
	zvk.CFBEncrypt(file, "cfbEncryptZvksed", "", cipher)
	zvk.CFBDecrypt(file, "cfbDecryptZvksed", "", cipher)
	zvk.CCM(file, "ccmSealZvksed", "", false, cipher)
	zvk.CCM(file, "ccmOpenZvksed", "", true, cipher)
	zvk.XTS(file, "xtsZvksed", "", false, false, cipher)
	zvk.XTS(file, "xtsGBZvksed", "", false, true, cipher)
	zvk.XTSByShifts(file, "xtsShiftsZvksed", "", false, false, cipher)
	zvk.XTSByShifts(file, "xtsGBShiftsZvksed", "", false, true, cipher)
	zvk.GCM(file, "sealZvksed", "", true, cipher)
	zvk.GCM(file, "openZvksed", "", false, cipher)
	file.Write(*out, *declarations)
}

var cipher = zvk.Cipher{
	Type:  "KeysZvksed",
	Swaps: true,
	Load: func(k *zvk.Kernel) {
		k.Key = k.Several(Vector, "key", 8)
		k.Add(VLE32V(k.Keys, k.Key[0]))
		for i := 1; i < 8; i++ {
			k.Add(ADDI(16*i, k.Keys, k.At), VLE32V(k.At, k.Key[i]))
		}
	},
	Sizes:   1,
	Encrypt: rounds,
	Decrypt: rounds,
}

func rounds(k *zvk.Kernel, state []asm.Reg, _ int) {
	for _, key := range k.Key {
		k.Add(VSM4RVS(key, state))
	}
}
