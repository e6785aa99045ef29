package frodokem

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"
)

// Most tests of this file compare portable code, with which the kernels are compared, with the specification: for all
// values of words, or for inputs that are enough for functions that are linear over GF(2).

// oneOfEach has a set for each number of rows.
var oneOfEach = []Set{FrodoKEM640AES, FrodoKEM976AES, FrodoKEM1344AES}

// Each of four samples that are processed together depends on its word only.
func TestPortableSamples(t *testing.T) {
	for _, set := range oneOfEach {
		p := set.params()
		random := make([]byte, 2<<16)
		for i := range 1 << 16 {
			binary.LittleEndian.PutUint16(random[2*i:], uint16(i))
		}
		all, _ := newSpec(set).sampleMatrix(random, 1, 1<<16)
		for place := range 4 {
			for _, others := range []uint16{0, 1, 0xfffe, 0xffff} {
				s := make([]byte, 8<<16)
				for i := range 4 << 16 {
					x := others
					if i%4 == place {
						x = uint16(i / 4)
					}
					binary.LittleEndian.PutUint16(s[2*i:], x)
				}
				got := make([]uint16, 4<<16)
				for i := range got { // as in memory
					got[i] = binary.NativeEndian.Uint16(s[2*i:])
				}
				samplePortable(generic, got, p.cdf)
				for i, x := range got {
					want := all[0][others]
					if i%4 == place {
						want = all[0][i/4]
					}
					if x != want {
						t.Fatalf("%v: %#04x among words %#04x, in place %d: the sample of place %d is %d, want %d", set, i/4, others, place, i%4, int16(x), int16(want))
					}
				}
			}
		}
	}
}

// All single bits, and so all sums of them: packing and unpacking are linear.
func TestPortablePacking(t *testing.T) {
	for _, set := range oneOfEach[:2] { // of 15 and 16 bits
		p, spec := set.params(), newSpec(set)
		check := func(v []uint16) {
			t.Helper()
			out, back := make([]byte, p.d), make([]uint16, 8)
			packPortable(generic, p.d, out, v)
			if want := spec.pack(specMatrix{v}); !bytes.Equal(out, want) {
				t.Fatalf("%d bits: %04x is packed as %x, want %x", p.d, v, out, want)
			}
			unpackPortable(generic, p.d, back, out)
			if want := spec.unpack(out, 1, 8); !slices.Equal(back, want[0]) {
				t.Fatalf("%d bits: %x is unpacked as %04x, want %04x", p.d, out, back, want[0])
			}
			for i, x := range back {
				if x != v[i]&p.q1() {
					t.Fatalf("%d bits: %04x becomes %04x", p.d, v, back)
				}
			}
		}
		for bit := range 128 {
			v := make([]uint16, 8)
			v[bit/16] = 1 << (bit % 16)
			check(v)
			for i := range v {
				v[i] ^= 0xffff
			}
			check(v)
		}
		for seed := range uint64(50) {
			v := make([]uint16, 8)
			words(v, random(seed, 16))
			check(v)
		}
	}
}

// All values of entries, in all places; with -short, only some.
func TestPortableEncoding(t *testing.T) {
	step := 1
	if testing.Short() {
		step = 61
	}
	for _, set := range oneOfEach {
		p, spec := set.params(), newSpec(set)
		for first := 0; first < 1<<16; first += step {
			var m [nbar * nbar]uint16
			for i := range m {
				m[i] = uint16(first + 1021*i)
			}
			got := make([]byte, nbar*p.b)
			decode(p, got, &m)
			if want := spec.decode(matrixOf(m[:], nbar)); !bytes.Equal(got, want) {
				t.Fatalf("%v: %04x is decoded as %x, want %x", set, m, got, want)
			}
		}
		for bit := range 8 * nbar * p.b {
			mu := make([]byte, nbar*p.b)
			mu[bit/8] = 1 << (bit % 8)
			var m [nbar * nbar]uint16
			encode(p, &m, mu)
			if !slices.Equal(m[:], slices.Concat(spec.encode(mu)...)) {
				t.Fatalf("%v: bit %d is not encoded right", set, bit)
			}
			back := make([]byte, len(mu))
			if decode(p, back, &m); !bytes.Equal(back, mu) {
				t.Fatalf("%v: bit %d is not decoded", set, bit)
			}
		}
	}
}

// The key for rejection replaces the other one if any bit of any word modulo q is another one, and only then.
func TestComparison(t *testing.T) {
	for row, d := range Drivers() {
		if d.Available() {
			testComparison(t, d.Name, uint8(row))
		}
	}
}

func testComparison(t *testing.T, driver string, row uint8) {
	for _, set := range oneOfEach {
		p := set.params()
		b := newTestBatch(p, row, make([]byte, seedA))
		o := b.ops[0]
		right, reject := random(1, p.shared), random(2, p.shared)
		clear(o.random[:])
		words(o.bc, random(3, 2*len(o.bc)))
		copy(o.received[:], o.bc)
		check := func(what string, want []byte) {
			t.Helper()
			copy(o.k, right)
			if b.compare(o, reject); !bytes.Equal(o.k, want) {
				t.Fatalf("%s, %v: %s: the wrong key", driver, set, what)
			}
		}
		check("equal", right)
		for i := range o.bc {
			bit := i % 16
			o.received[i] ^= 1 << bit
			if bit < p.d {
				check("another word", reject)
			} else {
				check("another bit that does not count", right)
			}
			o.received[i] ^= 1 << bit
		}
		for bit := range 16 {
			o.received[5] ^= 1 << bit
			o.received[len(o.bc)-1] ^= 1 << bit
			if bit < p.d {
				check("two words", reject)
			} else {
				check("two bits that do not count", right)
			}
			copy(o.received[:], o.bc)
		}
		b.end()
	}
}
