// Package blockcipher has the modes of a block cipher for AArch64 in which no block waits for
// another one: ECB, CBC and CFB decryption, CTR and XTS, which process 8 blocks at a time, and
// then 4, 2 and 1, and GCM.
package blockcipher

import (
	"fmt"
	"strings"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm64"
)

// A Family is the kernels of one cipher with one set of instructions.
type Family struct {
	Suffix string // of the functions' names
	Keys   string // Go type of the argument k
	Public string // what is public of the argument k
	// OneWay says that the directions differ in the round keys alone, which k points to. Then
	// XTS has one kernel for both.
	OneWay bool
	// Cipher loads round keys. If spare, eleven vector registers must be enough for it. Its labels
	// begin with prefix.
	Cipher func(f *asm.Func, keys asm.Reg, prefix string, decrypt, spare bool) Cipher
}

// A Cipher is a block cipher in a function.
type Cipher interface {
	// Input makes a state of the bytes of a block, and Output the reverse.
	Input(x asm.Reg) []asm.Op
	Output(x asm.Reg) []asm.Op
	// Counter makes a state of a counter, whose halves are integers, the upper half first.
	Counter(counter, x asm.Reg) []asm.Op
	// Process processes states.
	Process(b []asm.Reg)
}

// A mode is a function under construction.
type mode struct {
	*asm.Func
	Cipher
	b []asm.Reg // blocks
}

func (family Family) begin(file *asm.File, name, signature string, decrypt, spare bool) *mode {
	f := file.Func(name+family.Suffix, "(k *"+family.Keys+", "+signature)
	f.Public = family.Public
	return &mode{f, family.Cipher(f, f.Arg("k"), "", decrypt, spare), f.Group(Vector, "b", 8, 1)}
}

// passes emits a loop for 8 blocks at a time and then code for 4, 2 and 1, of n bytes, whole
// blocks.
func (m *mode) passes(n asm.Reg, pass func(b []asm.Reg)) {
	m.Add(SUBS(8*16, n, n), BLO("rest"))
	m.Label("eight")
	pass(m.b)
	m.Add(SUBS(8*16, n, n), BHS("eight"))
	m.Label("rest")
	m.rest(n, pass)
}

// rest emits code for less than 8 blocks.
func (m *mode) rest(n asm.Reg, pass func(b []asm.Reg)) {
	for _, part := range []struct{ blocks, bit int }{{4, 6}, {2, 5}, {1, 4}} {
		skip := fmt.Sprint("no", part.blocks)
		m.Add(TBZ(part.bit, n, skip))
		pass(m.b[:part.blocks])
		m.Label(skip)
	}
}

// Each calls f for registers in lists of up to four, which one instruction loads or stores.
func Each(b []asm.Reg, f func(part []asm.Reg)) {
	for len(b) > 0 {
		n := min(len(b), 4)
		f(b[:n])
		b = b[n:]
	}
}

// load loads blocks and advances p.
func (m *mode) load(p asm.Reg, b []asm.Reg) {
	Each(b, func(part []asm.Reg) { m.Add(VLD1(B16, Post(p, 16*len(part)), part)) })
}

// store stores blocks and advances p.
func (m *mode) store(b []asm.Reg, p asm.Reg) {
	Each(b, func(part []asm.Reg) { m.Add(VST1(B16, part, Post(p, 16*len(part)))) })
}

// process is the whole cipher but for its output.
func (m *mode) process(b []asm.Reg) {
	for _, x := range b {
		m.Add(m.Input(x)...)
	}
	m.Process(b)
}

func verb(decrypt bool) (name, text string) {
	if decrypt {
		return "decrypt", "decrypts"
	}
	return "encrypt", "encrypts"
}

// Blocks writes encryptBlocks or decryptBlocks.
func (family Family) Blocks(file *asm.File, decrypt bool) {
	name, text := verb(decrypt)
	m := family.begin(file, name+"Blocks", "dst, src *byte, n int)", decrypt, false)
	m.Doc = m.Name + " " + text + " n > 0 bytes, whole blocks."
	m.Secret = "k dst src"
	dst, src, n := m.Arg("dst"), m.Arg("src"), m.Arg("n")
	m.passes(n, func(b []asm.Reg) {
		m.load(src, b)
		m.process(b)
		for _, x := range b {
			m.Add(m.Output(x)...)
		}
		m.store(b, dst)
	})
	m.Add(RET())
}

// CBCDecrypt writes cbcDecrypt.
func (family Family) CBCDecrypt(file *asm.File) {
	m := family.begin(file, "cbcDecrypt", "iv, dst, src *byte, n int)", true, false)
	m.Doc = m.Name + " decrypts n > 0 bytes, whole blocks. iv becomes the last ciphertext block."
	m.Secret = "k iv dst src"
	iv, dst, src, n := m.Arg("iv"), m.Arg("dst"), m.Arg("src"), m.Arg("n")
	chain := m.New(Vector, "chain")
	y := m.Group(Vector, "y", 4, 1)
	m.Add(VLD1(B16, At(iv, 0), chain))
	m.passes(n, func(b []asm.Reg) {
		reread := m.New(Integer, "again")
		m.Add(MOVD(src, reread))
		m.load(src, b)
		m.process(b)
		m.Remark("The ciphertext is loaded again, for want of registers.")
		for i, x := range b {
			before := chain
			if i%4 > 0 {
				before = y[i%4-1]
			}
			m.Add(m.Output(x)...)
			m.Add(VEOR(before, x, x))
			if i%4 == 0 {
				part := y[:min(4, len(b)-i)]
				m.Add(VLD1(B16, Post(reread, 16*len(part)), part))
			}
			if i%4 == 3 || i == len(b)-1 {
				m.Add(VMOV(y[i%4], chain))
			}
		}
		m.store(b, dst)
	})
	m.Add(VST1(B16, chain, At(iv, 0)), RET())
}

// CTR writes ctr.
func (family Family) CTR(file *asm.File) {
	m := family.begin(file, "ctr", "counter *[16]byte, dst, src *byte, n int)", false, false)
	m.Doc = m.Name + ` adds keystream to n > 0 bytes, whole blocks. counter, a big-endian number of 128 bits, becomes that
of the block after them. It is public.`
	m.Banner = `The lower half of the counter is added to in vectors. If it wraps around, which is rare, blocks
are processed one by one.`
	m.Secret = "k dst src"
	m.Public = strings.TrimSpace(m.Public + " counter")
	at, dst, src, n := m.Arg("counter"), m.Arg("dst"), m.Arg("src"), m.Arg("n")
	hi, lo, next := m.New(Integer, "hi"), m.New(Integer, "lo"), m.New(Integer, "next")
	data := m.Group(Vector, "x", 4, 1)
	counter, one := m.New(Vector, "counter"), m.New(Vector, "one")
	m.Add(
		LDP(At(at, 0), hi, lo),
		FMOVQ(At(at, 0), counter),
		REV(lo, lo),
		LSR(4, n, next),
		ADDS(next, lo, next),
		BHS("carry"),
		VREV64(B16, counter, counter),
		REV(next, next),
		MOVD(next, At(at, 8)),
	)
	m.counters(D2, dst, src, n, counter, one, data)
	m.Add(RET())

	m.Label("carry")
	m.Add(REV(hi, hi))
	m.Label("one")
	x := m.b[:1]
	m.Add(FMOVD(hi, counter), VMOV(lo, Lane(D2, counter, 1)))
	m.Add(m.Counter(counter, x[0])...)
	m.Process(x)
	m.addData(x, data, src, dst)
	m.Add(
		ADDS(1, lo, lo),
		ADC(ZR, hi, hi),
		SUBS(16, n, n),
		BNE("one"),
		REV(hi, hi),
		REV(lo, lo),
		STP(hi, lo, At(at, 0)),
		RET(),
	)
}

// CTR32 writes ctr32, with the counter of GCM.
func (family Family) CTR32(file *asm.File) {
	m := family.begin(file, "ctr32", "hi, lo uint64, dst, src *byte, n int)", false, false)
	m.Doc = m.Name + ` adds the keystream of the counters from hi:lo on to n > 0 bytes, whole blocks. The lower 32
bits of lo wrap around without a carry.`
	m.Secret = "k hi lo dst src"
	hi, lo, dst, src, n := m.Arg("hi"), m.Arg("lo"), m.Arg("dst"), m.Arg("src"), m.Arg("n")
	data := m.Group(Vector, "x", 4, 1)
	counter, one := m.New(Vector, "counter"), m.New(Vector, "one")
	m.Add(FMOVD(hi, counter), VMOV(lo, Lane(D2, counter, 1)))
	m.counters(S4, dst, src, n, counter, one, data)
	m.Add(RET())
}

// counters adds the keystream of counters to n bytes. A counter has its bytes in the order of
// integers. one becomes the 1 that is added to its lower half.
func (m *mode) counters(add Arrangement, dst, src, n, counter, one asm.Reg, data []asm.Reg) {
	t := m.New(Integer, "t")
	m.Add(VMOVI(0, one), MOVD(1, t), VMOV(t, Lane(D2, one, 1)))
	m.passes(n, func(b []asm.Reg) {
		for _, x := range b {
			m.Add(m.Counter(counter, x)...)
			m.Add(VADD(add, one, counter, counter))
		}
		m.Process(b)
		m.addData(b, data, src, dst)
	})
}

// CFBDecrypt writes cfbDecrypt.
func (family Family) CFBDecrypt(file *asm.File) {
	m := family.begin(file, "cfbDecrypt", "iv, dst, src *byte, n int)", false, false)
	m.Doc = m.Name + " decrypts n > 0 bytes, whole blocks. iv becomes the last ciphertext block."
	m.Secret = "k iv dst src"
	iv, dst, src, n := m.Arg("iv"), m.Arg("dst"), m.Arg("src"), m.Arg("n")
	chain := m.New(Vector, "chain")
	data := m.Group(Vector, "x", 4, 1)
	m.Add(VLD1(B16, At(iv, 0), chain))
	m.passes(n, func(b []asm.Reg) {
		reread := m.New(Integer, "again")
		m.Add(MOVD(src, reread), VMOV(chain, b[0]))
		m.load(reread, b[1:])
		m.process(b)
		m.addData(b, data, src, dst)
		m.Add(VMOV(data[min(4, len(b))-1], chain))
	})
	m.Add(VST1(B16, chain, At(iv, 0)), RET())
}

// addData adds data from src to the blocks and stores them.
func (m *mode) addData(b, data []asm.Reg, src, dst asm.Reg) {
	Each(b, func(part []asm.Reg) {
		data := data[:len(part)]
		m.load(src, data)
		for i, x := range part {
			m.Add(m.Output(x)...)
			m.Add(VEOR(data[i], x, x))
		}
		m.store(part, dst)
	})
}

// Counters writes counters, for ciphers whose Input moves bytes and does nothing else.
func (family Family) Counters(file *asm.File) {
	m := family.begin(file, "counters", "start *[3][16]byte, dst, src *byte, n int)", false, false)
	m.Doc = m.Name + ` adds keystream to n > 0 bytes, whole blocks. That of block j is the encryption of start[0] ^
(start[1] + j start[2]), each byte by itself.`
	m.Secret = "k start dst src"
	start, dst, src, n := m.Arg("start"), m.Arg("dst"), m.Arg("src"), m.Arg("n")
	first := m.Group(Vector, "start", 3, 1)
	data := m.Group(Vector, "x", 4, 1)
	m.Add(VLD1(B16, At(start, 0), first))
	for _, x := range first {
		m.Add(m.Input(x)...)
	}
	m.passes(n, func(b []asm.Reg) {
		for _, x := range b {
			m.Add(VEOR(first[0], first[1], x), VADD(B16, first[2], first[1], first[1]))
		}
		m.Process(b)
		m.addData(b, data, src, dst)
	})
	m.Add(RET())
}

// XTS writes xtsEncrypt or xtsDecrypt, or xts for both.
func (family Family) XTS(file *asm.File, decrypt bool) { family.xts(file, decrypt, false) }

// XTSGB is XTS for GB/T 17964-2021: xtsGB and so on.
func (family Family) XTSGB(file *asm.File, decrypt bool) { family.xts(file, decrypt, true) }

func (family Family) xts(file *asm.File, decrypt, gb bool) {
	name, text := "xts", "encrypts"
	if gb {
		name = "xtsGB"
	}
	switch {
	case family.OneWay:
		text = "encrypts or decrypts"
	case decrypt:
		name, text = name+"Decrypt", "decrypts"
	default:
		name += "Encrypt"
	}
	m := family.begin(file, name, "first *"+family.Keys+", tweak *[16]byte, dst, src *byte, n int)", decrypt, true)
	m.Doc = m.Name + " " + text + " n > 0 bytes, whole blocks. tweak is encrypted with the keys first,\nunless first is nil, and becomes that of the block after them."
	m.Banner = `IEEE 1619: block j is C(b ^ T x^j) ^ T x^j in GF(2^128) with its bytes in the order of integers. Eight
tweaks are in registers and become the next eight by a multiplication by x^8: a shift by a byte, and
the byte that leaves times 0x87. The first eight, and those of less than eight blocks, are computed one
by one in integer registers.`
	if gb {
		m.Doc += "\nThe bits of each byte of a tweak are reversed before it is added, and after its encryption."
	}
	m.Secret = "k first tweak dst src"
	if family.Public != "" {
		m.Public += " " + strings.Replace(family.Public, "k", "first", 1)
	}
	first, tweak, dst, src, n := m.Arg("first"), m.Arg("tweak"), m.Arg("dst"), m.Arg("src"), m.Arg("n")
	t := m.Several(Vector, "t", 8)
	u, zero, poly := m.New(Vector, "u"), m.New(Vector, "zero"), m.New(Vector, "poly")
	lo, hi, carry := m.New(Integer, "lo"), m.New(Integer, "hi"), m.New(Integer, "carry")
	m.Add(LDP(At(tweak, 0), lo, hi), CBZ(first, "ready"))
	x, other := m.New(Vector, "first"), family.Cipher(m.Func, first, "tweak_", false, false)
	m.Add(FMOVQ(At(tweak, 0), x))
	m.Add(other.Input(x)...)
	other.Process([]asm.Reg{x})
	m.Add(other.Output(x)...)
	if gb {
		m.Add(VRBIT(B16, x, x))
	}
	m.Add(FMOVD(x, lo), VMOV(Lane(D2, x, 1), hi))
	m.Label("ready")
	// next moves the tweak to x and doubles it.
	next := func(x asm.Reg) {
		m.Add(
			FMOVD(lo, x),
			VMOV(hi, Lane(D2, x, 1)),
			ASR(63, hi, carry),
			EXTR(63, lo, hi, hi),
			AND(0x87, carry, carry),
			EOR(Left(lo, 1), carry, lo),
		)
	}
	// add adds tweak i.
	add := func(i int, x asm.Reg) {
		if gb {
			m.Add(VRBIT(B16, t[i], u), VEOR(u, x, x))
		} else {
			m.Add(VEOR(t[i], x, x))
		}
	}
	pass := func(b []asm.Reg) {
		m.load(src, b)
		for i, x := range b {
			add(i, x)
		}
		m.process(b)
		for i, x := range b {
			m.Add(m.Output(x)...)
			add(i, x)
		}
		m.store(b, dst)
	}
	m.Add(SUBS(8*16, n, n), BLO("rest"), VMOVI(0, zero), MOVD(0x87, carry), FMOVD(carry, poly))
	for i := range t {
		next(t[i])
	}
	m.Label("eight")
	pass(m.b)
	for i := range t {
		m.Add(
			VEXT(15, zero, t[i], u), // the last byte
			VPMULL(D1, poly, u, u),
			VEXT(15, t[i], zero, t[i]),
			VEOR(u, t[i], t[i]),
		)
	}
	m.Add(
		SUBS(8*16, n, n), BHS("eight"),
		FMOVD(t[0], lo), VMOV(Lane(D2, t[0], 1), hi),
	)
	m.Label("rest")
	m.rest(n, func(b []asm.Reg) {
		for i := range b {
			next(t[i])
		}
		pass(b)
	})
	m.Add(STP(lo, hi, At(tweak, 0)), RET())
}
