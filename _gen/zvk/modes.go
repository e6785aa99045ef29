package zvk

import (
	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/riscv64"
)

// Blocks adds a function that encrypts or decrypts blocks, each independently of the others.
func Blocks(file *asm.File, name, public string, decrypt bool, c Cipher) {
	doc := name + " encrypts n > 0 bytes, whole blocks."
	rounds := c.Encrypt
	if decrypt {
		doc, rounds = name+" decrypts n > 0 bytes, whole blocks.", c.Decrypt
	}
	k := start(file, name, "(k *"+c.Type+", dst, src *byte, n int)", doc, "k dst src", public, c)
	k.loop(k.asWords, func(p pass) {
		k.load(p, k.state)
		if !p.whole {
			k.asWords()
		}
		k.swap(k.state, k.state)
		k.rounds(p, rounds)
		if p.whole {
			k.toWords()
		} else {
			k.asBytes()
		}
		k.store(p, k.out)
	})
	k.Add(RET())
}

// A counter is the counters of a vector of blocks, as words or halves in this machine's order of
// bytes, of which only the last words count.
type counter struct {
	blocks []asm.Reg
	step   asm.Reg // what is added to an element for each pass
}

// counters sets counters from a block at k.At. It uses data. more, if it is a register, is added.
func (k *Kernel) counters(data []asm.Reg, more asm.Reg) *counter {
	c := &counter{blocks: k.Group(Vector, "counter", 4, 4), step: k.New(Integer, "blocks")}
	k.Add(VSETIVLI(16, E8, M4, TA, ZERO), VLE8V(k.At, data))
	if !k.Swaps {
		k.bits(0x88, k.mask)
	}
	if k.Swaps {
		k.asHalves()
		k.Add(
			VIDV(k.out),
			VANDVI(1, k.out, k.state),
			VSRLVI(1, k.out, k.out),
			VRGATHERVV(k.state, data, c.blocks),
			MOVI(32, c.step),
			VSLLVX(c.step, k.out, k.out),
		)
		k.asWords()
		k.Add(VREV8V(c.blocks, c.blocks))
		k.asHalves()
		k.Add(Keep(Masked(k.mask, VADDVV(k.out, c.blocks, c.blocks))))
		if more.Virtual() {
			k.Add(SLLI(32, more, more), Keep(Masked(k.mask, VADDVX(more, c.blocks, c.blocks))))
		}
		k.Add(SLLI(31, k.halves, c.step)) // two halves are a block
		return c
	}
	k.counts = true
	k.Add(MOVI(undisturbedWords, k.types))
	k.asWords()
	k.Add(
		VIDV(c.blocks),
		VANDVI(3, c.blocks, k.state),
		VRGATHERVV(k.state, data, c.blocks),
		VREV8V(c.blocks, c.blocks),
		VIDV(k.state),
		VSRLVI(2, k.state, k.state),
		Keep(Masked(k.mask, VADDVV(k.state, c.blocks, c.blocks))),
	)
	if more.Virtual() {
		k.Add(Keep(Masked(k.mask, VADDVX(more, c.blocks, c.blocks))))
	}
	k.Add(SRLI(2, k.words, c.step))
	return c
}

// next sets k.state to the counters, as the cipher wants them, and counts. The elements are those
// of c.
func (k *Kernel) next(c *counter) {
	k.current(c)
	k.Add(Keep(Masked(k.mask, VADDVX(c.step, c.blocks, c.blocks))))
}

// CTR adds a function that is counter mode. The counters are in this machine's order of bytes, and
// only the last word of each block is added to, under a mask.
func CTR(file *asm.File, name, public string, c Cipher) {
	k := start(file, name, "(k *"+c.Type+", counter *[16]byte, dst, src *byte, n int, rest *byte)",
		name+` adds keystream to n > 0 bytes. The last 32 bits of the counter count, modulo
2^32. If the last block is not whole, its unused keystream goes to rest.`,
		"k counter dst src rest", public, c)
	data := k.Group(Vector, "data", 4, 4)
	k.LoadArg("counter", k.At)
	counters := k.counters(data, asm.Reg{})
	add := func(p pass) {
		k.rounds(p, c.Encrypt)
		k.load(p, data)
		k.Add(VXORVV(k.out, data, data))
		k.store(p, data)
		if !p.whole {
			rest, unused := k.Arg("rest"), k.New(Integer, "unused")
			k.Add(
				NEG(k.n, unused),
				ANDI(15, unused, unused),
				BEQZ(unused, "done"),
				VSETVLI(unused, E8, M4, TA, ZERO),
				VSLIDEDOWNVX(k.n, k.out, data),
				VSE8V(data, rest),
			)
		}
	}
	if !k.Swaps {
		k.loop(k.asWords, func(p pass) {
			if !p.whole {
				k.asWords()
			}
			k.next(counters)
			add(p)
		})
		k.Add(RET())
		return
	}
	// Rounds are where the counters are, and those of the next pass are in another group, so that
	// one instruction makes them: two passes are a turn of the loop. Each begins with halves as
	// elements, as the one before ends.
	steps := k.Group(Vector, "steps", 4, 4)
	k.Add(VMVVI(0, steps), Keep(Masked(k.mask, VADDVX(counters.step, steps, steps))))
	turn := func(p pass) {
		k.Add(VADDVV(steps, counters.blocks, k.state))
		k.asWords()
		counters.blocks, k.state = k.state, counters.blocks
		add(p)
	}
	k.loop(k.asHalves, func(p pass) {
		if !p.whole {
			k.asHalves()
			k.current(counters)
			k.asWords()
			add(p)
			return
		}
		turn(p)
		k.Add(
			ADD(k.step, k.src, k.src),
			ADD(k.step, k.dst, k.dst),
			BEQ(k.src, k.end, "odd"),
		)
		turn(p)
	})
	k.Add(RET())
	k.Label("odd")
	k.Add(VMV4RV(k.state, counters.blocks), JMP("after"))
}

// A chain is the ciphertext blocks before those of a pass. Elements are words.
type chain struct {
	before []asm.Reg // the last one of the previous pass as the first
	last   asm.Reg
	iv     asm.Reg
}

func (k *Kernel) chain() *chain {
	c := &chain{before: k.Group(Vector, "before", 4, 4), last: k.New(Integer, "last"), iv: k.Arg("iv")}
	k.Add(VSETIVLI(16, E8, M4, TA, ZERO), VLE8V(c.iv, c.before), ADDI(-4, k.words, c.last))
	return c
}

// follow sets the chain to blocks before data, and then calls use.
func (k *Kernel) follow(c *chain, p pass, data []asm.Reg, use func()) {
	k.Add(VSLIDEUPVI(4, data, c.before))
	use()
	if !p.whole {
		k.Add(ADDI(-4, k.words, c.last))
	}
	k.Add(VSLIDEDOWNVX(c.last, data, c.before))
}

// stop stores the chain.
func (k *Kernel) stop(c *chain) {
	k.Add(VSETIVLI(16, E8, M4, TA, ZERO), VSE8V(c.before, c.iv), RET())
}

// CBCDecrypt adds a function that is CBC decryption.
func CBCDecrypt(file *asm.File, name, public string, c Cipher) {
	k := start(file, name, "(k *"+c.Type+", iv *[16]byte, dst, src *byte, n int)",
		name+" decrypts n > 0 bytes, whole blocks. iv becomes the last block of src.", "k iv dst src", public, c)
	data, chain := k.Group(Vector, "data", 4, 4), k.chain()
	k.loop(k.asWords, func(p pass) {
		k.load(p, data)
		if !p.whole {
			k.asWords()
		}
		k.swap(data, k.state)
		k.rounds(p, c.Decrypt)
		k.toWords()
		k.follow(chain, p, data, func() { k.Add(VXORVV(chain.before, k.out, k.out)) })
		if !p.whole {
			k.asBytes()
		}
		k.store(p, k.out)
	})
	k.stop(chain)
}

// CFBDecrypt adds a function that is CFB decryption with feedback of whole blocks.
func CFBDecrypt(file *asm.File, name, public string, c Cipher) {
	k := start(file, name, "(k *"+c.Type+", iv *[16]byte, dst, src *byte, n int)",
		name+" decrypts n > 0 bytes, whole blocks. iv becomes the last block of src.", "k iv dst src", public, c)
	data, chain := k.Group(Vector, "data", 4, 4), k.chain()
	k.loop(k.asWords, func(p pass) {
		k.load(p, data)
		if !p.whole {
			k.asWords()
		}
		k.follow(chain, p, data, func() {
			k.swap(chain.before, k.state)
			k.rounds(p, c.Encrypt)
			k.toWords()
		})
		if !p.whole {
			k.asBytes()
		}
		k.Add(VXORVV(k.out, data, data))
		k.store(p, data)
	})
	k.stop(chain)
}
