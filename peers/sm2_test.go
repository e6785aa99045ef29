package peers

import (
	"bytes"
	"crypto/rand"
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	gmecdh "github.com/emmansun/gmsm/ecdh"
	gmsm2 "github.com/emmansun/gmsm/sm2"
	"github.com/emmansun/gmsm/smx509"

	"github.com/cipherlane/cipherlane/sm2"
)

// mustSM2 returns v, or panics if there is an error.
func mustSM2[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Keys, signatures and ciphertexts in both directions.
func TestSM2(t *testing.T) {
	for i := range 50 {
		key := mustSM2(sm2.GenerateKey())
		public := key.PublicKey()
		theirs := mustSM2(gmsm2.NewPrivateKey(key.Bytes()))
		message := random(16 + 7*i) // of short ones gmsm makes ciphertexts with a zero KDF output, which nobody may decrypt

		for name, der := range map[string][]byte{"ours": sm2.MarshalPKCS8PrivateKey(key), "gmsm's": mustSM2(smx509.MarshalPKCS8PrivateKey(theirs))} {
			if k, err := sm2.ParsePKCS8PrivateKey(der); err != nil || !k.Equal(key) {
				t.Errorf("%s PKCS #8: ours: %v", name, err)
			}
			if k, err := smx509.ParsePKCS8PrivateKey(der); err != nil || !theirs.Equal(k) {
				t.Errorf("%s PKCS #8: gmsm: %v", name, err)
			}
		}
		for name, der := range map[string][]byte{"ours": sm2.MarshalECPrivateKey(key), "gmsm's": mustSM2(smx509.MarshalSM2PrivateKey(theirs))} {
			if k, err := sm2.ParseECPrivateKey(der); err != nil || !k.Equal(key) {
				t.Errorf("%s SEC 1: ours: %v", name, err)
			}
			if k, err := smx509.ParseSM2PrivateKey(der); err != nil || !theirs.Equal(k) {
				t.Errorf("%s SEC 1: gmsm: %v", name, err)
			}
		}
		if a, b := sm2.MarshalPKIXPublicKey(public), mustSM2(smx509.MarshalPKIXPublicKey(&theirs.PublicKey)); !bytes.Equal(a, b) {
			t.Errorf("public keys: %x, %x", a, b)
		}

		id := random(i)
		digest := mustSM2(public.Digest(message, &sm2.SignatureOptions{ID: id}))
		if len(id) > 0 { // gmsm treats an empty ID as none
			if want := mustSM2(gmsm2.CalculateSM2Hash(&theirs.PublicKey, message, id)); !bytes.Equal(digest[:], want) {
				t.Errorf("digests: %x, %x", digest, want)
			}
		}
		signature := mustSM2(key.Sign(rand.Reader, digest[:], nil))
		if !gmsm2.VerifyASN1(&theirs.PublicKey, digest[:], signature) {
			t.Errorf("gmsm refuses %x", signature)
		}
		if signature = mustSM2(gmsm2.SignASN1(rand.Reader, theirs, digest[:], nil)); !public.Verify(digest[:], signature) {
			t.Errorf("ours refuses %x", signature)
		}

		for format, encrypt := range map[sm2.Format]*gmsm2.EncrypterOpts{
			sm2.ASN1: gmsm2.ASN1EncrypterOpts, sm2.C1C3C2: nil,
			sm2.C1C2C3: gmsm2.NewPlainEncrypterOpts(gmsm2.MarshalCompressed, gmsm2.C1C2C3),
		} {
			c := mustSM2(gmsm2.Encrypt(rand.Reader, &theirs.PublicKey, message, encrypt))
			if p, err := key.Decrypt(nil, c, format); err != nil || !bytes.Equal(p, message) {
				t.Errorf("%v: ours does not decrypt: %v", format, err)
			}
		}
		for format, decrypt := range map[sm2.Format]*gmsm2.DecrypterOpts{
			sm2.ASN1: gmsm2.ASN1DecrypterOpts, sm2.C1C3C2: nil, sm2.C1C2C3: gmsm2.NewPlainDecrypterOpts(gmsm2.C1C2C3),
		} {
			c := mustSM2(public.Encrypt(message, format))
			var p []byte
			var err error
			if decrypt == nil {
				p, err = theirs.Decrypt(nil, c, nil)
			} else {
				p, err = theirs.Decrypt(nil, c, decrypt)
			}
			if err != nil || !bytes.Equal(p, message) {
				t.Errorf("%v: gmsm does not decrypt: %v", format, err)
			}
		}

		peer := mustSM2(sm2.GenerateKey())
		their := mustSM2(gmecdh.P256().NewPrivateKey(key.Bytes()))
		if a, b := mustSM2(key.ECDH(peer.PublicKey())), mustSM2(their.ECDH(mustSM2(gmecdh.P256().NewPublicKey(peer.PublicKey().Bytes())))); !bytes.Equal(a, b) {
			t.Errorf("ECDH: %x, %x", a, b)
		}
		exchangeWithGmsm(t, key, peer)
	}
}

// exchangeWithGmsm runs a key exchange with gmsm as the initiator and ours as the responder.
func exchangeWithGmsm(t *testing.T, a, b *sm2.PrivateKey) {
	curve := gmecdh.P256()
	ephemeral := mustSM2(curve.GenerateKey(rand.Reader))
	x := mustSM2(sm2.NewExchange(b, []byte("b"), a.PublicKey(), []byte("a"), false))
	private, other := mustSM2(curve.NewPrivateKey(a.Bytes())), mustSM2(curve.NewPublicKey(b.PublicKey().Bytes()))
	shared := mustSM2(private.SM2MQV(ephemeral, other, mustSM2(curve.NewPublicKey(x.Point()))))
	want := mustSM2(shared.SM2SharedKey(false, 48, private.PublicKey(), other, []byte("a"), []byte("b")))
	if got := mustSM2(x.Agree(ephemeral.PublicKey().Bytes(), 48)); !bytes.Equal(got, want) {
		t.Errorf("key exchange: %x, gmsm has %x", got, want)
	}
}

// The command of OpenSSL, in both directions.
func TestSM2OpenSSL(t *testing.T) {
	dir := t.TempDir()
	file := func(name string, b []byte) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, b, 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	block := func(kind string, der []byte) []byte {
		return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
	}
	parse := func(b []byte, kind string) []byte {
		t.Helper()
		p, _ := pem.Decode(b)
		if p == nil || p.Type != kind {
			t.Fatalf("no %s in %s", kind, b)
		}
		return p.Bytes
	}
	theirs := mustSM2(sm2.ParsePKCS8PrivateKey(parse(openssl(t, nil, "genpkey", "-algorithm", "SM2"), "PRIVATE KEY")))
	for i, key := range []*sm2.PrivateKey{mustSM2(sm2.GenerateKey()), theirs} {
		private := file("key.pem", block("PRIVATE KEY", sm2.MarshalPKCS8PrivateKey(key)))
		public := file("public.pem", block("PUBLIC KEY", sm2.MarshalPKIXPublicKey(key.PublicKey())))
		sec1 := file("sec1.pem", block("EC PRIVATE KEY", sm2.MarshalECPrivateKey(key)))
		for _, name := range []string{private, sec1} {
			der := parse(openssl(t, nil, "pkey", "-in", name, "-pubout"), "PUBLIC KEY")
			if k, err := sm2.ParsePKIXPublicKey(der); err != nil || !k.Equal(key.Public()) {
				t.Errorf("%d: public key of OpenSSL: %v", i, err)
			}
		}
		if k, err := sm2.ParsePKCS8PrivateKey(parse(openssl(t, nil, "pkey", "-in", sec1), "PRIVATE KEY")); err != nil || !k.Equal(key) {
			t.Errorf("%d: private key of OpenSSL: %v", i, err)
		}

		for _, id := range []string{sm2.DefaultID, "alice@example.org"} {
			message := file("message", random(100))
			text := mustSM2(os.ReadFile(message))
			option := fmt.Sprintf("distid:%s", id)
			signature := file("signature", mustSM2(key.SignMessage(rand.Reader, text, &sm2.SignatureOptions{ID: []byte(id)})))
			openssl(t, nil, "pkeyutl", "-verify", "-pubin", "-inkey", public, "-in", message, "-sigfile", signature, "-rawin", "-digest", "sm3", "-pkeyopt", option)
			made := openssl(t, nil, "pkeyutl", "-sign", "-inkey", private, "-in", message, "-rawin", "-digest", "sm3", "-pkeyopt", option)
			if !key.PublicKey().VerifyMessage(text, made, &sm2.SignatureOptions{ID: []byte(id)}) {
				t.Errorf("%d: ours refuses a signature of OpenSSL", i)
			}
		}
		for _, n := range []int{1, 16, 32, 100, 1000} {
			message := random(n)
			c := openssl(t, message, "pkeyutl", "-encrypt", "-pubin", "-inkey", public)
			if p, err := key.Decrypt(nil, c, sm2.ASN1); err != nil || !bytes.Equal(p, message) {
				t.Errorf("%d, %d bytes: ours does not decrypt: %v", i, n, err)
			}
			p := openssl(t, mustSM2(key.PublicKey().Encrypt(message, sm2.ASN1)), "pkeyutl", "-decrypt", "-inkey", private)
			if !bytes.Equal(p, message) {
				t.Errorf("%d, %d bytes: OpenSSL does not decrypt", i, n)
			}
		}
	}
}

// Both, each operation: go test -bench SM2.
func BenchmarkSM2(b *testing.B) {
	key := mustSM2(sm2.GenerateKey())
	theirs := mustSM2(gmsm2.NewPrivateKey(key.Bytes()))
	peer := mustSM2(sm2.GenerateKey()).PublicKey()
	their := mustSM2(gmecdh.P256().NewPrivateKey(key.Bytes()))
	theirPeer := mustSM2(gmecdh.P256().NewPublicKey(peer.Bytes()))
	digest, message := random(32), random(32)
	signature := mustSM2(key.Sign(rand.Reader, digest, nil))
	ciphertext := mustSM2(key.PublicKey().Encrypt(message, sm2.ASN1))
	for _, c := range []struct {
		name       string
		ours, peer func()
	}{
		{"GenerateKey", func() { sm2.GenerateKey() }, func() { gmsm2.GenerateKey(rand.Reader) }},
		{"Sign", func() { key.Sign(rand.Reader, digest, nil) }, func() { gmsm2.SignASN1(rand.Reader, theirs, digest, nil) }},
		{"Verify", func() { key.PublicKey().Verify(digest, signature) }, func() { gmsm2.VerifyASN1(&theirs.PublicKey, digest, signature) }},
		{"Encrypt", func() { key.PublicKey().Encrypt(message, sm2.ASN1) }, func() { gmsm2.EncryptASN1(rand.Reader, &theirs.PublicKey, message) }},
		{"Decrypt", func() { key.Decrypt(nil, ciphertext, nil) }, func() { theirs.Decrypt(nil, ciphertext, gmsm2.ASN1DecrypterOpts) }},
		{"ECDH", func() { key.ECDH(peer) }, func() { their.ECDH(theirPeer) }},
	} {
		b.Run(c.name+"/cipherlane", func(b *testing.B) {
			for b.Loop() {
				c.ours()
			}
		})
		b.Run(c.name+"/gmsm", func(b *testing.B) {
			for b.Loop() {
				c.peer()
			}
		})
	}
}
