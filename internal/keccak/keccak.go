// Package keccak computes SHAKE128 and SHAKE256 (FIPS 202) of up to eight
// messages in parallel.
//
// FrodoKEM spends most of its time here. It hashes equally long messages for
// several keys, and generates the rows of a matrix from inputs that differ in
// their first two bytes. Vector drivers process such messages together, with one
// message in each 64-bit lane, which takes little longer than a single message.
// A single message is hashed with the scalar permutation.
package keccak

import (
	"encoding/binary"
	"runtime"
)

// Rates: bytes absorbed or squeezed per permutation.
const (
	Rate128 = 168 // SHAKE128
	Rate256 = 136 // SHAKE256
)

// MaxLanes is the largest number of lanes for Sum.
const MaxLanes = 8

// A Lane is one message, the concatenation of its parts, and the memory for its
// digest.
type Lane struct {
	In    [3][]byte
	Out   []byte
	State *State // has absorbed earlier blocks of the message; may be nil if there are none
}

// sumOne is sum for one lane.
func sumOne(row uint8, rate int, l *Lane, begin, end bool) {
	var own State
	s := l.State
	if s == nil {
		s = &own
	}
	if begin {
		s.absorb(row, rate, &l.In)
	}
	n := len(l.Out)
	if end {
		n = (n - 1) / rate * rate
	}
	s.squeeze(row, rate, l.Out[:n])
	if end {
		s.Last(l.Out[n:])
		s.Wipe()
	}
}

// A State is the sponge of one message, for reading the output in pieces: whole
// blocks, then the last bytes, at most a block. A is the state of FIPS 202 section 3.1
// by lanes; its first words are the next block of output.
type State struct{ A [25]uint64 }

// absorb absorbs a message of several parts: the sponge of FIPS 202 section 4, with the
// suffix 1111 of section 6.2 and the padding pad10*1.
func (s *State) absorb(row uint8, rate int, in *[3][]byte) {
	var block [Rate128]byte
	filled := 0 // bytes of the block being assembled
	for _, p := range in {
		for len(p) > 0 {
			if n := len(p) / rate * rate; filled == 0 && n > 0 {
				absorb(row, &s.A, p[:n], rate)
				p = p[n:]
				continue
			}
			n := copy(block[filled:rate], p)
			p = p[n:]
			if filled += n; filled == rate {
				absorb(row, &s.A, block[:rate], rate)
				filled = 0
			}
		}
	}
	clear(block[filled:rate])
	block[filled] = 0x1f
	block[rate-1] ^= 0x80
	absorb(row, &s.A, block[:rate], rate)
	clear(block[:])
	runtime.KeepAlive(&block)
}

// squeeze fills out, which is whole blocks, and leaves the next block in the state.
func (s *State) squeeze(row uint8, rate int, out []byte) {
	if len(out) > 0 {
		squeeze(row, &s.A, out, rate)
	}
}

// Last fills out from the next block of output.
func (s *State) Last(out []byte) {
	i := 0
	for ; i+8 <= len(out); i += 8 {
		binary.LittleEndian.PutUint64(out[i:], s.A[i/8])
	}
	for ; i < len(out); i++ {
		out[i] = byte(s.A[i/8] >> (i % 8 * 8))
	}
}

// Wipe overwrites the state.
func (s *State) Wipe() {
	clear(s.A[:])
	runtime.KeepAlive(s)
}
