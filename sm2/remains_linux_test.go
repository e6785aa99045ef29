//go:build !race && !asan

package sm2

import (
	"bytes"
	"encoding/binary"
	"math/big"
	"testing"

	"github.com/cipherlane/cipherlane/internal/guard"
)

// halves returns both halves of a number, in the order of bytes of encodings and in that of
// limbs, to be searched for.
func halves(numbers ...*scalar) (list [][]byte) {
	for _, v := range numbers {
		b := v.bytes()
		var l []byte
		for _, limb := range v {
			l = binary.LittleEndian.AppendUint64(l, limb)
		}
		list = append(list, b[:16], b[16:], l[:16], l[16:])
	}
	return list
}

// TestNothingRemains searches the memory of the process for keys, nonces and shared secrets
// after operations whose results were wiped.
func TestNothingRemains(t *testing.T) { eachDriver(t, testNothingRemains) }

func testNothingRemains(t *testing.T, d Driver) {
	key, digest := number(annexKey).FillBytes(make([]byte, 32)), randomBytes(32)
	k, peer := must(d.NewPrivateKey(key)), must(d.GenerateKey()).PublicKey()
	ciphertext := must(k.PublicKey().Encrypt(digest, C1C3C2))
	c1, _, _, _ := splitCiphertext(d.row, ciphertext, C1C3C2)
	forged := bytes.Clone(ciphertext)
	forged[len(forged)-1]++
	ec, pkcs8 := MarshalECPrivateKey(k), MarshalPKCS8PrivateKey(k)
	passphrase := []byte("passphrase")
	encrypted := must(MarshalEncryptedPrivateKey(k, passphrase, &KeyEncryption{Iterations: 1}))

	var e, nonce scalar
	e.setInteger(limbs(digest))
	newNonces(&k.d, &e).next(&nonce)
	k.prepare()
	secrets := halves(&k.d, &k.signing.inverse, &nonce)
	shared := func(factor *scalar, q *affine) {
		var p point
		p.multiply(d.row, factor, q)
		a := p.affine(d.row)
		x, y := scalar(a.x.integer()), scalar(a.y.integer())
		secrets = append(secrets, halves(&x, &y)...)
	}
	shared(&k.d, &c1)
	shared(&nonce, &peer.point)
	shared(&k.d, &peer.point)
	digests := make([][]Signing, 12)
	for n := range digests {
		for range n {
			digests[n] = append(digests[n], Signing{Key: k, Digest: digest})
		}
	}
	wipe := func(k *PrivateKey, err error) {
		if err != nil {
			t.Error(err)
			return
		}
		k.Wipe()
	}
	calls := map[string]func(){
		"NewPrivateKey": func() { wipe(d.NewPrivateKey(key)) },
		"Equal":         func() { k.Equal(k) },
		"Bytes":         func() { clear(k.Bytes()) },
		"SignRaw":       func() { k.SignRaw(nil, digest) },
		"Sign":          func() { k.Sign(nil, digest, nil) },
		"SignMany": func() {
			for _, list := range digests {
				SignMany(nil, list)
			}
		},
		"Decrypt": func() { clear(must(k.Decrypt(nil, ciphertext, C1C3C2))) },
		"Decrypt of a forgery": func() {
			if _, err := k.Decrypt(nil, forged, C1C3C2); err == nil {
				t.Error("decrypted")
			}
		},
		"Encrypt":                    func() { peer.encryptWith(make([]byte, 32), digest, new([64]byte), &nonce) },
		"ECDH":                       func() { clear(must(k.ECDH(peer))) },
		"MarshalECPrivateKey":        func() { clear(MarshalECPrivateKey(k)) },
		"MarshalPKCS8PrivateKey":     func() { clear(MarshalPKCS8PrivateKey(k)) },
		"MarshalEncryptedPrivateKey": func() { MarshalEncryptedPrivateKey(k, passphrase, &KeyEncryption{Iterations: 1}) },
		"ParseECPrivateKey":          func() { wipe(ParseECPrivateKey(ec)) },
		"ParsePKCS8PrivateKey":       func() { wipe(ParsePKCS8PrivateKey(pkcs8)) },
		"ParseEncryptedPrivateKey":   func() { wipe(ParseEncryptedPrivateKey(encrypted, passphrase, nil)) },
	}
	if guard.Remains(t, func() {
		for _, f := range calls {
			f()
		}
	}, secrets...) <= 0 {
		return
	}
	t.Error("copies of a secret remain")
	for name, f := range calls { // a search takes a while, so only now
		if n := guard.Remains(t, f, secrets...); n > 0 {
			t.Errorf("%s: %d copies of 16 bytes of a secret remain", name, n)
		}
	}
}

// TestExchangeRemains searches for what both sides have in common, and for ephemeral keys.
func TestExchangeRemains(t *testing.T) { eachDriver(t, testExchangeRemains) }

func testExchangeRemains(t *testing.T, d Driver) {
	ka, kb := must(d.GenerateKey()), must(d.GenerateKey())
	ra, rb := toScalar(number(annexNonce)), toScalar(big.NewInt(0).Sub(specN, number(annexKey)))
	a := must(newExchange(ka, nil, kb.PublicKey(), nil, true, ra))
	b := must(newExchange(kb, nil, ka.PublicKey(), nil, false, rb))
	// U = (dA + xA rA) (PB + xB RB)
	var u, v scalar
	u = reducedX(&a.point)
	u.mul(&u, ra)
	u.add(&u, &ka.d)
	v = reducedX(&b.point)
	v.mul(&v, rb)
	v.add(&v, &kb.d)
	var p point
	u2 := u
	u2.mul(&u, &v)
	p.multiplyBase(generic, &u2)
	s := p.affine(generic)
	x, y := scalar(s.x.integer()), scalar(s.y.integer())
	secrets := halves(&u, &v, &u2, &x, &y)
	want := must(b.Agree(a.Point(), 16))
	secrets = append(secrets, bytes.Clone(want))
	clear(want)
	if n := guard.Remains(t, func() {
		second := *a
		key := must(second.Agree(b.Point(), 16))
		if !bytes.Equal(key, secrets[len(secrets)-1]) {
			t.Error("another key")
		}
		clear(key)
	}, secrets...); n > 0 {
		t.Errorf("%d copies of 16 bytes of a secret remain", n)
	}
}
