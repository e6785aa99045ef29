package aescore

import (
	"encoding/binary"
	"math/bits"
	"runtime"
)

// Narrow passes. They omit ShiftRows. Instead, MixColumns of round i reads the bytes
// that it adds from their places: in each row i columns further than in the row
// before. After i rounds row r is i*r columns away from its place in the standard;
// the round keys are shifted in the same way. After four rounds all rows are in
// place again. (Fixslicing: Adomnicai and Peyrin, 2021.)

const (
	rows     = ones / (1<<lane - 1) // the lowest bit of every row
	columns1 = rows * (1<<cell - 1) // column 0 of every row
	columns2 = rows * (1<<(2*cell) - 1)
	columns3 = rows * (1<<(3*cell) - 1)
	oddRows  = (1<<lane-1)<<lane | (1<<lane-1)<<(3*lane)
)

// below0 to below3 return the bytes one row down and 0 to 3 columns to the right.
// Columns that wrap around to the start of their row are rotated less.
func below0(x word) word { return bits.RotateLeft(x, -lane) }

func below1(x word) word {
	y := bits.RotateLeft(x, -cell)
	return (bits.RotateLeft(x, -lane-cell)^y)&columns3 ^ y
}

func below2(x word) word {
	y := bits.RotateLeft(x, -2*cell)
	return (bits.RotateLeft(x, -lane-2*cell)^y)&columns2 ^ y
}

func below3(x word) word {
	y := bits.RotateLeft(x, -3*cell)
	return (bits.RotateLeft(x, -lane-3*cell)^y)&columns1 ^ y
}

// opposite0 returns the bytes two rows down; opposite2, also two columns to the right.
func opposite0(x word) word { return bits.RotateLeft(x, -2*lane) }

func opposite2(x word) word {
	y := bits.RotateLeft(x, -lane-2*cell)
	return (bits.RotateLeft(x, -2*lane-2*cell)^y)&columns2 ^ y
}

// fillNarrow computes the round keys for narrow passes. It converts as many at once
// as a pass has blocks.
func (k *genericKeys) fillNarrow() {
	var b [narrowSize]byte
	var p planes
	for i := 0; i <= k.rounds; i += narrowBlocks {
		keys := (*[narrowBlocks]planes)(k.narrow[i:])
		for n := range keys {
			w := (*[4]uint32)(k.words[4*(i+n):])
			shift := uint(i + n) // columns, for row 1
			for c := range uint(4) {
				binary.LittleEndian.PutUint32(b[BlockSize*n+4*int(c):],
					w[c]&0xff|w[(c-shift)%4]&0xff00|
						w[(c-2*shift)%4]&0xff0000|w[(c-3*shift)%4]&0xff000000)
			}
		}
		p.load(&b)
		for b, x := range p {
			for n := range keys {
				t := x & (ones / (1<<cell - 1)) // of every byte
				keys[n][b] = t<<cell - t
				x >>= 1
			}
		}
	}
	clear(b[:])
	clear(p[:])
	runtime.KeepAlive(&b)
	runtime.KeepAlive(&p)
}

// load converts the blocks of a narrow pass to planes.
func (p *planes) load(src *[narrowSize]byte) {
	if bits.UintSize == 64 {
		for n := range 4 {
			b := src[BlockSize*n%narrowSize:][:BlockSize]
			lo, hi := word(binary.LittleEndian.Uint64(b)), word(binary.LittleEndian.Uint64(b[8:]))
			lo, hi = swap(lo, hi, 8, groups8)
			lo, hi = swap(lo, hi, 16, groups16)
			p[n], p[n+4] = swap(lo, hi, half, lowHalf) // columns 0 and 2, 1 and 3, in turn
		}
	} else {
		for i := range p { // column i/2 of block i%2
			p[i] = word(binary.LittleEndian.Uint32(src[i&1*BlockSize+i>>1*4:]))
		}
	}
	p.transpose()
}

// store reverses load.
func (p *planes) store(dst *[narrowSize]byte) {
	p.transpose()
	if bits.UintSize == 64 {
		for n := range 4 {
			b := dst[BlockSize*n%narrowSize:][:BlockSize]
			lo, hi := swap(p[n], p[n+4], half, lowHalf)
			lo, hi = swap(lo, hi, 16, groups16)
			lo, hi = swap(lo, hi, 8, groups8)
			binary.LittleEndian.PutUint64(b, uint64(lo))
			binary.LittleEndian.PutUint64(b[8:], uint64(hi))
		}
	} else {
		for i, w := range p {
			binary.LittleEndian.PutUint32(dst[i&1*BlockSize+i>>1*4:], uint32(w))
		}
	}
}

// turn moves rows 1 and 3 by two columns, because they are out of place by that much
// after 10 or 14 rounds.
func (p *planes) turn() {
	for b, x := range p {
		t := (x>>(2*cell) ^ x) & (columns2 & oddRows)
		p[b] = x ^ t ^ t<<(2*cell)
	}
}

func (k *genericKeys) encryptNarrow(dst, src *[narrowSize]byte) {
	var s planes
	s.load(src)
	s.add(&k.narrow[0])
	for i := 1; i < k.rounds; i++ {
		switch i & 3 {
		case 0:
			s.round0(&k.narrow[i])
		case 1:
			s.round1(&k.narrow[i])
		case 2:
			s.round2(&k.narrow[i])
		case 3:
			s.round3(&k.narrow[i])
		}
	}
	s.substitute()
	s.add(&k.narrow[k.rounds])
	if k.rounds != 12 {
		s.turn()
	}
	s.store(dst)
	clear(s[:])
	runtime.KeepAlive(&s)
}

func (k *genericKeys) decryptNarrow(dst, src *[narrowSize]byte) {
	var s planes
	s.load(src)
	i := k.rounds
	if i != 12 {
		s.turn()
	}
	s.add(&k.narrow[i])
	s.unsubstitute()
	for i--; i > 0; i-- {
		switch i & 3 {
		case 0:
			s.unround0(&k.narrow[i])
		case 1:
			s.unround1(&k.narrow[i])
		case 2:
			s.unround2(&k.narrow[i])
		case 3:
			s.unround3(&k.narrow[i])
		}
	}
	s.add(&k.narrow[0])
	s.store(dst)
	clear(s[:])
	runtime.KeepAlive(&s)
}
