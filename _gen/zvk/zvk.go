// Package zvk has what is around the rounds of block ciphers on RISC-V CPUs with vector
// cryptography: a vector is as many blocks as fit into four registers, each an element group
// of four words. The code is the same for all sizes of registers.
//
// Data is loaded and stored as bytes, because the address of words would have to be a
// multiple of four. Vectors have the length of the blocks left, so that the last pass is not
// longer than it has to be.
package zvk

import (
	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/riscv64"
)

// A Cipher is what modes must know.
type Cipher struct {
	Type string // Go type of the keys
	// Load loads the round keys, each a block. Encrypt and Decrypt process the blocks of state, with words
	// as elements.
	Load             func(k *Kernel)
	Encrypt, Decrypt func(k *Kernel, state []asm.Reg)
}

// A Kernel is a function under construction.
type Kernel struct {
	*asm.Func
	Cipher
	Keys asm.Reg   // argument k
	At   asm.Reg   // an address, of no meaning after use
	Key  []asm.Reg // round keys
	Size asm.Reg   // what says how many of them count

	step, bytes, words, n, dst, src asm.Reg
}

// start begins a function with these arguments: k, dst, src and n, which is a number of bytes.
func start(file *asm.File, name, signature, doc, secret, public string, c Cipher) *Kernel {
	k := &Kernel{Func: file.Func(name, signature), Cipher: c}
	k.Doc, k.Secret, k.Public = doc, secret, public
	k.Keys, k.dst, k.src, k.n = k.Arg("k"), k.Arg("dst"), k.Arg("src"), k.Arg("n")
	k.At = k.New(Integer, "at")
	k.step, k.bytes, k.words = k.New(Integer, "step"), k.New(Integer, "bytes"), k.New(Integer, "words")
	k.Add(VSETIVLI(4, E32, M1, TA, ZERO))
	c.Load(k)
	return k
}

// loop adds a pass: of as many bytes as fit, or of those left. body processes k.bytes bytes in
// k.words words.
func (k *Kernel) loop(body func()) {
	k.Add(
		VSETVLI(ZERO, E8, M4, TA, k.step),
		MOVR(k.step, k.bytes),
		SRLI(2, k.step, k.words),
		BGEU(k.n, k.step, "pass"),
	)
	k.Label("last")
	k.Add(
		MOVR(k.n, k.bytes),
		ADDI(15, k.n, k.words),
		SRLI(4, k.words, k.words),
		SLLI(2, k.words, k.words),
	)
	k.Label("pass")
	body()
	k.Add(
		ADD(k.bytes, k.src, k.src),
		ADD(k.bytes, k.dst, k.dst),
		SUB(k.bytes, k.n, k.n),
		BGEU(k.n, k.step, "pass"),
		BNEZ(k.n, "last"),
	)
}

func (k *Kernel) asBytes() { k.Add(VSETVLI(k.bytes, E8, M4, TA, ZERO)) }
func (k *Kernel) asWords() { k.Add(VSETVLI(k.words, E32, M4, TA, ZERO)) }

// Blocks adds a function that encrypts or decrypts blocks, each independently of the others.
func Blocks(file *asm.File, name, public string, decrypt bool, c Cipher) {
	doc := name + " encrypts n > 0 bytes, whole blocks."
	rounds := c.Encrypt
	if decrypt {
		doc, rounds = name+" decrypts n > 0 bytes, whole blocks.", c.Decrypt
	}
	k := start(file, name, "(k *"+c.Type+", dst, src *byte, n int)", doc, "k dst src", public, c)
	state := k.Group(Vector, "state", 4, 4)
	k.loop(func() {
		k.asBytes()
		k.Add(VLE8V(k.src, state))
		k.asWords()
		rounds(k, state)
		k.asBytes()
		k.Add(VSE8V(state, k.dst))
	})
	k.Add(RET())
}

// CTR adds a function that is counter mode. The counters are words in this machine's order of
// bytes, and only the last word of each block is added to, under a mask.
func CTR(file *asm.File, name, public string, c Cipher) {
	k := start(file, name, "(k *"+c.Type+", counter *[16]byte, dst, src *byte, n int, rest *byte)",
		name+` adds keystream to n > 0 bytes. The last 32 bits of the counter count, modulo
2^32. If the last block is not whole, its unused keystream goes to rest.`,
		"k counter dst src rest", public, c)
	counter := k.Arg("counter")
	state, data, next := k.Group(Vector, "state", 4, 4), k.Group(Vector, "data", 4, 4), k.Group(Vector, "next", 4, 4)
	index := k.Group(Vector, "index", 4, 4)
	mask, blocks, undisturbed := k.New(Vector, "mask"), k.New(Integer, "blocks"), k.New(Integer, "undisturbed")
	k.Fix(mask, 0)
	k.Add(
		VSETIVLI(16, E8, M4, TA, ZERO),
		VLE8V(counter, data),
		MOVI(undisturbedWords, undisturbed),
		VSETVL(undisturbed, ZERO, blocks),
		SRLI(2, blocks, blocks),
		VIDV(state),
		VANDVI(3, state, index),
		VMSEQVI(3, index, mask),
		VSRLVI(2, state, state),
		VRGATHERVV(index, data, next),
		VREV8V(next, next),
		Keep(Masked(mask, VADDVV(state, next, next))),
	)
	k.loop(func() {
		k.Add(
			VSETVL(undisturbed, k.words, ZERO),
			VREV8V(next, state),
			Keep(Masked(mask, VADDVX(blocks, next, next))),
		)
		c.Encrypt(k, state)
		k.asBytes()
		k.Add(
			VLE8V(k.src, data),
			VXORVV(state, data, data),
			VSE8V(data, k.dst),
		)
	})
	rest, unused := k.Arg("rest"), k.New(Integer, "unused")
	k.Add(
		NEG(k.bytes, unused),
		ANDI(15, unused, unused),
		BEQZ(unused, "done"),
		VSETVLI(unused, E8, M4, TA, ZERO),
		VSLIDEDOWNVX(k.bytes, state, data),
		VSE8V(data, rest),
	)
	k.Label("done")
	k.Add(RET())
}

// undisturbedWords is the type of vectors of words in four registers, whose elements behind the
// last have no meaning, and those outside a mask stay as they are.
const undisturbedWords = 2 | 2<<3 | 1<<6

// CBCDecrypt adds a function that is CBC decryption.
func CBCDecrypt(file *asm.File, name, public string, c Cipher) {
	k := start(file, name, "(k *"+c.Type+", iv *[16]byte, dst, src *byte, n int)",
		name+" decrypts n > 0 bytes, whole blocks. iv becomes the last block of src.", "k iv dst src", public, c)
	iv := k.Arg("iv")
	state, data, before := k.Group(Vector, "state", 4, 4), k.Group(Vector, "data", 4, 4), k.Group(Vector, "before", 4, 4)
	last := k.New(Integer, "last")
	k.Add(VSETIVLI(16, E8, M4, TA, ZERO), VLE8V(iv, before))
	k.loop(func() {
		k.asBytes()
		k.Add(VLE8V(k.src, data))
		k.asWords()
		k.Add(VMVVV(data, state))
		c.Decrypt(k, state)
		k.Add(
			VSLIDEUPVI(4, data, before),
			VXORVV(before, state, state),
			ADDI(-4, k.words, last),
			VSLIDEDOWNVX(last, data, before),
		)
		k.asBytes()
		k.Add(VSE8V(state, k.dst))
	})
	k.Add(VSETIVLI(16, E8, M4, TA, ZERO), VSE8V(before, iv), RET())
}

// CBCEncrypt adds a function that is CBC encryption.
func CBCEncrypt(file *asm.File, name, public string, c Cipher) {
	k := start(file, name, "(k *"+c.Type+", iv *[16]byte, dst, src *byte, n int)",
		name+" encrypts n > 0 bytes, whole blocks. iv becomes the last block of dst.", "k iv dst src", public, c)
	iv := k.Arg("iv")
	state, data := k.New(Vector, "state"), k.New(Vector, "data")
	k.Add(
		ADD(k.src, k.n, k.n),
		VSETIVLI(16, E8, M1, TA, ZERO),
		VLE8V(iv, state),
	)
	k.Label("block")
	k.Add(
		VLE8V(k.src, data),
		VXORVV(data, state, state),
		VSETIVLI(4, E32, M1, TA, ZERO),
	)
	c.Encrypt(k, []asm.Reg{state})
	k.Add(
		VSETIVLI(16, E8, M1, TA, ZERO),
		VSE8V(state, k.dst),
		ADDI(16, k.src, k.src),
		ADDI(16, k.dst, k.dst),
		BNE(k.src, k.n, "block"),
		VSE8V(state, iv),
		RET(),
	)
}
