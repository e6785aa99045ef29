package frodokem

import "github.com/cipherlane/cipherlane/internal/keccak"

// This file expands seeds to noise.

// Domain separators for the expansion of seeds.
var (
	domainKey     = []byte{0x5f}
	domainMessage = []byte{0x96}
)

// expand fills n words of noise for each seed: S', E' and E”, or S^T and E.
//
// If the kernels squeeze the rest of the noise while they multiply, expand samples only
// the first matrix, and leaves the states for finish. A state has squeezed firstBlocks
// then.
//
// For a single seed, expand also absorbs in, a whole number of blocks, into hash, at the
// same time where the driver supports that.
func expand(row uint8, p *params, s []*scratch, n int, domain []byte, seeds *[lanes][]byte, beside bool, states *[lanes]keccak.State, hash *keccak.State, in []byte) {
	bytes, sampled := 2*n, n
	if beside {
		bytes, sampled = firstBlocks(p), nbar*p.n
	}
	var lane [lanes]keccak.Lane
	for i := range s {
		lane[i] = keccak.Lane{In: [3][]byte{domain, seeds[i]}, Out: bytesOf(s[i].noise[:n])[:bytes]}
	}
	switch {
	case len(s) == 1:
		state, out, last := &states[0], lane[0].Out, bytes
		if !beside {
			last = (bytes - 1) / p.rate * p.rate
		}
		state.Absorb(hashRow[row], p.rate, &lane[0].In)
		keccak.SqueezeAndAbsorb(hashRow[row], p.rate, state, out[:last], hash, in)
		if !beside {
			state.Last(out[last:])
			state.Wipe()
		}
	case beside:
		keccak.Begin(hashRow[row], p.rate, lane[:len(s)], states[:len(s)])
	default:
		keccak.Sum(hashRow[row], p.rate, lane[:len(s)])
	}
	for _, s := range s {
		fromLittleEndian(s.noise[:sampled])
		sample(row, p, s.noise[:sampled])
	}
}

// firstBlocks returns the length in bytes of S' or S^T, rounded up to whole blocks.
func firstBlocks(p *params) int {
	return (2*nbar*p.n + p.rate - 1) / p.rate * p.rate
}

// sample turns random words into noise in place (Frodo.Sample). Their number is a
// multiple of 64.
func sample(row uint8, p *params, s []uint16) {
	if row == generic {
		sampleGeneric(p, s)
		return
	}
	sampleKernel(row, s, p.cdf)
}

// sampleGeneric implements sample: the
// lowest bit is the sign, and the absolute value is the number of entries of the
// distribution that are below the other 15 bits. It always compares all entries.
// Four samples are processed together in a 64-bit word.
func sampleGeneric(p *params, s []uint16) {
	const (
		low  = 0x0001000100010001
		rest = 0x7fff7fff7fff7fff
	)
	for len(s) >= 4 {
		r := uint64(s[0]) | uint64(s[1])<<16 | uint64(s[2])<<32 | uint64(s[3])<<48
		t := r >> 1 & rest
		e := uint64(0)
		for _, c := range p.cdf {
			e += (t + uint64(0x7fff-c)*low) >> 15 & low // t > c carries into bit 15
		}
		sign := r & low
		e ^= sign * 0xffff
		e = (e&rest + sign) ^ e&^rest // -e where the sign is set, with no carry between samples
		s[0], s[1], s[2], s[3] = uint16(e), uint16(e>>16), uint16(e>>32), uint16(e>>48)
		s = s[4:]
	}
}

// isNoise returns 1 if all entries of a matrix are, mod q, in the range of the noise,
// -len(cdf) to len(cdf). It always examines all entries.
func (p *params) isNoise(matrix []uint16) int {
	most := uint16(len(p.cdf))
	var tooLarge uint32
	for _, x := range matrix {
		// The difference is negative unless x + most is from 0 to 2 most.
		tooLarge |= uint32(2*most) - uint32((x+most)&p.q1())
	}
	return int(1 - tooLarge>>31)
}
