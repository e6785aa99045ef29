//go:build amd64 && !purego

package amd64

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/ghash"
	"github.com/cipherlane/cipherlane/internal/guard"
)

func needGCM512(t *testing.T) {
	if missing := (cpu.AVX512 | cpu.BMI2 | cpu.VAES | cpu.VPCLMULQDQ) &^ cpu.Features(); missing != 0 {
		t.Skipf("this CPU lacks %v", missing)
	}
}

func randomGCM512(seed byte, n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{seed}).Read(b)
	return b
}

// gcm512 is a key for the kernels and for the standard library.
type gcm512 struct {
	block cipher.Block
	keys  Keys
	hash  ghash.Key
}

func newGCM512(t *testing.T, key []byte) *gcm512 {
	t.Helper()
	block, err := aes.NewCipher(key)
	if err != nil {
		t.Fatal(err)
	}
	g := &gcm512{block: block}
	g.init(key)
	return g
}

// init does the key schedule of FIPS 197, section 5.2.
func (g *gcm512) init(key []byte) {
	g.keys = Keys{Rounds: len(key)/4 + 6}
	w := unsafe.Slice(&g.keys.Enc[0][0], 16*(g.keys.Rounds+1))
	copy(w, key)
	rcon := byte(1)
	for i := len(key); i < len(w); i += 4 {
		x := [4]byte(w[i-4:])
		switch {
		case i%len(key) == 0:
			x = [4]byte{sboxGCM512[x[1]] ^ rcon, sboxGCM512[x[2]], sboxGCM512[x[3]], sboxGCM512[x[0]]}
			rcon = rcon<<1 ^ rcon>>7*0x1b
		case len(key) == 32 && i%32 == 16:
			x = [4]byte{sboxGCM512[x[0]], sboxGCM512[x[1]], sboxGCM512[x[2]], sboxGCM512[x[3]]}
		}
		for j := range x {
			w[i+j] = w[i+j-len(key)] ^ x[j]
		}
	}
	var h [16]byte
	block, _ := aes.NewCipher(key)
	block.Encrypt(h[:], h[:])
	g.hash.Init(&h, ghash.VPCLMULQDQ512)
}

// sboxGCM512 is the S-box of FIPS 197, section 5.1.1: inverses, times powers of
// the generator 3, and an affine map.
var sboxGCM512 = func() (s [256]byte) {
	p, q := byte(1), byte(1)
	for {
		p ^= p<<1 ^ p>>7*0x1b // times 3
		q ^= q << 1           // divided by 3
		q ^= q << 2
		q ^= q << 4
		q ^= q >> 7 * 0x09
		s[p] = q ^ (q<<1 | q>>7) ^ (q<<2 | q>>6) ^ (q<<3 | q>>5) ^ (q<<4 | q>>4) ^ 0x63
		if p == 1 {
			s[0] = 0x63
			return s
		}
	}
}()

// counters returns n bytes of keystream, from the counter after j0 on.
func (g *gcm512) counters(j0 [16]byte, n int) []byte {
	stream := make([]byte, (n+15)/16*16)
	for i := 0; i < len(stream); i += 16 {
		b := j0
		binary.BigEndian.PutUint32(b[12:], binary.BigEndian.Uint32(j0[12:])+uint32(i/16+1))
		g.block.Encrypt(stream[i:], b[:])
	}
	return stream[:n]
}

// tag continues the hash y, which may be pending, over the ciphertext and lens and adds E(J0).
func (g *gcm512) tag(j0, y, lens [16]byte, ciphertext []byte, pending bool) [16]byte {
	var k ghash.Key
	var h, mask [16]byte
	g.block.Encrypt(h[:], h[:])
	g.block.Encrypt(mask[:], j0[:])
	k.Init(&h, ghash.Generic)
	if pending {
		block := y
		y = [16]byte{}
		k.Update(&y, block[:])
	}
	k.Update(&y, ciphertext)
	k.Update(&y, lens[:])
	for i := range y {
		y[i] ^= mask[i]
	}
	return y
}

var keySizesGCM512 = []int{16, 24, 32}

// TestGCMVAES512 covers all paths through the kernels, with the text next to
// inaccessible pages on either side, in place and separate.
func TestGCMVAES512(t *testing.T) {
	needGCM512(t)
	const most = 192<<10 + 2000
	plain := randomGCM512(1, most)
	lens := [16]byte(randomGCM512(2, 16))
	a, b := guard.After(t, most), guard.After(t, most)
	c, d := guard.Before(t, most), guard.Before(t, most)
	for _, size := range keySizesGCM512 {
		g := newGCM512(t, randomGCM512(3, size))
		h := g.hash.Table(64)
		stream := []byte(nil)
		var j0, y [16]byte
		start := func(j [16]byte, n int) {
			j0, stream = j, g.counters(j, n)
			for i := range stream {
				stream[i] ^= plain[i]
			}
		}
		check := func(n int) {
			t.Helper()
			code := stream[:n]
			tags := [2][16]byte{g.tag(j0, y, lens, code, false), g.tag(j0, y, lens, code, true)}
			for _, open := range []bool{false, true} {
				f, src, want := SealLongVAES512, plain[:n], code
				if open {
					f, src, want = OpenLongVAES512, code, plain[:n]
				}
				for i, m := range [][2][]byte{{guard.Tail(a, n), guard.Tail(b, n)}, {c[:n], d[:n]}} {
					copy(m[1], src)
					for _, dst := range [][]byte{m[0], m[1]} {
						got := Message{J0: j0, Y: y, Lens: lens, Pending: i == 1}
						f(&g.keys, h, &got, dst, m[1])
						if tag := tags[i]; !bytes.Equal(dst, want) || got.Y != tag || got.J0 != j0 {
							t.Fatalf("AES-%d, open %v, j0 %x, %d bytes, layout %d, in place %v: text is right: %v; tag %x, want %x",
								8*size, open, j0, n, i, &dst == &m[1], bytes.Equal(dst, want), got.Y, tag)
						}
					}
				}
			}
		}
		y = [16]byte(randomGCM512(4, 16))
		start([16]byte(randomGCM512(5, 16)), most)
		for n := range 4201 {
			check(n)
		}
		for _, around := range []int{64 << 10, 128 << 10, 192 << 10} {
			for _, d := range []int{-1025, -513, -512, -65, -1, 0, 1, 16, 64, 65, 511, 512, 513, 1024, 1500} {
				check(around + d)
			}
		}
		for _, before := range []uint32{0, 1, 2, 3, 4, 5, 31, 32, 33, 64, 65, 97, 4097} {
			j := [16]byte(randomGCM512(6, 16))
			binary.BigEndian.PutUint32(j[12:], -before)
			start(j, 66<<10)
			for _, n := range []int{0, 16, 64, 500, 512, 1000, 1024, 1420, 2048, 2600, 66 << 10} {
				check(n)
			}
		}
	}
}

// TestStandardGCMVAES512 compares with GCM of the standard library.
func TestStandardGCMVAES512(t *testing.T) {
	needGCM512(t)
	for _, size := range keySizesGCM512 {
		g := newGCM512(t, randomGCM512(7, size))
		standard, err := cipher.NewGCM(g.block)
		if err != nil {
			t.Fatal(err)
		}
		plain, nonce := randomGCM512(8, 70000), randomGCM512(9, 12)
		for n := 0; n <= len(plain); n += 1 + n/37 {
			want := standard.Seal(nil, nonce, plain[:n], nil)
			m := Message{J0: [16]byte(append(bytes.Clone(nonce), 0, 0, 0, 1))}
			binary.BigEndian.PutUint64(m.Lens[8:], uint64(8*n))
			got := make([]byte, n)
			SealLongVAES512(&g.keys, g.hash.Table(64), &m, got, plain[:n])
			if !bytes.Equal(append(got, m.Y[:]...), want) {
				t.Fatalf("AES-%d, %d bytes: wrong", 8*size, n)
			}
		}
	}
}

// TestGuardGCMVAES512 puts all arguments except the text next to inaccessible pages.
func TestGuardGCMVAES512(t *testing.T) {
	needGCM512(t)
	text := randomGCM512(10, 2600)
	for _, size := range keySizesGCM512 {
		g := newGCM512(t, randomGCM512(11, size))
		for name, beside := range map[string]func(testing.TB, int) []byte{"in front": guard.After, "behind": guard.Before} {
			at := func(n int) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(beside(t, n))) }
			k, h := (*Keys)(at(int(unsafe.Sizeof(g.keys)))), (*[64][16]byte)(at(1024))
			m := (*Message)(at(int(unsafe.Sizeof(Message{}))))
			*k, *h, m.J0, m.Lens = g.keys, *g.hash.Table(64), [16]byte(text), [16]byte(text[16:])
			for n := range len(text) {
				m.Y = [16]byte{}
				code := make([]byte, n)
				SealVAES512(k, h, m, code, text[:n])
				tag := m.Y
				m.Y = [16]byte{}
				OpenVAES512(k, h, m, code, code)
				if m.Y != tag || !bytes.Equal(code, text[:n]) {
					t.Fatalf("%s of a page, AES-%d, %d bytes: wrong", name, 8*size, n)
				}
			}
		}
	}
}

// TestNothingLeftByGCMVAES512 runs the kernels with two keys and otherwise equal
// arguments: the stack must be the same afterwards.
func TestNothingLeftByGCMVAES512(t *testing.T) {
	needGCM512(t)
	g := newGCM512(t, randomGCM512(12, 32))
	m := new(Message)
	dst, src := make([]byte, 70000), make([]byte, 70000)
	for _, n := range []int{0, 1, 16, 60, 64, 100, 300, 500, 512, 600, 1024, 1420, 2048, 2500, 70000} {
		for name, f := range map[string]func(*Keys, *[64][16]byte, *Message, []byte, []byte){
			"seal": SealLongVAES512, "open": OpenLongVAES512,
		} {
			secret := func(seed byte) {
				g.init(randomGCM512(seed, 32))
				m.Y, m.Pending = [16]byte{}, n%2 == 0
			}
			if left := guard.Left(secret, func() { f(&g.keys, g.hash.Table(64), m, dst[:n], src[:n]) }); left > 0 {
				t.Errorf("%s, %d bytes: %d bytes on the stack depend on the key", name, n, left)
			}
		}
	}
}

func TestAllocationsGCMVAES512(t *testing.T) {
	needGCM512(t)
	g := newGCM512(t, make([]byte, 16))
	text := make([]byte, 3000)
	if n := testing.AllocsPerRun(10, func() {
		m := Message{Pending: true}
		SealVAES512(&g.keys, g.hash.Table(64), &m, text, text)
		OpenVAES512(&g.keys, g.hash.Table(64), &m, text, text)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkGCMVAES512(b *testing.B) {
	if (cpu.AVX512|cpu.VAES|cpu.VPCLMULQDQ)&^cpu.Features() != 0 {
		b.Skip("this CPU cannot run it")
	}
	for _, size := range keySizesGCM512 {
		g := new(gcm512)
		g.init(make([]byte, size))
		for _, n := range []int{16, 64, 256, 1420, 16384} {
			dst, src := make([]byte, n), make([]byte, n)
			b.Run(fmt.Sprintf("%d/%d", 8*size, n), func(b *testing.B) {
				b.SetBytes(int64(n))
				var m Message
				for b.Loop() {
					SealVAES512(&g.keys, g.hash.Table(64), &m, dst, src)
				}
			})
		}
	}
}
