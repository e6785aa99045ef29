package main

import (
	stdaes "crypto/aes"
	"crypto/sha3"
	"github.com/cipherlane/cipherlane/internal/drivers"

	"github.com/cloudflare/circl/kem/frodo/frodo640shake"

	"github.com/cipherlane/cipherlane/frodokem"
)

// frodoCases compares eFrodoKEM-640-SHAKE with circl, which calls it FrodoKEM. It also
// expresses the time of our encapsulation as a number of permutations of crypto/sha3
// and of blocks of crypto/aes, which does not depend on the clock rate.
func frodoCases() []pair {
	const s = frodokem.EFrodoKEM640SHAKE
	peer := frodo640shake.Scheme()
	peerPublic, peerPrivate, err := peer.GenerateKeyPair()
	if err != nil {
		panic(err)
	}
	peerCiphertext, _, err := peer.Encapsulate(peerPublic)
	if err != nil {
		panic(err)
	}
	private := func(d frodokem.Driver, s frodokem.Set) *frodokem.DecapsulationKey { return must(d.GenerateKey(s)) }
	generate := func(d frodokem.Driver) func() { return func() { must(d.GenerateKey(s)) } }
	encapsulate := func(d frodokem.Driver, s frodokem.Set) func() {
		ek := private(d, s).EncapsulationKey()
		ss, ct := make([]byte, s.SharedKeySize()), make([]byte, s.CiphertextSize())
		return func() { ek.EncapsulateTo(ss, ct) }
	}
	decapsulate := func(d frodokem.Driver) func() {
		dk := private(d, s)
		ss, ct := dk.EncapsulationKey().Encapsulate()
		return func() { dk.DecapsulateTo(ss, ct) }
	}
	best := must(frodokem.On(bestFrodo()))
	kem := func(name, peerName string, ours func(d frodokem.Driver) func(), peer func()) pair {
		return pair{name: name, pkg: "frodokem", sizes: []int{0},
			ours:     func(int) func() { return ours(best) },
			onDriver: func(d string) operation { return func(int) func() { return ours(must(frodokem.On(d))) } },
			peerName: peerName, peer: func(int) func() { return peer }}
	}
	block := must(stdaes.NewCipher(key))
	b, in := make([]byte, 16), make([]byte, 168)
	hash := sha3.NewSHAKE128()
	list := []pair{
		kem("efrodokem-640-shake generate", "circl", generate, func() { peer.GenerateKeyPair() }),
		kem("efrodokem-640-shake encapsulate", "circl", func(d frodokem.Driver) func() { return encapsulate(d, s) }, func() { peer.Encapsulate(peerPublic) }),
		kem("efrodokem-640-shake decapsulate", "circl", decapsulate, func() { peer.Decapsulate(peerPrivate, peerCiphertext) }),
	}
	for _, s := range frodokem.Sets() {
		if s.Ephemeral() {
			continue // takes as long
		}
		ours := func(d frodokem.Driver) func() { return encapsulate(d, s) }
		units := []pair{
			kem(s.String()+" encapsulate", "1000 crypto/sha3 blocks", ours, func() {
				for range 1000 {
					hash.Write(in)
				}
			}),
			kem(s.String()+" encapsulate", "10000 crypto/aes blocks", ours, func() {
				for range 10000 {
					block.Encrypt(b, b)
				}
			}),
		}
		for i := range units {
			units[i].unit = true
		}
		list = append(list, units...)
	}
	return list
}

// bestFrodo returns the driver that is selected for a new key.
func bestFrodo() string {
	t := drivers.Find("frodokem")
	return t.Drivers()[t.Auto().Bulk()].Name
}
