package zvk

import (
	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/riscv64"
)

// Lengths of vectors where each block waits for the one before: a block as bytes, as words, and two
// blocks as words. These are the fewest registers that they fit into.
var (
	blockBytes = VSETIVLI(16, E8, M1, TA, ZERO)
	blockWords = VSETIVLI(4, E32, M1, TA, ZERO)
	pairBytes  = VSETIVLI(16, E8, M2, TA, ZERO)
	pairWords  = VSETIVLI(8, E32, M2, TA, ZERO)
)

// A link is what is around the rounds of a chain. It chains words as the cipher wants
// them, and as [Kernel.turn] leaves them.
type link struct {
	*Kernel
	order []asm.Reg // the words of a block backwards, if the cipher swaps
	data  []asm.Reg
}

// link returns the link for vectors of a number of registers, which are those of words.
func (k *Kernel) link(registers int, words asm.Op) *link {
	l := &link{Kernel: k, data: k.Group(Vector, "data", registers, registers)}
	if registers > 1 || k.Swaps {
		k.Add(words)
	}
	if k.Swaps {
		l.order = k.Group(Vector, "order", registers, registers)
		k.Add(VIDV(l.order), VXORVI(3, l.order, l.order))
	}
	return l
}

// turn leaves the result of rounds in k.out. With a fixed order, one instruction takes the place
// of the three of [Kernel.reverse].
func (l *link) turn() {
	if l.Swaps {
		l.Add(VRGATHERVV(l.order, l.state, l.out))
	}
}

// bytes returns where the bytes of words are: there, or in a register that is not in use.
func (l *link) bytes(words, free []asm.Reg) []asm.Reg {
	switch {
	case l.Folded:
		l.Add(VXORVV(l.Key[:1], words, free))
	case l.Swaps:
		l.Add(VREV8V(words, free))
	default:
		return words
	}
	return free
}

// fold takes the sum with the first round key out of a chain, whose words are plus that key from
// then on.
func (l *link) fold() {
	if l.Fold != nil {
		l.Fold(l.Kernel)
		l.Folded = true
	}
}

// load sets words to the block at address.
func (l *link) load(address asm.Reg, words []asm.Reg) {
	l.Add(blockBytes, VLE8V(address, words), blockWords)
	l.swap(words, words)
	if l.Folded {
		l.Add(VXORVV(l.Key[:1], words, words))
	}
}

// blocks adds a loop over blocks. body is called when l.data is one, as words for the cipher, and
// returns what to store, if there is a k.dst. If addresses are multiples of four, elements are
// words throughout.
func (l *link) blocks(stop asm.Reg, body func(p pass) []asm.Reg) {
	odd := l.New(Integer, "odd")
	l.Add(ADD(l.src, l.n, stop))
	if l.dst.Virtual() {
		l.Add(OR(l.src, l.dst, odd), ANDI(3, odd, odd))
	} else {
		l.Add(ANDI(3, l.src, odd))
	}
	l.Add(BNEZ(odd, "bytes"))
	next := func(out []asm.Reg, store func(out []asm.Reg) asm.Op) {
		if l.dst.Virtual() {
			l.Add(store(out), ADDI(16, l.src, l.src), ADDI(16, l.dst, l.dst))
		} else {
			l.Add(ADDI(16, l.src, l.src))
		}
	}
	words := func(p pass) {
		l.Add(VLE32V(l.src, l.data))
		l.swap(l.data, l.data)
		next(body(p), func(out []asm.Reg) asm.Op { return VSE32V(out, l.dst) })
	}
	// Two blocks are a turn of the loop, whose first one is only half of it if their number is odd.
	l.sizes(func(p pass, label string) {
		both, half := l.NewLabel("both"), l.NewLabel("half")
		l.Label(label)
		l.Add(ANDI(16, l.n, odd), BNEZ(odd, half))
		l.Label(both)
		words(p)
		l.Label(half)
		words(p)
		l.Add(BNE(l.src, stop, both))
	}, "done")
	l.Add(JMP("done"))
	l.Label("bytes")
	l.Add(blockBytes, VLE8V(l.src, l.data), blockWords)
	l.swap(l.data, l.data)
	out := body(end)
	if l.dst.Virtual() {
		l.Add(blockBytes)
	}
	next(out, func(out []asm.Reg) asm.Op { return VSE8V(out, l.dst) })
	l.Add(BNE(l.src, stop, "bytes"))
	l.Label("done")
}

// finish stores a block of words for the next call.
func (l *link) finish(words []asm.Reg, address asm.Reg) {
	l.Add(blockWords)
	out := l.bytes(words, l.data)
	l.Add(blockBytes, VSE8V(out, address), RET())
}

// CBCEncrypt adds a function that is CBC encryption.
func CBCEncrypt(file *asm.File, name, public string, c Cipher) {
	k := begin(file, name, "(k *"+c.Type+", iv *[16]byte, dst, src *byte, n int)",
		name+" encrypts n > 0 bytes, whole blocks. iv becomes the last block of dst.", "k iv dst src", public, c)
	iv, l, stop := k.Arg("iv"), k.link(1, blockWords), k.New(Integer, "stop")
	l.fold()
	l.load(iv, k.out)
	l.blocks(stop, func(p pass) []asm.Reg {
		k.Add(VXORVV(l.data, k.out, k.state))
		c.Encrypt(k, k.state, p.size)
		l.turn()
		return l.bytes(k.out, l.data)
	})
	l.finish(k.out, iv)
}

// CBCMAC adds a function that is CBC encryption without its output.
func CBCMAC(file *asm.File, name, public string, c Cipher) {
	k := begin(file, name, "(k *"+c.Type+", mac *[16]byte, src *byte, n int)",
		name+" continues the CBC-MAC mac over n > 0 bytes, whole blocks.", "k mac src", public, c)
	mac, l, stop := k.Arg("mac"), k.link(1, blockWords), k.New(Integer, "stop")
	l.fold()
	l.load(mac, k.out)
	l.blocks(stop, func(p pass) []asm.Reg {
		k.Add(VXORVV(l.data, k.out, k.state))
		c.Encrypt(k, k.state, p.size)
		l.turn()
		return nil
	})
	l.finish(k.out, mac)
}

// CFBEncrypt adds a function that is CFB encryption with feedback of whole blocks.
func CFBEncrypt(file *asm.File, name, public string, c Cipher) {
	k := begin(file, name, "(k *"+c.Type+", iv *[16]byte, dst, src *byte, n int)",
		name+" encrypts n > 0 bytes, whole blocks. iv becomes the last block of dst.", "k iv dst src", public, c)
	iv, l, stop := k.Arg("iv"), k.link(1, blockWords), k.New(Integer, "stop")
	l.fold()
	l.load(iv, k.state)
	l.blocks(stop, func(p pass) []asm.Reg {
		c.Encrypt(k, k.state, p.size)
		l.turn()
		k.Add(VXORVV(l.data, k.out, k.state))
		return l.bytes(k.state, l.data)
	})
	l.finish(k.state, iv)
}

// CCM adds a function that is counter mode, and CBC-MAC of the plaintext. A vector is two blocks:
// the MAC and a counter. When decrypting, the counter is that of the block after the one of the
// MAC.
func CCM(file *asm.File, name, public string, decrypt bool, c Cipher) {
	doc := " encrypts"
	if decrypt {
		doc = " decrypts"
	}
	k := begin(file, name, "(k *"+c.Type+", mac, counter *[16]byte, dst, src *byte, n int)",
		name+doc+` n > 0 bytes, whole blocks, with the keystream of counter, and continues the CBC-MAC mac of the
plaintext. The last 32 bits of the counter count, modulo 2^32. It is not changed.`, "k mac counter dst src", public, c)
	mac, l, stop := k.Arg("mac"), k.link(2, pairWords), k.New(Integer, "stop")
	counter, one, t := k.Group(Vector, "counter", 2, 2), k.Group(Vector, "one", 2, 2), k.Group(Vector, "t", 2, 2)
	k.LoadArg("counter", k.At)
	k.Add(MOVI(1, stop), VMVVI(0, t), blockBytes, VLE8V(k.At, counter))
	k.Add(blockWords, VREV8V(counter, counter), VSLIDE1DOWNVX(stop, t, one))
	l.load(mac, k.out)
	k.Add(ADD(k.src, k.n, stop), pairWords)
	// next makes the second block of state the next counter.
	next := func() {
		if k.Swaps {
			k.Add(Keep(VSLIDEUPVI(4, counter, k.state)))
		} else {
			k.Add(VREV8V(counter, t), Keep(VSLIDEUPVI(4, t, k.state)))
		}
		k.Add(VADDVV(one, counter, counter))
	}
	encrypt := func(p pass) {
		c.Encrypt(k, k.state, p.size)
		l.turn()
	}
	if decrypt {
		first := k.Group(Vector, "first", 2, 2)
		k.Add(VMV2RV(k.out, first))
		if k.Swaps {
			k.Add(VMV2RV(k.out, k.state))
		}
		next()
		encrypt(end)
		k.Add(VSLIDEDOWNVI(4, k.out, t), VMV2RV(first, k.out), Keep(VSLIDEUPVI(4, t, k.out)))
	}
	k.sizes(func(p pass, label string) {
		k.Label(label)
		k.Add(pairBytes, VLE8V(k.src, l.data), pairWords)
		k.swap(l.data, l.data)
		text := l.data
		if decrypt {
			k.Add(VSLIDEDOWNVI(4, k.out, t), VXORVV(t, l.data, l.data))
			text = l.bytes(l.data, t)
		}
		k.Add(VXORVV(l.data, k.out, k.state))
		next()
		encrypt(p)
		if !decrypt {
			k.Add(VSLIDEDOWNVI(4, k.out, t), VXORVV(t, l.data, l.data))
			text = l.bytes(l.data, t)
		}
		k.Add(
			pairBytes,
			VSE8V(text, k.dst),
			ADDI(16, k.src, k.src),
			ADDI(16, k.dst, k.dst),
			BNE(k.src, stop, label),
		)
	}, "done")
	k.Label("done")
	l.finish(k.out, mac)
}
