package sm2

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/internal/conformance"
	"github.com/cipherlane/cipherlane/internal/pkix"
)

// Keys that other programs encrypted.
func TestEncryptedVectors(t *testing.T) {
	var tests []struct{ Source, Comment, Passphrase, Der, Public, Result string }
	if err := json.Unmarshal(must(os.ReadFile("testdata/sm2_encrypted.json")), &tests); err != nil {
		t.Fatal(err)
	}
	for _, v := range tests {
		name := v.Source + ", " + v.Comment
		k, err := ParseEncryptedPrivateKey(unhex(v.Der), []byte(v.Passphrase), &KeyEncryption{Scrypt: conformance.Scrypt})
		if v.Result == "invalid" {
			if err == nil || !strings.Contains(err.Error(), "in a way that is not known here") {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil || !bytes.Equal(k.PublicKey().Bytes(), unhex(v.Public)) {
			t.Errorf("%s: %v", name, err)
		}
		if strings.Contains(v.Comment, "scrypt") {
			if _, err := ParseEncryptedPrivateKey(unhex(v.Der), []byte(v.Passphrase), nil); err == nil || !strings.Contains(err.Error(), "KeyEncryption.Scrypt has to provide") {
				t.Errorf("%s, without scrypt: %v", name, err)
			}
			continue
		}
		for _, other := range []string{"", "correct hors", v.Passphrase + " ", v.Passphrase + "\n"} {
			if _, err := ParseEncryptedPrivateKey(unhex(v.Der), []byte(other), nil); !errors.Is(err, ErrPassphrase) {
				t.Errorf("%s, with %q: %v", name, other, err)
			}
		}
	}
	if len(tests) < 8 {
		t.Errorf("%d tests", len(tests))
	}
}

func TestEncrypted(t *testing.T) {
	k := newKey(automatic(), annexKey)
	passphrase := []byte("a passphrase")
	cheap := func(passphrase, salt []byte, N, r, p, size int) ([]byte, error) {
		return conformance.Scrypt(passphrase, salt, 2, 1, 1, size)
	}
	for _, options := range []KeyEncryption{
		{Iterations: 1}, {Iterations: 2, SM3: true}, {Iterations: 3, SM4: true}, {Iterations: 128, SM4: true, SM3: true, GmSSL: true},
		{Scrypt: cheap}, {Scrypt: cheap, SM4: true},
	} {
		der := must(MarshalEncryptedPrivateKey(k, passphrase, &options))
		if back, err := ParseEncryptedPrivateKey(der, passphrase, &options); err != nil || !back.Equal(k) {
			t.Errorf("%+v: %v", options, err)
		}
		if bytes.Equal(der, must(MarshalEncryptedPrivateKey(k, passphrase, &options))) {
			t.Errorf("%+v: twice the same", options)
		}
		// Truncated keys are refused. A changed byte gives an error or, in the IV, at
		// most another encoding of the same key.
		for i := range der {
			if _, err := ParseEncryptedPrivateKey(der[:i], passphrase, &options); err == nil {
				t.Errorf("%+v: cut to %d bytes it is read", options, i)
			}
			changed := bytes.Clone(der)
			changed[i] ^= 0x10
			if back, err := ParseEncryptedPrivateKey(changed, passphrase, &options); err == nil && !back.Equal(k) {
				t.Errorf("%+v: with byte %d changed it is another key", options, i)
			}
		}
		if _, err := ParseEncryptedPrivateKey(append(der, 0), passphrase, &options); err == nil {
			t.Errorf("%+v: with a byte more it is read", options)
		}
		// Wrong passphrases: some of them give valid padding.
		for i := range 1000 {
			if options.Scrypt != nil || options.Iterations > 3 {
				break
			}
			if _, err := ParseEncryptedPrivateKey(der, []byte{byte(i), byte(i >> 8)}, &options); !errors.Is(err, ErrPassphrase) {
				t.Errorf("%+v: passphrase %d: %v", options, i, err)
			}
		}
	}
	// The name of HMAC-SM3, with NULL and without parameters.
	for gmssl, want := range map[bool]string{false: "300e060a2a811ccf550183110301" + "0500", true: "300b06092a811ccf5501831102"} {
		der := must(MarshalEncryptedPrivateKey(k, passphrase, &KeyEncryption{Iterations: 1, SM3: true, GmSSL: gmssl}))
		if !bytes.Contains(der, unhex(want)) {
			t.Errorf("GmSSL %v: there is no %s in %x", gmssl, want, der)
		}
	}
	// By default 600000 iterations with HMAC-SHA-256, and AES-256.
	der := must(MarshalEncryptedPrivateKey(k, passphrase, nil))
	for _, want := range []string{"0203" + "0927c0", "06082a864886f70d0209", "060960864801650304012a"} {
		if !bytes.Contains(der, unhex(want)) {
			t.Errorf("by default there is no %s in %x", want, der)
		}
	}
	for _, n := range []int{-1, MaxIterations + 1} {
		if _, err := MarshalEncryptedPrivateKey(k, passphrase, &KeyEncryption{Iterations: n}); err == nil {
			t.Errorf("%d iterations", n)
		}
	}
	if _, err := MarshalEncryptedPrivateKey(k, nil, nil); err == nil {
		t.Error("without a passphrase")
	}
	failing := func([]byte, []byte, int, int, int, int) ([]byte, error) { return nil, errors.New("no memory") }
	if _, err := MarshalEncryptedPrivateKey(k, passphrase, &KeyEncryption{Scrypt: failing}); err == nil {
		t.Error("scrypt that fails")
	}
	tooLong := func(_, _ []byte, _, _, _, size int) ([]byte, error) { return make([]byte, 2*size), nil }
	if _, err := MarshalEncryptedPrivateKey(k, passphrase, &KeyEncryption{Scrypt: tooLong}); err == nil {
		t.Error("scrypt that returns a longer key")
	}
	k.Wipe()
	if _, err := MarshalEncryptedPrivateKey(k, passphrase, nil); err == nil {
		t.Error("a wiped key")
	}
}

// If a key of another algorithm was decrypted, the error must not be ErrPassphrase.
func TestEncryptedOther(t *testing.T) {
	info := bytes.Replace(MarshalPKCS8PrivateKey(newKey(automatic(), annexKey)), oidCurve, append([]byte{0x2a, 0x86}, oidCurve[2:]...), 1)
	der := must(pkix.Encrypt(info, []byte("p"), &pkix.Options{Iterations: 1}))
	if _, err := ParseEncryptedPrivateKey(der, []byte("p"), nil); !errors.Is(err, errAlgorithm) {
		t.Error(err)
	}
}

func TestEncryptedFIPSOnly(t *testing.T) {
	conformance.FIPSOnly(t, func(t *testing.T) {
		if _, err := MarshalEncryptedPrivateKey(new(PrivateKey), []byte("p"), nil); !errors.Is(err, errFIPS) {
			t.Error(err)
		}
		if _, err := ParseEncryptedPrivateKey(nil, []byte("p"), nil); !errors.Is(err, errFIPS) {
			t.Error(err)
		}
	})
}
