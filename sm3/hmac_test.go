package sm3_test

import (
	"bytes"
	"crypto/hmac"
	"fmt"
	"hash"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/cipherlane/cipherlane/internal/conformance"
	"github.com/cipherlane/cipherlane/internal/guard"
	"github.com/cipherlane/cipherlane/internal/vectors"
	"github.com/cipherlane/cipherlane/sm3"
)

// specHMAC is RFC 2104, section 2.
type specHMAC struct {
	hash.Hash // the inner one
	outer     []byte
	inner     []byte
}

func newSpecHMAC(key []byte) hash.Hash {
	if len(key) > 64 {
		h := newSpec()
		h.Write(key)
		key = h.Sum(nil)
	}
	m := &specHMAC{Hash: newSpec(), inner: make([]byte, 64), outer: make([]byte, 64)}
	for i := range 64 {
		m.inner[i], m.outer[i] = 0x36, 0x5c
		if i < len(key) {
			m.inner[i] ^= key[i]
			m.outer[i] ^= key[i]
		}
	}
	m.Reset()
	return m
}

func (m *specHMAC) Reset() {
	m.Hash.Reset()
	m.Write(m.inner)
}

func (m *specHMAC) Sum(dst []byte) []byte {
	h := newSpec()
	h.Write(m.outer)
	h.Write(m.Hash.Sum(nil))
	return h.Sum(dst)
}

func numbers(from, to int) (p []byte) {
	for i := from; i <= to; i++ {
		p = append(p, byte(i))
	}
	return p
}

func hmacCase(newHMAC func(key []byte) *sm3.HMAC) conformance.MACCase {
	vector := func(key []byte, message, tag string) conformance.MACVector {
		return conformance.MACVector{Key: key, Message: []byte(message), Tag: decode(tag)}
	}
	const words = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"
	return conformance.MACCase{
		KeySize:   32,
		New:       func(key []byte) hash.Hash { return newHMAC(key) },
		Reference: newSpecHMAC,
		Vectors: []conformance.MACVector{ // GM/T 0042-2015, D.3
			vector(numbers(1, 32), words+words, "ca05e144ed05d1857840d1f318a4a8669e559fc8391f414485bfdf7bb408963a"),
			vector(numbers(1, 37), string(bytes.Repeat([]byte{0xcd}, 50)), "220bf579ded555393f0159f66c99877822a3ecf610d1552154b41d44b94db3ae"),
			vector(bytes.Repeat([]byte{0x0b}, 32), "Hi There", "c0ba18c68b90c88bc07de794bfc7d2c8d19ec31ed8773bc2b390c9604e0be11e"),
			vector([]byte("Jefe"), "what do ya want for nothing?", "2e87f1d16862e6d964b50a5200bf2b10b764faa9680a296a2405f24bec39f882"),
		},
	}
}

func TestHMAC(t *testing.T) {
	eachDriver(t, func(t *testing.T, d sm3.Driver) {
		conformance.MAC(t, hmacCase(d.NewHMAC))
		for n := range 150 { // shorter and longer than a block
			key := randomBytes(rand.New(rand.NewPCG(1, uint64(n))), n)
			h, want := d.NewHMAC(key), newSpecHMAC(key)
			h.Write([]byte("message"))
			want.Write([]byte("message"))
			if got, want := h.Sum(nil), want.Sum(nil); !bytes.Equal(got, want) {
				t.Errorf("key of %d bytes: %x, want %x", n, got, want)
			}
		}
	})
}

// macGroup is a test group of Wycheproof for MACs; TagSize is in bits.
type macGroup struct {
	TagSize int `json:"tagSize"`
	Tests   []struct {
		vectors.Test
		Key vectors.Bytes `json:"key"`
		Msg vectors.Bytes `json:"msg"`
		Tag vectors.Bytes `json:"tag"`
	} `json:"tests"`
}

// The 174 tests of Wycheproof, one after the other and side by side, and again with
// crypto/hmac, which marshals states.
func TestHMACWycheproof(t *testing.T) {
	groups := vectors.Wycheproof[macGroup](t, os.DirFS("testdata"), "wycheproof_hmac_sm3.json")
	eachDriver(t, func(t *testing.T, d sm3.Driver) {
		var messages []sm3.HMACMessage
		for _, g := range groups {
			for _, test := range g.Tests {
				messages = append(messages, sm3.HMACMessage{MAC: d.NewHMAC(test.Key), Data: test.Msg})
			}
		}
		d.HMACMany(messages)
		ran := map[vectors.Result]int{}
		for _, g := range groups {
			for _, test := range g.Tests {
				ran[test.Result]++
				sum := messages[0].Sum
				messages = messages[1:]
				for _, m := range []hash.Hash{d.NewHMAC(test.Key), hmac.New(d.New, test.Key)} {
					for range 2 { // the second time from the states that crypto/hmac has marshaled
						m.Reset()
						m.Write(test.Msg)
						if got := m.Sum(nil); !bytes.Equal(got, sum[:]) {
							t.Errorf("test %d (%s): HMACMany %x, %T %x", test.ID, test.Comment, sum, m, got)
						}
					}
				}
				if hmac.Equal(sum[:g.TagSize/8], test.Tag) != (test.Result == vectors.Valid) {
					t.Errorf("test %d (%s): tag %x, want %s with %x", test.ID, test.Comment, sum, test.Result, test.Tag)
				}
			}
		}
		if ran[vectors.Valid] != 66 || ran[vectors.Invalid] != 108 {
			t.Errorf("ran %v", ran)
		}
	})
}

// checkHMACMany compares HMACMany with want, which implements the standard or, where
// that is too slow, uses the portable driver.
func checkHMACMany(t *testing.T, what string, d sm3.Driver, macs []*sm3.HMAC, want func(i int, p []byte) [sm3.Size]byte, list [][]byte) {
	t.Helper()
	messages := make([]sm3.HMACMessage, len(list))
	for i, p := range list {
		messages[i] = sm3.HMACMessage{MAC: macs[i%len(macs)], Data: p}
		messages[i].Sum[0] = 0xa5
	}
	d.HMACMany(messages)
	for i := range messages {
		m := &messages[i]
		if want := want(i%len(macs), list[i]); m.Sum != want {
			t.Errorf("%s: message %d of %d, %d bytes: %x, want %x", what, i, len(list), len(list[i]), m.Sum, want)
		}
		if len(m.Data) != len(list[i]) || m.MAC != macs[i%len(macs)] {
			t.Errorf("%s: message %d is another one now", what, i)
		}
	}
}

func TestHMACMany(t *testing.T) {
	generic, err := sm3.On("generic")
	if err != nil {
		t.Fatal(err)
	}
	keys := [][]byte{[]byte("a key"), numbers(1, 64), numbers(1, 100), nil, numbers(9, 40)}
	portable := make([]*sm3.HMAC, len(keys))
	for i, key := range keys {
		portable[i] = generic.NewHMAC(key)
	}
	want := func(i int, p []byte) [sm3.Size]byte {
		portable[i].Reset()
		portable[i].Write(p)
		return [sm3.Size]byte(portable[i].Sum(nil))
	}
	eachDriver(t, func(t *testing.T, d sm3.Driver) {
		r := rand.New(rand.NewPCG(5, 6))
		own := make([]*sm3.HMAC, len(keys))
		for i, key := range keys {
			own[i] = d.NewHMAC(key)
			own[i].Write([]byte("what is under way does not matter"))
		}
		for count := 0; count < 71; count += 1 + count/18 {
			one, all := own[:1], own
			for _, n := range []int{0, 55, 56, 119, 120, 183, 184, 246, 247, 248, 700} {
				list := make([][]byte, count)
				for i := range list {
					list[i] = randomBytes(r, n)
				}
				checkHMACMany(t, fmt.Sprintf("one key, %d bytes each", n), d, one, want, list)
				checkHMACMany(t, fmt.Sprintf("%d bytes each", n), d, all, want, list)
			}
			for _, most := range []int{3, 100, 300, 2000} {
				list := make([][]byte, count)
				for i := range list {
					list[i] = randomBytes(r, r.IntN(most))
				}
				checkHMACMany(t, "unequal lengths", d, all, want, list)
			}
		}
		// The keys may be those of another driver.
		checkHMACMany(t, "another driver", d, portable, want, [][]byte{randomBytes(r, 100), nil, randomBytes(r, 9000), randomBytes(r, 70), randomBytes(r, 70000)})
		for _, count := range []int{1, 5, 16, 32} {
			for _, n := range []int{0, 1, 64, 247, 248, 320} {
				after, before := make([][]byte, count), make([][]byte, count)
				for i := range count {
					after[i], before[i] = guard.After(t, n), guard.Before(t, n)
				}
				checkHMACMany(t, "memory ends", d, own, want, after)
				checkHMACMany(t, "memory begins", d, own, want, before)
			}
		}
		for i, h := range own { // and is as it was
			if got, want := [sm3.Size]byte(h.Sum(nil)), want(i, []byte("what is under way does not matter")); got != want {
				t.Errorf("key %d afterwards: %x, want %x", i, got, want)
			}
		}

		messages := make([]sm3.HMACMessage, 40)
		for i := range messages {
			messages[i] = sm3.HMACMessage{MAC: own[0], Data: make([]byte, 100*i)}
		}
		conformance.NoAllocs(t, "HMACMany", func() { d.HMACMany(messages) })

		messages[39].MAC = d.NewHMAC(nil)
		messages[39].MAC.Wipe()
		for _, n := range []int{1, 40} {
			clear(messages[0].Sum[:])
			conformance.Refuses(t, messages[0].Sum[:], "HMACMany", func() { d.HMACMany(messages[40-n:]) })
		}
	})
}
