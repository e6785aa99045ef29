//go:build arm && !purego

package arm

import (
	"bytes"
	"encoding/binary"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/cipherlane/cipherlane/internal/chachapoly/spec"
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/guard"
)

// Package chachapoly tests what is made of the kernels.

func random(seed byte, n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{seed}).Read(b)
	return b
}

func toWords(b []byte) []uint32 {
	w := make([]uint32, len(b)/4)
	binary.Decode(b, binary.LittleEndian, w)
	return w
}

// TestChaCha calls the kernels in all their ways, between memory that must not be
// touched, over the end of the counter.
func TestChaCha(t *testing.T) {
	const longest = 800
	key, nonce := [8]uint32(toWords(random(1, 32))), [3]uint32(toWords(random(2, 12)))
	text := random(3, longest)
	for _, k := range []struct {
		name   string
		needs  cpu.Set
		chacha func(dst, src *byte, n int, key, nonce *uint32, counter uint32, first *[8]uint32)
	}{
		{"V6", cpu.ARMV6, chachaV6},
		{"NEON", cpu.ARMV6 | cpu.NEON, chachaNEON},
	} {
		if missing := k.needs &^ cpu.Features(); missing != 0 {
			t.Logf("%s: this CPU lacks %v", k.name, missing)
			continue
		}
		step := 1
		if testing.Short() {
			step = 7
		}
		before, after, in := guard.Before(t, longest), guard.After(t, longest), guard.After(t, longest)
		for n := 0; n <= longest; n += step {
			counter := uint32(n * -3 % 16)
			state := spec.State(&key, counter, &nonce)
			next := spec.State(&key, counter+1, &nonce)
			head := [8]uint32(toWords(spec.Block(state)))
			for _, withHead := range []bool{false, true} {
				want, first, wantFirst := spec.XOR(text[:n], state), (*[8]uint32)(nil), head
				if withHead {
					want, first = spec.XOR(text[:n], next), new([8]uint32)
				}
				for i, dst := range [][]byte{before[:n], guard.Tail(after, n), before[min(n%5, longest-n):][:n]} {
					src := guard.Tail(in, n)
					if i == 2 {
						src = dst
					}
					copy(src, text)
					k.chacha(unsafe.SliceData(dst), unsafe.SliceData(src), n, &key[0], &nonce[0], counter, first)
					if !bytes.Equal(dst, want) {
						t.Fatalf("%s: %d bytes (with a first block: %v) are wrong", k.name, n, withHead)
					}
					if withHead && *first != wantFirst {
						t.Fatalf("%s: %d bytes: the first block is wrong", k.name, n)
					}
					copy(src, text)
					k.chacha(unsafe.SliceData(dst), unsafe.SliceData(src), n, &state[0], nil, 99, first)
					if !bytes.Equal(dst, want) || withHead && *first != wantFirst {
						t.Fatalf("%s: %d bytes from a whole state (with a first block: %v) are wrong", k.name, n, withHead)
					}
				}
			}
		}
		if now := spec.State(&key, 0, &nonce); now != spec.State((*[8]uint32)(toWords(random(1, 32))), 0, (*[3]uint32)(toWords(random(2, 12)))) {
			t.Fatalf("%s: the key or the nonce has changed", k.name)
		}
	}
}

func integer(words ...uint32) *big.Int {
	x := new(big.Int)
	for _, w := range slices.Backward(words) {
		x.Lsh(x, 32).Or(x, big.NewInt(int64(w)))
	}
	return x
}

// needsV6 skips a test of kernels that all need ARMv6.
func needsV6(t *testing.T) {
	if missing := cpu.ARMV6 &^ cpu.Features(); missing != 0 {
		t.Skipf("this CPU lacks %v", missing)
	}
}

// TestPoly1305 has words with long runs of ones in keys, messages and accumulators, all
// lengths and both kernels, with a tag and without.
func TestPoly1305(t *testing.T) {
	needsV6(t)
	neon := cpu.Features().Has(cpu.NEON)
	r := rand.New(rand.NewPCG(1, 2))
	word := func() uint32 { return []uint32{0, ^uint32(0), ^r.Uint32N(6), r.Uint32()}[r.IntN(4)] }
	rounds := 12000
	if testing.Short() {
		rounds = 3000
	}
	in := guard.After(t, 520)
	for i := range rounds {
		n := i % 500
		p := guard.Tail(in, n)
		for j := range p {
			p[j] = byte(word() >> 24)
		}
		key := [8]uint32{word(), word(), word(), word(), word(), word(), word(), word()}
		factor := integer(key[0]&0x0fffffff, key[1]&0x0ffffffc, key[2]&0x0ffffffc, key[3]&0x0ffffffc)
		h, from := [6]uint32{}, (*[6]uint32)(nil)
		if i/500%3 > 0 {
			h = [6]uint32{word(), word(), word(), word(), r.Uint32N(5), 0}
			from = &h
		}
		// Each block with its bit above, the last one filled up.
		want := new(big.Int).Mod(integer(h[:]...), spec.P)
		for b := p; len(b) > 0; b = b[min(len(b), 16):] {
			block := make([]byte, 20)
			copy(block[:16], b)
			block[16] = 1
			want.Add(want, integer(toWords(block)...)).Mul(want, factor).Mod(want, spec.P)
		}
		lengths := [2]int{int(word() >> 1), int(word() >> 1)}
		sum := new(big.Int).Add(want, integer(uint32(lengths[0]), 0, uint32(lengths[1]), 0, 1))
		sum.Mul(sum, factor).Mod(sum, spec.P).Add(sum, integer(key[4:]...))
		sum.And(sum, integer(^uint32(0), ^uint32(0), ^uint32(0), ^uint32(0)))
		right := sum.FillBytes(make([]byte, 16))
		slices.Reverse(right)

		check := func(name string, mac func(h *[6]uint32, key *[8]uint32, p *byte, n int, tag *byte, adLen, total int, check int) uint32, withTag bool) {
			before := h
			if !withTag {
				got := h
				mac(&got, &key, unsafe.SliceData(p), n, nil, 0, 0, 0)
				if got[4] > 4 || got[5] != 0 || new(big.Int).Mod(integer(got[:]...), spec.P).Cmp(want) != 0 {
					t.Fatalf("%s: %x, key %x, %d bytes: %x", name, h, key, n, got)
				}
				return
			}
			tag := make([]byte, 18)
			mac(from, &key, unsafe.SliceData(p), n, &tag[i%3], lengths[0], lengths[1], 0)
			if !bytes.Equal(tag[i%3:][:16], right) {
				t.Fatalf("%s: %x, key %x, %d bytes: tag %x, want %x", name, h, key, n, tag, right)
			}
			if mac(from, &key, unsafe.SliceData(p), n, &tag[i%3], lengths[0], lengths[1], 1) != 0 {
				t.Fatalf("%s: the right tag is not taken", name)
			}
			for bit := range 128 {
				if i%64 != 0 && bit%16 != i%16 {
					continue
				}
				tag[i%3+bit/8] ^= 1 << (bit % 8)
				if mac(from, &key, unsafe.SliceData(p), n, &tag[i%3], lengths[0], lengths[1], 1) == 0 {
					t.Fatalf("%s: a tag with bit %d changed is taken", name, bit)
				}
				tag[i%3+bit/8] ^= 1 << (bit % 8)
			}
			if h != before || !bytes.Equal(tag[i%3:][:16], right) {
				t.Fatalf("%s: h or the tag has changed", name)
			}
		}
		check("V6", macV6, false)
		check("V6", macV6, true)
		if neon && n%64 == 32 {
			check("NEON", macNEON, false)
		}
		if neon && n%64 >= 1 && n%64 <= 16 {
			check("NEON", macNEON, true)
		}
	}
}

// TestReduction has sums around the multiples of 2^128, where carries go all the
// way, among them 2^130 and the prime: with r = 1 the result before it is reduced
// is h and the blocks.
func TestReduction(t *testing.T) {
	needsV6(t)
	zeros := make([]byte, 32)
	accumulator := func(h *big.Int) (words [6]uint32, ok bool) {
		if h.Sign() < 0 || new(big.Int).Rsh(h, 128).Int64() > 4 {
			return words, false
		}
		b := h.FillBytes(make([]byte, 24))
		slices.Reverse(b)
		return [6]uint32(toWords(b)), true
	}
	for multiple := int64(2); multiple <= 6; multiple++ {
		top := new(big.Int).Lsh(big.NewInt(multiple), 128)
		for d := int64(-20); d < 20; d++ {
			want := new(big.Int).Add(top, big.NewInt(d))
			for n := 0; n <= 16; n += 16 {
				h := new(big.Int).Sub(want, big.NewInt(1<<20)) // the block of the lengths
				h.Sub(h, new(big.Int).Lsh(big.NewInt(1+int64(n/16)), 128))
				from, ok := accumulator(h)
				if !ok {
					continue
				}
				key := [8]uint32{0: 1}
				var tag [16]byte
				check := func(name string) {
					sum := new(big.Int).Mod(want, spec.P)
					sum.And(sum, integer(^uint32(0), ^uint32(0), ^uint32(0), ^uint32(0)))
					if got := spec.LittleEndian(tag[:]); got.Cmp(sum) != 0 {
						t.Errorf("%s, %d bytes: %d 2^128 %+d: %x, want %x", name, n, multiple, d, got, sum)
					}
				}
				macV6(&from, &key, &zeros[0], n, &tag[0], 1<<20, 0, 0)
				check("V6")
				if cpu.Features().Has(cpu.NEON) && n > 0 {
					macNEON(&from, &key, &zeros[0], n, &tag[0], 1<<20, 0, 0)
					check("NEON")
				}
			}
			for n := 16; n <= 32; n += 16 {
				h, ok := accumulator(new(big.Int).Sub(want, new(big.Int).Lsh(big.NewInt(int64(n/16)), 128)))
				if !ok || n == 32 && !cpu.Features().Has(cpu.NEON) {
					continue
				}
				if n == 16 {
					macV6(&h, &[8]uint32{0: 1}, &zeros[0], n, nil, 0, 0, 0)
				} else {
					macNEON(&h, &[8]uint32{0: 1}, &zeros[0], n, nil, 0, 0, 0)
				}
				got := integer(h[:]...)
				if h[4] > 4 || got.Sub(got, want).Mod(got, spec.P).Sign() != 0 {
					t.Errorf("%d bytes: %d 2^128 %+d: %x", n, multiple, d, h)
				}
			}
		}
	}
}
