//go:build amd64 && !purego

package amd64

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

// A fusedFamily is what is the same for SSSE3 and AVX2.
type fusedFamily struct {
	name   string
	needs  cpu.Set
	seal   func(dst, src, ad []byte, key *[8]uint32, nonce *[3]uint32)
	open   func(dst, src, ad []byte, key *[8]uint32, nonce *[3]uint32) bool
	xor    func(dst, src []byte, state *[16]uint32)
	blocks func(h *[3]uint64, r *[2]uint64, p []byte)
	hash   func(w *work, p *byte, blocks int)
}

// fusedFamilies calls f for those that this machine can run.
func fusedFamilies(t *testing.T, f func(t *testing.T, k fusedFamily)) {
	for _, k := range []fusedFamily{
		{"SSSE3", cpu.SSSE3, SealSSSE3, OpenSSSE3, XORSSSE3, BlocksSSSE3, hashSSSE3},
		{"AVX2", cpu.AVX2 | cpu.BMI2, SealAVX2, OpenAVX2, XORAVX2, BlocksAVX2, hashAVX2},
	} {
		t.Run(k.name, func(t *testing.T) {
			if missing := k.needs &^ cpu.Features(); missing != 0 {
				t.Skipf("this CPU lacks %v", missing)
			}
			f(t, k)
		})
	}
}

func fusedBytes(seed byte, n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{seed}).Read(b)
	return b
}

func fusedKey() (key [8]uint32, nonce [3]uint32) {
	b := fusedBytes(1, 44)
	binary.Decode(b, binary.LittleEndian, &key)
	binary.Decode(b[32:], binary.LittleEndian, &nonce)
	return key, nonce
}

// TestFusedLengths has buffers between memory that must not be touched, and all
// lengths up to where one pass follows another.
func TestFusedLengths(t *testing.T) {
	const longest = 2700
	key, nonce := fusedKey()
	text, data := fusedBytes(3, longest), fusedBytes(4, 160)
	stream := spec.XOR(text, spec.State(&key, 1, &nonce))
	step := 1
	if testing.Short() {
		step = 7
	}
	fusedFamilies(t, func(t *testing.T, k fusedFamily) {
		in, out := guard.After(t, longest+16), guard.After(t, longest+16)
		front, behind := guard.Before(t, longest+16), guard.After(t, len(data))
		for n := 0; n <= longest; n += step {
			ad := guard.Tail(behind, []int{0, n % 34, n % len(data)}[n%3])
			copy(ad, data)
			want := spec.Seal(text[:n], ad, &key, &nonce)
			src, dst := guard.Tail(in, n), guard.Tail(out, n+16)
			if n%2 != 0 {
				src = front[:n]
			}
			copy(src, text)
			k.seal(dst, src, ad, &key, &nonce)
			if !bytes.Equal(dst, want) || !bytes.Equal(src, text[:n]) {
				t.Fatalf("%d bytes with %d of additional data are sealed wrongly", n, len(ad))
			}
			clear(src)
			if !k.open(src, dst, ad, &key, &nonce) || !bytes.Equal(src, text[:n]) {
				t.Fatalf("%d bytes with %d of additional data are not opened", n, len(ad))
			}
			if !k.open(dst[:n], dst, ad, &key, &nonce) || !bytes.Equal(dst[:n], text[:n]) {
				t.Fatalf("%d bytes are not opened in place", n)
			}
			k.seal(dst, dst[:n], ad, &key, &nonce)
			if !bytes.Equal(dst, want) {
				t.Fatalf("%d bytes are sealed wrongly in place", n)
			}
			for _, bit := range []int{n * 37 % (8 * len(dst)), 8*n + n%128} {
				dst[bit/8] ^= 1 << (bit % 8)
				if k.open(src, dst, ad, &key, &nonce) {
					t.Fatalf("%d bytes with bit %d changed are opened", n, bit)
				}
				copy(dst, want)
			}
			if n == 0 {
				continue
			}
			state := spec.State(&key, 1, &nonce)
			k.xor(dst[:n], text[:n], &state)
			if !bytes.Equal(dst[:n], stream[:n]) || state[12] != 1 {
				t.Fatalf("%d bytes are encrypted wrongly", n)
			}
		}
	})
}

// TestFusedLong goes over the lengths that one call of a kernel takes, and the
// counter around.
func TestFusedLong(t *testing.T) {
	const most = 64 << 10
	key, nonce := fusedKey()
	text := fusedBytes(3, 3*most)
	state := spec.State(&key, 1<<32-1500, &nonce)
	stream := spec.XOR(text, state)
	fusedFamilies(t, func(t *testing.T, k fusedFamily) {
		for _, n := range []int{4096, 10000, most - 1, most, most + 1, most + 512, most + 513, 2*most + 1023, len(text)} {
			got := make([]byte, n+16)
			k.xor(got[:n], text[:n], &state)
			if !bytes.Equal(got[:n], stream[:n]) {
				t.Fatalf("%d bytes are encrypted wrongly", n)
			}
			ad := text[:n%(most+100)]
			k.seal(got, text[:n], ad, &key, &nonce)
			if !bytes.Equal(got, spec.Seal(text[:n], ad, &key, &nonce)) {
				t.Fatalf("%d bytes are sealed wrongly", n)
			}
			if !k.open(got[:n], got, ad, &key, &nonce) || !bytes.Equal(got[:n], text[:n]) {
				t.Fatalf("%d bytes are not opened", n)
			}
		}
	})
}

func integer(words ...uint64) *big.Int {
	x := new(big.Int)
	for i, w := range words {
		x.Or(x, new(big.Int).Lsh(new(big.Int).SetUint64(w), uint(64*i)))
	}
	return x
}

// TestFusedBlocks hashes with one hash and with two, and has words with long
// runs of ones.
func TestFusedBlocks(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	word := func() uint64 { return []uint64{0, ^uint64(0), ^uint64(r.IntN(6)), r.Uint64()}[r.IntN(4)] }
	low := new(big.Int).SetUint64(^uint64(0))
	fusedFamilies(t, func(t *testing.T, k fusedFamily) {
		for n := 1; n < 200; n++ {
			for range 3 {
				h := [3]uint64{word(), word(), r.Uint64N(5)}
				key := [2]uint64{word() & 0x0ffffffc0fffffff, word() & 0x0ffffffc0ffffffc}
				want, multiplier := integer(h[:]...), integer(key[:]...)
				w := work{h: h, r: key}
				power := new(big.Int).Set(multiplier)
				for i := range w.powers {
					x := new(big.Int).Set(power)
					for j := range w.powers[i] {
						w.powers[i][j] = new(big.Int).And(x, low).Uint64()
						x.Rsh(x, 64)
					}
					power.Mul(power, power).Mod(power, spec.P)
				}
				message := make([]byte, 16*n+7)[n%8:][:16*n]
				for i := 0; i < len(message); i += 16 {
					lo, hi := word(), word()
					binary.LittleEndian.PutUint64(message[i:], lo)
					binary.LittleEndian.PutUint64(message[i+8:], hi)
					want.Add(want, integer(lo, hi, 1)).Mul(want, multiplier).Mod(want, spec.P)
				}
				one := h
				k.blocks(&one, &key, message)
				k.hash(&w, &message[0], n)
				for i, got := range [][3]uint64{one, w.h} {
					if got[2] > 4 || new(big.Int).Mod(integer(got[:]...), spec.P).Cmp(want) != 0 {
						t.Fatalf("h = %x, r = %x and %d blocks make %x with %d hashes, want %x", h, key, n, got, i+1, want)
					}
				}
			}
		}
	})
}

// TestFusedResidue looks for what depends on the key in the stack that kernels
// have used.
func TestFusedResidue(t *testing.T) {
	key, nonce := fusedKey()
	var keys [2][8]uint32
	keys[1] = [8]uint32{1, 2, 3, 4, 5, 6, 7, 8}
	var dst, src [4096 + 16]byte
	fusedFamilies(t, func(t *testing.T, k fusedFamily) {
		// Longer ones are whole blocks: the rest of the ciphertext goes through the stack.
		for _, n := range []int{0, 64, 100, 250, 380, 512, 640, 768, 1024, 1424, 4096} {
			for try := 0; ; try++ {
				var left [3][]byte
				for i := range left {
					key = keys[i/2] // at one address
					left[i] = guard.Residue(func() { k.seal(dst[:n+16], src[:n], nil, &key, &nonce) })
					// The tag is no secret.
					left[i] = bytes.ReplaceAll(left[i], dst[n:n+8], make([]byte, 8))
					left[i] = bytes.ReplaceAll(left[i], dst[n+8:n+16], make([]byte, 8))
				}
				different := 0
				for i, x := range left[0] {
					if x == left[1][i] && x != left[2][i] { // else it is none of the key
						different++
					}
				}
				if different == 0 {
					break
				}
				if try == 5 {
					t.Fatalf("sealing %d bytes leaves %d bytes that depend on the key", n, different)
				}
			}
		}
	})
}
