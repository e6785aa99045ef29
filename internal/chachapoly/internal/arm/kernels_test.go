//go:build arm && !purego

package arm

import (
	"bytes"
	"encoding/binary"
	"math/big"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"unsafe"

	"github.com/cipherlane/cipherlane/internal/chachapoly/spec"
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/guard"
)

type family struct {
	name   string
	needs  cpu.Set
	seal   func(dst, src, ad []byte, key *[8]uint32, nonce *[3]uint32)
	open   func(dst, src, ad []byte, key *[8]uint32, nonce *[3]uint32) bool
	xor    func(dst, src []byte, state *[16]uint32)
	blocks func(h *[3]uint64, r *[2]uint64, p []byte)
	chacha func(dst, src *byte, n int, key, nonce *uint32, counter uint32, first *[8]uint32)
}

// each runs f for what this machine has.
func each(t *testing.T, f func(*testing.T, family)) {
	for _, x := range []family{
		{"V6", cpu.ARMV6, SealV6, OpenV6, XORV6, BlocksV6, chachaV6},
		{"NEON", cpu.ARMV6 | cpu.NEON, SealNEON, OpenNEON, XORNEON, BlocksNEON, chachaNEON},
	} {
		t.Run(x.name, func(t *testing.T) {
			if missing := x.needs &^ cpu.Features(); missing != 0 {
				t.Skipf("this CPU lacks %v", missing)
			}
			f(t, x)
		})
	}
}

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
	each(t, func(t *testing.T, f family) {
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
					f.chacha(unsafe.SliceData(dst), unsafe.SliceData(src), n, &key[0], &nonce[0], counter, first)
					if !bytes.Equal(dst, want) {
						t.Fatalf("%d bytes (with a first block: %v) are wrong", n, withHead)
					}
					if withHead && *first != wantFirst {
						t.Fatalf("%d bytes: the first block is wrong", n)
					}
					copy(src, text)
					f.chacha(unsafe.SliceData(dst), unsafe.SliceData(src), n, &state[0], nil, 99, first)
					if !bytes.Equal(dst, want) || withHead && *first != wantFirst {
						t.Fatalf("%d bytes from a whole state (with a first block: %v) are wrong", n, withHead)
					}
				}
			}
		}
		if now := spec.State(&key, 0, &nonce); now != spec.State((*[8]uint32)(toWords(random(1, 32))), 0, (*[3]uint32)(toWords(random(2, 12)))) {
			t.Fatal("the key or the nonce has changed")
		}
	})
}

func integer(words ...uint32) *big.Int {
	x := new(big.Int)
	for _, w := range slices.Backward(words) {
		x.Lsh(x, 32).Or(x, big.NewInt(int64(w)))
	}
	return x
}

var prime = new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 130), big.NewInt(5))

// needsV6 skips a test of kernels that all need ARMv6.
func needsV6(t *testing.T) {
	if missing := cpu.ARMV6 &^ cpu.Features(); missing != 0 {
		t.Skipf("this CPU lacks %v", missing)
	}
}

// TestMAC has words with long runs of ones in keys, messages and accumulators, all
// lengths and both kernels, with a tag and without.
func TestMAC(t *testing.T) {
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
		want := new(big.Int).Mod(integer(h[:]...), prime)
		for b := p; len(b) > 0; b = b[min(len(b), 16):] {
			block := make([]byte, 20)
			copy(block[:16], b)
			block[16] = 1
			want.Add(want, integer(toWords(block)...)).Mul(want, factor).Mod(want, prime)
		}
		lengths := [2]int{int(word() >> 1), int(word() >> 1)}
		sum := new(big.Int).Add(want, integer(uint32(lengths[0]), 0, uint32(lengths[1]), 0, 1))
		sum.Mul(sum, factor).Mod(sum, prime).Add(sum, integer(key[4:]...))
		sum.And(sum, integer(^uint32(0), ^uint32(0), ^uint32(0), ^uint32(0)))
		right := sum.FillBytes(make([]byte, 16))
		slices.Reverse(right)

		check := func(name string, mac func(h *[6]uint32, key *[8]uint32, p *byte, n int, tag *byte, adLen, total int, check int) uint32, withTag bool) {
			before := h
			if !withTag {
				got := h
				mac(&got, &key, unsafe.SliceData(p), n, nil, 0, 0, 0)
				if got[4] > 4 || got[5] != 0 || new(big.Int).Mod(integer(got[:]...), prime).Cmp(want) != 0 {
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
					sum := new(big.Int).Mod(want, prime)
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
				if h[4] > 4 || got.Sub(got, want).Mod(got, prime).Sign() != 0 {
					t.Errorf("%d bytes: %d 2^128 %+d: %x", n, multiple, d, h)
				}
			}
		}
	}
}

// TestLong goes over the ends of passes of 64 KiB.
func TestLong(t *testing.T) {
	needsV6(t)
	key, nonce := [8]uint32(toWords(random(1, 32))), [3]uint32(toWords(random(2, 12)))
	text, data := random(3, 2*maxPass+500), random(4, maxPass+77)
	state := spec.State(&key, 1<<32-1500, &nonce)
	stream := spec.XOR(text, state)
	each(t, func(t *testing.T, f family) {
		for i, n := range []int{maxPass - 1, maxPass, maxPass + 1, maxPass + 192, maxPass + 193, 2 * maxPass, 2*maxPass + 191, len(text)} {
			got := make([]byte, n+16)
			f.xor(got[:n], text[:n], &state)
			if !bytes.Equal(got[:n], stream[:n]) {
				t.Fatalf("%d bytes are encrypted wrongly", n)
			}
			ad := data[:[]int{0, len(data)}[i%2]]
			f.seal(got, text[:n], ad, &key, &nonce)
			if !bytes.Equal(got, spec.Seal(text[:n], ad, &key, &nonce)) {
				t.Fatalf("%d bytes are sealed wrongly", n)
			}
			if !f.open(got[:n], got, ad, &key, &nonce) || !bytes.Equal(got[:n], text[:n]) {
				t.Fatalf("%d bytes are not opened", n)
			}
		}
	})
}

// TestForgery: dst is written to only if the tag is right.
func TestForgery(t *testing.T) {
	needsV6(t)
	var key [8]uint32
	var nonce [3]uint32
	each(t, func(t *testing.T, f family) {
		for n := range 600 {
			sealed := make([]byte, n+16)
			f.seal(sealed, sealed[:n], nil, &key, &nonce)
			sealed[n+n%16] ^= 1
			dst := bytes.Repeat([]byte{0xa5}, n)
			if f.open(dst, sealed, nil, &key, &nonce) || bytes.Count(dst, []byte{0xa5}) != n {
				t.Fatalf("%d bytes", n)
			}
		}
	})
}

// TestNothingLeftOnTheStack runs everything with two keys and all else the same.
func TestNothingLeftOnTheStack(t *testing.T) {
	needsV6(t)
	var key [8]uint32
	var nonce [3]uint32
	var state [16]uint32
	var h [3]uint64
	var r [2]uint64
	buffer := make([]byte, 5001)
	each(t, func(t *testing.T, f family) {
		for _, n := range []int{0, 1, 16, 64, 65, 160, 192, 300, 449, 700, 1420, 4096} {
			for shift := range 2 { // misaligned, too
				text := buffer[shift : shift+n+16]
				for name, call := range map[string]func(){
					"Seal":           func() { f.seal(text, text[:n], nil, &key, &nonce) },
					"Open a forgery": func() { f.open(text[:n], text, nil, &key, &nonce) },
					"XOR":            func() { f.xor(text, text, &state) },
					"Blocks":         func() { f.blocks(&h, &r, text[:(n+16)&^15]) },
				} {
					residue := func(seed byte) []byte {
						key = [8]uint32(toWords(random(seed, 32)))
						state = spec.State(&key, 1, &nonce)
						h = [3]uint64{uint64(key[0]), uint64(key[1]), 1}
						r = [2]uint64{uint64(key[2] & 0x0fffffff), uint64(key[3] & 0x0ffffffc)}
						clear(text)
						return guard.Residue(call)
					}
					different := 0
					for range 3 {
						a, b := residue(1), residue(2)
						different = 0
						for i := range a {
							if a[i] != b[i] {
								different++
							}
						}
						if different == 0 {
							break
						}
					}
					if different > 0 {
						t.Errorf("%s of %d bytes leaves %d bytes on the stack that depend on the key", name, n, different)
					}
				}
			}
		}
	})
}

// TestScheduler has the collector and the signals of the scheduler come while
// kernels run: one that lost the pointer to g would crash here.
func TestScheduler(t *testing.T) {
	needsV6(t)
	var key [8]uint32
	var nonce [3]uint32
	text := make([]byte, 20000)
	want := spec.Seal(text, nil, &key, &nonce)
	each(t, func(t *testing.T, f family) {
		var wait sync.WaitGroup
		for range 4 {
			wait.Go(func() {
				got := make([]byte, len(want))
				for i := range 40 {
					f.seal(got, text, nil, &key, &nonce)
					if !bytes.Equal(got, want) {
						t.Error("sealed wrongly")
						return
					}
					if i%4 == 0 {
						runtime.GC()
					}
				}
			})
		}
		wait.Wait()
	})
}
