// Package scalar has what is around the rounds of block ciphers in the integer registers of
// RISC-V: several blocks side by side, and then the last ones one by one.
//
// Data is loaded and stored as words of 64 bits. If it does not begin at a multiple of 8, which
// some machines emulate slowly, each block is loaded and stored byte by byte.
package scalar

import (
	"fmt"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/riscv64"
)

// A Cipher is what modes must know.
type Cipher struct {
	Type  string // Go type of the keys
	Known string // what of them is not secret
	Words int    // registers that the state of a block needs
	Width int    // blocks side by side
	Temps int    // registers that Crypt needs beside the state, of all blocks together

	// Prepare adds what stays in registers for all passes of one block. It may be nil.
	Prepare func(k *Kernel, decrypt bool)
	// Crypt encrypts or decrypts blocks from in, whose registers may be those of the state, or of
	// several blocks. Two words of the state of each block are the result.
	Crypt func(k *Kernel, in []Block, state [][]asm.Reg, decrypt bool)
	// In and Out are the places of the words of a block in its state, before and after.
	In, Out [2]int
}

// A Block is its words, the one from the lower address first.
type Block [2]asm.Reg

// A Kernel is a function under construction.
type Kernel struct {
	*asm.Func
	Cipher
	Keys asm.Reg         // argument k
	T    []asm.Reg       // between instructions
	Held map[int]asm.Reg // by offset: what of the keys is in registers

	dst, src, n asm.Reg
	state       [][]asm.Reg
	labels      int
}

// Labels returns a function that makes names unique in the kernel.
func (k *Kernel) Labels() func(name string) string {
	k.labels++
	n := k.labels
	return func(name string) string { return fmt.Sprint(name, n) }
}

// start begins a function with arguments k, dst, src and n, which is a number of bytes.
func start(file *asm.File, name, signature, doc, secret string, c Cipher) *Kernel {
	k := &Kernel{Func: file.Func(name, signature), Cipher: c, Held: map[int]asm.Reg{}}
	k.Doc, k.Secret, k.Public = doc, secret, c.Known
	k.Keys, k.dst, k.src, k.n = k.Arg("k"), k.Arg("dst"), k.Arg("src"), k.Arg("n")
	k.T = k.Several(Integer, "t", c.Temps)
	for b := range c.Width {
		k.state = append(k.state, k.Several(Integer, fmt.Sprint("state", b, "_"), c.Words))
	}
	return k
}

// in and out are the words of the first n blocks of the state, before and after Crypt.
func (k *Kernel) in(n int) []Block  { return blocks(k.state[:n], k.In) }
func (k *Kernel) out(n int) []Block { return blocks(k.state[:n], k.Out) }

func blocks(state [][]asm.Reg, at [2]int) (b []Block) {
	for _, s := range state {
		b = append(b, Block{s[at[0]], s[at[1]]})
	}
	return b
}

// load reads a block, which is at a multiple of 8 unless it is read by bytes.
func (k *Kernel) load(offset int, from asm.Reg, b Block, bytes bool) {
	for i, w := range b {
		offset := offset + 8*i
		if !bytes {
			k.Add(MOV(offset, from, w))
			continue
		}
		k.Add(MOVBU(offset+7, from, w))
		for j := 6; j >= 0; j-- {
			k.Add(SLLI(8, w, w), MOVBU(offset+j, from, k.T[0]), OR(k.T[0], w, w))
		}
	}
}

// store writes a block.
func (k *Kernel) store(b Block, offset int, to asm.Reg, bytes bool) {
	for i, w := range b {
		offset := offset + 8*i
		if !bytes {
			k.Add(SD(w, offset, to))
			continue
		}
		k.Add(SB(w, offset, to))
		for j := 1; j < 8; j++ {
			k.Add(SRLI(8*j, w, k.T[0]), SB(k.T[0], offset+j, to))
		}
	}
}

// anywhere adds what body makes for an address at a multiple of 8, and for any other.
func (k *Kernel) anywhere(at asm.Reg, body func(bytes bool)) {
	label := k.Labels()
	k.Add(ANDI(7, at, k.T[0]), BEQZ(k.T[0], label("words")))
	body(true)
	k.Add(JMP(label("moved")))
	k.Label(label("words"))
	body(false)
	k.Label(label("moved"))
}

// loop adds body for passes of as many blocks as there are side by side, for one block, and
// for one block that is moved by bytes.
func (k *Kernel) loop(body func(n int, bytes bool)) {
	pass := func(n int, bytes bool, to string) {
		k.Label(to)
		body(n, bytes)
		k.Add(ADDI(16*n, k.src, k.src), ADDI(16*n, k.dst, k.dst), ADDI(-16*n, k.n, k.n))
	}
	k.Add(OR(k.dst, k.src, k.T[0]), ANDI(7, k.T[0], k.T[0]), BNEZ(k.T[0], "bytes"))
	if k.Width > 1 {
		k.Add(ADDI(-16*k.Width, k.n, k.n), BLTZ(k.n, "rest"))
		pass(k.Width, false, "wide")
		k.Add(BGEZ(k.n, "wide"))
		k.Label("rest")
		k.Add(ADDI(16*k.Width, k.n, k.n), BEQZ(k.n, "done"))
	}
	pass(1, false, "one")
	k.Add(BNEZ(k.n, "one"), JMP("done"))
	pass(1, true, "bytes")
	k.Add(BNEZ(k.n, "bytes"))
	k.Label("done")
}

// Blocks adds a function that encrypts or decrypts blocks, each independently of the others.
func Blocks(file *asm.File, name string, decrypt bool, c Cipher) {
	doc := name + " encrypts n > 0 bytes, whole blocks."
	if decrypt {
		doc = name + " decrypts n > 0 bytes, whole blocks."
	}
	k := start(file, name, "(k *"+c.Type+", dst, src *byte, n int)", doc, "k dst src", c)
	k.loop(func(n int, bytes bool) {
		for i, b := range k.in(n) {
			k.load(16*i, k.src, b, bytes)
		}
		k.Crypt(k, k.in(n), k.state[:n], decrypt)
		for i, b := range k.out(n) {
			k.store(b, 16*i, k.dst, bytes)
		}
	})
	k.Add(RET())
}

// CTR adds a function that is counter mode.
func CTR(file *asm.File, name string, c Cipher) {
	k := start(file, name, "(k *"+c.Type+", counter *[16]byte, dst, src *byte, n int)",
		name+` adds keystream to n > 0 bytes, whole blocks. The last 32 bits of the counter
count, modulo 2^32. It advances past the last block.`,
		"k counter dst src", c)
	low, high, count := k.New(Integer, "low"), k.New(Integer, "high"), k.New(Integer, "count")
	counter, data := k.Arg("counter"), Block{k.New(Integer, "data0"), k.New(Integer, "data1")}
	k.anywhere(counter, func(bytes bool) { k.load(0, counter, Block{low, high}, bytes) })
	// The counter is in the upper half of count, so that it has no carry.
	k.Add(REV8(high, count), SLLI(32, count, count))
	k.loop(func(n int, bytes bool) {
		one, in := k.T[0], k.in(n)
		k.Add(MOVI(1, one), SLLI(32, one, one))
		for i := range in {
			k.Add(
				REV8(count, in[i][1]),
				ADD(one, count, count),
				PACK(in[i][1], high, in[i][1]),
			)
			in[i][0] = low
		}
		k.Crypt(k, in, k.state[:n], false)
		for i, b := range k.out(n) {
			k.load(16*i, k.src, data, bytes)
			k.Add(XOR(data[0], b[0], b[0]), XOR(data[1], b[1], b[1]))
			k.store(b, 16*i, k.dst, bytes)
		}
	})
	k.LoadArg("counter", counter)
	k.Add(REV8(count, count), PACK(count, high, high))
	k.anywhere(counter, func(bytes bool) { k.store(Block{low, high}, 0, counter, bytes) })
	k.Add(RET())
}

// CBCEncrypt adds a function that is CBC encryption.
func CBCEncrypt(file *asm.File, name string, c Cipher) {
	c.Width, c.Temps = 1, c.Temps/c.Width
	k := start(file, name, "(k *"+c.Type+", iv *[16]byte, dst, src *byte, n int)",
		name+" encrypts n > 0 bytes, whole blocks. iv becomes the last block of dst.", "k iv dst src", c)
	iv, data := k.New(Integer, "iv"), Block{k.New(Integer, "data0"), k.New(Integer, "data1")}
	in, out := k.in(1)[0], k.out(1)[0]
	k.LoadArg("iv", iv)
	k.anywhere(iv, func(bytes bool) { k.load(0, iv, out, bytes) })
	if k.Prepare != nil {
		k.Prepare(k, false)
	}
	k.loop(func(_ int, bytes bool) {
		k.load(0, k.src, data, bytes)
		k.Add(XOR(data[0], out[0], in[0]), XOR(data[1], out[1], in[1]))
		k.Crypt(k, k.in(1), k.state, false)
		k.store(out, 0, k.dst, bytes)
	})
	k.LoadArg("iv", iv)
	k.anywhere(iv, func(bytes bool) { k.store(out, 0, iv, bytes) })
	k.Add(RET())
}

// CBCDecrypt adds a function that is CBC decryption. CFBDecrypt is the same in the other
// direction.
func CBCDecrypt(file *asm.File, name string, c Cipher) { feedback(file, name, true, c) }

// CFBDecrypt adds a function that is CFB decryption with feedback of whole blocks.
func CFBDecrypt(file *asm.File, name string, c Cipher) { feedback(file, name, false, c) }

// feedback decrypts with what is known of all blocks beforehand. Blocks are stored in reverse,
// because dst may be src, and the one before is read again.
func feedback(file *asm.File, name string, cbc bool, c Cipher) {
	k := start(file, name, "(k *"+c.Type+", iv *[16]byte, dst, src *byte, n int)",
		name+" decrypts n > 0 bytes, whole blocks. iv becomes the last block of src.", "k iv dst src", c)
	iv := k.New(Integer, "iv")
	chain := Block{k.New(Integer, "chain0"), k.New(Integer, "chain1")}
	last := Block{k.New(Integer, "last0"), k.New(Integer, "last1")}
	data := Block{k.New(Integer, "data0"), k.New(Integer, "data1")}
	k.LoadArg("iv", iv)
	k.anywhere(iv, func(bytes bool) { k.load(0, iv, chain, bytes) })
	add := func(b, to Block) { k.Add(XOR(b[0], to[0], to[0]), XOR(b[1], to[1], to[1])) }
	k.loop(func(n int, bytes bool) {
		in, out := k.in(n), k.out(n)
		if cbc {
			for i, b := range in {
				k.load(16*i, k.src, b, bytes)
			}
		} else {
			for i, b := range in[1:] {
				k.load(16*i, k.src, b, bytes)
			}
			in[0] = chain
		}
		k.Crypt(k, in, k.state[:n], cbc)
		k.load(16*(n-1), k.src, last, bytes)
		for i := n - 1; i >= 0; i-- {
			switch {
			case !cbc && i == n-1:
				add(last, out[i])
			case !cbc:
				k.load(16*i, k.src, data, bytes)
				add(data, out[i])
			case i > 0:
				k.load(16*(i-1), k.src, data, bytes)
				add(data, out[i])
			default:
				add(chain, out[i])
			}
			k.store(out[i], 16*i, k.dst, bytes)
		}
		k.Add(MOVR(last[0], chain[0]), MOVR(last[1], chain[1]))
	})
	k.LoadArg("iv", iv)
	k.anywhere(iv, func(bytes bool) { k.store(chain, 0, iv, bytes) })
	k.Add(RET())
}

// XTS adds a function that encrypts or decrypts blocks under consecutive tweaks. With gb, as in
// GB/T 17964-2021, the bits of each byte of a tweak are reversed before it is added. c has
// fewer blocks side by side than for other modes, or fewer registers for Crypt.
func XTS(file *asm.File, name string, gb, decrypt bool, c Cipher) {
	doc := name + " encrypts"
	if decrypt {
		doc = name + " decrypts"
	}
	k := start(file, name, "(k *"+c.Type+", tweak *[16]byte, dst, src *byte, n int)",
		doc+" n > 0 bytes, whole blocks. tweak, already encrypted, becomes that of the next block.",
		"k tweak dst src", c)
	var tweaks []Block
	for i := range c.Width {
		tweaks = append(tweaks, Block{k.New(Integer, fmt.Sprint("tweak", i, "_0")), k.New(Integer, fmt.Sprint("tweak", i, "_1"))})
	}
	last := tweaks[0] // of those whose bits are not reversed
	if gb {
		last = Block{k.New(Integer, "last0"), k.New(Integer, "last1")}
	}
	at := k.New(Integer, "at")
	// next multiplies by x, modulo x^128 + x^7 + x^2 + x + 1.
	next := func(t, d Block) {
		k.Add(
			SRAI(63, t[1], k.T[0]),
			SRLI(63, t[0], k.T[1]),
			ANDI(0x87, k.T[0], k.T[0]),
			SLLI(1, t[0], d[0]),
			SLLI(1, t[1], d[1]),
			XOR(k.T[0], d[0], d[0]),
			OR(k.T[1], d[1], d[1]),
		)
	}
	k.LoadArg("tweak", at)
	k.anywhere(at, func(bytes bool) { k.load(0, at, last, bytes) })
	k.loop(func(n int, bytes bool) {
		for i, b := range k.in(n) {
			k.load(16*i, k.src, b, bytes)
			switch {
			case gb:
				k.Add(BREV8(last[0], tweaks[i][0]), BREV8(last[1], tweaks[i][1]))
				next(last, last)
			case i > 0:
				next(tweaks[i-1], tweaks[i])
			}
			k.Add(XOR(tweaks[i][0], b[0], b[0]), XOR(tweaks[i][1], b[1], b[1]))
		}
		k.Crypt(k, k.in(n), k.state[:n], decrypt)
		for i, b := range k.out(n) {
			k.Add(XOR(tweaks[i][0], b[0], b[0]), XOR(tweaks[i][1], b[1], b[1]))
			k.store(b, 16*i, k.dst, bytes)
		}
		if !gb {
			next(tweaks[n-1], tweaks[0])
		}
	})
	k.LoadArg("tweak", at)
	k.anywhere(at, func(bytes bool) { k.store(last, 0, at, bytes) })
	k.Add(RET())
}
