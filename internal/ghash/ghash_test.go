package ghash

import (
	"bytes"
	"encoding/hex"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/cipherlane/cipherlane/internal/conformance"
	"github.com/cipherlane/cipherlane/internal/guard"
)

func unhex(s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return b
}

// Test case 2 of "The Galois/Counter Mode of Operation" by McGrew and Viega.
func TestSpec(t *testing.T) {
	h := [16]byte(unhex("66e94bd4ef8a2c3b884cfa59ca342b2e"))
	p := unhex("0388dace60b6a392f328c2b971b2fe7800000000000000000000000000000080")
	if got := specUpdate(h, [16]byte{}, p); hex.EncodeToString(got[:]) != "f38cbb1ad69223dcc3457ae5b6b0f885" {
		t.Fatalf("%x", got)
	}
}

// A hasher has the methods of a Key that the tests use.
type hasher interface {
	Init(h *[16]byte)
	Update(y *[16]byte, p []byte)
	UpdateReversed(y *[16]byte, p []byte)
}

// onRow is a Key for a fixed driver.
type onRow struct {
	Key
	d uint8
}

func (k *onRow) Init(h *[16]byte) { k.Key.Init(h, k.d) }

// The two versions of the portable driver, of which a machine uses one.
type (
	on64 struct{ mul64Key }
	on32 struct{ mul32Key }
)

func (k *on64) Init(h *[16]byte)             { k.init(h) }
func (k *on64) Update(y *[16]byte, p []byte) { k.update(y, p, false) }
func (k *on32) Init(h *[16]byte)             { k.init(h) }
func (k *on32) Update(y *[16]byte, p []byte) { k.update(y, p, false) }

func (k *on64) UpdateReversed(y *[16]byte, p []byte) { k.update(y, p, true) }
func (k *on32) UpdateReversed(y *[16]byte, p []byte) { k.update(y, p, true) }

// eachHasher runs f for every driver of this machine, and for both versions of
// the portable one on any machine.
func eachHasher(t *testing.T, f func(t *testing.T, k hasher)) {
	conformance.EachDriver(t, "ghash", func(t *testing.T, name string) {
		d, err := On(name)
		if err != nil {
			t.Fatal(err)
		}
		f(t, &onRow{d: d})
	})
	t.Run("mul64", func(t *testing.T) { f(t, new(on64)) })
	t.Run("mul32", func(t *testing.T) { f(t, new(on32)) })
}

// eachCase calls f with hash keys, states and messages of n bytes: random ones,
// keys with a single bit, and all ones, which make the largest sums in the
// portable driver.
func eachCase(n int, f func(name string, h, y [16]byte, message []byte)) {
	rnd := rand.NewChaCha8([32]byte{})
	for _, name := range []string{"random", "other random", "all ones", "key 0", "key 1", "key x^127"} {
		var h, y [16]byte
		message := make([]byte, n)
		rnd.Read(h[:])
		rnd.Read(y[:])
		rnd.Read(message)
		switch name {
		case "all ones":
			copy(h[:], bytes.Repeat([]byte{0xff}, 16))
			clear(y[:])
			copy(message, bytes.Repeat([]byte{0xff}, n))
		case "key 0":
			h = [16]byte{}
		case "key 1":
			h = [16]byte{0: 0x80}
		case "key x^127":
			h = [16]byte{15: 1}
		}
		f(name, h, y, message)
	}
}

// All lengths, once with an inaccessible page after the message and once with one
// before it.
func TestLengths(t *testing.T) {
	longest := 4096
	if testing.Short() {
		longest = 600
	}
	eachHasher(t, func(t *testing.T, k hasher) {
		after, before := guard.After(t, longest), guard.Before(t, longest)
		eachCase(longest, func(name string, h, start [16]byte, message []byte) {
			copy(before, message)
			k.Init(&h)     // nothing may be left of the key before
			whole := start // the state after the whole blocks of the message
			for n := range longest + 1 {
				if n > 0 && n%16 == 0 {
					whole = specUpdate(h, whole, message[n-16:n])
				}
				want := specUpdate(h, whole, message[n-n%16:n])
				p := guard.Tail(after, n)
				copy(p, message)
				for _, p := range [][]byte{p, before[:n]} {
					y := start
					if k.Update(&y, p); y != want {
						t.Fatalf("%s, %d bytes: got %x, want %x", name, n, y, want)
					}
				}
				if !bytes.Equal(p, message[:n]) {
					t.Fatalf("%s, %d bytes: the message has changed", name, n)
				}
			}
			if !bytes.Equal(before, message) {
				t.Fatalf("%s: the message has changed", name)
			}
		})
	})
}

// Reversed blocks, with the zeros of the last one in front, and a reversed state are
// the same hash.
func TestReversed(t *testing.T) {
	reversed := func(p []byte) []byte {
		var out []byte
		for ; len(p) > 0; p = p[min(16, len(p)):] {
			b := make([]byte, 16)
			copy(b, p)
			slices.Reverse(b)
			out = append(out, b...)
		}
		return out
	}
	longest := 1300
	if testing.Short() {
		longest = 300
	}
	eachHasher(t, func(t *testing.T, k hasher) {
		after := guard.After(t, longest)
		eachCase(longest, func(name string, h, start [16]byte, message []byte) {
			k.Init(&h)
			for n := range longest + 1 {
				want := start
				k.Update(&want, reversed(message[:n]))
				p := guard.Tail(after, n)
				copy(p, message)
				got := [16]byte(reversed(start[:]))
				if k.UpdateReversed(&got, p); [16]byte(reversed(got[:])) != want {
					t.Fatalf("%s, %d bytes: got %x, want %x reversed", name, n, got, want)
				}
			}
		})
		message := make([]byte, maxPass+100)
		rand.NewChaCha8([32]byte{1}).Read(message)
		var got, want [16]byte
		k.Init(&[16]byte{1, 2, 3})
		k.Update(&want, reversed(message))
		if k.UpdateReversed(&got, message); [16]byte(reversed(got[:])) != want {
			t.Errorf("a long message: got %x, want %x reversed", got, want)
		}
	})
}

// A message may come in parts that end with a block, and a long one is cut
// inside.
func TestParts(t *testing.T) {
	const size = maxPass + 1000
	rnd := rand.New(rand.NewPCG(1, 2))
	eachHasher(t, func(t *testing.T, k hasher) {
		eachCase(size, func(name string, h, y [16]byte, message []byte) {
			k.Init(&h)
			atOnce, inParts, other := y, y, y
			k.Update(&atOnce, message)
			for p := message; len(p) > 0; {
				n := min(16*rnd.IntN(1<<rnd.IntN(13)), len(p))
				k.Update(&inParts, p[:n])
				p = p[n:]
			}
			if inParts != atOnce {
				t.Fatalf("%s: in parts %x, at once %x", name, inParts, atOnce)
			}
			var m mul32Key // checked against the standard for shorter messages
			m.init(&h)
			if m.update(&other, message, false); other != atOnce {
				t.Fatalf("%s: got %x, want %x", name, atOnce, other)
			}
		})
	})
}

func TestWipe(t *testing.T) {
	conformance.EachDriver(t, "ghash", func(t *testing.T, name string) {
		d, _ := On(name)
		var k Key
		k.Init(&[16]byte{1, 2, 3}, d)
		if k == (Key{row: d}) {
			t.Fatal("Init wrote nothing")
		}
		if k.Wipe(); k != (Key{}) {
			t.Error("Wipe left something")
		}
	})
}

func TestAllocations(t *testing.T) {
	eachHasher(t, func(t *testing.T, k hasher) {
		h, p := new([16]byte), make([]byte, 100)
		if n := testing.AllocsPerRun(10, func() {
			k.Init(h)
			k.Update(h, p)
		}); n != 0 {
			t.Errorf("%v allocations", n)
		}
	})
}

// Several goroutines may need all powers for the first time simultaneously.
func TestConcurrent(t *testing.T) {
	eachHasher(t, func(t *testing.T, k hasher) {
		message := make([]byte, 5000)
		for i := range message {
			message[i] = byte(i)
		}
		h := [16]byte{1, 2, 3}
		want := map[int][16]byte{}
		for i := range 4 {
			for n := i; n < len(message); n += 500 {
				want[n] = specUpdate(h, [16]byte{}, message[:n])
			}
		}
		for range 20 {
			k.Init(&h)
			var group sync.WaitGroup
			for i := range 4 {
				group.Add(1)
				go func() {
					defer group.Done()

					for n := i; n < len(message); n += 500 {
						var y [16]byte
						k.Update(&y, message[:n])
						if y != want[n] {
							t.Errorf("%d bytes: got %x, want %x", n, y, want[n])
						}
					}
				}()
			}
			group.Wait()
		}
	})
}
