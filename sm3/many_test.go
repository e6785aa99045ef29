package sm3_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cipherlane/cipherlane/internal/conformance"
	"github.com/cipherlane/cipherlane/internal/guard"
	"github.com/cipherlane/cipherlane/sm3"
)

// checkMany compares SumMany with the digests of the portable driver, and checks that
// it changes nothing else.
func checkMany(t *testing.T, what string, d sm3.Driver, list [][]byte) {
	t.Helper()
	generic, err := sm3.On("generic")
	if err != nil {
		t.Fatal(err)
	}
	messages := make([]sm3.Message, len(list))
	want := make([][sm3.Size]byte, len(list))
	for i, p := range list {
		messages[i].Data = p
		messages[i].Sum[0] = 0xa5
		want[i] = generic.Sum(p)
	}
	d.SumMany(messages)
	for i := range messages {
		if m := &messages[i]; m.Sum != want[i] {
			t.Errorf("%s: message %d of %d, %d bytes: %x, want %x", what, i, len(list), len(list[i]), m.Sum, want[i])
		}
		if len(messages[i].Data) != len(list[i]) {
			t.Errorf("%s: message %d is another one now", what, i)
		}
	}
}

func randomBytes(r *rand.Rand, n int) []byte {
	p := make([]byte, n)
	for i := range p {
		p[i] = byte(r.Uint32())
	}
	return p
}

func TestSumMany(t *testing.T) {
	eachDriver(t, func(t *testing.T, d sm3.Driver) {
		r := rand.New(rand.NewPCG(1, 2))
		for count := range 71 {
			for _, n := range []int{0, 1, 55, 56, 63, 64, 119, 120, 246, 247, 248, 255, 256, 257, 700} {
				list := make([][]byte, count)
				for i := range list {
					list[i] = randomBytes(r, n)
				}
				checkMany(t, fmt.Sprintf("%d bytes each", n), d, list)
			}
			for _, most := range []int{3, 100, 300, 2000} {
				list := make([][]byte, count)
				for i := range list {
					list[i] = randomBytes(r, r.IntN(most))
				}
				checkMany(t, "unequal lengths", d, list)
			}
		}
	})
}

// Messages that need several calls of a kernel, one of them far longer than the others.
func TestSumManyLong(t *testing.T) {
	eachDriver(t, func(t *testing.T, d sm3.Driver) {
		r := rand.New(rand.NewPCG(3, 4))
		for _, count := range []int{2, 3, 4, 8, 9, 16, 17, 33} {
			list := make([][]byte, count)
			for i := range list {
				list[i] = randomBytes(r, 9000+r.IntN(3)*64)
			}
			list[count/2] = randomBytes(r, 70000)
			checkMany(t, "long", d, list)
		}
	})
}

// Every message ends at an inaccessible page, and in a second run begins after one.
func TestSumManyGuarded(t *testing.T) {
	eachDriver(t, func(t *testing.T, d sm3.Driver) {
		for _, count := range []int{1, 2, 5, 8, 13, 16, 25, 32} {
			for _, n := range []int{0, 1, 64, 247, 248, 256, 320} {
				after, before := make([][]byte, count), make([][]byte, count)
				for i := range count {
					after[i], before[i] = guard.After(t, n), guard.Before(t, n)
					for k := range n {
						after[i][k] = byte(i + k)
						before[i][k] = byte(i - k)
					}
				}
				checkMany(t, "memory ends", d, after)
				checkMany(t, "memory begins", d, before)
			}
		}
	})
}

func TestManyAllocations(t *testing.T) {
	eachDriver(t, func(t *testing.T, d sm3.Driver) {
		messages := make([]sm3.Message, 40)
		for i := range messages {
			messages[i].Data = make([]byte, 100*i)
		}
		key, z := make([]byte, 5000), make([]byte, 100)
		conformance.NoAllocs(t, "SumMany", func() { d.SumMany(messages) })
		conformance.NoAllocs(t, "KDF", func() { d.KDF(key, z) })
	})
}

// specKDF is GB/T 32918.4-2016, section 5.4.3.
func specKDF(n int, z []byte) (key []byte) {
	for ct := uint32(1); len(key) < n; ct++ {
		h := newSpec()
		h.Write(z)
		h.Write(binary.BigEndian.AppendUint32(nil, ct))
		key = h.Sum(key)
	}
	return key[:n]
}

func TestKDF(t *testing.T) {
	eachDriver(t, func(t *testing.T, d sm3.Driver) {
		check := func(n, length int) {
			z, key := guard.After(t, length), guard.After(t, n)
			for i := range z {
				z[i] = byte(i*7 + n)
			}
			d.KDF(key, z)
			if want := specKDF(n, z); string(key) != string(want) {
				t.Errorf("%d bytes from %d: %x, want %x", n, length, key, want)
			}
		}
		for length := range 130 {
			check(77, length)
			check(200, length)
		}
		for n := range 70 {
			check(32*n, 64)
			check(32*n+1, 60)
			check(32*n+31, 51)
		}
		check(5000, 64)

		// Longer keys compared with the portable driver, with the counter at all
		// positions in a block and with many of its bits set.
		generic, err := sm3.On("generic")
		if err != nil {
			t.Fatal(err)
		}
		same := func(n, length int) {
			z := make([]byte, length)
			for i := range z {
				z[i] = byte(i*5 + n)
			}
			key, want := guard.After(t, n), make([]byte, n)
			d.KDF(key, z)
			generic.KDF(want, z)
			if !bytes.Equal(key, want) {
				t.Errorf("%d bytes from %d: not those of the portable driver", n, length)
			}
		}
		for length := range 130 {
			same(3000+17*length, length)
		}
		for n := range 140 {
			same(16*n, 20)
		}
		same(1<<20+100, 64)

		// GB/T 32918.5-2017, C.2.
		shared, _ := hex.DecodeString("64d20d27d0632957f8028c1e024f6b02edf23102a566c932ae8bd613a8e865fe" +
			"58d225eca784ae300a81a2d48281a828e1cedf11c4219099840265375077bf78")
		key := make([]byte, 19)
		d.KDF(key, shared)
		if got, want := hex.EncodeToString(key), "006e30dae231b071dfad8aa379e90264491603"; got != want {
			t.Errorf("known answer: %s, want %s", got, want)
		}

		z := make([]byte, 200)
		want := specKDF(200, z)
		d.KDF(z, z)
		if string(z) != string(want) {
			t.Errorf("in place: %x, want %x", z, want)
		}
	})
}
