package sm4

import (
	"crypto/cipher"
	"encoding/binary"
	"math/bits"
)

// GB/T 32907-2016 implemented literally: the oracle for all drivers. It is slow and
// its time depends on the key.

// specS is the S-box, section 6.2, row by row.
var specS = [256]byte{
	0xd6, 0x90, 0xe9, 0xfe, 0xcc, 0xe1, 0x3d, 0xb7, 0x16, 0xb6, 0x14, 0xc2, 0x28, 0xfb, 0x2c, 0x05,
	0x2b, 0x67, 0x9a, 0x76, 0x2a, 0xbe, 0x04, 0xc3, 0xaa, 0x44, 0x13, 0x26, 0x49, 0x86, 0x06, 0x99,
	0x9c, 0x42, 0x50, 0xf4, 0x91, 0xef, 0x98, 0x7a, 0x33, 0x54, 0x0b, 0x43, 0xed, 0xcf, 0xac, 0x62,
	0xe4, 0xb3, 0x1c, 0xa9, 0xc9, 0x08, 0xe8, 0x95, 0x80, 0xdf, 0x94, 0xfa, 0x75, 0x8f, 0x3f, 0xa6,
	0x47, 0x07, 0xa7, 0xfc, 0xf3, 0x73, 0x17, 0xba, 0x83, 0x59, 0x3c, 0x19, 0xe6, 0x85, 0x4f, 0xa8,
	0x68, 0x6b, 0x81, 0xb2, 0x71, 0x64, 0xda, 0x8b, 0xf8, 0xeb, 0x0f, 0x4b, 0x70, 0x56, 0x9d, 0x35,
	0x1e, 0x24, 0x0e, 0x5e, 0x63, 0x58, 0xd1, 0xa2, 0x25, 0x22, 0x7c, 0x3b, 0x01, 0x21, 0x78, 0x87,
	0xd4, 0x00, 0x46, 0x57, 0x9f, 0xd3, 0x27, 0x52, 0x4c, 0x36, 0x02, 0xe7, 0xa0, 0xc4, 0xc8, 0x9e,
	0xea, 0xbf, 0x8a, 0xd2, 0x40, 0xc7, 0x38, 0xb5, 0xa3, 0xf7, 0xf2, 0xce, 0xf9, 0x61, 0x15, 0xa1,
	0xe0, 0xae, 0x5d, 0xa4, 0x9b, 0x34, 0x1a, 0x55, 0xad, 0x93, 0x32, 0x30, 0xf5, 0x8c, 0xb1, 0xe3,
	0x1d, 0xf6, 0xe2, 0x2e, 0x82, 0x66, 0xca, 0x60, 0xc0, 0x29, 0x23, 0xab, 0x0d, 0x53, 0x4e, 0x6f,
	0xd5, 0xdb, 0x37, 0x45, 0xde, 0xfd, 0x8e, 0x2f, 0x03, 0xff, 0x6a, 0x72, 0x6d, 0x6c, 0x5b, 0x51,
	0x8d, 0x1b, 0xaf, 0x92, 0xbb, 0xdd, 0xbc, 0x7f, 0x11, 0xd9, 0x5c, 0x41, 0x1f, 0x10, 0x5a, 0xd8,
	0x0a, 0xc1, 0x31, 0x88, 0xa5, 0xcd, 0x7b, 0xbd, 0x2d, 0x74, 0xd0, 0x12, 0xb8, 0xe5, 0xb4, 0xb0,
	0x89, 0x69, 0x97, 0x4a, 0x0c, 0x96, 0x77, 0x7e, 0x65, 0xb9, 0xf1, 0x09, 0xc5, 0x6e, 0xc6, 0x84,
	0x18, 0xf0, 0x7d, 0xec, 0x3a, 0xdc, 0x4d, 0x20, 0x79, 0xee, 0x5f, 0x3e, 0xd7, 0xcb, 0x39, 0x48,
}

// specTau is the nonlinear transformation, section 6.2.
func specTau(a uint32) uint32 {
	return uint32(specS[a>>24])<<24 | uint32(specS[a>>16&0xff])<<16 | uint32(specS[a>>8&0xff])<<8 | uint32(specS[a&0xff])
}

// specRoundKeys is the key expansion, section 7.3.
func specRoundKeys(key *[16]byte) (rk [32]uint32) {
	fk := [4]uint32{0xa3b1bac6, 0x56aa3350, 0x677d9197, 0xb27022dc}
	var k [36]uint32
	for i := range 4 {
		k[i] = binary.BigEndian.Uint32(key[4*i:]) ^ fk[i]
	}
	for i := range 32 {
		var ck uint32
		for j := range 4 {
			ck = ck<<8 | uint32(byte((4*i+j)*7))
		}
		b := specTau(k[i+1] ^ k[i+2] ^ k[i+3] ^ ck)
		k[i+4] = k[i] ^ b ^ bits.RotateLeft32(b, 13) ^ bits.RotateLeft32(b, 23)
		rk[i] = k[i+4]
	}
	return rk
}

// specCrypt is section 7.1 with round keys in the order given.
func specCrypt(rk [32]uint32, dst, src []byte) {
	var x [36]uint32
	for i := range 4 {
		x[i] = binary.BigEndian.Uint32(src[4*i:])
	}
	for i := range 32 {
		b := specTau(x[i+1] ^ x[i+2] ^ x[i+3] ^ rk[i])
		l := b ^ bits.RotateLeft32(b, 2) ^ bits.RotateLeft32(b, 10) ^ bits.RotateLeft32(b, 18) ^ bits.RotateLeft32(b, 24)
		x[i+4] = x[i] ^ l
	}
	for i := range 4 {
		binary.BigEndian.PutUint32(dst[4*i:], x[35-i])
	}
}

// specEncrypt encrypts one block, section 7.1.
func specEncrypt(key *[16]byte, dst, src []byte) { specCrypt(specRoundKeys(key), dst, src) }

// specDecrypt decrypts one block, section 7.2: the round keys in reverse order.
func specDecrypt(key *[16]byte, dst, src []byte) {
	rk := specRoundKeys(key)
	for i := range 16 {
		rk[i], rk[31-i] = rk[31-i], rk[i]
	}
	specCrypt(rk, dst, src)
}

// A specBlock is the standard as a plain cipher.Block, so that crypto/cipher's generic
// modes with it are the oracle for ours.
type specBlock [16]byte

// NewSpecBlock returns a specBlock for the external tests.
func NewSpecBlock(key []byte) cipher.Block {
	k := specBlock(key)
	return &k
}

func (k *specBlock) BlockSize() int          { return 16 }
func (k *specBlock) Encrypt(dst, src []byte) { specEncrypt((*[16]byte)(k), dst, src) }
func (k *specBlock) Decrypt(dst, src []byte) { specDecrypt((*[16]byte)(k), dst, src) }

// The modes of GB/T 17964-2021 that the standard library does not have.

// specMode is a mode that processes whole blocks one after the other.
type specMode struct {
	block func(dst, src []byte)
}

func (m specMode) BlockSize() int { return 16 }

func (m specMode) CryptBlocks(dst, src []byte) {
	for i := 0; i < len(src); i += 16 {
		m.block(dst[i:], src[i:])
	}
}

// NewSpecBC is BC, section 12: C(i) = E(P(i) + F(i)), F(i+1) = F(i) + C(i), F(1)
// the IV.
func NewSpecBC(key, iv []byte, decrypt bool) cipher.BlockMode {
	f := [16]byte(iv)
	return specMode{func(dst, src []byte) {
		b, in := [16]byte(src), [16]byte(src)
		if decrypt {
			specDecrypt((*[16]byte)(key), b[:], b[:])
			b = specAdd(b, f)
			f = specAdd(f, in)
		} else {
			b = specAdd(b, f)
			specEncrypt((*[16]byte)(key), b[:], b[:])
			f = specAdd(f, b)
		}
		copy(dst, b[:])
	}}
}

// NewSpecOFBNLF is OFBNLF, section 13: C(i) is the encryption of P(i) under the key
// K(i), which is the encryption of K(i-1) under the cipher's key; K(0) is the IV.
func NewSpecOFBNLF(key, iv []byte, decrypt bool) cipher.BlockMode {
	k := [16]byte(iv)
	return specMode{func(dst, src []byte) {
		specEncrypt((*[16]byte)(key), k[:], k[:])
		if decrypt {
			specDecrypt(&k, dst, src)
		} else {
			specEncrypt(&k, dst, src)
		}
	}}
}

// SpecHCTR is HCTR, section 11. The hash key follows that of the cipher.
func SpecHCTR(key, tweak, src []byte, decrypt bool) []byte {
	k, h := (*[16]byte)(key), [16]byte(key[16:])
	hash := func(m []byte) (y [16]byte) {
		length := 8 * (len(m) + 16)
		m = append(append([]byte{}, m...), tweak...)
		m = append(m, make([]byte, -len(m)&15)...)
		m = binary.BigEndian.AppendUint64(append(m, make([]byte, 8)...), uint64(length))
		for ; len(m) > 0; m = m[16:] {
			y = specProduct(specAdd(y, [16]byte(m)), h)
		}
		return y
	}
	in := specAdd([16]byte(src), hash(src[16:]))
	out := in
	if decrypt {
		specDecrypt(k, out[:], out[:])
	} else {
		specEncrypt(k, out[:], out[:])
	}
	start := specAdd(in, out)
	dst := append([]byte{}, src...)
	for i := 16; i < len(dst); i++ {
		var stream [16]byte
		binary.BigEndian.PutUint64(stream[8:], uint64(i/16))
		stream = specAdd(stream, start)
		specEncrypt(k, stream[:], stream[:])
		for ; i < len(dst); i++ {
			dst[i] ^= stream[i%16]
			if i%16 == 15 {
				break
			}
		}
	}
	out = specAdd(out, hash(dst[16:]))
	copy(dst, out[:])
	return dst
}

func specAdd(a, b [16]byte) [16]byte {
	for i := range a {
		a[i] ^= b[i]
	}
	return a
}

// specProduct is the product in GF(2^128) of NIST SP 800-38D, section 6.3, which HCTR
// also uses: coefficient 8i+j is bit 7-j of byte i.
func specProduct(x, v [16]byte) (z [16]byte) {
	for i := range 128 {
		if x[i/8]>>(7-i%8)&1 != 0 {
			z = specAdd(z, v)
		}
		carry := byte(0)
		for j := range v {
			v[j], carry = v[j]>>1|carry<<7, v[j]&1
		}
		v[0] ^= 0xe1 * carry
	}
	return z
}
