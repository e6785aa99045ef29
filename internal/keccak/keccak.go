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

	"github.com/cipherlane/cipherlane/driver"
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
	In  [3][]byte
	Out []byte
}

// Drivers returns the drivers for this architecture.
func Drivers() []driver.Info { return table.Drivers() }

// Sum computes SHAKE with the given rate for one to eight lanes. Corresponding
// parts of all lanes must have the same length, and so must their outputs; no
// output may overlap any memory of other lanes.
func Sum(row uint8, rate int, lanes []Lane) {
	if len(lanes) == 1 {
		sumOne(row, rate, &lanes[0])
		return
	}
	sumMany(row, rate, lanes)
}

func sumOne(row uint8, rate int, l *Lane) {
	var s State
	s.Absorb(row, rate, &l.In)
	n := (len(l.Out) - 1) / rate * rate
	s.Squeeze(row, rate, l.Out[:n])
	s.Last(l.Out[n:])
	s.Wipe()
}

// A State is the sponge of one message, for reading the output in pieces: whole
// blocks, then the last bytes, at most a block. A is the state of FIPS 202 section 3.1
// by lanes; its first words are the next block of output.
type State struct{ A [25]uint64 }

// Absorb absorbs a message of several parts: the sponge of FIPS 202 section 4, with the
// suffix 1111 of section 6.2 and the padding pad10*1. Earlier blocks of the message may
// have been absorbed already.
func (s *State) Absorb(row uint8, rate int, in *[3][]byte) {
	var block [Rate128]byte
	at := 0 // in the block that is being put together
	for _, p := range in {
		for len(p) > 0 {
			if n := len(p) / rate * rate; at == 0 && n > 0 {
				n = min(n, maxBytes/rate*rate)
				absorb(row, &s.A, p[:n], rate)
				p = p[n:]
				continue
			}
			n := copy(block[at:rate], p)
			p = p[n:]
			if at += n; at == rate {
				absorb(row, &s.A, block[:rate], rate)
				at = 0
			}
		}
	}
	clear(block[at:rate])
	block[at] = 0x1f
	block[rate-1] ^= 0x80
	absorb(row, &s.A, block[:rate], rate)
	clear(block[:])
	runtime.KeepAlive(&block)
}

// Squeeze fills out, which is whole blocks, and leaves the next block in the state.
func (s *State) Squeeze(row uint8, rate int, out []byte) {
	for len(out) > 0 {
		n := min(len(out), maxBytes/rate*rate)
		squeeze(row, &s.A, out[:n], rate)
		out = out[n:]
	}
}

// SqueezeAndAbsorb is s.Squeeze(out) and also absorbs in, which is whole blocks, into t.
// Some drivers do both at the same time.
func SqueezeAndAbsorb(row uint8, rate int, s *State, out []byte, t *State, in []byte) {
	if n := min(len(out), len(in)); n > 0 && pair(row, rate, s, out[:n], t, in[:n]) {
		out, in = out[n:], in[n:]
	}
	s.Squeeze(row, rate, out)
	for len(in) > 0 {
		n := min(len(in), maxBytes/rate*rate)
		absorb(row, &t.A, in[:n], rate)
		in = in[n:]
	}
}

// Begin is Sum for outputs of whole blocks, at least one. It sets the states, which must
// be zero, so that they continue the output.
func Begin(row uint8, rate int, lanes []Lane, states []State) {
	if len(lanes) > 1 && beginMany(row, rate, lanes, states) {
		return
	}
	for i := range lanes {
		states[i].Absorb(row, rate, &lanes[i].In)
		states[i].Squeeze(row, rate, lanes[i].Out)
	}
}

// Rows fills out with the outputs of SHAKE128 for eight messages, one after the other.
// Each message is a number, first, first+1 and so on, as two bytes, followed by the
// 16-byte seed. All of this is public.
func Rows(row uint8, first uint16, seed, out []byte) {
	if rowsMany(row, first, seed, out) {
		return
	}
	var number [MaxLanes][2]byte
	var lanes [MaxLanes]Lane
	n := len(out) / MaxLanes
	for k := range lanes {
		binary.LittleEndian.PutUint16(number[k][:], first+uint16(k))
		lanes[k] = Lane{In: [3][]byte{number[k][:], seed}, Out: out[k*n : (k+1)*n]}
	}
	Sum(row, Rate128, lanes[:])
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

// maxBytes is the largest number of bytes per call of a kernel.
const maxBytes = 64 << 10
