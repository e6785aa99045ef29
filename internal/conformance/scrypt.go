package conformance

import (
	"crypto/pbkdf2"
	"crypto/sha256"
	"encoding/binary"
	"math/bits"
)

// Scrypt is RFC 7914, written plainly: keys of files may need it, and no package of the
// library has it.
func Scrypt(passphrase, salt []byte, N, r, p, size int) ([]byte, error) {
	b := must(pbkdf2.Key(sha256.New, string(passphrase), salt, 1, p*128*r))
	for i := range p {
		romix(b[i*128*r:][:128*r], N, r)
	}
	return pbkdf2.Key(sha256.New, string(passphrase), b, 1, size)
}

func romix(b []byte, N, r int) {
	x := make([]uint32, 32*r)
	for i := range x {
		x[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	var v [][]uint32
	for range N {
		v = append(v, x)
		x = blockMix(x)
	}
	for range N {
		j := int(x[32*r-16]) & (N - 1)
		t := make([]uint32, len(x))
		for i := range t {
			t[i] = x[i] ^ v[j][i]
		}
		x = blockMix(t)
	}
	for i := range x {
		binary.LittleEndian.PutUint32(b[4*i:], x[i])
	}
}

func blockMix(b []uint32) []uint32 {
	n := len(b) / 16
	y := make([]uint32, len(b))
	x := [16]uint32(b[len(b)-16:])
	for i := range n {
		for j := range x {
			x[j] ^= b[16*i+j]
		}
		before := x
		for range 4 {
			for _, q := range [][4]int{{0, 4, 8, 12}, {5, 9, 13, 1}, {10, 14, 2, 6}, {15, 3, 7, 11}, {0, 1, 2, 3}, {5, 6, 7, 4}, {10, 11, 8, 9}, {15, 12, 13, 14}} {
				for k, turn := range []int{7, 9, 13, 18} {
					x[q[(k+1)%4]] ^= bits.RotateLeft32(x[q[k]]+x[q[(k+3)%4]], turn)
				}
			}
		}
		for j := range x {
			x[j] += before[j]
		}
		copy(y[16*(i/2+i%2*n/2):], x[:])
	}
	return y
}
