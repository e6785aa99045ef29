//go:build arm64 && !purego

package arm64

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"testing"
)

// eachKeyNEON runs f for every size of keys.
func eachKeyNEON(t *testing.T, f func(t *testing.T, k *key)) {
	for _, size := range []int{16, 24, 32} {
		t.Run(fmt.Sprint(8*size), func(t *testing.T) {
			k, secret := new(key), random(byte(size), size)
			ExpandNEON(&k.keys, secret)
			k.block, _ = aes.NewCipher(secret)
			f(t, k)
		})
	}
}

func TestBlocksNEON(t *testing.T) {
	eachKeyNEON(t, func(t *testing.T, k *key) {
		src, want, back := random(1, most), make([]byte, most), make([]byte, most)
		for i := 0; i < most; i += 16 {
			k.block.Encrypt(want[i:], src[i:])
			k.block.Decrypt(back[i:], src[i:])
		}
		check := layouts(t, most)
		for n := 16; n <= 12*16; n += 16 {
			check(src[:n], want[:n], func(dst, src []byte) { EncryptBlocksNEON(&k.keys, dst, src) })
			check(src[:n], back[:n], func(dst, src []byte) { DecryptBlocksNEON(&k.keys, dst, src) })
		}
	})
}

func TestCBCNEON(t *testing.T) {
	eachKeyNEON(t, func(t *testing.T, k *key) {
		iv, src := random(2, 16), random(3, most)
		want, back := make([]byte, most), make([]byte, most)
		cipher.NewCBCEncrypter(k.block, iv).CryptBlocks(want, src)
		cipher.NewCBCDecrypter(k.block, iv).CryptBlocks(back, src)
		check := layouts(t, most)
		for n := 16; n <= 12*16; n += 16 {
			check(src[:n], want[:n], func(dst, src []byte) {
				v := [16]byte(iv)
				if CBCEncryptNEON(&k.keys, &v, dst, src); v != [16]byte(want[n-16:]) {
					t.Fatalf("%d bytes: wrong iv", n)
				}
			})
			check(src[:n], back[:n], func(dst, in []byte) {
				v := [16]byte(iv)
				if CBCDecryptNEON(&k.keys, &v, dst, in); v != [16]byte(src[n-16:]) {
					t.Fatalf("%d bytes: wrong iv", n)
				}
			})
		}
	})
}

func TestCTRNEON(t *testing.T) {
	eachKeyNEON(t, func(t *testing.T, k *key) {
		src := random(4, most)
		check := layouts(t, most)
		for _, c := range []struct{ start, after string }{ // after 12 blocks
			{"000102030405060708090a0b0c0d0e0f", "000102030405060708090a0b0c0d0e1b"},
			{"0102030405060708fffffffffffffffa", "01020304050607090000000000000006"}, // a carry to the upper half
			{"ffffffffffffffffffffffffffffffff", "0000000000000000000000000000000b"},
		} {
			var start, after [16]byte
			hex.Decode(start[:], []byte(c.start))
			hex.Decode(after[:], []byte(c.after))
			stream := make([]byte, most)
			cipher.NewCTR(k.block, start[:]).XORKeyStream(stream, make([]byte, most))
			for size := 1; size <= 12*16; size++ {
				want := make([]byte, size)
				subtle.XORBytes(want, src, stream[:size])
				check(src[:size], want, func(dst, src []byte) {
					c, rest := start, [16]byte{}
					CTRNEON(&k.keys, &c, dst, src, &rest)
					if used := size % 16; used > 0 && !bytes.Equal(rest[used:], stream[size:size+16-used]) {
						t.Fatalf("%d bytes: wrong rest", size)
					}
					if size > 11*16 && c != after {
						t.Fatalf("%d bytes: counter %x", size, c)
					}
				})
			}
		}
	})
}

// Lanes with keys, lengths and destinations of their own.
func TestCBCEncryptManyNEON(t *testing.T) {
	eachKeyNEON(t, func(t *testing.T, k *key) {
		const blocks = 5
		for count := 1; count <= 4; count++ {
			lanes := make([]Lane, count)
			ivs, dst := make([][16]byte, count), make([][]byte, count)
			keys, want := make([]Keys, count), make([][]byte, count)
			for i := range lanes {
				secret, iv, src := random(byte(10+i), 4*(k.keys.Rounds-6)), random(byte(20+i), 16), random(byte(30+i), 16*blocks)
				ExpandNEON(&keys[i], secret)
				b, _ := aes.NewCipher(secret)
				want[i], dst[i], ivs[i] = make([]byte, 16*blocks), make([]byte, 16*blocks), [16]byte(iv)
				cipher.NewCBCEncrypter(b, iv).CryptBlocks(want[i], src)
				lanes[i] = Lane{&keys[i], &ivs[i], &dst[i][0], &src[0]}
				if i%3 == 1 {
					lanes[i].Dst = nil
				}
			}
			CBCEncryptManyNEON(lanes, blocks)
			for i := range lanes {
				if ivs[i] != [16]byte(want[i][16*(blocks-1):]) {
					t.Fatalf("%d lanes, lane %d: wrong iv", count, i)
				}
				if i%3 == 1 {
					want[i] = make([]byte, 16*blocks)
				}
				if !bytes.Equal(dst[i], want[i]) {
					t.Fatalf("%d lanes, lane %d: wrong", count, i)
				}
			}
		}
	})
}
