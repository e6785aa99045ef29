package sm2

import (
	"bytes"
	"crypto"
	"crypto/rand"
	"encoding"
	"encoding/asn1"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math/big"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/cipherlane/cipherlane/internal/clone"
	"github.com/cipherlane/cipherlane/internal/conformance"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/pkix"
)

func unhex(s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return b
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// eachDriver runs f for every driver of this machine.
func eachDriver(t *testing.T, f func(t *testing.T, d Driver)) {
	conformance.EachDriver(t, "sm2", func(t *testing.T, name string) { f(t, must(On(name))) })
}

func newKey(d Driver, key string) *PrivateKey {
	return must(d.NewPrivateKey(number(key).FillBytes(make([]byte, 32))))
}

func toScalar(n *big.Int) *scalar {
	s := scalar(toLimbs(n))
	return &s
}

// Annexes A to C of GB/T 32918.5-2017.
const (
	annexKey   = "3945208F7B2144B13F36E38AC6D39F95889393692860B51A42FB81EF4DF7C5B8"
	annexNonce = "59276E27D506861A16680F3AD9C02DCCEF3CC1FA3CDBE4CE6D54B80DEAC1BC21"
)

func TestAnnexSignature(t *testing.T) { eachDriver(t, testAnnexSignature) }

func testAnnexSignature(t *testing.T, d Driver) {
	k := newKey(d, annexKey)
	if want := unhex("0409f9df311e5421a150dd7d161e4bc5c672179fad1833fc076bb08ff356f35020ccea490ce26775a52dc6ea718cc1aa600aed05fbf35e084a6632f6072da9ad13"); !bytes.Equal(k.PublicKey().Bytes(), want) {
		t.Errorf("public key %x", k.PublicKey().Bytes())
	}
	digest := must(k.PublicKey().Digest([]byte("message digest"), nil))
	if hex.EncodeToString(digest[:]) != "f0b43e94ba45accaace692ed534382eb17e6ab5a19ce7b31f4486fdfc0d28640" {
		t.Errorf("e = %x", digest)
	}
	var e, r, s scalar
	e.setInteger(limbs(digest[:]))
	must(k.Sign(nil, digest[:], nil)) // computes 1/(1+d)
	if k.signWith(&r, &s, &e, toScalar(number(annexNonce))) != 0 {
		t.Error("refused")
	}
	if rb, sb := r.bytes(), s.bytes(); hex.EncodeToString(rb[:]) != "f5a03b0648d2c4630eeac513e1bb81a15944da3827d5b74143ac7eaceee720b3" ||
		hex.EncodeToString(sb[:]) != "b1b6aa29df212fd8763182bc0d421ca1bb9038fd1f7f42d4840b69c485bbc1aa" {
		t.Errorf("r = %x, s = %x", rb, sb)
	}
	if !k.PublicKey().VerifyMessage([]byte("message digest"), encodeSignature(&r, &s), nil) {
		t.Error("does not verify")
	}
}

func TestAnnexEncryption(t *testing.T) { eachDriver(t, testAnnexEncryption) }

func testAnnexEncryption(t *testing.T, d Driver) {
	k := newKey(d, annexKey)
	message := []byte("encryption standard")
	c2 := make([]byte, len(message))
	c1, c3, ok := k.PublicKey().encryptWith(c2, message, new([64]byte), toScalar(number(annexNonce)))
	got := joinCiphertext(c1, c2, c3, C1C3C2)
	want := unhex("0404ebfc718e8d1798620432268e77feb6415e2ede0e073c0f4f640ecd2e149a73e858f9d81e5430a57b36daab8f950a3c64e6ee6a63094d99283aff767e124df0" +
		"59983c18f809e262923c53aec295d30383b54e39d609d160afcb1908d0bd8766" + "21886ca989ca9c7d58087307ca93092d651efa")
	if ok != 1 || !bytes.Equal(got, want) {
		t.Errorf("%x", got)
	}
	if p, err := k.Decrypt(nil, want, C1C3C2); err != nil || !bytes.Equal(p, message) {
		t.Errorf("decrypted: %q, %v", p, err)
	}
}

func TestAnnexExchange(t *testing.T) { eachDriver(t, testAnnexExchange) }

func testAnnexExchange(t *testing.T, d Driver) {
	ka := newKey(d, "81EB26E941BB5AF16DF116495F90695272AE2CD63D6C4AE1678418BE48230029")
	kb := newKey(d, "785129917D45A9EA5437A59356B82338EAADDA6CEB199088F14AE10DEFA229B5")
	a := must(newExchange(ka, nil, kb.PublicKey(), nil, true, toScalar(number("D4DE15474DB74D06491C440D305E012400990F3E390C7E87153C12DB2EA60BB3"))))
	b := must(newExchange(kb, nil, ka.PublicKey(), nil, false, toScalar(number("7E07124814B309489125EAED101113164EBF0F3458C5BD88335C1F9D596243D6"))))
	key := "6c89347354de2484c60b4ab1fde4c6e5"
	if got := must(b.Agree(a.Point(), 16)); hex.EncodeToString(got) != key {
		t.Errorf("B has the key %x", got)
	}
	if got := must(a.Agree(b.Point(), 16)); hex.EncodeToString(got) != key {
		t.Errorf("A has the key %x", got)
	}
	if s := must(b.Confirmation()); hex.EncodeToString(s) != "d3a0fe15dee185ceae907a6b595cc32a266ed7b3367e9983a896dc32fa20f8eb" {
		t.Errorf("SB = %x", s)
	}
	if s := must(a.Confirmation()); hex.EncodeToString(s) != "18c7894b3816df16cf07b05c5ec0bef5d655d58f779cc1b400a4f3884644db88" {
		t.Errorf("SA = %x", s)
	}
	if err := a.Confirm(must(b.Confirmation())); err != nil {
		t.Error(err)
	}
	if err := b.Confirm(must(a.Confirmation())); err != nil {
		t.Error(err)
	}
}

func TestExchange(t *testing.T) { eachDriver(t, testExchange) }

func testExchange(t *testing.T, d Driver) {
	ka, kb := must(d.GenerateKey()), must(d.GenerateKey())
	begin := func(idB string) (a, b *Exchange) {
		a = must(NewExchange(ka, []byte("a"), kb.PublicKey(), []byte("b"), true))
		b = must(NewExchange(kb, []byte(idB), ka.PublicKey(), []byte("a"), false))
		return a, b
	}
	for _, n := range []int{1, 16, 31, 32, 33, 100} {
		a, b := begin("b")
		if !bytes.Equal(must(a.Agree(b.Point(), n)), must(b.Agree(a.Point(), n))) {
			t.Errorf("%d bytes: the keys differ", n)
		}
	}
	a, b := begin("c")
	if bytes.Equal(must(a.Agree(b.Point(), 16)), must(b.Agree(a.Point(), 16))) {
		t.Error("other IDs, and the keys are the same")
	}
	if a.Confirm(must(b.Confirmation())) == nil {
		t.Error("other IDs are confirmed")
	}
	if _, err := a.Confirmation(); err == nil {
		t.Error("a failed exchange goes on")
	}
	a, b = begin("b")
	if _, err := a.Confirmation(); err == nil {
		t.Error("a confirmation before the key")
	}
	if a.Confirm(make([]byte, 32)) == nil {
		t.Error("a confirmation before the key is accepted")
	}
	if _, err := a.Agree(make([]byte, 65), 16); err == nil {
		t.Error("agrees with no point")
	}
	if _, err := a.Agree(b.Point(), 0); err == nil {
		t.Error("a key of 0 bytes")
	}
	must(a.Agree(b.Point(), 16))
	if a.nonce != (scalar{}) {
		t.Error("the nonce is still there")
	}
	if _, err := a.Agree(b.Point(), 16); err == nil {
		t.Error("agrees twice")
	}
	// The peer's point such that P + xbar R is infinity: no key.
	var xbar, r scalar
	for i := int64(2); ; i++ { // R = i G, P = - xbar R
		R := specG.times(big.NewInt(i))
		ra := toAffine(R)
		xbar = reducedX(&ra)
		r.sub(&scalar{}, &xbar)
		r.mul(&r, toScalar(big.NewInt(i)))
		key := r.bytes()
		evil, err := d.NewPrivateKey(key[:])
		if err != nil {
			continue
		}
		a = must(NewExchange(ka, nil, evil.PublicKey(), nil, true))
		if _, err := a.Agree(R.bytes(), 16); err == nil {
			t.Error("a key from infinity")
		}
		break
	}
}

func TestSign(t *testing.T) { eachDriver(t, testSign) }

func testSign(t *testing.T, d Driver) {
	for i := range 20 {
		secret := new(big.Int).SetBytes(randomBytes(32))
		secret.Mod(secret, new(big.Int).Sub(specN, big.NewInt(2))).Add(secret, big.NewInt(1))
		k := must(d.NewPrivateKey(secret.FillBytes(make([]byte, 32))))
		p := specG.times(secret)
		if !bytes.Equal(k.PublicKey().Bytes(), p.bytes()) {
			t.Fatalf("%x: wrong public key", secret)
		}
		id, message := randomBytes(i), randomBytes(10*i)
		digest := must(k.PublicKey().Digest(message, &SignatureOptions{ID: id}))
		if want := specHash(specZ(id, p), message); !bytes.Equal(digest[:], want) {
			t.Fatalf("digest %x, want %x", digest, want)
		}
		// Deterministic: the same as on math/big.
		var want []byte
		specNonces(secret, digest[:], func(n *big.Int) bool {
			r, s := specSign(secret, n, digest[:])
			if r == nil {
				return false
			}
			want = must(asn1.Marshal([]*big.Int{r, s}))
			return true
		})
		if got := must(k.SignMessage(nil, message, &SignatureOptions{ID: id})); !bytes.Equal(got, want) {
			t.Errorf("signature %x, want %x", got, want)
		}
		// Random: accepted by the package and by the specification.
		signature := must(k.SignMessage(rand.Reader, message, &SignatureOptions{ID: id}))
		if !k.PublicKey().VerifyMessage(message, signature, &SignatureOptions{ID: id}) {
			t.Error("own signature refused")
		}
		var numbers struct{ R, S *big.Int }
		if _, err := asn1.Unmarshal(signature, &numbers); err != nil || !specVerify(p, digest[:], numbers.R, numbers.S) {
			t.Errorf("%x is no signature: %v", signature, err)
		}
		if bytes.Equal(signature, must(k.Sign(rand.Reader, digest[:], nil))) {
			t.Error("two signatures are the same")
		}
		raw := must(k.SignRaw(nil, digest[:]))
		if !k.PublicKey().VerifyRaw(digest[:], raw[:]) {
			t.Error("raw signature refused")
		}
		raw[i]++
		if k.PublicKey().VerifyRaw(digest[:], raw[:]) {
			t.Error("another raw signature accepted")
		}
	}
}

// Verification where x1 is n or more, and where the digest is. These cases are rare, so
// they are constructed backwards: s and t determine R, and e follows from r = t - s.
func TestVerifyEdges(t *testing.T) { eachDriver(t, testVerifyEdges) }

func testVerifyEdges(t *testing.T, d Driver) {
	k := newKey(d, annexKey)
	p := toSpec(&point{k.public.point.x, k.public.point.y, one})
	for i := range int64(10) {
		s, sum := big.NewInt(i+1), big.NewInt(2*i+5)
		x := specG.times(s).add(p.times(sum)).x
		r := new(big.Int).Sub(sum, s)
		e := new(big.Int).Sub(r, x)
		for e.Mod(e, specN); e.BitLen() <= 256; e.Add(e, specN) {
			digest := e.FillBytes(make([]byte, 32))
			if !specVerify(p, digest, r, s) || !k.PublicKey().verify(digest, toScalar(r), toScalar(s)) {
				t.Errorf("%x: not accepted", e)
			}
			if k.PublicKey().verify(digest, toScalar(r), toScalar(new(big.Int).Add(s, big.NewInt(1)))) {
				t.Errorf("%x: accepted", e)
			}
		}
	}
	// R has an x between n and p: the public key is constructed for it.
	for x := new(big.Int).Set(specN); ; x.Add(x, big.NewInt(1)) {
		var R affine
		if !R.setBytes(d.row, append([]byte{2}, x.FillBytes(make([]byte, 32))...)) {
			continue
		}
		// R = s G + t P with s = 1, t = 2: P = (R - G) / 2.
		half := new(big.Int).ModInverse(big.NewInt(2), specN)
		Rs := toSpec(&point{R.x, R.y, one})
		P := Rs.add(specG.times(new(big.Int).Sub(specN, big.NewInt(1)))).times(half)
		public := must(d.NewPublicKey(P.bytes()))
		e := new(big.Int).Sub(big.NewInt(1), x) // r = t - s = 1
		digest := e.Mod(e, specN).FillBytes(make([]byte, 32))
		if !specVerify(P, digest, big.NewInt(1), big.NewInt(1)) || !public.verify(digest, &scalar{1}, &scalar{1}) {
			t.Errorf("x = %x: not accepted", x)
		}
		break
	}
}

// A nonce that the standard refuses is refused.
func TestRefusedNonces(t *testing.T) { eachDriver(t, testRefusedNonces) }

func testRefusedNonces(t *testing.T, d Driver) {
	k := newKey(d, annexKey)
	must(k.SignRaw(nil, make([]byte, 32)))
	nonce := number(annexNonce)
	x := specG.times(nonce).x
	var r, s scalar
	for _, want := range []*big.Int{big.NewInt(0), new(big.Int).Sub(specN, nonce)} { // r = 0; r + k = n
		e := new(big.Int).Sub(want, x)
		if k.signWith(&r, &s, toScalar(e.Mod(e, specN)), toScalar(nonce)) == 0 {
			t.Errorf("r = %x is accepted", want)
		}
	}
	// s = 0: k = r d.
	want := new(big.Int).Mul(nonce, new(big.Int).ModInverse(number(annexKey), specN))
	e := want.Sub(want.Mod(want, specN), x)
	if k.signWith(&r, &s, toScalar(e.Mod(e, specN)), toScalar(nonce)) == 0 {
		t.Error("s = 0 is accepted")
	}
}

// After a refused nonce, the next one is as in RFC 6979.
func TestNonces(t *testing.T) {
	digest := randomBytes(32)
	d, e := toScalar(number(annexKey)), new(scalar)
	e.setInteger(limbs(digest))
	list := newNonces(d, e)
	count := 0
	specNonces(number(annexKey), digest, func(want *big.Int) bool {
		var got scalar
		if list.next(&got); fromLimbs(got).Cmp(want) != 0 {
			t.Errorf("nonce %d is %x, want %x", count, got, want)
		}
		count++
		return count == 3
	})
}

func TestEncrypt(t *testing.T) { eachDriver(t, testEncrypt) }

func testEncrypt(t *testing.T, d Driver) {
	k := must(d.GenerateKey())
	for _, format := range []Format{ASN1, C1C3C2, C1C2C3} {
		for _, n := range []int{1, 2, 31, 32, 33, 64, 100, 127, 128, 200, 255, 256, 1000, 70000} {
			message := randomBytes(n)
			c := must(k.PublicKey().Encrypt(message, format))
			p, err := k.Decrypt(nil, c, format)
			if err != nil || !bytes.Equal(p, message) {
				t.Errorf("%v, %d bytes: %v", format, n, err)
			}
			for _, i := range []int{0, 1, 40, len(c) / 2, len(c) - 33, len(c) - 1} {
				c[i] ^= 1
				if p, err := k.Decrypt(nil, c, format); !errors.Is(err, ErrDecryption) || p != nil {
					t.Errorf("%v, %d bytes: another byte %d is accepted", format, n, i)
				}
				c[i] ^= 1
			}
			for _, i := range []int{0, 1, 33, 65, 97, len(c) - 1} {
				if _, err := k.Decrypt(nil, c[:i], format); !errors.Is(err, ErrDecryption) {
					t.Errorf("%v, %d bytes: cut to %d: %v", format, n, i, err)
				}
			}
			if _, err := k.Decrypt(nil, append(c, 0), format); err == nil {
				t.Errorf("%v, %d bytes: more at the end is accepted", format, n)
			}
		}
	}
	// Compare with math/big, also with a compressed point.
	message, nonce := randomBytes(77), number(annexNonce)
	p := toSpec(&point{k.public.point.x, k.public.point.y, one})
	c1, c2, c3 := specEncrypt(p, nonce, message)
	for _, point := range [][]byte{c1, must(d.NewPublicKey(c1)).BytesCompressed()} {
		c := bytes.Join([][]byte{point, c3, c2}, nil)
		if got, err := k.Decrypt(nil, c, C1C3C2); err != nil || !bytes.Equal(got, message) {
			t.Errorf("C1 of %d bytes: %v", len(point), err)
		}
	}
	if _, err := k.PublicKey().Encrypt(nil, ASN1); err == nil {
		t.Error("an empty message is encrypted")
	}
	if _, err := k.PublicKey().Encrypt(message, 3); err == nil {
		t.Error("a format that there is not")
	}
	if _, err := k.Decrypt(nil, c1, 7); err == nil {
		t.Error("options that there are not")
	}
}

// Points of other curves are refused even if the ciphertext is otherwise consistent:
// with a few small groups, an attacker could recover the key.
func TestOtherCurves(t *testing.T) { eachDriver(t, testOtherCurves) }

func testOtherCurves(t *testing.T, d Driver) {
	k := newKey(d, annexKey)
	message := []byte("message")
	for i := range int64(20) {
		y := new(big.Int).Add(specG.y, big.NewInt(i))
		bad := affine{x: base.x}
		bad.y.setBytes(y.FillBytes(make([]byte, 32)))
		var p point
		p.multiply(generic, &k.d, &bad)
		a := p.affine(generic)
		secret := a.coordinates()
		c2 := specKDF(secret[:], len(message))
		for j := range c2 {
			c2[j] ^= message[j]
		}
		c3 := [32]byte(specHash(secret[:32], message, secret[32:]))
		for _, format := range []Format{ASN1, C1C3C2, C1C2C3} {
			got, err := k.Decrypt(nil, joinCiphertext(bad, c2, c3, format), format)
			if i == 0 && (err != nil || !bytes.Equal(got, message)) { // G itself
				t.Errorf("%v: %v", format, err)
			}
			if i != 0 && (err == nil || got != nil) {
				t.Errorf("%v: a point of another curve is accepted", format)
			}
		}
	}
}

// A message of one byte meets a KDF output of 0 in one of 256 cases: it is never
// encrypted with it, and no such ciphertext is accepted.
func TestZeroKeystream(t *testing.T) { eachDriver(t, testZeroKeystream) }

func testZeroKeystream(t *testing.T, d Driver) {
	k := newKey(d, annexKey)
	p := toSpec(&point{k.public.point.x, k.public.point.y, one})
	for i := int64(1); ; i++ {
		nonce := big.NewInt(i)
		c1, c2, c3 := specEncrypt(p, nonce, []byte{0x5a})
		if c2[0] != 0x5a {
			continue
		}
		if _, _, ok := k.PublicKey().encryptWith(make([]byte, 1), []byte{0x5a}, new([64]byte), toScalar(nonce)); ok != 0 {
			t.Error("encrypted")
		}
		if _, err := k.Decrypt(nil, bytes.Join([][]byte{c1, c3, c2}, nil), C1C3C2); err == nil {
			t.Error("decrypted")
		}
		break
	}
	for range 600 { // more than two of them, on average
		if c := must(k.PublicKey().Encrypt([]byte{0x5a}, C1C3C2)); c[len(c)-1] == 0x5a {
			t.Error("encrypted with 0")
		}
	}
}

func TestECDH(t *testing.T) { eachDriver(t, testECDH) }

func testECDH(t *testing.T, d Driver) {
	a, b := must(d.GenerateKey()), must(d.GenerateKey())
	x := must(a.ECDH(b.PublicKey()))
	if !bytes.Equal(x, must(b.ECDH(a.PublicKey()))) {
		t.Error("the secrets differ")
	}
	want := specG.times(new(big.Int).SetBytes(a.Bytes())).times(new(big.Int).SetBytes(b.Bytes())).x.FillBytes(make([]byte, 32))
	if !bytes.Equal(x, want) {
		t.Errorf("%x, want %x", x, want)
	}
}

func TestKeys(t *testing.T) { eachDriver(t, testKeys) }

func testKeys(t *testing.T, d Driver) {
	k := must(d.GenerateKey())
	for name, parse := range map[string]func() (*PrivateKey, error){
		"Bytes":   func() (*PrivateKey, error) { return d.NewPrivateKey(k.Bytes()) },
		"PKCS #8": func() (*PrivateKey, error) { return ParsePKCS8PrivateKey(MarshalPKCS8PrivateKey(k)) },
		"SEC 1":   func() (*PrivateKey, error) { return ParseECPrivateKey(MarshalECPrivateKey(k)) },
	} {
		if back, err := parse(); err != nil || !back.Equal(k) || !back.PublicKey().Equal(k.Public()) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, parse := range map[string]func() (*PublicKey, error){
		"Bytes":           func() (*PublicKey, error) { return d.NewPublicKey(k.PublicKey().Bytes()) },
		"BytesCompressed": func() (*PublicKey, error) { return d.NewPublicKey(k.PublicKey().BytesCompressed()) },
		"PKIX":            func() (*PublicKey, error) { return ParsePKIXPublicKey(MarshalPKIXPublicKey(k.PublicKey())) },
	} {
		if back, err := parse(); err != nil || !back.Equal(k.Public()) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if k.Equal(must(d.GenerateKey())) || k.Equal(nil) || k.PublicKey().Equal(must(d.GenerateKey()).Public()) || k.PublicKey().Equal(nil) {
		t.Error("equal to something else")
	}
	// No byte of the encodings outside the numbers may change or be missing.
	other := must(d.GenerateKey()).PublicKey()
	for i, der := range [][]byte{MarshalPKCS8PrivateKey(k), MarshalECPrivateKey(k)} {
		parse := []func([]byte) (*PrivateKey, error){ParsePKCS8PrivateKey, ParseECPrivateKey}
		for j := range der {
			changed := bytes.Clone(der)
			changed[j] ^= 1
			const version = 5 // of PKCS #8, where both are read: the 1 of RFC 5208 and the 2 of RFC 5958
			if _, err := parse[i](changed); err == nil && (i != 0 || j != version) {
				t.Errorf("%x is read", changed)
			}
			if _, err := parse[i](der[:j]); err == nil {
				t.Errorf("%x is read", der[:j])
			}
		}
		if _, err := parse[1-i](der); err == nil {
			t.Error("read as the other format")
		}
		mixed := bytes.Replace(der, k.PublicKey().Bytes(), other.Bytes(), 1)
		if _, err := parse[i](mixed); err == nil || bytes.Equal(mixed, der) {
			t.Error("another public key is accepted")
		}
	}
	// Trailing data after a value, included in the lengths of all enclosing values.
	curve, d1 := pkix.Append(nil, pkix.OID, oidCurve), k.Bytes()
	bits := pkix.Append(nil, pkix.BitString, []byte{0}, k.PublicKey().Bytes())
	for _, more := range [][]byte{nil, {pkix.Null, 0}} {
		for at := range 3 {
			m := [3][]byte{}
			m[at] = more
			der := pkix.Append(nil, pkix.Sequence, []byte{pkix.Integer, 1, 1}, pkix.Append(nil, pkix.OctetString, d1),
				pkix.Append(nil, pkix.Explicit0, curve, m[0]), pkix.Append(nil, pkix.Explicit1, bits, m[1]), m[2])
			if _, err := ParseECPrivateKey(der); (err == nil) != (more == nil) {
				t.Errorf("%x: %v", der, err)
			}
		}
	}
	w := must(d.GenerateKey())
	must(w.Sign(nil, make([]byte, 32), nil))
	if w.Wipe(); w.d != (scalar{}) || w.signing.inverse != (scalar{}) {
		t.Error("not wiped")
	}
	if _, err := w.Sign(nil, make([]byte, 32), nil); err == nil {
		t.Error("a wiped key signs")
	}
	if _, err := w.ECDH(other); err == nil {
		t.Error("a wiped key does ECDH")
	}
	if _, err := w.Decrypt(nil, must(other.Encrypt([]byte{1}, ASN1)), nil); err == nil || errors.Is(err, ErrDecryption) {
		t.Error("a wiped key decrypts")
	}
}

// The zero values of keys must be refused. If the zero public key were accepted, anyone
// could sign: (0, 0) has order 2 on another curve, so an even multiple of it is infinity
// and contributes nothing to s G + t P.
func TestZeroKeys(t *testing.T) {
	k, none, nobody := newKey(automatic(), annexKey), new(PrivateKey), new(PublicKey)
	digest := make([]byte, 32)
	// s = 1 and r is the x of G, an odd number, so that t = r + s is even.
	forged := append(specG.x.FillBytes(make([]byte, 32)), append(make([]byte, 31), 1)...)
	if nobody.VerifyRaw(digest, forged) {
		t.Error("a forgery for no key is valid")
	}
	if VerifyMany(slices.Repeat([]Verification{{Key: nobody, Digest: digest, Signature: forged, Raw: true}}, 9)) {
		t.Error("forgeries for no key are valid")
	}
	ciphertext := must(k.PublicKey().Encrypt(digest, ASN1))
	exchange := func(key *PrivateKey, peer *PublicKey) error {
		_, err := NewExchange(key, nil, peer, nil, true)
		return err
	}
	second := func(_ any, err error) error { return err }
	for what, err := range map[string]error{
		"signs":                    second(none.Sign(nil, digest, nil)),
		"decrypts":                 second(none.Decrypt(nil, ciphertext, nil)),
		"agrees":                   second(none.ECDH(k.PublicKey())),
		"exchanges":                exchange(none, k.PublicKey()),
		"is encrypted":             second(MarshalEncryptedPrivateKey(none, digest, &KeyEncryption{Iterations: 1})),
		"has messages":             second(nobody.Encrypt(digest, ASN1)),
		"is agreed with":           second(k.ECDH(nobody)),
		"is a peer of an exchange": exchange(k, nobody),
	} {
		if err == nil {
			t.Errorf("no key %s", what)
		}
	}
	k.Wipe()
	for _, key := range []*PrivateKey{none, k} {
		if key.Bytes() != nil || MarshalECPrivateKey(key) != nil || MarshalPKCS8PrivateKey(key) != nil {
			t.Error("no key has an encoding")
		}
		if key.Equal(k) {
			t.Error("no key is equal to one that was wiped")
		}
	}
}

// A key that is wiped in the middle of an exchange ends it.
func TestExchangeWiped(t *testing.T) {
	a, b := must(GenerateKey()), must(GenerateKey())
	x := must(NewExchange(a, nil, b.PublicKey(), nil, true))
	a.Wipe()
	if key, err := x.Agree(specG.bytes(), 16); err == nil || key != nil {
		t.Errorf("the key %x, without that of this side", key)
	}
}

func TestOptions(t *testing.T) { eachDriver(t, testOptions) }

func testOptions(t *testing.T, d Driver) {
	k := must(d.GenerateKey())
	if _, err := k.Sign(nil, make([]byte, 31), nil); err == nil {
		t.Error("a digest of 31 bytes")
	}
	for _, hash := range []crypto.Hash{crypto.SHA256, crypto.SHA512, 1000} { // 1000 is not defined
		if _, err := k.Sign(nil, make([]byte, 32), hash); err == nil {
			t.Errorf("Sign with hash function %d", hash)
		}
		if _, err := k.SignMessage(nil, nil, hash); err == nil {
			t.Errorf("SignMessage with hash function %d", hash)
		}
	}
	for _, opts := range []crypto.SignerOpts{nil, crypto.Hash(0), (*SignatureOptions)(nil), &SignatureOptions{}, &SignatureOptions{ID: []byte("a")}} {
		id := []byte(nil)
		if o, ok := opts.(*SignatureOptions); ok && o != nil {
			id = o.ID
		}
		digest := must(k.PublicKey().Digest([]byte("message"), &SignatureOptions{ID: id}))
		if a, b := must(k.Sign(nil, digest[:], opts)), must(k.SignMessage(nil, []byte("message"), opts)); !bytes.Equal(a, b) {
			t.Errorf("%v: Sign and SignMessage differ", opts)
		}
	}
	if _, err := k.SignMessage(nil, nil, &SignatureOptions{ID: make([]byte, 8192)}); err == nil {
		t.Error("an ID of 8192 bytes")
	}
	if s := must(k.SignMessage(nil, nil, nil)); !k.PublicKey().VerifyMessage(nil, s, &SignatureOptions{ID: []byte(DefaultID)}) || k.PublicKey().VerifyMessage(nil, s, &SignatureOptions{ID: []byte{}}) {
		t.Error("no options are not the default ID")
	}
	if _, err := On("none"); !errors.Is(err, drivers.ErrUnknown) {
		t.Error(err)
	}
}

// Keys use the driver that created them, and the package's constructors use one of its
// drivers.
func TestDrivers(t *testing.T) {
	eachDriver(t, func(t *testing.T, d Driver) {
		k := must(d.GenerateKey())
		back := must(d.NewPrivateKey(k.Bytes()))
		public := must(d.NewPublicKey(k.PublicKey().BytesCompressed()))
		for _, row := range []uint8{k.public.row, back.public.row, public.row} {
			if row != d.row {
				t.Errorf("row %d, want %d", row, d.row)
			}
		}
		other := must(NewPublicKey(public.Bytes()))
		if s := must(back.SignMessage(rand.Reader, []byte("a"), nil)); !other.VerifyMessage([]byte("a"), s, nil) || other.VerifyMessage([]byte("b"), s, nil) {
			t.Error("signatures are wrong")
		}
	})
	for _, row := range []uint8{must(GenerateKey()).public.row, must(NewPublicKey(specG.bytes())).row, must(NewPrivateKey(unhex(annexKey))).public.row} {
		if row != automatic().row {
			t.Errorf("row %d, want %d", row, automatic().row)
		}
	}
}

func TestConcurrent(t *testing.T) { eachDriver(t, testConcurrent) }

func testConcurrent(t *testing.T, d Driver) {
	k := newKey(d, annexKey)
	want := must(newKey(d, annexKey).Sign(nil, make([]byte, 32), nil))
	var wait sync.WaitGroup
	for range 8 {
		wait.Add(1)
		go func() {
			defer wait.Done()

			if got, err := k.Sign(nil, make([]byte, 32), nil); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%x, %v", got, err)
			}
		}()
	}
	wait.Wait()
}

// The file contains cases in the format of Wycheproof: input that must be accepted, and
// input that must not. Valid input must be refused if it is truncated or extended.
func TestNegative(t *testing.T) { eachDriver(t, testNegative) }

func testNegative(t *testing.T, d Driver) {
	var file struct {
		TestGroups []struct {
			Type  string
			Key   string // private or public, as the type says
			Tests []struct {
				TcID                     int
				Comment, Msg, Sig, Input string
				Result                   string
			}
		}
	}
	if err := json.Unmarshal(must(os.ReadFile("testdata/sm2_negative.json")), &file); err != nil {
		t.Fatal(err)
	}
	count, valid := 0, map[string]int{}
	for _, g := range file.TestGroups {
		key := unhex(g.Key)
		for _, c := range g.Tests {
			count++
			accepts := func(b []byte) bool {
				var err error
				switch g.Type {
				case "SignatureVerify":
					return must(d.NewPublicKey(key)).VerifyMessage(unhex(c.Msg), b, nil)
				case "SignatureVerifyRaw":
					public := must(d.NewPublicKey(key))
					digest := must(public.Digest(unhex(c.Msg), nil))
					return public.VerifyRaw(digest[:], b)
				case "DecryptASN1":
					_, err = must(d.NewPrivateKey(key)).Decrypt(nil, b, ASN1)
				case "DecryptC1C3C2":
					_, err = must(d.NewPrivateKey(key)).Decrypt(nil, b, C1C3C2)
				case "DecryptC1C2C3":
					_, err = must(d.NewPrivateKey(key)).Decrypt(nil, b, C1C2C3)
				case "PublicKey":
					_, err = d.NewPublicKey(b)
				case "PrivateKey":
					_, err = d.NewPrivateKey(b)
				case "PKIX":
					_, err = ParsePKIXPublicKey(b)
				case "Certificate":
					_, err = ParseCertificatePublicKey(b)
				case "SEC1":
					_, err = ParseECPrivateKey(b)
				case "PKCS8":
					_, err = ParsePKCS8PrivateKey(b)
				default:
					t.Fatalf("type %q", g.Type)
				}
				return err == nil
			}
			input := unhex(c.Input + c.Sig) // one of them is empty
			if ok := accepts(input); ok != (c.Result == "valid") {
				t.Errorf("%d, %s, %s: accepted %v, is %s", c.TcID, g.Type, c.Comment, ok, c.Result)
			}
			if c.Result != "valid" {
				continue
			}
			valid[g.Type]++
			for n := range input {
				if accepts(input[:n]) {
					t.Errorf("%d, %s, %s: accepted when cut to %d bytes", c.TcID, g.Type, c.Comment, n)
				}
			}
			for _, more := range []byte{0, 1, 0xff} {
				if accepts(append(input, more)) {
					t.Errorf("%d, %s, %s: accepted with %#x behind it", c.TcID, g.Type, c.Comment, more)
				}
			}
		}
	}
	if count < 350 || len(valid) != 11 {
		t.Errorf("%d cases, valid ones %v", count, valid)
	}
}

func TestFIPSOnly(t *testing.T) {
	conformance.FIPSOnly(t, func(t *testing.T) {
		if _, err := GenerateKey(); err == nil {
			t.Error("a key is made")
		}
		if GenerateMany(make([]*PrivateKey, 9)) == nil {
			t.Error("keys are made")
		}
		if _, err := NewPrivateKey(unhex(annexKey)); err == nil {
			t.Error("a private key is read")
		}
		if _, err := NewPublicKey(specG.bytes()); err == nil {
			t.Error("a public key is read")
		}
	})
}

func FuzzDecode(f *testing.F) {
	k := newKey(automatic(), annexKey)
	f.Add(MarshalPKCS8PrivateKey(k))
	f.Add(MarshalECPrivateKey(k))
	f.Add(MarshalPKIXPublicKey(k.PublicKey()))
	f.Add(must(k.SignMessage(nil, nil, nil)))
	f.Add(k.PublicKey().BytesCompressed())
	f.Fuzz(func(t *testing.T, b []byte) {
		// Parsing and encoding gives the same bytes where the encoding is unique.
		var r, s scalar
		if decodeSignature(&r, &s, b) {
			if !bytes.Equal(encodeSignature(&r, &s), b) {
				t.Errorf("%x is read", b)
			}
			var numbers struct{ R, S *big.Int }
			if rest, err := asn1.Unmarshal(b, &numbers); err != nil || len(rest) > 0 || numbers.R.Cmp(fromLimbs(r)) != 0 || numbers.S.Cmp(fromLimbs(s)) != 0 {
				t.Errorf("%x is not what encoding/asn1 reads: %v", b, err)
			}
		}
		if p, err := NewPublicKey(b); err == nil && !bytes.Equal(p.Bytes(), b) && !bytes.Equal(p.BytesCompressed(), b) {
			t.Errorf("%x is read", b)
		}
		ParsePKIXPublicKey(b)
		ParseECPrivateKey(b)
		ParsePKCS8PrivateKey(b)
		for format := ASN1; format <= C1C2C3; format++ {
			if c1, c2, c3, ok := splitCiphertext(generic, b, format); ok {
				if back := joinCiphertext(c1, c2, [32]byte(c3), format); !bytes.Equal(back, b) && b[0]&^1 != formCompressed {
					t.Errorf("%v: %x is read", format, b)
				}
			}
		}
	})
}

func BenchmarkSM2(b *testing.B) {
	for _, info := range Drivers() {
		if info.Available() {
			b.Run(info.Name, func(b *testing.B) { benchmark(b, must(On(info.Name))) })
		}
	}
}

func benchmark(b *testing.B, d Driver) {
	k, peer := must(d.GenerateKey()), must(d.GenerateKey()).PublicKey()
	digest := make([]byte, 32)
	signature := must(k.Sign(rand.Reader, digest, nil))
	message := make([]byte, 32)
	ciphertext := must(k.PublicKey().Encrypt(message, ASN1))
	for _, c := range []struct {
		name string
		f    func()
	}{
		{"GenerateKey", func() { d.GenerateKey() }},
		{"Sign", func() { k.Sign(rand.Reader, digest, nil) }},
		{"SignDeterministic", func() { k.Sign(nil, digest, nil) }},
		{"Verify", func() { k.PublicKey().Verify(digest, signature) }},
		{"Encrypt", func() { k.PublicKey().Encrypt(message, ASN1) }},
		{"Decrypt", func() { k.Decrypt(nil, ciphertext, nil) }},
		{"ECDH", func() { k.ECDH(peer) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c.f()
			}
		})
	}
}

// A digest that is used again begins with Z again, and its state can be saved.
func TestNewDigestReset(t *testing.T) {
	k := must(GenerateKey())
	for _, opts := range []*SignatureOptions{nil, {ID: []byte("someone")}} {
		want := must(k.PublicKey().Digest([]byte("message"), opts))
		h := must(k.PublicKey().NewDigest(opts))
		for range 2 {
			h.Write([]byte("mess"))
			state := must(h.(encoding.BinaryMarshaler).MarshalBinary())
			appended := must(h.(encoding.BinaryAppender).AppendBinary([]byte("x")))
			if !bytes.Equal(appended, append([]byte("x"), state...)) {
				t.Errorf("AppendBinary: %x", appended)
			}
			other := must(h.(clone.Cloner).Clone())
			h.Write([]byte("other"))
			if other.Write([]byte("age")); !bytes.Equal(other.Sum(nil), want[:]) {
				t.Errorf("a clone: %x, want %x", other.Sum(nil), want)
			}
			if other.Reset(); !bytes.Equal(other.Sum(nil), must(k.PublicKey().NewDigest(opts)).Sum(nil)) {
				t.Error("a clone loses Z")
			}
			if err := h.(encoding.BinaryUnmarshaler).UnmarshalBinary(state); err != nil {
				t.Fatal(err)
			}
			h.Write([]byte("age"))
			if got := h.Sum(nil); !bytes.Equal(got, want[:]) {
				t.Errorf("%x, want %x", got, want)
			}
			h.Reset()
		}
	}
}
