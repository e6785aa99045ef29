package aes_test

import (
	"bytes"
	"crypto/cipher"
	"slices"
	"testing"

	"github.com/cipherlane/cipherlane/aes"
)

// FuzzDrivers compares every driver with the portable one in all modes, and the
// portable one with crypto/aes in the modes of the standard library.
func FuzzDrivers(f *testing.F) {
	f.Add([]byte(iv0), []byte(counter0), []byte("data"), []byte(text64+text64+text64), uint16(100))
	f.Fuzz(func(t *testing.T, key, iv, data, text []byte, split uint16) {
		key, iv = slices.Concat(key, make([]byte, 64))[:64], slices.Concat(iv, make([]byte, 16))[:16]
		key[32] = ^key[0] // the halves of an XTS key differ
		text = bytes.Clone(text)
		for len(text) > 0 && len(text) < int(split) { // fuzzers like short inputs, kernels have long passes
			text = append(text, text...)
		}
		var want []byte
		for i, info := range aes.Drivers() {
			if !info.Available() {
				continue
			}
			got := everything(t, must(aes.On(info.Name)), key, iv, data, text, int(split))
			if i == 0 {
				want = got
				if std := standard(key, iv, data, text, int(split)); !bytes.Equal(got[:len(std)], std) {
					t.Error("generic differs from crypto/aes")
				}
			} else if !bytes.Equal(got, want) {
				t.Errorf("%s differs from generic", info.Name)
			}
		}
	})
}

func keySize(split int) int { return 16 + 8*(split%3) }

// standard returns the output of crypto/aes and crypto/cipher for the input: it must
// equal the beginning of what everything returns.
func standard(key, iv, data, text []byte, split int) []byte {
	b := oracle(key[:keySize(split)])
	blocks := text[:len(text)&^15]
	cbc, back, ctr := make([]byte, len(blocks)), make([]byte, len(blocks)), make([]byte, len(text))
	cipher.NewCBCEncrypter(b, iv).CryptBlocks(cbc, blocks)
	cipher.NewCBCDecrypter(b, iv).CryptBlocks(back, blocks)
	cipher.NewCTR(b, iv).XORKeyStream(ctr, text)
	all := append(append(cbc, back...), ctr...)
	return must(cipher.NewGCM(b)).Seal(all, iv[:12], text, data)
}

// everything returns the output of one driver for the input in all modes.
func everything(t *testing.T, d aes.Driver, key, iv, data, text []byte, split int) []byte {
	c := must(d.New(key[:keySize(split)]))
	blocks := text[:len(text)&^15]
	half := min(split&^15, len(blocks))
	cut := min(split, len(text))
	var all []byte
	add := func(n int) []byte {
		all = append(all, make([]byte, n)...)
		return all[len(all)-n:]
	}
	for _, m := range []cipher.BlockMode{c.NewCBCEncrypter(iv), c.NewCBCDecrypter(iv)} {
		for _, part := range [][]byte{blocks[:half], blocks[half:]} {
			m.CryptBlocks(add(len(part)), part)
		}
	}
	streams := []cipher.Stream{c.NewCTR(iv)}
	aeads := []cipher.AEAD{must(c.NewGCM(12, 16)), must(c.NewGCM(1+split%16, 12+split%5)), must(c.NewCCM(7+split%7, 4+split%7*2)), must(d.NewGCMSIV(key[:16+16*(split%2)])), must(d.NewSIV(key[:2*keySize(split)]))}
	for i, s := range append(streams, c.NewCFBEncrypter(iv), c.NewCFBDecrypter(iv), c.NewOFB(iv)) {
		for _, part := range [][]byte{text[:cut], text[cut:]} {
			s.XORKeyStream(add(len(part)), part)
		}
		if i > 0 {
			continue
		}
		all = aeads[0].Seal(all, iv[:12], text, data)
	}
	for _, a := range aeads[1:] {
		if c, ok := a.(*aes.CCM); ok && c.NonceSize() == 13 && len(text) >= 1<<16 {
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
	c.EncryptBlocks(add(len(blocks)), blocks)
	c.DecryptBlocks(add(len(blocks)), blocks)
	mac := c.NewCMAC()
	mac.Write(text[:cut])
	mac.Write(text[cut:])
	all = mac.Sum(all)
	if len(text) >= 16 {
		x := must(d.NewXTS(key))
		x.EncryptTweak(add(len(text)), text, (*[16]byte)(iv))
		x.DecryptTweak(add(len(text)), text, (*[16]byte)(iv))
		c.EncryptCTS(add(len(text)), text, iv, 1+split%3)
		c.DecryptCTS(add(len(text)), text, iv, 1+split%3)
		all = append(all, must(c.WrapKey(nil, text[:len(text)&^7]))...)
	}
	return all
}
