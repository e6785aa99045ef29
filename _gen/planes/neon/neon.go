// Package neon has circuits on planes of bits with NEON of 32-bit Arm.
package neon

import (
	"fmt"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm"
	"github.com/cipherlane/cipherlane/_gen/circuit/gates"
	"github.com/cipherlane/cipherlane/_gen/planes"
)

// A Box is a circuit in a function, in an order for 16 registers. Values for which there is no
// register wait in memory, in the order of addresses, and are read the other way around.
type Box struct {
	*asm.Func
	box        *planes.Box
	memory     asm.Local
	size       int
	at, before asm.Reg // the place in memory; -16
}

// Order orders a circuit. Seeds give more or less moves to memory.
func Order(c gates.Circuit, seed uint64) *planes.Box {
	box := planes.NewResidentBox(c, 16, seed)
	box.Each(planes.Emitter{Gate: func(string, string, string, string) {}, Spill: func(string, int) {}, Reload: func(string, int) {}})
	return box
}

// New reserves memory for the circuit.
func New(f *asm.Func, box *planes.Box) *Box {
	b := &Box{Func: f, box: box, at: f.New(Integer, "place"), before: f.New(Integer, "before")}
	b.size = 16 * box.Spilled
	b.memory = f.Local("spill", b.size)
	f.Add(MOVW(b.memory, b.at), MOVW(-16, b.before))
	return b
}

// Substitute adds the circuit and returns its results. x loses its values.
func (b *Box) Substitute(x []asm.Reg) (out []asm.Reg) {
	values := map[string]asm.Reg{}
	for i, r := range x {
		values[fmt.Sprint("x", i)] = r
	}
	move := func(step int, add func(m Mem)) {
		switch step {
		case 0:
			add(At(b.at))
		case 1:
			add(Post(b.at))
		case -1:
			add(By(b.at, b.before))
		default:
			add(At(b.at))
			if step > 0 {
				b.Add(ADD(16*step, b.at, b.at))
			} else {
				b.Add(SUB(-16*step, b.at, b.at))
			}
		}
	}
	names := b.box.Each(planes.Emitter{
		Gate: func(op, x, y, d string) {
			r := b.New(Vector, d)
			values[d] = r
			gate := map[string]func(a, b, d asm.Reg) asm.Op{"^": VEOR, "&": VAND, "|": VORR}[op]
			b.Add(gate(values[x], values[y], r))
		},
		Spill: func(v string, step int) {
			move(step, func(m Mem) { b.Add(VST1([]asm.Reg{values[v]}, m)) })
		},
		Reload: func(v string, step int) {
			values[v] = b.New(Vector, "again")
			move(step, func(m Mem) { b.Add(VLD1(m, []asm.Reg{values[v]})) })
		},
	})
	for _, name := range names {
		out = append(out, values[name])
	}
	return out
}

// Wipe overwrites the memory. It is the last use of the Box.
func (b *Box) Wipe() {
	zero := b.Group(Vector, "zero", 2, 1)
	b.Add(VMOVI(0, zero[0]), VMOVI(0, zero[1]))
	for left := b.size; left > 0; left -= 32 {
		b.Add(VST1(zero[:min(2, left/16)], Post(b.at)))
	}
}

// Transpose exchanges the number of one of eight registers with that of a bit in its bytes.
func Transpose(f *asm.Func, x []asm.Reg) {
	for i := range 4 {
		a, b, t := x[i], x[i+4], f.New(Vector, "t")
		f.Add(VMOV(a, t), VSLI(8, 4, b, a), VSRI(8, 4, t, b))
	}
	for _, s := range []struct{ distance, mask int }{{2, 0x33}, {1, 0x55}} {
		mask := f.New(Vector, "mask")
		f.Add(VMOVI(s.mask, mask))
		for i := range 8 {
			if i&s.distance != 0 {
				continue
			}
			a, b := x[i], x[i+s.distance]
			left, right := f.New(Vector, "left"), f.New(Vector, "right")
			f.Add(
				VSHL(8, s.distance, b, left), VSHR(8, s.distance, a, right),
				VBIF(mask, left, a), VBIT(mask, right, b),
			)
		}
	}
}

// Planes makes planes of a key for the same in all blocks: plane b has bit b of each byte, as 0
// or 0xff. bits are those of [Bits].
func Planes(f *asm.Func, bits []asm.Reg, key, to asm.Reg) {
	for b := 0; b < 8; b += 2 {
		p := f.Group(Vector, "plane", 2, 1)
		f.Add(VTST(8, bits[b], key, p[0]), VTST(8, bits[b+1], key, p[1]), VST1(p, Post(to)))
	}
}

// Bits returns registers with one bit of each byte.
func Bits(f *asm.Func) []asm.Reg {
	bits := f.Several(Vector, "bit", 8)
	for b, r := range bits {
		f.Add(VMOVI(1<<b, r))
	}
	return bits
}
