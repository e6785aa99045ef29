//go:build amd64 && !purego

package amd64

import (
	"bytes"
	"crypto/cipher"
	"crypto/subtle"
	"encoding/binary"
	"math/bits"
	"testing"
	"unsafe"

	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/guard"
)

func needGFNI512(t testing.TB) {
	t.Helper()
	if missing := (cpu.AVX512 | cpu.AVX512VBMI2 | cpu.GFNI | cpu.VPCLMULQDQ) &^ cpu.Features(); missing != 0 {
		t.Skipf("this CPU lacks %v", missing)
	}
}

func TestBlocksGFNI512(t *testing.T) {
	needGFNI512(t)
	key := [16]byte(random(1, 16))
	rk := plainExpand(key)
	var k Keys
	ExpandGFNI512(&k, &key)
	const most = 520
	src := random(2, 16*most)
	for _, decrypt := range []bool{false, true} {
		f := EncryptBlocksGFNI512
		if decrypt {
			f = DecryptBlocksGFNI512
		}
		want := rk.ecb(src, decrypt)
		for n := 16; n <= len(src); n += 16 {
			got := make([]byte, n)
			f(&k, got, src[:n])
			if !bytes.Equal(got, want[:n]) {
				t.Fatalf("decrypt %v, %d blocks: wrong", decrypt, n/16)
			}
			copy(got, src)
			f(&k, got, got)
			if !bytes.Equal(got, want[:n]) {
				t.Fatalf("decrypt %v, %d blocks in place: wrong", decrypt, n/16)
			}
		}
	}
}

func TestCBCGFNI512(t *testing.T) {
	needGFNI512(t)
	key, iv := [16]byte(random(3, 16)), [16]byte(random(4, 16))
	rk := plainExpand(key)
	var k Keys
	ExpandGFNI512(&k, &key)
	const most = 520
	plain := random(5, 16*most)
	sealed := rk.cbcEncrypt(iv, plain)
	for n := 16; n <= len(plain); n += 16 {
		for _, inPlace := range []bool{false, true} {
			run := func(name string, f func(k *Keys, iv *[16]byte, dst, src []byte), src, want []byte, last [16]byte) {
				got := make([]byte, n)
				if inPlace {
					copy(got, src)
					src = got
				}
				v := iv
				f(&k, &v, got, src)
				if !bytes.Equal(got, want) {
					t.Fatalf("%s, %d blocks, in place %v: wrong", name, n/16, inPlace)
				}
				if v != last {
					t.Fatalf("%s, %d blocks: wrong iv", name, n/16)
				}
			}
			last := [16]byte(sealed[n-16:])
			run("encrypt", CBCEncryptGFNI512, plain[:n], sealed[:n], last)
			run("decrypt", CBCDecryptGFNI512, sealed[:n], plain[:n], last)
		}
	}
}

// TestCTRGFNI512 uses counters that wrap around in each of their bytes, before and
// after any block, and all lengths.
func TestCTRGFNI512(t *testing.T) {
	needGFNI512(t)
	key := [16]byte(random(6, 16))
	rk := plainExpand(key)
	var k Keys
	ExpandGFNI512(&k, &key)
	src := random(7, 9000)
	check := func(start [16]byte, want []byte, n int) {
		t.Helper()
		next, last := rk.ctrEnd(start, n)
		for _, inPlace := range []bool{false, true} {
			got, from := make([]byte, n), src[:n]
			if inPlace {
				copy(got, src)
				from = got
			}
			ctr := start
			rest := new([16]byte)
			CTRGFNI512(&k, &ctr, got, from, rest)
			if !bytes.Equal(got, want[:n]) {
				i := 0
				for got[i] == want[i] {
					i++
				}
				t.Fatalf("counter %x, %d bytes: wrong at %d", start, n, i)
			}
			if ctr != next {
				t.Fatalf("counter %x, %d bytes: next %x, want %x", start, n, ctr, next)
			}
			if r := n % 16; r != 0 && !bytes.Equal(rest[r:], last[r:]) {
				t.Fatalf("counter %x, %d bytes: wrong rest", start, n)
			}
		}
	}
	for _, bit := range []int{8, 16, 24, 32, 40, 64, 72, 96, 128} {
		for _, before := range []int{0, 1, 2, 15, 16, 17, 63, 64, 65, 100, 127, 128, 129, 192, 256, 300} {
			// 2^bit - before, with other bits above.
			start := [16]byte(random(byte(bit), 16))
			for i := range bit / 8 {
				start[15-i] = 0xff
			}
			for range before - 1 {
				for i := 15; i >= 0; i-- {
					start[i]--
					if start[i] != 0xff {
						break
					}
				}
			}
			want, _, _ := rk.ctr(start, 128, src)
			for _, n := range []int{1, 15, 16, 17, 255, 256, 257, 1000, 1024, 1025, 2047, 2048, 2049, 3000, 4096, 4200, 6144, 9000} {
				check(start, want, n)
			}
		}
	}
	start := [16]byte(random(8, 16))
	want, _, _ := rk.ctr(start, 128, src)
	for n := 1; n <= 4200; n++ {
		check(start, want, n)
	}
}

// The counters start anywhere and count in any of their bytes.
func TestCountersGFNI512(t *testing.T) {
	needGFNI512(t)
	key := [16]byte(random(6, 16))
	rk := plainExpand(key)
	var k Keys
	ExpandGFNI512(&k, &key)
	for batches := 1; batches <= 3; batches++ {
		n := 2048 * batches
		src, dst := guard.After(t, n), guard.Before(t, n)
		var starts [][16]byte
		for i := range batches + 1 {
			starts = append(starts, [16]byte(random(byte(20+i), 16)))
		}
		for i := range 128 + 16 {
			first, which := i, i%16
			if i >= 128 {
				first, which = 0, i-128
			}
			copy(src, random(7, n))
			want := bytes.Clone(src)
			for j := range n / 16 {
				m := first + j
				b := starts[m/128]
				b[which] ^= byte(m % 128)
				b = rk.block(b, false)
				subtle.XORBytes(want[16*j:], want[16*j:], b[:])
			}
			given := starts
			if first == 0 {
				given = starts[:batches]
			}
			if CountersGFNI512(&k, given, first, which, dst, src); !bytes.Equal(dst, want) {
				t.Fatalf("%d batches from %d on, byte %d: wrong", batches, first, which)
			}
			if CountersGFNI512(&k, given, first, which, src, src); !bytes.Equal(src, want) {
				t.Fatalf("%d batches from %d on, byte %d, in place: wrong", batches, first, which)
			}
		}
	}
}

func TestCFBDecryptGFNI512(t *testing.T) {
	needGFNI512(t)
	key, iv := [16]byte(random(3, 16)), [16]byte(random(4, 16))
	rk := plainExpand(key)
	var k Keys
	ExpandGFNI512(&k, &key)
	const most = 3*2048 + 100
	sealed := random(5, most)
	var plain []byte
	last := iv
	for i := 0; i+16 <= most; i += 16 {
		b := rk.block(last, false)
		for j := range b {
			b[j] ^= sealed[i+j]
		}
		plain = append(plain, b[:]...)
		last = [16]byte(sealed[i:])
	}
	src, dst := guard.After(t, most), guard.After(t, most)
	for _, n := range []int{0, 16, 2047, 2048, 2049, 4096, 5000, 6144, most} {
		want := n &^ 2047
		s, d := guard.Tail(src, n), guard.Tail(dst, n)
		for _, d := range [][]byte{d, s} { // then in place
			copy(s, sealed)
			v := iv
			if got := CFBDecryptGFNI512(&k, &v, d, s); got != want {
				t.Fatalf("%d bytes: decrypts %d, want %d", n, got, want)
			}
			if !bytes.Equal(d[:want], plain[:want]) {
				t.Fatalf("%d bytes: wrong", n)
			}
			if want > 0 && v != [16]byte(sealed[want-16:]) || want == 0 && v != iv {
				t.Fatalf("%d bytes: wrong iv", n)
			}
		}
	}
}

// ctrEnd returns the counter after n bytes and the keystream of the last
// block.
func (rk *plainKeys) ctrEnd(ctr [16]byte, n int) (next, last [16]byte) {
	blocks := (n + 15) / 16
	hi, lo := binary.BigEndian.Uint64(ctr[:]), binary.BigEndian.Uint64(ctr[8:])
	add := func(n int) (b [16]byte) {
		l, c := bits.Add64(lo, uint64(n), 0)
		binary.BigEndian.PutUint64(b[:], hi+c)
		binary.BigEndian.PutUint64(b[8:], l)
		return b
	}
	return add(blocks), rk.block(add(blocks-1), false)
}

// powersGFNI512 is the table of GHASH by plain multiplication: H^64 to H^1, with
// the bytes reversed and multiplied by x.
func powersGFNI512(rk *plainKeys) *[64][16]byte {
	h := rk.block([16]byte{}, false)
	t := new([64][16]byte)
	p := [16]byte{0: 0x80} // 1
	for n := 1; n <= 64; n++ {
		p = plainHash(h, p, make([]byte, 16))
		hi, lo := binary.BigEndian.Uint64(p[:]), binary.BigEndian.Uint64(p[8:])
		top := hi >> 63
		hi, lo = hi<<1|lo>>63, lo<<1
		binary.LittleEndian.PutUint64(t[64-n][:], lo^top)
		binary.LittleEndian.PutUint64(t[64-n][8:], hi^top*(0xc2<<56))
	}
	return t
}

func TestGCMGFNI512(t *testing.T) {
	needGFNI512(t)
	key := [16]byte(random(9, 16))
	rk := plainExpand(key)
	var k Keys
	ExpandGFNI512(&k, &key)
	h := powersGFNI512(&rk)
	plain := random(10, 1<<16+5000)
	lens := [16]byte(random(11, 16))
	check := func(j0, y [16]byte, n int) {
		t.Helper()
		sealed, tag := rk.seal(j0, y, lens, plain[:n])
		for _, inPlace := range []bool{false, true} {
			run := func(name string, f func(k *Keys, h *[64][16]byte, m *Message, dst, src []byte), src, want []byte) {
				t.Helper()
				got := make([]byte, n)
				if inPlace {
					copy(got, src)
					src = got
				}
				m := Message{J0: j0, Y: y, Lens: lens}
				f(&k, h, &m, got, src)
				for i := range got {
					if got[i] != want[i] {
						t.Fatalf("%s, j0 %x, %d bytes, in place %v: wrong at %d", name, j0, n, inPlace, i)
					}
				}
				if m.Y != tag {
					t.Fatalf("%s, j0 %x, %d bytes, in place %v: tag %x, want %x", name, j0, n, inPlace, m.Y, tag)
				}
				if m.J0 != j0 || m.Lens != lens {
					t.Fatalf("%s changes j0 or lens", name)
				}
			}
			run("seal", SealGFNI512, plain[:n], sealed)
			run("open", OpenGFNI512, sealed, plain[:n])
		}
	}
	j0, y := [16]byte(random(12, 16)), [16]byte(random(13, 16))
	for n := range 3001 {
		check(j0, y, n)
	}
	defer func(before bool) { pairsAlone = before }(pairsAlone)
	pairsAlone = !pairsAlone
	for n := 241; n <= 496; n++ {
		check(j0, y, n)
	}
	for n := 4000; n < 4200; n++ {
		check(j0, [16]byte{}, n)
	}
	for _, n := range []int{8192, 1 << 16, 1<<16 + 1, 1<<16 + 2047, 1<<16 + 5000} {
		check(j0, y, n)
	}
	for _, before := range []uint32{0, 1, 2, 5, 15, 16, 17, 40, 64, 65, 66, 70, 80, 81, 94, 95, 96, 127, 128, 129, 150, 191, 192, 256, 300} {
		binary.BigEndian.PutUint32(j0[12:], -before)
		for _, n := range []int{0, 1, 16, 100, 240, 241, 256, 1000, 1008, 1009, 1024, 1025, 1264, 1420, 1520, 1521, 2000, 2032, 2033, 2048, 2049, 4096, 5000} {
			check(j0, y, n)
		}
		binary.BigEndian.PutUint32(j0[12:], 0x1ff-before)
		for _, n := range []int{100, 1000, 1520, 2000, 4096, 5000} {
			check(j0, y, n)
		}
	}
}

// TestTailsGFNI512 calls the kernels for the end of a message with all lengths that they take, of
// which SealGFNI512 and OpenGFNI512 pass on only those for which a kernel is the fastest.
func TestTailsGFNI512(t *testing.T) {
	needGFNI512(t)
	key := [16]byte(random(9, 16))
	rk := plainExpand(key)
	var k Keys
	ExpandGFNI512(&k, &key)
	h := powersGFNI512(&rk)
	plain, j0, y, lens := random(10, 2048), [16]byte(random(12, 16)), [16]byte(random(13, 16)), [16]byte(random(11, 16))
	type tail func(k *Keys, h *[64][16]byte, m *Message, dst, src *byte, n, next int)
	for _, c := range []struct {
		name        string
		seal, open  tail
		least, most int // blocks
	}{
		{"16", sealTail16GFNI512, openTail16GFNI512, 0, 15},
		{"32", sealTail32GFNI512, openTail32GFNI512, 0, 31},
		{"64", sealTail64GFNI512, openTail64GFNI512, 0, 63},
		{"96", sealTail96GFNI512, openTail96GFNI512, 64, 95},
		{"128", sealTail128GFNI512, openTail128GFNI512, 64, 127},
	} {
		for n := max(0, 16*c.least-15); n <= 16*c.most; n++ {
			sealed, tag := rk.seal(j0, y, lens, plain[:n])
			got, m := make([]byte, n+1), Message{J0: j0, Y: y, Lens: lens}
			copy(got, plain[:n])
			c.seal(&k, h, &m, &got[0], &got[0], n, 1)
			if !bytes.Equal(got[:n], sealed) || got[n] != 0 || m.Y != tag {
				t.Fatalf("sealTail%s, %d bytes: wrong", c.name, n)
			}
			m.Y = y
			c.open(&k, h, &m, &got[0], &got[0], n, 1)
			if !bytes.Equal(got[:n], plain[:n]) || got[n] != 0 || m.Y != tag {
				t.Fatalf("openTail%s, %d bytes: wrong", c.name, n)
			}
		}
	}
}

// plainBlock is the plain cipher for crypto/cipher.
type plainBlock struct{ rk *plainKeys }

func (b plainBlock) BlockSize() int { return 16 }
func (b plainBlock) Encrypt(dst, src []byte) {
	x := b.rk.block([16]byte(src), false)
	copy(dst, x[:])
}
func (b plainBlock) Decrypt(dst, src []byte) {
	x := b.rk.block([16]byte(src), true)
	copy(dst, x[:])
}

// TestStandardGCMGFNI512 compares with GCM of the standard library.
func TestStandardGCMGFNI512(t *testing.T) {
	needGFNI512(t)
	key := [16]byte(random(14, 16))
	rk := plainExpand(key)
	standard, err := cipher.NewGCM(plainBlock{&rk})
	if err != nil {
		t.Fatal(err)
	}
	var k Keys
	ExpandGFNI512(&k, &key)
	h := powersGFNI512(&rk)
	plain, nonce := random(15, 9000), random(16, 12)
	for _, n := range []int{0, 1, 15, 16, 17, 64, 240, 241, 1008, 1009, 1024, 1420, 2032, 2033, 2047, 2048, 2049, 4096, 8192, 9000} {
		for _, data := range [][]byte{nil, random(17, 13)} {
			want := standard.Seal(nil, nonce, plain[:n], data)
			begin := Message{J0: [16]byte(append(bytes.Clone(nonce), 0, 0, 0, 1)), Pending: len(data) > 0}
			copy(begin.Y[:], data)
			binary.BigEndian.PutUint64(begin.Lens[:], uint64(8*len(data)))
			binary.BigEndian.PutUint64(begin.Lens[8:], uint64(8*n))
			got, m := make([]byte, n), begin
			SealGFNI512(&k, h, &m, got, plain[:n])
			if !bytes.Equal(append(bytes.Clone(got), m.Y[:]...), want) {
				t.Fatalf("%d bytes, %d of data: wrong", n, len(data))
			}
			m = begin
			OpenGFNI512(&k, h, &m, got, got)
			if !bytes.Equal(got, plain[:n]) || !bytes.Equal(m.Y[:], want[n:]) {
				t.Fatalf("%d bytes, %d of data: does not open", n, len(data))
			}
		}
	}
}

// TestGuardGFNI512 runs everything with the data directly after an inaccessible page
// and directly before one.
func TestGuardGFNI512(t *testing.T) {
	needGFNI512(t)
	var k Keys
	ExpandGFNI512(&k, (*[16]byte)(guard.After(t, 16)))
	ExpandGFNI512(&k, (*[16]byte)(guard.Before(t, 16)))
	const most = 4400
	lengths := []int{}
	for n := range 1100 {
		lengths = append(lengths, n)
	}
	for n := 1100; n < most; n += 7 {
		lengths = append(lengths, n)
	}
	lengths = append(lengths, 2032, 2033, 2047, 2048, 2049, 4096)
	src, dst := guard.After(t, most), guard.After(t, most)
	frontSrc, frontDst := guard.Before(t, most), guard.Before(t, most)
	behind := func() *[16]byte { return (*[16]byte)(guard.After(t, 16)) }
	before := func() *[16]byte { return (*[16]byte)(guard.Before(t, 16)) }
	one, two := behind(), behind()
	one2, two2 := before(), before()
	m := (*Message)(unsafe.Pointer(unsafe.SliceData(guard.After(t, int(unsafe.Sizeof(Message{}))))))
	m2 := (*Message)(unsafe.Pointer(unsafe.SliceData(guard.Before(t, int(unsafe.Sizeof(Message{}))))))
	h := (*[64][16]byte)(unsafe.Pointer(unsafe.SliceData(guard.After(t, 1024))))
	h2 := (*[64][16]byte)(unsafe.Pointer(unsafe.SliceData(guard.Before(t, 1024))))
	run := func(n int, h *[64][16]byte, one, two *[16]byte, m *Message, dst, src []byte) {
		if n%16 == 0 && n > 0 {
			EncryptBlocksGFNI512(&k, dst, src)
			DecryptBlocksGFNI512(&k, dst, src)
			CBCEncryptGFNI512(&k, one, dst, src)
			CBCDecryptGFNI512(&k, one, dst, src)
		}
		if n > 0 {
			CTRGFNI512(&k, one, dst, src, two)
		}
		m.Pending = n%2 == 1
		SealGFNI512(&k, h, m, dst, src)
		m.Pending = n%2 == 1
		OpenGFNI512(&k, h, m, dst, src)
	}
	for _, n := range lengths {
		run(n, h, one, two, m, guard.Tail(dst, n), guard.Tail(src, n))
		run(n, h2, one2, two2, m2, frontDst[:n], frontSrc[:n])
	}
	// The keys, after a guard page and before one.
	for _, b := range [][]byte{guard.After(t, int(unsafe.Sizeof(k))), guard.Before(t, int(unsafe.Sizeof(k)))} {
		g := (*Keys)(unsafe.Pointer(unsafe.SliceData(b)))
		*g = k
		k := g
		for _, n := range []int{16, 256, 512, 1040, 2048} {
			EncryptBlocksGFNI512(k, dst[:n], src[:n])
			DecryptBlocksGFNI512(k, dst[:n], src[:n])
			CBCEncryptGFNI512(k, one, dst[:n], src[:n])
			CBCDecryptGFNI512(k, one, dst[:n], src[:n])
			CTRGFNI512(k, one, dst[:n], src[:n], two)
		}
	}
}
