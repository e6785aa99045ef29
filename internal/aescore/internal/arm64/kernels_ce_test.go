//go:build arm64 && !purego

package arm64

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/subtle"
	"encoding/binary"
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/guard"
)

// A key is a key for the kernels and for the standard library.
type key struct {
	keys  Keys
	block cipher.Block
}

// A family is the kernels of a set of instructions.
type family struct {
	name                         string
	needs                        cpu.Set
	expand                       func(k *Keys, key []byte)
	encryptBlocks, decryptBlocks func(k *Keys, dst, src []byte)
	cbcEncrypt, cbcDecrypt       func(k *Keys, iv *[16]byte, dst, src []byte)
	ctr                          func(k *Keys, ctr *[16]byte, dst, src []byte, rest *[16]byte)
	xts                          func(k *Keys, tweak *[16]byte, dst, src []byte, decrypt bool)
	cbcEncryptMany               func(lanes []Lane, n int)
	width                        int
}

var (
	ce = family{"CE", cpu.AES | cpu.PMULL, ExpandCE, EncryptBlocksCE, DecryptBlocksCE,
		CBCEncryptCE, CBCDecryptCE, CTRCE, XTSCE, CBCEncryptManyCE, 8}
	neon = family{"NEON", cpu.NEON, ExpandNEON, EncryptBlocksNEON, DecryptBlocksNEON,
		CBCEncryptNEON, CBCDecryptNEON, CTRNEON, XTSNEON, CBCEncryptManyNEON, 4}
)

// eachFamily runs f for every family and every size of keys.
func eachFamily(t *testing.T, f func(t *testing.T, fam family, k *key)) {
	for _, fam := range []family{ce, neon} {
		t.Run(fam.name, func(t *testing.T) {
			fam.eachKey(t, func(t *testing.T, k *key) { f(t, fam, k) })
		})
	}
}

// eachKey runs f for every size of keys of CE.
func eachKey(t *testing.T, f func(t *testing.T, k *key)) { ce.eachKey(t, f) }

func (fam family) eachKey(t *testing.T, f func(t *testing.T, k *key)) {
	if !cpu.Features().Has(fam.needs) {
		t.Skipf("this CPU lacks %v", fam.needs&^cpu.Features())
	}
	for _, size := range []int{16, 24, 32} {
		t.Run(fmt.Sprint(8*size), func(t *testing.T) {
			k, secret := new(key), random(byte(size), size)
			fam.expand(&k.keys, secret)
			k.block, _ = aes.NewCipher(secret)
			f(t, k)
		})
	}
}

func random(seed byte, n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{seed}).Read(b)
	return b
}

// layouts returns a function that calls f with source and destination of the size of
// content: after and before inaccessible memory and at odd addresses, separate and in
// place. The result of f must be want.
func layouts(t *testing.T, most int) func(content, want []byte, f func(dst, src []byte)) {
	a, b := guard.After(t, most), guard.After(t, most)
	c, d := guard.Before(t, most), guard.Before(t, most)
	e, g := make([]byte, most+7), make([]byte, most+13)
	return func(content, want []byte, f func(dst, src []byte)) {
		t.Helper()
		n := len(content)
		for i, m := range [][2][]byte{{guard.Tail(a, n), guard.Tail(b, n)}, {c[:n], d[:n]}, {e[7 : 7+n], g[13 : 13+n]}} {
			dst, src := m[0], m[1]
			copy(src, content)
			f(dst, src)
			if !bytes.Equal(dst, want) || !bytes.Equal(src, content) {
				t.Fatalf("%d bytes, layout %d: wrong, or the source changed", n, i)
			}
			f(src, src)
			if !bytes.Equal(src, want) {
				t.Fatalf("%d bytes, layout %d, in place: wrong", n, i)
			}
		}
	}
}

const most = 50 * 16 // every number of passes of 8, 4, 2 and 1

func TestBlocks(t *testing.T) {
	eachFamily(t, func(t *testing.T, fam family, k *key) {
		src, want, back := random(1, most), make([]byte, most), make([]byte, most)
		for i := 0; i < most; i += 16 {
			k.block.Encrypt(want[i:], src[i:])
			k.block.Decrypt(back[i:], src[i:])
		}
		check := layouts(t, most)
		for n := 16; n <= most; n += 16 {
			check(src[:n], want[:n], func(dst, src []byte) { fam.encryptBlocks(&k.keys, dst, src) })
			check(src[:n], back[:n], func(dst, src []byte) { fam.decryptBlocks(&k.keys, dst, src) })
		}
	})
}

func TestCBC(t *testing.T) {
	eachFamily(t, func(t *testing.T, fam family, k *key) {
		iv, src := random(2, 16), random(3, most)
		want, back := make([]byte, most), make([]byte, most)
		cipher.NewCBCEncrypter(k.block, iv).CryptBlocks(want, src)
		cipher.NewCBCDecrypter(k.block, iv).CryptBlocks(back, src)
		check := layouts(t, most)
		for n := 16; n <= most; n += 16 {
			check(src[:n], want[:n], func(dst, src []byte) {
				v := [16]byte(iv)
				if fam.cbcEncrypt(&k.keys, &v, dst, src); v != [16]byte(want[n-16:]) {
					t.Fatalf("%d bytes: wrong iv", n)
				}
			})
			check(src[:n], back[:n], func(dst, in []byte) {
				v := [16]byte(iv)
				if fam.cbcDecrypt(&k.keys, &v, dst, in); v != [16]byte(src[n-16:]) {
					t.Fatalf("%d bytes: wrong iv", n)
				}
			})
		}
	})
}

func TestCTR(t *testing.T) {
	eachFamily(t, func(t *testing.T, fam family, k *key) {
		src := random(4, most)
		check := layouts(t, most)
		for _, start := range []string{
			"000102030405060708090a0b0c0d0e0f",
			"0102030405060708fffffffffffffff0", // a carry to the upper half
			"01020304050607ffffffffffffffffff",
			"ffffffffffffffffffffffffffffffff",
		} {
			var counter [16]byte
			n, _ := new(big.Int).SetString(start, 16)
			n.FillBytes(counter[:])
			stream := make([]byte, most)
			cipher.NewCTR(k.block, counter[:]).XORKeyStream(stream, make([]byte, most))
			for size := 1; size <= most; size++ {
				want := make([]byte, size)
				for i := range want {
					want[i] = src[i] ^ stream[i]
				}
				check(src[:size], want, func(dst, src []byte) {
					c, rest := counter, [16]byte{}
					fam.ctr(&k.keys, &c, dst, src, &rest)
					if used := size % 16; used > 0 && !bytes.Equal(rest[used:], stream[size:size+16-used]) {
						t.Fatalf("%d bytes: wrong rest", size)
					}
					after := new(big.Int).Add(n, big.NewInt(int64(size+15)/16))
					after.And(after, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 128), big.NewInt(1)))
					if new(big.Int).SetBytes(c[:]).Cmp(after) != 0 {
						t.Fatalf("%d bytes: counter %x", size, c)
					}
				})
			}
		}
	})
}

func TestXTS(t *testing.T) {
	eachFamily(t, func(t *testing.T, fam family, k *key) {
		src, first := random(5, most), random(6, 16)
		check := layouts(t, most)
		want, back := make([]byte, most), make([]byte, most)
		tweaks := [][16]byte{[16]byte(first)}
		for i := 0; i < most; i += 16 {
			tweak := tweaks[len(tweaks)-1]
			for _, d := range []struct {
				out   []byte
				crypt func(dst, src []byte)
			}{{want, k.block.Encrypt}, {back, k.block.Decrypt}} {
				var b [16]byte
				for j := range b {
					b[j] = src[i+j] ^ tweak[j]
				}
				d.crypt(b[:], b[:])
				for j := range b {
					d.out[i+j] = b[j] ^ tweak[j]
				}
			}
			// Times x, with the bytes in the order of integers.
			lo, hi := binary.LittleEndian.Uint64(tweak[:]), binary.LittleEndian.Uint64(tweak[8:])
			binary.LittleEndian.PutUint64(tweak[:], lo<<1^0x87*(hi>>63))
			binary.LittleEndian.PutUint64(tweak[8:], hi<<1|lo>>63)
			tweaks = append(tweaks, tweak)
		}
		for n := 16; n <= most; n += 16 {
			for _, decrypt := range []bool{false, true} {
				result := want
				if decrypt {
					result = back
				}
				check(src[:n], result[:n], func(dst, src []byte) {
					tweak := [16]byte(first)
					if fam.xts(&k.keys, &tweak, dst, src, decrypt); tweak != tweaks[n/16] {
						t.Fatalf("%d bytes: wrong tweak", n)
					}
				})
			}
		}
	})
}

// Lanes with keys, lengths and destinations of their own.
func TestCBCEncryptMany(t *testing.T) {
	eachFamily(t, func(t *testing.T, fam family, k *key) {
		const blocks = 5
		for count := 1; count <= fam.width; count++ {
			lanes := make([]Lane, count)
			ivs, dst := make([][16]byte, count), make([][]byte, count)
			keys, want := make([]Keys, count), make([][]byte, count)
			for i := range lanes {
				secret, iv, src := random(byte(10+i), 4*(k.keys.Rounds-6)), random(byte(20+i), 16), random(byte(30+i), 16*blocks)
				fam.expand(&keys[i], secret)
				b, _ := aes.NewCipher(secret)
				want[i], dst[i], ivs[i] = make([]byte, 16*blocks), make([]byte, 16*blocks), [16]byte(iv)
				cipher.NewCBCEncrypter(b, iv).CryptBlocks(want[i], src)
				lanes[i] = Lane{&keys[i], &ivs[i], &dst[i][0], &src[0]}
				if i%3 == 1 {
					lanes[i].Dst = nil
				}
			}
			fam.cbcEncryptMany(lanes, blocks)
			for i := range lanes {
				if ivs[i] != [16]byte(want[i][16*(blocks-1):]) {
					t.Errorf("%d lanes: wrong iv of lane %d", count, i)
				}
				if lanes[i].Dst != nil && !bytes.Equal(dst[i], want[i]) {
					t.Errorf("%d lanes: wrong lane %d", count, i)
				}
			}
		}
	})
}

// Lanes with the same key, with destinations or without.
func TestCBCEncryptManySharedCE(t *testing.T) {
	eachKey(t, func(t *testing.T, k *key) {
		const blocks = 5
		for count := 1; count <= 8; count++ {
			for _, store := range []bool{true, false} {
				lanes, ivs, dst, want := make([]Lane, count), make([][16]byte, count), make([][]byte, count), make([][]byte, count)
				for i := range lanes {
					iv, src := random(byte(20+i), 16), random(byte(30+i), 16*blocks)
					want[i], dst[i], ivs[i] = make([]byte, 16*blocks), make([]byte, 16*blocks), [16]byte(iv)
					cipher.NewCBCEncrypter(k.block, iv).CryptBlocks(want[i], src)
					lanes[i] = Lane{&k.keys, &ivs[i], nil, &src[0]}
					if store {
						lanes[i].Dst = &dst[i][0]
					}
				}
				CBCEncryptManyCE(lanes, blocks)
				for i := range lanes {
					if ivs[i] != [16]byte(want[i][16*(blocks-1):]) {
						t.Errorf("%d lanes: wrong iv of lane %d", count, i)
					}
					if store && !bytes.Equal(dst[i], want[i]) {
						t.Errorf("%d lanes: wrong lane %d", count, i)
					}
				}
			}
		}
	})
}

func TestCFBCE(t *testing.T) {
	eachKey(t, func(t *testing.T, k *key) {
		const most = 16 * 19
		iv, src, back, want := random(2, 16), random(3, most), make([]byte, most), make([]byte, most)
		cipher.NewCFBEncrypter(k.block, iv).XORKeyStream(want, src) //lint:ignore SA1019 it is the reference
		cipher.NewCFBDecrypter(k.block, iv).XORKeyStream(back, src) //lint:ignore SA1019 it is the reference
		check := layouts(t, most)
		for n := 16; n <= most; n += 16 {
			check(src[:n], want[:n], func(dst, in []byte) {
				v := [16]byte(iv)
				if done := CFBEncryptCE(&k.keys, &v, dst, in); done != n || v != [16]byte(want[n-16:]) {
					t.Fatalf("%d bytes, encryption: wrong iv after %d", n, done)
				}
			})
			check(src[:n], back[:n], func(dst, in []byte) {
				v := [16]byte(iv)
				if done := CFBDecryptCE(&k.keys, &v, dst, in); done != n || v != [16]byte(src[n-16:]) {
					t.Fatalf("%d bytes, decryption: wrong iv after %d", n, done)
				}
			})
		}
	})
}

// CBC-MAC alone, and with counter mode beside it.
func TestCCMCE(t *testing.T) {
	eachKey(t, func(t *testing.T, k *key) {
		const most = 16 * 19
		first, text := random(2, 16), random(3, most)
		counter := [16]byte(random(4, 16))
		copy(counter[8:], "\x00\xff\xff\xff\xff\xff\xff\xfb") // carries within the lower half
		chain, stream := make([]byte, most), make([]byte, most+16)
		cipher.NewCBCEncrypter(k.block, first).CryptBlocks(chain, text)
		cipher.NewCTR(k.block, counter[:]).XORKeyStream(stream, stream)
		sealed := make([]byte, most)
		subtle.XORBytes(sealed, text, stream)
		check := layouts(t, most)
		for n := 16; n <= most; n += 16 {
			want := [16]byte(chain[n-16:])
			mac := [16]byte(first)
			if CBCMACCE(&k.keys, &mac, text[:n]); mac != want {
				t.Fatalf("%d bytes: wrong MAC", n)
			}
			for _, decrypt := range []bool{false, true} {
				src, out := text[:n], sealed[:n]
				if decrypt {
					src, out = out, src
				}
				check(src, out, func(dst, in []byte) {
					mac, next := [16]byte(first), counter
					done := CCMCE(&k.keys, &mac, &next, dst, in, decrypt)
					k.block.Encrypt(next[:], next[:])
					if done != n || mac != want || next != [16]byte(stream[n:]) {
						t.Fatalf("%d bytes, decrypt %v: wrong MAC or counter after %d", n, decrypt, done)
					}
				})
			}
		}
	})
}

// product is that of GHASH (NIST SP 800-38D, section 6.3).
func product(x, y [16]byte) (z [16]byte) {
	for i := range 128 {
		if x[i/8]>>(7-i%8)&1 == 1 {
			for j := range z {
				z[j] ^= y[j]
			}
		}
		carry := y[15] & 1
		for j := 15; j > 0; j-- {
			y[j] = y[j]>>1 | y[j-1]<<7
		}
		y[0] = y[0]>>1 ^ 0xe1*carry
	}
	return z
}

// powers are those of the hash key in the form of package ghash: times x, halves swapped,
// with the sums of the halves of two behind them.
func powers(h [16]byte) (p Powers) {
	for n, x := 1, h; n <= 8; n, x = n+1, product(x, h) {
		hi, lo := binary.BigEndian.Uint64(x[:]), binary.BigEndian.Uint64(x[8:])
		carry := -(hi >> 63)
		hi, lo = hi<<1|lo>>63^carry&(0xc2<<56), lo<<1^carry&1
		i := (8 - n) / 2 * 3
		binary.LittleEndian.PutUint64(p[i+n%2][:], hi)
		binary.LittleEndian.PutUint64(p[i+n%2][8:], lo)
		binary.LittleEndian.PutUint64(p[i+2][n%2*8:], hi^lo)
	}
	return p
}

func TestGCMCE(t *testing.T) {
	eachKey(t, func(t *testing.T, k *key) {
		var h [16]byte
		k.block.Encrypt(h[:], h[:])
		p := powers(h)
		src := random(7, most)
		check := layouts(t, most)
		// The lower 32 bits of the counter wrap around, and in the second case during the tail.
		for _, low := range []uint32{1, 0xfffffffe, 0xfffffff0} {
			j0 := [16]byte(random(8, 16))
			binary.BigEndian.PutUint32(j0[12:], low)
			var mask [16]byte
			k.block.Encrypt(mask[:], j0[:])
			stream := make([]byte, most)
			for i := 0; i < most; i += 16 {
				c := j0
				binary.BigEndian.PutUint32(c[12:], low+1+uint32(i/16))
				k.block.Encrypt(stream[i:], c[:])
			}
			y0, lens := [16]byte(random(9, 16)), [16]byte(random(10, 16))
			for size := 0; size <= most; size++ {
				sealed := make([]byte, size)
				y := product(y0, h)
				for i := range sealed {
					sealed[i] = src[i] ^ stream[i]
				}
				hash := func(b []byte) {
					for i := range b {
						y[i] ^= b[i]
					}
					y = product(y, h)
				}
				for i := 0; i < size; i += 16 {
					hash(sealed[i:min(i+16, size)])
				}
				hash(lens[:])
				tag := y
				for i := range tag {
					tag[i] ^= mask[i]
				}
				// y0 is the state, or a block, which has been added to 0 but not multiplied.
				for _, m := range []Message{{J0: j0, Y: product(y0, h), Lens: lens}, {J0: j0, Y: y0, Lens: lens, Pending: true}} {
					check(src[:size], sealed, func(dst, src []byte) {
						m := m
						if SealCE(&k.keys, &p, &m, dst, src); m.Y != tag {
							t.Fatalf("sealing %d bytes: wrong tag", size)
						}
					})
					check(sealed, src[:size], func(dst, src []byte) {
						m := m
						if OpenCE(&k.keys, &p, &m, dst, src); m.Y != tag {
							t.Fatalf("opening %d bytes: wrong tag", size)
						}
					})
				}
			}
		}
	})
}
