package aescore

import (
	stdaes "crypto/aes"
	"crypto/cipher"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cipherlane/cipherlane/internal/aescore/spec"
	"github.com/cipherlane/cipherlane/internal/conformance"
	"github.com/cipherlane/cipherlane/internal/ghash"
)

// FIPS 197, appendix A: the last words of the expanded keys.
func TestSpecKeyExpansion(t *testing.T) {
	for want, key := range map[string]string{
		"d014f9a8c9ee2589e13f0cc8b6630ca6": "2b7e151628aed2a6abf7158809cf4f3c",
		"e98ba06f448c773c8ecc720401002202": "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
		"fe4890d1e6188d0b046df344706c631e": "603deb1015ca71be2b73aef0857d7781" +
			"1f352c073b6108d72d9810a30914dff4",
	} {
		w := spec.KeyExpansion(unhex(key))
		var got []byte
		for _, word := range w[len(w)-4:] {
			got = append(got, word[:]...)
		}
		if hex.EncodeToString(got) != want {
			t.Errorf("key %s: the last round key is %x, want %s", key, got, want)
		}
	}
}

// FIPS 197, appendices B and C, for the oracle and the portable driver.
func TestVectors(t *testing.T) {
	const long = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
	for _, v := range []struct{ key, plain, want string }{
		{"2b7e151628aed2a6abf7158809cf4f3c",
			"3243f6a8885a308d313198a2e0370734", "3925841d02dc09fbdc118597196a0b32"},
		{long[:32], "00112233445566778899aabbccddeeff", "69c4e0d86a7b0430d8cdb78070b4c55a"},
		{long[:48], "00112233445566778899aabbccddeeff", "dda97ca4864cdfe06eaf70a0ec0d7191"},
		{long[:64], "00112233445566778899aabbccddeeff", "8ea2b7ca516745bfeafc49904b496089"},
	} {
		oracle, b := spec.New(unhex(v.key)), unhex(v.plain)
		var k genericKeys
		k.expand(unhex(v.key))
		for name, c := range map[string][2]func(dst, src []byte){
			"oracle":   {oracle.Encrypt, oracle.Decrypt},
			"portable": {k.encryptBlocks, k.decryptBlocks},
		} {
			c[0](b, b)
			if hex.EncodeToString(b) != v.want {
				t.Errorf("%s, key %s: got %x, want %s", name, v.key, b, v.want)
			}
			c[1](b, b)
			if hex.EncodeToString(b) != v.plain {
				t.Errorf("%s, key %s, decrypted: got %x, want %s", name, v.key, b, v.plain)
			}
		}
	}
}

func TestCircuits(t *testing.T) {
	for x := range uint32(256) {
		for shift := 0; shift < 32; shift += 8 {
			// The other bytes hold other values.
			w := x*bytes4 ^ 0x1b2d4700<<shift ^ 0x1b2d4700>>(32-shift)
			want := uint32(spec.S[w>>24])<<24 | uint32(spec.S[w>>16&0xff])<<16 |
				uint32(spec.S[w>>8&0xff])<<8 | uint32(spec.S[w&0xff])
			if got := substituteWord(w) ^ sboxOut*bytes4; got != want {
				t.Fatalf("S(%08x) = %08x, want %08x", w, got, want)
			}
		}
	}
	for first := 0; first < 256; first += 32 { // as many bytes as planes hold on 32-bit machines
		var p, in, out planes
		for n := range 32 {
			x := first + n
			for b := range p {
				p[b] |= word(x) >> b & 1 << n
				in[b] |= word(spec.InvS[x]) >> b & 1 << n
				out[b] |= word(spec.S[x]) >> b & 1 << n
			}
		}
		constant := func(p *planes) {
			for b := range p {
				p[b] ^= -(word(sboxOut) >> b & 1)
			}
		}
		substituted, inverse := p, p
		substituted.substitute()
		constant(&substituted)
		constant(&inverse)
		inverse.unsubstitute()
		for b := range p {
			if uint32(substituted[b]) != uint32(out[b]) || uint32(inverse[b]) != uint32(in[b]) {
				t.Fatalf("bit %d of bytes %02x to %02x is wrong", b, first, first+31)
			}
		}
	}
}

func unhex(s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return b
}

// random returns n bytes that are the same in every run.
func random(n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{byte(n)}).Read(b)
	return b
}

// eachKey runs f for every key size, with the oracle and crypto/aes, which is faster.
func eachKey(t *testing.T, f func(t *testing.T, k *genericKeys, slow, fast cipher.Block)) {
	for size := 16; size <= 32; size += 8 {
		t.Run(fmt.Sprint("AES-", 8*size), func(t *testing.T) {
			key := random(size)
			fast, err := stdaes.NewCipher(key)
			if err != nil {
				t.Fatal(err)
			}
			var k genericKeys
			k.expand(random(32)) // nothing of a previous key may be left
			k.expand(key)
			f(t, &k, spec.New(key), fast)
		})
	}
}

// diff describes the first wrong byte of a result; it is empty if the result is right.
func diff(got, want []byte) string {
	for i := range want {
		if got[i] != want[i] {
			return fmt.Sprintf("byte %d of %d is %02x, want %02x", i, len(want), got[i], want[i])
		}
	}
	return ""
}

func TestGenericKeys(t *testing.T) {
	for size := 16; size <= 32; size += 8 {
		for n := range 100 {
			key := random(size + n)[n:]
			var k genericKeys
			k.expand(key)
			var wide wideKeys
			wide.fill(&k)
			w := spec.KeyExpansion(key)
			for i := range len(w) / 4 {
				for c := range 4 {
					for r, want := range w[4*i+c] {
						if i > 0 {
							want ^= sboxOut
						}
						place := fmt.Sprintf("AES-%d: round key %d, row %d, column %d", 8*size, i, r, c)
						if got := byte(k.words[4*i+c] >> (8 * r)); got != want {
							t.Fatalf("%s is %02x, want %02x", place, got, want)
						}
						for b := range 8 {
							bit := -(word(want) >> b & 1)
							got := k.narrow[i][b] >> (r*lane + (c+r*i)%4*cell)
							if (got^bit)&(1<<cell-1) != 0 {
								t.Fatalf("%s: bit %d is wrong for narrow passes", place, b)
							}
							if got := wide[i][r][b] >> (c * lane); (got^bit)&(1<<lane-1) != 0 {
								t.Fatalf("%s: bit %d is wrong for wide passes", place, b)
							}
						}
					}
				}
			}
		}
	}
}

func TestGenericKernels(t *testing.T) {
	eachKey(t, func(t *testing.T, k *genericKeys, spec, _ cipher.Block) {
		conformance.Kernels{Encrypt: k.encryptBlocks, Decrypt: k.decryptBlocks,
			CBCEncrypt: k.cbcEncrypt, CBCDecrypt: k.cbcDecrypt}.Test(t, spec)
	})
}

func TestGenericWideLoad(t *testing.T) {
	var s wideState
	b := [wideSize]byte(random(wideSize))
	s.load(&b)
	for n := range wideBlocks {
		for i := range BlockSize {
			for bit := range 8 {
				if got := s[i%4][bit] >> (i/4*lane + n) & 1; got != word(b[BlockSize*n+i]>>bit&1) {
					t.Fatalf("bit %d of byte %d of block %d is not in its place", bit, i, n)
				}
			}
		}
	}
	var stored [wideSize]byte
	s.store(&stored)
	if d := diff(stored[:], b[:]); d != "" {
		t.Fatal(d)
	}
}

// inAndOutOfPlace calls crypt in place and out of place.
func inAndOutOfPlace(
	t *testing.T, name string, src, want []byte, crypt func(dst, src []byte) string,
) {
	t.Helper()
	got := make([]byte, len(src))
	if d := crypt(got, src) + diff(got, want); d != "" {
		t.Fatalf("%s, %d bytes: %s", name, len(src), d)
	}
	copy(got, src)
	if d := crypt(got, got) + diff(got, want); d != "" {
		t.Fatalf("%s, %d bytes in place: %s", name, len(src), d)
	}
}

// specXTS is XTS over whole blocks, IEEE 1619 section 5.3, by bits: the tweak
// is a polynomial whose coefficients are the bits of the block, the lowest of
// the first byte first.
func specXTS(b cipher.Block, tweak *[BlockSize]byte, dst, src []byte) {
	for i := 0; i < len(src); i += BlockSize {
		subtle.XORBytes(dst[i:], src[i:], tweak[:])
		b.Encrypt(dst[i:], dst[i:])
		subtle.XORBytes(dst[i:], dst[i:i+BlockSize], tweak[:])
		var carry byte
		for j := range tweak {
			carry, tweak[j] = tweak[j]>>7, tweak[j]<<1|carry
		}
		if carry == 1 {
			tweak[0] ^= 0x87
		}
	}
}

func TestGenericXTS(t *testing.T) {
	eachKey(t, func(t *testing.T, k *genericKeys, _, fast cipher.Block) {
		for n := range 71 {
			plain, start := random(n*BlockSize), [BlockSize]byte(random(BlockSize+n))
			want, end := make([]byte, len(plain)), start
			specXTS(fast, &end, want, plain)
			for _, c := range []struct {
				name      string
				src, want []byte
				decrypt   bool
			}{{"encrypted", plain, want, false}, {"decrypted", want, plain, true}} {
				inAndOutOfPlace(t, c.name, c.src, c.want, func(dst, src []byte) string {
					tweak := start
					k.xts(&tweak, dst, src, c.decrypt)
					return diff(tweak[:], end[:])
				})
			}
		}
	})
}

// lengths calls f with all lengths up to a few KiB, or with some of them.
func lengths(longest int, f func(n int)) {
	for n := 0; n <= longest; n++ {
		f(n)
		if testing.Short() {
			n += n / 20
		}
	}
}

func TestGenericCTR(t *testing.T) {
	const longest = 2*wideMin + 4*wideSize + 40
	eachKey(t, func(t *testing.T, k *genericKeys, _, fast cipher.Block) {
		plain, start := random(longest), [BlockSize]byte(random(BlockSize))
		start[15] = 200 // a carry
		stream := make([]byte, longest+BlockSize)
		cipher.NewCTR(fast, start[:]).XORKeyStream(stream, stream)
		lengths(longest, func(n int) { checkCTR(t, k, start, stream, plain[:n]) })
	})
}

// checkCTR compares counter mode with the keystream.
func checkCTR(t *testing.T, k *genericKeys, start [BlockSize]byte, stream, plain []byte) {
	t.Helper()
	n := len(plain)
	want := make([]byte, n)
	subtle.XORBytes(want, plain, stream)
	end := start
	for range (n + BlockSize - 1) / BlockSize {
		for i := 15; i >= 0; i-- {
			if end[i]++; end[i] != 0 {
				break
			}
		}
	}
	rest := new([BlockSize]byte)
	used := n % BlockSize
	if used == 0 {
		rest = nil // not needed then
	}
	inAndOutOfPlace(t, fmt.Sprintf("counter %x", start), plain, want, func(dst, src []byte) string {
		counter := start
		k.ctr(&counter, dst, src, rest)
		d := diff(counter[:], end[:])
		if used != 0 {
			d += diff(rest[used:], stream[n-used:][used:BlockSize])
		}
		return d
	})
}

// There is a carry into every byte, some blocks after the start, at every position.
func TestGenericCTRCarries(t *testing.T) {
	const longest = 4*256*BlockSize + 3*wideSize + 40 // some groups
	plain := random(longest)
	eachKey(t, func(t *testing.T, k *genericKeys, _, fast cipher.Block) {
		for _, carry := range []int{0, 1, 2, 3, 4, 5, 8, 16} {
			for _, blocks := range []byte{0, 1, 2, 3, 15, 16, 17, 47, 50, 64, 130, 255} {
				start := [BlockSize]byte(random(BlockSize))
				for i := range carry {
					start[15-i] = 0xff
				}
				start[15] = -blocks
				stream := make([]byte, longest+BlockSize)
				cipher.NewCTR(fast, start[:]).XORKeyStream(stream, stream)
				for _, n := range []int{longest, longest - 100, wideMin + 3*wideSize, wideMin + 37} {
					checkCTR(t, k, start, stream, plain[:n])
				}
			}
		}
	})
}

// A long message needs more than one base; see wideCounter.
func TestGenericCTRLong(t *testing.T) {
	const size = (2*groups+1)*256*BlockSize + 1000
	plain := random(size)
	eachKey(t, func(t *testing.T, k *genericKeys, _, fast cipher.Block) {
		start := [BlockSize]byte(random(BlockSize))
		copy(start[12:], "\xff\xff\xf7\x31") // passes 2^32, too
		stream := make([]byte, size+BlockSize)
		cipher.NewCTR(fast, start[:]).XORKeyStream(stream, stream)
		checkCTR(t, k, start, stream, plain)
	})
}

func TestGenericGCM(t *testing.T) {
	const longest = 4096 + wideMin + 3*wideSize
	eachKey(t, func(t *testing.T, k *genericKeys, _, fast cipher.Block) {
		std, err := cipher.NewGCM(fast)
		if err != nil {
			t.Fatal(err)
		}
		var h [BlockSize]byte
		k.encryptBlocks(h[:], h[:])
		var hash ghash.Key
		hash.Init(&h, ghash.Generic)
		plain, nonce, data := random(longest), random(12), random(33)
		lengths(longest, func(n int) {
			sealed := std.Seal(nil, nonce, plain[:n], data)
			for _, sealing := range []bool{true, false} {
				src, want := plain[:n], sealed[:n]
				if !sealing {
					src, want = want, src
				}
				inAndOutOfPlace(t, fmt.Sprint("sealing: ", sealing), src, want, func(dst, src []byte) string {
					m := ghash.Message{Hash: &hash}
					m.Begin(nonce, n, data)
					k.gcm(&m, dst, src, sealing)
					return diff(m.Y[:], sealed[n:])
				})
			}
		})
	})
}

// The counter of GCM wraps around after 32 bits.
func TestGenericGCMCounter(t *testing.T) {
	eachKey(t, func(t *testing.T, k *genericKeys, _, fast cipher.Block) {
		var hash ghash.Key
		hash.Init(new([BlockSize]byte), ghash.Generic) // a tag is then the first block of keystream
		for _, n := range []int{1000, wideMin + 1000, 6000} {
			for blocks := range 70 {
				m := ghash.Message{Hash: &hash, J0: [BlockSize]byte(random(BlockSize))}
				copy(m.J0[12:], []byte{0xff, 0xff, 0xff, byte(-1 - blocks)})
				want, block := make([]byte, 0, n+2*BlockSize), m.J0
				for len(want) < n+BlockSize {
					want = append(want, make([]byte, BlockSize)...)
					fast.Encrypt(want[len(want)-BlockSize:], block[:])
					for i := 15; i >= 12; i-- {
						if block[i]++; block[i] != 0 {
							break
						}
					}
				}
				got := make([]byte, n)
				k.gcm(&m, got, got, true)
				if d := diff(m.Y[:], want[:BlockSize]) + diff(got, want[BlockSize:][:n]); d != "" {
					t.Fatalf("%d bytes, %d blocks before the counter wraps around: %s", n, blocks, d)
				}
			}
		}
	})
}

func TestGenericAllocations(t *testing.T) {
	eachKey(t, func(t *testing.T, k *genericKeys, _, _ cipher.Block) {
		var hash ghash.Key
		hash.Init(new([BlockSize]byte), ghash.Generic)
		key, b := random(32), make([]byte, 6000)
		var iv, rest [BlockSize]byte
		if n := testing.AllocsPerRun(5, func() {
			var local genericKeys
			local.expand(key)
			local.wipe()
			for _, n := range []int{16, 4096} {
				k.encryptBlocks(b[:n], b[:n])
				k.decryptBlocks(b[:n], b[:n])
				k.cbcEncrypt(&iv, b[:n], b[:n])
				k.cbcDecrypt(&iv, b[:n], b[:n])
				k.xts(&iv, b[:n], b[:n], false)
				k.ctr(&iv, b[:n+1], b[:n+1], &rest)
				m := ghash.Message{Hash: &hash}
				k.gcm(&m, b[:n], b[:n], true)
			}
		}); n != 0 {
			t.Errorf("%v allocations", n)
		}
	})
}

func TestGenericWipe(t *testing.T) {
	var k genericKeys
	k.expand(random(32))
	if k.wipe(); k != (genericKeys{}) {
		t.Error("round keys are left")
	}
}
