//go:build arm64 && !purego

package arm64

import (
	"bytes"
	"encoding/binary"
	"math/big"
	"math/rand/v2"
	"testing"

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
}

// families returns those that this machine can run.
func families(t *testing.T) (list []family) {
	for _, f := range []family{
		{"NEON", cpu.NEON, SealNEON, OpenNEON, XORNEON, BlocksNEON},
	} {
		if missing := f.needs &^ cpu.Features(); missing != 0 {
			t.Logf("%s: this CPU lacks %v", f.name, missing)
			continue
		}
		list = append(list, f)
	}
	return list
}

func random(seed byte, n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{seed}).Read(b)
	return b
}

func words(b []byte) []uint32 {
	w := make([]uint32, len(b)/4)
	binary.Decode(b, binary.LittleEndian, w)
	return w
}

// TestAllLengths has buffers that end at memory that must not be touched.
func TestAllLengths(t *testing.T) {
	const longest = 1100
	key, nonce := [8]uint32(words(random(1, 32))), [3]uint32(words(random(2, 12)))
	text, data := random(3, longest), random(4, 33)
	for _, f := range families(t) {
		in, out := guard.After(t, longest+16), guard.After(t, longest+16)
		step := 1
		if testing.Short() {
			step = 5
		}
		for n := 0; n <= longest; n += step {
			ad := data[:n%34]
			want := spec.Seal(text[:n], ad, &key, &nonce)
			src, dst := guard.Tail(in, n), guard.Tail(out, n+16)
			copy(src, text)
			f.seal(dst, src, ad, &key, &nonce)
			if !bytes.Equal(dst, want) {
				t.Fatalf("%s: %d bytes are sealed wrongly", f.name, n)
			}
			if !f.open(src, dst, ad, &key, &nonce) || !bytes.Equal(src, text[:n]) {
				t.Fatalf("%s: %d bytes are not opened", f.name, n)
			}
			if !f.open(dst[:n], dst, ad, &key, &nonce) || !bytes.Equal(dst[:n], text[:n]) {
				t.Fatalf("%s: %d bytes are not opened in place", f.name, n)
			}
			f.seal(dst, dst[:n], ad, &key, &nonce)
			if !bytes.Equal(dst, want) {
				t.Fatalf("%s: %d bytes are sealed wrongly in place", f.name, n)
			}
			dst[n*7%len(dst)] ^= 1 << (n % 8)
			if f.open(src, dst, ad, &key, &nonce) {
				t.Fatalf("%s: a forgery of %d bytes is opened", f.name, n)
			}
		}
	}
}

// TestLong goes over the ends of passes of 64 KiB, and the counter around.
func TestLong(t *testing.T) {
	key, nonce := [8]uint32(words(random(1, 32))), [3]uint32(words(random(2, 12)))
	text := random(3, 3*maxPass)
	state := spec.State(&key, 1<<32-1500, &nonce)
	stream := spec.XOR(text, state)
	for _, f := range families(t) {
		for _, n := range []int{maxPass - 1, maxPass, maxPass + 1, maxPass + 192, maxPass + 448, maxPass + 449, 2*maxPass + 191, 2*maxPass + 193, len(text)} {
			got := make([]byte, n+16)
			f.xor(got[:n], text[:n], &state)
			if !bytes.Equal(got[:n], stream[:n]) {
				t.Fatalf("%s: %d bytes are encrypted wrongly", f.name, n)
			}
			f.seal(got, text[:n], nil, &key, &nonce)
			if !bytes.Equal(got, spec.Seal(text[:n], nil, &key, &nonce)) {
				t.Fatalf("%s: %d bytes are sealed wrongly", f.name, n)
			}
			if !f.open(got[:n], got, nil, &key, &nonce) || !bytes.Equal(got[:n], text[:n]) {
				t.Fatalf("%s: %d bytes are not opened", f.name, n)
			}
		}
	}
}

// TestBlocks has all numbers of blocks that kernels may divide in their own
// way, and words with long runs of ones.
func TestBlocks(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	word := func() uint64 { return []uint64{0, ^uint64(0), ^uint64(r.IntN(6)), r.Uint64()}[r.IntN(4)] }
	integer := func(words ...uint64) *big.Int {
		x := new(big.Int)
		for i, w := range words {
			x.Or(x, new(big.Int).Lsh(new(big.Int).SetUint64(w), uint(64*i)))
		}
		return x
	}
	p := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 130), big.NewInt(5))
	for _, f := range families(t) {
		for n := 1; n < 200; n++ {
			for range 3 {
				h := [3]uint64{word(), word(), r.Uint64N(5)}
				k := [2]uint64{word() & 0x0ffffffc0fffffff, word() & 0x0ffffffc0ffffffc}
				want, multiplier := integer(h[:]...), integer(k[:]...)
				buffer := make([]byte, 16*n+7)
				message := buffer[n%8:][:16*n]
				for i := 0; i < len(message); i += 16 {
					lo, hi := word(), word()
					binary.LittleEndian.PutUint64(message[i:], lo)
					binary.LittleEndian.PutUint64(message[i+8:], hi)
					want.Add(want, integer(lo, hi, 1)).Mul(want, multiplier).Mod(want, p)
				}
				got := h
				f.blocks(&got, &k, message)
				if got[2] > 4 || new(big.Int).Mod(integer(got[:]...), p).Cmp(want) != 0 {
					t.Fatalf("%s: h = %x, r = %x and %d blocks make %x, want %x", f.name, h, k, n, got, want)
				}
			}
		}
	}
}

// TestNothingLeftOnTheStack runs everything with two keys and all else the same.
func TestNothingLeftOnTheStack(t *testing.T) {
	var key [8]uint32
	var nonce [3]uint32
	var state [16]uint32
	buffer := make([]byte, 5001)
	for _, f := range families(t) {
		for _, n := range []int{0, 1, 64, 65, 192, 300, 449, 700, 1420, 4096} {
			for shift := range 2 { // misaligned, too
				text := buffer[shift : shift+n+16]
				for name, call := range map[string]func(){
					"Seal":           func() { f.seal(text, text[:n], nil, &key, &nonce) },
					"Open a forgery": func() { f.open(text[:n], text, nil, &key, &nonce) },
					"XOR":            func() { f.xor(text, text, &state) },
				} {
					residue := func(seed byte) []byte {
						key = [8]uint32(words(random(seed, 32)))
						state = spec.State(&key, 1, &nonce)
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
						t.Errorf("%s: %s of %d bytes leaves %d bytes on the stack that depend on the key", f.name, name, n, different)
					}
				}
			}
		}
	}
}
