package chachapoly

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/internal/chachapoly/spec"
	"github.com/cipherlane/cipherlane/internal/conformance"
	"github.com/cipherlane/cipherlane/internal/guard"
)

// eachRow runs f for every driver that this machine has.
func eachRow(t *testing.T, f func(t *testing.T, row uint8)) {
	table := driver.NewTable("chacha20poly1305", Rows())
	conformance.EachDriver(t, "chacha20poly1305", table.Drivers(), func(t *testing.T, name string) {
		plan, err := table.On(name)
		if err != nil {
			t.Fatal(err)
		}
		f(t, plan.Bulk)
	})
}

type random struct{ source *rand.ChaCha8 }

func newRandom(seed byte) random { return random{rand.NewChaCha8([32]byte{seed})} }

func (r random) bytes(n int) []byte {
	b := make([]byte, n)
	r.source.Read(b)
	return b
}

func (r random) key() (key [8]uint32) {
	for i := range key {
		key[i] = uint32(r.source.Uint64())
	}
	return key
}

func (r random) nonce() (nonce [3]uint32) {
	for i := range nonce {
		nonce[i] = uint32(r.source.Uint64())
	}
	return nonce
}

// sizes are all lengths up to where every kernel has gone around its loop, and a
// few beyond the 64 KiB at which drivers cut.
func sizes() (list []int) {
	step := 1
	if testing.Short() {
		step = 7
	}
	for n := 0; n < 2300; n += step {
		list = append(list, n)
	}
	return append(list, 4095, 4096, 4097, 64<<10-1, 64<<10, 64<<10+1, 64<<10+17, 200_001)
}

func TestXOR(t *testing.T) {
	eachRow(t, func(t *testing.T, row uint8) {
		r := newRandom(1)
		src := r.bytes(200_001)
		got := make([]byte, len(src))
		key, nonce := r.key(), r.nonce()
		for _, counter := range []uint32{0, 1<<32 - 3, 1<<32 - 16, 1<<32 - 31} {
			state := spec.State(&key, counter, &nonce)
			want := spec.XOR(src, state)
			for _, n := range sizes() {
				if n == 0 {
					continue
				}
				before := state
				clear(got)
				XOR(row, got[:n], src[:n], &state)
				if !bytes.Equal(got[:n], want[:n]) {
					t.Fatalf("%d bytes from block %#x are wrong", n, counter)
				}
				if bytes.Count(got[n:min(n+300, len(got))], []byte{0}) != min(300, len(got)-n) {
					t.Fatalf("%d bytes: writes behind dst", n)
				}
				if state != before {
					t.Fatal("the state has changed")
				}
				copy(got, src[:n])
				XOR(row, got[:n], got[:n], &state)
				if !bytes.Equal(got[:n], want[:n]) {
					t.Fatalf("%d bytes in place from block %#x are wrong", n, counter)
				}
			}
		}
	})
}

func TestHChaCha(t *testing.T) {
	eachRow(t, func(t *testing.T, row uint8) {
		r := newRandom(2)
		for range 100 {
			key := r.key()
			n := r.key()
			nonce := [4]uint32(n[:])
			var got [8]uint32
			HChaCha(row, &got, &key, &nonce)
			if want := spec.HChaCha(&key, &nonce); got != want {
				t.Fatalf("got %x, want %x", got, want)
			}
			inPlace := key
			HChaCha(row, &inPlace, &inPlace, &nonce)
			if inPlace != got {
				t.Fatal("differs if the result takes the place of the key")
			}
		}
	})
}

func toInt(words ...uint64) *big.Int {
	var b []byte
	for _, w := range words {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	return spec.LittleEndian(b)
}

// TestBlocks has words with long runs of ones and zeros, where carries go far.
func TestBlocks(t *testing.T) {
	eachRow(t, func(t *testing.T, row uint8) {
		rand := rand.New(newRandom(3).source)
		word := func() uint64 {
			switch rand.IntN(4) {
			case 0:
				return 0
			case 1:
				return ^uint64(0)
			case 2:
				return ^uint64(rand.IntN(6))
			}
			return rand.Uint64()
		}
		rounds := 20000
		if testing.Short() {
			rounds = 2000
		}
		for i := range rounds {
			h := [3]uint64{word(), word(), rand.Uint64N(5)}
			r := [2]uint64{word() & 0x0ffffffc0fffffff, word() & 0x0ffffffc0ffffffc}
			n := 1 + i%8
			if i%50 == 0 {
				n = 1 + rand.IntN(150)
			}
			p := make([]byte, 16*n)
			for i := 0; i < len(p); i += 8 {
				binary.LittleEndian.PutUint64(p[i:], word())
			}
			got := h
			Blocks(row, &got, &r, p)
			if got[2] > 4 {
				t.Fatalf("h = %x after %x, r = %x, p = %x: too large", got, h, r, p)
			}
			want := spec.Blocks(toInt(h[:]...), toInt(r[:]...), p)
			if new(big.Int).Mod(toInt(got[:]...), spec.P).Cmp(want) != 0 {
				t.Fatalf("h = %x after %x, r = %x, p = %x: want %x", got, h, r, p, want)
			}
		}
	})
}

func TestAEAD(t *testing.T) {
	eachRow(t, func(t *testing.T, row uint8) {
		r := newRandom(4)
		text, data := r.bytes(200_001), r.bytes(300)
		for i, n := range sizes() {
			key, nonce := r.key(), r.nonce()
			ad := data[:[]int{0, 0, 13, 1, 16, 32, 300}[i%7]]
			what := fmt.Sprintf("%d bytes with %d of additional data", n, len(ad))
			want := spec.Seal(text[:n], ad, &key, &nonce)
			got := make([]byte, n+TagSize)
			Seal(row, got, text[:n], ad, &key, &nonce)
			if !bytes.Equal(got, want) {
				t.Fatalf("%s: sealed wrongly", what)
			}
			copy(got, text[:n])
			Seal(row, got, got[:n], ad, &key, &nonce)
			if !bytes.Equal(got, want) {
				t.Fatalf("%s in place: sealed wrongly", what)
			}
			opened := make([]byte, n)
			if !Open(row, opened, want, ad, &key, &nonce) || !bytes.Equal(opened, text[:n]) {
				t.Fatalf("%s: not opened", what)
			}
			if !Open(row, got[:n], got, ad, &key, &nonce) || !bytes.Equal(got[:n], text[:n]) {
				t.Fatalf("%s in place: not opened", what)
			}
			want[i%len(want)] ^= 1 << (i % 8)
			if Open(row, opened, want, ad, &key, &nonce) {
				t.Fatalf("%s: a forgery is opened", what)
			}
			want[i%len(want)] ^= 1 << (i % 8)
			if len(ad) > 0 {
				ad[i%len(ad)] ^= 0x80
				if Open(row, opened, want, ad, &key, &nonce) {
					t.Fatalf("%s: opened with other additional data", what)
				}
			}
		}
	})
}

func TestAdditionalData(t *testing.T) {
	eachRow(t, func(t *testing.T, row uint8) {
		r := newRandom(5)
		text, data := r.bytes(300), r.bytes(400)
		key, nonce := r.key(), r.nonce()
		for n := range len(data) {
			for _, size := range []int{0, 1, 16, 64, 65, 300} {
				want := spec.Seal(text[:size], data[:n], &key, &nonce)
				got := make([]byte, size+TagSize)
				Seal(row, got, text[:size], data[:n], &key, &nonce)
				if !bytes.Equal(got, want) {
					t.Fatalf("%d bytes with %d of additional data: sealed wrongly", size, n)
				}
				if !Open(row, got[:size], got, data[:n], &key, &nonce) || !bytes.Equal(got[:size], text[:size]) {
					t.Fatalf("%d bytes with %d of additional data: not opened", size, n)
				}
			}
		}
	})
}

// TestBatch seals packets of mixed sizes in batches of all lengths.
func TestBatch(t *testing.T) {
	eachRow(t, func(t *testing.T, row uint8) {
		r := newRandom(6)
		rand := rand.New(r.source)
		key := r.key()
		for count := range 40 {
			packets := make([]Packet, count)
			want, texts := make([][]byte, count), make([][]byte, count)
			fixed := []int{0, 64, 1420}[count%3]
			for i := range packets {
				n := fixed
				if count > 20 {
					n = rand.IntN([]int{70, 1500, 5000}[rand.IntN(3)])
				}
				p := Packet{Text: r.bytes(n), Data: r.bytes(rand.IntN(2) * rand.IntN(40)), Nonce: r.nonce()}
				want[i], texts[i] = spec.Seal(p.Text, p.Data, &key, &p.Nonce), p.Text
				p.Dst = make([]byte, n+TagSize)
				if i%2 == 0 {
					copy(p.Dst, p.Text)
					p.Text = p.Dst[:n]
				}
				packets[i] = p
			}
			for i := range packets {
				texts[i] = bytes.Clone(texts[i])
			}
			SealBatch(row, &key, packets)
			for i, p := range packets {
				if !bytes.Equal(p.Dst, want[i]) {
					t.Fatalf("packet %d of %d with %d bytes: sealed wrongly", i, count, len(texts[i]))
				}
			}
			forged := rand.IntN(count + 1)
			for i := range packets {
				p := &packets[i]
				p.Text, p.OK = p.Dst, i%2 == 0
				p.Dst = p.Text[:len(texts[i])]
				if i == forged {
					p.Text[rand.IntN(len(p.Text))] ^= 4
				}
			}
			OpenBatch(row, &key, packets)
			for i, p := range packets {
				if p.OK != (i != forged) || p.OK && !bytes.Equal(p.Dst, texts[i]) {
					t.Fatalf("packet %d of %d with %d bytes: OK is %v", i, count, len(texts[i]), p.OK)
				}
			}
		}
	})
}

// TestGuards puts all buffers against memory that must not be touched.
func TestGuards(t *testing.T) {
	eachRow(t, func(t *testing.T, row uint8) {
		r := newRandom(7)
		key, nonce := r.key(), r.nonce()
		const longest = 1500
		var in, out, aad [2][]byte
		for side, f := range []func(testing.TB, int) []byte{guard.Before, guard.After} {
			in[side], out[side], aad[side] = f(t, longest+TagSize), f(t, longest+TagSize), f(t, 40)
		}
		at := func(b [2][]byte, side, n int) []byte {
			if side == 0 {
				return b[0][:n:n]
			}
			return guard.Tail(b[1], n)
		}
		step := 1
		if testing.Short() {
			step = 13
		}
		for n := 0; n <= longest; n += step {
			for side := range 2 {
				state := spec.State(&key, 7, &nonce)
				src, dst, ad := at(in, side, n), at(out, side, n+TagSize), at(aad, side, n%41)
				copy(src, r.bytes(n))
				want := bytes.Clone(src)
				ok := false
				if guard.Faults(func() {
					Seal(row, dst, src, ad, &key, &nonce)
					ok = Open(row, src, dst, ad, &key, &nonce)
					if n > 0 {
						XOR(row, at(out, side, n), src, &state)
					}
					if n >= 16 {
						Blocks(row, new([3]uint64), &[2]uint64{4, 4}, at(in, side, n&^15))
					}
				}) {
					t.Fatalf("%d bytes: touches memory outside its buffers", n)
				}
				if !ok || !bytes.Equal(src, want) {
					t.Fatalf("%d bytes: not opened", n)
				}
			}
		}
	})
}

// TestMisaligned shifts the buffers against one another.
func TestMisaligned(t *testing.T) {
	eachRow(t, func(t *testing.T, row uint8) {
		r := newRandom(8)
		key, nonce := r.key(), r.nonce()
		text, data := r.bytes(1500), r.bytes(20)
		in, out, ad := make([]byte, 1700), make([]byte, 1700), make([]byte, 100)
		for _, n := range []int{1, 15, 16, 63, 64, 65, 129, 300, 700, 1420} {
			want := spec.Seal(text[:n], data, &key, &nonce)
			for i := range 64 {
				for _, j := range []int{0, i, 1} {
					src, dst, ad := in[i:i+n], out[j:j+n+TagSize], ad[i:i+len(data)]
					copy(src, text)
					copy(ad, data)
					Seal(row, dst, src, ad, &key, &nonce)
					if !bytes.Equal(dst, want) {
						t.Fatalf("%d bytes from %d to %d: sealed wrongly", n, i, j)
					}
					clear(src)
					if !Open(row, src, dst, ad, &key, &nonce) || !bytes.Equal(src, text[:n]) {
						t.Fatalf("%d bytes from %d to %d: not opened", n, i, j)
					}
				}
			}
		}
	})
}

// TestAllocations: buffers on the stack stay there.
func TestAllocations(t *testing.T) {
	eachRow(t, func(t *testing.T, row uint8) {
		key, nonce := [8]uint32{1}, [3]uint32{2}
		for _, n := range []int{0, 64, 300, 1420} {
			conformance.NoAllocs(t, "Seal and Open", func() {
				var b [1500]byte
				Seal(row, b[:n+TagSize], b[:n], b[1490:], &key, &nonce)
				if !Open(row, b[:n], b[:n+TagSize], b[1490:], &key, &nonce) {
					t.Error("not opened")
				}
			})
			conformance.NoAllocs(t, "XOR", func() {
				var b [1500]byte
				state := spec.State(&key, 0, &nonce)
				XOR(row, b[:n+1], b[:n+1], &state)
			})
			conformance.NoAllocs(t, "SealBatch", func() {
				var b [1500]byte
				SealBatch(row, &key, []Packet{{Dst: b[:n+TagSize], Text: b[:n]}, {Dst: b[:TagSize]}})
			})
		}
	})
}

// A missing case panics; it does not pass for something done.
func TestNoKernel(t *testing.T) {
	row := uint8(len(Rows()))
	for name, f := range map[string]func(){
		"Seal":      func() { Seal(row, make([]byte, TagSize), nil, nil, new([8]uint32), new([3]uint32)) },
		"Open":      func() { Open(row, nil, make([]byte, TagSize), nil, new([8]uint32), new([3]uint32)) },
		"SealBatch": func() { SealBatch(row, new([8]uint32), make([]Packet, 1)) },
		"OpenBatch": func() { OpenBatch(row, new([8]uint32), make([]Packet, 1)) },
		"XOR":       func() { XOR(row, make([]byte, 1), make([]byte, 1), new([16]uint32)) },
		"HChaCha":   func() { HChaCha(row, new([8]uint32), new([8]uint32), new([4]uint32)) },
		"Blocks":    func() { Blocks(row, new([3]uint64), new([2]uint64), make([]byte, 16)) },
	} {
		func() {
			defer func() {
				if recover() != noKernel {
					t.Errorf("%s does not panic", name)
				}
			}()
			f()
		}()
	}
}
