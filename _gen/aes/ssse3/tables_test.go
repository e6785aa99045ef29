package main

import (
	"testing"

	"github.com/cipherlane/cipherlane/_gen/aes/permute"
)

// lookUp is PSHUFB for one byte.
func lookUp(t permute.Table, index byte) byte {
	if index >= 0x80 {
		return 0
	}
	return t[index&15]
}

// invert does with one byte what code.invert does.
func invert(x byte) (u, v byte) {
	one, a := permute.Inverses(1), permute.Inverses(field.A)
	k, i := x&15, x>>4
	j := k ^ i
	ak := lookUp(a, k)
	u = lookUp(one, lookUp(one, i)^ak) ^ j
	v = lookUp(one, lookUp(one, j)^ak) ^ i
	return u, v
}

// inverse is that of the field of AES, by trying.
func inverse(x byte) byte {
	for y := range 256 {
		if permute.Times(x)(byte(y)) == 1 {
			return byte(y)
		}
	}
	return 0
}

// pairOf evaluates the look-ups of a section.
func pairOf(s *section, name string, u, v byte) byte {
	n := s.offset(name) / 16
	return lookUp(s.list[n], u) ^ lookUp(s.list[n+1], v)
}

func TestSBox(t *testing.T) {
	var sbox, back [256]byte
	for x := range 256 {
		sbox[x] = permute.SBoxLinear(inverse(byte(x))) ^ permute.Affine
		back[sbox[x]] = byte(x)
	}
	// FIPS 197, figure 7: the first entries, some inner ones, the last.
	for x, want := range map[byte]byte{0: 0x63, 1: 0x7c, 2: 0x77, 0x10: 0xca, 0x53: 0xed, 0x9a: 0xb8, 0xff: 0x16} {
		if sbox[x] != want {
			t.Fatalf("S-box of %#02x: %#02x, want %#02x", x, sbox[x], want)
		}
	}
	for x := range 256 {
		x := byte(x)
		form := func(d *direction) byte { return pairOf(d.tables, "form", x&15, x>>4) }

		u, v := invert(form(encryption))
		if got := pairOf(encryption.tables, "last", u, v) ^ permute.Affine; got != sbox[x] {
			t.Errorf("S-box of %#02x: %#02x, want %#02x", x, got, sbox[x])
		}
		for name, c := range map[string]byte{"times1": 1, "times3": 3} {
			got, want := pairOf(encryption.tables, name, u, v), encryption.form(permute.Times(c)(sbox[x]^permute.Affine))
			if got != want {
				t.Errorf("%s of %#02x: %#02x, want %#02x", name, x, got, want)
			}
		}

		u, v = invert(form(decryption) ^ decryption.form(permute.Affine))
		if got := pairOf(decryption.tables, "last", u, v); got != back[x] {
			t.Errorf("inverse S-box of %#02x: %#02x, want %#02x", x, got, back[x])
		}
		for name, c := range map[string]byte{"times9": 9, "times11": 11, "times13": 13, "times14": 14} {
			got, want := pairOf(decryption.tables, name, u, v), decryption.form(permute.Times(c)(back[x]))
			if got != want {
				t.Errorf("%s of %#02x: %#02x, want %#02x", name, x, got, want)
			}
		}
	}
}

// TestLayouts compares rotations in a shifted layout with ones before the shift.
func TestLayouts(t *testing.T) {
	rearrange := func(b, order permute.Table) (r permute.Table) {
		for i, n := range order {
			r[i] = b[n]
		}
		return r
	}
	var state permute.Table
	for i := range state {
		state[i] = byte(7*i + 1)
	}
	for shift := -4; shift <= 4; shift++ {
		l := shifted(shift)
		if shifted(shift+4) != l {
			t.Errorf("layout %d has no period of 4", shift)
		}
		for rows := range 4 {
			got := rearrange(rearrange(state, l.permutation()), l.rotation(rows))
			want := rearrange(rearrange(state, shifted(0).rotation(rows)), l.permutation())
			if got != want {
				t.Errorf("layout %d, %d rows: %v, want %v", shift, rows, got, want)
			}
		}
	}
	// ShiftRows of FIPS 197, 5.1.2: row r to the left by r.
	shiftRows := permute.Table{0, 5, 10, 15, 4, 9, 14, 3, 8, 13, 2, 7, 12, 1, 6, 11}
	if got := rearrange(rearrange(state, shiftRows), shifted(1).permutation()); got != state {
		t.Errorf("one ShiftRows: %v, want %v", got, state)
	}
}
