package spec

import (
	"bytes"
	"crypto/aes"
	"crypto/sha3"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/big"
	"math/rand"
	"strings"
	"testing"

	cipherlane "github.com/cipherlane/cipherlane/aes"
	"github.com/cipherlane/cipherlane/internal/prove/forms"
	"github.com/cipherlane/cipherlane/sm2"
	"github.com/cipherlane/cipherlane/sm3"
	"github.com/cipherlane/cipherlane/sm4"
)

func calculator() Calculator { return Calculator{forms.New(forms.Limits{})} }

// bytesOf returns constants as a string.
func bytesOf(w Word) []byte {
	var out []byte
	for _, b := range w.Lanes(8) {
		v, ok := b.Constant()
		if !ok {
			panic("not constant")
		}
		out = append(out, byte(v))
	}
	return out
}

func unhex(s string) []byte {
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		panic(err)
	}
	return b
}

func random(rng *rand.Rand, n int) []byte {
	b := make([]byte, n)
	rng.Read(b)
	return b
}

func equal(t *testing.T, what string, got Word, want []byte) {
	t.Helper()
	if b := bytesOf(got); !bytes.Equal(b, want) {
		t.Errorf("%s: %x, want %x", what, b, want)
	}
}

// FIPS 197, appendix C, and what crypto/aes and this module's portable code compute.
func TestAES(t *testing.T) {
	c := calculator()
	rng := rand.New(rand.NewSource(1))
	type block struct{ key, plain, cipher []byte }
	key, plain := unhex("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"), unhex("00112233445566778899aabbccddeeff")
	list := []block{
		{key[:16], plain, unhex("69c4e0d86a7b0430d8cdb78070b4c55a")},
		{key[:24], plain, unhex("dda97ca4864cdfe06eaf70a0ec0d7191")},
		{key, plain, unhex("8ea2b7ca516745bfeafc49904b496089")},
	}
	generic, err := cipherlane.On("generic")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 12 {
		b := block{key: random(rng, 16+8*(i%3)), plain: random(rng, 16), cipher: make([]byte, 16)}
		a, _ := aes.NewCipher(b.key)
		a.Encrypt(b.cipher, b.plain)
		own, _ := generic.NewCipher(b.key)
		out := make([]byte, 16)
		if own.Encrypt(out, b.plain); !bytes.Equal(out, b.cipher) {
			t.Error("the portable code differs")
		}
		list = append(list, b)
	}
	for _, b := range list {
		w := c.AESKeyExpansion(Bytes(b.key...))
		equal(t, "CIPHER", c.AESCipher(Bytes(b.plain...), w), b.cipher)
		equal(t, "INVCIPHER", c.AESInvCipher(Bytes(b.cipher...), w), b.plain)
		if last := len(w) - 1; last != len(b.key)/4+6 {
			t.Errorf("%d rounds", last)
		}
		dw := c.AESKeyExpansionEIC(w)
		for i := range dw {
			back := dw[i]
			if i > 0 && i < len(dw)-1 {
				back = c.MixColumns(dw[i])
			}
			equal(t, "KEYEXPANSIONEIC", back, bytesOf(w[i]))
		}
	}
	// Section 5.1.1, table 4, and appendix A.1.
	if SBox[0x53] != 0xed || InvSBox[0xed] != 0x53 {
		t.Error("S-box")
	}
	w := c.AESKeyExpansion(Bytes(unhex("2b7e151628aed2a6abf7158809cf4f3c")...))
	equal(t, "appendix A.1", w[10][96:], unhex("b6630ca6"))
}

// GB/T 32907-2016, appendix A, and what this module's portable code computes.
func TestSM4(t *testing.T) {
	c := calculator()
	key := unhex("0123456789abcdeffedcba9876543210")
	rk := c.SM4KeyExpansion(Bytes(key...))
	equal(t, "rk0", Reverse(rk[0], 32), unhex("f12186f9"))
	equal(t, "example 1", c.SM4Cipher(Bytes(key...), rk), unhex("681edf34d206965e86b3e94f536e4246"))
	generic, err := sm4.On("generic")
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewSource(2))
	for range 10 {
		key, src, out := random(rng, 16), random(rng, 16), make([]byte, 16)
		b, err := generic.NewCipher(key)
		if err != nil {
			t.Fatal(err)
		}
		b.Encrypt(out, src)
		rk := c.SM4KeyExpansion(Bytes(key...))
		equal(t, "random block", c.SM4Cipher(Bytes(src...), rk), out)
		back := append([]Word{}, rk...)
		for i := range rk {
			back[i] = rk[31-i]
		}
		equal(t, "its decryption", c.SM4Cipher(Bytes(out...), back), src)
	}
}

// GB/T 32905-2016, appendix A, and what this module computes.
func TestSM3(t *testing.T) {
	c := calculator()
	hash := func(message []byte) Word {
		var v []Word
		for _, x := range []uint64{0x7380166f, 0x4914b2b9, 0x172442d7, 0xda8a0600, 0xa96f30bc, 0x163138aa, 0xe38dee4d, 0xb0fb0e4e} {
			v = append(v, number(x, 32))
		}
		m := append(bytes.Clone(message), 0x80)
		for len(m)%64 != 56 {
			m = append(m, 0)
		}
		m = binary.BigEndian.AppendUint64(m, uint64(8*len(message)))
		for ; len(m) > 0; m = m[64:] {
			v = c.SM3CF(v, Bytes(m[:64]...))
		}
		return Reverse(join(v...), 32)
	}
	equal(t, "abc", hash([]byte("abc")), unhex("66c7f0f4 62eeedd9 d1f2d46b dc10e4e2 4167c487 5cf2f7a2 297da02b 8f4ba8e0"))
	rng := rand.New(rand.NewSource(3))
	for _, n := range []int{0, 1, 55, 56, 64, 200} {
		m := random(rng, n)
		want := sm3.Sum(m)
		equal(t, fmt.Sprint(n, " bytes"), hash(m), want[:])
	}
}

// SHA3-256 of crypto/sha3 is Keccak-f[1600] of the padded message, if that is short.
func TestKeccak(t *testing.T) {
	c := calculator()
	rng := rand.New(rand.NewSource(4))
	for _, n := range []int{0, 1, 100, 135} {
		m := random(rng, n)
		want := sha3.Sum256(m)
		padded := make([]byte, 200)
		copy(padded, m)
		padded[n] ^= 6
		padded[135] ^= 0x80
		equal(t, fmt.Sprint(n, " bytes"), join(c.KeccakF(Bytes(padded...).Lanes(64))[:4]...), want[:])
	}
}

// Test case 2 of the submission of GCM, and the definition of the product (section 6.3).
func TestGHASH(t *testing.T) {
	c := calculator()
	block := func(s string) Word { return Bytes(unhex(s)...) }
	equal(t, "GHASH", c.GHASH(block("66e94bd4ef8a2c3b884cfa59ca342b2e"), number(0, 128),
		block("0388dace60b6a392f328c2b971b2fe78"), block("00000000000000000000000000000080")),
		unhex("f38cbb1ad69223dcc3457ae5b6b0f885"))
	rng := rand.New(rand.NewSource(5))
	for range 10 {
		x, y := random(rng, 16), random(rng, 16)
		z, v := make([]byte, 16), bytes.Clone(y)
		for i := range 128 {
			if x[i/8]>>(7-i%8)&1 == 1 {
				for j := range z {
					z[j] ^= v[j]
				}
			}
			carry := v[15] & 1
			for j := 15; j > 0; j-- {
				v[j] = v[j]>>1 | v[j-1]<<7
			}
			v[0] = v[0]>>1 ^ 0xe1*carry
		}
		equal(t, "product", c.GCMProduct(Bytes(x...), Bytes(y...)), z)
	}
	for s, want := range map[int]string{
		32:  "00112233445566778899aabb00000000",
		64:  "00112233445566778899aabc00000000",
		128: "00112233445566778899aabc00000000",
	} {
		equal(t, fmt.Sprint("inc ", s), c.Inc(s, block("00112233445566778899aabbffffffff")), unhex(want))
	}
	equal(t, "inc 128", c.Inc(128, block("0011223344556677ffffffffffffffff")), unhex("00112233445566780000000000000000"))
}

// IEEE Std 1619-2018, section 5.2: the multiplication by α, byte by byte.
func TestXTSDouble(t *testing.T) {
	c := calculator()
	rng := rand.New(rand.NewSource(6))
	for range 20 {
		a := random(rng, 16)
		got := c.XTSDouble(Bytes(a...))
		carry := byte(0)
		for i := range a {
			a[i], carry = a[i]<<1|carry, a[i]>>7
		}
		a[0] ^= 135 * carry
		equal(t, "times α", got, a)
	}
	equal(t, "bits", ReverseBits(Bytes(0x01, 0xf4)), []byte{0x80, 0x2f})
}

// value is that of a polynomial where the variables have values.
func (f Polynomial) value(at []*big.Int) *big.Int {
	sum := new(big.Int)
	for e, c := range f {
		x := new(big.Int).Set(c)
		for i, n := range e {
			for range n {
				x.Mod(x.Mul(x, at[i]), Prime)
			}
		}
		sum.Add(sum, x)
	}
	return sum.Mod(sum, Prime)
}

func (p AffinePoint) value(at []*big.Int) (list [2]*big.Int) {
	for i, f := range []Fraction{p.X, p.Y} {
		x := f.Under.value(at)
		list[i] = x.Mod(x.Mul(x.ModInverse(x, Prime), f.Over.value(at)), Prime)
	}
	return list
}

// GB/T 32918.5: the double of the base point and its sum with that are the public keys of 2 and 3, in any coordinates.
func TestCurve(t *testing.T) {
	public := func(key byte) (list [2]*big.Int) {
		k, err := sm2.NewPrivateKey(append(make([]byte, 31), key))
		if err != nil {
			t.Fatal(err)
		}
		b := k.PublicKey().Bytes()
		return [2]*big.Int{new(big.Int).SetBytes(b[1:33]), new(big.Int).SetBytes(b[33:])}
	}
	same := func(a, b [2]*big.Int) bool { return a[0].Cmp(b[0]) == 0 && a[1].Cmp(b[1]) == 0 }
	var at []*big.Int
	for i := range byte(2) {
		// Z is 5 or 6.
		z, p := big.NewInt(int64(i)+5), public(i+1)
		zz := new(big.Int).Mul(z, z)
		at = append(at, p[0].Mul(p[0], zz), p[1].Mul(p[1], zz.Mul(zz, z)), z)
	}
	p := Jacobian(Variable(0), Variable(1), Variable(2))
	q := Jacobian(Variable(3), Variable(4), Variable(5))
	if !same(p.value(at), public(1)) || !same(q.value(at), public(2)) {
		t.Error("Jacobian coordinates")
	}
	if !same(p.Double().value(at), public(2)) || !same(q.Double().value(at), public(4)) {
		t.Error("doubles")
	}
	if !same(p.Add(q).value(at), public(3)) || !same(q.Add(p).value(at), public(3)) {
		t.Error("sums")
	}
	if !p.Add(q).Is(q.Add(p)) || p.Add(q).Is(p.Double()) {
		t.Error("sums of unknown points")
	}
}

// The number of points is a prime: no point has order 2, so that no Y is 0. It is the only multiple of the order of
// the base point, which tests of sm2 show, that Hasse's theorem permits.
func TestOrder(t *testing.T) {
	if !Order.ProbablyPrime(64) || !Prime.ProbablyPrime(64) {
		t.Error("no primes")
	}
	d := new(big.Int).Sub(new(big.Int).Add(Prime, big.NewInt(1)), Order)
	if d.Mul(d, d).Cmp(new(big.Int).Lsh(Prime, 2)) > 0 {
		t.Error("it is not in the interval of Hasse")
	}
}
