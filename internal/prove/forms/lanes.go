package forms

import (
	"encoding/binary"
	"slices"
	"strconv"
)

// Lanes are blocks that a kernel computes with side by side. What is computed with the inputs of one lane, and
// with those that belong to none, is a form of a template and the number of the lane: the form for other lanes
// is that one with other names of the inputs, and is not made again. A sum over lanes has a form for each.
//
// A Bit has the number of its lane in the upper 8 bits; 0 is that of forms without inputs of lanes, so that
// equal functions still are equal bits.
const (
	laneShift = 24
	noLane    = 1<<laneShift - 1
	severalOf = 255 // in the place of a lane: the rest is an index of Engine.several
	// MaxLanes is the number of the last lane.
	MaxLanes = severalOf - 1
)

// A part is a summand of a sum over lanes.
type part struct {
	lane uint32
	form Bit // of atoms that depend on inputs of lanes, or for lane 0 of the others
}

// Lane returns n inputs of a lane, 1 to MaxLanes. Those with the same name are the same ones in the template.
// Values has the same ones for all lanes: see Input.
func (e *Engine) Lane(lane int, name string, n int) Word {
	if lane < 1 || lane > MaxLanes {
		stop("lane %d", lane)
	}
	w := make(Word, n)
	for i := range w {
		if e.Known {
			w[i] = e.Unknown(name)
			continue
		}
		at := name + "." + strconv.Itoa(i)
		b, ok := e.inLanes[at]
		if !ok {
			a := e.newAtom(atom{values: e.random(), owner: -1, name: at, lane: true})
			b = e.single(a)
			e.inLanes[at] = b
		}
		w[i] = e.laned(uint32(lane), b)
	}
	return w
}

// laned is the form of a template in a lane.
func (e *Engine) laned(lane uint32, b Bit) Bit {
	if !e.inLane[b>>1] {
		return b
	}
	return Bit(lane<<laneShift) | b
}

// oneLane returns the lane of bits, 0 if they belong to none. Bits of several lanes cannot be computed with.
func oneLane(lists ...[]Bit) uint32 {
	lane := uint32(0)
	for _, list := range lists {
		for _, b := range list {
			if l := uint32(b >> laneShift); l != 0 && l != lane {
				if lane != 0 || l == severalOf {
					stop("a function of several lanes")
				}
				lane = l
			}
		}
	}
	return lane
}

// template returns words without their lanes.
func template(w Word) Word {
	out := make(Word, len(w))
	for i, b := range w {
		out[i] = b & noLane
	}
	return out
}

// lanedWord changes a word of a template to that of a lane.
func (e *Engine) lanedWord(lane uint32, w Word) Word {
	for i, b := range w {
		w[i] = e.laned(lane, b)
	}
	return w
}

// parts are the summands of a bit, without its constant.
func (e *Engine) parts(b Bit) []part {
	lane := uint32(b >> laneShift)
	b &= noLane &^ 1
	switch {
	case lane == severalOf:
		return e.several[b>>1]
	case b == Zero:
		return nil
	case lane == 0:
		return []part{{0, b}}
	}
	own, ok := e.ownAtoms[b]
	if !ok {
		var list []uint32
		for _, a := range e.atomsOf(b) {
			if e.atoms[a].lane {
				list = append(list, a)
			}
		}
		own = e.form(list, 0)
		e.use(40)
		e.ownAtoms[b] = own
	}
	if shared := e.Xor(own, b); shared != Zero {
		return []part{{0, shared}, {lane, own}}
	}
	return []part{{lane, own}}
}

// overLanes is the sum of bits of any lanes.
func (e *Engine) overLanes(list ...Bit) Bit {
	c := Zero
	var sum []part
	for _, b := range list {
		c ^= b & 1
		for _, p := range e.parts(b) {
			at, found := slices.BinarySearchFunc(sum, p.lane, func(q part, lane uint32) int { return int(q.lane) - int(lane) })
			switch {
			case !found:
				sum = slices.Insert(sum, at, p)
			case sum[at].form == p.form:
				sum = slices.Delete(sum, at, at+1)
			default:
				sum[at].form = e.Xor(sum[at].form, p.form)
			}
		}
	}
	// One lane, and what belongs to none.
	switch {
	case len(sum) == 0:
		return c
	case len(sum) == 1:
		return e.laned(sum[0].lane, sum[0].form) ^ c
	case len(sum) == 2 && sum[0].lane == 0:
		return e.laned(sum[1].lane, e.Xor(sum[0].form, sum[1].form)) ^ c
	}
	key := make([]byte, 0, 5*len(sum))
	for _, p := range sum {
		key = binary.LittleEndian.AppendUint32(append(key, byte(p.lane)), uint32(p.form))
	}
	i, ok := e.bySeveral[string(key)]
	if !ok {
		if len(e.several) >= 1<<(laneShift-1) {
			stop("there are too many sums over lanes")
		}
		e.use(13*len(sum) + 100)
		i = uint32(len(e.several))
		e.several = append(e.several, slices.Clone(sum))
		e.bySeveral[string(key)] = i
	}
	return Bit(severalOf<<laneShift|i<<1) | c
}

// Input is Values for a linear function of inputs, where those of lanes are different.
func (e *Engine) Input(b Bit) uint64 {
	v := -uint64(b & 1)
	for _, p := range e.parts(b) {
		for _, a := range e.atomsOf(p.form) {
			x := e.atoms[a].values
			if p.lane != 0 && e.atoms[a].lane {
				x = (x ^ uint64(p.lane)*0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9
				x ^= x >> 29
			}
			v ^= x
		}
	}
	return v
}
