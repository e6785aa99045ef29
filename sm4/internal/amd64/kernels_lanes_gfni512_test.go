//go:build amd64 && !purego

package amd64

import (
	"bytes"
	"fmt"
	"testing"
	"unsafe"

	"github.com/cipherlane/cipherlane/internal/guard"
)

// testLanes are 64 lanes with different keys.
type testLanes struct {
	Lanes
	keys [LaneCount]Keys
	rk   [LaneCount]plainKeys
	iv   [LaneCount][16]byte
}

func newTestLanes() *testLanes {
	l := new(testLanes)
	for i := range LaneCount {
		key := [16]byte(random(byte(i), 16))
		ExpandGFNI512(&l.keys[i], &key)
		l.rk[i] = plainExpand(key)
		l.iv[i] = [16]byte(random(byte(i+100), 16))
		l.Keys[i] = &l.keys[i]
	}
	return l
}

func TestLanesGFNI512(t *testing.T) {
	needGFNI512(t)
	l := newTestLanes()
	l.SetKeysGFNI512()
	const most = 21
	var plain, want, dst [LaneCount][]byte
	for i := range LaneCount {
		plain[i] = random(byte(i+200), 16*most)
		want[i] = l.rk[i].cbcEncrypt(l.iv[i], plain[i])
	}
	for n := 1; n <= most; n++ {
		for _, inPlace := range []bool{false, true} {
			for _, store := range []bool{false, true} {
				for i := range LaneCount {
					dst[i] = make([]byte, 16*most)
					l.Src[i], l.Dst[i] = &plain[i][0], &dst[i][0]
					if inPlace {
						copy(dst[i], plain[i][:16*n])
						l.Src[i] = l.Dst[i]
					}
					if !store {
						l.Dst[i] = nil
					}
				}
				l.Chain = l.iv
				l.CBCEncryptGFNI512(n, store)
				for i := range LaneCount {
					if l.Chain[i] != [16]byte(want[i][16*(n-1):]) {
						t.Fatalf("lane %d, %d blocks, store %v: wrong chaining value", i, n, store)
					}
					out := make([]byte, 16*most)
					switch {
					case store:
						copy(out, want[i][:16*n])
					case inPlace:
						copy(out, plain[i][:16*n])
					}
					if !bytes.Equal(dst[i], out) {
						t.Fatalf("lane %d, %d blocks, in place %v, store %v: wrong", i, n, inPlace, store)
					}
				}
			}
		}
	}
}

// The first lane overwrites what other lanes write to its memory.
func TestFirstLaneGFNI512(t *testing.T) {
	needGFNI512(t)
	l := newTestLanes()
	l.SetKeysGFNI512()
	for n := 1; n <= 9; n++ {
		p := random(1, 16*n)
		want := l.rk[0].cbcEncrypt(l.iv[0], p)
		l.Chain = l.iv
		for i := range LaneCount {
			l.Src[i], l.Dst[i] = &p[0], &p[0]
		}
		l.CBCEncryptGFNI512(n, true)
		if !bytes.Equal(p, want) {
			t.Fatalf("%d blocks: wrong", n)
		}
	}
}

// Data and keys are directly after an inaccessible page or directly before one.
func TestGuardLanesGFNI512(t *testing.T) {
	needGFNI512(t)
	l := newTestLanes()
	for _, b := range [][]byte{guard.After(t, int(unsafe.Sizeof(Keys{}))), guard.Before(t, int(unsafe.Sizeof(Keys{})))} {
		k := (*Keys)(unsafe.Pointer(unsafe.SliceData(b)))
		*k = l.keys[0]
		for i := range LaneCount {
			l.Keys[i] = k
		}
		l.SetKeysGFNI512()
	}
	const most = 16 * 13
	src, dst := guard.After(t, most), guard.After(t, most)
	frontSrc, frontDst := guard.Before(t, most), guard.Before(t, most)
	for n := 1; n <= most/16; n++ {
		for i := range LaneCount {
			l.Src[i], l.Dst[i] = &guard.Tail(src, 16*n)[0], &guard.Tail(dst, 16*n)[0]
			if i%2 == 1 {
				l.Src[i], l.Dst[i] = &frontSrc[0], &frontDst[0]
			}
		}
		l.CBCEncryptGFNI512(n, true)
		l.CBCEncryptGFNI512(n, false)
	}
}

// plainXTS is XTS over whole blocks, of IEEE 1619 or of GB/T 17964-2021, with the tweak
// in the representation of the former.
func (rk *plainKeys) plainXTS(tweak [16]byte, src []byte, gb, decrypt bool) (dst []byte, next [16]byte) {
	for ; len(src) > 0; src = src[16:] {
		add := tweak
		if gb {
			for i, b := range tweak {
				add[i] = 0
				for j := range 8 {
					add[i] |= b >> j & 1 << (7 - j)
				}
			}
		}
		b := [16]byte(src)
		for i := range b {
			b[i] ^= add[i]
		}
		b = rk.block(b, decrypt)
		for i := range b {
			b[i] ^= add[i]
		}
		dst = append(dst, b[:]...)
		carry := byte(0)
		for i := range tweak {
			tweak[i], carry = tweak[i]<<1|carry, tweak[i]>>7
		}
		tweak[0] ^= 0x87 * carry
	}
	return dst, tweak
}

var xtsMatrices = map[bool]uint64{false: 0x0102040810204080, true: 0x8040201008040201}

func TestXTSGFNI512(t *testing.T) {
	needGFNI512(t)
	key := [16]byte(random(20, 16))
	rk := plainExpand(key)
	var k Keys
	ExpandGFNI512(&k, &key)
	src := random(21, 16*400)
	for gb, matrix := range xtsMatrices {
		for _, decrypt := range []bool{false, true} {
			for _, start := range [][16]byte{[16]byte(random(22, 16)), {15: 0x80}, {0: 1}, [16]byte(bytes.Repeat([]byte{0xff}, 16))} {
				want, _ := rk.plainXTS(start, src, gb, decrypt)
				next := start
				for n := 16; n <= len(src); n += 16 {
					_, next = rk.plainXTS(next, src[:16], gb, decrypt)
					name := fmt.Sprintf("GB %v, decrypt %v, tweak %x, %d blocks", gb, decrypt, start, n/16)
					got, tweak := make([]byte, n), start
					XTSGFNI512(&k, &tweak, matrix, got, src[:n], decrypt)
					if !bytes.Equal(got, want[:n]) {
						t.Fatalf("%s: wrong", name)
					}
					if tweak != next {
						t.Fatalf("%s: next tweak %x, want %x", name, tweak, next)
					}
					copy(got, src)
					tweak = start
					XTSGFNI512(&k, &tweak, matrix, got, got, decrypt)
					if !bytes.Equal(got, want[:n]) {
						t.Fatalf("%s, in place: wrong", name)
					}
				}
			}
		}
	}
}

func TestGuardXTSGFNI512(t *testing.T) {
	needGFNI512(t)
	var k Keys
	ExpandGFNI512(&k, new([16]byte))
	const most = 16 * 300
	src, dst := guard.After(t, most), guard.After(t, most)
	frontSrc, frontDst := guard.Before(t, most), guard.Before(t, most)
	behind, before := (*[16]byte)(guard.After(t, 16)), (*[16]byte)(guard.Before(t, 16))
	for n := 16; n <= most; n += 16 {
		for _, decrypt := range []bool{false, true} {
			XTSGFNI512(&k, behind, xtsMatrices[decrypt], guard.Tail(dst, n), guard.Tail(src, n), decrypt)
			XTSGFNI512(&k, before, xtsMatrices[decrypt], frontDst[:n], frontSrc[:n], decrypt)
		}
	}
}

// All numbers of blocks, each under its own key, with an inaccessible page after or
// before keys and blocks.
func TestKeyedBlocksGFNI512(t *testing.T) {
	needGFNI512(t)
	const most = 16 * 64
	plain, keys := random(31, most), random(32, most)
	for _, decrypt := range []bool{false, true} {
		var want []byte
		for i := 0; i < most; i += 16 {
			rk := plainExpand([16]byte(keys[i:]))
			b := rk.block([16]byte(plain[i:]), decrypt)
			want = append(want, b[:]...)
		}
		k, src, dst := guard.After(t, most), guard.After(t, most), guard.After(t, most)
		frontKeys, frontSrc, frontDst := guard.Before(t, most), guard.Before(t, most), guard.Before(t, most)
		for n := 16; n <= most; n += 16 {
			for _, b := range [][3][]byte{
				{guard.Tail(k, n), guard.Tail(src, n), guard.Tail(dst, n)},
				{frontKeys[:n], frontSrc[:n], frontDst[:n]},
				{frontKeys[:n], frontSrc[:n], frontSrc[:n]}, // in place
			} {
				copy(b[0], keys)
				copy(b[1], plain)
				KeyedBlocksGFNI512(b[0], b[2], b[1], decrypt)
				if !bytes.Equal(b[2], want[:n]) {
					t.Fatalf("%d blocks, decrypt %v: wrong", n/16, decrypt)
				}
			}
			if rest := frontDst[n:]; n < most && !bytes.Equal(rest, make([]byte, len(rest))) {
				t.Fatalf("%d blocks: writes behind them", n/16)
			}
		}
	}
}

// With two keys and two tweaks, the stack must be the same afterwards.
func TestXTSLeavesNothingOnTheStack(t *testing.T) {
	needGFNI512(t)
	k, key, tweak := new(Keys), new([16]byte), new([16]byte)
	buffer := make([]byte, 16*300)
	l := newTestLanes()
	for i := range LaneCount {
		l.Src[i], l.Dst[i], l.Keys[i] = &buffer[16*i], &buffer[16*i], k
	}
	check := func(what string, crypt func()) {
		t.Helper()
		secret := func(seed byte) {
			*key, *tweak = [16]byte(random(seed, 16)), [16]byte(random(seed+9, 16))
			ExpandGFNI512(k, key)
			copy(buffer, random(seed+5, len(buffer)))
		}
		if left := guard.Left(secret, crypt); left > 0 {
			t.Errorf("%s: %d bytes on the stack depend on secrets", what, left)
		}
	}
	for _, blocks := range []int{1, 3, 16, 17, 40, 64, 65, 100, 128, 129, 200, 300} {
		n := 16 * blocks
		check(fmt.Sprintf("XTS of %d blocks", blocks), func() {
			XTSGFNI512(k, tweak, xtsMatrices[true], buffer[:n], buffer[:n], blocks%2 == 0)
		})
	}
	for _, blocks := range []int{1, 5, 63, 64} {
		n := 16 * blocks
		check(fmt.Sprintf("%d blocks under keys of their own", blocks), func() {
			KeyedBlocksGFNI512(buffer[2000:2000+n], buffer[:n], buffer[:n], blocks%2 == 0)
		})
	}
	for _, batches := range []int{1, 2} {
		starts, n := make([][16]byte, batches+1), 2048*batches
		check(fmt.Sprintf("%d batches of counters", batches), func() {
			for i := range starts {
				starts[i] = *tweak
			}
			CountersGFNI512(k, starts, 5*(batches-1), 15, buffer[:n], buffer[:n])
		})
	}
	check("CFB", func() { CFBDecryptGFNI512(k, tweak, buffer[:4096], buffer[:4096]) })
	check("keys of lanes", func() { l.SetKeysGFNI512() })
	check("lanes", func() { l.CBCEncryptGFNI512(5, true) })
}
