package modes_test

import (
	"crypto/cipher"
	"encoding/binary"
	"errors"
	"math/big"
	"slices"
)

// The AEADs of the standards, step by step.

// specCCM is NIST SP 800-38C with the formatting of its appendix A.
type specCCM struct {
	b                  cipher.Block
	nonceSize, tagSize int
}

func (c specCCM) NonceSize() int { return c.nonceSize }
func (c specCCM) Overhead() int  { return c.tagSize }

func (c specCCM) mac(nonce, plaintext, data []byte) []byte {
	q := 15 - len(nonce)
	flags := byte((c.tagSize-2)/2)*8 + byte(q-1)
	if len(data) > 0 {
		flags += 64
	}
	length := binary.BigEndian.AppendUint64(nil, uint64(len(plaintext)))
	input := slices.Concat([]byte{flags}, nonce, length[8-q:])
	switch a := len(data); {
	case a == 0:
	case a < 1<<16-1<<8:
		input = binary.BigEndian.AppendUint16(input, uint16(a))
	default:
		input = append(input, 0xff, 0xfe)
		input = binary.BigEndian.AppendUint32(input, uint32(a))
	}
	pad := func() { input = append(input, make([]byte, -len(input)&15)...) }
	input = append(input, data...)
	pad()
	input = append(input, plaintext...)
	pad()
	y := make([]byte, 16)
	for ; len(input) > 0; input = input[16:] {
		for i := range y {
			y[i] ^= input[i]
		}
		c.b.Encrypt(y, y)
	}
	return y
}

// crypt adds the keystream to p: of the counter blocks from 0 on, the first of
// which is for the tag.
func (c specCCM) crypt(nonce, tag, p []byte) {
	q := 15 - len(nonce)
	s := make([]byte, 16)
	for i := 0; i == 0 || 16*(i-1) < len(p); i++ {
		count := binary.BigEndian.AppendUint64(nil, uint64(i))
		c.b.Encrypt(s, slices.Concat([]byte{byte(q - 1)}, nonce, count[8-q:]))
		part := tag
		if i > 0 {
			part = p[16*(i-1):]
		}
		for j := range min(len(part), 16) {
			part[j] ^= s[j]
		}
	}
}

func (c specCCM) Seal(dst, nonce, plaintext, data []byte) []byte {
	tag, text := c.mac(nonce, plaintext, data), slices.Clone(plaintext)
	c.crypt(nonce, tag, text)
	return slices.Concat(dst, text, tag[:c.tagSize])
}

func (c specCCM) Open(dst, nonce, sealed, data []byte) ([]byte, error) {
	if len(sealed) < c.tagSize {
		return nil, errors.New("too short")
	}
	text, tag := slices.Clone(sealed[:len(sealed)-c.tagSize]), make([]byte, 16)
	c.crypt(nonce, tag, text)
	if !slices.Equal(c.Seal(nil, nonce, text, data), sealed) {
		return nil, errors.New("wrong tag")
	}
	return append(dst, text...), nil
}

// specGCMSIV is AEAD_AES_128_GCM_SIV or AEAD_AES_256_GCM_SIV (RFC 8452, section 4)
// over any cipher.
type specGCMSIV struct {
	newBlock func(key []byte) cipher.Block
	key      []byte
}

func (g specGCMSIV) NonceSize() int { return 12 }
func (g specGCMSIV) Overhead() int  { return 16 }

func (g specGCMSIV) derive(nonce []byte) (auth []byte, b cipher.Block) {
	k := g.newBlock(g.key)
	var keys []byte
	for i := range 2 + len(g.key)/8 {
		block := append(binary.LittleEndian.AppendUint32(nil, uint32(i)), nonce...)
		k.Encrypt(block, block)
		keys = append(keys, block[:8]...)
	}
	return keys[:16], g.newBlock(keys[16:])
}

func padded(p []byte) []byte { return append(slices.Clone(p), make([]byte, -len(p)&15)...) }

func (g specGCMSIV) tag(auth []byte, b cipher.Block, nonce, plaintext, data []byte) []byte {
	lens := binary.LittleEndian.AppendUint64(nil, uint64(len(data))*8)
	lens = binary.LittleEndian.AppendUint64(lens, uint64(len(plaintext))*8)
	s := specPolyval(auth, slices.Concat(padded(data), padded(plaintext), lens))
	for i := range nonce {
		s[i] ^= nonce[i]
	}
	s[15] &= 0x7f
	b.Encrypt(s, s)
	return s
}

func specGCMSIVCrypt(b cipher.Block, tag, p []byte) []byte {
	p, counter, s := slices.Clone(p), slices.Clone(tag), make([]byte, 16)
	counter[15] |= 0x80
	for i := range p {
		if i%16 == 0 {
			b.Encrypt(s, counter)
			binary.LittleEndian.PutUint32(counter, binary.LittleEndian.Uint32(counter)+1)
		}
		p[i] ^= s[i%16]
	}
	return p
}

func (g specGCMSIV) Seal(dst, nonce, plaintext, data []byte) []byte {
	auth, b := g.derive(nonce)
	tag := g.tag(auth, b, nonce, plaintext, data)
	return slices.Concat(dst, specGCMSIVCrypt(b, tag, plaintext), tag)
}

func (g specGCMSIV) Open(dst, nonce, sealed, data []byte) ([]byte, error) {
	if len(sealed) < 16 {
		return nil, errors.New("too short")
	}
	auth, b := g.derive(nonce)
	text, tag := sealed[:len(sealed)-16], sealed[len(sealed)-16:]
	text = specGCMSIVCrypt(b, tag, text)
	if !slices.Equal(g.tag(auth, b, nonce, text, data), tag) {
		return nil, errors.New("wrong tag")
	}
	return append(dst, text...), nil
}

// specPolyval is POLYVAL (RFC 8452, section 3) in two words, the lower one
// first: dot(a, b) = a * b * x^-128 modulo x^128 + x^127 + x^126 + x^121 + 1.
func specPolyval(h, p []byte) []byte {
	type element struct{ lo, hi uint64 }
	load := func(b []byte) element {
		return element{binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])}
	}
	var s element
	for key := load(h); len(p) > 0; p = p[16:] {
		x := load(p)
		s.lo, s.hi = s.lo^x.lo, s.hi^x.hi
		var z element // the bits of s from the lowest: add, then divide by x
		for i := range 128 {
			bit := s.lo >> i & 1
			if i >= 64 {
				bit = s.hi >> (i - 64) & 1
			}
			z.lo, z.hi = z.lo^-bit&key.lo, z.hi^-bit&key.hi
			odd := -(z.lo & 1) // then the modulus makes it even
			z.lo, z.hi = z.lo>>1|z.hi<<63, z.hi>>1
			z.hi ^= odd & (1<<63 | 1<<62 | 1<<61 | 1<<56)
		}
		s = z
	}
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, s.lo), s.hi)
}

// specWrap is the wrapping process W of NIST SP 800-38F, section 6.1, with its
// names: S is the input with the integrity check value in front.
func specWrap(b cipher.Block, s []byte) []byte {
	n := len(s) / 8
	a, r := slices.Clone(s[:8]), slices.Clone(s[8:])
	for t := 1; t <= 6*(n-1); t++ {
		block := slices.Concat(a, r[:8])
		b.Encrypt(block, block)
		step := new(big.Int).Xor(new(big.Int).SetBytes(block[:8]), big.NewInt(int64(t)))
		a = step.FillBytes(make([]byte, 8))
		r = append(r[8:], block[8:]...)
	}
	return append(a, r...)
}
