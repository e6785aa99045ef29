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
	// Load loads the round keys, with words as elements and one block as the length.
	Load func(k *Kernel)
	// Encrypt and Decrypt process the blocks of state, with words as elements, and return the
	// result, which may be in other registers. Swapped says that the bytes of words are in the
	// order that the cipher counts in, and not in that of memory.
	Encrypt, Decrypt func(k *Kernel, state []asm.Reg, swapped bool) []asm.Reg
	// Swaps says that Encrypt wants the bytes swapped.
	Swaps bool
}

// A Kernel is a function under construction.
type Kernel struct {
	*asm.Func
	Cipher
	Keys asm.Reg   // argument k
	At   asm.Reg   // an address, of no meaning after use
	Key  []asm.Reg // round keys
	Size asm.Reg   // what says how many of them count

	step, bytes, n, dst, src asm.Reg

	Words asm.Reg // of this pass
	Half  asm.Reg // half of this number

	type64, mask, odd, count asm.Reg // if the cipher swaps; masks: in use, of odd halves, and of counters
}

// start begins a function with these arguments: k, dst, src and n, which is a number of bytes.
func start(file *asm.File, name, signature, doc, secret, public string, c Cipher) *Kernel {
	k := &Kernel{Func: file.Func(name, signature), Cipher: c}
	k.Doc, k.Secret, k.Public = doc, secret, public
	k.Keys, k.dst, k.src, k.n = k.Arg("k"), k.Arg("dst"), k.Arg("src"), k.Arg("n")
	k.At = k.New(Integer, "at")
	k.step, k.bytes = k.New(Integer, "step"), k.New(Integer, "bytes")
	k.Words, k.Half = k.New(Integer, "words"), k.New(Integer, "half")
	k.Add(VSETIVLI(4, E32, M1, TA, ZERO))
	c.Load(k)
	k.mask = k.New(Vector, "mask")
	k.Fix(k.mask, 0)
	if c.Swaps {
		k.odd, k.type64 = k.New(Vector, "odd"), k.New(Integer, "type64")
		k.bits(0xaa, k.odd)
		k.Add(VMV1RV(k.odd, k.mask), MOVI(undisturbedHalves, k.type64))
	}
	return k
}

// loop adds a pass: of as many bytes as fit, or of those left. body processes k.bytes bytes in
// k.Words words.
func (k *Kernel) loop(body func()) {
	k.Add(
		VSETVLI(ZERO, E8, M4, TA, k.step),
		MOVR(k.step, k.bytes),
		SRLI(2, k.step, k.Words),
		SRLI(3, k.step, k.Half),
		BGEU(k.n, k.step, "pass"),
	)
	k.Label("last")
	k.Add(
		MOVR(k.n, k.bytes),
		ADDI(15, k.n, k.Words),
		SRLI(4, k.Words, k.Words),
		SLLI(1, k.Words, k.Half),
		SLLI(2, k.Words, k.Words),
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

// bits sets a mask to the same 8 bits, over and over.
func (k *Kernel) bits(b int, mask asm.Reg) {
	k.Add(VSETVLI(ZERO, E8, M1, TA, k.At), MOVI(b, k.At), VMVVX(k.At, mask))
}

// Reverse returns the bytes of each block of state in reverse, for a cipher that swaps.
func (k *Kernel) Reverse(state []asm.Reg) []asm.Reg {
	out := k.Group(Vector, "out", 4, 4)
	k.Add(
		VSETVL(k.type64, k.Half, ZERO),
		VREV8V(state, state),
		VSLIDEDOWNVI(1, state, out),
	)
	if k.count.N != 0 {
		k.Add(VMV1RV(k.odd, k.mask))
	}
	k.Add(Keep(Masked(k.mask, VSLIDEUPVI(1, state, out))))
	return out
}

func (k *Kernel) asBytes() { k.Add(VSETVLI(k.bytes, E8, M4, TA, ZERO)) }
func (k *Kernel) asWords() { k.Add(VSETVLI(k.Words, E32, M4, TA, ZERO)) }

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
		out := rounds(k, state, false)
		k.asBytes()
		k.Add(VSE8V(out, k.dst))
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
	blocks, undisturbed := k.New(Integer, "blocks"), k.New(Integer, "undisturbed")
	count := k.mask
	if c.Swaps {
		k.count = k.New(Vector, "count")
		count = k.count
	}
	k.bits(0x88, count)
	counting := func() {
		if c.Swaps {
			k.Add(VMV1RV(count, k.mask))
		}
	}
	counting()
	k.Add(
		VSETIVLI(16, E8, M4, TA, ZERO),
		VLE8V(counter, data),
		MOVI(undisturbedWords, undisturbed),
		VSETVL(undisturbed, ZERO, blocks),
		SRLI(2, blocks, blocks),
		VIDV(state),
		VANDVI(3, state, index),
		VSRLVI(2, state, state),
		VRGATHERVV(index, data, next),
		VREV8V(next, next),
	)
	k.Add(Keep(Masked(k.mask, VADDVV(state, next, next))))
	var out []asm.Reg
	k.loop(func() {
		k.Add(VSETVL(undisturbed, k.Words, ZERO))
		if c.Swaps {
			k.Add(VMVVV(next, state))
		} else {
			k.Add(VREV8V(next, state))
		}
		counting()
		k.Add(Keep(Masked(k.mask, VADDVX(blocks, next, next))))
		out = c.Encrypt(k, state, true)
		k.asBytes()
		k.Add(
			VLE8V(k.src, data),
			VXORVV(out, data, data),
			VSE8V(data, k.dst),
		)
	})
	rest, unused := k.Arg("rest"), k.New(Integer, "unused")
	k.Add(
		NEG(k.bytes, unused),
		ANDI(15, unused, unused),
		BEQZ(unused, "done"),
		VSETVLI(unused, E8, M4, TA, ZERO),
		VSLIDEDOWNVX(k.bytes, out, data),
		VSE8V(data, rest),
	)
	k.Label("done")
	k.Add(RET())
}

// undisturbedWords is the type of vectors of words in four registers, whose elements behind the
// last have no meaning, and those outside a mask stay as they are.
const undisturbedWords = 2 | 2<<3 | 1<<6

// undisturbedHalves is the same with elements of 64 bits.
const undisturbedHalves = 2 | 3<<3 | 1<<6

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
		out := c.Decrypt(k, state, false)
		if c.Swaps {
			k.asWords()
		}
		k.Add(
			VSLIDEUPVI(4, data, before),
			VXORVV(before, out, out),
			ADDI(-4, k.Words, last),
			VSLIDEDOWNVX(last, data, before),
		)
		k.asBytes()
		k.Add(VSE8V(out, k.dst))
	})
	k.Add(VSETIVLI(16, E8, M4, TA, ZERO), VSE8V(before, iv), RET())
}

// CFBDecrypt adds a function that is CFB decryption with feedback of whole blocks.
func CFBDecrypt(file *asm.File, name, public string, c Cipher) {
	k := start(file, name, "(k *"+c.Type+", iv *[16]byte, dst, src *byte, n int)",
		name+" decrypts n > 0 bytes, whole blocks. iv becomes the last block of src.", "k iv dst src", public, c)
	iv := k.Arg("iv")
	data, before := k.Group(Vector, "data", 4, 4), k.Group(Vector, "before", 4, 4)
	last := k.New(Integer, "last")
	k.Add(VSETIVLI(16, E8, M4, TA, ZERO), VLE8V(iv, before))
	k.loop(func() {
		k.asBytes()
		k.Add(VLE8V(k.src, data))
		k.asWords()
		k.Add(VSLIDEUPVI(4, data, before))
		out := c.Encrypt(k, before, false)
		k.asWords()
		k.Add(
			ADDI(-4, k.Words, last),
			VSLIDEDOWNVX(last, data, before),
			VXORVV(out, data, data),
		)
		k.asBytes()
		k.Add(VSE8V(data, k.dst))
	})
	k.Add(VSETIVLI(16, E8, M4, TA, ZERO), VSE8V(before, iv), RET())
}

// CBCEncrypt adds a function that is CBC encryption.
func CBCEncrypt(file *asm.File, name, public string, c Cipher) {
	k := start(file, name, "(k *"+c.Type+", iv *[16]byte, dst, src *byte, n int)",
		name+" encrypts n > 0 bytes, whole blocks. iv becomes the last block of dst.", "k iv dst src", public, c)
	iv := k.Arg("iv")
	state, data := k.Group(Vector, "state", 4, 4), k.Group(Vector, "data", 4, 4)
	one := VSETIVLI(16, E8, M4, TA, ZERO)
	k.Add(
		MOVI(4, k.Words),
		MOVI(2, k.Half),
		ADD(k.src, k.n, k.n),
		one,
		VLE8V(iv, state),
	)
	k.Label("block")
	k.Add(
		VLE8V(k.src, data),
		VXORVV(data, state, state),
		VSETIVLI(4, E32, M4, TA, ZERO),
	)
	out := c.Encrypt(k, state, false)
	k.Add(one, VSE8V(out, k.dst))
	if &out[0] != &state[0] {
		k.Add(VMVVV(out, state))
	}
	k.Add(
		ADDI(16, k.src, k.src),
		ADDI(16, k.dst, k.dst),
		BNE(k.src, k.n, "block"),
		VSE8V(out, iv),
		RET(),
	)
}
