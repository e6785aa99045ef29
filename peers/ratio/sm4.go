package main

import (
	"crypto/cipher"

	"github.com/emmansun/gmsm/cbcmac"
	gmcipher "github.com/emmansun/gmsm/cipher"
	gmsm4 "github.com/emmansun/gmsm/sm4"

	"github.com/cipherlane/cipherlane/sm4"
)

// sm4Lanes is the number of streams or packets in cases of SM4 that process several
// together.
const sm4Lanes = 64

// sm4Modes returns the modes of SM4 other than those that crypto/cipher constructs from
// a block.
func sm4Modes() []pair {
	return []pair{
		{name: "sm4-cbc encrypt 64 streams", pkg: "sm4", sizes: whole, times: sm4Lanes,
			ours: sm4CBCLanes(sm4.New), onDriver: func(d string) operation { return sm4CBCLanes(must(sm4.On(d)).New) },
			peerName: "gmsm", peer: sm4CBCOneByOne},
		{name: "sm4-xts sector encrypt", pkg: "sm4", sizes: whole,
			ours: sector(must(sm4.NewXTS(key256)).Encrypt), onDriver: func(d string) operation { return sector(must(must(sm4.On(d)).NewXTS(key256)).Encrypt) },
			peerName: "gmsm", peer: gmsmSector(must(gmcipher.NewXTSEncrypter(gmsm4.NewCipher, key256[:16], key256[16:], iv)))},
		{name: "sm4-xts-gb sector encrypt", pkg: "sm4", sizes: whole,
			ours: sector(must(sm4.NewXTSGB(key256)).Encrypt), onDriver: func(d string) operation { return sector(must(must(sm4.On(d)).NewXTSGB(key256)).Encrypt) },
			peerName: "gmsm", peer: gmsmSector(must(gmcipher.NewGBXTSEncrypter(gmsm4.NewCipher, key256[:16], key256[16:], iv)))},
		sm4StreamPair("sm4-cfb encrypt", (*sm4.Cipher).NewCFBEncrypter, cipher.NewCFBEncrypter), //lint:ignore SA1019 it is the reference
		sm4StreamPair("sm4-cfb decrypt", (*sm4.Cipher).NewCFBDecrypter, cipher.NewCFBDecrypter), //lint:ignore SA1019 it is the reference
		sm4StreamPair("sm4-ofb", (*sm4.Cipher).NewOFB, cipher.NewOFB),                           //lint:ignore SA1019 it is the reference
		{name: "sm4-cmac", pkg: "sm4", sizes: anyLen,
			ours: sm4MAC(sm4.New), onDriver: func(d string) operation { return sm4MAC(must(sm4.On(d)).New) },
			peerName: "gmsm", peer: gmsmMAC},
		sm4BlockModePair("sm4-bc encrypt", (*sm4.Cipher).NewBCEncrypter, gmcipher.NewBCEncrypter(must(gmsm4.NewCipher(key)), iv)),
		sm4BlockModePair("sm4-bc decrypt", (*sm4.Cipher).NewBCDecrypter, gmcipher.NewBCDecrypter(must(gmsm4.NewCipher(key)), iv)),
		sm4BlockModePair("sm4-ofbnlf encrypt", (*sm4.Cipher).NewOFBNLFEncrypter, must(gmcipher.NewOFBNLFEncrypter(gmsm4.NewCipher, key, iv))),
		sm4BlockModePair("sm4-ofbnlf decrypt", (*sm4.Cipher).NewOFBNLFDecrypter, must(gmcipher.NewOFBNLFDecrypter(gmsm4.NewCipher, key, iv))),
		{name: "sm4-hctr encrypt", pkg: "sm4", sizes: whole, // at least a block
			ours: sm4HCTR(sm4.NewHCTR, (*sm4.HCTR).Encrypt), onDriver: func(d string) operation { return sm4HCTR(must(sm4.On(d)).NewHCTR, (*sm4.HCTR).Encrypt) },
			peerName: "gmsm", peer: bytesMode(gmsmHCTR().EncryptBytes)},
		{name: "sm4-hctr decrypt", pkg: "sm4", sizes: whole, // at least a block
			ours: sm4HCTR(sm4.NewHCTR, (*sm4.HCTR).Decrypt), onDriver: func(d string) operation { return sm4HCTR(must(sm4.On(d)).NewHCTR, (*sm4.HCTR).Decrypt) },
			peerName: "gmsm", peer: bytesMode(gmsmHCTR().DecryptBytes)},
		{name: "sm4-gcm-siv seal", pkg: "sm4", sizes: anyLen,
			ours: seal(must(sm4.NewGCMSIV(key))), onDriver: func(d string) operation { return seal(must(must(sm4.On(d)).NewGCMSIV(key))) },
			peerName: "gmsm", peer: seal(gmsmSIV())},
		{name: "sm4-gcm-siv open", pkg: "sm4", sizes: anyLen,
			ours: open(must(sm4.NewGCMSIV(key))), onDriver: func(d string) operation { return open(must(must(sm4.On(d)).NewGCMSIV(key))) },
			peerName: "gmsm", peer: open(gmsmSIV())},
		{name: "sm4-ccm seal", pkg: "sm4", sizes: anyLen,
			ours: seal(sm4CCM(sm4.New)), onDriver: func(d string) operation { return seal(sm4CCM(must(sm4.On(d)).New)) },
			peerName: "gmsm", peer: seal(gmsmCCM())},
		{name: "sm4-ccm seal 64 packets", pkg: "sm4", sizes: anyLen, times: sm4Lanes,
			ours: sm4CCMLanes(sm4.New), onDriver: func(d string) operation { return sm4CCMLanes(must(sm4.On(d)).New) },
			peerName: "gmsm", peer: sm4CCMOneByOne},
	}
}

func sm4StreamPair(name string, own func(c *sm4.Cipher, iv []byte) cipher.Stream, peer func(b cipher.Block, iv []byte) cipher.Stream) pair {
	stream := func(s cipher.Stream) operation {
		return func(n int) func() {
			p := random(n)
			return func() { s.XORKeyStream(p, p) }
		}
	}
	return pair{
		name: name, pkg: "sm4", sizes: anyLen,
		ours: stream(own(must(sm4.New(key)), iv)), onDriver: func(d string) operation { return stream(own(must(must(sm4.On(d)).New(key)), iv)) },
		peerName: "gmsm", peer: stream(peer(must(gmsm4.NewCipher(key)), iv)),
	}
}

func sm4BlockModePair(name string, own func(c *sm4.Cipher, iv []byte) cipher.BlockMode, peer cipher.BlockMode) pair {
	return pair{
		name: name, pkg: "sm4", sizes: whole,
		ours: mode(own(must(sm4.New(key)), iv)), onDriver: func(d string) operation { return mode(own(must(must(sm4.On(d)).New(key)), iv)) },
		peerName: "gmsm", peer: mode(peer),
	}
}

// gmsmSector is XTS of one sector after the other. An object of gmsm is for one sector: making it
// sets both keys and encrypts the tweak. Here it stays, so that only the tweak is encrypted
// again.
func gmsmSector(m cipher.BlockMode) operation {
	second := must(gmsm4.NewCipher(key256[16:]))
	return func(n int) func() {
		tweak, p := random(16), random(n)
		return func() {
			second.Encrypt(tweak, tweak)
			m.CryptBlocks(p, p)
		}
	}
}

func sm4MAC(f func([]byte) (*sm4.Cipher, error)) operation { return write(must(f(key)).NewCMAC()) }

func gmsmMAC(n int) func() {
	m, p := cbcmac.NewCMAC(must(gmsm4.NewCipher(key)), 16), random(n)
	return func() { m.MAC(p) }
}

func sm4HCTR(f func(key []byte) (*sm4.HCTR, error), crypt func(h *sm4.HCTR, dst, src []byte, tweak *[16]byte)) operation {
	h := must(f(key256))
	return bytesMode(func(dst, src []byte) { crypt(h, dst, src, (*[16]byte)(iv)) })
}

func gmsmHCTR() gmcipher.LengthPreservingMode {
	return must(gmcipher.NewHCTR(must(gmsm4.NewCipher(key256[:16])), iv, key256[16:]))
}

func bytesMode(f func(dst, src []byte)) operation {
	return func(n int) func() {
		p := random(n)
		return func() { f(p, p) }
	}
}

func gmsmSIV() cipher.AEAD { return must(gmcipher.NewGCMSIV(gmsm4.NewCipher, key)) }

func sm4CCM(f func([]byte) (*sm4.Cipher, error)) *sm4.CCM { return must(must(f(key)).NewCCM(12, 16)) }

func gmsmCCM() cipher.AEAD { return must(gmcipher.NewCCM(must(gmsm4.NewCipher(key)))) }

// sm4CBCLanes uses a different key for every stream.
func sm4CBCLanes(f func([]byte) (*sm4.Cipher, error)) operation {
	return func(n int) func() {
		var messages []sm4.CBCMessage
		for range sm4Lanes {
			p := random(n)
			messages = append(messages, sm4.CBCMessage{Cipher: must(f(random(16))), IV: random(16), Dst: p, Src: p})
		}
		return func() { sm4.EncryptCBCMany(messages) }
	}
}

// sm4CBCOneByOne starts a new chain for every message, as EncryptCBCMany does.
func sm4CBCOneByOne(n int) func() {
	var blocks []cipher.Block
	var messages [][]byte
	for range sm4Lanes {
		blocks, messages = append(blocks, must(gmsm4.NewCipher(random(16)))), append(messages, random(n))
	}
	return func() {
		for i, p := range messages {
			cipher.NewCBCEncrypter(blocks[i], iv).CryptBlocks(p, p)
		}
	}
}

// sm4CCMLanes uses one key for all packets, as for packets of one connection.
func sm4CCMLanes(f func([]byte) (*sm4.Cipher, error)) operation {
	return func(n int) func() {
		a := sm4CCM(f)
		messages := make([]sm4.CCMMessage, sm4Lanes)
		for i := range messages {
			messages[i] = sm4.CCMMessage{AEAD: a, Dst: make([]byte, 0, n+16), Nonce: nonce, Text: random(n), AdditionalData: data}
		}
		return func() { sm4.SealCCMMany(messages) }
	}
}

func sm4CCMOneByOne(n int) func() {
	var seals []func()
	for range sm4Lanes {
		seals = append(seals, seal(gmsmCCM())(n))
	}
	return func() {
		for _, f := range seals {
			f()
		}
	}
}
