//go:build amd64 && !purego

package amd64

import (
	"bytes"
	"crypto/subtle"
	"encoding/binary"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/ctgrind"
	"github.com/cipherlane/cipherlane/internal/guard"
)

type functions struct {
	name          string
	needs         cpu.Set
	expand        func(k *Keys, key *[16]byte)
	encryptBlocks func(k *Keys, dst, src []byte)
	decryptBlocks func(k *Keys, dst, src []byte)
	cbcEncrypt    func(k *Keys, iv *[16]byte, dst, src []byte)
	cbcDecrypt    func(k *Keys, iv *[16]byte, dst, src []byte)
	ctr           func(k *Keys, ctr *[16]byte, dst, src []byte, rest *[16]byte)
	seal, open    func(k *Keys, h *[64][16]byte, m *Message, dst, src []byte)
}

var families = []functions{
	{"GFNIAVX2", cpu.AVX2 | cpu.GFNI | cpu.PCLMULQDQ | cpu.VPCLMULQDQ, ExpandGFNIAVX2, EncryptBlocksGFNIAVX2, DecryptBlocksGFNIAVX2,
		CBCEncryptGFNIAVX2, CBCDecryptGFNIAVX2, CTRGFNIAVX2, SealGFNIAVX2, OpenGFNIAVX2},
	{"AESNIAVX2", cpu.AVX2 | cpu.AES | cpu.PCLMULQDQ, ExpandAESNIAVX2, EncryptBlocksAESNIAVX2, DecryptBlocksAESNIAVX2,
		CBCEncryptAESNIAVX2, CBCDecryptAESNIAVX2, CTRAESNIAVX2, SealAESNIAVX2, OpenAESNIAVX2},
	{"AESNI", cpu.SSSE3 | cpu.AES | cpu.PCLMULQDQ, ExpandAESNI, EncryptBlocksAESNI, DecryptBlocksAESNI,
		CBCEncryptAESNI, CBCDecryptAESNI, CTRAESNI, SealAESNI, OpenAESNI},
	{"SM4NIAVX2", cpu.AVX2 | cpu.SM4 | cpu.PCLMULQDQ | cpu.VPCLMULQDQ, ExpandSM4NIAVX2, EncryptBlocksSM4NIAVX2, DecryptBlocksSM4NIAVX2,
		CBCEncryptSM4NIAVX2, CBCDecryptSM4NIAVX2, CTRSM4NIAVX2, SealSM4NIAVX2, OpenSM4NIAVX2},
}

// each runs f for every family that this machine supports.
func each(t *testing.T, f func(t *testing.T, f functions)) {
	for _, x := range families {
		t.Run(x.name, func(t *testing.T) {
			if missing := x.needs &^ cpu.Features(); missing != 0 {
				t.Skipf("this CPU lacks %v", missing)
			}
			f(t, x)
		})
	}
}

func random(seed byte, n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{seed}).Read(b)
	return b
}

// TestExample is GB/T 32907-2016, appendix A.1.
func TestExample(t *testing.T) {
	each(t, func(t *testing.T, f functions) {
		key := [16]byte{0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54, 0x32, 0x10}
		want := []byte{0x68, 0x1e, 0xdf, 0x34, 0xd2, 0x06, 0x96, 0x5e, 0x86, 0xb3, 0xe9, 0x4f, 0x53, 0x6e, 0x42, 0x46}
		var k Keys
		f.expand(&k, &key)
		got := make([]byte, 16)
		f.encryptBlocks(&k, got, key[:])
		if !bytes.Equal(got, want) {
			t.Errorf("encrypted: %x, want %x", got, want)
		}
		f.decryptBlocks(&k, got, got)
		if !bytes.Equal(got, key[:]) {
			t.Errorf("decrypted: %x, want %x", got, key)
		}
	})
}

func TestExpand(t *testing.T) {
	each(t, func(t *testing.T, f functions) {
		for seed := range 100 {
			key := [16]byte(random(byte(seed), 16))
			plain := plainExpand(key)
			var k Keys
			f.expand(&k, &key)
			src := [16]byte(random(200, 16))
			got := make([]byte, 16)
			f.encryptBlocks(&k, got, src[:])
			if want := plain.block(src, false); [16]byte(got) != want {
				t.Fatalf("key %x: %x, want %x", key, got, want)
			}
			if f.name == "SM4NIAVX2" {
				for i, w := range k.Words {
					if w != plain[i] || k.Bytes[7-i/4][3-i%4] != w {
						t.Fatalf("round key %d: %08x, in reverse order %08x, want %08x", i, w, k.Bytes[7-i/4][3-i%4], plain[i])
					}
				}
				continue
			}
			for i, w := range k.Words {
				for j, b := range k.Bytes[i] {
					if b != w>>(8*j)&0xff*0x01010101 {
						t.Fatalf("round key %d: word %08x, bytes %08x", i, w, k.Bytes[i])
					}
				}
			}
		}
	})
}

// counts returns numbers of blocks: all up to 200, then some around multiples of 64.
func counts() (n []int) {
	for i := 1; i <= 200; i++ {
		n = append(n, i)
	}
	return append(n, 255, 256, 257, 319, 320, 352, 1024)
}

// layouts returns a function that calls f with source and destination of the
// same size, up to max bytes, before and after inaccessible memory, separate and in
// place.
func layouts(t *testing.T, max int) func(content []byte, f func(dst, src []byte)) {
	a, b := guard.After(t, max), guard.After(t, max)
	c, d := guard.Before(t, max), guard.Before(t, max)
	return func(content []byte, f func(dst, src []byte)) {
		t.Helper()
		n := len(content)
		for _, m := range [][2][]byte{{guard.Tail(a, n), guard.Tail(b, n)}, {c[:n], d[:n]}} {
			dst, src := m[0], m[1]
			copy(src, content)
			f(dst, src)
			if !bytes.Equal(src, content) {
				t.Fatal("source changed")
			}
			f(src, src)
		}
	}
}

func TestBlocks(t *testing.T) {
	each(t, func(t *testing.T, f functions) {
		key := [16]byte(random(1, 16))
		plain := plainExpand(key)
		var k Keys
		f.expand(&k, &key)
		src := random(2, 1024*16)
		layout := layouts(t, len(src))
		encrypted, decrypted := plain.ecb(src, false), plain.ecb(src, true)
		for _, n := range counts() {
			layout(src[:16*n], func(dst, src []byte) {
				copyOf := bytes.Clone(src)
				f.encryptBlocks(&k, dst, src)
				if !bytes.Equal(dst, encrypted[:16*n]) {
					t.Fatalf("%d blocks: wrong encryption", n)
				}
				copy(src, copyOf)
				f.decryptBlocks(&k, dst, src)
				if !bytes.Equal(dst, decrypted[:16*n]) {
					t.Fatalf("%d blocks: wrong decryption", n)
				}
			})
		}
	})
}

func TestCBC(t *testing.T) {
	each(t, func(t *testing.T, f functions) {
		key, iv := [16]byte(random(3, 16)), [16]byte(random(4, 16))
		plain := plainExpand(key)
		var k Keys
		f.expand(&k, &key)
		text := random(5, 1024*16)
		layout := layouts(t, len(text))
		code := plain.cbcEncrypt(iv, text)
		for _, n := range counts() {
			last := [16]byte(code[16*n-16:])
			layout(text[:16*n], func(dst, src []byte) {
				v := iv
				f.cbcEncrypt(&k, &v, dst, src)
				if !bytes.Equal(dst, code[:16*n]) || v != last {
					t.Fatalf("%d blocks: wrong encryption", n)
				}
			})
			layout(code[:16*n], func(dst, src []byte) {
				v := iv
				f.cbcDecrypt(&k, &v, dst, src)
				if !bytes.Equal(dst, text[:16*n]) || v != last {
					t.Fatalf("%d blocks: wrong decryption", n)
				}
			})
		}
	})
}

// counterStarts returns counters shortly before a carry out of the low 8, 16, 32, 64
// and 128 bits.
func counterStarts() (list [][16]byte) {
	for _, bits := range []int{8, 16, 24, 32, 64, 128} {
		for _, before := range []uint64{1, 64, 65, 100} {
			c := [16]byte(random(6, 16))
			for i := 16 - bits/8; i < 16; i++ {
				c[i] = 0xff
			}
			low := binary.BigEndian.Uint64(c[8:])
			binary.BigEndian.PutUint64(c[8:], low-before+1)
			list = append(list, c)
		}
	}
	return list
}

func TestCTR(t *testing.T) {
	each(t, func(t *testing.T, f functions) {
		key := [16]byte(random(7, 16))
		plain := plainExpand(key)
		var k Keys
		f.expand(&k, &key)
		text := random(8, 8192)
		layout := layouts(t, len(text))
		check := func(start [16]byte, n int, dst, src, want []byte) {
			t.Helper()
			ctr := start
			rest := [16]byte{}
			f.ctr(&k, &ctr, dst, src, &rest)
			if !bytes.Equal(dst, want[:n]) {
				t.Fatalf("counter %x, %d bytes: wrong", start, n)
			}
			_, next, last := plain.ctr(start, 128, src)
			if ctr != next {
				t.Fatalf("counter %x, %d bytes: next counter %x, want %x", start, n, ctr, next)
			}
			if n%16 != 0 && !bytes.Equal(rest[n%16:], last[n%16:]) {
				t.Fatalf("counter %x, %d bytes: rest %x, want the end of %x", start, n, rest, last)
			}
		}
		start := [16]byte(random(9, 16))
		want, _, _ := plain.ctr(start, 128, text)
		for n := 1; n <= 2100; n++ {
			layout(text[:n], func(dst, src []byte) { check(start, n, dst, src, want) })
		}
		layout(text, func(dst, src []byte) { check(start, len(src), dst, src, want) })
		for _, start := range counterStarts() {
			want, _, _ := plain.ctr(start, 128, text)
			for _, n := range []int{16, 100, 128, 300, 1024, 1025, 1500, 2048, 2049, 3100, 8192} {
				check(start, n, make([]byte, n), text[:n], want)
			}
		}
		// rest is not needed if no keystream is left.
		ctr := start
		f.ctr(&k, &ctr, make([]byte, 2080), text[:2080], nil)
	})
}

func TestGCM(t *testing.T) {
	each(t, func(t *testing.T, f functions) {
		key := [16]byte(random(10, 16))
		plain := plainExpand(key)
		var k Keys
		f.expand(&k, &key)
		hash := plain.block([16]byte{}, false)
		h := f.powers(hash)
		text := random(11, 64<<10+5000)
		layout := layouts(t, len(text))
		check := func(j0 [16]byte, n int) {
			t.Helper()
			y, lens := [16]byte(random(12, 16)), [16]byte(random(13, 16))
			code, tag := plain.seal(j0, y, lens, text[:n])
			test := func(dst, src []byte, what string, run func(k *Keys, h *[64][16]byte, m *Message, dst, src []byte), want []byte) {
				t.Helper()
				m := Message{J0: j0, Y: y, Lens: lens}
				run(&k, h, &m, dst, src)
				if !bytes.Equal(dst, want) {
					t.Fatalf("%s, j0 %x, %d bytes: wrong text", what, j0, n)
				}
				if m.Y != tag {
					t.Fatalf("%s, j0 %x, %d bytes: tag %x, want %x", what, j0, n, m.Y, tag)
				}
				if m.J0 != j0 || m.Lens != lens {
					t.Fatalf("%s changes j0 or lens", what)
				}
			}
			layout(text[:n], func(dst, src []byte) { test(dst, src, "seal", f.seal, code) })
			layout(code, func(dst, src []byte) { test(dst, src, "open", f.open, text[:n]) })
		}
		for n := range 1200 {
			check([16]byte(random(14, 16)), n)
		}
		for _, n := range []int{2047, 2048, 2049, 3000, 4096, 8190, 64<<10 - 1, 64 << 10, 65<<10 + 1, 64<<10 + 5000} {
			check([16]byte(random(15, 16)), n)
		}
		for _, start := range counterStarts() {
			for _, n := range []int{16, 100, 1024, 1025, 2048, 3100, 4500} {
				check(start, n)
			}
		}
	})
}

// powers computes the table of powers by plain multiplication, as many as the kernels
// may read; other entries must have no influence. PCLMULQDQ reads eight, and the halves of each,
// added.
func (f functions) powers(h [16]byte) *[64][16]byte {
	t := new([64][16]byte)
	for i := range t {
		t[i] = [16]byte(random(byte(i), 16))
	}
	p := [16]byte{0: 0x80}
	for n := 1; n <= 16; n++ {
		p = plainHash(h, p, make([]byte, 16))
		hi, lo := binary.BigEndian.Uint64(p[:]), binary.BigEndian.Uint64(p[8:])
		top := hi >> 63
		hi, lo = hi<<1|lo>>63, lo<<1
		binary.LittleEndian.PutUint64(t[64-n][:], lo^top)
		binary.LittleEndian.PutUint64(t[64-n][8:], hi^top*(0xc2<<56))
	}
	if f.needs&cpu.VPCLMULQDQ == 0 {
		for i, p := range t[56:] {
			subtle.XORBytes(t[48+i][:8], p[:8], p[8:])
			copy(t[48+i][8:], t[48+i][:8])
		}
	}
	return t
}

// TestSecret is for valgrind: key, texts and hash are secret. It covers the families
// whose instructions valgrind supports.
func TestSecret(t *testing.T) {
	each(t, func(t *testing.T, f functions) {
		key, iv := [16]byte(random(16, 16)), [16]byte(random(17, 16))
		plain := plainExpand(key)
		h := f.powers(plain.block([16]byte{}, false))
		text := random(18, 3*1024+300)
		secret := func(b []byte) []byte {
			b = bytes.Clone(b)
			ctgrind.Secret(b)
			return b
		}
		check := func(what string, got, want []byte) {
			t.Helper()
			if ctgrind.Public(got); !bytes.Equal(got, want) {
				t.Errorf("%s: wrong", what)
			}
		}
		var k Keys
		f.expand(&k, (*[16]byte)(secret(key[:])))
		for i := range h {
			ctgrind.Secret(h[i][:])
		}
		for _, n := range []int{16, 48, 112, 160, 320, 592, 1024 + 128, 3 * 1024} {
			want := plain.ecb(text[:n], false)
			b := secret(text[:n])
			f.encryptBlocks(&k, b, b)
			check("encryptBlocks", b, want)
			b = secret(want)
			f.decryptBlocks(&k, b, b)
			check("decryptBlocks", b, text[:n])
			want = plain.cbcEncrypt(iv, text[:n])
			b = secret(text[:n])
			f.cbcEncrypt(&k, (*[16]byte)(secret(iv[:])), b, b)
			check("cbcEncrypt", b, want)
			b = secret(want)
			f.cbcDecrypt(&k, (*[16]byte)(secret(iv[:])), b, b)
			check("cbcDecrypt", b, text[:n])

			n -= 5
			want, _, _ = plain.ctr(iv, 128, text[:n])
			b = secret(text[:n])
			ctr := iv
			f.ctr(&k, &ctr, b, b, new([16]byte))
			check("ctr", b, want)
			y, lens := [16]byte(random(19, 16)), [16]byte(random(20, 16))
			want, tag := plain.seal(iv, y, lens, text[:n])
			m := Message{J0: iv, Y: y, Lens: lens}
			ctgrind.Secret(m.Y[:])
			b = secret(text[:n])
			f.seal(&k, h, &m, b, b)
			check("seal", b, want)
			check("seal: tag", m.Y[:], tag[:])
			m.Y = y
			ctgrind.Secret(m.Y[:])
			b = secret(want)
			f.open(&k, h, &m, b, b)
			check("open", b, text[:n])
			check("open: tag", m.Y[:], tag[:])
		}
	})
}

func TestNoAllocation(t *testing.T) {
	each(t, func(t *testing.T, f functions) {
		var k Keys
		f.expand(&k, &[16]byte{})
		h := f.powers([16]byte{1})
		for _, n := range []int{16, 80, 160, 1500 &^ 15, 4096 + 96} {
			var j0, y [16]byte
			var m Message
			b := make([]byte, n)
			if a := testing.AllocsPerRun(10, func() {
				f.encryptBlocks(&k, b, b)
				f.cbcDecrypt(&k, &y, b, b)
				f.ctr(&k, &j0, b, b, &y)
				f.seal(&k, h, &m, b, b)
				f.open(&k, h, &m, b, b)
			}); a != 0 {
				t.Errorf("%d bytes: %v allocations", n, a)
			}
		}
	})
}

// TestInstructions looks for instructions that not all CPUs for these kernels support:
// other tests do not notice them on a CPU that does. The instructions listed have VEX
// forms, which Go's assembler uses for the registers 0 to 15 without a mask.
func TestInstructions(t *testing.T) {
	avx2 := strings.Fields(`ADDL ADDQ ANDQ BSWAPL CMPQ DECL DECQ JA JAE JB JBE JEQ JMP JNE JZ LEAL LEAQ MOVBLZX MOVL MOVQ NEGQ
		ORQ RET SARQ SHLQ SHRL SHRQ SUBQ TESTQ XORL
		VEXTRACTI128 VINSERTI128 VMOVD VMOVDQA VMOVDQU VMOVQ VPADDB VPADDD VPAND VPBLENDVB VPBROADCASTB VPBROADCASTD
		VPBROADCASTQ VPCMPEQB VPINSRQ VPMAXUB VPSHUFB VPSHUFD VPSLLDQ VPSRLD VPSRLDQ VPUNPCKHBW VPUNPCKHDQ VPUNPCKHQDQ
		VPUNPCKLBW VPUNPCKLDQ VPUNPCKLQDQ VPXOR VZEROUPPER`)
	ssse3 := strings.Fields(`AESENCLAST MOVO MOVOU PADDB PADDD PAND PCLMULQDQ PCMPEQB PMAXUB PSHUFB PSHUFD PSRLL
		PUNPCKHBW PUNPCKHLQ PUNPCKHQDQ PUNPCKLBW PUNPCKLLQ PUNPCKLQDQ PXOR`)
	for _, file := range []string{"sm4_aesni_amd64.s", "ghash_pclmulqdq_amd64.s"} {
		for _, line := range guard.Instructions(t, file) {
			name, _, _ := strings.Cut(line, " ")
			if strings.HasPrefix(name, "V") || !slices.Contains(ssse3, name) && !slices.Contains(avx2, name) {
				t.Errorf("%s: %q", file, line)
			}
		}
	}
	for _, x := range []struct {
		file   string
		more   string // the ones of X and Y registers
		narrow string // the ones of X registers
	}{
		{"sm4_gfniavx2_amd64.s", "VGF2P8AFFINEQB VGF2P8AFFINEINVQB", "VPCLMULQDQ"},
		{"sm4_aesniavx2_amd64.s", "", "VAESENCLAST"},
		{"sm4_sm4niavx2_amd64.s", "VBROADCASTI128 LONG BYTE", ""}, // the SM4 instructions are bytes
		{"ghash_vpclmulqdq256_amd64.s", "VPCLMULQDQ", ""},
	} {
		evex := regexp.MustCompile(`\b(Z\d+|K[0-7]|[XY](1[6-9]|[23]\d))\b|^\s*VPBROADCAST. *[A-D]`)
		for _, line := range guard.Instructions(t, x.file) {
			name, _, _ := strings.Cut(line, " ")
			narrow := slices.Contains(strings.Fields(x.narrow), name)
			switch {
			case evex.MatchString(line), narrow && strings.Contains(line, "Y"):
				t.Errorf("%s: registers of %q", x.file, line)
			case !narrow && !slices.Contains(avx2, name) && !slices.Contains(strings.Fields(x.more), name):
				t.Errorf("%s: %q", x.file, line)
			}
		}
	}
}

func Benchmark(b *testing.B) {
	for _, f := range families {
		if !cpu.Features().Has(f.needs) {
			continue
		}
		var k Keys
		key := [16]byte(random(1, 16))
		f.expand(&k, &key)
		h := f.powers([16]byte(random(2, 16)))
		var j0, y [16]byte
		var m Message
		b.Run(f.name+"/expand", func(b *testing.B) {
			for b.Loop() {
				f.expand(&k, &key)
			}
		})
		for _, n := range []int{16, 32, 64, 128, 256, 512, 1024, 1424, 4096, 8192, 65536} {
			buf := make([]byte, n)
			run := func(name string, g func()) {
				b.Run(f.name+"/"+name+"/"+strconv.Itoa(n), func(b *testing.B) {
					b.SetBytes(int64(n))
					for b.Loop() {
						g()
					}
				})
			}
			run("encrypt", func() { f.encryptBlocks(&k, buf, buf) })
			run("cbcencrypt", func() { f.cbcEncrypt(&k, &y, buf, buf) })
			run("cbcdecrypt", func() { f.cbcDecrypt(&k, &y, buf, buf) })
			run("ctr", func() { f.ctr(&k, &j0, buf, buf, nil) })
			run("seal", func() { f.seal(&k, h, &m, buf, buf) })
			run("open", func() { f.open(&k, h, &m, buf, buf) })
		}
	}
}
