//go:build go1.25

// The hashes of the standard library, of which these tests make faulty ones, cannot be cloned
// before Go 1.25.

package conformance

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"hash"
	"slices"
	"testing"
	"testing/fstest"
)

func newHMAC(key []byte) hash.Hash {
	return mortalMAC{hmac.New(sha256.New, key).(hash.Cloner), new(mortal)}
}

var hmacCase = MACCase{
	KeySize:   20,
	New:       newHMAC,
	Reference: newHMAC,
	Vectors: []MACVector{ // RFC 4231, section 4.2
		{bytes.Repeat([]byte{0x0b}, 20), []byte("Hi There"), unhex("b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7")},
	},
}

func TestMAC(t *testing.T) { MAC(t, hmacCase) }

// A brokenMAC is HMAC with hooks that can replace its methods.
type brokenMAC struct {
	hash.Cloner
	key []byte // the caller's
	n   int    // bytes written
	bad bool   // Sum lies

	write     func(m *brokenMAC, p []byte) (int, error)
	sum       func(m *brokenMAC, dst []byte) []byte
	reset     func(m *brokenMAC)
	clone     func(m *brokenMAC) (hash.Cloner, error)
	blockSize int
}

func newBrokenMAC(key []byte) *brokenMAC {
	return &brokenMAC{Cloner: newHMAC(key).(hash.Cloner), key: key}
}

func (m *brokenMAC) Write(p []byte) (int, error) {
	defer func() { m.n += len(p) }()
	if m.write != nil {
		return m.write(m, p)
	}
	return m.Cloner.Write(p)
}

func (m *brokenMAC) Sum(dst []byte) []byte {
	if m.sum != nil {
		return m.sum(m, dst)
	}
	n := len(dst)
	dst = m.Cloner.Sum(dst)
	if m.bad {
		dst[n] ^= 1
	}
	return dst
}

func (m *brokenMAC) Reset() {
	if m.reset != nil {
		m.reset(m)
	} else {
		m.Cloner.Reset()
	}
	m.n, m.bad = 0, false
}

func (m *brokenMAC) BlockSize() int {
	if m.blockSize != 0 {
		return m.blockSize
	}
	return m.Cloner.BlockSize()
}

func (m *brokenMAC) Clone() (hash.Cloner, error) {
	if m.clone != nil {
		return m.clone(m)
	}
	inner, err := m.Cloner.Clone()
	g := *m
	g.Cloner = inner
	return &g, err
}

func TestMACMutants(t *testing.T) {
	var list []mutant
	addNew := func(name, check string, create func(key []byte) hash.Hash) {
		c := hmacCase
		c.New = create
		list = append(list, mutant{name, check, c.checks()})
	}
	add := func(name, check string, change func(m *brokenMAC)) {
		addNew(name, check, func(key []byte) hash.Hash {
			m := newBrokenMAC(key)
			change(m)
			return m
		})
	}
	onWrite := func(name, check string, spoils func(m *brokenMAC, p []byte) bool) {
		add(name, check, func(m *brokenMAC) {
			m.write = func(m *brokenMAC, p []byte) (int, error) {
				m.bad = spoils(m, p) || m.bad
				return m.Cloner.Write(p)
			}
		})
	}

	addNew("goes on after Wipe", "Wiped", func(key []byte) hash.Hash {
		return struct {
			hash.Cloner
			immortal
		}{Cloner: newHMAC(key).(hash.Cloner)}
	})
	addNew("its clones go on after Wipe", "Wiped", func(key []byte) hash.Hash {
		m := newBrokenMAC(key)
		wiper := m.Cloner.(Wiper)
		m.clone = func(m *brokenMAC) (hash.Cloner, error) { return newHMAC(m.key).(hash.Cloner), nil }
		return struct {
			*brokenMAC
			Wiper
		}{m, wiper}
	})
	c := hmacCase
	c.Vectors = nil
	list = append(list, mutant{"no vectors", "Vectors", c.checks()})
	onWrite("wrong", "Vectors", func(*brokenMAC, []byte) bool { return true })
	addNew("drops a carry", "Keys", func(key []byte) hash.Hash {
		m := newBrokenMAC(key)
		bad := key[0] >= 0x80 && key[1] >= 0x80
		m.write = func(m *brokenMAC, p []byte) (int, error) {
			m.bad = bad
			return m.Cloner.Write(p)
		}
		return m
	})
	addNew("changes the key", "Keys", func(key []byte) hash.Hash {
		m := newHMAC(key)
		key[len(key)-1] ^= 1
		return m
	})
	add("keeps the caller's key", "Keys", func(m *brokenMAC) {
		m.reset = func(m *brokenMAC) { m.Cloner = newHMAC(m.key).(hash.Cloner) }
	})
	addNew("no Clone", "Clone", func(key []byte) hash.Hash { return struct{ hash.Hash }{newHMAC(key)} })
	add("clones itself into itself", "Clone", func(m *brokenMAC) {
		m.clone = func(m *brokenMAC) (hash.Cloner, error) { return m, nil }
	})
	add("forgets the last byte of its buffer", "Clone", func(m *brokenMAC) {
		m.clone = func(m *brokenMAC) (hash.Cloner, error) {
			inner, err := m.Cloner.Clone()
			g := *m
			g.Cloner = inner
			g.bad = m.n%64 == 63
			return &g, err
		}
	})
	add("clones without the key", "Clone", func(m *brokenMAC) {
		m.clone = func(m *brokenMAC) (hash.Cloner, error) {
			inner, err := m.Cloner.Clone()
			g := *m
			g.Cloner = inner
			g.reset = func(g *brokenMAC) { g.Cloner = newHMAC(nil).(hash.Cloner) }
			return &g, err
		}
	})
	add("shares its scratch with its clones", "Shared", func(m *brokenMAC) {
		m.write = func(m *brokenMAC, p []byte) (int, error) {
			m.bad = crowded() || m.bad
			return m.Cloner.Write(p)
		}
	})
	add("another block size", "Sizes", func(m *brokenMAC) { m.blockSize = 16 })
	onWrite("wrong at 4095 bytes", "Lengths", func(_ *brokenMAC, p []byte) bool { return len(p) == 4095 })
	onWrite("wrong when a second write fills a block", "Splits", func(m *brokenMAC, p []byte) bool {
		return m.n%64 != 0 && (m.n+len(p))%64 == 0
	})
	add("pads its own state", "Sum", func(m *brokenMAC) {
		m.sum = func(m *brokenMAC, dst []byte) []byte {
			dst = m.Cloner.Sum(dst)
			m.Cloner.Write([]byte{0x80})
			return dst
		}
	})
	add("resets only after a block", "Reset", func(m *brokenMAC) {
		m.reset = func(m *brokenMAC) {
			if m.n >= 64 {
				m.Cloner.Reset()
			}
		}
	})
	add("swaps bytes in place", "Inputs", func(m *brokenMAC) {
		m.write = func(m *brokenMAC, p []byte) (int, error) {
			n, err := m.Cloner.Write(p)
			flip(p, p, true)
			return n, err
		}
	})
	onWrite("wrong for some addresses", "Misaligned", func(_ *brokenMAC, p []byte) bool { return offset(p) == 37 })
	onWrite("reads behind its input", "Guards", func(_ *brokenMAC, p []byte) bool { peek(p, len(p)); return false })
	add("writes behind its tag", "Guards", func(m *brokenMAC) {
		m.sum = func(m *brokenMAC, dst []byte) []byte {
			dst = m.Cloner.Sum(dst)
			touch(dst, len(dst))
			return dst
		}
	})
	onWrite("wrong beyond 64 KiB", "Long", func(_ *brokenMAC, p []byte) bool { return len(p) > 64<<10 })
	var one *brokenMAC
	addNew("is one object for all", "Independent", func(key []byte) hash.Hash {
		if one == nil {
			one = newBrokenMAC(key)
		}
		return one
	})
	onWrite("shares its scratch with other goroutines", "Concurrent", func(*brokenMAC, []byte) bool { return crowded() })
	onWrite("allocates in Write", "Allocations", func(*brokenMAC, []byte) bool { allocate(); return false })
	add("allocates in Sum", "Allocations", func(m *brokenMAC) {
		m.sum = func(m *brokenMAC, dst []byte) []byte { allocate(); return m.Cloner.Sum(dst) }
	})
	kill(t, hmacCase.checks(), list)
}

func TestWycheproofMAC(t *testing.T) {
	type object = map[string]any
	key := bytes.Repeat([]byte{7}, hmacCase.KeySize)
	file := func(keySize int, result string, spoil byte) fstest.MapFS {
		var tests []object
		for i, text := range []string{"", "a message", "one more message"} {
			h := newHMAC(key)
			h.Write([]byte(text))
			tag := h.Sum(nil)[:16]
			wrong := slices.Clone(tag)
			wrong[0] ^= spoil
			for j, tag := range [][]byte{tag, wrong} {
				tests = append(tests, object{"tcId": 2*i + j, "key": fmt.Sprintf("%x", key), "msg": fmt.Sprintf("%x", text),
					"tag": fmt.Sprintf("%x", tag), "result": []string{"valid", result}[j]})
			}
		}
		other := object{"keySize": 8, "tagSize": 128, "tests": []object{{"tcId": 99, "key": "00", "result": "invalid"}}}
		text, err := json.Marshal(object{"testGroups": []object{{"keySize": keySize, "tagSize": 128, "tests": tests}, other}})
		if err != nil {
			t.Fatal(err)
		}
		return fstest.MapFS{"mac.json": {Data: text}}
	}
	wrong := hmacCase
	wrong.New = func([]byte) hash.Hash { return newHMAC(nil) }
	for _, c := range []struct {
		name   string
		c      MACCase
		fsys   fstest.MapFS
		passes bool
	}{
		{"a right one", hmacCase, file(160, "invalid", 1), true},
		{"a wrong one", wrong, file(160, "invalid", 1), false},
		{"an invalid test with the right tag", hmacCase, file(160, "invalid", 0), false},
		{"an unknown result", hmacCase, file(160, "good", 0), false},
		{"nothing for this key size", hmacCase, file(256, "invalid", 1), false},
	} {
		said := verdict(t, check{c.name, func(t testing.TB) { c.c.wycheproof(t, c.fsys, "mac.json") }})
		if passes := said == ""; passes != c.passes {
			t.Errorf("%s: passes %v: %s", c.name, passes, said)
		}
	}
}
