//go:build amd64 && !purego

package amd64

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/guard"
)

func needVAES512(t testing.TB) {
	t.Helper()
	if missing := (cpu.AES | cpu.AVX512 | cpu.VAES | cpu.VPCLMULQDQ) &^ cpu.Features(); missing != 0 {
		t.Skipf("this CPU lacks %v", missing)
	}
}

func needAESNI(t testing.TB) {
	t.Helper()
	if missing := (cpu.AES | cpu.SSE41 | cpu.SSSE3) &^ cpu.Features(); missing != 0 {
		t.Skipf("this CPU lacks %v", missing)
	}
}

func randomVAES512(seed byte, n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{seed}).Read(b)
	return b
}

// keySizeVAES512 is a key size, with round keys and the standard library's cipher.
type keySizeVAES512 struct {
	k        *Keys
	standard cipher.Block
}

func keySizesVAES512(t testing.TB, seed byte) (sizes []keySizeVAES512) {
	t.Helper()
	for _, n := range []int{16, 24, 32} {
		key := randomVAES512(seed, n)
		b, err := aes.NewCipher(key)
		if err != nil {
			t.Fatal(err)
		}
		k := new(Keys)
		ExpandAESNI(k, key)
		sizes = append(sizes, keySizeVAES512{k, b})
	}
	return sizes
}

// lengthsVAES512 returns the lengths to test the kernels with: multiples of step, all
// up to 4200 and some around 64 KiB.
func lengthsVAES512(step int) (lengths []int) {
	for n := step; n <= 4200; n += step {
		lengths = append(lengths, n)
	}
	for n := 1<<16 - 600; n <= 1<<16; n++ {
		if n%step == 0 && (step > 1 || n%37 == 0 || n > 1<<16-40) {
			lengths = append(lengths, n)
		}
	}
	return lengths
}

// checkVAES512 runs f on src with another dst, in place, and at odd addresses, and
// compares the results with want.
func checkVAES512(t testing.TB, name string, src, want []byte, f func(dst, src []byte)) {
	t.Helper()
	n := len(src)
	buffer := make([]byte, n+64)
	for _, where := range []string{"apart", "in place", "at odd addresses"} {
		got := buffer[:n]
		from := src
		switch where {
		case "in place":
			copy(got, src)
			from = got
		case "at odd addresses":
			got = buffer[7 : n+7]
			odd := make([]byte, n+13)
			from = odd[13:]
			copy(from, src)
		}
		f(got, from)
		for i := range got {
			if got[i] != want[i] {
				t.Fatalf("%s, %d bytes, %s: wrong at %d", name, n, where, i)
			}
		}
	}
}

// TestExpandAESNI compares the round keys of many keys, for encryption and decryption,
// with a plain key schedule.
func TestExpandAESNI(t *testing.T) {
	needAESNI(t)
	for _, n := range []int{16, 24, 32} {
		for seed := range 200 {
			key := randomVAES512(byte(seed), n)
			if seed == 0 {
				clear(key)
			}
			var k Keys
			ExpandAESNI(&k, key)
			want := plainExpandVAES512(key)
			if k.Rounds != len(want)-1 {
				t.Fatalf("%d rounds for a key of %d bytes", k.Rounds, n)
			}
			for i, w := range want {
				if k.Enc[i] != w {
					t.Fatalf("key %x: round key %d is %x, want %x", key, i, k.Enc[i], w)
				}
				if i > 0 && i < k.Rounds {
					for c := 0; c < 16; c += 4 {
						copy(w[c:], inverseMixColumnVAES512(w[c:c+4]))
					}
				}
				if got := k.Dec[k.Rounds-i]; got != w {
					t.Fatalf("key %x: round key %d of decryption is %x, want %x", key, k.Rounds-i, got, w)
				}
			}
			for i := k.Rounds + 1; i < 15; i++ {
				if k.Enc[i] != [16]byte{} || k.Dec[i] != [16]byte{} {
					t.Fatalf("key of %d bytes: round key %d is set", n, i)
				}
			}
		}
	}
}

// mulVAES512 multiplies in the field of FIPS 197, section 4.
func mulVAES512(a, b byte) (p byte) {
	for ; b != 0; b >>= 1 {
		if b&1 != 0 {
			p ^= a
		}
		a = a<<1 ^ a>>7*0x1b
	}
	return p
}

func subVAES512(x byte) byte {
	inverse := byte(1)
	for range 254 {
		inverse = mulVAES512(inverse, x)
	}
	y := byte(0x63)
	for i := range 5 {
		y ^= bits.RotateLeft8(inverse, i)
	}
	return y
}

var sboxVAES512 = func() (s [256]byte) {
	for i := range s {
		s[i] = subVAES512(byte(i))
	}
	return s
}()

// plainExpandVAES512 is FIPS 197, section 5.2.
func plainExpandVAES512(key []byte) (rk [][16]byte) {
	nk := len(key) / 4
	w := bytes.Clone(key)
	rcon := byte(1)
	for i := nk; i < 4*(nk+7); i++ {
		v := [4]byte(w[4*i-4:])
		if i%nk == 0 {
			v = [4]byte{sboxVAES512[v[1]] ^ rcon, sboxVAES512[v[2]], sboxVAES512[v[3]], sboxVAES512[v[0]]}
			rcon = mulVAES512(rcon, 2)
		} else if nk == 8 && i%4 == 0 {
			for j, b := range v {
				v[j] = sboxVAES512[b]
			}
		}
		for j := range v {
			w = append(w, w[4*(i-nk)+j]^v[j])
		}
	}
	for ; len(w) > 0; w = w[16:] {
		rk = append(rk, [16]byte(w))
	}
	return rk
}

func inverseMixColumnVAES512(c []byte) []byte {
	r := make([]byte, 4)
	for i := range r {
		for j, m := range [4]byte{14, 11, 13, 9} {
			r[i] ^= mulVAES512(c[(i+j)%4], m)
		}
	}
	return r
}

func TestBlocksVAES512(t *testing.T) {
	needVAES512(t)
	src := randomVAES512(2, 1<<16)
	for _, s := range keySizesVAES512(t, 1) {
		sealed, opened := make([]byte, len(src)), make([]byte, len(src))
		for i := 0; i < len(src); i += 16 {
			s.standard.Encrypt(sealed[i:], src[i:])
			s.standard.Decrypt(opened[i:], src[i:])
		}
		for _, n := range lengthsVAES512(16) {
			checkVAES512(t, fmt.Sprintf("encrypt, %d rounds", s.k.Rounds), src[:n], sealed, func(dst, src []byte) { EncryptBlocksVAES512(s.k, dst, src) })
			checkVAES512(t, fmt.Sprintf("decrypt, %d rounds", s.k.Rounds), src[:n], opened, func(dst, src []byte) { DecryptBlocksVAES512(s.k, dst, src) })
		}
	}
}

func TestCBCEncryptAESNI(t *testing.T) {
	needAESNI(t)
	src, iv := randomVAES512(3, 1<<16), [16]byte(randomVAES512(4, 16))
	for _, s := range keySizesVAES512(t, 5) {
		want := make([]byte, len(src))
		cipher.NewCBCEncrypter(s.standard, iv[:]).CryptBlocks(want, src)
		for _, n := range lengthsVAES512(16) {
			checkVAES512(t, fmt.Sprintf("%d rounds", s.k.Rounds), src[:n], want, func(dst, src []byte) {
				v := iv
				CBCEncryptAESNI(s.k, &v, dst, src)
				if v != [16]byte(want[n-16:]) {
					t.Fatalf("%d rounds, %d bytes: wrong iv", s.k.Rounds, n)
				}
			})
		}
	}
}

func TestCBCDecryptVAES512(t *testing.T) {
	needVAES512(t)
	src, iv := randomVAES512(6, 1<<16), [16]byte(randomVAES512(7, 16))
	for _, s := range keySizesVAES512(t, 8) {
		want := make([]byte, len(src))
		cipher.NewCBCDecrypter(s.standard, iv[:]).CryptBlocks(want, src)
		for _, n := range lengthsVAES512(16) {
			last := [16]byte(src[n-16:])
			checkVAES512(t, fmt.Sprintf("%d rounds", s.k.Rounds), src[:n], want, func(dst, src []byte) {
				v := iv
				CBCDecryptVAES512(s.k, &v, dst, src)
				if v != last {
					t.Fatalf("%d rounds, %d bytes: wrong iv", s.k.Rounds, n)
				}
			})
		}
	}
}

// addVAES512 adds n to a counter of 128 bits.
func addVAES512(ctr [16]byte, n int) (sum [16]byte) {
	lo, carry := bits.Add64(binary.BigEndian.Uint64(ctr[8:]), uint64(n), 0)
	binary.BigEndian.PutUint64(sum[8:], lo)
	binary.BigEndian.PutUint64(sum[:], binary.BigEndian.Uint64(ctr[:])+uint64(int64(n)>>63)+carry)
	return sum
}

// TestCTRVAES512 uses all lengths, and counters that wrap around in each of their
// bytes before, after and inside of runs of blocks of all kinds.
func TestCTRVAES512(t *testing.T) {
	needVAES512(t)
	src := randomVAES512(9, 1<<16)
	zero := make([]byte, 16)
	check := func(s keySizeVAES512, start [16]byte, want []byte, n int) {
		t.Helper()
		next := addVAES512(start, (n+15)/16)
		last := addVAES512(start, (n+15)/16-1)
		stream := make([]byte, 16)
		cipher.NewCTR(s.standard, last[:]).XORKeyStream(stream, zero)
		checkVAES512(t, fmt.Sprintf("%d rounds, counter %x", s.k.Rounds, start), src[:n], want, func(dst, src []byte) {
			t.Helper()
			ctr := start
			rest := new([16]byte)
			if n%16 == 0 {
				rest = nil
			}
			CTRVAES512(s.k, &ctr, dst, src, rest)
			if ctr != next {
				t.Fatalf("%d rounds, counter %x, %d bytes: next %x, want %x", s.k.Rounds, start, n, ctr, next)
			}
			if r := n % 16; r != 0 && (!bytes.Equal(rest[r:], stream[r:]) || !bytes.Equal(rest[:r], zero[:r])) {
				t.Fatalf("%d rounds, counter %x, %d bytes: wrong rest", s.k.Rounds, start, n)
			}
		})
	}
	for _, s := range keySizesVAES512(t, 10) {
		start := [16]byte(randomVAES512(11, 16))
		want := make([]byte, len(src))
		cipher.NewCTR(s.standard, start[:]).XORKeyStream(want, src)
		for _, n := range lengthsVAES512(1) {
			check(s, start, want, n)
		}
		want = want[:9000]
		for _, bit := range []int{8, 16, 32, 40, 64, 72, 96, 128} {
			for _, before := range []int{0, 1, 2, 3, 4, 5, 8, 15, 16, 17, 31, 32, 33, 48, 64, 65, 100, 128, 256, 300} {
				// 2^bit - before, with other bits above.
				start := [16]byte(randomVAES512(byte(bit), 16))
				clear(start[16-bit/8:])
				start = addVAES512(start, -before)
				cipher.NewCTR(s.standard, start[:]).XORKeyStream(want, src[:9000])
				for _, n := range []int{1, 15, 16, 17, 63, 64, 65, 80, 127, 128, 255, 256, 257, 511, 512, 513, 768, 1000, 1024, 2049, 4200, 9000} {
					check(s, start, want, n)
				}
			}
		}
	}
}

// plainXTSVAES512 is IEEE 1619 without ciphertext stealing; tweak, already encrypted,
// becomes that of the block after src.
func plainXTSVAES512(b cipher.Block, tweak *[16]byte, src []byte, decrypt bool) (dst []byte) {
	for ; len(src) > 0; src = src[16:] {
		x := make([]byte, 16)
		for i := range x {
			x[i] = src[i] ^ tweak[i]
		}
		if decrypt {
			b.Decrypt(x, x)
		} else {
			b.Encrypt(x, x)
		}
		for i := range x {
			x[i] ^= tweak[i]
		}
		dst = append(dst, x...)
		carry := byte(0)
		for i, v := range tweak {
			tweak[i], carry = v<<1|carry, v>>7
		}
		tweak[0] ^= carry * 0x87
	}
	return dst
}

func TestXTSVAES512(t *testing.T) {
	needVAES512(t)
	src := randomVAES512(12, 1<<16)
	for _, s := range keySizesVAES512(t, 13) {
		for _, tweak := range [][16]byte{[16]byte(randomVAES512(14, 16)), [16]byte(bytes.Repeat([]byte{0xff}, 16)), {15: 0x80}, {7: 0x80}, {0: 1}} {
			for _, decrypt := range []bool{false, true} {
				f := XTSEncryptVAES512
				if decrypt {
					f = XTSDecryptVAES512
				}
				all := tweak
				want := plainXTSVAES512(s.standard, &all, src, decrypt)
				next := tweak
				done := 0
				for _, n := range lengthsVAES512(16) {
					plainXTSVAES512(s.standard, &next, src[done:n], decrypt)
					done = n
					if n > 600 && tweak[3] == 0 && n%80 != 0 {
						continue
					}
					checkVAES512(t, fmt.Sprintf("%d rounds, decrypt %v", s.k.Rounds, decrypt), src[:n], want, func(dst, src []byte) {
						v := tweak
						f(s.k, &v, dst, src)
						if v != next {
							t.Fatalf("%d rounds, decrypt %v, %d bytes: next tweak %x, want %x", s.k.Rounds, decrypt, n, v, next)
						}
					})
				}
			}
		}
	}
}

func TestCBCEncryptManyAESNI(t *testing.T) {
	needAESNI(t)
	testCBCEncryptMany(t, 8, CBCEncryptManyAESNI)
}

func TestCBCEncryptManyVAES512(t *testing.T) {
	needVAES512(t)
	testCBCEncryptMany(t, 16, CBCEncryptManyVAES512)
}

// TestCBCEncrypt16VAES512 also covers the cases that CBCEncryptManyVAES512 leaves to
// the other kernel.
func TestCBCEncrypt16VAES512(t *testing.T) {
	needVAES512(t)
	testCBCEncryptMany(t, 16, cbcEncrypt16VAES512)
}

// testCBCEncryptMany uses all numbers of lanes, with equal keys, different keys and
// both, in place or not, with some lanes that store nothing, in successive calls. The
// data is between inaccessible pages.
func testCBCEncryptMany(t *testing.T, most int, f func(lanes []Lane, n int)) {
	const blocks = 300
	var sizes [16][]keySizeVAES512
	var src, front, back [16][]byte
	for i := range sizes {
		sizes[i] = keySizesVAES512(t, byte(20+i))
		src[i] = randomVAES512(byte(40+i), 16*blocks)
		front[i], back[i] = guard.Before(t, 16*blocks), guard.After(t, 16*blocks)
	}
	for size := range 3 {
		for count := 1; count <= most; count++ {
			for variant := range 8 {
				lanes := unsafe.Slice((*Lane)(unsafe.Pointer(unsafe.SliceData(guard.After(t, count*int(unsafe.Sizeof(Lane{})))))), count)
				ivs, want := make([][16]byte, count), make([][]byte, count)
				block := make([]cipher.BlockMode, count)
				for i := range lanes {
					s := &sizes[0][size]
					if variant&1 != 0 && (variant&4 == 0 || i == count-1) {
						s = &sizes[i][size]
					}
					ivs[i] = [16]byte(randomVAES512(byte(60+i), 16))
					block[i] = cipher.NewCBCEncrypter(s.standard, ivs[i][:])
					lanes[i] = Lane{Keys: s.k, IV: &ivs[i]}
				}
				for _, n := range []int{1, 2, 3, 4, 5, 17, 64, blocks} {
					if n > 5 && count > 3 && count < most && variant > 3 {
						continue
					}
					dst := back
					if variant&4 != 0 {
						dst = front
					}
					for i := range lanes {
						from, to := src[i][:16*n], guard.Tail(dst[i], 16*n)
						if variant&4 != 0 {
							to = dst[i][:16*n]
						}
						want[i] = make([]byte, 16*n)
						block[i].CryptBlocks(want[i], from)
						lanes[i].Src, lanes[i].Dst = &from[0], &to[0]
						if variant&2 != 0 {
							copy(to, from)
							lanes[i].Src = &to[0]
						} else {
							clear(to)
						}
						if (i+variant)%5 == 4 {
							lanes[i].Dst = nil
						}
					}
					before := slices.Clone(lanes)
					f(lanes, n)
					for i, l := range lanes {
						name := fmt.Sprintf("%d rounds, lane %d of %d, variant %d, %d blocks", l.Keys.Rounds, i, count, variant, n)
						if ivs[i] != [16]byte(want[i][16*n-16:]) {
							t.Fatalf("%s: wrong iv", name)
						}
						b := before[i]
						if l != b {
							t.Fatalf("%s: the lane has changed", name)
						}
						if b.Dst == nil {
							continue
						}
						if !bytes.Equal(unsafe.Slice(b.Dst, 16*n), want[i]) {
							t.Fatalf("%s: wrong", name)
						}
					}
				}
			}
		}
	}
}

// TestGuardVAES512 runs everything with the data directly after an inaccessible page
// and directly before one.
func TestGuardVAES512(t *testing.T) {
	needVAES512(t)
	const most = 4400
	src, dst := guard.After(t, most), guard.After(t, most)
	frontSrc, frontDst := guard.Before(t, most), guard.Before(t, most)
	behind := func() *[16]byte { return (*[16]byte)(guard.After(t, 16)) }
	before := func() *[16]byte { return (*[16]byte)(guard.Before(t, 16)) }
	one, two := behind(), behind()
	one2, two2 := before(), before()
	run := func(k *Keys, n int, one, two *[16]byte, dst, src []byte) {
		if n%16 == 0 {
			EncryptBlocksVAES512(k, dst, src)
			DecryptBlocksVAES512(k, dst, src)
			CBCEncryptAESNI(k, one, dst, src)
			CBCDecryptVAES512(k, one, dst, src)
			XTSEncryptVAES512(k, one, dst, src)
			XTSDecryptVAES512(k, one, dst, src)
		}
		CTRVAES512(k, one, dst, src, two)
	}
	for _, size := range []int{16, 24, 32} {
		var ks [2]*Keys
		for i, f := range []func(testing.TB, int) []byte{guard.After, guard.Before} {
			ks[i] = (*Keys)(unsafe.Pointer(unsafe.SliceData(f(t, int(unsafe.Sizeof(Keys{}))))))
			ExpandAESNI(ks[i], f(t, size))
		}
		for n := 1; n <= most; n++ {
			if n > 1100 && n%7 != 0 && n%16 != 0 {
				continue
			}
			run(ks[0], n, one, two, guard.Tail(dst, n), guard.Tail(src, n))
			run(ks[1], n, one2, two2, frontDst[:n], frontSrc[:n])
		}
	}
}

// TestNothingLeftOnTheStackVAES512 runs everything with two keys and otherwise equal
// arguments: the stack must be the same afterwards.
func TestNothingLeftOnTheStackVAES512(t *testing.T) {
	needVAES512(t)
	k, other, one, rest := new(Keys), new(Keys), new([16]byte), new([16]byte)
	dst, src := make([]byte, 5000), make([]byte, 5000)
	for _, size := range []int{16, 24, 32} {
		key := make([]byte, size)
		check := func(what string, crypt func()) {
			t.Helper()
			secret := func(seed byte) {
				copy(key, randomVAES512(seed, size))
				ExpandAESNI(k, key)
				*other = *k
				*one = [16]byte(randomVAES512(seed+10, 16))
				if what == "CTR" || what == "CTR of part" { // public
					*one = [16]byte{}
				}
			}
			if different := guard.Left(secret, crypt); different > 0 {
				t.Errorf("%s, key of %d bytes: %d bytes on the stack depend on the key", what, size, different)
			}
		}
		check("Expand", func() { ExpandAESNI(k, key) })
		for _, blocks := range []int{1, 2, 4, 5, 9, 16, 17, 29, 32, 33, 64, 75, 300} {
			n := 16 * blocks
			check("EncryptBlocks", func() { EncryptBlocksVAES512(k, dst[:n], src[:n]) })
			check("DecryptBlocks", func() { DecryptBlocksVAES512(k, dst[:n], src[:n]) })
			check("CBCEncrypt", func() { CBCEncryptAESNI(k, one, dst[:n], src[:n]) })
			check("CBCDecrypt", func() { CBCDecryptVAES512(k, one, dst[:n], src[:n]) })
			check("CTR", func() { CTRVAES512(k, one, dst[:n], src[:n], rest) })
			check("CTR of part", func() { CTRVAES512(k, one, dst[:n-5], src[:n-5], rest) })
			check("XTSEncrypt", func() { XTSEncryptVAES512(k, one, dst[:n], src[:n]) })
			check("XTSDecrypt", func() { XTSDecryptVAES512(k, one, dst[:n], src[:n]) })
			lanes := make([]Lane, 16)
			for _, shared := range []bool{false, true} {
				fill := func() {
					for i := range lanes {
						lanes[i] = Lane{k, one, &dst[0], &src[0]}
						if i == 7 && !shared {
							lanes[i].Keys = other
						}
					}
				}
				check("CBCEncryptManyVAES512", func() { fill(); CBCEncryptManyVAES512(lanes, blocks) })
				check("CBCEncryptManyAESNI", func() { fill(); CBCEncryptManyAESNI(lanes[:8], blocks) })
			}
		}
	}
}
