//go:build amd64 && !purego

package amd64

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"encoding/hex"
	"fmt"
	"math/big"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/ctgrind"
	"github.com/cipherlane/cipherlane/internal/guard"
)

func randomSSSE3(seed byte, n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{seed}).Read(b)
	return b
}

// eachSSSE3 runs f for a key of each size, with the round keys of this family and the
// standard library's cipher.
func eachSSSE3(t *testing.T, f func(t *testing.T, k *Keys, b cipher.Block)) {
	if missing := cpu.SSSE3 &^ cpu.Features(); missing != 0 {
		t.Skipf("this CPU lacks %v", missing)
	}
	for _, size := range []int{16, 24, 32} {
		t.Run(fmt.Sprint(8*size), func(t *testing.T) {
			key := randomSSSE3(byte(size), size)
			b, err := aes.NewCipher(key)
			if err != nil {
				t.Fatal(err)
			}
			k := new(Keys)
			ExpandSSSE3(k, key)
			f(t, k, b)
		})
	}
}

// ecbSSSE3 applies one of the methods of a block cipher to all blocks.
func ecbSSSE3(crypt func(dst, src []byte), src []byte) []byte {
	dst := make([]byte, len(src))
	for i := 0; i < len(src); i += 16 {
		crypt(dst[i:i+16], src[i:i+16])
	}
	return dst
}

// layoutsSSSE3 returns a function that checks that f turns content into want: before
// and after inaccessible memory, separate and in place.
func layoutsSSSE3(t *testing.T, max int) func(what string, content, want []byte, f func(dst, src []byte)) {
	a, b := guard.After(t, max), guard.After(t, max)
	c, d := guard.Before(t, max), guard.Before(t, max)
	return func(what string, content, want []byte, f func(dst, src []byte)) {
		t.Helper()
		n := len(content)
		for _, m := range [][2][]byte{{guard.Tail(a, n), guard.Tail(b, n)}, {c[:n:n], d[:n:n]}} {
			dst, src := m[0], m[1]
			copy(src, content)
			f(dst, src)
			if !bytes.Equal(dst, want) {
				t.Fatalf("%s, %d bytes: wrong", what, n)
			}
			if !bytes.Equal(src, content) {
				t.Fatalf("%s, %d bytes: source changed", what, n)
			}
			f(src, src)
			if !bytes.Equal(src, want) {
				t.Fatalf("%s, %d bytes, in place: wrong", what, n)
			}
		}
	}
}

const longSSSE3 = 4208 // bytes: every length up to this

// TestExamplesSSSE3 uses the examples of FIPS 197, appendices B and C.
func TestExamplesSSSE3(t *testing.T) {
	if missing := cpu.SSSE3 &^ cpu.Features(); missing != 0 {
		t.Skipf("this CPU lacks %v", missing)
	}
	for _, x := range [][3]string{
		{"2b7e151628aed2a6abf7158809cf4f3c", "3243f6a8885a308d313198a2e0370734", "3925841d02dc09fbdc118597196a0b32"},
		{"000102030405060708090a0b0c0d0e0f", "00112233445566778899aabbccddeeff", "69c4e0d86a7b0430d8cdb78070b4c55a"},
		{"000102030405060708090a0b0c0d0e0f1011121314151617", "00112233445566778899aabbccddeeff", "dda97ca4864cdfe06eaf70a0ec0d7191"},
		{"000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f", "00112233445566778899aabbccddeeff",
			"8ea2b7ca516745bfeafc49904b496089"},
	} {
		var b [3][]byte
		for i, s := range x {
			b[i], _ = hex.DecodeString(s)
		}
		var k Keys
		ExpandSSSE3(&k, b[0])
		got := make([]byte, 16)
		if EncryptBlocksSSSE3(&k, got, b[1]); !bytes.Equal(got, b[2]) {
			t.Errorf("key %s: encrypted %x, want %s", x[0], got, x[2])
		}
		if DecryptBlocksSSSE3(&k, got, b[2]); !bytes.Equal(got, b[1]) {
			t.Errorf("key %s: decrypted %x, want %s", x[0], got, x[1])
		}
	}
}

// TestExpandSSSE3 uses many keys, at both alignments that Keys can have.
func TestExpandSSSE3(t *testing.T) {
	eachSSSE3(t, func(t *testing.T, k *Keys, _ cipher.Block) {
		size := 4 * (k.Rounds - 6)
		var two [2]Keys // 488 bytes each
		keys := guard.After(t, size)
		for seed := range 256 {
			copy(keys, randomSSSE3(byte(seed), size))
			if seed < 2 {
				copy(keys, bytes.Repeat([]byte{byte(-seed)}, size))
			}
			b, _ := aes.NewCipher(keys)
			src := randomSSSE3(byte(seed+1), 16)
			for i := range two {
				k := &two[i]
				ExpandSSSE3(k, keys)
				if k.Rounds != size/4+6 {
					t.Fatalf("%d rounds", k.Rounds)
				}
				got, want := make([]byte, 16), make([]byte, 16)
				EncryptBlocksSSSE3(k, got, src)
				if b.Encrypt(want, src); !bytes.Equal(got, want) {
					t.Fatalf("key %x: encrypted %x, want %x", keys, got, want)
				}
				if DecryptBlocksSSSE3(k, got, got); !bytes.Equal(got, src) {
					t.Fatalf("key %x: decrypted %x, want %x", keys, got, src)
				}
			}
		}
	})
}

// TestBytesSSSE3 uses every value in every byte of the input of the first S-boxes.
func TestBytesSSSE3(t *testing.T) {
	eachSSSE3(t, func(t *testing.T, k *Keys, b cipher.Block) {
		src := make([]byte, 256*16)
		for i := range src {
			src[i] = byte(i / 16)
		}
		dst := make([]byte, len(src))
		if EncryptBlocksSSSE3(k, dst, src); !bytes.Equal(dst, ecbSSSE3(b.Encrypt, src)) {
			t.Error("wrong encryption")
		}
		if DecryptBlocksSSSE3(k, dst, src); !bytes.Equal(dst, ecbSSSE3(b.Decrypt, src)) {
			t.Error("wrong decryption")
		}
	})
}

// longestSSSE3 returns the length up to which all lengths are tested.
func longestSSSE3() int {
	if testing.Short() {
		return 400
	}
	return longSSSE3
}

// lengthsSSSE3 are multiples of 16.
func lengthsSSSE3() (list []int) {
	for n := 16; n <= longestSSSE3(); n += 16 {
		list = append(list, n)
	}
	return append(list, 64<<10-16, 64<<10)
}

func TestBlocksSSSE3(t *testing.T) {
	eachSSSE3(t, func(t *testing.T, k *Keys, b cipher.Block) {
		text := randomSSSE3(1, 64<<10)
		encrypted, decrypted := ecbSSSE3(b.Encrypt, text), ecbSSSE3(b.Decrypt, text)
		check := layoutsSSSE3(t, len(text))
		for _, n := range lengthsSSSE3() {
			check("encryption", text[:n], encrypted[:n], func(dst, src []byte) { EncryptBlocksSSSE3(k, dst, src) })
			check("decryption", text[:n], decrypted[:n], func(dst, src []byte) { DecryptBlocksSSSE3(k, dst, src) })
		}
	})
}

func TestCBCSSSE3(t *testing.T) {
	eachSSSE3(t, func(t *testing.T, k *Keys, b cipher.Block) {
		iv, text := [16]byte(randomSSSE3(2, 16)), randomSSSE3(3, 64<<10)
		code := make([]byte, len(text))
		cipher.NewCBCEncrypter(b, iv[:]).CryptBlocks(code, text)
		check := layoutsSSSE3(t, len(text))
		for _, n := range lengthsSSSE3() {
			run := func(crypt func(k *Keys, iv *[16]byte, dst, src []byte)) func(dst, src []byte) {
				return func(dst, src []byte) {
					t.Helper()
					v := iv
					crypt(k, &v, dst, src)
					if v != [16]byte(code[n-16:n]) {
						t.Fatalf("%d bytes: wrong iv", n)
					}
				}
			}
			check("encryption", text[:n], code[:n], run(CBCEncryptSSSE3))
			check("decryption", code[:n], text[:n], run(CBCDecryptSSSE3))
		}
	})
}

// addSSSE3 returns ctr + n.
func addSSSE3(ctr [16]byte, n int) (sum [16]byte) {
	x := new(big.Int).SetBytes(ctr[:])
	x.Add(x, big.NewInt(int64(n)))
	x.Mod(x, new(big.Int).Lsh(big.NewInt(1), 128)) // of a negative number, too
	x.FillBytes(sum[:])
	return sum
}

func TestCTRSSSE3(t *testing.T) {
	eachSSSE3(t, func(t *testing.T, k *Keys, b cipher.Block) {
		text := randomSSSE3(4, 64<<10)
		layout := layoutsSSSE3(t, len(text))
		check := func(start [16]byte, n int, stream []byte) {
			t.Helper()
			want := make([]byte, n)
			for i := range want {
				want[i] = text[i] ^ stream[i]
			}
			layout("CTR", text[:n], want, func(dst, src []byte) {
				t.Helper()
				ctr, rest := start, [16]byte{}
				CTRSSSE3(k, &ctr, dst, src, &rest)
				if blocks := (n + 15) / 16; ctr != addSSSE3(start, blocks) {
					t.Fatalf("counter %x, %d bytes: next counter %x", start, n, ctr)
				}
				if i := n % 16; i != 0 && !bytes.Equal(rest[i:], stream[n:n-i+16]) {
					t.Fatalf("counter %x, %d bytes: wrong rest", start, n)
				}
			})
		}
		stream := func(start [16]byte, n int) []byte {
			s := make([]byte, n)
			cipher.NewCTR(b, start[:]).XORKeyStream(s, s)
			return s
		}
		start := [16]byte(randomSSSE3(5, 16))
		s := stream(start, len(text))
		for n := 1; n <= longestSSSE3(); n++ {
			check(start, n, s)
		}
		for _, n := range []int{64<<10 - 17, 64<<10 - 1, 64 << 10} {
			check(start, n, s)
		}
		// Counters shortly before a carry out of the low 8, 16, 32, 64 and 128 bits.
		for _, bits := range []int{8, 16, 32, 64, 128} {
			edge := [16]byte(randomSSSE3(byte(bits), 16))
			clear(edge[16-bits/8:])
			for before := range 10 {
				start := addSSSE3(edge, -before)
				s := stream(start, 400)
				for _, n := range []int{1, 16, 17, 48, 63, 64, 65, 127, 128, 129, 192, 300, 384} {
					check(start, n, s)
				}
			}
		}
		ctr := start
		CTRSSSE3(k, &ctr, make([]byte, 208), text[:208], nil)
	})
}

// TestAlignmentSSSE3 uses all offsets from multiples of 16.
func TestAlignmentSSSE3(t *testing.T) {
	eachSSSE3(t, func(t *testing.T, k *Keys, b cipher.Block) {
		const n = 11 * 16
		from, to, args := make([]byte, n+32), make([]byte, n+32), make([]byte, 64)
		text, iv := randomSSSE3(6, n), randomSSSE3(7, 16)
		encrypted := make([]byte, n)
		cipher.NewCBCEncrypter(b, iv).CryptBlocks(encrypted, text)
		added := make([]byte, n)
		cipher.NewCTR(b, iv).XORKeyStream(added, text)
		for i := range 16 {
			for j := range 16 {
				src, dst, v := from[i:i+n], to[j:j+n], (*[16]byte)(args[i:])
				for what, x := range map[string]struct {
					run      func()
					in, want []byte
				}{
					"ECB":            {func() { EncryptBlocksSSSE3(k, dst, src) }, text, ecbSSSE3(b.Encrypt, text)},
					"ECB decryption": {func() { DecryptBlocksSSSE3(k, dst, src) }, text, ecbSSSE3(b.Decrypt, text)},
					"CBC":            {func() { CBCEncryptSSSE3(k, v, dst, src) }, text, encrypted},
					"CBC decryption": {func() { CBCDecryptSSSE3(k, v, dst, src) }, encrypted, text},
					"CTR":            {func() { CTRSSSE3(k, v, dst, src, nil) }, text, added},
				} {
					copy(src, x.in)
					copy(v[:], iv)
					clear(to)
					x.run()
					if !bytes.Equal(dst, x.want) {
						t.Fatalf("%s: wrong at %d, %d", what, i, j)
					}
					if clear(dst); !bytes.Equal(to, make([]byte, len(to))) {
						t.Fatalf("%s writes outside at %d, %d", what, i, j)
					}
				}
			}
		}
	})
}

// TestNothingLeftOnTheStackSSSE3 runs everything with two keys and otherwise equal
// arguments: the stack must be the same afterwards.
func TestNothingLeftOnTheStackSSSE3(t *testing.T) {
	eachSSSE3(t, func(t *testing.T, k *Keys, _ cipher.Block) {
		size := 4 * (k.Rounds - 6)
		key, one, rest := make([]byte, size), new([16]byte), new([16]byte)
		dst, src := make([]byte, 800), make([]byte, 800)
		check := func(what string, n int, crypt func()) {
			t.Helper()
			secret := func(seed byte) {
				copy(key, randomSSSE3(seed, size))
				ExpandSSSE3(k, key)
				*one = [16]byte{}
			}
			if different := guard.Left(secret, crypt); different > 0 {
				t.Errorf("%s, %d bytes: %d bytes on the stack depend on the key", what, n, different)
			}
		}
		check("Expand", size, func() { ExpandSSSE3(k, key) })
		for _, blocks := range []int{1, 2, 3, 4, 5, 7, 8, 50} {
			n := 16 * blocks
			check("EncryptBlocks", n, func() { EncryptBlocksSSSE3(k, dst[:n], src[:n]) })
			check("DecryptBlocks", n, func() { DecryptBlocksSSSE3(k, dst[:n], src[:n]) })
			check("CBCEncrypt", n, func() { CBCEncryptSSSE3(k, one, dst[:n], src[:n]) })
			check("CBCDecrypt", n, func() { CBCDecryptSSSE3(k, one, dst[:n], src[:n]) })
			for _, n := range []int{n, n - 5} {
				check("CTR", n, func() { CTRSSSE3(k, one, dst[:n], src[:n], rest) })
			}
		}
	})
}

// TestSecretSSSE3 is for valgrind: keys and texts are secret.
func TestSecretSSSE3(t *testing.T) {
	eachSSSE3(t, func(t *testing.T, k *Keys, b cipher.Block) {
		iv, text := [16]byte(randomSSSE3(8, 16)), randomSSSE3(9, 208)
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
		size := 4 * (k.Rounds - 6)
		ExpandSSSE3(k, secret(randomSSSE3(byte(size), size)))
		for n := 16; n <= len(text); n += 16 {
			want := ecbSSSE3(b.Encrypt, text[:n])
			p := secret(text[:n])
			EncryptBlocksSSSE3(k, p, p)
			check("EncryptBlocks", p, want)
			p = secret(want)
			DecryptBlocksSSSE3(k, p, p)
			check("DecryptBlocks", p, text[:n])
			cipher.NewCBCEncrypter(b, iv[:]).CryptBlocks(want, text[:n])
			p = secret(text[:n])
			CBCEncryptSSSE3(k, (*[16]byte)(secret(iv[:])), p, p)
			check("CBCEncrypt", p, want)
			p = secret(want)
			CBCDecryptSSSE3(k, (*[16]byte)(secret(iv[:])), p, p)
			check("CBCDecrypt", p, text[:n])
			n := n - 5
			cipher.NewCTR(b, iv[:]).XORKeyStream(want[:n], text[:n])
			p = secret(text[:n])
			ctr := iv
			CTRSSSE3(k, &ctr, p, p, new([16]byte))
			check("CTR", p, want[:n])
		}
	})
}

func TestAllocationsSSSE3(t *testing.T) {
	eachSSSE3(t, func(t *testing.T, _ *Keys, _ cipher.Block) {
		text, key := make([]byte, 205), make([]byte, 16)
		if n := testing.AllocsPerRun(10, func() {
			var k Keys
			var iv, rest [16]byte
			ExpandSSSE3(&k, key)
			EncryptBlocksSSSE3(&k, text[:192], text[:192])
			DecryptBlocksSSSE3(&k, text[:192], text[:192])
			CBCEncryptSSSE3(&k, &iv, text[:192], text[:192])
			CBCDecryptSSSE3(&k, &iv, text[:192], text[:192])
			CTRSSSE3(&k, &iv, text, text, &rest)
		}); n != 0 {
			t.Errorf("%v allocations", n)
		}
	})
}

// TestInstructionsSSSE3 looks for instructions that not all CPUs for these kernels
// support: other tests do not notice them on a CPU that does.
func TestInstructionsSSSE3(t *testing.T) {
	allowed := strings.Fields(`ADCQ ADDQ ANDQ BSWAPQ CMPQ DECL DECQ JA JAE JB JE JEQ JMP JNE JNZ JZ LEAQ MOVL MOVQ RET SHLQ SHRQ SUBQ
		TESTQ MOVO MOVOU PAND PSHUFB PSHUFD PSLLDQ PSRLW PUNPCKLQDQ PXOR`)
	foreign := regexp.MustCompile(`\b([YZ]\d+|K[0-7]|X(1[6-9]|[23]\d))\b`)
	for _, instruction := range guard.Instructions(t, "ssse3_amd64.s") {
		if name, operands, _ := strings.Cut(instruction, " "); !slices.Contains(allowed, name) || foreign.MatchString(operands) {
			t.Errorf("%q", instruction)
		}
	}
}

func BenchmarkSSSE3(b *testing.B) {
	if !cpu.Features().Has(cpu.SSSE3) {
		b.Skip("this CPU lacks SSSE3")
	}
	var k Keys
	var iv [16]byte
	key := randomSSSE3(10, 16)
	ExpandSSSE3(&k, key)
	b.Run("expand", func(b *testing.B) {
		for b.Loop() {
			ExpandSSSE3(&k, key)
		}
	})
	for _, n := range []int{16, 64, 1024, 8192} {
		buf := make([]byte, n)
		run := func(name string, f func()) {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				b.SetBytes(int64(n))
				for b.Loop() {
					f()
				}
			})
		}
		run("encrypt", func() { EncryptBlocksSSSE3(&k, buf, buf) })
		run("decrypt", func() { DecryptBlocksSSSE3(&k, buf, buf) })
		run("cbc-encrypt", func() { CBCEncryptSSSE3(&k, &iv, buf, buf) })
		run("cbc-decrypt", func() { CBCDecryptSSSE3(&k, &iv, buf, buf) })
		run("ctr", func() { CTRSSSE3(&k, &iv, buf, buf, nil) })
	}
}
