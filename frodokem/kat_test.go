package frodokem

import (
	"bytes"
	"compress/gzip"
	"crypto/aes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
)

// drbg is the generator of NIST's known answers: CTR_DRBG with AES-256 (SP 800-90A
// section 10.2.1) without a derivation function.
type drbg struct{ key, v []byte }

func newDRBG(seed []byte) *drbg {
	d := &drbg{make([]byte, 32), make([]byte, 16)}
	d.update(seed)
	return d
}

func (d *drbg) blocks(n int) []byte {
	c, err := aes.NewCipher(d.key)
	if err != nil {
		panic(err)
	}
	var out []byte
	for len(out) < n {
		for i := 15; i >= 0; i-- {
			if d.v[i]++; d.v[i] != 0 {
				break
			}
		}
		var b [16]byte
		c.Encrypt(b[:], d.v)
		out = append(out, b[:]...)
	}
	return out[:n]
}

func (d *drbg) update(seed []byte) {
	b := d.blocks(48)
	for i, x := range seed {
		b[i] ^= x
	}
	d.key, d.v = b[:32], b[32:]
}

func (d *drbg) draw(n int) []byte {
	out := d.blocks(n)
	d.update(nil)
	return out
}

// An answer is an entry of the known answers.
type answer struct{ public, private, ciphertext, sharedKey []byte }

// answerOf computes an entry with a driver and checks that decapsulation inverts it.
func answerOf(t *testing.T, d Driver, s Set, seed []byte) (a answer) {
	t.Helper()
	p := s.params()
	r := newDRBG(seed)
	dk, err := d.NewDecapsulationKey(s, r.draw(p.seed()))
	if err != nil {
		t.Fatal(err)
	}
	a = answer{dk.ek.Bytes(), dk.Bytes(), make([]byte, p.ciphertext()), make([]byte, p.shared)}
	encapsulateWith(&dk.ek, a.sharedKey, a.ciphertext, r.draw(p.shared+p.salt))
	k, err := dk.Decapsulate(a.ciphertext)
	if err != nil || !bytes.Equal(k, a.sharedKey) {
		t.Errorf("%v: decapsulation: %x, %v, want %x", s, k, err, a.sharedKey)
	}
	return a
}

// encapsulateWith is EncapsulateTo with mu and salt.
func encapsulateWith(ek *EncapsulationKey, sharedKey, ciphertext, random []byte) {
	b := newBatch(ek.set.params(), ek.row, false, make([]*operation, 1))
	copy(b.ops[0].random[:], random)
	b.encapsulate([]Encapsulation{{ek, sharedKey, ciphertext}})
}

// compact contains the data of frodo_kat_compact.txt for a set.
type compact struct {
	file    string              // SHA-256 of all 100 entries
	entries []map[string]string // the first of them: seed, SHA-256 of pk, sk and ct, ss
}

func readCompact(t *testing.T) map[Set]*compact {
	t.Helper()
	text, err := os.ReadFile("testdata/frodo_kat_compact.txt")
	if err != nil {
		t.Fatal(err)
	}
	answers := map[Set]*compact{}
	var c *compact
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if name, ok := strings.CutPrefix(line, "["); ok {
			c = new(compact)
			answers[parse(t, strings.TrimSuffix(name, "]"))] = c
			continue
		}
		name, value, ok := strings.Cut(line, " = ")
		switch {
		case !ok || strings.HasPrefix(line, "#"):
		case name == "file":
			c.file = value
		case name == "count":
			c.entries = append(c.entries, map[string]string{})
		default:
			c.entries[len(c.entries)-1][name] = value
		}
	}
	return answers
}

func parse(t *testing.T, name string) Set {
	t.Helper()
	s, err := ParseSet(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestKnownAnswers computes all 100 entries of the known answers of each set with the
// driver selected for this machine, and compares the text with the SHA-256 of the file.
// The other drivers compute the ten entries that have their own hashes. With -short,
// every driver computes only two of these for the sets 640, and one for other sets.
func TestKnownAnswers(t *testing.T) {
	answers := readCompact(t)
	if len(answers) != len(Sets()) {
		t.Fatalf("known answers of %d sets", len(answers))
	}
	eachDriver(t, func(t *testing.T, d Driver) {
		for s, c := range answers {
			t.Run(s.String(), func(t *testing.T) {
				entries := len(c.entries)
				switch {
				case testing.Short() && s.params().n > 640:
					entries = 1
				case testing.Short():
					entries = 2
				case d == automatic():
					checkFile(t, d, s, c)
					return
				}
				for _, e := range c.entries[:entries] {
					checkEntry(t, d, s, e)
				}
			})
		}
	})
}

func checkEntry(t *testing.T, d Driver, s Set, e map[string]string) {
	t.Helper()
	a := answerOf(t, d, s, unhex(t, e["seed"]))
	for what, b := range map[string][]byte{"pk": a.public, "sk": a.private, "ct": a.ciphertext} {
		if sum := sha256.Sum256(b); hex.EncodeToString(sum[:]) != e[what] {
			t.Errorf("wrong %s", what)
		}
	}
	if hex.EncodeToString(a.sharedKey) != e["ss"] {
		t.Error("wrong ss")
	}
}

func checkFile(t *testing.T, d Driver, s Set, c *compact) {
	t.Helper()
	if len(c.entries) != 10 {
		t.Fatalf("%d entries", len(c.entries))
	}
	for _, e := range c.entries[1:] {
		checkEntry(t, d, s, e)
	}
	entropy := make([]byte, 48)
	for i := range entropy {
		entropy[i] = byte(i)
	}
	seeds, file := newDRBG(entropy), sha256.New()
	for i := range 100 {
		seed := seeds.draw(48)
		a := answerOf(t, d, s, seed)
		entry := rsp(i, seed, a)
		if i > 0 {
			entry = "\n" + entry
		}
		io.WriteString(file, entry)
		if i == 0 && entry != firstEntry(t, s) {
			t.Error("entry 0 is not that of the file")
		}
	}
	if got := hex.EncodeToString(file.Sum(nil)); got != c.file {
		t.Errorf("SHA-256 of all entries: got %s, want %s", got, c.file)
	}
}

// rsp formats an entry of a file of known answers.
func rsp(count int, seed []byte, a answer) string {
	return fmt.Sprintf("count = %d\nseed = %X\npk = %X\nsk = %X\nct = %X\nss = %X\n",
		count, seed, a.public, a.private, a.ciphertext, a.sharedKey)
}

// firstEntry returns entry 0 of the file, in full.
func firstEntry(t *testing.T, s Set) string {
	t.Helper()
	f, err := os.Open("testdata/" + s.String() + ".count0.rsp.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// firstAnswer returns entry 0 as fields.
func firstAnswer(t *testing.T, s Set) (a answer, seed []byte) {
	t.Helper()
	for line := range strings.Lines(firstEntry(t, s)) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " = ")
		switch name {
		case "seed":
			seed = unhex(t, value)
		case "pk":
			a.public = unhex(t, value)
		case "sk":
			a.private = unhex(t, value)
		case "ct":
			a.ciphertext = unhex(t, value)
		case "ss":
			a.sharedKey = unhex(t, value)
		}
	}
	return a, seed
}

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
