package main

import (
	"fmt"
	"strings"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A program is straight-line code over values, each of which is assigned once.
// emit gives them registers. The order of the operations is that of the
// instructions: it is part of what makes the kernels fast.
type program struct {
	ops   []operation
	count value
}

// A value is the result of an operation, or comes from outside; 0 is none.
type value int

type operation struct {
	kind kind
	dst  value
	src  []value
	mem  operand.Op // last source instead of a value
	word bool       // mem is 32 bits, to be broadcast
	imm  byte
	mat  reg.VecPhysical // matrix
	emit func(dst reg.VecPhysical, src []reg.VecPhysical)
}

type kind uint8

const (
	load    kind = iota // dst = memory
	store               // memory = src
	xor                 // dst = sum of two
	xor3                // dst = sum of three; overwrites a source
	inverse             // dst = matrix·(1/src) + imm
	rotate              // words rotated left by imm bits
	shuffle             // words of an XMM register rotated left by imm words
	call                // emit
)

func (p *program) new() value { p.count++; return p.count }

func (p *program) add(o operation) value {
	if o.kind != store {
		o.dst = p.new()
	}
	p.ops = append(p.ops, o)
	return o.dst
}

func (p *program) load(m operand.Mem) value { return p.add(operation{kind: load, mem: m}) }
func (p *program) store(m operand.Mem, v value) {
	p.add(operation{kind: store, mem: m, src: []value{v}})
}
func (p *program) xor(a, b value) value { return p.add(operation{kind: xor, src: []value{a, b}}) }
func (p *program) xor3(a, b, c value) value {
	return p.add(operation{kind: xor3, src: []value{a, b, c}})
}

func (p *program) xorWord(a value, m operand.Mem) value {
	return p.add(operation{kind: xor, src: []value{a}, mem: m, word: true})
}
func (p *program) xor3Mem(a, b value, m operand.Mem) value {
	return p.add(operation{kind: xor3, src: []value{a, b}, mem: m})
}
func (p *program) inverse(a value, m matrix) value {
	return p.add(operation{kind: inverse, src: []value{a}, mat: m.reg, imm: m.constant})
}
func (p *program) call(f func(dst reg.VecPhysical, src []reg.VecPhysical), src ...value) value {
	return p.add(operation{kind: call, src: src, emit: f})
}

// A matrix is an affine map behind the inversion, with its linear part in a
// register.
type matrix struct {
	reg      reg.VecPhysical
	constant byte
}

// parse appends the operations of a text, one per line:
//
//	x = y ^ z        sum of two; z may be kN, the round key N rounds ahead
//	x = y ^ z ^ w    sum of three: overwrites y if possible, as the CPU is
//	                 fastest if y is the operand that comes last
//	x = Un y         matrix Un of the inverse
//	x = rol n y      words rotated left by n bits
//	x = word n y     the words of an XMM register rotated left by n words
//
// names maps what is defined so far, and afterwards the new names too. keyWords
// says whether round keys are words to be broadcast.
func (p *program) parse(text string, names map[string]value, matrices map[string]matrix, keyWords bool, key func(n int) operand.Mem) {
	get := func(s string) value {
		v, ok := names[s]
		if !ok {
			panic("no value " + s)
		}
		return v
	}
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) == 0 {
			continue
		}
		var n int
		var v value
		switch {
		case len(f) == 4 && f[1] == "=" && matrices[f[2]].reg != nil:
			v = p.inverse(get(f[3]), matrices[f[2]])
		case f[2] == "rol" || f[2] == "word":
			fmt.Sscan(f[3], &n)
			o := operation{kind: rotate, src: []value{get(f[4])}, imm: byte(n)}
			if f[2] == "word" {
				o.kind = shuffle
			}
			v = p.add(o)
		case len(f) == 5 && f[4][0] == 'k':
			fmt.Sscan(f[4][1:], &n)
			v = p.add(operation{kind: xor, src: []value{get(f[2])}, mem: key(n), word: keyWords})
		case len(f) == 5:
			v = p.xor(get(f[2]), get(f[4]))
		case len(f) == 7:
			v = p.xor3(get(f[2]), get(f[4]), get(f[6]))
		default:
			panic("bad line " + line)
		}
		names[f[0]] = v
	}
}

// emit writes the instructions. in tells where values from outside are, out
// where values must be at the end, pool which registers are to be used: those
// of in and out among them. size makes a register of the wanted width.
func (p *program) emit(pool []reg.VecPhysical, in, out map[value]reg.VecPhysical, size func(reg.VecPhysical) reg.VecPhysical) {
	last := map[value]int{}
	for i, o := range p.ops {
		for _, v := range o.src {
			last[v] = i
		}
	}
	for v := range out {
		last[v] = len(p.ops)
	}
	where := map[value]reg.VecPhysical{}
	taken := map[reg.VecPhysical]bool{}
	for v, r := range in {
		if _, used := last[v]; used {
			where[v], taken[r] = r, true
		}
	}
	wanted := map[reg.VecPhysical]bool{}
	for _, r := range out {
		wanted[r] = true
	}
	// A value that a sum of three will overwrite had better be where that sum
	// is to be.
	hint := map[value]reg.VecPhysical{}
	for v, r := range out {
		hint[v] = r
	}
	for i := len(p.ops) - 1; i >= 0; i-- {
		o := p.ops[i]
		if r, ok := hint[o.dst]; ok && o.kind == xor3 {
			for _, v := range o.src {
				if _, twice := hint[v]; last[v] == i && !twice {
					hint[v] = r
					break
				}
			}
		}
	}
	alloc := func(v value) reg.VecPhysical {
		if r, ok := hint[v]; ok && !taken[r] {
			where[v], taken[r] = r, true
			return r
		}
		for _, allow := range []bool{false, true} {
			for _, r := range pool {
				if !taken[r] && (allow || !wanted[r]) {
					where[v], taken[r] = r, true
					return r
				}
			}
		}
		panic("out of registers")
	}
	free := func(v value) {
		if r, ok := where[v]; ok {
			delete(taken, r)
			delete(where, v)
		}
	}
	for i, o := range p.ops {
		var src []reg.VecPhysical
		var dying []value
		for _, v := range o.src {
			r, ok := where[v]
			if !ok {
				panic("value without a register")
			}
			src = append(src, size(r))
			if last[v] == i {
				dying = append(dying, v)
			}
		}
		if o.kind == xor3 {
			at := -1
			for k, v := range o.src {
				if last[v] == i && (at < 0 || hint[o.dst] != nil && hint[o.dst] == where[v]) {
					at = k
				}
			}
			var d reg.VecPhysical
			if at >= 0 {
				src[0], src[at] = src[at], src[0]
				v := o.src[at]
				d = where[v]
				delete(where, v)
				where[o.dst] = d
			} else {
				d = alloc(o.dst)
				VMOVDQA64(src[0], size(d))
			}
			switch {
			case o.mem != nil:
				VPTERNLOGD(operand.U8(0x96), o.mem, src[1], size(d))
			default:
				VPTERNLOGD(operand.U8(0x96), src[2], src[1], size(d))
			}
			for _, v := range dying {
				free(v)
			}
			continue
		}
		for _, v := range dying {
			free(v)
		}
		if o.kind == store {
			VMOVDQA64(src[0], o.mem)
			continue
		}
		d := size(alloc(o.dst))
		switch o.kind {
		case load:
			VMOVDQA64(o.mem, d)
		case xor:
			switch {
			case o.word:
				VPXORD_BCST(o.mem, src[0], d)
			case o.mem != nil:
				VPXORD(o.mem, src[0], d)
			default:
				VPXORD(src[1], src[0], d)
			}
		case inverse:
			VGF2P8AFFINEINVQB(operand.U8(o.imm), size(o.mat), src[0], d)
		case rotate:
			VPROLD(operand.U8(o.imm), src[0], d)
		case shuffle:
			const identity = 0b11_10_01_00
			VPSHUFD(operand.U8(identity<<(2*o.imm)&0xff|identity>>(8-2*o.imm)), src[0], d)
		case call:
			o.emit(d, src)
		}
		if _, used := last[o.dst]; !used {
			free(o.dst)
		}
	}
	// The values of out that are elsewhere.
	from := map[reg.VecPhysical]reg.VecPhysical{}
	for v, r := range out {
		if where[v] != r {
			from[r] = where[v]
		}
	}
	for len(from) > 0 {
		source := map[reg.VecPhysical]bool{}
		for _, s := range from {
			source[s] = true
		}
		moved := false
		for _, d := range pool {
			if s, ok := from[d]; ok && !source[d] {
				VMOVDQA64(size(s), size(d))
				delete(from, d)
				moved = true
				break
			}
		}
		if moved {
			continue
		}
		// Only cycles are left.
		for _, d := range pool {
			s, ok := from[d]
			if !ok {
				continue
			}
			for _, spare := range pool {
				if !wanted[spare] && !source[spare] {
					VMOVDQA64(size(s), size(spare))
					for k, v := range from {
						if v == s {
							from[k] = spare
						}
					}
					break
				}
			}
			break
		}
	}
}

// Registers by number, in the three widths.
var (
	zmm = [32]reg.VecPhysical{reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z5, reg.Z6, reg.Z7, reg.Z8, reg.Z9, reg.Z10, reg.Z11, reg.Z12, reg.Z13, reg.Z14, reg.Z15,
		reg.Z16, reg.Z17, reg.Z18, reg.Z19, reg.Z20, reg.Z21, reg.Z22, reg.Z23, reg.Z24, reg.Z25, reg.Z26, reg.Z27, reg.Z28, reg.Z29, reg.Z30, reg.Z31}
)

func asZ(r reg.VecPhysical) reg.VecPhysical { return r.AsZ().(reg.VecPhysical) }
func asX(r reg.VecPhysical) reg.VecPhysical { return r.AsX().(reg.VecPhysical) }
