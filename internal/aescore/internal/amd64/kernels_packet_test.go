//go:build amd64 && !purego

package amd64

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"testing"
	"unsafe"

	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/ghash"
	"github.com/cipherlane/cipherlane/internal/guard"
)

// A packetKernel has the kernels for whole messages of one family.
type packetKernel struct {
	name   string
	needs  cpu.Set
	ghash  uint8
	powers int  // at most so many are read
	tag    int  // the shortest
	wipes  bool // the kernel wipes the text if the tag is wrong
	seal   func(k *Keys, h *Powers, m *Packet)
	open   func(k *Keys, h *Powers, m *Packet) bool
}

var packetKernels = []packetKernel{
	{"AESNI", cpu.SSSE3 | cpu.AES | cpu.PCLMULQDQ, ghash.PCLMULQDQ, 6, 16, false, SealPacketAESNI, OpenPacketAESNI},
	{"AESNI, powers for VPCLMULQDQ", cpu.AES | cpu.AVX2 | cpu.PCLMULQDQ | cpu.VPCLMULQDQ, ghash.VPCLMULQDQ256, 6, 16, false, SealPacketAESNI, OpenPacketAESNI},
	{"VAES512", cpu.AVX512 | cpu.BMI2 | cpu.VAES | cpu.VPCLMULQDQ, ghash.VPCLMULQDQ512, 64, 12, true, SealPacketVAES512, OpenPacketVAES512},
}

// eachPacketKernel runs a test with the kernels that this machine supports.
func eachPacketKernel(t *testing.T, test func(t *testing.T, f packetKernel)) {
	for _, f := range packetKernels {
		t.Run(f.name, func(t *testing.T) {
			if missing := f.needs &^ cpu.Features(); missing != 0 {
				t.Skipf("this CPU lacks %v", missing)
			}
			test(t, f)
		})
	}
}

func (f packetKernel) newKey(t *testing.T, key []byte) *gcm512 {
	t.Helper()
	block, err := aes.NewCipher(key)
	if err != nil {
		t.Fatal(err)
	}
	g := &gcm512{block: block}
	f.setKey(g, key)
	return g
}

func (f packetKernel) setKey(g *gcm512, key []byte) {
	var h [16]byte
	ExpandAESNI(&g.keys, key)
	block, _ := aes.NewCipher(key)
	block.Encrypt(h[:], h[:])
	g.hash.Init(&h, f.ghash)
}

// newPacket returns a packet of n bytes.
func newPacket(dst, src, nonce, data []byte, n, tag int) *Packet {
	return &Packet{
		Dst: unsafe.SliceData(dst), Src: unsafe.SliceData(src), Nonce: unsafe.SliceData(nonce), Data: unsafe.SliceData(data),
		Size: n, DataSize: len(data), TagBits: 1<<tag - 1,
	}
}

// TestPacket compares packets of all lengths with GCM of the standard library, with all
// buffers next to inaccessible pages on either side.
func TestPacket(t *testing.T) { eachPacketKernel(t, testPacket) }

func testPacket(t *testing.T, f packetKernel) {
	const most = 256
	plain, data, nonce := randomGCM512(13, most), randomGCM512(14, most), randomGCM512(15, 12)
	type pages struct{ dst, src, data, nonce []byte }
	var sides [2]pages
	for i, beside := range []func(testing.TB, int) []byte{guard.After, guard.Before} {
		sides[i] = pages{beside(t, most+16), beside(t, most+16), beside(t, most), beside(t, 12)}
		copy(sides[i].nonce, nonce)
	}
	place := func(side int, page []byte, n int) []byte {
		if n == 0 {
			return nil
		}
		if side == 0 {
			return guard.Tail(page, n)
		}
		return page[:n]
	}
	for _, size := range keySizesGCM512 {
		g := f.newKey(t, randomGCM512(16, size))
		h := g.hash.Table(64)
		standard, err := cipher.NewGCM(g.block)
		if err != nil {
			t.Fatal(err)
		}
		for n := range most + 1 {
			for count := range most + 1 {
				if testing.Short() && n > 5 && count > 5 && (n+count)%7 != 0 {
					continue
				}
				side, tag := (n+count)%2, f.tag+(n+count)%(17-f.tag)
				want := standard.Seal(nil, nonce, plain[:n], data[:count])[:n+tag]
				p := sides[side]
				ad := place(side, p.data, count)
				copy(ad, data)
				src, dst := place(side, p.src, n), place(side, p.dst, n+tag)
				copy(src, plain)
				if n%3 == 0 {
					src = dst[:n]
					copy(src, plain)
				}
				f.seal(&g.keys, h, newPacket(dst, src, p.nonce, ad, n, tag))
				if !bytes.Equal(dst, want) {
					t.Fatalf("AES-%d, %d bytes, %d of data, tag of %d: %x, want %x", 8*size, n, count, tag, dst, want)
				}
				src, dst = place(side, p.src, n+tag), place(side, p.dst, n)
				if n%3 == 0 {
					dst = src[:n]
				}
				for bit := -1; bit < 8*tag; bit += 1 + (n+count)%97 {
					copy(src, want)
					if bit >= 0 {
						src[n+bit/8] ^= 1 << (bit % 8)
					}
					ok := f.open(&g.keys, h, newPacket(dst, src, p.nonce, ad, n, tag))
					if text := plain[:n]; ok != (bit < 0) || ok && !bytes.Equal(dst, text) || !ok && f.wipes && !bytes.Equal(dst, make([]byte, n)) {
						t.Fatalf("AES-%d, %d bytes, %d of data, tag of %d, changed bit %d: %v, %x", 8*size, n, count, tag, bit, ok, dst)
					}
				}
			}
		}
	}
}

// TestGuardPacket puts keys, powers and the packet next to inaccessible pages. Only the powers
// that the packet needs are there.
func TestGuardPacket(t *testing.T) { eachPacketKernel(t, testGuardPacket) }

func testGuardPacket(t *testing.T, f packetKernel) {
	text := randomGCM512(17, 600)
	g := f.newKey(t, randomGCM512(18, 24))
	for name, beside := range map[string]func(testing.TB, int) []byte{"in front": guard.After, "behind": guard.Before} {
		at := func(n int) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(beside(t, n))) }
		k, h := (*Keys)(at(int(unsafe.Sizeof(g.keys)))), (*[64][16]byte)(at(1024))
		m := (*Packet)(at(int(unsafe.Sizeof(Packet{}))))
		*k = g.keys
		for n := range 257 {
			for _, count := range []int{0, 13, 16, 48, 49, 64, 65, 112, 113, 128, 255, 256} {
				clear(h[:])
				blocks := min((n+15)/16+(count+15)/16+1, f.powers)
				copy(h[64-blocks:], g.hash.Table(64)[64-blocks:])
				code := make([]byte, n+16)
				*m = *newPacket(code, text, text[300:], text[320:][:count], n, 16)
				f.seal(k, h, m)
				*m = *newPacket(code, code, text[300:], text[320:][:count], n, 16)
				if !f.open(k, h, m) || !bytes.Equal(code[:n], text[:n]) {
					t.Fatalf("%s of a page, %d bytes, %d of data: wrong", name, n, count)
				}
			}
		}
	}
}

// TestNothingLeftByPacket is like TestNothingLeftByGCMVAES512.
func TestNothingLeftByPacket(t *testing.T) { eachPacketKernel(t, testNothingLeftByPacket) }

func testNothingLeftByPacket(t *testing.T, f packetKernel) {
	g := f.newKey(t, randomGCM512(19, 32))
	dst, src := make([]byte, 300), make([]byte, 300)
	for _, n := range []int{0, 1, 64, 65, 128, 129, 192, 193, 256} {
		m := newPacket(dst, src, src, src[:n], n, 16)
		for name, call := range map[string]func(){
			"seal": func() { f.seal(&g.keys, g.hash.Table(64), m) },
			"open": func() { f.open(&g.keys, g.hash.Table(64), m) },
		} {
			if left := guard.Left(func(seed byte) { f.setKey(g, randomGCM512(seed, 32)) }, call); left > 0 {
				t.Errorf("%s, %d bytes: %d bytes on the stack depend on the key", name, n, left)
			}
		}
	}
}
