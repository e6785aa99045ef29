package main

import (
	"github.com/cipherlane/cipherlane/_gen/aes/permute"
	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm64"
	"github.com/cipherlane/cipherlane/_gen/sm4/matrices"
)

// Without AESE, the inversion of several blocks is look-ups in the tower GF((2^4)^2) of package
// permute. The state is in the basis T, and then in that of the tower. The tables have no
// constants, because look-ups give 0 for an infinity. The one that is missing from a result is in
// the round keys.

// neonConstants returns the tables of the family Neon.
func neonConstants(file *asm.File) *constants {
	set, tower := matrices.Derive(), permute.NewTower()
	state := permute.Linear(tower.ToTower).After(set.T.Apply)
	back := permute.Linear(set.TInverse.Apply).After(tower.FromTower)
	output := func(u matrices.Affine) [2]permute.Table {
		low, high := tower.Output(permute.Linear(tower.ToTower).After(u.M.Apply).After(tower.FromTower))
		return [2]permute.Table{low, high}
	}
	nibbles := func(f permute.Linear) [2]permute.Table {
		low, high := permute.Nibbles(f)
		return [2]permute.Table{low, high}
	}
	table := func(name, doc string, parts ...any) *asm.Table {
		var data []byte
		for _, p := range parts {
			switch p := p.(type) {
			case permute.Table:
				data = append(data, p[:]...)
			case [2]permute.Table:
				data = append(append(data, p[0][:]...), p[1][:]...)
			case []byte:
				data = append(data, p...)
			}
		}
		return file.Table(name, doc, data)
	}
	index := func(f func(word, byte int) int) (t permute.Table) {
		for i := range t {
			t[i] = byte(f(i/4, i%4))
		}
		return t
	}
	rotate := func(n int) permute.Table { return index(func(w, j int) int { return 4*w + (j+n)%4 }) }

	// The constants of round keys: see circuitConstant in package sm4.
	missing := sbox.Out<<2 | sbox.Out>>6
	var added [8]byte
	for i := range added {
		b := tower.ToTower(set.KeyConstant) ^ state(sbox.In)
		if ((i+1)/4+(i+2)/4+(i+3)/4)%2 != 0 {
			b ^= tower.ToTower(set.U1.C) ^ state(missing)
		}
		added[i] = b
	}
	key := func(first int) permute.Table { return index(func(w, _ int) int { return int(added[first+w]) }) }

	u0, u1 := output(set.U0), output(set.U1)
	inverses, multiples := permute.Inverses(1), permute.Inverses(tower.A)
	return &constants{
		basis:   table("basis", "The change to the basis of the state, by nibbles.", nibbles(state)),
		inverse: table("inverse", "The change back, by nibbles.", nibbles(back)),
		lookups: table("lookups", "A mask of nibbles, inverses and multiples of them in GF(2^4), U0 and U1.",
			permute.All(0x0f), inverses, multiples, u0, u1),
		rotations: table("rotations", "The indices that rotate words by 1 and 3 bytes.", rotate(1), rotate(3)),
		keys:      table("keys", "The constants of the round keys, for eight rounds.", key(0), key(4)),
		sbox:      table("sbox", "The S-box of the circuit, without its constants.", circuitSBox()),
		quarters: table("quarters", "What brings the second and third quarter of the S-box to the first one.",
			permute.All(0x40), permute.All(0x80)),
		planes: table("planes", "Masks of the bits that stay when others move by 1 and 2, and the index that collects bytes.",
			permute.All(0x55), permute.All(0x33), index(func(j, q int) int { return 4*q + j })),
		counters: table("counters", "The index that collects the bytes of counters, the first four numbers and 4.",
			index(func(j, q int) int { return 4*q + 3 - j }),
			index(func(q, b int) int { return map[int]int{0: q}[b] }), index(func(_, b int) int { return map[int]int{0: 4}[b] })),
		lanes:    table("lanes", "The index that copies byte i to lane i.", index(func(j, _ int) int { return j })),
		keyLanes: table("keyLanes", "The same for an integer whose most significant byte is the first one.", index(func(j, _ int) int { return 3 - j })),
	}
}

// invert returns the indices of the two look-ups that do what is behind the inversion.
func (w *words) invert(s asm.Reg) (low, high asm.Reg, ops asm.Stream) {
	f := w.f
	k, i, j := f.New(Vector, "n"), f.New(Vector, "h"), f.New(Vector, "j")
	t, u := f.New(Vector, "t"), f.New(Vector, "t")
	return t, u, asm.Stream{
		VAND(w.nibble, s, k), VUSHR(B16, 4, s, i), VEOR(k, i, j),
		VTBL(k, w.multiples, k), VTBL(i, w.inverses, t), VTBL(j, w.inverses, u),
		VEOR(k, t, t), VEOR(k, u, u),
		VTBL(t, w.inverses, t), VTBL(u, w.inverses, u),
		VEOR(j, t, t), VEOR(i, u, u),
	}
}

// lookupRound is round with look-ups.
func (w *words) lookupRound(x0, x1, x2, x3, k asm.Reg) asm.Stream {
	f := w.f
	s := f.New(Vector, "s")
	u0, u1, u3, t := f.New(Vector, "t"), f.New(Vector, "t"), f.New(Vector, "t"), f.New(Vector, "t")
	low, high, ops := w.invert(s)
	ops = append(asm.Stream{VEOR(x1, x2, s), VEOR(k, s, s), VEOR(x3, s, s)}, ops...)
	return append(ops,
		VTBL(low, w.u1Low, u1), VTBL(high, w.u1High, t), VTBL(low, w.u0Low, u0), VTBL(high, w.u0High, high),
		VEOR(u1, t, u1), VEOR(u0, high, u0), VEOR(u0, u1, u3),
		VTBL(w.unshift[1], u1, t), VTBL(w.unshift[3], u3, u3), VREV32(H8, u1, u1),
		VEOR(u0, x0, x0), VEOR(t, x0, x0), VEOR(u3, u1, u1), VEOR(u1, x0, x0),
	)
}

// expandNeon makes the round keys of planes and of look-ups.
func expandNeon(file *asm.File, c *constants) {
	f := file.Func("expandNeon", "(p *Planes, k *Keys, words *[32]uint32)")
	f.Doc = "expandNeon makes both forms of round keys, to which the constants of the circuit are added."
	f.Banner = "The constants of the look-ups replace those of the circuit."
	f.Secret = "p k words"
	p, k, words := f.Arg("p"), f.Arg("k"), f.Arg("words")
	nibble, constant := f.New(Vector, "nibble"), f.Several(Vector, "constant", 2)
	load(f, c.lookups, nibble)
	load(f, c.keys, constant...)
	b := newBasis(f, c.basis, nibble)
	at := f.New(Integer, "at")
	f.Add(MOVD(words, at))
	for i := range 8 {
		v := f.New(Vector, "v")
		f.Add(VLD1(B16, Post(at, 16), v), VREV32(B16, v, v))
		f.Add(b.change(v, v)...)
		f.Add(VEOR(constant[i%2], v, v), VST1(B16, v, Post(k, 16)))
	}
	lanes, v := f.New(Vector, "lanes"), f.New(Vector, "v")
	bits := newBits(f)
	left := f.New(Integer, "left")
	load(f, c.keyLanes, lanes)
	f.Add(MOVD(32, left))
	f.Label("round")
	f.Add(VLD1R(S4, Post(words, 4), v), VTBL(lanes, v, v))
	fill(f, v, bits, p)
	f.Add(SUBS(1, left, left), BNE("round"), RET())
}
