package main

import (
	"crypto/cipher"
	"crypto/rand"
	"hash"
	"slices"

	gmcipher "github.com/emmansun/gmsm/cipher"
	gmsm3 "github.com/emmansun/gmsm/sm3"
	gmsm4 "github.com/emmansun/gmsm/sm4"

	"github.com/cipherlane/cipherlane/sm3"
	"github.com/cipherlane/cipherlane/sm4"
)

// An operation returns a function that makes one call on n bytes. If the only size is
// 0, the operation has no size.
type operation = func(n int) func()

// A pair is one operation of ours and the same of a peer.
type pair struct {
	name     string
	sizes    []int
	chosen   bool // the sizes are from -bytes
	most     int  // the maximum size for the sweep and -bytes; 0: unlimited
	times    int  // messages of that size per call; 0 stands for 1
	ours     operation
	peerName string
	peer     operation

	pkg      string                        // the package of ours
	onDriver func(driver string) operation // ours with a named driver; nil: always the automatic one
	unit     bool                          // the peer is no rival, but a unit of time
	setup    bool                          // setup only: the sweep does not compare drivers, as slower setup can pay off later
}

// fixed reports whether the operation has a size of its own, or none.
func (c pair) fixed() bool { return len(c.sizes) == 1 && !c.chosen }

// blocks reports whether the operation accepts whole blocks only.
func (c pair) blocks() bool {
	return !slices.ContainsFunc(c.sizes, func(n int) bool { return n%16 != 0 })
}

// takes reports whether the operation accepts n bytes.
func (c pair) takes(n int) bool {
	return (c.most == 0 || n <= c.most) && (!c.blocks() || n > 0 && n%16 == 0)
}

type newBlock = func(key []byte) (cipher.Block, error)

var (
	key    = []byte("0123456789abcdef")
	iv     = []byte("fedcba9876543210")
	nonce  = iv[:12]
	data   = make([]byte, 13) // additional data of the size in a TLS record
	whole  = []int{64, 256, 1024, 1424, 4096, 8192, 65536}
	anyLen = []int{16, 64, 256, 1024, 1420, 4096, 8192, 65536}
)

func cases() []pair {
	return slices.Concat(smCases(), sm3MACs(), sm4Modes(), sm2Cases(), sm2ManyCases(), aesCases(), chacha20Cases(), frodoCases())
}

func smCases() []pair {
	return []pair{
		{name: "sm3 sum", sizes: anyLen, ours: sum(sm3.Sum), peerName: "gmsm", peer: sum(gmsm3.Sum),
			pkg: "sm3", onDriver: func(d string) operation { return sum(must(sm3.On(d)).Sum) }},
		{name: "sm3 write+sum", sizes: anyLen, ours: write(sm3.New()), peerName: "gmsm", peer: write(gmsm3.New()),
			pkg: "sm3", onDriver: func(d string) operation { return write(must(sm3.On(d)).New()) }},
		{name: "sm3 sum 32 messages", sizes: anyLen, times: sm3Messages, ours: sumMany(sm3.SumMany), peerName: "gmsm", peer: sumOneByOne,
			pkg: "sm3", onDriver: func(d string) operation { return sumMany(must(sm3.On(d)).SumMany) }},
		{name: "sm3 kdf", sizes: []int{32, 128, 1024, 4096, 65536}, ours: kdf(sm3.KDF),
			peerName: "gmsm", peer: kdf(func(key, z []byte) { gmsm3.Kdf(z, len(key)) }),
			pkg: "sm3", onDriver: func(d string) operation { return kdf(must(sm3.On(d)).KDF) }},
		sm4Pair("sm4-gcm seal", anyLen, func(b cipher.Block) operation { return seal(must(cipher.NewGCM(b))) }),
		sm4Pair("sm4-gcm open", anyLen, func(b cipher.Block) operation { return open(must(cipher.NewGCM(b))) }),
		sm4Pair("sm4-ctr message", anyLen, ctrMessage),
		sm4Pair("sm4-ctr stream", anyLen, ctrStream),
		sm4Pair("sm4-ecb encrypt", whole, ecb),
		sm4Pair("sm4-cbc decrypt", whole, func(b cipher.Block) operation { return mode(cipher.NewCBCDecrypter(b, iv)) }),
		sm4Pair("sm4-cbc encrypt", whole, func(b cipher.Block) operation { return mode(cipher.NewCBCEncrypter(b, iv)) }),
		sm4Pair("sm4 one block", []int{16}, oneBlock),
		{name: "sm4 new key", sizes: []int{0}, pkg: "sm4", setup: true, ours: newKey(sm4.NewCipher, key), peerName: "gmsm", peer: newKey(gmsm4.NewCipher, key),
			onDriver: func(d string) operation { return newKey(must(sm4.On(d)).NewCipher, key) }},
		{name: "sm4-gcm new key", sizes: []int{0}, pkg: "sm4", setup: true, ours: newGCM(sm4.NewCipher, key), peerName: "gmsm", peer: newGCM(gmsm4.NewCipher, key),
			onDriver: func(d string) operation { return newGCM(must(sm4.On(d)).NewCipher, key) }},
	}
}

// sm4Pair measures the same use of a cipher.Block on both sides.
func sm4Pair(name string, sizes []int, use func(cipher.Block) operation) pair {
	return pair{
		name: name, pkg: "sm4", sizes: sizes,
		ours:     use(must(sm4.NewCipher(key))),
		peerName: "gmsm", peer: use(must(gmsm4.NewCipher(key))),
		onDriver: func(driver string) operation { return use(must(must(sm4.On(driver)).NewCipher(key))) },
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func random(n int) []byte {
	p := make([]byte, n)
	rand.Read(p)
	return p
}

func sum(f func([]byte) [32]byte) operation {
	return func(n int) func() {
		p := random(n)
		return func() { f(p) }
	}
}

// sm3Messages is the number of messages that are hashed together; the peer hashes them
// one at a time.
const sm3Messages = 32

func sumMany(f func([]sm3.Message)) operation {
	return func(n int) func() {
		messages := make([]sm3.Message, sm3Messages)
		for i := range messages {
			messages[i].Data = random(n)
		}
		return func() { f(messages) }
	}
}

func sumOneByOne(n int) func() {
	messages := make([]sm3.Message, sm3Messages)
	for i := range messages {
		messages[i].Data = random(n)
	}
	return func() {
		for i := range messages {
			messages[i].Sum = gmsm3.Sum(messages[i].Data)
		}
	}
}

// kdf derives keys from a shared secret of SM2.
func kdf(f func(key, z []byte)) operation {
	return func(n int) func() {
		key, z := make([]byte, n), random(64)
		return func() { f(key, z) }
	}
}

func write(h hash.Hash) operation {
	return func(n int) func() {
		p, out := random(n), make([]byte, 0, 32)
		return func() { h.Reset(); h.Write(p); h.Sum(out) }
	}
}

func seal(a cipher.AEAD) operation {
	return func(n int) func() {
		p, out := random(n), make([]byte, 0, n+16)
		return func() { a.Seal(out, nonce, p, data) }
	}
}

func open(a cipher.AEAD) operation {
	return func(n int) func() {
		c, out := a.Seal(nil, nonce, random(n), data), make([]byte, 0, n)
		return func() { must(a.Open(out, nonce, c, data)) }
	}
}

// ctrMessage creates a stream for every message.
func ctrMessage(b cipher.Block) operation {
	return func(n int) func() {
		p := random(n)
		return func() { cipher.NewCTR(b, iv).XORKeyStream(p, p) }
	}
}

// ctrStream continues one stream.
func ctrStream(b cipher.Block) operation {
	return func(n int) func() {
		p, s := random(n), cipher.NewCTR(b, iv)
		return func() { s.XORKeyStream(p, p) }
	}
}

// ecb uses each side's method for encrypting many blocks.
func ecb(b cipher.Block) operation {
	c, ok := b.(*sm4.Cipher)
	if !ok {
		return mode(gmcipher.NewECBEncrypter(b))
	}
	return func(n int) func() {
		p := random(n)
		return func() { c.EncryptBlocks(p, p) }
	}
}

// mode works in place. Short messages are four in turn: if it were always the same one, each call
// would read what the one before has just stored, and how stores are split would count more than
// all else.
func mode(m cipher.BlockMode) operation {
	return func(n int) func() {
		messages := [4][]byte{random(n)}
		for i := range messages {
			if messages[i] = messages[0]; n <= 1024 {
				messages[i] = random(n)
			}
		}
		i := 0
		return func() {
			p := messages[i%len(messages)]
			i++
			m.CryptBlocks(p, p)
		}
	}
}

func oneBlock(b cipher.Block) operation {
	return func(int) func() {
		p := random(16)
		return func() { b.Encrypt(p, p) }
	}
}

func newKey(f newBlock, key []byte) operation {
	return func(int) func() { return func() { must(f(key)) } }
}

func newGCM(f newBlock, key []byte) operation {
	return func(int) func() { return func() { must(cipher.NewGCM(must(f(key)))) } }
}
