package aescore

import (
	"encoding/binary"
	"math/bits"
	"runtime"
)

// Wide passes. Every row of the state has its own planes, so that ShiftRows only
// rotates words and MixColumns only adds them.

// A wideState holds the planes of every row.
type wideState [4]planes

// wideKeys are the round keys for wide passes.
type wideKeys [maxRounds + 1]wideState

// A wideCipher is the cipher for wide passes. It is large, but quick to derive from
// the other round keys, so its users create it on the stack.
type wideCipher struct {
	keys   wideKeys
	rounds int
	state  wideState
}

const (
	lane0   = 1<<lane - 1 // column 0
	lane1   = lane0 << lane
	lane2   = lane1 << lane
	lane3   = lane2 << lane
	lowBits = ones / lane0 // of every lane
)

// fill derives the round keys from those of g.
func (k *wideKeys) fill(g *genericKeys) {
	for i := range g.rounds + 1 {
		w := (*[4]uint32)(g.words[4*i:])
		for r := range k[i] {
			row := word(w[0]>>(8*r)&0xff) | word(w[1]>>(8*r)&0xff)<<lane |
				word(w[2]>>(8*r)&0xff)<<(2*lane) | word(w[3]>>(8*r)&0xff)<<(3*lane)
			p := &k[i][r]
			for b := range p {
				t := row & lowBits
				p[b] = t<<lane - t
				row >>= 1
			}
		}
	}
}

// load converts the blocks of a wide pass to planes.
func (s *wideState) load(src *[wideSize]byte) {
	for n := range 8 {
		var a, b, c, d word
		if bits.UintSize == 64 { // two columns in a word, block n or n+8
			p, q := src[BlockSize*n:][:BlockSize], src[BlockSize*n+wideSize/2:][:BlockSize]
			a, c = word(binary.LittleEndian.Uint64(p)), word(binary.LittleEndian.Uint64(p[8:]))
			b, d = word(binary.LittleEndian.Uint64(q)), word(binary.LittleEndian.Uint64(q[8:]))
			a, c = swap(a, c, half, lowHalf)
			b, d = swap(b, d, half, lowHalf)
		} else { // one column
			p := src[BlockSize*n:][:BlockSize]
			a, b = word(binary.LittleEndian.Uint32(p)), word(binary.LittleEndian.Uint32(p[4:]))
			c, d = word(binary.LittleEndian.Uint32(p[8:])), word(binary.LittleEndian.Uint32(p[12:]))
		}
		a, c = swap(a, c, 16, groups16)
		b, d = swap(b, d, 16, groups16)
		s[0][n], s[1][n] = swap(a, b, 8, groups8)
		s[2][n], s[3][n] = swap(c, d, 8, groups8)
	}
	for r := range s {
		s[r].transpose()
	}
}

// store reverses load.
func (s *wideState) store(dst *[wideSize]byte) {
	for r := range s {
		s[r].transpose()
	}
	for n := range 8 {
		a, b := swap(s[0][n], s[1][n], 8, groups8)
		c, d := swap(s[2][n], s[3][n], 8, groups8)
		a, c = swap(a, c, 16, groups16)
		b, d = swap(b, d, 16, groups16)
		p := dst[BlockSize*n:][:BlockSize]
		if bits.UintSize == 64 {
			q := dst[BlockSize*n+wideSize/2:][:BlockSize]
			a, c = swap(a, c, half, lowHalf)
			b, d = swap(b, d, half, lowHalf)
			binary.LittleEndian.PutUint64(p, uint64(a))
			binary.LittleEndian.PutUint64(p[8:], uint64(c))
			binary.LittleEndian.PutUint64(q, uint64(b))
			binary.LittleEndian.PutUint64(q[8:], uint64(d))
		} else {
			binary.LittleEndian.PutUint32(p, uint32(a))
			binary.LittleEndian.PutUint32(p[4:], uint32(b))
			binary.LittleEndian.PutUint32(p[8:], uint32(c))
			binary.LittleEndian.PutUint32(p[12:], uint32(d))
		}
	}
}

func (w *wideCipher) init(k *genericKeys) {
	w.keys.fill(k)
	w.rounds = k.rounds
}

func (w *wideCipher) wipe() {
	*w = wideCipher{}
	runtime.KeepAlive(w)
}

func (w *wideCipher) encrypt(dst, src *[wideSize]byte) {
	w.state.load(src)
	w.state.add(&w.keys[0])
	w.encryptFrom(1)
	w.state.store(dst)
}

// encryptFrom does the remaining rounds, beginning with number first.
func (w *wideCipher) encryptFrom(first int) {
	s := &w.state
	for i := first; i < w.rounds; i++ {
		s.substitute()
		s.mix(&w.keys[i])
	}
	s.substitute()
	s.shiftRows(-lane)
	s.add(&w.keys[w.rounds])
}

func (w *wideCipher) decrypt(dst, src *[wideSize]byte) {
	s := &w.state
	s.load(src)
	s.add(&w.keys[w.rounds])
	s.shiftRows(lane)
	s.unsubstitute()
	for i := w.rounds - 1; i > 0; i-- {
		s.unmix(&w.keys[i])
		s.unsubstitute()
	}
	s.add(&w.keys[0])
	s.store(dst)
}

func (s *wideState) add(k *wideState) {
	for r := range s {
		s[r].add(&k[r])
	}
}

func (s *wideState) substitute() {
	s[0].substitute()
	s[1].substitute()
	s[2].substitute()
	s[3].substitute()
}

func (s *wideState) unsubstitute() {
	s[0].unsubstitute()
	s[1].unsubstitute()
	s[2].unsubstitute()
	s[3].unsubstitute()
}

// shiftRows rotates row r by r*n bits: -lane in ShiftRows, lane in its inverse.
func (s *wideState) shiftRows(n int) {
	for b := range 8 {
		s[1][b] = bits.RotateLeft(s[1][b], n)
		s[2][b] = bits.RotateLeft(s[2][b], 2*n)
		s[3][b] = bits.RotateLeft(s[3][b], 3*n)
	}
}
