package main

import (
	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm64"
)

// A round of one group is a chain of 25 cycles on Neoverse V2, whose four vector units execute its
// instructions in 17. So from three groups on, two take turns, a round each: while one waits, the CPU
// executes the other one ahead of it.
//
// The words of both are in memory. In registers is the sum of two words of each, which two rounds
// need. Round i adds to x[i] the maps of the S-box of x[i+1] + x[i+2] + x[i+3] + k[i]:
//
//	round 0    y = x[2] + x[3]    AESE adds x[1] and y
//	round 1    the same y         AESE adds x[4] and y
//	round 2    y = x[4] + x[5]    AESE adds x[3] and y
//
// AESE adds two operands, so none is left for the round key. It comes with a look-up: word i+4 is
// stored with a[i+4] added to it, and the table of low nibbles of u3 for byte j has the sum of the
// other bytes of a[i] + a[i+4] added to all of its entries: what is looked up is added to all bytes
// but j. What the words of a round have too much must be its
// round key:
//
//	a[i+1] + a[i+2] + a[i+3] = k[i],   a[0] = a[1] = a[2] = a[35] = 0
//
// So word 3 begins with k[0] added to it, and words 32, 33 and 34 end with a. The four tables of a
// round are made once for all groups, which takes some 600 instructions.
//
// A round is 56 vector instructions, or 48 with EOR3, 3.5 loads and stores, and one for the loop,
// instead of 62, or 50, and 1.5. Stores and look-ups use the same two of V2's units.

// Offsets in the memory of pairs, which is on the stack.
const (
	tableSize  = 64               // of a round: the low nibbles of u3 for each byte
	endWords   = 33 * tableSize   // a[32], a[33], a[34]
	stateWords = endWords + 64    // of two groups: words 0 and 1 of both, then 2 and 3
	wordBytes  = 64               // of a word of a group
	groupWords = 2 * wordBytes    // from one group to the other
	halfWords  = 2 * groupWords   // from words 0 and 1 to 2 and 3
	pairsSize  = stateWords + 512 // a multiple of 64
)

// groups adds what a kernel does with all groups. load has a group's data in the state, in the basis
// of the kernels, and store stores what is there after the rounds. Both go to the next group.
func (g *group) groups(groups, first, step asm.Reg, load, store func()) {
	f := g.f
	f.Add(CMP(3, groups), BLT("group"))
	memory := f.Local("pairs", pairsSize)
	base, states := f.New(Integer, "base"), f.New(Integer, "states")
	f.Add(MOVD(memory, base), ADD(stateWords, base, states))
	g.tables(first, step, base)

	f.Label("pair")
	y := [2][]asm.Reg{f.Several(Vector, "y", 4), f.Several(Vector, "y", 4)}
	at := f.New(Integer, "at")
	place := func(i int) { f.Add(ADD(i*groupWords, states, at)) }
	each := func(access func(m Mem, word []asm.Reg)) {
		access(Post(at, wordBytes), g.state[0])
		access(At(at, 0), g.state[1])
		f.Add(ADD(halfWords-wordBytes, at, at))
		access(Post(at, wordBytes), g.state[2])
		access(At(at, 0), g.state[3])
	}
	for i := range y {
		load()
		k := f.Group(Vector, "k", 4, 1)
		f.Add(VLD4R(B16, At(first, 0), k))
		for j, x := range g.state[3] {
			f.Add(VEOR(k[j], x, x), VEOR(x, g.state[2][j], y[i][j]))
		}
		place(i)
		each(func(m Mem, word []asm.Reg) { f.Add(VST1(B16, word, m)) })
	}
	g.rounds(y, base, states)
	for i := range y {
		place(i)
		each(func(m Mem, word []asm.Reg) { f.Add(VLD1(B16, m, word)) })
		f.Add(ADD(endWords, base, at))
		for _, word := range g.state[:3] {
			k := f.Group(Vector, "k", 4, 1)
			f.Add(VLD4R(B16, Post(at, 4), k))
			for j, x := range word {
				f.Add(VEOR(k[j], x, x))
			}
		}
		store()
	}
	f.Add(SUB(2, groups, groups), CMP(2, groups), BGE("pair"))
	zero, left := f.Group(Vector, "zero", 4, 1), f.New(Integer, "left")
	for _, z := range zero {
		f.Add(VMOVI(0, z))
	}
	f.Add(MOVD(pairsSize/64, left))
	f.Label("wipe")
	f.Add(VST1(B16, zero, Post(base, 64)), SUBS(1, left, left), BNE("wipe"))
	f.Add(CBZ(groups, "done"))

	f.Label("group")
	load()
	g.crypt(first, step)
	store()
	f.Add(SUBS(1, groups, groups), BNE("group"))
	f.Label("done")
}

// tables makes the tables of all rounds. They begin behind a word at base that nobody needs.
func (g *group) tables(first, step, base asm.Reg) {
	f := g.f
	key, to, left := f.New(Integer, "key"), f.New(Integer, "to"), f.New(Integer, "left")
	a := f.Several(Integer, "a", 4)
	for _, r := range a {
		f.Add(MOVD(0, r))
	}
	// add stores what the look-ups shall add to get x: a byte of it is the sum of the other three.
	add := func(x asm.Reg) {
		sum := f.New(Integer, "sum")
		f.Add(EORW(Rotated(x, 8), x, sum), EORW(Rotated(sum, 16), sum, sum), EORW(sum, x, x))
		f.Add(MOVW(x, Post(to, tableSize)))
	}
	f.Add(MOVD(first, key), MOVD(base, to), MOVD(8, left))
	f.Label("keys")
	for i := range 4 {
		// This is a[i+3], and where it goes is a[i-1] so far.
		k, old := f.New(Integer, "word"), a[(i+3)%4]
		f.Add(MOVWU(At(key, 0), k), ADD(step, key, key))
		f.Add(EOR(a[(i+1)%4], k, k), EOR(a[(i+2)%4], k, k), EOR(k, old, old))
		add(old)
		f.Add(MOVD(k, old))
	}
	f.Add(SUBS(1, left, left), BNE("keys"))
	add(a[3])
	f.Add(STPW(a[0], a[1], At(to, 0)), MOVW(a[2], At(to, 8)))

	f.Add(ADD(tableSize, base, to), MOVD(32, left))
	f.Label("tables")
	k := f.Group(Vector, "k", 4, 1)
	f.Add(VLD4R(B16, At(to, 0), k))
	for _, r := range k {
		f.Add(VEOR(g.u3Low, r, r))
	}
	f.Add(VST1(B16, k, Post(to, tableSize)), SUBS(1, left, left), BNE("tables"))
}

// rounds adds a loop of 16 times two rounds of two groups.
func (g *group) rounds(y [2][]asm.Reg, base, states asm.Reg) {
	f := g.f
	table, left := f.New(Integer, "table"), f.New(Integer, "left")
	// Words 0 and 1 are read in the first round, and again in the second one, which has word 0 as it is
	// then. Both move on by a group, and then to the other half, which is before or behind.
	read, again := f.New(Integer, "read"), f.New(Integer, "again")
	write, write1 := f.New(Integer, "write"), f.New(Integer, "write1")
	f.Add(ADD(tableSize, base, table))
	f.Add(MOVD(states, read), MOVD(states, again), MOVD(states, write), ADD(wordBytes, states, write1))
	group := f.New(Integer, "group")
	toWord, toGroup := f.New(Integer, "toWord"), f.New(Integer, "toGroup")
	f.Add(MOVD(groupWords, group), MOVD(wordBytes, toWord), MOVD(groupWords, toGroup), MOVD(16, left))
	f.Label("rounds2")
	low := f.Group(Vector, "low", 4, 1)
	f.Add(VLD1(B16, Post(table, tableSize), low))
	for i, y := range y {
		next, nextGroup := Post(read, wordBytes), PostIndex(write, group)
		if i == 1 {
			next, nextGroup = PostIndex(read, toWord), PostIndex(write, toGroup)
		}
		x0, s := f.Group(Vector, "x", 4, 1), f.Group(Vector, "s", 4, 1)
		f.Add(VLD1(B16, Post(read, wordBytes), x0), VLD1(B16, next, s))
		g.substitute(y, s)
		g.addMaps(low, s, x0)
		f.Add(VST1(B16, x0, nextGroup))
	}
	low = f.Group(Vector, "low", 4, 1)
	f.Add(VLD1(B16, Post(table, tableSize), low))
	for i, y := range y {
		next, nextGroup := Post(again, wordBytes), PostIndex(write1, group)
		if i == 1 {
			next, nextGroup = PostIndex(again, toWord), PostIndex(write1, toGroup)
		}
		x0, x1 := f.Group(Vector, "x", 4, 1), f.Group(Vector, "x", 4, 1)
		f.Add(VLD1(B16, Post(again, wordBytes), x0), VLD1(B16, next, x1))
		g.substitute(x0, y)
		g.addMaps(low, y, x1)
		f.Add(VST1(B16, x1, nextGroup))
		for j := range y {
			f.Add(VEOR(x0[j], x1[j], y[j]))
		}
	}
	f.Add(EOR(-2*halfWords, toWord, toWord), EOR(-2*halfWords, toGroup, toGroup))
	f.Add(SUBS(1, left, left), BNE("rounds2"))
}

// addMaps is linear or linear3.
func (g *group) addMaps(low, s, x0 []asm.Reg) {
	if g.eor3 {
		g.linear3(low, s, x0)
	} else {
		g.linear(low, s, x0, func() {})
	}
}
