package sm4_test

import (
	"bytes"
	"crypto/cipher"
	"hash"
	"slices"
	"testing"

	"github.com/cipherlane/cipherlane/sm4"
)

// FuzzDrivers compares every driver with the portable one, in all modes.
func FuzzDrivers(f *testing.F) {
	f.Add([]byte(key1[:16]), []byte(iv0[:16]), []byte("data"), []byte(text64+text64+text64), uint16(100))
	f.Fuzz(func(t *testing.T, key, iv, data, text []byte, split uint16) {
		key, iv = slices.Concat(key, make([]byte, 32))[:32], slices.Concat(iv, make([]byte, 16))[:16]
		key[16] = ^key[0] // the halves of an XTS key differ
		text = bytes.Clone(text)
		for len(text) > 0 && len(text) < int(split) { // fuzzers like short inputs, kernels have long passes
			text = append(text, text...)
		}
		var want []byte
		for i, info := range sm4.Drivers() {
			if !info.Available() {
				continue
			}
			got := everything(t, must(sm4.On(info.Name)), key, iv, data, text, int(split))
			if i == 0 {
				want = got
			} else if !bytes.Equal(got, want) {
				t.Errorf("%s differs from generic", info.Name)
			}
		}
	})
}

// everything returns the output of one driver for the input in all modes.
func everything(t *testing.T, d sm4.Driver, key, iv, data, text []byte, split int) []byte {
	c := must(d.New(key[:16]))
	blocks := text[:len(text)&^15]
	half := min(split&^15, len(blocks))
	cut := min(split, len(text))
	var all []byte
	add := func(n int) []byte {
		all = append(all, make([]byte, n)...)
		return all[len(all)-n:]
	}
	c.EncryptBlocks(add(len(blocks)), blocks)
	c.DecryptBlocks(add(len(blocks)), blocks)
	enc, dec := c.NewCBCEncrypter(iv), c.NewCBCDecrypter(iv)
	for _, part := range [][]byte{blocks[:half], blocks[half:]} {
		enc.CryptBlocks(add(len(part)), part)
		dec.CryptBlocks(add(len(part)), part)
	}
	for _, m := range []cipher.BlockMode{c.NewBCEncrypter(iv), c.NewBCDecrypter(iv), c.NewOFBNLFEncrypter(iv), c.NewOFBNLFDecrypter(iv)} {
		for _, part := range [][]byte{blocks[:half], blocks[half:]} {
			m.CryptBlocks(add(len(part)), part)
		}
	}
	for _, s := range []cipher.Stream{c.NewCTR(iv), c.NewCFBEncrypter(iv), c.NewCFBDecrypter(iv), c.NewOFB(iv)} {
		for _, part := range [][]byte{text[:cut], text[cut:]} {
			s.XORKeyStream(add(len(part)), part)
		}
	}
	for _, a := range []cipher.AEAD{must(c.NewGCM(1+split%16, 12+split%5)), must(c.NewCCM(7+split%7, 4+split%7*2)), must(d.NewGCMSIV(key[:16])), must(d.NewSIV(key))} {
		if c, ok := a.(*sm4.CCM); ok && c.NonceSize() == 13 && len(text) >= 1<<16 {
			continue
		}
		nonce := iv[:a.NonceSize()]
		sealed := a.Seal(nil, nonce, text, data)
		opened, err := a.Open(nil, nonce, sealed, data)
		if err != nil || !bytes.Equal(opened, text) {
			t.Errorf("%T does not open its own message of %d bytes: %v", a, len(text), err)
		}
		all = append(all, sealed...)
	}
	for _, mac := range []hash.Hash{c.NewCMAC(), c.NewCBCMAC(), must(d.NewXCBC(key[:16]))} {
		mac.Write(text[:cut])
		mac.Write(text[cut:])
		all = mac.Sum(all)
	}
	all = append(all, many(t, d, c, iv, data, text, half)...)
	if len(text) >= 16 {
		for _, x := range []*sm4.XTS{must(d.NewXTS(key)), must(d.NewXTSGB(key))} {
			x.EncryptTweak(add(len(text)), text, (*[16]byte)(iv))
			x.DecryptTweak(add(len(text)), text, (*[16]byte)(iv))
		}
		h := must(d.NewHCTR(key))
		h.Encrypt(add(len(text)), text, (*[16]byte)(iv))
		h.Decrypt(add(len(text)), text, (*[16]byte)(iv))
		c.EncryptCTS(add(len(text)), text, iv, 1+split%3)
		c.DecryptCTS(add(len(text)), text, iv, 1+split%3)
	}
	return all
}

// many returns the output of the functions for several messages, which are parts of
// text under two keys.
func many(t *testing.T, d sm4.Driver, c *sm4.Cipher, iv, data, text []byte, half int) (all []byte) {
	ciphers := []*sm4.Cipher{c, must(d.New(iv))}
	var cbc []sm4.CBCMessage
	var mac []sm4.CMACMessage
	var ccm []sm4.CCMMessage
	for i := range 3 + len(data)%70 {
		c := ciphers[i%5/4]
		end := max(0, len(text)-i*(half/16)%max(1, len(text)))
		whole := end &^ 15
		cbc = append(cbc, sm4.CBCMessage{Cipher: c, IV: iv, Dst: make([]byte, whole), Src: text[:whole]})
		mac = append(mac, sm4.CMACMessage{Cipher: c, Data: text[:end]})
		ccm = append(ccm, sm4.CCMMessage{AEAD: must(c.NewCCM(7, 16)), Nonce: iv[:7], Text: text[:end], AdditionalData: data})
	}
	sm4.EncryptCBCMany(cbc)
	sm4.CMACMany(mac)
	sm4.SealCCMMany(ccm)
	for i := range cbc {
		all = append(all, cbc[i].Dst...)
		all = append(all, mac[i].Sum[:]...)
		all = append(all, ccm[i].Out...)
		ccm[i].Text = ccm[i].Out
	}
	if err := sm4.OpenCCMMany(ccm); err != nil {
		t.Errorf("OpenCCMMany does not open what SealCCMMany has sealed: %v", err)
	}
	return all
}
