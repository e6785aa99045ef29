// Command zvkned writes the AES kernels of internal/aescore/internal/riscv64 for CPUs with
// Zvkned and Zvkb. Package zvk has the modes.
//
// # Algorithm
//
// One instruction is a round of all blocks of a vector, with one round key for all of them.
// Decryption is the cipher of FIPS 197, section 5.3, and uses the same round keys backwards.
// Loops of whole vectors have a body for each size of keys; the pass behind them has one for all,
// which skips four rounds if the key has 128 bits, two of them if it has 192.
//
// GCM needs Zvkg, too: each pass hashes the ciphertext of the one before, in lanes, where every
// block of a vector is multiplied by the power of the hash key for all of them. XTS multiplies
// tweaks the same way, and has kernels that do so by shifts for CPUs without Zvkg.
//
// Where each block waits for the one before, a vector is one block: CBC and CFB encryption and
// CBC-MAC. The last round key is plus the first one, so that a link of the chain is the rounds
// and the sum with the plaintext; what is stored is another sum, beside the chain. In CCM a
// vector is two blocks, the MAC and a counter.
//
// # Registers
//
//	15      round keys: the first, four for longer keys, nine, and the last
//	4 + 4   state and data
//	4       counters, ciphertext for the next block, or tweaks
//	4       hashes, or the power of x between two passes
//	1       mask of the words that count
//
// In GCM the powers of the hash key are loaded to where state is next. Tweaks by shifts need all
// 32 registers: what leaves words is where state is next.
//
// # Bound
//
// A pass of counter mode is 11 instructions of rounds for AES-128, and 8 for counters, data and
// the loop: with registers of 256 bits, as in the SpacemiT X100, 19 for 128 bytes, 0.15 a byte;
// GCM has 21 (0.16), XTS, CBC and CFB decryption have 20, and blocks 16 (0.13). XTS by shifts has
// 31 (0.24). CBC and CFB encryption have 16.5 for a block, 1.03 a byte, CBC-MAC 13.5 and CCM 24
// (1.5), and CBC and CFB 19 if addresses are no multiples of four, but the chain of 10 rounds and
// a sum is what takes the time. No such CPU was available to measure on.
package main

import (
	"flag"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/riscv64"
	"github.com/cipherlane/cipherlane/_gen/zvk"
)

//go:generate go run . -out ../../../internal/aescore/internal/riscv64/aes_zvkned_riscv64.s -declarations ../../../internal/aescore/internal/riscv64/aes_zvkned_riscv64.go -older ../../../internal/aescore/internal/riscv64/aes_zvkned_older_riscv64.go

func main() {
	out := flag.String("out", "", "assembly `file` to write")
	declarations := flag.String("declarations", "", "Go `file` to write")
	flag.Parse()
	file := &asm.File{Target: Target, Proofs: proofs}
	const public = "k.Rounds"
	zvk.Blocks(file, "encryptBlocksZvkned", public, false, cipher)
	zvk.Blocks(file, "decryptBlocksZvkned", public, true, cipher)
	zvk.CTR(file, "ctrZvkned", public, cipher)
	zvk.CBCEncrypt(file, "cbcEncryptZvkned", public, cipher)
	zvk.CBCDecrypt(file, "cbcDecryptZvkned", public, cipher)
	zvk.CBCMAC(file, "cbcMACZvkned", public, cipher)
	zvk.CFBEncrypt(file, "cfbEncryptZvkned", public, cipher)
	zvk.CFBDecrypt(file, "cfbDecryptZvkned", public, cipher)
	zvk.CCM(file, "ccmSealZvkned", public, false, cipher)
	zvk.CCM(file, "ccmOpenZvkned", public, true, cipher)
	zvk.XTS(file, "xtsEncryptZvkned", public, false, false, cipher)
	zvk.XTS(file, "xtsDecryptZvkned", public, true, false, cipher)
	zvk.XTSByShifts(file, "xtsEncryptShiftsZvkned", public, false, false, cipher)
	zvk.XTSByShifts(file, "xtsDecryptShiftsZvkned", public, true, false, cipher)
	zvk.GCM(file, "sealZvkned", public, true, cipher)
	zvk.GCM(file, "openZvkned", public, false, cipher)
	file.Write(*out, *declarations)
}

var cipher = zvk.Cipher{
	Type: "KeysZvkned",
	Load: func(k *zvk.Kernel) {
		k.Key, k.Size = k.Several(Vector, "key", 15), k.New(Integer, "size")
		k.Add(VLE32V(k.Keys, k.Key[0]))
		for i := 1; i < 15; i++ {
			k.Add(ADDI(16*i, k.Keys, k.At), VLE32V(k.At, k.Key[i]))
		}
		k.Add(MOV(240, k.Keys, k.Size), ADDI(-12, k.Size, k.Size))
	},
	Fold:  func(k *zvk.Kernel) { k.Add(VXORVV(k.Key[0], k.Key[14], k.Key[14])) },
	Sizes: 3,
	Go: func(k *zvk.Kernel, labels []string) {
		k.Add(BEQZ(k.Size, labels[1]), BGTZ(k.Size, labels[2]))
	},
	Encrypt: func(k *zvk.Kernel, state []asm.Reg, size int) {
		if !k.Folded {
			k.Add(VAESZVS(k.Key[0], state))
		}
		first := [3]int{5, 3, 1}
		if size < 0 {
			size = 0
			eleven, nine := k.NewLabel("eleven"), k.NewLabel("nine")
			k.Add(
				BLTZ(k.Size, nine),
				BEQZ(k.Size, eleven),
				VAESEMVS(k.Key[1], state),
				VAESEMVS(k.Key[2], state),
			)
			k.Label(eleven)
			k.Add(VAESEMVS(k.Key[3], state), VAESEMVS(k.Key[4], state))
			k.Label(nine)
		}
		for _, key := range k.Key[first[size]:14] {
			k.Add(VAESEMVS(key, state))
		}
		k.Add(VAESEFVS(k.Key[14], state))
	},
	Decrypt: func(k *zvk.Kernel, state []asm.Reg, size int) {
		k.Add(VAESZVS(k.Key[14], state))
		last := [3]int{5, 3, 1}
		for i := 13; i >= last[max(size, 0)]; i-- {
			k.Add(VAESDMVS(k.Key[i], state))
		}
		if size < 0 {
			final := k.NewLabel("final")
			k.Add(
				BLTZ(k.Size, final),
				VAESDMVS(k.Key[4], state),
				VAESDMVS(k.Key[3], state),
				BEQZ(k.Size, final),
				VAESDMVS(k.Key[2], state),
				VAESDMVS(k.Key[1], state),
			)
			k.Label(final)
		}
		k.Add(VAESDFVS(k.Key[0], state))
	},
}
