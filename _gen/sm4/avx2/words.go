package main

import (
	. "github.com/mmcloughlin/avo/operand"
)

// Words: a register holds one word of the state of as many blocks as it has
// words: eight, or four where the pass is narrow. A group is four registers.

// transposeWords turns rows into words and back: within each half of the
// registers, r[i] gets word i of all four.
func transposeWords(r [4]vec, t, u vec) {
	unpack(32, true, r[1], r[0], t)
	unpack(32, false, r[1], r[0], r[0])
	unpack(32, true, r[3], r[2], u)
	unpack(32, false, r[3], r[2], r[2])
	unpack(64, true, r[2], r[0], r[1])
	unpack(64, false, r[2], r[0], r[0])
	unpack(64, false, u, t, r[2])
	unpack(64, true, u, t, r[3])
}

// registers are those of the width of the pass.
func (p pass) registers() [16]vec {
	if p.narrow {
		return xmm
	}
	return ymm
}

// size is that of a register, and of a row of blocks.
func (p pass) size() int { return int(p.registers()[0].Size()) }

// transit are the four registers that a group goes through on its way in and out.
func transit(f family, p pass, g int) []vec {
	r := p.registers()
	if _, ok := f.word(p, g, 0).(Mem); ok {
		return r[0:4]
	}
	return r[4*g : 4*g+4]
}

// wordsSet puts the words of a group where the rounds expect them.
func wordsSet(f family, p pass, g int) {
	for w, r := range transit(f, p, g) {
		if at, ok := f.word(p, g, w).(Mem); ok {
			move(r, at)
		}
	}
}

// wordsIn loads the blocks of a pass.
func wordsIn(f family, p pass) {
	tmp := p.registers()
	basis := f.basis(false, tmp[8:12])
	for g := range p.groups {
		r := transit(f, p, g)
		for i := range r {
			move(Mem{Base: src, Disp: p.size() * (4*g + i)}, r[i])
			shuffle(swapWords(), r[i], r[i])
		}
		basis(r...)
		transposeWords([4]vec(r), tmp[12], tmp[13])
		wordsSet(f, p, g)
	}
}

// wordsOut collects the results; out gets them a row at a time.
func wordsOut(f family, p pass, out func(at int, r vec)) {
	tmp := p.registers()
	basis := f.basis(true, tmp[8:12])
	for g := range p.groups {
		r := transit(f, p, g)
		for w := range r {
			if at, ok := f.word(p, g, w).(Mem); ok {
				move(at, r[w])
			}
		}
		// The result is the last four words, the newest first: rows end up in
		// r[3], r[2], r[1], r[0].
		transposeWords([4]vec{r[3], r[2], r[1], r[0]}, tmp[12], tmp[13])
		basis(r...)
		for i := range r {
			shuffle(swapWords(), r[3-i], r[3-i])
			out(p.size()*(4*g+i), r[3-i])
		}
	}
}
