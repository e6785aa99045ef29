//go:build arm64 && !purego

package arm64

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/subtle"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"testing"
)

// A keyBitslice is a key for the kernels and for the standard library.
type keyBitslice struct {
	keys  KeysBitslice
	block cipher.Block
}

// The round keys of FIPS 197, appendix A, as words with the byte of row 0 as the lowest.
// Kernels for others do not need them.
func roundKeys(t *testing.T, key []byte) []uint32 {
	t.Helper()
	var box [256]byte // by the definition of section 5.1.1
	for x := range box {
		inverse := 0
		for y := range box {
			if times(x, y) == 1 {
				inverse = y
			}
		}
		s := byte(inverse)
		box[x] = s ^ (s<<1 | s>>7) ^ (s<<2 | s>>6) ^ (s<<3 | s>>5) ^ (s<<4 | s>>4) ^ 0x63
	}
	nk := len(key) / 4
	w := make([]byte, 16*(nk+7))
	copy(w, key)
	rcon := 1
	for i := 4 * nk; i < len(w); i += 4 {
		x := [4]byte(w[i-4 : i])
		switch {
		case i/4%nk == 0:
			x = [4]byte{box[x[1]] ^ byte(rcon), box[x[2]], box[x[3]], box[x[0]]}
			rcon = times(rcon, 2)
		case nk == 8 && i/4%nk == 4:
			x = [4]byte{box[x[0]], box[x[1]], box[x[2]], box[x[3]]}
		}
		subtle.XORBytes(w[i:i+4], x[:], w[i-4*nk:])
	}
	words := make([]uint32, len(w)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(w[4*i:])
	}
	return words
}

// times is the product in the field of AES.
func times(a, b int) (p int) {
	for ; b > 0; b >>= 1 {
		p ^= a * (b & 1)
		if a <<= 1; a > 255 {
			a ^= 0x11b
		}
	}
	return p
}

func eachKeyBitslice(t *testing.T, f func(t *testing.T, k *keyBitslice)) {
	for _, size := range []int{16, 24, 32} {
		t.Run(fmt.Sprint(8*size), func(t *testing.T) {
			k, secret := new(keyBitslice), random(byte(size), size)
			ExpandBitslice(&k.keys, secret, roundKeys(t, secret))
			k.block, _ = aes.NewCipher(secret)
			f(t, k)
		})
	}
}

// mostBitslice is two passes and any rest.
const mostBitslice = 3*bitslicePass - 16

func TestBlocksBitslice(t *testing.T) {
	eachKeyBitslice(t, func(t *testing.T, k *keyBitslice) {
		src, want, back := random(1, mostBitslice), make([]byte, mostBitslice), make([]byte, mostBitslice)
		for i := 0; i < mostBitslice; i += 16 {
			k.block.Encrypt(want[i:], src[i:])
			k.block.Decrypt(back[i:], src[i:])
		}
		check := layouts(t, mostBitslice)
		for n := 16; n <= mostBitslice; n += 16 {
			check(src[:n], want[:n], func(dst, src []byte) { EncryptBlocksBitslice(&k.keys, dst, src) })
			check(src[:n], back[:n], func(dst, src []byte) { DecryptBlocksBitslice(&k.keys, dst, src) })
		}
	})
}

func TestCBCDecryptBitslice(t *testing.T) {
	eachKeyBitslice(t, func(t *testing.T, k *keyBitslice) {
		iv, src, want := random(2, 16), random(3, mostBitslice), make([]byte, mostBitslice)
		cipher.NewCBCDecrypter(k.block, iv).CryptBlocks(want, src)
		check := layouts(t, mostBitslice)
		for n := 16; n <= mostBitslice; n += 16 {
			check(src[:n], want[:n], func(dst, in []byte) {
				v := [16]byte(iv)
				if CBCDecryptBitslice(&k.keys, &v, dst, in); v != [16]byte(src[n-16:]) {
					t.Fatalf("%d bytes: wrong iv", n)
				}
			})
		}
	})
}

func TestCTRBitslice(t *testing.T) {
	eachKeyBitslice(t, func(t *testing.T, k *keyBitslice) {
		src := random(4, mostBitslice)
		check := layouts(t, mostBitslice)
		for _, start := range []string{
			"000102030405060708090a0b0c0d0e0f",
			"0102030405060708fffffffffffffffa", // a carry to the upper half
			"01020304050607ffffffffffffffffed",
			"ffffffffffffffffffffffffffffffff",
			"00000000000000000000000ffffffffe", // a carry that GCM does not have
		} {
			var counter [16]byte
			hex.Decode(counter[:], []byte(start))
			stream, stream32 := make([]byte, mostBitslice+16), make([]byte, mostBitslice+16)
			cipher.NewCTR(k.block, counter[:]).XORKeyStream(stream, stream)
			at := func(block int) (c [16]byte) { // of a counter of 32 bits
				c = counter
				binary.BigEndian.PutUint32(c[12:], binary.BigEndian.Uint32(c[12:])+uint32(block))
				return c
			}
			for i := 0; i < len(stream32); i += 16 {
				c := at(i / 16)
				k.block.Encrypt(stream32[i:], c[:])
			}
			for size := 1; size <= mostBitslice; size++ {
				blocks := (size + 15) / 16
				for wraps, stream := range [][]byte{stream, stream32} {
					want := make([]byte, size)
					subtle.XORBytes(want, src, stream[:size])
					check(src[:size], want, func(dst, src []byte) {
						c, rest := counter, [16]byte{}
						if wraps == 1 {
							CTR32Bitslice(&k.keys, &c, dst, src, &rest)
						} else {
							CTRBitslice(&k.keys, &c, dst, src, &rest)
						}
						if used := size % 16; used > 0 && !bytes.Equal(rest[used:], stream[size:size+16-used]) {
							t.Fatalf("%d bytes: wrong rest", size)
						}
						if wraps == 1 && c != at(blocks) {
							t.Fatalf("%d bytes: counter %x", size, c)
						}
						if k.block.Encrypt(c[:], c[:]); wraps == 0 && !bytes.Equal(c[:], stream[16*blocks:16*blocks+16]) {
							t.Fatalf("%d bytes: wrong counter", size)
						}
					})
				}
			}
		}
	})
}

func TestXTSBitslice(t *testing.T) {
	eachKeyBitslice(t, func(t *testing.T, k *keyBitslice) {
		src := random(5, mostBitslice)
		var tweaks [mostBitslice + 16]byte
		copy(tweaks[:], random(6, 16))
		for i := 16; i < len(tweaks); i += 16 { // times x, byte by byte
			carry := byte(0)
			for j, b := range tweaks[i-16 : i] {
				tweaks[i+j], carry = b<<1|carry, b>>7
			}
			tweaks[i] ^= carry * 0x87
		}
		check := layouts(t, mostBitslice)
		for _, decrypt := range []bool{false, true} {
			want := make([]byte, mostBitslice)
			subtle.XORBytes(want, src, tweaks[:])
			for i := 0; i < mostBitslice; i += 16 {
				if decrypt {
					k.block.Decrypt(want[i:], want[i:])
				} else {
					k.block.Encrypt(want[i:], want[i:])
				}
			}
			subtle.XORBytes(want, want, tweaks[:])
			for n := 16; n <= mostBitslice; n += 16 {
				check(src[:n], want[:n], func(dst, src []byte) {
					tweak := [16]byte(tweaks[:])
					if XTSBitslice(&k.keys, &tweak, dst, src, decrypt); tweak != [16]byte(tweaks[n:]) {
						t.Fatalf("%d bytes: wrong tweak", n)
					}
				})
			}
		}
	})
}
