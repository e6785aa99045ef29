package main

import (
	stdaes "crypto/aes"
	"crypto/cipher"

	"github.com/pion/dtls/v3/pkg/crypto/ccm"
	"golang.org/x/crypto/xts"

	"github.com/cipherlane/cipherlane/aes"
)

var (
	key256   = []byte("0123456789abcdef0123456789ABCDEF") // the halves differ, as XTS requires
	aesAny   = []int{16, 64, 256, 1024, 1420, 4096, 8192, 16384, 65536}
	aesWhole = []int{16, 64, 256, 1024, 1424, 4096, 8192, 16384, 65536}
)

// lanes is the number of streams or packets in cases that process several together.
const lanes = 16

// aesCases compares AES with the standard library, or for modes that it lacks, with
// libraries that programs use instead, over crypto/aes.
func aesCases() []pair {
	return []pair{
		aesPair("aes-128-gcm seal", aesAny, key, func(b cipher.Block) operation { return seal(must(cipher.NewGCM(b))) }),
		aesPair("aes-128-gcm open", aesAny, key, func(b cipher.Block) operation { return open(must(cipher.NewGCM(b))) }),
		aesPair("aes-256-gcm seal", aesAny, key256, func(b cipher.Block) operation { return seal(must(cipher.NewGCM(b))) }),
		aesPair("aes-256-gcm open", aesAny, key256, func(b cipher.Block) operation { return open(must(cipher.NewGCM(b))) }),
		aesPair("aes-128-ctr message", aesAny, key, ctrMessage),
		aesPair("aes-128-ctr stream", aesAny, key, ctrStream),
		aesPair("aes-256-ctr stream", aesAny, key256, ctrStream),
		aesPair("aes-128-cbc decrypt", aesWhole, key, func(b cipher.Block) operation { return mode(cipher.NewCBCDecrypter(b, iv)) }),
		aesPair("aes-256-cbc decrypt", aesWhole, key256, func(b cipher.Block) operation { return mode(cipher.NewCBCDecrypter(b, iv)) }),
		aesPair("aes-128-cbc encrypt", aesWhole, key, func(b cipher.Block) operation { return mode(cipher.NewCBCEncrypter(b, iv)) }),
		aesPair("aes-256-cbc encrypt", aesWhole, key256, func(b cipher.Block) operation { return mode(cipher.NewCBCEncrypter(b, iv)) }),
		{name: "aes-128-cbc encrypt 16 streams", pkg: "aes", sizes: aesWhole, times: lanes,
			ours: cbcLanes(aes.New), onDriver: func(d string) operation { return cbcLanes(must(aes.On(d)).New) },
			peerName: "std", peer: cbcOneByOne},
		{name: "aes-128-xts sector encrypt", pkg: "aes", sizes: aesWhole,
			ours: sector(must(aes.NewXTS(key256)).Encrypt), onDriver: func(d string) operation { return sector(must(must(aes.On(d)).NewXTS(key256)).Encrypt) },
			peerName: "x/crypto", peer: sector(must(xts.NewCipher(stdaes.NewCipher, key256)).Encrypt)},
		{name: "aes-128-xts sector decrypt", pkg: "aes", sizes: aesWhole,
			ours: sector(must(aes.NewXTS(key256)).Decrypt), onDriver: func(d string) operation { return sector(must(must(aes.On(d)).NewXTS(key256)).Decrypt) },
			peerName: "x/crypto", peer: sector(must(xts.NewCipher(stdaes.NewCipher, key256)).Decrypt)},
		{name: "aes-128-ccm seal", pkg: "aes", sizes: aesAny,
			ours: seal(newCCM(aes.New)), onDriver: func(d string) operation { return seal(newCCM(must(aes.On(d)).New)) },
			peerName: "pion", peer: seal(pionCCM())},
		{name: "aes-128-ccm seal 16 packets", pkg: "aes", sizes: aesAny, times: lanes,
			ours: ccmLanes(aes.New), onDriver: func(d string) operation { return ccmLanes(must(aes.On(d)).New) },
			peerName: "pion", peer: ccmOneByOne(pionCCM())},
		aesPair("aes-128 one block encrypt", []int{16}, key, oneBlock),
		aesPair("aes-128 one block decrypt", []int{16}, key, oneBlockBack),
		aesPair("aes-256 one block encrypt", []int{16}, key256, oneBlock),
		aesPair("aes-256 one block decrypt", []int{16}, key256, oneBlockBack),
		aesSetup("aes-128 new key", key, newKey),
		aesSetup("aes-256 new key", key256, newKey),
		aesSetup("aes-128-gcm new key", key, newGCM),
		aesSetup("aes-256-gcm new key", key256, newGCM),
		aesSetup("aes-128-gcm new key + 64 B", key, newGCMSeal),
	}
}

// aesPair measures the same use of a cipher.Block on both sides.
func aesPair(name string, sizes []int, key []byte, use func(cipher.Block) operation) pair {
	return pair{
		name: name, pkg: "aes", sizes: sizes,
		ours: use(must(aes.NewCipher(key))), onDriver: func(d string) operation { return use(must(must(aes.On(d)).NewCipher(key))) },
		peerName: "std", peer: use(must(stdaes.NewCipher(key))),
	}
}

// aesSetup measures operations that start with a new key.
func aesSetup(name string, key []byte, use func(newBlock, []byte) operation) pair {
	return pair{
		name: name, pkg: "aes", sizes: []int{0}, setup: true,
		ours: use(aes.NewCipher, key), onDriver: func(d string) operation { return use(must(aes.On(d)).NewCipher, key) },
		peerName: "std", peer: use(stdaes.NewCipher, key),
	}
}

func newGCMSeal(f newBlock, key []byte) operation {
	p, out := random(64), make([]byte, 0, 64+16)
	return func(int) func() { return func() { must(cipher.NewGCM(must(f(key)))).Seal(out, nonce, p, data) } }
}

func oneBlockBack(b cipher.Block) operation {
	return func(int) func() {
		p := random(16)
		return func() { b.Decrypt(p, p) }
	}
}

func sector(f func(dst, src []byte, number uint64)) operation {
	return func(n int) func() {
		p := random(n)
		return func() { f(p, p, 7) }
	}
}

func newCCM(f func([]byte) (*aes.Cipher, error)) *aes.CCM { return must(must(f(key)).NewCCM(12, 16)) }

func pionCCM() cipher.AEAD { return must(ccm.NewCCM(must(stdaes.NewCipher(key)), 16, 12)) }

// laneKeys returns a different key for every stream, as for separate connections.
func laneKeys() [][]byte {
	list := make([][]byte, lanes)
	for i := range list {
		list[i] = random(16)
	}
	return list
}

func cbcLanes(f func([]byte) (*aes.Cipher, error)) operation {
	return func(n int) func() {
		var messages []aes.CBCMessage
		for _, k := range laneKeys() {
			p := random(n)
			messages = append(messages, aes.CBCMessage{Cipher: must(f(k)), IV: random(16), Dst: p, Src: p})
		}
		return func() { aes.EncryptCBCMany(messages) }
	}
}

// cbcOneByOne starts a new chain for every message, as EncryptCBCMany does.
func cbcOneByOne(n int) func() {
	var blocks []cipher.Block
	var messages [][]byte
	for _, k := range laneKeys() {
		blocks, messages = append(blocks, must(stdaes.NewCipher(k))), append(messages, random(n))
	}
	return func() {
		for i, p := range messages {
			cipher.NewCBCEncrypter(blocks[i], iv).CryptBlocks(p, p)
		}
	}
}

// ccmLanes uses one key for all packets, as for packets of one connection.
func ccmLanes(f func([]byte) (*aes.Cipher, error)) operation {
	return func(n int) func() {
		a := newCCM(f)
		messages := make([]aes.CCMMessage, lanes)
		for i := range messages {
			messages[i] = aes.CCMMessage{AEAD: a, Dst: make([]byte, 0, n+16), Nonce: nonce, Text: random(n), AdditionalData: data}
		}
		return func() { aes.SealCCMMany(messages) }
	}
}

func ccmOneByOne(a cipher.AEAD) operation {
	return func(n int) func() {
		var seals []func()
		for range lanes {
			seals = append(seals, seal(a)(n))
		}
		return func() {
			for _, f := range seals {
				f()
			}
		}
	}
}
