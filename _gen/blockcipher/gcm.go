package blockcipher

import (
	"fmt"
	"slices"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm64"
	"github.com/cipherlane/cipherlane/_gen/ghash/pmull"
)

// GCM is the kernels of GCM of one cipher with one set of instructions and PMULL.
type GCM struct {
	Suffix, Keys, Public string // as in Family
	// Cipher prepares a cipher that has the round keys of the argument k.
	Cipher func(f *asm.Func) GCMCipher
	// Lanes are the numbers of states for which there is code at the end of a message, in
	// ascending order, the first 1 and the last 9. One state is J0, which masks the tag.
	Lanes []int
}

// A GCMCipher is a block cipher in a function.
type GCMCipher interface {
	// Counters makes states of a counter, four integers of 32 bits, and those after it. Then
	// the counter is the next one. Adding one adds 1 to it.
	Counters(counter, one asm.Reg, b []asm.Reg)
	// Load makes a state of a block in memory.
	Load(m Mem, x asm.Reg) []asm.Op
	// Keep loads what stays in registers during the loop. Begin begins eight states there:
	// what has branches. Rounds is the rest, which is woven with other instructions.
	Keep()
	Begin(label string, b []asm.Reg)
	Rounds(b []asm.Reg) asm.Stream
	// Few processes states at the end of a message, where many registers are free.
	Few(label string, b []asm.Reg)
	// Output makes a block of what Rounds or Few has left. OutputTo also adds data, which it
	// may change.
	Output(x asm.Reg) []asm.Op
	OutputTo(data, x asm.Reg) []asm.Op
}

// Kernels writes seal and open.
func (family GCM) Kernels(file *asm.File) {
	family.kernel(file, false)
	family.kernel(file, true)
}

func (family GCM) kernel(file *asm.File, open bool) {
	name, verb := "seal", "encrypts"
	if open {
		name, verb = "open", "decrypts"
	}
	f := file.Func(name+family.Suffix, "(k *"+family.Keys+", h *[12][16]byte, m *Message, dst, src *byte, n, before int, more bool)")
	f.Doc = f.Name + " " + verb + ` n bytes of a message, after a number of blocks before, and hashes the
ciphertext. If more follows, n is a multiple of 128 and not 0. If not, m.Lens is hashed too, and m.Y
becomes the tag.`
	f.Banner = `Passes of eight blocks: the rounds of eight blocks are woven with GHASH of eight others.
The end of a message is less than a pass. J0 is encrypted with its blocks, and all that is hashed
shares a reduction. The code for each number of lanes has its blocks in the last of them, so that
each lane has its power of the hash key. It skips those that are not needed.`
	f.Secret, f.Public = "k h m dst src", family.Public+" m.Pending"
	k := &gcm{GCM: family, Func: f, open: open}
	k.emit()
}

// A gcm is a function under construction.
type gcm struct {
	GCM
	*asm.Func
	open           bool
	cipher         GCMCipher
	hash           *pmull.Hash
	m, dst, src, n asm.Reg
	counter, one   asm.Reg   // the next counter, and a 1 for it, four integers each
	b, data        []asm.Reg // eight states, four blocks
}

// Offsets in a Message.
const (
	j0At = 16 * iota
	yAt
	lensAt
	pendingAt
)

const pass = 8 * 16

func (g *gcm) emit() {
	g.cipher = g.Cipher(g.Func)
	h := g.Arg("h")
	g.m, g.n = g.Arg("m"), g.Arg("n")
	g.hash = pmull.New(g.Func, h)
	t, before, pending := g.New(Integer, "t"), g.New(Integer, "before"), g.New(Integer, "pending")
	g.counter, g.one = g.New(Vector, "counter"), g.New(Vector, "one")
	g.b, g.data = g.Group(Vector, "b", 8, 1), g.Group(Vector, "data", 4, 1)
	g.hash.Start(g.Func, t)
	g.Add(
		FMOVQ(At(g.m, yAt), g.hash.Y),
		VREV64(B16, g.hash.Y, g.hash.Y),
		MOVBU(At(g.m, pendingAt), pending),
		CBZ(pending, "multiplied"),
	)
	g.Add(g.hash.One(g.hash.Y, 1)...)
	g.Add(g.hash.Reduce()...)
	g.Label("multiplied")
	g.Add(CBZ(g.n, "lanes1"))
	g.dst, g.src = g.Arg("dst"), g.Arg("src")
	g.LoadArg("before", before)
	g.Add(
		VMOVI(0, g.one),
		MOVD(1, t),
		VMOV(t, Lane(S4, g.one, 3)),
		FMOVQ(At(g.m, j0At), g.counter),
		VREV32(B16, g.counter, g.counter),
		VADD(S4, g.one, g.counter, g.counter),
		CBZ(before, "first"),
		VMOVI(0, g.b[0]),
		VMOV(before, Lane(S4, g.b[0], 3)),
		VADD(S4, g.b[0], g.counter, g.counter),
	)
	g.Label("first")
	g.Add(CMP(pass, g.n), BLO("tail"), SUB(pass, g.n, g.n))
	g.loop()
	g.Add(ADD(pass, g.n, g.n)) // what is left
	more := g.New(Integer, "more")
	g.LoadArg("more", more)
	g.Add(
		CBZ(more, "tail"),
		VREV64(B16, g.hash.Y, g.hash.Y),
		FMOVQ(g.hash.Y, At(g.m, yAt)),
		RET(),
	)
	g.Label("tail")
	g.tail()
}

// loop processes eight blocks at a time.
func (g *gcm) loop() {
	b, data := g.b, g.data
	hashed := g.New(Integer, "hashed")
	begin := func(label string) {
		g.cipher.Counters(g.counter, g.one, b)
		g.cipher.Begin(label, b)
	}
	output := func() (s asm.Stream) {
		for i, x := range b {
			if i%4 == 0 {
				s.Add(VLD1(B16, Post(g.src, pass/2).In("src"), data))
			}
			s.Add(g.cipher.OutputTo(data[i%4], x)...)
			if i%4 == 3 {
				s.Add(VST1(B16, b[i-3:i+1], Post(g.dst, pass/2).In("dst")))
			}
		}
		return s
	}
	x := g.Group(Vector, "x", 4, 1)
	hash := func() (s asm.Stream) {
		s.Add(g.hash.From(8))
		for i := range 8 {
			if i%4 == 0 {
				s.Add(VLD1(B16, Post(hashed, pass/2).In("hashed"), x))
			}
			s.Add(VREV64(B16, x[i%4], x[i%4]))
			if i == 0 {
				s.Add(VEOR(g.hash.Y, x[0], x[0]))
			}
			if i%2 == 1 {
				s = append(s, g.hash.Pair(x[i%4-1], x[i%4], i == 1)...)
			}
		}
		return append(s, g.hash.Reduce()...)
	}
	g.cipher.Keep()
	if g.open {
		g.Add(MOVD(g.src, hashed))
		g.Label("pass")
		begin("pass")
		g.Add(asm.Weave(g.cipher.Rounds(b), hash())...)
		g.Remark("Only now, because dst may be src.")
		g.Add(output()...)
		g.Add(SUBS(pass, g.n, g.n), BHS("pass"))
	} else {
		g.Add(MOVD(g.dst, hashed))
		begin("alone")
		g.Add(g.cipher.Rounds(b)...)
		g.Add(output()...)
		g.Add(SUBS(pass, g.n, g.n), BLO("end"))
		g.Label("pass")
		begin("pass")
		g.Add(asm.Weave(append(g.cipher.Rounds(b), output()...), hash())...)
		g.Add(SUBS(pass, g.n, g.n), BHS("pass"))
		g.Label("end")
		g.Add(hash()...)
	}
}

// tail is the end of a message, n bytes, less than eight blocks, and its tag.
func (g *gcm) tail() {
	mask, last := g.data[0], g.b[7]
	for i, lanes := range g.Lanes {
		switch {
		case lanes == 1:
			g.Add(CBZ(g.n, "lanes1"))
		case i < len(g.Lanes)-1:
			g.Add(CMP(16*(lanes-1), g.n), BLS(fmt.Sprint("lanes", lanes)))
		}
	}
	for i := len(g.Lanes) - 1; i >= 0; i-- {
		spare := g.Lanes[i] - 1 // lanes that may not be needed
		if i > 0 {
			spare -= g.Lanes[i-1]
		}
		g.lanes(g.Lanes[i], spare, mask, last)
	}
	g.last(mask, last)
}

// lanes encrypts J0 and as many counters as there are other lanes, and processes all blocks but
// the last one.
func (g *gcm) lanes(lanes, spare int, mask, last asm.Reg) {
	label := func(what string, i int) string { return fmt.Sprintf("%s%d_%d", what, lanes, i) }
	data := lanes - 1
	b := g.b[8-data:]
	g.Label(fmt.Sprint("lanes", lanes))
	for i := 1; i <= spare; i++ {
		g.Add(CMP(16*(data-i), g.n), BHI(label("counters", 0)), VSUB(S4, g.one, g.counter, g.counter))
	}
	g.Label(label("counters", 0))
	if data > 0 {
		g.cipher.Counters(g.counter, g.one, b)
	}
	g.Add(g.cipher.Load(At(g.m, j0At), mask)...)
	g.cipher.Few(fmt.Sprint("lanes", lanes), append([]asm.Reg{mask}, b...))
	g.Add(g.cipher.Output(mask)...)
	if data == 0 {
		g.Add(
			FMOVQ(At(g.m, lensAt), last),
			VREV64(B16, last, last),
			VEOR(g.hash.Y, last, last),
		)
		g.Add(g.hash.One(last, 1)...)
		g.Add(B("tag"))
		return
	}
	g.Add(g.cipher.Output(last)...)
	// Whole blocks before the last one, from a lane on. They are hashed in pairs.
	var begins []int // lanes with which pairs can begin
	for i := 0; i <= spare; i++ {
		whole := data - 1 - i
		first := i + whole%2
		g.Label(label("from", i))
		if i < spare {
			if spare > 1 { // or else the flags are still those of the counters
				g.Add(CMP(16*whole, g.n))
			}
			g.Add(BLS(label("from", i+1)))
		}
		if whole%2 == 1 {
			x := g.New(Vector, "x")
			g.crypt(b[i:i+1], []asm.Reg{x})
			g.Add(VEOR(g.hash.Y, x, x))
			if whole+2 <= pmull.Powers {
				g.Add(g.hash.One(x, whole+2)...)
				g.Add(VMOVI(0, g.hash.Y))
			} else {
				g.Remark("There is no power for so many blocks: this one is reduced by itself.")
				g.Add(g.hash.One(x, 1)...)
				g.Add(g.hash.Reduce()...)
				g.Add(g.hash.Clear()...)
			}
		} else {
			g.Add(g.hash.Clear()...)
		}
		if first == data-1 {
			g.Add(B("last"))
			continue
		}
		g.Add(g.hash.From(data + 1 - first))
		begins = append(begins, first)
		if i < spare || first != begins[0] {
			g.Add(B(label("pair", first)))
		}
	}
	if len(begins) == 0 {
		return
	}
	for i := begins[0]; i < data-1; i += 2 {
		x := g.Several(Vector, "x", 2)
		entry := slices.Contains(begins, i)
		if entry {
			g.Label(label("pair", i))
		}
		g.crypt(b[i:i+2], x)
		if entry {
			g.Add(VEOR(g.hash.Y, x[0], x[0]), VMOVI(0, g.hash.Y))
		}
		g.Add(g.hash.Pair(x[0], x[1], false)...)
	}
	g.Add(B("last"))
}

// crypt adds one or two blocks to the keystream b. x becomes the ciphertext for GHASH.
func (g *gcm) crypt(b, x []asm.Reg) {
	d := g.Several(Vector, "d", len(b))
	if len(b) == 2 {
		g.Add(FLDPQ(Post(g.src, 32), d[0], d[1]))
	} else {
		g.Add(VLD1(B16, Post(g.src, 16), d[0]))
	}
	for i := range b {
		if g.open {
			g.Add(VREV64(B16, d[i], x[i]))
		}
		g.Add(g.cipher.OutputTo(d[i], b[i])...)
		if !g.open {
			g.Add(VREV64(B16, b[i], x[i]))
		}
	}
	if len(b) == 2 {
		g.Add(FSTPQ(b[0], b[1], Post(g.dst, 32)))
	} else {
		g.Add(VST1(B16, b[0], Post(g.dst, 16)))
	}
}

// last processes the last block, whole if n is a multiple of 16, with the keystream x, and the
// lengths.
func (g *gcm) last(mask, x asm.Reg) {
	lens, d := g.New(Vector, "lens"), g.New(Vector, "d")
	g.Label("last")
	g.Add(
		TST(15, g.n),
		BNE("partial"),
		FMOVQ(At(g.src, 0), d),
		VEOR(d, x, x),
		FMOVQ(x, At(g.dst, 0)),
	)
	if g.open {
		g.Add(VMOV(d, x))
	}
	g.Label("lens")
	g.Add(
		FMOVQ(At(g.m, lensAt), lens),
		VREV64(B16, lens, lens),
		VREV64(B16, x, x),
		VEOR(g.hash.Y, x, x),
		g.hash.From(2),
	)
	g.Add(g.hash.Pair(x, lens, false)...)
	g.Label("tag")
	g.Add(g.hash.Reduce()...)
	g.Add(
		VREV64(B16, g.hash.Y, g.hash.Y),
		VEOR(mask, g.hash.Y, g.hash.Y),
		FMOVQ(g.hash.Y, At(g.m, yAt)),
		RET(),
	)
	g.partial(x)
	g.Add(B("lens"))
}

// partial processes n mod 16 bytes with the keystream x, which becomes the ciphertext, padded.
func (g *gcm) partial(x asm.Reg) {
	key, lo, hi, d, c, word, shift := g.New(Integer, "key"), g.New(Integer, "lo"), g.New(Integer, "hi"),
		g.New(Integer, "d"), g.New(Integer, "c"), g.New(Integer, "word"), g.New(Integer, "shift")
	// part loads what load does, adds the keystream, and stores it. c is the ciphertext.
	part := func(load, store asm.Op) {
		g.Add(load, EOR(key, d, c), store)
		if g.open {
			g.Add(MOVD(d, c))
		}
	}
	g.Label("partial")
	g.Add(
		FMOVD(x, key),
		MOVD(0, lo),
		TBZ(3, g.n, "bytes4"),
	)
	part(MOVD(Post(g.src, 8), d), MOVD(c, Post(g.dst, 8)))
	g.Add(MOVD(c, lo), VMOV(Lane(D2, x, 1), key))
	g.Label("bytes4")
	g.Remark("word has the bytes behind, shift is the number of its bits.")
	g.Add(MOVD(0, word), MOVD(0, shift), TBZ(2, g.n, "bytes2"))
	part(MOVWU(Post(g.src, 4), d), MOVW(c, Post(g.dst, 4)))
	g.Add(MOVWU(c, word), MOVD(32, shift), LSR(32, key, key))
	g.Label("bytes2")
	g.Add(TBZ(1, g.n, "bytes1"))
	part(MOVHU(Post(g.src, 2), d), MOVH(c, Post(g.dst, 2)))
	g.Add(AND(0xffff, c, c), LSL(shift, c, c), ORR(c, word, word), ADD(16, shift, shift), LSR(16, key, key))
	g.Label("bytes1")
	g.Add(TBZ(0, g.n, "bytes0"))
	part(MOVBU(At(g.src, 0), d), MOVB(c, At(g.dst, 0)))
	g.Add(AND(0xff, c, c), LSL(shift, c, c), ORR(c, word, word))
	g.Label("bytes0")
	g.Add(
		TST(8, g.n),
		CSEL(NE, lo, word, lo),
		CSEL(NE, word, ZR, hi),
		FMOVD(lo, x),
		VMOV(hi, Lane(D2, x, 1)),
	)
}
