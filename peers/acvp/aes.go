package main

import (
	"crypto/cipher"
	"crypto/subtle"
	"errors"
	"fmt"

	"github.com/cipherlane/cipherlane/aes"
)

// ciphers are the constructors of a driver of package aes, or of the package.
type ciphers struct {
	block  func(key []byte) (*aes.Cipher, error)
	gcmSIV func(key []byte) (*aes.GCMSIV, error)
}

// all returns the functions by algorithm and revision.
func all(driver string) (map[string]function, error) {
	c := ciphers{aes.New, aes.NewGCMSIV}
	if driver != "" {
		d, err := aes.On(driver)
		if err != nil {
			return nil, err
		}
		c = ciphers{d.New, d.NewGCMSIV}
	}
	functions := map[string]function{
		"ACVP-AES-ECB 1.0":     c.mode(ecb),
		"ACVP-AES-CBC 1.0":     c.mode(cbc),
		"ACVP-AES-OFB 1.0":     c.mode(ofb),
		"ACVP-AES-CTR 1.0":     c.mode(ctr),
		"ACVP-AES-GCM 1.0":     c.gcm,
		"ACVP-AES-CCM 1.0":     c.ccm,
		"ACVP-AES-GCM-SIV 1.0": c.siv,
		"CMAC-AES 1.0":         c.cmac,
		"PBKDF 1.0":            pbkdf,
		"KDA-HKDF Sp800-56Cr1": hkdfTest,
	}
	for name := range hashes {
		functions["HMAC-"+name+" 1.0"] = hmacTest(name)
	}
	return functions, nil
}

// A mode returns a function that transforms whole messages in place, one after the other as one.
type mode func(c *aes.Cipher, iv []byte, encrypt bool) (func(b []byte), error)

var errSizes = errors.New("sizes of key, IV and text do not fit")

func ecb(c *aes.Cipher, iv []byte, encrypt bool) (func(b []byte), error) {
	if len(iv) != 0 {
		return nil, errSizes
	}
	if encrypt {
		return func(b []byte) { c.EncryptBlocks(b, b) }, nil
	}
	return func(b []byte) { c.DecryptBlocks(b, b) }, nil
}

func cbc(c *aes.Cipher, iv []byte, encrypt bool) (func(b []byte), error) {
	if len(iv) != aes.BlockSize {
		return nil, errSizes
	}
	m := c.NewCBCDecrypter(iv)
	if encrypt {
		m = c.NewCBCEncrypter(iv)
	}
	return func(b []byte) { m.CryptBlocks(b, b) }, nil
}

func ofb(c *aes.Cipher, iv []byte, _ bool) (func(b []byte), error) {
	if len(iv) != aes.BlockSize {
		return nil, errSizes
	}
	return xor(c.NewOFB(iv)), nil
}

func ctr(c *aes.Cipher, iv []byte, _ bool) (func(b []byte), error) {
	if len(iv) != aes.BlockSize {
		return nil, errSizes
	}
	return xor(c.NewCTR(iv)), nil
}

func xor(s cipher.Stream) func(b []byte) { return func(b []byte) { s.XORKeyStream(b, b) } }

// mode answers tests of a mode without authentication.
func (c ciphers) mode(m mode) function {
	return func(g *group, t *test) (answer, error) {
		encrypt, in, out, err := directions(g, t)
		if err != nil {
			return nil, err
		}
		if t.PayloadLen%8 != 0 || len(*in)%aes.BlockSize != 0 && t.PayloadLen == 0 {
			return nil, fmt.Errorf("texts of parts of bytes or blocks are not supported")
		}
		switch g.Type {
		case "MCT":
			chain, err := c.chain(m, t.Key, t.IV, *in, encrypt)
			return answer{"resultsArray": chain}, err
		case "AFT", "CTR":
		default:
			return nil, fmt.Errorf("test type %q is not supported", g.Type)
		}
		b, err := c.block(t.Key)
		if err != nil {
			return nil, err
		}
		crypt, err := m(b, t.IV, encrypt)
		if err != nil {
			return nil, err
		}
		text := append(octets{}, *in...)
		crypt(text)
		return answer{out: text}, nil
	}
}

// directions returns what a test has and what it wants.
func directions(g *group, t *test) (encrypt bool, in *octets, out string, err error) {
	switch g.Direction {
	case "encrypt":
		return true, &t.PT, "ct", nil
	case "decrypt":
		return false, &t.CT, "pt", nil
	}
	return false, nil, "", fmt.Errorf("direction %q is not supported", g.Direction)
}

// chain is the Monte Carlo test of the AES algorithm validation suite: 100 times 1000 operations
// on a block, each of what those before made; then key and IV are made from the last results.
// With an IV, the text of an operation is the result of the one before the last, at first the IV.
func (c ciphers) chain(m mode, key, iv, text octets, encrypt bool) ([]answer, error) {
	if len(text) != aes.BlockSize {
		return nil, errSizes
	}
	in, out := "pt", "ct"
	if !encrypt {
		in, out = out, in
	}
	var list []answer
	for range 100 {
		b, err := c.block(key)
		if err != nil {
			return nil, err
		}
		crypt, err := m(b, iv, encrypt)
		if err != nil {
			return nil, err
		}
		a := answer{"key": key, in: text}
		if len(iv) > 0 {
			a["iv"] = iv
		}
		before, last := iv, octets(nil)
		for j := range 1000 {
			result := append(octets{}, text...)
			crypt(result)
			if j > 0 {
				before = last
			}
			last = result
			if text = before; len(iv) == 0 {
				text = last
			}
		}
		a[out] = last
		list = append(list, a)

		both := append(append(octets{}, before...), last...)
		mixed := make(octets, len(key))
		subtle.XORBytes(mixed, key, both[len(both)-len(key):])
		key = mixed
		if len(iv) > 0 {
			iv = last
		}
	}
	return list, nil
}

// seal answers a test of an AEAD whose tags are at the end of ciphertexts.
func seal(a cipher.AEAD, g *group, t *test) (answer, error) {
	encrypt, in, out, err := directions(g, t)
	switch {
	case err != nil:
		return nil, err
	case len(t.IV) != a.NonceSize() || g.IVLen != 0 && g.IVLen != 8*len(t.IV):
		return nil, errSizes
	case encrypt:
		return answer{out: octets(a.Seal(nil, t.IV, *in, t.AAD))}, nil
	}
	text, err := a.Open(nil, t.IV, *in, t.AAD)
	if err != nil {
		return failed(), nil
	}
	return answer{out: append(octets{}, text...)}, nil
}

func (c ciphers) gcm(g *group, t *test) (answer, error) {
	if g.IVGen == "internal" && g.Direction == "encrypt" {
		return nil, fmt.Errorf("IVs that are made here are not supported")
	}
	b, err := c.block(t.Key)
	if err != nil {
		return nil, err
	}
	a, err := b.NewGCM(len(t.IV), g.TagLen/8)
	if err != nil {
		return nil, err
	}
	if len(t.Tag) > 0 {
		if 8*len(t.Tag) != g.TagLen {
			return nil, errSizes
		}
		t.CT = append(append(octets{}, t.CT...), t.Tag...)
	}
	r, err := seal(a, g, t)
	if ct, ok := r["ct"].(octets); ok {
		r["ct"], r["tag"] = ct[:len(ct)-a.Overhead()], ct[len(ct)-a.Overhead():]
	}
	return r, err
}

func (c ciphers) ccm(g *group, t *test) (answer, error) {
	b, err := c.block(t.Key)
	if err != nil {
		return nil, err
	}
	a, err := b.NewCCM(g.IVLen/8, g.TagLen/8)
	if err != nil {
		return nil, err
	}
	return seal(a, g, t)
}

func (c ciphers) siv(g *group, t *test) (answer, error) {
	a, err := c.gcmSIV(t.Key)
	if err != nil {
		return nil, err
	}
	return seal(a, g, t)
}

func (c ciphers) cmac(g *group, t *test) (answer, error) {
	b, err := c.block(t.Key)
	if err != nil {
		return nil, err
	}
	m := b.NewCMAC()
	m.Write(t.Message)
	if g.MacLen < 8 || g.MacLen%8 != 0 || g.MacLen > 8*aes.BlockSize {
		return nil, errSizes
	}
	mac := m.Sum(nil)[:g.MacLen/8]
	switch g.Direction {
	case "gen":
		return answer{"mac": octets(mac)}, nil
	case "ver":
		return answer{"testPassed": subtle.ConstantTimeCompare(mac, t.MAC) == 1}, nil
	}
	return nil, fmt.Errorf("direction %q is not supported", g.Direction)
}
