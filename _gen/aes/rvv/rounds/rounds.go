// Package rounds has the rounds of AES for package byteslice. Command rvv has the algorithm.
package rounds

import (
	"slices"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/riscv64"
	"github.com/cipherlane/cipherlane/_gen/byteslice"
)

// AES is AES for package byteslice: with keys of all sizes, or only some rounds with keys of
// 128 bits.
func AES(d *Direction, part Part) byteslice.Cipher {
	var k *kernel // of the function that is under construction
	return byteslice.Cipher{
		In:  func(r, c int) int { return d.place(part.from, r, c) },
		Out: func(r, c int) int { return d.place(part.to, r, c) },
		Fixed: func(b *byteslice.Kernel) []asm.Reg {
			k = newKernel(b, d)
			if part == All {
				k.rounds = k.New(Integer, "rounds")
				k.Add(MOV(roundsOffset, k.Keys, k.rounds))
			}
			return slices.Concat(k.triple, k.double)
		},
		Rounds: func(*byteslice.Kernel) {
			switch part {
			case All:
				k.crypt()
			case FirstTwo:
				k.Add(ADDI(k.keys, k.Keys, k.Next))
				k.Add(asm.Schedule(append(k.round(0, 0), k.round(1, 16)...), byteslice.HalfX60)...)
			case LastEight:
				k.Add(ADDI(k.keys, k.Keys, k.Next), MOVI(2, k.Loops), JMP("third"))
				k.loop()
			}
		},
		Basis: basisOffset,
		Half:  halfOffset,
	}
}

// A Part is which rounds there are. Between rounds the state is in the basis of the tower, and
// has neither the constant of the S-box nor the next round key.
type Part struct{ from, to int }

// Parts: all rounds, and the first two and the last eight of ten.
var (
	All       = Part{0, 10}
	FirstTwo  = Part{0, 2}
	LastEight = Part{2, 10}
)

// A Direction is encryption or decryption.
type Direction struct {
	shift int // of ShiftRows: how many columns to the left for each row
	keys  int // their offset
	parts int // registers that only hold 2 S
}

// Directions.
var (
	Forward  = &Direction{shift: 1, parts: 2}
	Backward = &Direction{shift: -1, keys: backOffset}
)

// place returns the register of byte (r, c) of the state after n of 10 rounds.
func (d *Direction) place(n, r, c int) int { return 4*((c+(n-10)*d.shift*r)&3) + r }

// A kernel has the registers of the rounds.
type kernel struct {
	*byteslice.Kernel
	*Direction
	rounds         asm.Reg   // how many
	triple, double []asm.Reg // 3 S and 2 S, by u and by v
	five           []asm.Reg // for decryption, multiples of 5, by low and high nibbles

	// Temporary registers take turns, so that the next S-box need not wait for the last.
	key       turns
	temporary turns // of four
	part      turns
}

// turns are registers of which each use takes the next.
type turns struct {
	list []asm.Reg
	n    int
}

func (t *turns) take(n int) []asm.Reg {
	at := t.n % len(t.list)
	t.n += n
	return t.list[at:][:n]
}

// four returns four temporary registers. Decryption has no other registers for 2 S. It takes
// what was free first for what is needed first: in the model of the X60, 17.1 cycles a byte
// instead of 18.5.
func (k *kernel) four() []asm.Reg {
	t := k.temporary.take(4)
	if k.Direction == Forward {
		return t
	}
	defer slices.Reverse(t)
	return slices.Clone(t)
}

func newKernel(b *byteslice.Kernel, d *Direction) *kernel {
	k := &kernel{Kernel: b, Direction: d}
	k.key.list = k.Several(Integer, "key", 4)
	k.triple, k.double = k.Several(Vector, "triple", 2), k.Several(Vector, "double", 2)
	if d == Backward {
		k.five = k.Several(Vector, "five", 2)
	}
	k.temporary.list = k.Several(Vector, "temporary", 8)
	k.part.list = k.Several(Vector, "part", d.parts)
	return k
}

// round is round n of 10, counted from 0, whose key is at an offset.
func (k *kernel) round(n, offset int) asm.Stream {
	var s asm.Stream
	for column := range 4 {
		var c []asm.Reg
		var part asm.Reg // 2 S of the byte below, which the next one adds
		for r := 3; r >= 0; r-- {
			from := (column + k.shift*r) & 3
			t := k.four()
			x := k.State[k.place(n, r, from)]
			c = slices.Insert(c, 0, x)
			u, v := k.Invert(&s, x, offset+4*from+r, k.key.take(1)[0], t)
			y, z := t[3], u // for what v adds
			if k.parts > 0 {
				y, z = t[0], t[3]
			}
			s.Add(
				VRGATHERVV(u, k.triple[0], x),
				VRGATHERVV(v, k.triple[1], y),
				VXORVV(y, x, x),
			)
			if r < 3 {
				s.Add(VXORVV(part, x, x))
			}
			if part = t[0]; k.parts > 0 {
				part = k.part.take(1)[0]
			}
			s.Add(
				VRGATHERVV(u, k.double[0], part),
				VRGATHERVV(v, k.double[1], z),
				VXORVV(z, part, part),
			)
		}
		s.Add(VXORVV(part, c[3], c[3]))
		if k.Direction == Forward {
			k.sum(&s, c)
		} else {
			k.mixBack(&s, c)
		}
	}
	return s
}

// sum adds all of c to each.
func (k *kernel) sum(s *asm.Stream, c []asm.Reg) {
	sum := k.part.take(1)[0]
	s.Add(
		VXORVV(c[0], c[1], sum),
		VXORVV(c[2], sum, sum),
		VXORVV(c[3], sum, sum),
	)
	for _, x := range c {
		s.Add(VXORVV(sum, x, x))
	}
}

// mixBack adds 5 (c_j + c_(j+2)) + c_(j+1) + c_(j+3) to c_j. The sums of pairs take the place
// of c_2 and c_3 meanwhile.
func (k *kernel) mixBack(s *asm.Stream, c []asm.Reg) {
	s.Add(VXORVV(c[0], c[2], c[2]), VXORVV(c[1], c[3], c[3]))
	for i := range 2 {
		pair, other := c[2+i], c[3-i]
		t := k.four()
		low, high, product := t[0], t[1], t[2]
		s.Add(
			VANDVI(15, pair, low),
			VSRLVI(4, pair, high),
			VRGATHERVV(low, k.five[0], product),
			VRGATHERVV(high, k.five[1], low),
			VXORVV(other, c[i], c[i]),
			VXORVV(product, c[i], c[i]),
			VXORVV(low, c[i], c[i]),
		)
	}
	s.Add(VXORVV(c[0], c[2], c[2]), VXORVV(c[1], c[3], c[3]))
}

// last is the last round. Its two keys are at an offset.
func (k *kernel) last(offset int) {
	p := k.five
	if p == nil {
		p = k.part.take(2)
	}
	k.LoadTables(sboxOffset, p...)
	k.SetLanes()
	var s asm.Stream
	for c := range 4 {
		for r := range 4 {
			from := (c + k.shift*r) & 3
			t := k.four()
			x, key := k.State[k.place(9, r, from)], k.key.take(1)[0]
			u, v := k.Invert(&s, x, offset+4*from+r, k.key.take(1)[0], t)
			s.Add(
				MOVBU(offset+16+4*c+r, k.Next, key),
				VRGATHERVV(u, p[0], x),
				VRGATHERVV(v, p[1], t[0]),
				VXORVX(key, x, x),
				VXORVV(t[0], x, x),
			)
		}
	}
	k.Add(asm.Schedule(s, byteslice.HalfX60)...)
}

// crypt encrypts or decrypts the state. Vectors have their length.
func (k *kernel) crypt() {
	if k.five != nil { // last needs the registers
		k.LoadPair(fiveOffset, [2]asm.Reg(k.five))
		k.SetLanes()
	}
	twelve := k.At
	k.Add(
		MOVI(12, twelve),
		ADDI(k.keys, k.Keys, k.Next),
		SRLI(2, k.rounds, k.Loops),
		BNE(twelve, k.rounds, "rounds"),
	)
	k.Remark("12 rounds begin with the third of the loop, with odd rows two columns apart.")
	t := k.four()[0]
	for i := 1; i < 8; i += 2 {
		a, b := k.State[i], k.State[i+8]
		k.Add(VMVVV(a, t), VMVVV(b, a), VMVVV(t, b))
	}
	k.Add(ADDI(-32, k.Next, k.Next), JMP("third"))
	k.loop()
}

// loop is the rounds but those that were skipped, with Loops set.
func (k *kernel) loop() {
	k.Label("rounds")
	k.Add(asm.Schedule(append(k.round(0, 0), k.round(1, 16)...), byteslice.HalfX60)...)
	k.Label("third")
	k.Add(asm.Schedule(append(k.round(2, 32), k.round(3, 48)...), byteslice.HalfX60)...)
	k.Add(
		ADDI(64, k.Next, k.Next),
		ADDI(-1, k.Loops, k.Loops),
		BNEZ(k.Loops, "rounds"),
	)
	k.Add(asm.Schedule(k.round(8, 0), byteslice.HalfX60)...)
	k.last(16)
}

// Offsets in the keys and in the tables. Keys are those of internal/aescore/internal/riscv64, but
// only their round keys and Half count if there are not all rounds.
const (
	roundsOffset = 15 * 16
	halfOffset   = roundsOffset + 8
	backOffset   = roundsOffset + 32
	basisOffset  = 6 * 16
	sboxOffset   = 8 * 16
	fiveOffset   = 10 * 16
)
