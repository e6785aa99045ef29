package sm4_test

import (
	"bytes"
	"testing"

	"github.com/cipherlane/cipherlane/sm4"
)

// FuzzDrivers compares every driver with the portable one, in all modes.
func FuzzDrivers(f *testing.F) {
	f.Add([]byte(key1[:16]), []byte(iv0[:16]), []byte("data"), []byte(text64+text64+text64), uint16(100))
	f.Fuzz(func(t *testing.T, key, iv, data, text []byte, split uint16) {
		key, iv = append(key, make([]byte, 16)...)[:16], append(iv, make([]byte, 16)...)[:16]
		for len(text) > 0 && len(text) < int(split) { // fuzzers like short inputs, kernels have long passes
			text = append(text, text...)
		}
		var want []byte
		for i, info := range sm4.Drivers() {
			if !info.Available() {
				continue
			}
			d, err := sm4.On(info.Name)
			if err != nil {
				t.Fatal(err)
			}
			got := everything(t, d, key, iv, data, text, int(split))
			if i == 0 {
				want = got
			} else if !bytes.Equal(got, want) {
				t.Errorf("%s differs from generic", info.Name)
			}
		}
	})
}

// everything returns what one driver makes of the input in all modes.
func everything(t *testing.T, d sm4.Driver, key, iv, data, text []byte, split int) []byte {
	c, err := d.New(key)
	if err != nil {
		t.Fatal(err)
	}
	blocks := text[:len(text)&^15]
	half := min(split&^15, len(blocks))
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
	stream, cut := c.NewCTR(iv), min(split, len(text))
	for _, part := range [][]byte{text[:cut], text[cut:]} {
		stream.XORKeyStream(add(len(part)), part)
	}
	gcm, err := c.NewGCM(1+split%16, 12+split%5)
	if err != nil {
		t.Fatal(err)
	}
	nonce := iv[:1+split%16]
	sealed := gcm.Seal(nil, nonce, text, data)
	opened, err := gcm.Open(nil, nonce, sealed, data)
	if err != nil || !bytes.Equal(opened, text) {
		t.Errorf("does not open its own message of %d bytes: %v", len(text), err)
	}
	return append(all, sealed...)
}
