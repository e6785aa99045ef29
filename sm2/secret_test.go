package sm2

import (
	"bytes"
	"testing"

	"github.com/cipherlane/cipherlane/internal/ctgrind"
)

// secretScalar returns a scalar that is marked as secret.
func secretScalar(hex string) scalar {
	b := number(hex).FillBytes(make([]byte, 32))
	ctgrind.Secret(b)
	return limbs(b)
}

func publicAffine(t *testing.T, p affine) affine {
	b := p.bytes()
	ctgrind.Public(b[:])
	var a affine
	if !a.setBytes(generic, b[:]) {
		t.Fatal("not a point")
	}
	return a
}

func isOne(v int) bool {
	b := []byte{byte(v)}
	ctgrind.Public(b)
	return b[0] == 1
}

// All operations with a secret key, nonce and message. Functions report results that
// the standard refuses as a number, on which only their callers branch.
func TestSecretSM2(t *testing.T) { eachDriver(t, testSecretSM2) }

func testSecretSM2(t *testing.T, d Driver) {
	k := &PrivateKey{public: PublicKey{row: d.row, many: d.many}, usable: true}
	k.d = secretScalar(annexKey)
	var p point
	p.multiplyBase(d.row, &k.d)
	k.public.point = publicAffine(t, p.affine(d.row))
	k.signing.once.Do(func() {})
	k.signing.inverse.add(&k.d, &scalar{1})
	k.signing.inverse.invert(d.row, &k.signing.inverse)
	k.signing.inverse.montgomery(&k.signing.inverse, &scalarSquare)

	digest := must(k.PublicKey().Digest([]byte("message digest"), nil))
	nonce := secretScalar(annexNonce)
	var e, r, s scalar
	e.setInteger(limbs(digest[:]))
	refused := k.signWith(&r, &s, &e, &nonce)
	if !isOne(int(1 &^ refused)) {
		t.Error("the nonce is refused")
	}
	var signature [64]byte
	rb, sb := r.bytes(), s.bytes()
	copy(signature[:32], rb[:])
	copy(signature[32:], sb[:])
	ctgrind.Public(signature[:])
	if !k.PublicKey().VerifyRaw(digest[:], signature[:]) {
		t.Error("the signature does not verify")
	}

	message := []byte("encryption standard")
	plain := bytes.Clone(message)
	ctgrind.Secret(plain)
	c2 := make([]byte, len(plain))
	c1, c3, ok := k.public.encryptWith(c2, plain, new([64]byte), &nonce)
	c1 = publicAffine(t, c1)
	ctgrind.Public(c2)
	ctgrind.Public(c3[:])
	back := make([]byte, len(c2))
	if ok &= k.decrypt(back, new([64]byte), &c1, c2, c3[:]); !isOne(ok) {
		t.Error("not decrypted")
	}
	ctgrind.Public(back)
	if !bytes.Equal(back, message) {
		t.Errorf("decrypted: %q", back)
	}

	secret := must(k.ECDH(&PublicKey{point: c1}))
	ctgrind.Public(secret)

	x := must(newExchange(k, nil, &PublicKey{point: base}, nil, true, &nonce))
	x.point = publicAffine(t, x.point)
	key := make([]byte, 16)
	agreed := x.agree(key, &c1)
	if !isOne(int(agreed)) {
		t.Error("no key")
	}
	ctgrind.Public(key)
}
