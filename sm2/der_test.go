package sm2

import (
	"bytes"
	"math/big"
	"testing"

	"github.com/cipherlane/cipherlane/internal/ctgrind"
	"github.com/cipherlane/cipherlane/internal/pkix"
)

// explicitAlgorithm is algorithm with the parameters of the curve in place of its name.
func explicitAlgorithm() []byte {
	minus3 := new(big.Int).Sub(specP, big.NewInt(3))
	sequence := func(parts ...[]byte) []byte { return pkix.Append(nil, pkix.Sequence, parts...) }
	octets := func(x *big.Int) []byte { return pkix.Append(nil, pkix.OctetString, x.FillBytes(make([]byte, 32))) }
	integer := func(x *big.Int) []byte { return pkix.AppendNumber(nil, [32]byte(x.FillBytes(make([]byte, 32)))) }
	return sequence(pkix.Append(nil, pkix.OID, oidECPublicKey), sequence(
		integer(big.NewInt(1)),
		sequence(pkix.Append(nil, pkix.OID, oidPrimeField), integer(specP)),
		sequence(octets(minus3), octets(specB)),
		pkix.Append(nil, pkix.OctetString, specG.bytes()),
		integer(specN), integer(big.NewInt(1))))
}

// Errors name the true reason.
func TestKeyErrors(t *testing.T) {
	k := newKey(automatic(), annexKey)
	another := newKey(automatic(), annexNonce).PublicKey().Bytes()
	q := k.PublicKey().Bytes()
	wrongForm := append([]byte{7 ^ q[64]&1}, q[1:]...)
	ec := func(d, curve, public []byte) []byte {
		b := pkix.Append([]byte{pkix.Integer, 1, 1}, pkix.OctetString, d)
		if curve != nil {
			b = pkix.Append(b, pkix.Explicit0, curve)
		}
		if public != nil {
			b = pkix.Append(b, pkix.Explicit1, pkix.Append(nil, pkix.BitString, []byte{0}, public))
		}
		return pkix.Append(nil, pkix.Sequence, b)
	}
	d, name := k.Bytes(), pkix.Append(nil, pkix.OID, oidCurve)
	other := pkix.Append(nil, pkix.OID, oidPrimeField)
	explicit := bytes.Replace(explicitAlgorithm(), specG.bytes(), another, 1)
	for what, c := range map[string]struct {
		der        []byte
		want, pkcs error // in SEC 1, and inside PKCS #8 that names the curve
	}{
		"as it is":          {ec(d, name, q), nil, nil},
		"no curve":          {ec(d, nil, q), errNoCurve, nil},
		"another curve":     {ec(d, other, q), errAlgorithm, errAlgorithm},
		"another generator": {ec(d, explicit[13:], q), errAlgorithm, errAlgorithm},
		"another key":       {ec(d, name, another), errOtherPublic, errOtherPublic},
		"not a point":       {ec(d, name, wrongForm), errPublicPoint, errPublicPoint},
		"too large":         {ec(append([]byte{1}, d...), name, nil), errRange, errRange},
		"empty":             {ec(nil, name, nil), errRange, errRange},
		"cut":               {ec(d, name, q)[:50], errPrivateDER, errPrivateDER},
		"cut in the curve":  {ec(d, name[:4], q), errAlgorithm, errAlgorithm},
	} {
		if _, err := ParseECPrivateKey(c.der); err != c.want {
			t.Errorf("%s: %v, want %v", what, err, c.want)
		}
		if _, err := ParsePKCS8PrivateKey(pkix.MarshalPrivate(algorithm(), c.der)); err != c.pkcs {
			t.Errorf("%s, in PKCS #8: %v, want %v", what, err, c.pkcs)
		}
	}
	for what, c := range map[string]struct {
		der  []byte
		want error
	}{
		"as it is":          {pkix.MarshalPublic(explicitAlgorithm(), q), nil},
		"another generator": {pkix.MarshalPublic(explicit, q), errAlgorithm},
		"not a point":       {pkix.MarshalPublic(algorithm(), wrongForm), errPoint},
		"a private key":     {MarshalPKCS8PrivateKey(k), errPublicDER},
	} {
		if _, err := ParsePKIXPublicKey(c.der); err != c.want {
			t.Errorf("a public key, %s: %v, want %v", what, err, c.want)
		}
	}
}

// A key that is refused because of the public key beside it is wiped.
func TestCheckPublic(t *testing.T) {
	for _, public := range [][]byte{specG.bytes(), {4}} {
		k := newKey(automatic(), annexKey)
		if back, err := k.checkPublic(public); back != nil || err == nil || k.usable || k.d != (scalar{}) {
			t.Errorf("%x: %v", public, err)
		}
	}
}

// A number of any length, without a branch on it.
func TestSecretOctets(t *testing.T) {
	for n := range 80 {
		for _, at := range []int{-1, 0, n - 33, n - 32, n - 1} { // of a byte that is not zero
			octets := make([]byte, n)
			if at >= 0 && at < n {
				octets[at] = 0x80
			}
			want := new(big.Int).SetBytes(octets)
			ctgrind.Secret(octets)
			var number [32]byte
			ok := fits(&number, octets)
			ctgrind.Public(number[:])
			if fit := want.BitLen() <= 256; isOne(ok) != fit || fit && new(big.Int).SetBytes(number[:]).Cmp(want) != 0 {
				t.Errorf("%d bytes, %x: %x, %d", n, want, number, ok)
			}
		}
	}
}
