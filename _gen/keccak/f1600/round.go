package f1600

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/cipherlane/cipherlane/_gen/asm"
	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
	"github.com/cipherlane/cipherlane/_gen/keccak/fips202"
)

// A State is where kernels with one state, in integer registers and on the stack, have
// what they work on. A round, in the notation of FIPS 202 section 3.2:
//
//	theta  D[x] = C[x-1] ^ (C[x+1] <<< 1)         C[x] is the parity of column x
//	rho, pi    B[y][x] = (A[Lane] ^ D[Lane mod 5]) <<< Rotate         with Plane[y][x]
//	chi    A'[y][x] = B[y][x] ^ (^B[y][x+1] & B[y][x+2])
//	iota   A'[0][0] ^= the round's constant
//
// It goes plane by plane. C becomes the parities of the result as lanes come out: the first
// plane of chi goes there as it is. So a round reads each lane once and writes it once.
type State struct {
	C, B [5]reg.GPPhysical
	D    [5]operand.Op // a register or memory
	Temp reg.GPPhysical
	// OrderD is the order in which D is computed.
	OrderD [5]int
	// InTemp is the column whose D is in memory but, in the first plane, still in Temp too:
	// the last one of those in memory to be computed. It is -1 if Temp is not used so.
	InTemp int
	// ReuseD says that the last plane is made in the registers of D.
	ReuseD bool
	// Next is the word of memory that has the address of the next round's constant.
	Next operand.Mem
}

// NewState returns a State with the registers that are common to all kernels.
func NewState(next operand.Mem) *State {
	return &State{C: [5]reg.GPPhysical{reg.RAX, reg.RBX, reg.RCX, reg.RDX, reg.RSI}, InTemp: -1, Next: next}
}

// TwoRounds is two rounds, from one state to the other and back. C must have the parities
// of from.
func (s *State) TwoRounds(from, to operand.Mem) asm.Stream {
	return append(s.round(from, to, 0), s.round(to, from, 1)...)
}

// round is the first or second of two rounds.
func (s *State) round(from, to operand.Mem, which int) asm.Stream {
	var ops asm.Stream
	for _, x := range s.OrderD {
		d, inRegister := s.D[x].(reg.GPPhysical)
		if !inRegister {
			d = s.Temp
		}
		ops.Add(amd64.RORXQ(operand.Imm(63), s.C[(x+1)%5], d))
		ops.Add(amd64.XORQ(s.C[(x+4)%5], d))
		if !inRegister {
			ops.Add(amd64.MOVQ(d, s.D[x]))
		}
	}
	for y, lanes := range fips202.Plane {
		b := s.B
		for x, l := range lanes {
			lane, column := from.Offset(8*l.Lane), l.Lane%5
			d, inRegister := s.D[column].(reg.GPPhysical)
			if y == 0 && column == s.InTemp {
				d, inRegister = s.Temp, true
			}
			switch {
			case inRegister && y == 4 && s.ReuseD:
				b[x] = d
				ops.Add(amd64.XORQ(lane, d))
			case inRegister:
				ops.Add(amd64.MOVQ(lane, b[x]))
				ops.Add(amd64.XORQ(d, b[x]))
			default:
				ops.Add(amd64.MOVQ(s.D[column], b[x]))
				ops.Add(amd64.XORQ(lane, b[x]))
			}
			if l.Rotate != 0 {
				ops.Add(amd64.RORXQ(operand.Imm(uint64(64-l.Rotate)), b[x], b[x]))
			}
		}
		for x := range 5 {
			out := s.Temp
			if y == 0 {
				out = s.C[x]
			}
			ops.Add(amd64.ANDNQ(b[(x+2)%5], b[(x+1)%5], out))
			ops.Add(amd64.XORQ(b[x], out))
			if y == 0 && x == 0 {
				continue // iota comes first
			}
			ops.Add(amd64.MOVQ(out, to.Offset(8*(5*y+x))))
			if y > 0 {
				ops.Add(amd64.XORQ(out, s.C[x]))
			}
		}
		if y == 0 {
			ops.Add(s.iota(to, b[0], which)...)
		}
	}
	return ops
}

// iota adds the constant to lane 0, which is in C[0], and stores the lane.
func (s *State) iota(to operand.Mem, t reg.GPPhysical, which int) (ops asm.Stream) {
	ops.Add(amd64.MOVQ(s.Next, t))
	ops.Add(amd64.XORQ(operand.Mem{Base: t, Disp: 8 * which}, s.C[0]))
	if which == 1 {
		ops.Add(amd64.ADDQ(operand.Imm(16), t))
		ops.Add(amd64.MOVQ(t, s.Next))
	}
	ops.Add(amd64.MOVQ(s.C[0], to))
	return ops
}
