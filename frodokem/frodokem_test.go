package frodokem

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/internal/conformance"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/guard"
)

func eachDriver(t *testing.T, f func(t *testing.T, d Driver)) {
	t.Helper()
	conformance.EachDriver(t, "frodokem", func(t *testing.T, name string) {
		d, err := On(name)
		if err != nil {
			t.Fatal(err)
		}
		f(t, d)
	})
}

// random returns bytes that depend only on the seed.
func random(seed uint64, n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8), 1}).Read(b)
	return b
}

func newKey(t testing.TB, d Driver, s Set, seed uint64) *DecapsulationKey {
	t.Helper()
	dk, err := d.NewDecapsulationKey(s, random(seed, s.SeedSize()))
	if err != nil {
		t.Fatal(err)
	}
	return dk
}

// underRace reports whether the race detector is enabled.
var underRace bool

// someSets returns the sets for tests that are not about parameters; with -short, only small
// ones: one that generates A with AES, and one with SHAKE.
func someSets() []Set {
	if testing.Short() {
		return []Set{FrodoKEM640AES, EFrodoKEM640SHAKE}
	}
	return Sets()
}

// TestSpec compares every driver with the reference implementation, also for
// ciphertexts that are rejected.
func TestSpec(t *testing.T) {
	type example struct {
		set                    Set
		seed, randomness       []byte
		public, private        []byte
		sharedKey, ciphertext  []byte
		changed, refusal, zero []byte
	}
	var examples []example
	for i, s := range someSets() {
		p := newSpec(s)
		x := example{set: s, seed: random(uint64(100+i), s.SeedSize())}
		x.randomness = random(uint64(200+i), p.shared+p.salt)
		x.public, x.private = p.keys(x.seed)
		x.sharedKey, x.ciphertext = p.encapsulate(x.public, x.randomness[:8*p.b], x.randomness[8*p.b:])
		x.changed = bytes.Clone(x.ciphertext)
		x.changed[len(x.changed)/3] ^= 0x10
		x.refusal = p.decapsulate(x.private, x.changed)
		x.zero = p.decapsulate(x.private, make([]byte, len(x.changed)))
		if !bytes.Equal(x.refusal, p.shake(p.shared, x.changed, x.private[:p.shared])) {
			t.Fatalf("%v: the standard refuses with SHAKE(ct || s)", s)
		}
		examples = append(examples, x)
	}
	eachDriver(t, func(t *testing.T, d Driver) {
		for _, x := range examples {
			dk, err := d.NewDecapsulationKey(x.set, x.seed)
			if err != nil {
				t.Fatal(err)
			}
			equal(t, dk.ek.Bytes(), x.public, "%v: public key", x.set)
			equal(t, dk.Bytes(), x.private, "%v: private key", x.set)
			ss, ct := make([]byte, len(x.sharedKey)), make([]byte, len(x.ciphertext))
			encapsulateWith(&dk.ek, ss, ct, x.randomness)
			equal(t, ct, x.ciphertext, "%v: ciphertext", x.set)
			equal(t, ss, x.sharedKey, "%v: shared key", x.set)
			for _, c := range []struct{ ct, ss []byte }{
				{x.ciphertext, x.sharedKey}, {x.changed, x.refusal}, {make([]byte, len(ct)), x.zero},
			} {
				if err := dk.DecapsulateTo(ss, c.ct); err != nil {
					t.Fatal(err)
				}
				equal(t, ss, c.ss, "%v: decapsulation", x.set)
			}
		}
	})
}

func equal(t testing.TB, got, want []byte, format string, args ...any) {
	t.Helper()
	if !bytes.Equal(got, want) {
		i := 0
		for i < min(len(got), len(want)) && got[i] == want[i] {
			i++
		}
		what := fmt.Sprintf(format, args...)
		t.Fatalf("%s: %d bytes, want %d; wrong from byte %d on", what, len(got), len(want), i)
	}
}

// TestRejection changes bits of c1, c2 and the salt, and compares the results with those
// of another library.
func TestRejection(t *testing.T) {
	text, err := os.ReadFile("testdata/rejection.txt")
	if err != nil {
		t.Fatal(err)
	}
	eachDriver(t, func(t *testing.T, d Driver) {
		var dk *DecapsulationKey
		var valid answer
		n := 0
		for line := range strings.Lines(string(text)) {
			line = strings.TrimSuffix(line, "\n")
			if name, ok := strings.CutPrefix(line, "["); ok {
				s := parse(t, strings.TrimSuffix(name, "]"))
				valid, _ = firstAnswer(t, s)
				if dk, err = d.NewDecapsulationKey(s, valid.private); err != nil {
					t.Fatal(err)
				}
			}
			if testing.Short() && dk != nil && dk.Set().params().n > 640 {
				continue
			}
			var position, bit int
			var digits string
			if _, err := fmt.Sscanf(line, "byte %d bit %d: %s", &position, &bit, &digits); err != nil {
				continue
			}
			n++
			changed := bytes.Clone(valid.ciphertext)
			changed[position] ^= 1 << bit
			got, err := dk.Decapsulate(changed)
			if err != nil {
				t.Fatal(err)
			}
			equal(t, got, unhex(t, digits), "%v: byte %d bit %d", dk.Set(), position, bit)
			p := newSpec(dk.Set())
			want := p.shake(p.shared, changed, valid.private[:p.shared])
			equal(t, got, want, "%v: byte %d bit %d: SHAKE(ct || s)", dk.Set(), position, bit)
		}
		if want := 72; !testing.Short() && n != want {
			t.Errorf("%d rejections, want %d", n, want)
		}
	})
}

// TestKeys tests both forms of private keys, and keys that are refused.
func TestKeys(t *testing.T) {
	for _, s := range someSets() {
		dk := newKey(t, automatic(), s, 1)
		if dk.Set() != s || dk.EncapsulationKey().Set() != s {
			t.Errorf("%v: keys of %v and %v", s, dk.Set(), dk.EncapsulationKey().Set())
		}
		expanded, err := s.NewDecapsulationKey(dk.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		equal(t, expanded.Bytes(), dk.Bytes(), "%v: private key", s)
		equal(t, expanded.ek.Bytes(), dk.ek.Bytes(), "%v: public key", s)
		equal(t, dk.Seed(), random(1, s.SeedSize()), "%v: seeds", s)
		if expanded.Seed() != nil {
			t.Errorf("%v: has seeds that it cannot know", s)
		}
		ek, err := s.NewEncapsulationKey(dk.ek.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		ss, ct := ek.Encapsulate()
		got, err := expanded.Decapsulate(ct)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, got, ss, "%v: shared key", s)
		equal(t, expanded.EncapsulationKey().Bytes(), ek.Bytes(), "%v: public key", s)
		if len(ss) != s.SharedKeySize() || len(ct) != s.CiphertextSize() ||
			len(ek.Bytes()) != s.EncapsulationKeySize() ||
			len(dk.Bytes()) != s.DecapsulationKeySize() || len(dk.Seed()) != s.SeedSize() {
			t.Errorf("%v: sizes are not those that the set says", s)
		}

		inconsistent := dk.Bytes()
		inconsistent[s.SharedKeySize()+100] ^= 1 // in the public key
		_, err = s.NewDecapsulationKey(inconsistent)
		if err == nil || !strings.Contains(err.Error(), "inconsistent") {
			t.Errorf("%v: a public key with another hash: %v", s, err)
		}
		inconsistent = dk.Bytes()
		inconsistent[len(inconsistent)-1] ^= 1 // in its hash
		if _, err := s.NewDecapsulationKey(inconsistent); err == nil {
			t.Errorf("%v: another hash is taken", s)
		}
		// Every entry of S, at the edges of the range of the noise, mod q and mod 2^16.
		start, largest := s.SharedKeySize()+s.EncapsulationKeySize(), len(s.params().cdf)
		for i := start; i < s.DecapsulationKeySize()-s.SharedKeySize(); i += 2 * 777 {
			for _, x := range []int{
				-largest - 1, -largest, largest, largest + 1, 1 << 14, 1<<15 - 1, -1 << 14,
			} {
				key := dk.Bytes()
				binary.LittleEndian.PutUint16(key[i:], uint16(x))
				q := 1 << s.params().d
				ok := (x+largest+q)%q <= 2*largest
				if _, err := s.NewDecapsulationKey(key); (err == nil) != ok {
					t.Errorf("with %d in S: %v", x, err)
				}
			}
		}
		for _, n := range []int{
			0, 1, s.SeedSize() - 1, s.SeedSize() + 1, len(dk.Bytes()) - 1, len(dk.Bytes()) + 1,
		} {
			if k, err := s.NewDecapsulationKey(make([]byte, n)); err == nil || k != nil {
				t.Errorf("%v: takes a private key of %d bytes", s, n)
			}
		}
		for _, n := range []int{0, 1, s.EncapsulationKeySize() - 1, s.EncapsulationKeySize() + 1} {
			if k, err := s.NewEncapsulationKey(make([]byte, n)); err == nil || k != nil {
				t.Errorf("%v: takes a public key of %d bytes", s, n)
			}
		}
		dk.Wipe()
		if slices.ContainsFunc(dk.st, func(x uint16) bool { return x != 0 }) ||
			dk.reject != [maxShared]byte{} || dk.Bytes() != nil || dk.Seed() != nil {
			t.Errorf("%v: a wiped key is still there", s)
		}
	}
}

// TestWrongSet checks that errors name the requested set and the set that uses the given
// size.
func TestWrongSet(t *testing.T) {
	public := func(s Set, b []byte) error { _, err := s.NewEncapsulationKey(b); return err }
	private := func(s Set, b []byte) error { _, err := s.NewDecapsulationKey(b); return err }
	decapsulate := func(s Set, b []byte) error {
		_, err := newKey(t, automatic(), s, 1).Decapsulate(b)
		return err
	}
	for _, c := range []struct {
		set  Set
		size int
		want string
		try  func(s Set, b []byte) error
	}{
		{FrodoKEM976AES, FrodoKEM640AES.EncapsulationKeySize(),
			"frodokem: public key of 9616 bytes for FrodoKEM-976-AES, want 15632 " +
				"(this is the size for FrodoKEM-640-AES)", public},
		{EFrodoKEM640SHAKE, EFrodoKEM1344SHAKE.DecapsulationKeySize(),
			"frodokem: private key of 43088 bytes for eFrodoKEM-640-SHAKE, want 19888 or 48 " +
				"(this is the size for eFrodoKEM-1344-SHAKE)", private},
		{FrodoKEM640AES, EFrodoKEM640AES.CiphertextSize(),
			"frodokem: ciphertext of 9720 bytes for FrodoKEM-640-AES, want 9752 " +
				"(this is the size for eFrodoKEM-640-AES)", decapsulate},
		{FrodoKEM640AES, FrodoKEM1344AES.CiphertextSize(),
			"frodokem: ciphertext of 21696 bytes for FrodoKEM-640-AES, want 9752 " +
				"(this is the size for FrodoKEM-1344-AES)", decapsulate},
		{FrodoKEM640AES, 7,
			"frodokem: ciphertext of 7 bytes for FrodoKEM-640-AES, want 9752", decapsulate},
	} {
		if err := c.try(c.set, make([]byte, c.size)); err == nil || err.Error() != c.want {
			t.Errorf("got %v\nwant %s", err, c.want)
		}
	}
}

func TestSets(t *testing.T) {
	if len(Sets()) != 12 {
		t.Errorf("%d sets", len(Sets()))
	}
	for _, s := range Sets() {
		name := s.String()
		for _, name := range []string{name, strings.ToLower(name), strings.ToUpper(name)} {
			if got := parse(t, name); got != s {
				t.Errorf("%s is read as %v", name, got)
			}
		}
		if s.Ephemeral() != strings.HasPrefix(s.String(), "e") {
			t.Errorf("%v: ephemeral %v", s, s.Ephemeral())
		}
	}
	for _, name := range []string{"", "FrodoKEM-640", "frodokem-640", "FrodoKEM-640-AES "} {
		if s, err := ParseSet(name); err == nil {
			t.Errorf("%q is %v", name, s)
		}
	}
	for _, s := range []Set{0, 13, 255} {
		if s.String() != fmt.Sprintf("Set(%d)", uint8(s)) {
			t.Errorf("set %d is called %v", uint8(s), s)
		}
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("set %d has a size", uint8(s))
				}
			}()
			s.CiphertextSize()
		}()
	}
	if _, err := On("none"); !errors.Is(err, drivers.ErrUnknown) {
		t.Errorf("driver none: %v", err)
	}
}

// TestMany tests batches of several sets and drivers.
func TestMany(t *testing.T) {
	eachDriver(t, func(t *testing.T, d Driver) {
		sets := []Set{FrodoKEM640AES, EFrodoKEM640SHAKE}
		if !testing.Short() {
			sets = append(sets, FrodoKEM976SHAKE, EFrodoKEM1344AES)
		}
		var keys []*DecapsulationKey
		for i, s := range sets {
			keys = append(keys, newKey(t, d, s, uint64(2*i)), newKey(t, d, s, uint64(2*i+1)))
		}
		generic, err := On("generic")
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, newKey(t, generic, sets[0], 0))
		numbers := []int{2, 9, 17, 40}
		if testing.Short() {
			numbers = []int{9}
		}
		for name, pick := range map[string]func(i int) *DecapsulationKey{
			"in turns":   func(i int) *DecapsulationKey { return keys[i%len(keys)] },
			"everything": func(i int) *DecapsulationKey { return keys[i/3%len(keys)] },
		} {
			for _, n := range numbers {
				checkMany(t, name, n, pick)
			}
		}
	})
}

// TestManyForOne tests a few messages for one key. Keys are random, so that memory from
// the pool contains no part of their A yet.
func TestManyForOne(t *testing.T) {
	eachDriver(t, func(t *testing.T, d Driver) {
		for _, s := range []Set{FrodoKEM640AES, FrodoKEM640SHAKE} {
			for n := 2; n <= 4; n++ {
				dk, err := d.GenerateKey(s)
				if err != nil {
					t.Fatal(err)
				}
				checkMany(t, "one key", n, func(int) *DecapsulationKey { return dk })
			}
		}
	})
}

func checkMany(t *testing.T, name string, n int, pick func(i int) *DecapsulationKey) {
	t.Helper()
	enc, dec := make([]Encapsulation, n), make([]Decapsulation, n)
	for i := range enc {
		dk := pick(i)
		s := dk.Set()
		enc[i] = Encapsulation{&dk.ek, make([]byte, s.SharedKeySize()), make([]byte, s.CiphertextSize())}
	}
	if err := EncapsulateMany(enc); err != nil {
		t.Fatal(err)
	}
	for i := range dec {
		dk := pick(i)
		ct := enc[i].Ciphertext
		if i%3 == 2 {
			ct = bytes.Clone(ct)
			ct[i] ^= 1
		}
		dec[i] = Decapsulation{dk, ct, make([]byte, dk.Set().SharedKeySize())}
		want, err := dk.Decapsulate(ct)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Equal(want, enc[i].SharedKey) != (i%3 != 2) {
			t.Fatalf("%s: encapsulation %d of %d (%v) is wrong", name, i, n, dk.Set())
		}
		if i > 0 && bytes.Equal(enc[i].SharedKey, enc[i-1].SharedKey) {
			t.Fatalf("%s: encapsulations %d and %d of %d have the same key", name, i-1, i, n)
		}
	}
	if err := DecapsulateMany(dec); err != nil {
		t.Fatal(err)
	}
	for i, d := range dec {
		want, err := d.Key.Decapsulate(d.Ciphertext)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, d.SharedKey, want, "%s: decapsulation %d of %d (%v)", name, i, n, d.Key.Set())
	}
}

// TestManyRefuses checks that the error names the entry of a list that is wrong.
func TestManyRefuses(t *testing.T) {
	dk := newKey(t, automatic(), FrodoKEM640AES, 1)
	s := dk.Set()
	enc, dec := make([]Encapsulation, 3), make([]Decapsulation, 3)
	for i := range enc {
		ss, ct := make([]byte, s.SharedKeySize()), make([]byte, s.CiphertextSize())
		enc[i], dec[i] = Encapsulation{&dk.ek, ss, ct}, Decapsulation{dk, ct, ss}
	}
	enc[1].Ciphertext, dec[1].Ciphertext = enc[1].Ciphertext[1:], dec[1].Ciphertext[1:]
	const want = "in number 1 of the list"
	if err := EncapsulateMany(enc); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("EncapsulateMany: %v", err)
	}
	if err := DecapsulateMany(dec); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("DecapsulateMany: %v", err)
	}
}

// TestAllocations tests batches; the suite tests single operations, through interfaces.
func TestAllocations(t *testing.T) {
	eachDriver(t, func(t *testing.T, d Driver) {
		dk := newKey(t, d, FrodoKEM640AES, 1)
		var enc [2]Encapsulation
		var dec [2]Decapsulation
		for i := range enc {
			ss, ct := make([]byte, dk.Set().SharedKeySize()), make([]byte, dk.Set().CiphertextSize())
			enc[i], dec[i] = Encapsulation{&dk.ek, ss, ct}, Decapsulation{dk, ct, ss}
		}
		conformance.NoAllocs(t, "EncapsulateMany", func() { EncapsulateMany(enc[:]) })
		conformance.NoAllocs(t, "DecapsulateMany", func() { DecapsulateMany(dec[:]) })
	})
}

// TestGuards places all buffers that callers pass at the edge of inaccessible memory, and
// compares the results with those for ordinary memory.
func TestGuards(t *testing.T) {
	sets, entries := someSets(), lanes
	if testing.Short() {
		sets, entries = append(sets, FrodoKEM976AES), 3 // n is not a multiple of 32
	}
	if underRace { // it sees nothing of kernels, and the rest is the same for all
		sets = sets[:1]
	}
	eachDriver(t, func(t *testing.T, d Driver) {
		for _, s := range sets {
			for name, memory := range map[string]func(testing.TB, int) []byte{
				"in front": guard.Before, "behind": guard.After,
			} {
				guarded := func(b []byte) []byte {
					m := memory(t, len(b))
					copy(m, b)
					return m
				}
				check := func(what string, f func() error) {
					t.Helper()
					var err error
					if guard.Faults(func() { err = f() }) {
						t.Fatalf("%v: %s touches memory %s of its buffers", s, what, name)
					}
					if err != nil {
						t.Fatalf("%v: %s: %v", s, what, err)
					}
				}
				want := newKey(t, d, s, 1)
				var dk *DecapsulationKey
				for _, key := range [][]byte{random(1, s.SeedSize()), want.Bytes()} {
					key = guarded(key)
					check("a private key", func() (err error) { dk, err = d.NewDecapsulationKey(s, key); return })
					equal(t, dk.Bytes(), want.Bytes(), "%v: private key", s)
				}
				var ek *EncapsulationKey
				public := guarded(want.ek.Bytes())
				check("a public key", func() (err error) { ek, err = d.NewEncapsulationKey(s, public); return })
				for _, n := range []int{1, entries} {
					enc, dec := make([]Encapsulation, n), make([]Decapsulation, n)
					for i := range enc {
						enc[i] = Encapsulation{ek, memory(t, s.SharedKeySize()), memory(t, s.CiphertextSize())}
						dec[i] = Decapsulation{dk, enc[i].Ciphertext, memory(t, s.SharedKeySize())}
					}
					check("encapsulation", func() error { return EncapsulateMany(enc) })
					check("decapsulation", func() error { return DecapsulateMany(dec) })
					for i := range enc {
						equal(t, dec[i].SharedKey, enc[i].SharedKey, "%v: shared key", s)
						plain, err := want.Decapsulate(bytes.Clone(enc[i].Ciphertext))
						if err != nil {
							t.Fatal(err)
						}
						equal(t, plain, enc[i].SharedKey, "%v: shared key", s)
					}
				}
			}
		}
	})
}

func TestFIPSOnly(t *testing.T) {
	conformance.FIPSOnly(t, func(t *testing.T) {
		public := make([]byte, FrodoKEM640AES.EncapsulationKeySize())
		if _, err := FrodoKEM640AES.NewEncapsulationKey(public); err == nil {
			t.Error("a public key is taken")
		}
		if _, err := FrodoKEM640AES.GenerateKey(); err == nil {
			t.Error("a key is made")
		}
	})
}
