package main

import (
	"crypto/rand"
	"fmt"
	"io"

	gmsm2 "github.com/emmansun/gmsm/sm2"

	"github.com/cipherlane/cipherlane/sm2"
)

// sm2ManyCases compares many signatures at once, each under a different key, with gmsm's
// single operations. Signatures to be verified are in DER.
func sm2ManyCases() (list []pair) {
	for _, n := range []int{8, 64} {
		signings := make([]sm2.Signing, n)
		verifications := make([]sm2.Verification, n)
		theirs := make([]*gmsm2.PrivateKey, n)
		for i := range signings {
			key := must(sm2.GenerateKey())
			theirs[i] = must(gmsm2.NewPrivateKey(key.Bytes()))
			signings[i] = sm2.Signing{Key: key, Digest: random(32)}
			verifications[i] = sm2.Verification{Key: key.PublicKey(), Digest: signings[i].Digest,
				Signature: must(key.Sign(rand.Reader, signings[i].Digest, nil))}
		}
		add := func(name string, ours func(), peer func(i int)) {
			list = append(list, pair{name: fmt.Sprintf("sm2 %s, %d", name, n), pkg: "sm2", sizes: []int{32},
				ours:     func(int) func() { return ours },
				peerName: "gmsm",
				peer: func(int) func() {
					return func() {
						for i := range n {
							peer(i)
						}
					}
				}})
		}
		keys := make([]*sm2.PrivateKey, n)
		add("key many", func() {
			if err := sm2.GenerateMany(keys); err != nil {
				panic(err)
			}
		}, func(int) { must(gmsm2.GenerateKey(rand.Reader)) })
		sign := func(random io.Reader) func() {
			return func() {
				if err := sm2.SignMany(random, signings); err != nil {
					panic(err)
				}
			}
		}
		add("sign many", sign(rand.Reader), func(i int) { must(gmsm2.SignASN1(rand.Reader, theirs[i], signings[i].Digest, nil)) })
		add("sign many deterministic", sign(nil), func(i int) { must(gmsm2.SignASN1(rand.Reader, theirs[i], signings[i].Digest, nil)) })
		add("verify many", func() {
			if !sm2.VerifyMany(verifications) {
				panic("not valid")
			}
		}, func(i int) {
			if !gmsm2.VerifyASN1(&theirs[i].PublicKey, verifications[i].Digest, verifications[i].Signature) {
				panic("not valid")
			}
		})
	}
	return list
}
