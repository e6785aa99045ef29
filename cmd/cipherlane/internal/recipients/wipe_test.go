package recipients

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"filippo.io/age"

	"github.com/cipherlane/cipherlane/frodokem"
)

// A watch remembers slices with secrets, and what they contained.
type watch struct{ now, original [][]byte }

func (w *watch) see(secret []byte) {
	w.now, w.original = append(w.now, secret), append(w.original, bytes.Clone(secret))
}

// wiped checks that f has n secrets and leaves none of them.
func (w *watch) wiped(t *testing.T, what string, n int, f func()) {
	t.Helper()
	*w = watch{}
	f()
	if len(w.now) != n {
		t.Errorf("%s: %d secrets, want %d", what, len(w.now), n)
	}
	for i, b := range w.now {
		if zero := make([]byte, len(b)); !bytes.Equal(b, zero) || bytes.Equal(w.original[i], zero) {
			t.Errorf("%s: secret %d was %x and is %x", what, i, w.original[i], b)
		}
	}
}

// Keys in between are wiped.
func TestSecretsAreWiped(t *testing.T) {
	defer func(d func(secret, salt []byte, info string, size int) ([]byte, error)) { derive = d }(derive)
	defer func(e func(string, []byte) string, k []Kind) { encodeIdentity, Kinds = e, k }(encodeIdentity, Kinds)
	all := identities(t)
	var w watch
	hkdf, encode := derive, encodeIdentity
	wrapping := false // only then the secret that derive gets is one in between
	derive = func(secret, salt []byte, info string, size int) ([]byte, error) {
		if wrapping {
			w.see(secret)
		}
		key, err := hkdf(secret, salt, info, size)
		w.see(key)
		return key, err
	}
	encodeIdentity = func(name string, data []byte) string {
		w.see(data)
		return encode(name, data)
	}
	Kinds = slices.Clone(Kinds)
	for i := range Kinds {
		decode := Kinds[i].Identity
		Kinds[i].Identity = func(data []byte) (age.Identity, error) {
			w.see(data)
			return decode(data)
		}
	}
	for kind, i := range all {
		var text string
		w.wiped(t, kind+": String", 1, func() { text = i.String() })
		n := 1
		if kind != "sm2" {
			n = 2 // and what the keys are made from
		}
		w.wiped(t, kind+": ParseIdentity", n, func() {
			parsed, err := ParseIdentity(text)
			if err != nil || parsed.(Identity).String() != text { // one more
				t.Errorf("%s: %v, or another identity", kind, err)
			}
			w.now, w.original = w.now[:n], w.original[:n]
		})
		if kind == "sm2" {
			continue
		}
		fileKey := make([]byte, fileKeySize)
		wrapping = true
		var stanzas []*age.Stanza
		w.wiped(t, kind+": Wrap", 2, func() { stanzas, _ = i.Recipient().Wrap(fileKey) })
		w.wiped(t, kind+": Unwrap", 2, func() {
			if got, err := i.Unwrap(stanzas); err != nil || !bytes.Equal(got, fileKey) {
				t.Errorf("%s: %v", kind, err)
			}
		})
		stanzas[0].Body[len(stanzas[0].Body)-1]++
		w.wiped(t, kind+": Unwrap of a changed stanza", 2, func() {
			if _, err := i.Unwrap(stanzas); !errors.Is(err, age.ErrIncorrectIdentity) {
				t.Errorf("%s: %v", kind, err)
			}
		})
		wrapping = false
	}
}

// The shared secrets are wiped, and both are part of the key, in this order.
func TestWrappingKey(t *testing.T) {
	i, err := GenerateFrodoKEM(frodokem.FrodoKEM976AES)
	if err != nil {
		t.Fatal(err)
	}
	r := i.Recipient().(*FrodoKEMRecipient)
	key := func(frodo, x25519 string) string {
		a, b := []byte(frodo), []byte(x25519)
		k := r.wrappingKey(a, b, []byte("ciphertext"), []byte("ephemeral"))
		if !bytes.Equal(a, make([]byte, len(a))) || !bytes.Equal(b, make([]byte, len(b))) {
			t.Errorf("left: %q, %q", a, b)
		}
		return string(k)
	}
	keys := []string{key("frodo", "x25519"), key("Frodo", "x25519"), key("frodo", "X25519"), key("x25519", "frodo")}
	if slices.Sort(keys); len(slices.Compact(keys)) != 4 {
		t.Error("other secrets, and the key is the same")
	}
}

// An identity prints the text it was made from, also after the caller has wiped that.
func TestIdentityKeepsItsSeed(t *testing.T) {
	for kind, i := range identities(t) {
		data := bech32Bytes(t, i.String())
		for _, k := range Kinds {
			if k.Plugin != "sm2" == (kind == "sm2") {
				continue
			}
			identity, err := k.Identity(data)
			if err != nil {
				t.Fatal(err)
			}
			if clear(data); identity.(Identity).String() != i.String() {
				t.Errorf("%s: another identity after the data was wiped", kind)
			}
		}
	}
}
