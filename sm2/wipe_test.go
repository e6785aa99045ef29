package sm2

import (
	"bytes"
	"testing"
)

// The shared secret is cleared, and so is what an invalid ciphertext decrypts to.
func TestEncryptionWipes(t *testing.T) { eachDriver(t, testEncryptionWipes) }

func testEncryptionWipes(t *testing.T, d Driver) {
	k := must(d.GenerateKey())
	message := []byte("a message that nobody is to see")
	c2 := make([]byte, len(message))
	var secret, zero [64]byte
	var nonce scalar
	nonce.random()
	c1, c3, ok := k.public.encryptWith(c2, message, &secret, &nonce)
	if ok != 1 || secret != zero {
		t.Errorf("encrypted: %d, and %x is left", ok, secret)
	}
	got := bytes.Repeat([]byte{1}, len(message))
	if secret[0] = 1; k.decrypt(got, &secret, &c1, c2, c3[:]) != 1 || !bytes.Equal(got, message) || secret != zero {
		t.Errorf("decrypted: %q, and %x is left", got, secret)
	}
	clear(got)
	if !k.open(got, &c1, c2, c3[:]) || !bytes.Equal(got, message) {
		t.Errorf("decrypted: %q", got)
	}
	c3[31]++
	if k.open(got, &c1, c2, c3[:]) || !bytes.Equal(got, make([]byte, len(got))) {
		t.Errorf("from an invalid ciphertext %q is left", got)
	}
}

// The largest key that two sides can agree on.
func TestLargestKey(t *testing.T) {
	a, b := must(GenerateKey()), must(GenerateKey())
	for n, ok := range map[int]bool{-1: false, 0: false, 1: true, MaxMessage: true, MaxMessage + 1: false} {
		x := must(NewExchange(a, nil, b.PublicKey(), nil, true))
		if key, err := x.Agree(b.PublicKey().Bytes(), n); (err == nil) != ok || ok != (len(key) == n && n > 0) {
			t.Errorf("a key of %d bytes: %d bytes, %v", n, len(key), err)
		}
	}
}
