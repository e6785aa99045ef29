package recipients

import (
	"bytes"
	"crypto/ecdh"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"filippo.io/age"
	"filippo.io/age/armor"

	"github.com/cipherlane/cipherlane/chacha20poly1305"
	"github.com/cipherlane/cipherlane/frodokem"
	"github.com/cipherlane/cipherlane/sm2"
)

var update = flag.Bool("update", false, "make new test vectors")

// identities returns an identity of every kind.
func identities(t *testing.T) map[string]Identity {
	t.Helper()
	key, err := sm2.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]Identity{"sm2": NewSM2Identity(key)}
	for _, set := range frodoSets {
		i, err := GenerateFrodoKEM(set)
		if err != nil {
			t.Fatal(err)
		}
		all[strings.ToLower(strings.TrimSuffix(set.String(), "-AES"))] = i
	}
	return all
}

// spec unwraps a stanza as docs/age-recipients.md says it. It also returns the values in
// between, by their names in the vectors.
func spec(t *testing.T, identity string, s *age.Stanza) (fileKey []byte, values map[string][]byte) {
	t.Helper()
	data := bech32Bytes(t, identity)
	values = map[string][]byte{}
	if s.Type == "github.com/cipherlane/sm2" {
		key, err := sm2.NewPrivateKey(data)
		if err != nil {
			t.Fatal(err)
		}
		c1, err := sm2.NewPublicKey(s.Body[:65])
		if err != nil {
			t.Fatal(err)
		}
		x, err := key.ECDH(c1)
		if err != nil {
			t.Fatal(err)
		}
		values["shared point x"] = x
		if fileKey, err = key.Decrypt(nil, s.Body, sm2.C1C3C2); err != nil {
			t.Fatal(err)
		}
		return fileKey, values
	}
	name := "FrodoKEM-976-AES"
	if data[0] == 2 {
		name = "FrodoKEM-1344-AES"
	}
	if !slices.Equal(s.Args, []string{name}) || s.Type != "github.com/cipherlane/frodokem" {
		t.Fatalf("type %q, arguments %q", s.Type, s.Args)
	}
	set, _ := frodokem.ParseSet(name)
	secrets, _ := hkdf.Key(sha256.New, data[1:], nil, "github.com/cipherlane/frodokem identity "+name, set.SeedSize()+32)
	dk, err := set.NewDecapsulationKey(secrets[:set.SeedSize()])
	if err != nil {
		t.Fatal(err)
	}
	x, _ := ecdh.X25519().NewPrivateKey(secrets[set.SeedSize():])
	at := set.CiphertextSize()
	ct, epk, sealed := s.Body[:at], s.Body[at:at+32], s.Body[at+32:]
	frodo, err := dk.Decapsulate(ct)
	if err != nil {
		t.Fatal(err)
	}
	peer, _ := ecdh.X25519().NewPublicKey(epk)
	x25519, _ := x.ECDH(peer)
	salt := slices.Concat(ct, epk, dk.EncapsulationKey().Bytes(), x.PublicKey().Bytes())
	key, _ := hkdf.Key(sha256.New, slices.Concat(frodo, x25519), salt, "github.com/cipherlane/frodokem wrap "+name, 32)
	aead, _ := chacha20poly1305.New(key)
	fileKey, err = aead.Open(nil, make([]byte, 12), sealed, nil)
	if err != nil {
		t.Fatal(err)
	}
	values["frodokem secret"], values["x25519 secret"], values["wrapping key"] = frodo, x25519, key
	return fileKey, values
}

// bech32Bytes decodes the data part of a bech32 string, without checking it.
func bech32Bytes(t *testing.T, s string) (data []byte) {
	t.Helper()
	s = strings.ToLower(s)
	s = s[strings.LastIndex(s, "1")+1 : len(s)-6]
	bits, n := 0, 0
	for _, c := range s {
		bits, n = bits<<5|strings.IndexRune("qpzry9x8gf2tvdw0s3jn54khce6mua7l", c), n+5
		if n >= 8 {
			n -= 8
			data = append(data, byte(bits>>n))
			bits &= 1<<n - 1
		}
	}
	return data
}

func TestWrap(t *testing.T) {
	for kind, i := range identities(t) {
		fileKey := make([]byte, 16)
		rand.Read(fileKey)
		r, err := ParseRecipient(i.Recipient().(fmt.Stringer).String())
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := ParseIdentity(i.String())
		if err != nil {
			t.Fatal(err)
		}
		stanzas, err := r.Wrap(fileKey)
		if err != nil || len(stanzas) != 1 {
			t.Fatalf("%s: %d stanzas, %v", kind, len(stanzas), err)
		}
		foreign, err := identities(t)[kind].Recipient().Wrap(fileKey)
		if err != nil {
			t.Fatal(err)
		}
		many := slices.Concat([]*age.Stanza{{Type: "X25519"}}, foreign, stanzas, foreign)
		if got, err := parsed.Unwrap(many); err != nil || !bytes.Equal(got, fileKey) {
			t.Errorf("%s: %v, or another file key", kind, err)
		}
		if got, _ := spec(t, i.String(), stanzas[0]); !bytes.Equal(got, fileKey) {
			t.Errorf("%s: not as specified", kind)
		}
		if _, err := r.Wrap(fileKey[:15]); err != errFileKey {
			t.Errorf("%s: wraps a short file key: %v", kind, err)
		}
		_, postquantum := r.(age.RecipientWithLabels)
		if postquantum != (kind != "sm2") {
			t.Errorf("%s: has labels: %v", kind, postquantum)
		}
		if l, ok := r.(age.RecipientWithLabels); ok {
			if _, labels, err := l.WrapWithLabels(fileKey); err != nil || !slices.Equal(labels, []string{"postquantum"}) {
				t.Errorf("%s: labels %q, %v", kind, labels, err)
			}
		}
		// Others cannot unwrap it.
		for other, j := range identities(t) {
			if _, err := j.Unwrap(stanzas); !errors.Is(err, age.ErrIncorrectIdentity) {
				t.Errorf("%s: error %v of another identity for %s", kind, err, other)
			}
		}
	}
}

// TestChanged changes every part of a stanza.
func TestChanged(t *testing.T) {
	for kind, i := range identities(t) {
		stanzas, err := i.Recipient().Wrap(make([]byte, 16))
		if err != nil {
			t.Fatal(err)
		}
		s := stanzas[0]
		n := len(s.Body)
		for _, at := range []int{1, 40, 64, 66, 80, 97, n - 65, n - 64, n - 63, n - 40, n - 32, n - 17, n - 16, n - 1} {
			if at < 0 {
				continue
			}
			body := slices.Clone(s.Body)
			body[at] ^= 1
			if _, err := i.Unwrap([]*age.Stanza{{Type: s.Type, Args: s.Args, Body: body}}); !errors.Is(err, age.ErrIncorrectIdentity) {
				t.Errorf("%s: error %v after a change of byte %d", kind, err, at)
			}
		}
		for what, changed := range map[string]*age.Stanza{
			"shorter":  {Type: s.Type, Args: s.Args, Body: s.Body[:n-1]},
			"longer":   {Type: s.Type, Args: s.Args, Body: append(slices.Clone(s.Body), 0)},
			"empty":    {Type: s.Type, Args: s.Args},
			"argument": {Type: s.Type, Args: append(slices.Clone(s.Args), "x"), Body: s.Body},
		} {
			if _, err := i.Unwrap([]*age.Stanza{changed}); err == nil || errors.Is(err, age.ErrIncorrectIdentity) {
				t.Errorf("%s: error %v of an invalid stanza: %s", kind, err, what)
			}
		}
		if kind != "sm2" { // a point of small order
			body := slices.Clone(s.Body)
			clear(body[n-64 : n-32])
			if _, err := i.Unwrap([]*age.Stanza{{Type: s.Type, Args: s.Args, Body: body}}); err == nil || errors.Is(err, age.ErrIncorrectIdentity) {
				t.Errorf("%s: error %v of a point of small order", kind, err)
			}
		}
	}
}

func TestParse(t *testing.T) {
	for kind, i := range identities(t) {
		public, private := i.Recipient().(fmt.Stringer).String(), i.String()
		if _, err := ParseRecipient(public[:len(public)-1] + "b"); err == nil {
			t.Errorf("%s: no error of a recipient with a character that bech32 does not have", kind)
		}
		if _, err := ParseIdentity(private[:30] + private[31:]); err == nil {
			t.Errorf("%s: no error of a damaged identity", kind)
		}
		for _, k := range Kinds {
			data := bech32Bytes(t, public)
			for _, data := range [][]byte{nil, data[:1], data[:len(data)-1], append(data, 0), {3, 1}} {
				if _, err := k.Recipient(data); err == nil {
					t.Errorf("%s: no error of a recipient of %d bytes", k.Plugin, len(data))
				}
			}
			data = bech32Bytes(t, private)
			for _, data := range [][]byte{nil, data[:1], data[:len(data)-2], append(data, 0, 0), {3, 1}} {
				if _, err := k.Identity(data); err == nil {
					t.Errorf("%s: no error of an identity of %d bytes", k.Plugin, len(data))
				}
			}
		}
	}
	for _, s := range []string{"age1", "age1xyz", "AGE-SECRET-KEY-1", "", "sm2"} {
		if r, err := ParseRecipient(s); r != nil || err != nil {
			t.Errorf("%q is a recipient: %v, %v", s, r, err)
		}
		if i, err := ParseIdentity(s); i != nil || err != nil {
			t.Errorf("%q is an identity: %v, %v", s, i, err)
		}
	}
}

// vectorPlain is the plaintext of the vectors.
const vectorPlain = "cipherlane\n"

// TestVectors checks the files in testdata. Each has lines with names and values, and then
// an armored age file.
func TestVectors(t *testing.T) {
	for _, kind := range []string{"sm2", "frodokem-976", "frodokem-1344"} {
		path := "testdata/" + kind + ".txt"
		if *update {
			makeVector(t, path, identities(t)[kind])
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		head, file, _ := strings.Cut(string(text), "\n\n")
		want := map[string]string{}
		for line := range strings.Lines(head) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
			want[name] = value
		}
		i, err := ParseIdentity(want["identity"])
		if err != nil {
			t.Fatal(err)
		}
		public := i.(Identity).Recipient().(fmt.Stringer).String()
		if sum := sha256.Sum256([]byte(public)); hex.EncodeToString(sum[:]) != want["sha-256 of the recipient"] {
			t.Errorf("%s: another recipient", kind)
		}
		seen := &seeing{Identity: i}
		r, err := age.Decrypt(armor.NewReader(strings.NewReader(file)), seen)
		if err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		if plain, err := io.ReadAll(r); err != nil || string(plain) != vectorPlain {
			t.Errorf("%s: %q, %v", kind, plain, err)
		}
		fileKey, values := spec(t, want["identity"], seen.stanza)
		values["file key"] = fileKey
		for name, value := range values {
			if hex.EncodeToString(value) != want[name] {
				t.Errorf("%s: %s is %x, want %s", kind, name, value, want[name])
			}
		}
		if len(want) != len(values)+2 {
			t.Errorf("%s: %d values, want %d", kind, len(want), len(values)+2)
		}
	}
}

// seeing is an identity that keeps the stanza.
type seeing struct {
	age.Identity
	stanza *age.Stanza
}

func (s *seeing) Unwrap(stanzas []*age.Stanza) ([]byte, error) {
	s.stanza = stanzas[0]
	return s.Identity.Unwrap(stanzas)
}

func makeVector(t *testing.T, path string, i Identity) {
	t.Helper()
	var file bytes.Buffer
	outer := armor.NewWriter(&file)
	w, err := age.Encrypt(outer, i.Recipient())
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(w, vectorPlain)
	if err := errors.Join(w.Close(), outer.Close()); err != nil {
		t.Fatal(err)
	}
	seen := &seeing{Identity: i}
	if _, err := age.Decrypt(armor.NewReader(bytes.NewReader(file.Bytes())), seen); err != nil {
		t.Fatal(err)
	}
	fileKey, values := spec(t, i.String(), seen.stanza)
	values["file key"] = fileKey
	sum := sha256.Sum256([]byte(i.Recipient().(fmt.Stringer).String()))
	text := fmt.Sprintf("identity: %s\nsha-256 of the recipient: %x\n", i, sum)
	for _, name := range []string{"shared point x", "frodokem secret", "x25519 secret", "wrapping key", "file key"} {
		if value, ok := values[name]; ok {
			text += fmt.Sprintf("%s: %x\n", name, value)
		}
	}
	if err := os.WriteFile(path, []byte(text+"\n"+file.String()), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestSM2Points: an identity takes C1 in one encoding only. With a compressed point, a stanza of
// the right size would hold a file key of 48 bytes.
func TestSM2Points(t *testing.T) {
	key, err := sm2.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	for size, encode := range map[int]func(c1 []byte) []byte{
		48: func(c1 []byte) []byte {
			point, err := sm2.NewPublicKey(c1)
			if err != nil {
				t.Fatal(err)
			}
			return point.BytesCompressed()
		},
		16: func(c1 []byte) []byte { return append([]byte{6 + c1[64]&1}, c1[1:]...) }, // hybrid
	} {
		body, err := key.PublicKey().Encrypt(make([]byte, size), sm2.C1C3C2)
		if err != nil {
			t.Fatal(err)
		}
		body = append(encode(body[:65]), body[65:]...)
		if len(body) != sm2Body {
			t.Fatalf("%d bytes, want %d", len(body), sm2Body)
		}
		stanza := &age.Stanza{Type: sm2Type, Body: body}
		fileKey, err := NewSM2Identity(key).Unwrap([]*age.Stanza{stanza})
		if err == nil || errors.Is(err, age.ErrIncorrectIdentity) {
			t.Errorf("a file key of %d bytes, error %v, behind a point that begins with %#x", len(fileKey), err, body[0])
		}
	}
}
