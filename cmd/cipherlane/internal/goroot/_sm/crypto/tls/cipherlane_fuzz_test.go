package tls

import (
	"bytes"
	"crypto/cipherlane/sm2"
	"crypto/rand"
	"crypto/x509"
	"testing"
)

// A share is taken if and only if it has the size of its group and its point is on the curve. Then the
// secret is that of ECDH.
func FuzzSMShare(f *testing.F) {
	needSM(f)
	for _, id := range []CurveID{CurveSM2, CurveSM2MLKEM768} {
		exchange, err := keyExchangeForCurveID(id)
		if err != nil {
			f.Fatal(err)
		}
		_, shares, err := exchange.keyShares(rand.Reader)
		if err != nil {
			f.Fatal(err)
		}
		_, answer, err := exchange.serverSharedSecret(rand.Reader, shares[0].data)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(uint16(id), shares[0].data)
		f.Add(uint16(id), answer.data)
		f.Add(uint16(id), shares[0].data[:33])
	}
	f.Fuzz(func(t *testing.T, group uint16, share []byte) {
		id := CurveID(group)
		if !isSMGroup(id) {
			id = CurveSM2
		}
		exchange, err := keyExchangeForCurveID(id)
		if err != nil {
			t.Fatal(err)
		}
		point := share[:min(len(share), smShareSize)]
		public, pointErr := sm2.NewPublicKey(point)
		isPoint := pointErr == nil && len(point) == smShareSize
		if secret, answer, err := exchange.serverSharedSecret(rand.Reader, share); err == nil {
			if !isPoint || answer.group != id || id == CurveSM2 && (len(share) != smShareSize || len(secret) != 32) {
				t.Errorf("the server takes a share of %d bytes", len(share))
			}
		} else if id == CurveSM2 && isPoint && len(share) == smShareSize {
			t.Errorf("the server refuses a point: %v", err)
		}
		keys, _, err := exchange.keyShares(rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		secret, err := exchange.clientSharedSecret(keys, share)
		if err != nil {
			return
		}
		if !isPoint {
			t.Errorf("the client takes a share of %d bytes", len(share))
		} else if want, err := keys.sm.ecdh.ECDH(public); err != nil || !bytes.HasPrefix(secret, want) {
			t.Errorf("another secret, %v", err)
		}
	})
}

// A key of SM2 that is read has an encoding, which is read again.
func FuzzSMPrivateKey(f *testing.F) {
	needSM(f)
	key, err := sm2.GenerateKey()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(sm2.MarshalPKCS8PrivateKey(key))
	f.Add(sm2.MarshalECPrivateKey(key))
	f.Fuzz(func(t *testing.T, der []byte) {
		parsed, err := parsePrivateKey(der)
		if err != nil {
			return
		}
		key, ok := parsed.(*sm2.PrivateKey)
		if !ok {
			return
		}
		again, err := x509.MarshalPKCS8PrivateKey(key)
		if err != nil {
			t.Fatal(err)
		}
		if other, err := parsePrivateKey(again); err != nil || !key.Equal(other) {
			t.Errorf("%x is read as another key, %v", again, err)
		}
	})
}
