// Package keccak computes SHAKE128 and SHAKE256 (FIPS 202) of up to eight
// messages side by side.
//
// FrodoKEM spends most of its time here. It hashes messages of one length each
// for several keys, and makes the rows of a matrix from inputs that differ in
// their first two bytes: such messages go through a vector unit together, a
// message to each 64-bit lane, which takes little longer than one of them. A
// single message takes the scalar permutation.
package keccak

import (
	"encoding/binary"
	"runtime"

	"github.com/cipherlane/cipherlane/driver"
)

// Rates in bytes: how much of a message goes into, or comes out of, each
// permutation.
const (
	Rate128 = 168 // SHAKE128
	Rate256 = 136 // SHAKE256
)

// MaxLanes is how many messages Sum takes at once.
const MaxLanes = 8

// A Lane is one message: its parts, one behind the other, and the memory that
// its digest fills.
type Lane struct {
	In  [3][]byte
	Out []byte
}

// Drivers lists the drivers that there are for this architecture.
func Drivers() []driver.Info { return table.Drivers() }

// Sum computes SHAKE with that rate for one to eight lanes. Corresponding parts
// of all lanes have the same length, as have their outputs; no output overlaps
// any memory of other lanes.
func Sum(row uint8, rate int, lanes []Lane) {
	if len(lanes) == 1 {
		sumOne(row, rate, &lanes[0])
		return
	}
	sumMany(row, rate, lanes)
}

// sumOne is the sponge of FIPS 202 section 4, with the suffix 1111 of
// section 6.2 and the padding pad10*1.
func sumOne(row uint8, rate int, l *Lane) {
	var (
		a     [25]uint64
		block [Rate128]byte
	)
	at := 0 // in the block that is being put together
	for _, p := range l.In {
		for len(p) > 0 {
			if n := len(p) / rate * rate; at == 0 && n > 0 {
				n = min(n, maxBytes/rate*rate)
				absorb(row, &a, p[:n], rate)
				p = p[n:]
				continue
			}
			n := copy(block[at:rate], p)
			p = p[n:]
			if at += n; at == rate {
				absorb(row, &a, block[:rate], rate)
				at = 0
			}
		}
	}
	clear(block[at:rate])
	block[at] = 0x1f
	block[rate-1] ^= 0x80
	absorb(row, &a, block[:rate], rate)
	out := l.Out
	for len(out) > rate {
		n := min((len(out)-1)/rate*rate, maxBytes/rate*rate)
		squeeze(row, &a, out[:n], rate)
		out = out[n:]
	}
	i := 0
	for ; i+8 <= len(out); i += 8 {
		binary.LittleEndian.PutUint64(out[i:], a[i/8])
	}
	for ; i < len(out); i++ {
		out[i] = byte(a[i/8] >> (i % 8 * 8))
	}
	clear(a[:])
	clear(block[:])
	runtime.KeepAlive(&a)
	runtime.KeepAlive(&block)
}

// maxBytes is how much kernels take at once.
const maxBytes = 64 << 10
