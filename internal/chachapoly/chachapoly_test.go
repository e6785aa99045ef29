package chachapoly

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/big"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/cipherlane/cipherlane/internal/chachapoly/spec"
	"github.com/cipherlane/cipherlane/internal/conformance"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/guard"
)

// eachRow runs f for every driver that this machine can run.
func eachRow(t *testing.T, f func(t *testing.T, row uint8)) {
	table := drivers.New("chacha20poly1305", Rows())
	conformance.EachDriver(t, "chacha20poly1305", func(t *testing.T, name string) {
		plan, err := table.On(name)
		if err != nil {
			t.Fatal(err)
		}
		f(t, plan.Bulk())
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

// maxPass is how much most kernels process in one call.
const maxPass = 64 << 10

// A field is memory after an inaccessible page, and memory before one. Unused bytes
// have the value of untouched.
type field [2][]byte

const (
	untouched = 0xa5
	margin    = 64 // is looked at
)

func newField(t *testing.T, n int) (f field) {
	f = field{guard.Before(t, n+margin), guard.After(t, n+margin)}
	f.reset()
	return f
}

func (f field) reset() {
	for _, b := range f {
		for i := range b {
			b[i] = untouched
		}
	}
}

// cut returns n bytes at the page of a side, and those on their other side.
func (f field) cut(side, n int) (b, rest []byte) {
	all := f[side]
	if side == 0 {
		return all[:n:n], all[n:][:margin]
	}
	return guard.Tail(all, n), all[len(all)-n-margin:][:margin]
}

func isUntouched(b []byte) bool { return bytes.Count(b, []byte{untouched}) == len(b) }

const longest = 2700 // text of a sample

// A sample is a message and what becomes of it.
type sample struct {
	key          [8]uint32
	nonce        [3]uint32
	text, data   []byte
	sealed       []byte
	state        [16]uint32 // its counter may come to its end in the text
	encrypted    []byte
	in, dataSide int // the sides on which text and data have pages
	out          int // and what is sealed
}

// samples are of all lengths up to where every kernel has gone around its loop, each
// on all sides.
func samples() (list []sample) {
	r := newRandom(1)
	step := 1
	if testing.Short() {
		step = 7
	}
	for n := 0; n <= longest; n += step {
		for i, data := range []int{0, n % 34, n % 290, 253 + n%6} {
			if testing.Short() && (i == 0 || i == 3) != (n/14%2 == 0) {
				continue
			}
			s := sample{key: r.key(), nonce: r.nonce(), text: r.bytes(n), data: r.bytes(data)}
			s.in, s.out, s.dataSide = i/2, i%2, (i+n/34)%2
			s.sealed = spec.Seal(s.text, s.data, &s.key, &s.nonce)
			s.state = spec.State(&s.key, -uint32(r.source.Uint64()%uint64(n/64+2)), &s.nonce)
			s.encrypted = spec.XOR(s.text, s.state)
			list = append(list, s)
		}
	}
	return list
}

// decryptsFirst reports whether a driver decrypts before it knows that the tag
// is right.
func decryptsFirst(row uint8) bool {
	return row != generic && (runtime.GOARCH == "amd64" || runtime.GOARCH == "arm64")
}

// check returns what is wrong.
func (s *sample) check(row uint8, in, out, dataField field) string {
	n := len(s.text)
	key, nonce := s.key, s.nonce
	src, besideSrc := in.cut(s.in, n)
	dst, besideDst := out.cut(s.out, n+TagSize)
	ad, _ := dataField.cut(s.dataSide, len(s.data))
	copy(src, s.text)
	copy(ad, s.data)
	Seal(row, dst, src, ad, &key, &nonce)
	if !bytes.Equal(dst, s.sealed) || !bytes.Equal(src, s.text) {
		return "sealed wrongly"
	}
	clear(src)
	if !Open(row, src, dst, ad, &key, &nonce) || !bytes.Equal(src, s.text) || !bytes.Equal(dst, s.sealed) {
		return "not opened"
	}
	if !Open(row, dst[:n], dst, ad, &key, &nonce) || !bytes.Equal(dst[:n], s.text) {
		return "not opened in place"
	}
	Seal(row, dst, dst[:n], ad, &key, &nonce)
	if !bytes.Equal(dst, s.sealed) {
		return "sealed wrongly in place"
	}
	in.reset()
	for _, bit := range []int{n * 37 % (8 * len(dst)), 8*n + n%128} {
		dst[bit/8] ^= 1 << (bit % 8)
		if Open(row, src, dst, ad, &key, &nonce) {
			return fmt.Sprintf("opened with bit %d changed", bit)
		}
		dst[bit/8] ^= 1 << (bit % 8)
	}
	if len(ad) > 0 {
		ad[n%len(ad)] ^= 0x80
		if Open(row, src, dst, ad, &key, &nonce) {
			return "opened with other additional data"
		}
	}
	if !decryptsFirst(row) && !isUntouched(src) {
		return "decrypted in spite of a wrong tag"
	}
	if !isUntouched(besideSrc) || !isUntouched(besideDst) {
		return "written to outside, sealing or opening"
	}
	out.reset()
	copy(src, s.text)
	if n > 0 {
		state := s.state
		dst, besideDst := out.cut(s.out, n)
		XOR(row, dst, src, &state)
		if !bytes.Equal(dst, s.encrypted) || !bytes.Equal(src, s.text) {
			return fmt.Sprintf("encrypted wrongly from block %#x on", state[12])
		}
		XOR(row, src, src, &state)
		if !bytes.Equal(src, s.encrypted) {
			return fmt.Sprintf("encrypted wrongly in place from block %#x on", state[12])
		}
		if !isUntouched(besideDst) || !isUntouched(besideSrc) {
			return "written to outside, encrypting"
		}
		if state != s.state {
			return "encrypted, but the state has changed"
		}
	}
	if whole := n &^ 15; whole > 0 {
		p, _ := in.cut(s.in, whole)
		Blocks(row, new([3]uint64), &[2]uint64{4, 4}, p)
	}
	if key != s.key || nonce != s.nonce {
		return "done with, but the key or the nonce has changed"
	}
	return ""
}

// TestLengths uses buffers next to inaccessible memory.
func TestLengths(t *testing.T) {
	list := samples()
	in, out, dataField := newField(t, longest), newField(t, longest+TagSize), newField(t, 300)
	eachRow(t, func(t *testing.T, row uint8) {
		for i := range list {
			s := &list[i]
			in.reset()
			out.reset()
			wrong := "read or written to outside"
			guard.Faults(func() { wrong = s.check(row, in, out, dataField) })
			if wrong != "" {
				t.Fatalf("%d bytes with %d of additional data are %s", len(s.text), len(s.data), wrong)
			}
		}
	})
}

// TestLong uses texts longer than a call of a kernel, and counters that wrap around.
func TestLong(t *testing.T) {
	r := newRandom(2)
	key, nonce := r.key(), r.nonce()
	text, data := r.bytes(200_001), r.bytes(maxPass+100)
	lengths := []int{4095, 10000, maxPass + 17, maxPass + 192, maxPass + 193, maxPass + 448, maxPass + 449, maxPass + 512,
		2 * maxPass, 2*maxPass + 191, 2*maxPass + 193, 2*maxPass + 1023, 3 * maxPass, len(text)}
	for _, n := range []int{2048, 4096, 3 * 1536, 16384, maxPass, maxPass + 2048} {
		lengths = append(lengths, n-17, n-16, n-1, n, n+1, n+15, n+513)
	}
	var states [5][16]uint32
	var streams [5][]byte
	for i, counter := range []uint32{0, 1<<32 - 3, 1<<32 - 16, 1<<32 - 31, 1<<32 - 1500} {
		states[i] = spec.State(&key, counter, &nonce)
		streams[i] = spec.XOR(text, states[i])
	}
	type message struct{ text, data, sealed []byte }
	var messages []message
	for i, n := range lengths {
		for j, data := range [][]byte{nil, data[:n%len(data)], data[:maxPass+77]} {
			if !testing.Short() || i%3 == j && (n < maxPass || i%2 == 0) {
				messages = append(messages, message{text[:n], data, spec.Seal(text[:n], data, &key, &nonce)})
			}
		}
	}
	eachRow(t, func(t *testing.T, row uint8) {
		got := make([]byte, len(text)+TagSize)
		for i, n := range lengths {
			for j, stream := range streams {
				if testing.Short() && (i+j)%3 != 0 {
					continue
				}
				state := states[j]
				XOR(row, got[:n], text[:n], &state)
				if !bytes.Equal(got[:n], stream[:n]) || state != states[j] {
					t.Fatalf("%d bytes from block %#x on are encrypted wrongly", n, state[12])
				}
				XOR(row, got[:n], got[:n], &state)
				if !bytes.Equal(got[:n], text[:n]) {
					t.Fatalf("%d bytes from block %#x on are decrypted wrongly in place", n, state[12])
				}
			}
		}
		for _, m := range messages {
			n := len(m.text)
			got := got[:n+TagSize]
			Seal(row, got, m.text, m.data, &key, &nonce)
			if !bytes.Equal(got, m.sealed) {
				t.Fatalf("%d bytes with %d of additional data are sealed wrongly", n, len(m.data))
			}
			if !Open(row, got[:n], got, m.data, &key, &nonce) || !bytes.Equal(got[:n], m.text) {
				t.Fatalf("%d bytes with %d of additional data are not opened", n, len(m.data))
			}
			Seal(row, got, got[:n], m.data, &key, &nonce)
			if !bytes.Equal(got, m.sealed) {
				t.Fatalf("%d bytes with %d of additional data are sealed wrongly in place", n, len(m.data))
			}
			got[n*37%len(got)] ^= 1 << (n % 8)
			if Open(row, got[:n], got, m.data, &key, &nonce) {
				t.Fatalf("a forgery of %d bytes with %d of additional data is opened", n, len(m.data))
			}
		}
	})
}

// TestForgedTags changes a bit of a tag, and for some lengths every one.
func TestForgedTags(t *testing.T) {
	eachRow(t, func(t *testing.T, row uint8) {
		r := newRandom(3)
		key, nonce := r.key(), r.nonce()
		lengths := []int{700, 1420, 1536, 1537}
		for n := range 600 {
			lengths = append(lengths, n)
		}
		for _, n := range lengths {
			dst, sealed := make([]byte, n), make([]byte, n+TagSize)
			Seal(row, sealed, bytes.Repeat([]byte{1}, n), nil, &key, &nonce)
			bits := []int{n * 9 % 128}
			switch n {
			case 0, 1, 64, 65, 300, 500, 700, 1420, 1536, 1537:
				bits = nil
				for bit := range 8 * TagSize {
					bits = append(bits, bit)
				}
			}
			for _, bit := range bits {
				sealed[n+bit/8] ^= 1 << (bit % 8)
				if Open(row, dst, sealed, nil, &key, &nonce) {
					t.Fatalf("%d bytes are opened with bit %d of the tag changed", n, bit)
				}
				if !decryptsFirst(row) && bytes.Count(dst, []byte{0}) != n {
					t.Fatalf("a forgery of %d bytes is decrypted, bit %d", n, bit)
				}
				sealed[n+bit/8] ^= 1 << (bit % 8)
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

// TestBlocks has all numbers of blocks that kernels may divide in their own way, and
// words with long runs of ones and zeros, where carries go far.
func TestBlocks(t *testing.T) {
	rand := rand.New(newRandom(5).source)
	word := func() uint64 {
		return []uint64{0, ^uint64(0), ^uint64(rand.IntN(6)), rand.Uint64()}[rand.IntN(4)]
	}
	type call struct {
		h    [3]uint64
		r    [2]uint64
		p    []byte
		want *big.Int
	}
	var calls []call
	// Bits of ones say which operand is all ones.
	add := func(n, ones int) {
		c := call{h: [3]uint64{word(), word(), rand.Uint64N(5)}, r: [2]uint64{word(), word()}, p: make([]byte, 16*n+7)[n%8:][:16*n]}
		for i := 0; i < len(c.p); i += 8 {
			binary.LittleEndian.PutUint64(c.p[i:], word())
		}
		if ones&1 != 0 {
			c.h = [3]uint64{^uint64(0), ^uint64(0), 4}
		}
		if ones&2 != 0 {
			c.r = [2]uint64{^uint64(0), ^uint64(0)}
		}
		if ones&4 != 0 {
			copy(c.p, bytes.Repeat([]byte{0xff}, len(c.p)))
		}
		c.r[0] &= 0x0ffffffc0fffffff
		c.r[1] &= 0x0ffffffc0ffffffc
		c.want = spec.Blocks(toInt(c.h[:]...), toInt(c.r[:]...), c.p)
		calls = append(calls, c)
	}
	for n := 1; n < 200; n++ {
		for ones := range 8 {
			if !testing.Short() || n < 64 || (n+ones)%4 == 0 {
				add(n, ones)
			}
		}
	}
	rounds, step := 20000, 1
	if testing.Short() {
		rounds, step = 2000, 7
	}
	for ones := 0; ones < 8; ones += step {
		add(maxPass/16, ones)
		add(maxPass/16+1, ones)
	}
	for i := range rounds {
		add(1+i%8, 0)
	}
	eachRow(t, func(t *testing.T, row uint8) {
		for _, c := range calls {
			got := c.h
			Blocks(row, &got, &c.r, c.p)
			if got[2] > 4 || new(big.Int).Mod(toInt(got[:]...), spec.P).Cmp(c.want) != 0 {
				t.Fatalf("h = %x after %x, r = %x, p = %x: want %x", got, c.h, c.r, c.p, c.want)
			}
		}
	})
}

func TestAdditionalData(t *testing.T) {
	r := newRandom(4)
	text, data := r.bytes(300), r.bytes(400)
	key, nonce := r.key(), r.nonce()
	sizes := []int{0, 1, 16, 64, 65, 300}
	var want [][]byte
	for n := range data {
		for _, size := range sizes {
			want = append(want, spec.Seal(text[:size], data[:n], &key, &nonce))
		}
	}
	eachRow(t, func(t *testing.T, row uint8) {
		for i, want := range want {
			n, size := i/len(sizes), sizes[i%len(sizes)]
			got := make([]byte, size+TagSize)
			Seal(row, got, text[:size], data[:n], &key, &nonce)
			if !bytes.Equal(got, want) {
				t.Fatalf("%d bytes with %d of additional data: sealed wrongly", size, n)
			}
			if !Open(row, got[:size], got, data[:n], &key, &nonce) || !bytes.Equal(got[:size], text[:size]) {
				t.Fatalf("%d bytes with %d of additional data: not opened", size, n)
			}
		}
	})
}

// TestMany seals packets of mixed sizes in batches of all lengths.
func TestMany(t *testing.T) {
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
			SealMany(row, &key, packets)
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
			OpenMany(row, &key, packets)
			for i, p := range packets {
				if p.OK != (i != forged) || p.OK && !bytes.Equal(p.Dst, texts[i]) {
					t.Fatalf("packet %d of %d with %d bytes: OK is %v", i, count, len(texts[i]), p.OK)
				}
			}
		}
	})
}

// TestManyGuards has four packets of the sizes that the kernel of avx512 takes
// together, at memory that must not be touched.
func TestManyGuards(t *testing.T) {
	const shortest, longest, most = 65, 1472, 256 // most bytes of additional data
	var in, out, dataField [4]field
	for i := range in {
		in[i], out[i], dataField[i] = newField(t, longest), newField(t, longest+TagSize), newField(t, most)
	}
	eachRow(t, func(t *testing.T, row uint8) {
		r := newRandom(7)
		rand := rand.New(r.source)
		for n := shortest; n <= longest; n++ {
			if testing.Short() && n%13 != 0 {
				continue
			}
			key, side := r.key(), n%2
			var packets [4]Packet
			var texts, want [4][]byte
			for i := range packets {
				size := n
				if i > 0 {
					size = shortest + rand.IntN(n-shortest+1)
				}
				p := &packets[i]
				p.Nonce = r.nonce()
				p.Text, _ = in[i].cut(side, size)
				p.Dst, _ = out[i].cut(side, size+TagSize)
				p.Data, _ = dataField[i].cut(side, []int{0, 13, 16, rand.IntN(most + 1)}[rand.IntN(4)])
				r.source.Read(p.Data)
				texts[i] = r.bytes(size)
				want[i] = spec.Seal(texts[i], p.Data, &key, &p.Nonce)
				copy(p.Text, texts[i])
				if n%3 == 0 {
					p.Text = p.Dst[:copy(p.Dst, texts[i])]
				}
			}
			if guard.Faults(func() { SealMany(row, &key, packets[:]) }) {
				t.Fatalf("%d bytes: sealing touches memory outside its buffers", n)
			}
			for i := range packets {
				p := &packets[i]
				if !bytes.Equal(p.Dst, want[i]) {
					t.Fatalf("packet %d of %d bytes, longest %d, %d of additional data: sealed wrongly", i, len(texts[i]), n, len(p.Data))
				}
				p.Dst, p.Text = p.Text, p.Dst
			}
			if guard.Faults(func() { OpenMany(row, &key, packets[:]) }) {
				t.Fatalf("%d bytes: opening touches memory outside its buffers", n)
			}
			for i := range packets {
				if p := &packets[i]; !p.OK || !bytes.Equal(p.Dst, texts[i]) {
					t.Fatalf("packet %d of %d bytes, longest %d: not opened", i, len(texts[i]), n)
				}
			}
		}
	})
}

// TestMisaligned uses buffers with different alignments.
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
			conformance.NoAllocs(t, "SealMany", func() {
				var b [1500]byte
				SealMany(row, &key, []Packet{{Dst: b[:n+TagSize], Text: b[:n]}, {Dst: b[:TagSize]}})
			})
		}
	})
}

// TestScheduler runs kernels during garbage collections and preemption signals: one
// that lost the pointer to g would crash here.
func TestScheduler(t *testing.T) {
	var key [8]uint32
	var nonce [3]uint32
	text := make([]byte, 20000)
	want := spec.Seal(text, nil, &key, &nonce)
	eachRow(t, func(t *testing.T, row uint8) {
		if row == generic {
			return
		}
		var wait sync.WaitGroup
		for range 4 {
			wait.Add(1)
			go func() {
				defer wait.Done()

				got := make([]byte, len(want))
				for i := range 40 {
					Seal(row, got, text, nil, &key, &nonce)
					if !bytes.Equal(got, want) {
						t.Error("sealed wrongly")
						return
					}
					if i%4 == 0 {
						runtime.GC()
					}
				}
			}()
		}
		wait.Wait()
	})
}

// A missing case must panic instead of silently doing nothing.
func TestNoKernel(t *testing.T) {
	row := uint8(len(Rows()))
	for name, f := range map[string]func(){
		"Seal":     func() { Seal(row, make([]byte, TagSize), nil, nil, new([8]uint32), new([3]uint32)) },
		"Open":     func() { Open(row, nil, make([]byte, TagSize), nil, new([8]uint32), new([3]uint32)) },
		"SealMany": func() { SealMany(row, new([8]uint32), make([]Packet, 1)) },
		"OpenMany": func() { OpenMany(row, new([8]uint32), make([]Packet, 1)) },
		"XOR":      func() { XOR(row, make([]byte, 1), make([]byte, 1), new([16]uint32)) },
		"HChaCha":  func() { HChaCha(row, new([8]uint32), new([8]uint32), new([4]uint32)) },
		"Blocks":   func() { Blocks(row, new([3]uint64), new([2]uint64), make([]byte, 16)) },
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
