// Package spec implements RFC 8439 and draft-irtf-cfrg-xchacha-03 as plainly as
// possible, as the reference for tests of drivers.
package spec

import (
	"encoding/binary"
	"math/big"
	"math/bits"
	"slices"
)

func quarterRound(x *[16]uint32, a, b, c, d int) {
	x[a] += x[b]
	x[d] ^= x[a]
	x[d] = bits.RotateLeft32(x[d], 16)
	x[c] += x[d]
	x[b] ^= x[c]
	x[b] = bits.RotateLeft32(x[b], 12)
	x[a] += x[b]
	x[d] ^= x[a]
	x[d] = bits.RotateLeft32(x[d], 8)
	x[c] += x[d]
	x[b] ^= x[c]
	x[b] = bits.RotateLeft32(x[b], 7)
}

// rounds is inner_block ten times (section 2.3).
func rounds(x *[16]uint32) {
	for range 10 {
		quarterRound(x, 0, 4, 8, 12)
		quarterRound(x, 1, 5, 9, 13)
		quarterRound(x, 2, 6, 10, 14)
		quarterRound(x, 3, 7, 11, 15)
		quarterRound(x, 0, 5, 10, 15)
		quarterRound(x, 1, 6, 11, 12)
		quarterRound(x, 2, 7, 8, 13)
		quarterRound(x, 3, 4, 9, 14)
	}
}

// State is the matrix before the rounds (section 2.3).
func State(key *[8]uint32, counter uint32, nonce *[3]uint32) [16]uint32 {
	return state(key, [4]uint32{counter, nonce[0], nonce[1], nonce[2]})
}

func state(key *[8]uint32, last [4]uint32) (x [16]uint32) {
	for i := range 4 {
		x[i] = binary.LittleEndian.Uint32([]byte("expand 32-byte k")[4*i:])
		x[12+i] = last[i]
	}
	copy(x[4:], key[:])
	return x
}

// Block is chacha20_block (section 2.3).
func Block(matrix [16]uint32) (block []byte) {
	x := matrix
	rounds(&x)
	for i := range x {
		block = binary.LittleEndian.AppendUint32(block, x[i]+matrix[i])
	}
	return block
}

// XOR is chacha20_encrypt (section 2.4).
func XOR(src []byte, matrix [16]uint32) []byte {
	dst := slices.Clone(src)
	for i := range dst {
		if i > 0 && i%64 == 0 {
			matrix[12]++
		}
		if i%64 == 0 {
			for j, k := range Block(matrix) {
				if i+j < len(dst) {
					dst[i+j] ^= k
				}
			}
		}
	}
	return dst
}

// HChaCha is HChaCha20 (draft-irtf-cfrg-xchacha-03, section 2.2).
func HChaCha(key *[8]uint32, nonce *[4]uint32) (out [8]uint32) {
	x := state(key, *nonce)
	rounds(&x)
	copy(out[:], x[:4])
	copy(out[4:], x[12:])
	return out
}

// LittleEndian is le_bytes_to_num (section 2.5.1).
func LittleEndian(b []byte) *big.Int {
	b = slices.Clone(b)
	slices.Reverse(b)
	return new(big.Int).SetBytes(b)
}

// P is 2^130-5.
var P = new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 130), big.NewInt(5))

// Blocks is the loop of poly1305_mac (section 2.5.1).
func Blocks(h, r *big.Int, message []byte) *big.Int {
	h = new(big.Int).Set(h)
	for len(message) > 0 {
		n := min(len(message), 16)
		h.Add(h, LittleEndian(append(slices.Clone(message[:n]), 1)))
		h.Mul(h, r)
		h.Mod(h, P)
		message = message[n:]
	}
	return h
}

// MAC is poly1305_mac (section 2.5.1).
func MAC(key, message []byte) []byte {
	k := slices.Clone(key)
	for _, i := range []int{3, 7, 11, 15} {
		k[i] &= 15
	}
	for _, i := range []int{4, 8, 12} {
		k[i] &= 252
	}
	h := Blocks(new(big.Int), LittleEndian(k[:16]), message)
	h.Add(h, LittleEndian(k[16:]))
	h.Mod(h, new(big.Int).Lsh(big.NewInt(1), 128))
	tag := h.FillBytes(make([]byte, 16))
	slices.Reverse(tag)
	return tag
}

// Seal is chacha20_aead_encrypt (section 2.8.1).
func Seal(plaintext, data []byte, key *[8]uint32, nonce *[3]uint32) []byte {
	otk := Block(State(key, 0, nonce))[:32]
	ciphertext := XOR(plaintext, State(key, 1, nonce))
	pad16 := func(b []byte) []byte { return make([]byte, -len(b)&15) }
	mac := slices.Concat(data, pad16(data), ciphertext, pad16(ciphertext))
	mac = binary.LittleEndian.AppendUint64(mac, uint64(len(data)))
	mac = binary.LittleEndian.AppendUint64(mac, uint64(len(ciphertext)))
	return append(ciphertext, MAC(otk, mac)...)
}
