package main

import (
	"crypto/rand"

	gmecdh "github.com/emmansun/gmsm/ecdh"
	gmsm2 "github.com/emmansun/gmsm/sm2"

	"github.com/cipherlane/cipherlane/sm2"
)

// sm2Cases compares the operations of SM2 with gmsm. Messages and digests have 32
// bytes, ciphertexts and signatures are in DER, and nonces are random.
func sm2Cases() []pair {
	key := must(sm2.GenerateKey())
	theirs := must(gmsm2.NewPrivateKey(key.Bytes()))
	peer := must(sm2.GenerateKey()).PublicKey()
	theirsECDH := must(gmecdh.P256().NewPrivateKey(key.Bytes()))
	peerECDH := must(gmecdh.P256().NewPublicKey(peer.Bytes()))
	p := random(32)
	signature := must(key.Sign(rand.Reader, p, nil))
	ciphertext := must(key.PublicKey().Encrypt(p, sm2.ASN1))
	one := func(name string, ours, peer func()) pair {
		return pair{name: name, pkg: "sm2", sizes: []int{32},
			ours:     func(int) func() { return ours },
			peerName: "gmsm", peer: func(int) func() { return peer }}
	}
	return []pair{
		one("sm2 key", func() { must(sm2.GenerateKey()) }, func() { must(gmsm2.GenerateKey(rand.Reader)) }),
		one("sm2 sign", func() { must(key.Sign(rand.Reader, p, nil)) }, func() { must(gmsm2.SignASN1(rand.Reader, theirs, p, nil)) }),
		one("sm2 verify", func() { key.PublicKey().Verify(p, signature) }, func() { gmsm2.VerifyASN1(&theirs.PublicKey, p, signature) }),
		one("sm2 encrypt", func() { must(key.PublicKey().Encrypt(p, sm2.ASN1)) }, func() { must(gmsm2.EncryptASN1(rand.Reader, &theirs.PublicKey, p)) }),
		one("sm2 decrypt", func() { must(key.Decrypt(nil, ciphertext, nil)) }, func() { must(theirs.Decrypt(nil, ciphertext, gmsm2.ASN1DecrypterOpts)) }),
		one("sm2 ecdh", func() { must(key.ECDH(peer)) }, func() { must(theirsECDH.ECDH(peerECDH)) }),
	}
}
