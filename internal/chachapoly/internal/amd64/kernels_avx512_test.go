//go:build amd64 && !purego

package amd64

import (
	"bytes"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/cipherlane/cipherlane/internal/chachapoly/spec"
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/guard"
)

// source512 skips the test where the kernels do not run.
func source512(t *testing.T) *rand.Rand {
	if !cpu.Features().Has(cpu.AVX512 | cpu.AVX512IFMA | cpu.BMI2) {
		t.Skip("no AVX-512 with IFMA and BMI2")
	}
	return rand.New(rand.NewPCG(1, 2))
}

func bytesOf(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

func keyAndNonce(r *rand.Rand) (key [8]uint32, nonce [3]uint32) {
	for i := range key {
		key[i] = r.Uint32()
	}
	for i := range nonce {
		nonce[i] = r.Uint32()
	}
	return key, nonce
}

// lengths512 are all that take another way through the kernels, and some of the
// long ones.
func lengths512() (list []int) {
	step := 1
	if testing.Short() {
		step = 7
	}
	for n := 0; n <= 1700; n += step {
		list = append(list, n)
	}
	for _, n := range []int{2048, 4096, 3 * 1536, 16384, maxPass, maxPass + 2048} {
		list = append(list, n-17, n-16, n-1, n, n+1, n+15, n+513)
	}
	return list
}

func TestXORAVX512(t *testing.T) {
	r := source512(t)
	key, nonce := keyAndNonce(r)
	for _, n := range lengths512()[1:] {
		// The counter wraps around somewhere, often in the middle.
		state := spec.State(&key, uint32(-r.IntN(n/64+2)), &nonce)
		src := bytesOf(r, n)
		want := spec.XOR(src, state)
		before := state
		dst := make([]byte, n+1)
		XORAVX512(dst[1:], src, &state)
		if !bytes.Equal(dst[1:], want) || dst[0] != 0 {
			t.Fatalf("%d bytes: wrong", n)
		}
		XORAVX512(src, src, &state)
		if !bytes.Equal(src, want) {
			t.Fatalf("%d bytes in place: wrong", n)
		}
		if state != before {
			t.Fatalf("%d bytes: state changed", n)
		}
	}
}

// TestBlocksAVX512 has numbers whose carries run far.
func TestBlocksAVX512(t *testing.T) {
	r := source512(t)
	integer := func(words ...uint64) *big.Int {
		n := new(big.Int)
		for _, w := range slices.Backward(words) {
			n.Or(n.Lsh(n, 64), new(big.Int).SetUint64(w))
		}
		return n
	}
	ones := ^uint64(0)
	lengths := []int{maxPass, maxPass + 16}
	for n := 16; n <= 1600; n += 16 {
		lengths = append(lengths, n)
	}
	for _, n := range lengths {
		for i := range 8 {
			h := [3]uint64{r.Uint64(), r.Uint64(), r.Uint64N(5)}
			x := [2]uint64{r.Uint64() & 0x0ffffffc0fffffff, r.Uint64() & 0x0ffffffc0ffffffc}
			p := bytesOf(r, n)
			if i&1 != 0 {
				h = [3]uint64{ones, ones, 4}
			}
			if i&2 != 0 {
				x = [2]uint64{0x0ffffffc0fffffff, 0x0ffffffc0ffffffc}
			}
			if i&4 != 0 {
				for i := range p {
					p[i] = 0xff
				}
			}
			got := h
			BlocksAVX512(&got, &x, p)
			want := spec.Blocks(integer(h[:]...), integer(x[:]...), p)
			if got[2] > 4 || new(big.Int).Mod(integer(got[:]...), spec.P).Cmp(want) != 0 {
				t.Fatalf("%d bytes, case %d: h = %x, want %x", n, i, got, want)
			}
		}
	}
}

func TestSealAVX512(t *testing.T) {
	r := source512(t)
	for i, n := range lengths512() {
		key, nonce := keyAndNonce(r)
		ad := bytesOf(r, []int{0, i % 34, i % 34, dataMax - 1 + i%4}[r.IntN(4)])
		src := bytesOf(r, n)
		want := spec.Seal(src, ad, &key, &nonce)
		place := func(offset int) []byte { return make([]byte, n+16+offset)[offset:] }
		apart, same := place(1+i%63), place(i%5)
		SealAVX512(apart, src, ad, &key, &nonce)
		copy(same, src)
		SealAVX512(same, same[:n], ad, &key, &nonce)
		if !bytes.Equal(apart, want) || !bytes.Equal(same, want) {
			t.Fatalf("%d bytes, %d of additional data: sealed wrongly", n, len(ad))
		}
		back := make([]byte, n)
		if !OpenAVX512(back, apart, ad, &key, &nonce) || !bytes.Equal(back, src) {
			t.Fatalf("%d bytes, %d of additional data: not opened", n, len(ad))
		}
		if !OpenAVX512(same[:n], same, ad, &key, &nonce) || !bytes.Equal(same[:n], src) {
			t.Fatalf("%d bytes, %d of additional data: not opened in place", n, len(ad))
		}
		apart[r.IntN(n+16)] ^= 1 << r.IntN(8)
		if OpenAVX512(back, apart, ad, &key, &nonce) {
			t.Fatalf("%d bytes: opened a forgery", n)
		}
	}
}

// TestForgedTagsAVX512: every bit of a tag counts.
func TestForgedTagsAVX512(t *testing.T) {
	r := source512(t)
	key, nonce := keyAndNonce(r)
	for _, n := range []int{0, 1, 64, 65, 500, 1536, 1537} {
		box := make([]byte, n+16)
		SealAVX512(box, make([]byte, n), nil, &key, &nonce)
		for bit := range 128 {
			box[n+bit/8] ^= 1 << (bit % 8)
			if OpenAVX512(make([]byte, n), box, nil, &key, &nonce) {
				t.Errorf("%d bytes: opened with bit %d of the tag changed", n, bit)
			}
			box[n+bit/8] ^= 1 << (bit % 8)
		}
	}
}

func TestHChaChaAVX512(t *testing.T) {
	r := source512(t)
	for range 100 {
		key, _ := keyAndNonce(r)
		nonce := [4]uint32{r.Uint32(), r.Uint32(), r.Uint32(), r.Uint32()}
		want := spec.HChaCha(&key, &nonce)
		HChaChaAVX512(&key, &key, &nonce)
		if key != want {
			t.Fatalf("%x, want %x", key, want)
		}
	}
}

// TestBatchAVX512 has buffers against inaccessible memory on one side.
func TestBatchAVX512(t *testing.T) {
	r := source512(t)
	var in, out, ad [2][4][]byte
	for i := range 4 {
		for side, f := range []func(testing.TB, int) []byte{guard.Before, guard.After} {
			in[side][i], out[side][i], ad[side][i] = f(t, BatchMax), f(t, BatchMax+16), f(t, BatchDataMax)
		}
	}
	cut := func(b []byte, side, n int) []byte {
		if side == 0 {
			return b[:n:n]
		}
		return guard.Tail(b, n)
	}
	for n := BatchMin; n <= BatchMax; n++ {
		if testing.Short() && n%13 != 0 {
			continue
		}
		key, _ := keyAndNonce(r)
		side := n % 2
		var seal, open [4]Job
		var want, box, data [4][]byte
		var text [4][]byte
		var tags [4][16]byte
		for i := range 4 {
			size := n
			if i > 0 {
				size = BatchMin + r.IntN(n-BatchMin+1)
			}
			_, nonce := keyAndNonce(r)
			text[i] = cut(in[side][i], side, size)
			copy(text[i], bytesOf(r, size))
			data[i] = cut(ad[side][i], side, []int{0, 13, 16, r.IntN(BatchDataMax + 1)}[r.IntN(4)])
			copy(data[i], bytesOf(r, len(data[i])))
			want[i] = spec.Seal(text[i], data[i], &key, &nonce)
			box[i] = cut(out[side][i], side, size+16)
			if n%3 == 0 { // in place
				copy(box[i], text[i])
			}
			job := Job{Dst: &box[i][0], Src: &text[i][0], N: size, AD: unsafe.SliceData(data[i]), ADLen: len(data[i]), Nonce: nonce}
			if n%3 == 0 {
				job.Src = job.Dst
			}
			job.Tag = (*[16]byte)(box[i][size:])
			seal[i] = job
			job.Src, job.Dst = job.Dst, job.Src
			job.Tag = &tags[i]
			open[i] = job
		}
		if guard.Faults(func() { SealBatchAVX512(seal[:], &key) }) {
			t.Fatalf("%d bytes: sealing touches memory outside its buffers", n)
		}
		for i := range 4 {
			if !bytes.Equal(box[i], want[i]) {
				t.Fatalf("packet %d of %d bytes, longest %d, %d of additional data: sealed wrongly", i, len(text[i]), n, len(data[i]))
			}
		}
		plain := fmt.Sprint(text)
		if guard.Faults(func() { OpenBatchAVX512(open[:], &key) }) {
			t.Fatalf("%d bytes: opening touches memory outside its buffers", n)
		}
		for i := range 4 {
			if !bytes.Equal(tags[i][:], want[i][len(text[i]):]) {
				t.Fatalf("packet %d of %d bytes: wrong tag", i, len(text[i]))
			}
			if n%3 == 0 {
				copy(text[i], box[i])
			}
		}
		if fmt.Sprint(text) != plain {
			t.Fatalf("longest of %d bytes: opened wrongly", n)
		}
	}
}

// TestGuardsAVX512 has buffers of the other kernels against inaccessible memory.
func TestGuardsAVX512(t *testing.T) {
	r := source512(t)
	const longest = 2600
	var in, out, aad [2][]byte
	for side, f := range []func(testing.TB, int) []byte{guard.Before, guard.After} {
		in[side], out[side], aad[side] = f(t, longest+16), f(t, longest+16), f(t, 300)
	}
	at := func(b [2][]byte, side, n int) []byte {
		if side == 0 {
			return b[0][:n:n]
		}
		return guard.Tail(b[1], n)
	}
	key, nonce := keyAndNonce(r)
	state := spec.State(&key, 1, &nonce)
	for n := 0; n <= longest; n++ {
		if testing.Short() && n%11 != 0 {
			continue
		}
		for side := range 2 {
			text, box, ad := at(in, side, n), at(out, side, n+16), at(aad, side, n%290)
			copy(text, bytesOf(r, n))
			want := bytes.Clone(text)
			ok := false
			if guard.Faults(func() {
				SealAVX512(box, text, ad, &key, &nonce)
				ok = OpenAVX512(text, box, ad, &key, &nonce)
				ok = OpenAVX512(box[:n], box, ad, &key, &nonce) && ok
				if n > 0 {
					XORAVX512(at(out, side, n), text, &state)
				}
				if n >= 16 {
					BlocksAVX512(new([3]uint64), &[2]uint64{4, 4}, at(in, side, n&^15))
				}
			}) {
				t.Fatalf("%d bytes: touches memory outside its buffers", n)
			}
			if !ok || !bytes.Equal(text, want) {
				t.Fatalf("%d bytes: not opened", n)
			}
		}
	}
}
