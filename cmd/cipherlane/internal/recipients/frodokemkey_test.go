package recipients

import (
	"bytes"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/pem"
	"errors"
	"slices"
	"strings"
	"testing"

	"filippo.io/age"

	"github.com/cipherlane/cipherlane/chacha20poly1305"
	"github.com/cipherlane/cipherlane/frodokem"
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// specKey unwraps a stanza as docs/age-recipients.md says it.
func specKey(t *testing.T, dk *frodokem.DecapsulationKey, s *age.Stanza) []byte {
	t.Helper()
	name := dk.Set().String()
	if s.Type != "github.com/cipherlane/frodokem-key" || !slices.Equal(s.Args, []string{name}) {
		t.Fatalf("type %q, arguments %q", s.Type, s.Args)
	}
	ct, sealed := s.Body[:dk.Set().CiphertextSize()], s.Body[dk.Set().CiphertextSize():]
	secret := must(dk.Decapsulate(ct))
	key := must(hkdf.Key(sha256.New, secret, slices.Concat(ct, dk.EncapsulationKey().Bytes()), "github.com/cipherlane/frodokem-key wrap "+name, 32))
	return must(must(chacha20poly1305.New(key)).Open(nil, make([]byte, 12), sealed, nil))
}

func TestFrodoKEMKey(t *testing.T) {
	fileKey := make([]byte, fileKeySize)
	rand.Read(fileKey)
	for _, set := range frodokem.Sets() {
		dk := must(set.GenerateKey())
		i, err := NewFrodoKEMKeyIdentity(dk)
		r, e := NewFrodoKEMKeyRecipient(dk.EncapsulationKey())
		if set.Ephemeral() {
			if err == nil || e == nil || !strings.Contains(err.Error(), set.String()) {
				t.Errorf("%s: errors %v and %v", set, err, e)
			}
			continue
		}
		if err != nil || e != nil {
			t.Fatalf("%s: %v, %v", set, err, e)
		}
		block, rest := pem.Decode([]byte(r.String() + "\n"))
		if key, err := frodokem.ParsePKIXPublicKey(block.Bytes); err != nil || !bytes.Equal(key.Bytes(), dk.EncapsulationKey().Bytes()) || len(rest) > 0 {
			t.Errorf("%s: String is another key: %v", set, err)
		}
		stanzas, labels, err := i.Recipient().WrapWithLabels(fileKey)
		if err != nil || len(stanzas) != 1 || !slices.Equal(labels, []string{"postquantum"}) {
			t.Fatalf("%s: %d stanzas, labels %q, %v", set, len(stanzas), labels, err)
		}
		s := stanzas[0]
		if got := specKey(t, dk, s); !bytes.Equal(got, fileKey) {
			t.Errorf("%s: not as specified", set)
		}
		foreign := must(must(NewFrodoKEMKeyRecipient(must(set.GenerateKey()).EncapsulationKey())).Wrap(fileKey))
		many := slices.Concat([]*age.Stanza{{Type: "X25519"}, {Type: s.Type, Args: []string{"FrodoKEM-1"}}}, foreign, stanzas)
		if got, err := i.Unwrap(many); err != nil || !bytes.Equal(got, fileKey) {
			t.Errorf("%s: %v, or another file key", set, err)
		}
		if _, err := i.Unwrap(foreign); !errors.Is(err, age.ErrIncorrectIdentity) {
			t.Errorf("%s: error %v of a stanza for another key", set, err)
		}
		if _, err := r.Wrap(fileKey[1:]); err != errFileKey {
			t.Errorf("%s: wraps a short file key: %v", set, err)
		}
		n := len(s.Body)
		for _, at := range []int{0, n / 2, n - 33, n - 32, n - 1} {
			body := slices.Clone(s.Body)
			body[at] ^= 1
			if _, err := i.Unwrap([]*age.Stanza{{Type: s.Type, Args: s.Args, Body: body}}); !errors.Is(err, age.ErrIncorrectIdentity) {
				t.Errorf("%s: error %v after a change of byte %d", set, err, at)
			}
		}
		for what, changed := range map[string]*age.Stanza{
			"shorter":  {Type: s.Type, Args: s.Args, Body: s.Body[:n-1]},
			"longer":   {Type: s.Type, Args: s.Args, Body: append(slices.Clone(s.Body), 0)},
			"argument": {Type: s.Type, Args: append(slices.Clone(s.Args), "x"), Body: s.Body},
		} {
			if _, err := i.Unwrap([]*age.Stanza{changed}); err == nil || errors.Is(err, age.ErrIncorrectIdentity) {
				t.Errorf("%s: error %v of an invalid stanza: %s", set, err, what)
			}
		}
	}
}

// Secrets and keys in between are wiped.
func TestFrodoKEMKeyWipes(t *testing.T) {
	defer func(d func(secret, salt []byte, info string, size int) ([]byte, error)) { derive = d }(derive)
	hkdf := derive
	var w watch
	derive = func(secret, salt []byte, info string, size int) ([]byte, error) {
		w.see(secret)
		key, err := hkdf(secret, salt, info, size)
		w.see(key)
		return key, err
	}
	i := must(NewFrodoKEMKeyIdentity(must(frodokem.FrodoKEM640AES.GenerateKey())))
	var stanzas []*age.Stanza
	w.wiped(t, "Wrap", 2, func() { stanzas = must(i.Recipient().Wrap(make([]byte, fileKeySize))) })
	w.wiped(t, "Unwrap", 2, func() { must(i.Unwrap(stanzas)) })
}
