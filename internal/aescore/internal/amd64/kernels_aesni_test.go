//go:build amd64 && !purego

package amd64

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/ghash"
	"github.com/cipherlane/cipherlane/internal/guard"
)

type sealerAESNI = func(k *Keys, h *[64][16]byte, m *Message, dst, src []byte)

// A familyAESNI is AESNI or VAES256: the same code, in registers of one or two
// blocks.
type familyAESNI struct {
	name                         string
	needs                        cpu.Set
	ghash                        uint8
	encryptBlocks, decryptBlocks func(k *Keys, dst, src []byte)
	cbcDecrypt                   func(k *Keys, iv *[16]byte, dst, src []byte)
	ctr                          func(k *Keys, ctr *[16]byte, dst, src []byte, rest *[16]byte)
	xtsEncrypt, xtsDecrypt       func(k *Keys, tweak *[16]byte, dst, src []byte)
	seal, open                   sealerAESNI
}

var familiesAESNI = []familyAESNI{
	{"AESNI", cpu.SSSE3 | cpu.SSE41 | cpu.AES | cpu.PCLMULQDQ, ghash.PCLMULQDQ, EncryptBlocksAESNI, DecryptBlocksAESNI,
		CBCDecryptAESNI, CTRAESNI, XTSEncryptAESNI, XTSDecryptAESNI, SealAESNI, OpenAESNI},
	{"VAES256", cpu.AVX2 | cpu.AES | cpu.VAES | cpu.PCLMULQDQ | cpu.VPCLMULQDQ, ghash.VPCLMULQDQ256, EncryptBlocksVAES256, DecryptBlocksVAES256,
		CBCDecryptVAES256, CTRVAES256, XTSEncryptVAES256, XTSDecryptVAES256, SealVAES256, OpenVAES256},
}

// A keyAESNI is a key for the kernels and for the standard library.
type keyAESNI struct {
	keys  Keys
	block cipher.Block
	h     [64][16]byte
	plain ghash.Key
}

func newKeyAESNI(t testing.TB, f familyAESNI, key []byte) *keyAESNI {
	t.Helper()
	k := new(keyAESNI)
	var err error
	if k.block, err = aes.NewCipher(key); err != nil {
		t.Fatal(err)
	}
	ExpandAESNI(&k.keys, key)
	var h [16]byte
	k.block.Encrypt(h[:], h[:])
	k.plain.Init(&h, ghash.Generic)
	var fast ghash.Key
	fast.Init(&h, f.ghash)
	k.h = *fast.Table(64)
	return k
}

func randomAESNI(seed byte, n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{seed}).Read(b)
	return b
}

// eachAESNI runs f for every family that this machine supports and every key size.
func eachAESNI(t *testing.T, f func(t *testing.T, f familyAESNI, k *keyAESNI)) {
	for _, x := range familiesAESNI {
		for _, size := range []int{16, 24, 32} {
			t.Run(x.name+"/"+strconv.Itoa(8*size), func(t *testing.T) {
				if missing := x.needs &^ cpu.Features(); missing != 0 {
					t.Skipf("this CPU lacks %v", missing)
				}
				f(t, x, newKeyAESNI(t, x, randomAESNI(byte(size), size)))
			})
		}
	}
}

const mostAESNI = 64 << 10

// lengthsAESNI are multiples of step: all up to 4200, then around 64 KiB.
func lengthsAESNI(step int) (list []int) {
	all := 4200
	if testing.Short() {
		all = 1100
	}
	for n := step; n <= all; n += step {
		list = append(list, n)
	}
	for _, n := range []int{0, 1, 15, 16, 17, 32, 112, 128, 129, 240, 255, 256, 257, 500, 512} {
		if n%step == 0 {
			list = append(list, mostAESNI-n)
		}
	}
	return list
}

// layoutsAESNI returns a function that calls f with source and destination of
// the size of content, up to max bytes: after and before inaccessible memory and at
// odd addresses, separate and in place. The result of f must be want.
func layoutsAESNI(t *testing.T, max int) func(content, want []byte, f func(dst, src []byte)) {
	a, b := guard.After(t, max), guard.After(t, max)
	c, d := guard.Before(t, max), guard.Before(t, max)
	e, g := make([]byte, max+7), make([]byte, max+13)
	return func(content, want []byte, f func(dst, src []byte)) {
		t.Helper()
		n := len(content)
		for i, m := range [][2][]byte{{guard.Tail(a, n), guard.Tail(b, n)}, {c[:n], d[:n]}, {e[7 : 7+n], g[13 : 13+n]}} {
			dst, src := m[0], m[1]
			copy(src, content)
			f(dst, src)
			if !bytes.Equal(dst, want) {
				t.Fatalf("%d bytes, layout %d: wrong", n, i)
			}
			if !bytes.Equal(src, content) {
				t.Fatalf("%d bytes, layout %d: source changed", n, i)
			}
			f(src, src)
			if !bytes.Equal(src, want) {
				t.Fatalf("%d bytes, layout %d, in place: wrong", n, i)
			}
		}
	}
}

func TestBlocksAESNI(t *testing.T) {
	eachAESNI(t, func(t *testing.T, f familyAESNI, k *keyAESNI) {
		src := randomAESNI(1, mostAESNI)
		encrypted, decrypted := make([]byte, len(src)), make([]byte, len(src))
		for i := 0; i < len(src); i += 16 {
			k.block.Encrypt(encrypted[i:], src[i:])
			k.block.Decrypt(decrypted[i:], src[i:])
		}
		layouts := layoutsAESNI(t, len(src))
		for _, n := range lengthsAESNI(16) {
			layouts(src[:n], encrypted[:n], func(dst, src []byte) { f.encryptBlocks(&k.keys, dst, src) })
			layouts(src[:n], decrypted[:n], func(dst, src []byte) { f.decryptBlocks(&k.keys, dst, src) })
		}
	})
}

func TestCBCDecryptFamiliesAESNI(t *testing.T) {
	eachAESNI(t, func(t *testing.T, f familyAESNI, k *keyAESNI) {
		src, iv := randomAESNI(2, mostAESNI), [16]byte(randomAESNI(3, 16))
		want := make([]byte, len(src))
		cipher.NewCBCDecrypter(k.block, iv[:]).CryptBlocks(want, src)
		layouts := layoutsAESNI(t, len(src))
		for _, n := range lengthsAESNI(16) {
			layouts(src[:n], want[:n], func(dst, from []byte) {
				got := iv
				f.cbcDecrypt(&k.keys, &got, dst, from)
				if got != [16]byte(src[n-16:]) {
					t.Fatalf("%d bytes: iv %x", n, got)
				}
			})
		}
	})
}

// aheadAESNI returns the counter n blocks after ctr; n is at least -2^32.
func aheadAESNI(ctr [16]byte, n int) [16]byte {
	hi, lo := binary.BigEndian.Uint64(ctr[:]), binary.BigEndian.Uint64(ctr[8:])
	lo, carry := bits.Add64(lo, uint64(n), 0)
	binary.BigEndian.PutUint64(ctr[:], hi+carry+uint64(n>>63))
	binary.BigEndian.PutUint64(ctr[8:], lo)
	return ctr
}

func TestCTRAESNI(t *testing.T) {
	eachAESNI(t, func(t *testing.T, f familyAESNI, k *keyAESNI) {
		src := randomAESNI(4, mostAESNI)
		want := make([]byte, len(src))
		layouts := layoutsAESNI(t, len(src))
		start := func(ctr [16]byte) { cipher.NewCTR(k.block, ctr[:]).XORKeyStream(want, src) }
		check := func(ctr [16]byte, n int) {
			t.Helper()
			layouts(src[:n], want[:n], func(dst, src []byte) {
				got := ctr
				var rest *[16]byte
				if n%16 != 0 {
					rest = new([16]byte)
				}
				f.ctr(&k.keys, &got, dst, src, rest)
				if want := aheadAESNI(ctr, (n+15)/16); got != want {
					t.Fatalf("%d bytes: counter %x, want %x", n, got, want)
				}
				if rest == nil {
					return
				}
				var last [16]byte
				before := aheadAESNI(ctr, n/16)
				k.block.Encrypt(last[:], before[:])
				if !bytes.Equal(rest[n%16:], last[n%16:]) {
					t.Fatalf("%d bytes: rest %x, want %x", n, *rest, last)
				}
			})
		}
		ctr := [16]byte(randomAESNI(5, 16))
		start(ctr)
		for _, n := range lengthsAESNI(1) {
			check(ctr, n)
		}
		for _, width := range []int{4, 8, 16} { // how many low bytes wrap around
			for before := range 40 {
				var end [16]byte
				copy(end[:16-width], randomAESNI(6, 16))
				ctr := aheadAESNI(end, -before)
				start(ctr)
				for _, n := range []int{1, 16, 17, 100, 128, 200, 256, 300, 500, 640, 1000} {
					check(ctr, n)
				}
			}
		}
	})
}

func TestXTSAESNI(t *testing.T) {
	eachAESNI(t, func(t *testing.T, f familyAESNI, k *keyAESNI) {
		src := randomAESNI(7, mostAESNI)
		layouts := layoutsAESNI(t, len(src))
		for _, first := range [][16]byte{[16]byte(randomAESNI(8, 16)), {15: 0x80}, [16]byte(bytes.Repeat([]byte{0xff}, 16))} {
			tweaks := [][16]byte{first}
			encrypted, decrypted := make([]byte, len(src)), make([]byte, len(src))
			for i := 0; i < len(src); i += 16 {
				tweak := tweaks[i/16]
				add := func(to, b []byte) {
					for j := range tweak {
						to[j] = b[j] ^ tweak[j]
					}
				}
				for _, x := range []struct {
					to    []byte
					block func(dst, src []byte)
				}{{encrypted[i : i+16], k.block.Encrypt}, {decrypted[i : i+16], k.block.Decrypt}} {
					add(x.to, src[i:])
					x.block(x.to, x.to)
					add(x.to, x.to)
				}
				var next [16]byte
				carry := byte(0)
				for j, b := range tweak {
					next[j] = b<<1 | carry
					carry = b >> 7
				}
				next[0] ^= carry * 0x87
				tweaks = append(tweaks, next)
			}
			for _, n := range lengthsAESNI(16) {
				for _, x := range []struct {
					f    func(k *Keys, tweak *[16]byte, dst, src []byte)
					want []byte
				}{{f.xtsEncrypt, encrypted}, {f.xtsDecrypt, decrypted}} {
					layouts(src[:n], x.want[:n], func(dst, src []byte) {
						tweak := first
						x.f(&k.keys, &tweak, dst, src)
						if tweak != tweaks[n/16] {
							t.Fatalf("%d bytes: tweak %x, want %x", n, tweak, tweaks[n/16])
						}
					})
				}
			}
		}
	})
}

func TestGCMAESNI(t *testing.T) {
	eachAESNI(t, func(t *testing.T, f familyAESNI, k *keyAESNI) {
		const most = 192<<10 + 600
		src, y, lens := randomAESNI(9, most), [16]byte(randomAESNI(10, 16)), [16]byte(randomAESNI(11, 16))
		want := make([]byte, most)
		layouts := layoutsAESNI(t, most)
		start := func(j0 [16]byte, n int) {
			for i := 0; i < n; i += 16 {
				binary.BigEndian.PutUint32(j0[12:], binary.BigEndian.Uint32(j0[12:])+1)
				var stream [16]byte
				k.block.Encrypt(stream[:], j0[:])
				for j := i; j < min(i+16, n); j++ {
					want[j] = src[j] ^ stream[j-i]
				}
			}
		}
		check := func(j0 [16]byte, n int) {
			t.Helper()
			tag := y
			k.plain.Update(&tag, want[:n])
			k.plain.Update(&tag, lens[:])
			var mask [16]byte
			k.block.Encrypt(mask[:], j0[:])
			for i := range tag {
				tag[i] ^= mask[i]
			}
			for i, x := range []struct {
				f         sealerAESNI
				src, want []byte
			}{{f.seal, src[:n], want[:n]}, {f.open, want[:n], src[:n]}} {
				layouts(x.src, x.want, func(dst, src []byte) {
					m := Message{J0: j0, Y: y, Lens: lens}
					x.f(&k.keys, &k.h, &m, dst, src)
					if m.Y != tag || m.J0 != j0 || m.Lens != lens {
						t.Fatalf("%d bytes, %s: tag %x, want %x", n, []string{"seal", "open"}[i], m.Y, tag)
					}
				})
			}
		}
		j0 := [16]byte(randomAESNI(12, 16))
		start(j0, most)
		check(j0, 0)
		for _, n := range append(lengthsAESNI(1), most, most-8, 192<<10, 192<<10-1, 192<<10+1, 64<<10+1, 128<<10+200) {
			check(j0, n)
		}
		for before := range uint32(40) {
			binary.BigEndian.PutUint32(j0[12:], -before)
			start(j0, 1000)
			for _, n := range []int{0, 1, 16, 17, 100, 128, 200, 256, 300, 500, 640, 1000} {
				check(j0, n)
			}
		}
	})
}

// TestStandardGCMAESNI compares with the standard library's GCM.
func TestStandardGCMAESNI(t *testing.T) {
	eachAESNI(t, func(t *testing.T, f familyAESNI, k *keyAESNI) {
		standard, err := cipher.NewGCM(k.block)
		if err != nil {
			t.Fatal(err)
		}
		plain, nonce := randomAESNI(13, 70000), randomAESNI(14, 12)
		for n := 0; n <= len(plain); n += 1 + n/37 {
			want := standard.Seal(nil, nonce, plain[:n], nil)
			m := Message{J0: [16]byte(append(bytes.Clone(nonce), 0, 0, 0, 1))}
			binary.BigEndian.PutUint64(m.Lens[8:], uint64(8*n))
			got := make([]byte, n)
			f.seal(&k.keys, &k.h, &m, got, plain[:n])
			if !bytes.Equal(append(got, m.Y[:]...), want) {
				t.Fatalf("%d bytes: wrong", n)
			}
		}
	})
}

// TestGuardAESNI puts all arguments except the text next to inaccessible memory.
func TestGuardAESNI(t *testing.T) {
	eachAESNI(t, func(t *testing.T, f familyAESNI, key *keyAESNI) {
		for _, beside := range []func(testing.TB, int) []byte{guard.After, guard.Before} {
			at := func(n int) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(beside(t, n))) }
			block := func() *[16]byte { return (*[16]byte)(at(16)) }
			k, h := (*Keys)(at(int(unsafe.Sizeof(Keys{})))), (*[64][16]byte)(at(1024))
			*k, *h = key.keys, key.h
			one, two := block(), block()
			m := (*Message)(at(int(unsafe.Sizeof(Message{}))))
			text := make([]byte, 600)
			for n := range text {
				f.seal(k, h, m, text[:n], text[:n])
				f.open(k, h, m, text[:n], text[:n])
				if n > 0 {
					f.ctr(k, one, text[:n], text[:n], two)
				}
				if n > 0 && n%16 == 0 {
					f.encryptBlocks(k, text[:n], text[:n])
					f.decryptBlocks(k, text[:n], text[:n])
					f.cbcDecrypt(k, one, text[:n], text[:n])
					f.xtsEncrypt(k, one, text[:n], text[:n])
					f.xtsDecrypt(k, one, text[:n], text[:n])
				}
			}
		}
	})
}

// TestNothingLeftOnTheStackAESNI runs everything with two keys and otherwise equal
// arguments: the stack must be the same afterwards.
func TestNothingLeftOnTheStackAESNI(t *testing.T) {
	eachAESNI(t, func(t *testing.T, f familyAESNI, k *keyAESNI) {
		if testing.Short() && k.keys.Rounds != 10 {
			t.Skip("one key size will do")
		}
		one, rest, m := new([16]byte), new([16]byte), new(Message)
		dst, src := make([]byte, 5000), make([]byte, 5000)
		size := 4 * (k.keys.Rounds - 6)
		// The block one is secret in XTS and CBC; a counter is public.
		check := func(what string, n int, secret bool, crypt func()) {
			t.Helper()
			prepare := func(seed byte) {
				*k = *newKeyAESNI(t, f, randomAESNI(seed, size))
				*one, *m = [16]byte{}, Message{Y: [16]byte(randomAESNI(seed+10, 16))}
				if secret {
					*one = m.Y
				}
			}
			if different := guard.Left(prepare, crypt); different > 0 {
				t.Errorf("%s, %d bytes: %d bytes on the stack depend on secrets", what, n, different)
			}
		}
		for _, blocks := range []int{1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 33, 100, 300} {
			n := 16 * blocks
			check("EncryptBlocks", n, false, func() { f.encryptBlocks(&k.keys, dst[:n], src[:n]) })
			check("DecryptBlocks", n, false, func() { f.decryptBlocks(&k.keys, dst[:n], src[:n]) })
			check("CBCDecrypt", n, true, func() { f.cbcDecrypt(&k.keys, one, dst[:n], src[:n]) })
			check("XTSEncrypt", n, true, func() { f.xtsEncrypt(&k.keys, one, dst[:n], src[:n]) })
			check("XTSDecrypt", n, true, func() { f.xtsDecrypt(&k.keys, one, dst[:n], src[:n]) })
			for _, n := range []int{n, n - 5} {
				check("CTR", n, false, func() { f.ctr(&k.keys, one, dst[:n], src[:n], rest) })
				check("Seal", n, false, func() { f.seal(&k.keys, &k.h, m, dst[:n], src[:n]) })
				check("Open", n, false, func() { f.open(&k.keys, &k.h, m, dst[:n], src[:n]) })
			}
		}
	})
}

// TestAllocationsAESNI calls the functions by name: in calls through function values,
// all arguments would escape to the heap.
func TestAllocationsAESNI(t *testing.T) {
	eachAESNI(t, func(t *testing.T, f familyAESNI, k *keyAESNI) {
		text := make([]byte, 3001)
		run := map[string]func(){"AESNI": func() {
			var j0, rest [16]byte
			var m Message
			SealAESNI(&k.keys, &k.h, &m, text, text)
			OpenAESNI(&k.keys, &k.h, &m, text, text)
			CTRAESNI(&k.keys, &j0, text, text, &rest)
			XTSEncryptAESNI(&k.keys, &j0, text[:2000], text[:2000])
			CBCDecryptAESNI(&k.keys, &j0, text[:2000], text[:2000])
		}, "VAES256": func() {
			var j0, rest [16]byte
			var m Message
			SealVAES256(&k.keys, &k.h, &m, text, text)
			OpenVAES256(&k.keys, &k.h, &m, text, text)
			CTRVAES256(&k.keys, &j0, text, text, &rest)
			XTSEncryptVAES256(&k.keys, &j0, text[:2000], text[:2000])
			CBCDecryptVAES256(&k.keys, &j0, text[:2000], text[:2000])
		}}[f.name]
		if n := testing.AllocsPerRun(10, run); n != 0 {
			t.Errorf("%v allocations", n)
		}
	})
}

// TestInstructionsAESNI looks for instructions that not all CPUs for these kernels
// support: other tests do not notice them on a CPU that does. The instructions listed
// for VAES256 have VEX forms, which Go's assembler uses for the registers 0 to 15
// without a mask.
func TestInstructionsAESNI(t *testing.T) {
	general := strings.Fields(`ADDL ADDQ ANDQ BSWAPL BSWAPQ CMOVQLS CMPQ JA JAE JB JBE JEQ JMP JNZ JZ LEAQ MOVB MOVBLZX MOVL MOVQ MOVW NEGQ ORQ RET
		SHLQ SHRL SHRQ SUBQ TESTB TESTQ XCHGQ XORL`)
	for family, more := range map[string]string{
		"aesni": `AESDEC AESDECLAST AESENC AESENCLAST MOVO MOVOU PADDD PADDQ PAND PCLMULQDQ PSHUFB PSHUFD PSLLDQ PSLLQ
			PSRLDQ PSRLQ PUNPCKLQDQ PXOR`,
		"vaes256": `VAESDEC VAESDECLAST VAESENC VAESENCLAST VBROADCASTI128 VEXTRACTI128 VINSERTI128 VMOVDQA VMOVDQU VMOVQ
			VPADDD VPADDQ VPAND VPCLMULQDQ VPINSRQ VPSHUFB VPSHUFD VPSLLDQ VPSLLVQ VPSRLDQ VPSRLVQ VPXOR VZEROUPPER`,
	} {
		allowed := append(strings.Fields(more), general...)
		for _, kernel := range []string{"blocks", "cbcdecrypt", "ctr", "xts", "gcm"} {
			file := kernel + "_" + family + "_amd64.s"
			foreign := regexp.MustCompile(`\b(Z\d+|K[0-7]|[XY](1[6-9]|[23]\d))\b`)
			if family == "aesni" {
				foreign = regexp.MustCompile(`\b([YZ]\d+|K[0-7]|X(1[6-9]|[23]\d))\b`)
			}
			for _, instruction := range guard.Instructions(t, file) {
				if name, _, _ := strings.Cut(instruction, " "); !slices.Contains(allowed, name) || foreign.MatchString(instruction) {
					t.Errorf("%s: %q", file, instruction)
				}
			}
		}
	}
}

func BenchmarkAESNI(b *testing.B) {
	for _, f := range familiesAESNI {
		if !cpu.Features().Has(f.needs) {
			continue
		}
		k := newKeyAESNI(b, f, make([]byte, 16))
		var j0, y, rest [16]byte
		var m Message
		for _, n := range []int{16, 32, 64, 128, 256, 1024, 1424, 4096, 16384, 65536} {
			dst, src := make([]byte, n), make([]byte, n)
			run := func(name string, g func()) {
				b.Run(f.name+"/"+name+"/"+strconv.Itoa(n), func(b *testing.B) {
					b.SetBytes(int64(n))
					for b.Loop() {
						g()
					}
				})
			}
			run("encrypt", func() { f.encryptBlocks(&k.keys, dst, src) })
			run("cbcdecrypt", func() { f.cbcDecrypt(&k.keys, &y, dst, src) })
			run("xts", func() { f.xtsEncrypt(&k.keys, &y, dst, src) })
			run("ctr", func() { f.ctr(&k.keys, &j0, dst, src, &rest) })
			run("seal", func() { f.seal(&k.keys, &k.h, &m, dst, src) })
			run("open", func() { f.open(&k.keys, &k.h, &m, dst, src) })
		}
	}
}
