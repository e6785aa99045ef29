package main

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm64"
	"github.com/cipherlane/cipherlane/_gen/keccak/fips202"
)

// A value is a lane in a register or, if saved, on the stack: rotated to the right by a number of
// bits.
type value struct {
	r        asm.Reg
	rotation int
	saved    bool
	slot     int
}

// sponge is the kernel under construction.
type sponge struct {
	*asm.Func
	all, free []asm.Reg // registers; those without a value
	lane      [25]value
	slots     asm.Local
	freeSlots []int
	constants []asm.Reg
	parity    value // of the lanes of column 0 that are saved
	next      value // the saved lane that the next plane needs
}

// Planes of b in the order in which they are made. Lane 5 is in a register between rounds: it is
// made by plane 1, which is the last one, and plane 3, the first one, takes it.
var order = [5]int{3, 0, 2, 4, 1}

const inRegister = 5

// Places on the stack between permutations: of lanes 0, 10, 15 and 20. Others are for the lanes of
// a round, of which the first one needs a place before one is free.
var home = map[int]int{0: 5, 10: 6, 15: 7, 20: 8}

const slots = 10

func scalar(file *asm.File) {
	data := make([]byte, 8*24) // filled as the rounds are made
	table := file.Table("constants", "Iota (FIPS 202, section 3.2.5), each rotated as lane 0 is in its round.", data)
	f := file.Func("sponge", "(a *[25]uint64, p *byte, words, blocks, squeeze int)")
	f.Doc = `sponge adds a block to the state and permutes it with Keccak-f[1600], for each block. If squeeze is
not 0, it copies a block of the state before that, instead. words is 17 or 21, blocks is not 0.`
	f.Banner = "Four lanes of column 0 are on the stack, all others in registers."
	f.Secret = "a p"
	f.Cases = []string{"words=17|21", "squeeze=0|1"}
	k := &sponge{Func: f, slots: f.Local("lanes", 8*slots), freeSlots: []int{0, 1, 2, 3, 4}}
	k.all = f.Several(Integer, "r", 26)
	k.free = slices.Clone(k.all)
	k.constants = f.Several(Vector, "constants", 12)
	a := k.take()
	f.Add(MOVD(table, a))
	for i := 0; i < 12; i += 2 {
		f.Add(FLDPQ(At(a, 16*i), k.constants[i], k.constants[i+1]))
	}
	f.LoadArg("a", a)
	for i := range k.lane {
		k.lane[i].r = asm.Reg{}
		if slot, ok := home[i]; ok {
			k.lane[i] = value{saved: true, slot: slot}
		} else {
			k.lane[i] = value{r: k.take()}
		}
	}
	head := k.lane
	for i := 0; i < 25; i += 2 {
		k.move(a, i, true)
	}
	k.release(a)

	f.Label("block")
	p, c, t, u, v := k.take(), k.take(), k.take(), k.take(), k.take()
	f.LoadArg("squeeze", t)
	f.LoadArg("p", p)
	f.Add(CBNZ(t, "squeeze"))
	k.absorb(p, c, t, u, v)
	f.Add(B("permute"))
	f.Label("squeeze")
	k.squeeze(p, c, t, u)
	f.Label("permute")
	k.parity = value{r: c}
	for _, r := range []asm.Reg{p, t, u, v} {
		k.release(r)
	}
	for r, constant := range fips202.RoundConstants() {
		f.Remark("Round %d", r)
		rotation := k.round(r)
		binary.LittleEndian.PutUint64(data[8*r:], bits.RotateLeft64(constant, -rotation))
	}
	k.rotate(head)

	p, t = k.take(), k.take()
	f.LoadArg("p", p)
	f.LoadArg("words", t)
	f.Add(ADD(Left(t, 3), p, p), MOVD(p, Frame(f.Result("p"))))
	f.LoadArg("blocks", t)
	f.Add(SUB(1, t, t), MOVD(t, Frame(f.Result("blocks"))), CBNZ(t, "block"))

	f.LoadArg("a", p)
	k.release(t)
	for i := 0; i < 25; i += 2 {
		k.move(p, i, false)
	}
	for i := 0; i < slots; i += 2 {
		f.Add(STP(ZR, ZR, On(k.slots, 8*i)))
	}
	f.Add(RET())
}

func (k *sponge) take() asm.Reg {
	r := k.free[0]
	k.free = k.free[1:]
	return r
}

func (k *sponge) release(r asm.Reg) { k.free = append(k.free, r) }

func (k *sponge) place(slot int) Mem { return On(k.slots, 8*slot) }

// move loads lanes i and i+1 from a, or stores them there.
func (k *sponge) move(a asm.Reg, i int, load bool) {
	var r [2]asm.Reg
	n := min(2, 25-i)
	for j := range n {
		v := k.lane[i+j]
		if r[j] = v.r; v.saved {
			r[j] = k.take()
			if !load {
				k.Add(MOVD(k.place(v.slot), r[j]))
			}
		}
	}
	switch {
	case load && n == 2:
		k.Add(LDP(At(a, 8*i), r[0], r[1]))
	case load:
		k.Add(MOVD(At(a, 8*i), r[0]))
	case n == 2:
		k.Add(STP(r[0], r[1], At(a, 8*i)))
	default:
		k.Add(MOVD(r[0], At(a, 8*i)))
	}
	for j := range n {
		if v := k.lane[i+j]; v.saved {
			if load {
				k.Add(MOVD(r[j], k.place(v.slot)))
			}
			k.release(r[j])
		}
	}
}

// absorb adds the block at p, and sets c to the parity of the lanes that are saved.
func (k *sponge) absorb(p, c, t, u, v asm.Reg) {
	add := func(i int, x asm.Reg) {
		l := k.lane[i]
		switch {
		case !l.saved:
			k.Add(EOR(x, l.r, l.r))
		case i == 0:
			k.Add(MOVD(k.place(l.slot), c), EOR(x, c, c), MOVD(c, k.place(l.slot)))
		case i == 20:
			k.Add(EOR(x, v, v), MOVD(v, k.place(l.slot)))
		default:
			k.Add(MOVD(k.place(l.slot), v), EOR(x, v, v), MOVD(v, k.place(l.slot)), EOR(v, c, c))
		}
	}
	two := func(i int) {
		k.Add(LDP(At(p, 8*i), t, u))
		add(i, t)
		add(i+1, u)
	}
	for i := 0; i < 16; i += 2 {
		two(i)
	}
	k.Add(MOVD(At(p, 8*16), t))
	add(16, t)
	k.LoadArg("words", t)
	k.Add(MOVD(k.place(k.lane[20].slot), v), CMP(17, t), BEQ("short"))
	two(17)
	two(19)
	k.Label("short")
	k.Add(EOR(v, c, c))
}

// squeeze copies a block to p, and sets c to the parity of the lanes that are saved.
func (k *sponge) squeeze(p, c, t, u asm.Reg) {
	get := func(i int, free asm.Reg) asm.Reg {
		l := k.lane[i]
		if !l.saved {
			return l.r
		}
		if i == 0 {
			free = c
		}
		k.Add(MOVD(k.place(l.slot), free))
		if i > 0 {
			k.Add(EOR(free, c, c))
		}
		return free
	}
	two := func(i int) {
		x, y := get(i, t), get(i+1, u)
		k.Add(STP(x, y, At(p, 8*i)))
	}
	for i := 0; i < 16; i += 2 {
		two(i)
	}
	x := get(16, t)
	k.Add(MOVD(x, At(p, 8*16)))
	k.LoadArg("words", t)
	last := get(20, u)
	k.Add(CMP(17, t), BEQ("permute"), STP(k.lane[17].r, k.lane[18].r, At(p, 8*17)), STP(k.lane[19].r, last, At(p, 8*19)))
}

// rotated is a value as the operand of an instruction whose other operand is rotated by a number of
// bits.
func rotated(op func(a, b, d asm.Reg) asm.Op, opShifted func(a Shifted, b, d asm.Reg) asm.Op, b, a value, d asm.Reg) asm.Op {
	if n := (b.rotation - a.rotation) & 63; n != 0 {
		return opShifted(Rotated(a.r, n), b.r, d)
	}
	return op(a.r, b.r, d)
}

// xor is d = b ^ a, rotated as b.
func (k *sponge) xor(b, a value, d asm.Reg) value {
	k.Add(rotated(EOR[asm.Reg], EOR[Shifted], b, a, d))
	return value{r: d, rotation: b.rotation}
}

// andNot is d = b &^ a, rotated as b.
func (k *sponge) andNot(b, a value, d asm.Reg) value {
	k.Add(rotated(BIC[asm.Reg], BIC[Shifted], b, a, d))
	return value{r: d, rotation: b.rotation}
}

// rol is v <<< n.
func rol(v value, n int) value {
	v.rotation = (v.rotation + n) & 63
	return v
}

// round is a round. It returns how lane 0 is rotated when the constant is added.
func (k *sponge) round(r int) (rotation int) {
	a := &k.lane
	parity := func(x int) value {
		c := k.xor(a[x], a[x+5], k.take())
		for y := 2; y < 5; y++ {
			c = k.xor(c, a[x+5*y], c.r)
		}
		return c
	}
	theta := func(x int, d value) {
		for y := range 5 {
			if i := x + 5*y; !a[i].saved {
				a[i] = k.xor(a[i], d, a[i].r)
			}
		}
	}
	c0 := k.xor(k.parity, a[inRegister], k.parity.r)
	c2 := parity(2)
	c1 := parity(1)
	d := k.xor(c0, rol(c2, 1), k.take())
	theta(1, d)
	k.release(d.r)
	c4 := parity(4)
	c3 := parity(3)
	d = k.xor(c2, rol(c4, 1), c2.r)
	theta(3, d)
	k.release(d.r)
	d0 := k.xor(c4, rol(c1, 1), k.take())
	d = k.xor(c1, rol(c3, 1), c1.r)
	theta(2, d)
	k.release(d.r)
	d = k.xor(c3, rol(c0, 1), c3.r)
	theta(4, d)
	k.release(d.r)
	k.release(c0.r)
	k.release(c4.r)
	theta(0, d0)

	var out [25]value
	for step, y := range order {
		// Lanes of b, and the next one of them that is on the stack.
		var b [5]value
		for x, from := range fips202.Plane[y] {
			v := a[from.Lane]
			if v.saved {
				v = k.next
			}
			b[x] = rol(v, int(from.Rotate))
		}
		t4 := k.andNot(b[1], b[0], k.take())
		t0 := k.andNot(b[2], b[1], k.take())
		t1 := k.andNot(b[3], b[2], k.take())
		o0 := k.xor(b[0], t0, t0.r)
		t3 := k.andNot(b[0], b[4], b[0].r)
		out[5*y+1] = k.xor(b[1], t1, b[1].r)
		k.release(t1.r)
		if y == 0 {
			c := k.take()
			if v := k.constants[r/2]; r%2 == 0 {
				k.Add(FMOVD(v, c))
			} else {
				k.Add(VMOV(Lane(D2, v, 1), c))
			}
			rotation = o0.rotation
			k.Add(EOR(c, o0.r, o0.r))
			k.release(c)
		}
		t2 := k.andNot(b[4], b[3], k.take())
		out[5*y+3] = k.xor(b[3], t3, b[3].r)
		k.release(t3.r)
		out[5*y+2] = k.xor(b[2], t2, b[2].r)
		k.release(t2.r)
		out[5*y+4] = k.xor(b[4], t4, b[4].r)
		k.release(t4.r)
		k.keep(r, step, y, o0, &out)
		if step == len(order)-1 {
			break
		}
		// The next plane's lane of column 0.
		for _, from := range fips202.Plane[order[step+1]] {
			if from.Lane%5 == 0 {
				v := a[from.Lane]
				v.saved, v.r = false, k.take()
				k.Add(MOVD(k.place(v.slot), v.r))
				if v.slot < home[0] {
					k.freeSlots = append(k.freeSlots, v.slot)
				}
				k.next = k.xor(v, d0, v.r)
			}
		}
		if step == len(order)-2 {
			k.release(d0.r)
		}
	}
	*a = out
	return rotation
}

// keep puts lane (0, y) of the result where the next round expects it.
func (k *sponge) keep(r, step, y int, o value, out *[25]value) {
	if 5*y == inRegister {
		out[5*y] = o
		return
	}
	slot, ok := 0, true
	if r < 23 {
		slot = k.freeSlots[0]
		k.freeSlots = k.freeSlots[1:]
	} else if slot, ok = home[5*y]; !ok {
		panic(fmt.Sprint("keccak: no place for lane ", 5*y))
	} else if o.rotation != 0 {
		k.Add(ROR(64-o.rotation, o.r, o.r))
		o.rotation = 0
	}
	k.Add(MOVD(o.r, k.place(slot)))
	out[5*y] = value{saved: true, slot: slot, rotation: o.rotation}
	switch {
	case r == 23: // it will be another one
		k.release(o.r)
	case step == 0:
		k.parity = o
	default:
		k.parity = k.xor(k.parity, o, k.parity.r)
		k.release(o.r)
	}
}

// rotate brings all lanes to the registers in which they were before the rounds, and rotates them
// back.
func (k *sponge) rotate(head [25]value) {
	k.Remark("All lanes but 0 are rotated by 40 bits.")
	from := k.lane
	left := map[int]bool{}
	for i, v := range from {
		left[i] = !v.saved
	}
	// free reports whether no lane other than i is still in r.
	free := func(r asm.Reg, i int) bool {
		for j, v := range from {
			if left[j] && j != i && v.r == r {
				return false
			}
		}
		return true
	}
	k.free = slices.DeleteFunc(slices.Clone(k.all), func(r asm.Reg) bool {
		return slices.ContainsFunc(head[:], func(v value) bool { return !v.saved && v.r == r })
	})
	for progress := true; progress; {
		progress = false
		var waiting []int
		for i, v := range from {
			switch {
			case !left[i]:
			case free(head[i].r, i):
				k.Add(ROR(64-v.rotation, v.r, head[i].r))
				left[i], progress = false, true
			default:
				waiting = append(waiting, i)
			}
		}
		if !progress && len(waiting) > 0 { // they are a cycle
			i := waiting[0]
			for _, r := range k.free {
				if free(r, i) {
					k.Add(MOVD(from[i].r, r))
					from[i].r, progress = r, true
					break
				}
			}
		}
	}
	k.lane = head
}
