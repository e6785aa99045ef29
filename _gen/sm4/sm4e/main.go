// Command sm4e writes the SM4 kernels of sm4/internal/arm64 for CPUs with the SM4
// instructions (FEAT_SM4).
//
// # Algorithm
//
// GB/T 32907-2016. SM4E does four rounds on the four words of a block, SM4EKEY computes four
// round keys:
//
//	x = words of the block         VREV32
//	x = SM4E(x, k[i])              i = 0 ... 7
//	block = words in reverse order VREV64 of all bytes, VEXT
//
// Decryption has the round keys in reverse order. The modes are those of package blockcipher: 8
// blocks at a time, and then 4, 2 and 1. CBC and CFB encryption are here, that of several
// messages in lanes.go, and GCM in gcm.go.
//
// # Registers
//
// The allocator chooses the numbers; the banner of each function lists them.
//
//	k       32 round keys in eight vectors
//	b       blocks
//	others  data, counters, tweaks
//
// # Bound
//
// A block takes 8 SM4E and 3 other instructions, CTR 5 more and loads and stores: 14.5, 0.91 per
// byte. On Neoverse V1, N2 and V2 one unit has SM4E, one in a cycle with a latency of 4: 8 cycles
// for a block side by side, 0.5 per byte, and 32 for one chain, 2 per byte.
package main

import (
	"encoding/binary"
	"flag"
	"strings"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm64"
	"github.com/cipherlane/cipherlane/_gen/blockcipher"
)

//go:generate go run . -out ../../../sm4/internal/arm64/sm4_sm4e_arm64.s -go ../../../sm4/internal/arm64/sm4_sm4e_arm64.go

func main() {
	out := flag.String("out", "", "assembly `file` to write")
	declarations := flag.String("go", "", "Go `file` to write")
	flag.Parse()
	file := &asm.File{Target: Target, Proofs: proofs}
	expand(file)
	sm4.Blocks(file, false)
	sm4.Blocks(file, true)
	chain(file, "CBC")
	chain(file, "CFB")
	sm4.CBCDecrypt(file)
	sm4.CTR(file)
	sm4.CTR32(file)
	oneWay.XTS(file, false)
	oneWay.XTSGB(file, false)
	sm4.CFBDecrypt(file)
	sm4.Counters(file)
	for _, width := range []int{8, 4, 2, 1} {
		cbcLanes(file, width)
	}
	gcm.Kernels(file)
	file.Write(*out, *declarations)
}

var sm4 = blockcipher.Family{
	Suffix: "SM4",
	Keys:   "KeysSM4",
	Cipher: func(f *asm.Func, keys asm.Reg, _ string, decrypt, _ bool) blockcipher.Cipher {
		return newCipher(f, keys, decrypt)
	},
}

// oneWay has the round keys for one direction.
var oneWay = blockcipher.Family{
	Suffix: "SM4",
	Keys:   "[32]uint32",
	OneWay: true,
	Cipher: func(f *asm.Func, keys asm.Reg, _ string, _, _ bool) blockcipher.Cipher {
		return newCipher(f, keys, false)
	},
}

// A cipher is SM4 in a function.
type cipher struct {
	*asm.Func
	k []asm.Reg
}

// newCipher loads the round keys at p, which it changes.
func newCipher(f *asm.Func, p asm.Reg, decrypt bool) *cipher {
	c := &cipher{f, f.Group(Vector, "k", 8, 1)}
	if decrypt {
		f.Add(ADD(8*16, p, p))
	}
	blockcipher.Each(c.k, func(part []asm.Reg) { f.Add(VLD1(S4, Post(p, 64), part)) })
	return c
}

func (c *cipher) Input(x asm.Reg) []asm.Op { return []asm.Op{VREV32(B16, x, x)} }

func (c *cipher) Output(x asm.Reg) []asm.Op {
	return []asm.Op{VREV64(B16, x, x), VEXT(8, x, x, x)}
}

// Counter swaps the words of each half, which is an integer.
func (c *cipher) Counter(counter, x asm.Reg) []asm.Op {
	return []asm.Op{VREV64(S4, counter, x)}
}

func (c *cipher) Process(b []asm.Reg) {
	for _, k := range c.k {
		for _, x := range b {
			c.Add(SM4E(k, x))
		}
	}
}

func expand(file *asm.File) {
	table := file.Table("keyConstants", "FK and CK of the key schedule.", constants())
	f := file.Func("expandSM4", "(k *KeysSM4, key *[16]byte)")
	f.Doc = "expandSM4 computes the round keys for both directions."
	f.Secret = "k key"
	p, key, t, back := f.Arg("k"), f.Arg("key"), f.New(Integer, "t"), f.New(Integer, "back")
	fk, x, ck, y := f.New(Vector, "fk"), f.New(Vector, "x"), f.New(Vector, "ck"), f.New(Vector, "y")
	f.Add(
		MOVD(table, t),
		VLD1(S4, Post(t, 16), fk),
		VLD1(B16, At(key, 0), x),
		VREV32(B16, x, x),
		VEOR(fk, x, x),
		ADD(16*16, p, back),
	)
	for range 8 {
		f.Add(
			VLD1(S4, Post(t, 16), ck),
			SM4EKEY(ck, x, y),
			VMOV(y, x),
			VST1(S4, y, Post(p, 16)),
			VREV64(S4, y, y),
			VEXT(8, y, y, y),
			FMOVQ(y, Pre(back, -16)),
		)
	}
	f.Add(RET())
}

func constants() (data []byte) {
	for _, fk := range []uint32{0xa3b1bac6, 0x56aa3350, 0x677d9197, 0xb27022dc} {
		data = binary.LittleEndian.AppendUint32(data, fk)
	}
	for i := range 32 {
		var ck uint32
		for j := range 4 {
			ck = ck<<8 | uint32((4*i+j)*7%256)
		}
		data = binary.LittleEndian.AppendUint32(data, ck)
	}
	return data
}

// chain is CBC encryption, or that of CFB, which adds the plaintext afterwards.
func chain(file *asm.File, mode string) {
	f := file.Func(strings.ToLower(mode)+"EncryptSM4", "(k *KeysSM4, iv, dst, src *byte, n int)")
	f.Doc = f.Name + " encrypts n > 0 bytes, whole blocks, in " + mode + " mode. iv becomes the last ciphertext block."
	f.Banner = `The chain is 8 SM4E, two instructions for the order of the words, and a sum. The words of the
plaintext are ready before, and the bytes of the ciphertext are made beside it.`
	f.Secret = "k iv dst src"
	c := newCipher(f, f.Arg("k"), false)
	iv, dst, src, n := f.Arg("iv"), f.Arg("dst"), f.Arg("src"), f.Arg("n")
	x, p, y := f.New(Vector, "x"), f.Group(Vector, "p", 4, 1), f.Group(Vector, "y", 4, 1)
	f.Add(VLD1(B16, At(iv, 0), x), VREV32(B16, x, x))
	// next encrypts a block that has been loaded.
	next := func(p, y asm.Reg) {
		f.Add(VREV32(B16, p, p))
		if mode == "CBC" {
			f.Add(VEOR(p, x, x))
		}
		c.Process([]asm.Reg{x})
		f.Add(VREV64(S4, x, x), VEXT(8, x, x, x))
		if mode == "CFB" {
			f.Add(VEOR(p, x, x))
		}
		f.Add(VREV32(B16, x, y))
	}
	f.Add(SUBS(4*16, n, n), BLO("rest"))
	f.Label("four")
	f.Add(VLD1(B16, Post(src, 64), p))
	for i := range p {
		next(p[i], y[i])
	}
	f.Add(VST1(B16, y, Post(dst, 64)), SUBS(4*16, n, n), BHS("four"))
	f.Label("rest")
	f.Add(ANDS(63, n, n), BEQ("end"))
	f.Label("block")
	f.Add(VLD1(B16, Post(src, 16), p[0]))
	next(p[0], y[0])
	f.Add(VST1(B16, y[0], Post(dst, 16)), SUBS(16, n, n), BNE("block"))
	f.Label("end")
	f.Add(VREV32(B16, x, x), VST1(B16, x, At(iv, 0)), RET())
}
