package modes_test

import (
	"bytes"
	"fmt"
	"hash"
	"math/big"
	"os"
	"testing"

	"github.com/cipherlane/cipherlane/internal/conformance"
	"github.com/cipherlane/cipherlane/internal/modes"
	"github.com/cipherlane/cipherlane/internal/vectors"
)

// specMAC stores the message, and computes its MAC in Sum.
type specMAC struct {
	message []byte
	of      func(message []byte) []byte
}

func (m *specMAC) Write(p []byte) (int, error) {
	m.message = append(m.message, p...)
	return len(p), nil
}
func (m *specMAC) Sum(dst []byte) []byte { return append(dst, m.of(m.message)...) }
func (m *specMAC) Reset()                { m.message = nil }
func (m *specMAC) Size() int             { return 16 }
func (m *specMAC) BlockSize() int        { return 16 }

// specChain is CBC-MAC: of whole blocks, without any protection.
func specChain(c *plain, message []byte) []byte {
	chain := make([]byte, 16)
	for i, b := range message {
		chain[i%16] ^= b
		if i%16 == 15 {
			c.Encrypt(chain, chain)
		}
	}
	return chain
}

// specEnd returns the message with its last block completed and masked by one
// of two subkeys.
func specEnd(message, whole, partial []byte) []byte {
	padded, mask := bytes.Clone(message), whole
	if n := len(message); n == 0 || n%16 != 0 {
		mask = partial
		padded = append(padded, 0x80)
		for len(padded)%16 != 0 {
			padded = append(padded, 0)
		}
	}
	for i, b := range mask {
		padded[len(padded)-16+i] ^= b
	}
	return padded
}

// specDouble is SP 800-38B's (L << 1), with Rb if a bit falls out.
func specDouble(l []byte) []byte {
	n := new(big.Int).SetBytes(l)
	n.Lsh(n, 1)
	if n.Bit(128) == 1 {
		n.SetBit(n, 128, 0)
		n.Xor(n, big.NewInt(0x87))
	}
	return n.FillBytes(make([]byte, 16))
}

func newSpecCMAC(key []byte) hash.Hash {
	c := newPlain(key)
	return &specMAC{of: func(message []byte) []byte {
		l := make([]byte, 16)
		c.Encrypt(l, l)
		k1 := specDouble(l)
		return specChain(c, specEnd(message, k1, specDouble(k1)))
	}}
}

// xcbcKeys derives the keys of RFC 3566, section 4.
func xcbcKeys(key []byte) (k1 *plain, k2, k3 [16]byte) {
	c := newPlain(key)
	var k [3][16]byte
	for i := range k {
		copy(k[i][:], bytes.Repeat([]byte{byte(i + 1)}, 16))
		c.Encrypt(k[i][:], k[i][:])
	}
	return newPlain(k[0][:]), k[1], k[2]
}

func newSpecXCBC(key []byte) hash.Hash {
	k1, k2, k3 := xcbcKeys(key)
	return &specMAC{of: func(message []byte) []byte { return specChain(k1, specEnd(message, k2[:], k3[:])) }}
}

func newSpecCBCMAC(key []byte) hash.Hash {
	return &specMAC{of: func(message []byte) []byte {
		return specChain(newPlain(key), append(bytes.Clone(message), make([]byte, -len(message)&15)...))
	}}
}

func TestCMAC(t *testing.T) {
	tags := [][]string{ // SP 800-38B, appendix D: of 0, 16, 40, 64 bytes
		{"bb1d6929e95937287fa37d129b756746", "070a16b46b4d4144f79bdd9dd04a287c", "dfa66747de9ae63030ca32611497c827", "51f0bebf7e3b9d92fc49741779363cfe"},
		{"d17ddf46adaacde531cac483de7a9367", "9e99a7bf31e710900662f65e617c5184", "8a1de5be2eb31aad089a82e6ee908b0e", "a1d5df0eed790f794d77589659f39a11"},
		{"028962f61b7bf89efc6b551f4667d983", "28a7023f452e8f82bd4bf28d8c37c35c", "aaf3d8f1de5640c232f5b169b9c911e6", "e1992190549f6ed5696a2c056c315410"},
	}
	for i, key := range nistKeys {
		eachCipher(t, fmt.Sprint(4*len(key)), func(t *testing.T, newCipher func(key []byte) wiper) {
			c := conformance.MACCase{
				KeySize:   len(key) / 2,
				New:       func(key []byte) hash.Hash { return modes.NewCMAC(newCipher(key)) },
				Reference: newSpecCMAC,
			}
			for j, n := range []int{0, 16, 40, 64} {
				c.Vectors = append(c.Vectors, conformance.MACVector{
					Key: vectors.Hex(t, key), Message: vectors.Hex(t, nistText)[:n], Tag: vectors.Hex(t, tags[i][j]),
				})
			}
			conformance.MAC(t, c)
			t.Run("Wycheproof", func(t *testing.T) {
				conformance.WycheproofMAC(t, c, os.DirFS("../../aes/testdata"), "wycheproof_aes_cmac.json.gz")
			})
		})
	}
}

func TestXCBC(t *testing.T) {
	c := conformance.MACCase{
		KeySize: 16,
		New: func(key []byte) hash.Hash {
			c := new(rekeyer)
			c.Rekey(key)
			return modes.NewXCBC(c)
		},
		Reference: newSpecXCBC,
	}
	count := make([]byte, 34)
	for i := range count {
		count[i] = byte(i)
	}
	for _, v := range []struct { // RFC 3566, section 4.6
		message []byte
		tag     string
	}{
		{nil, "75f0251d528ac01c4573dfd584d79f29"},
		{count[:3], "5b376580ae2f19afe7219ceef172756f"},
		{count[:16], "d2a246fa349b68a79998a4394ff7a263"},
		{count[:20], "47f51b4564966215b8985c63055ed308"},
		{count[:32], "f54f0ec8d2b9f3d36807734bd5283fd4"},
		{count[:34], "becbb3bccdb518a30677d5481fb6b4d8"},
		{make([]byte, 1000), "f0dafee895db30253761103b5d84528f"},
	} {
		c.Vectors = append(c.Vectors, conformance.MACVector{Key: count[:16], Message: v.message, Tag: vectors.Hex(t, v.tag)})
	}
	conformance.MAC(t, c)
}

// FIPS 197 and SP 800-38A have the vectors: for one block CBC-MAC is the cipher,
// for several the end of CBC.
func TestCBCMAC(t *testing.T) {
	conformance.MAC(t, conformance.MACCase{
		KeySize:   16,
		New:       func(key []byte) hash.Hash { return modes.NewCBCMAC(newPlain(key)) },
		Reference: newSpecCBCMAC,
		Vectors: []conformance.MACVector{
			{Key: vectors.Hex(t, nistKeys[0]), Message: vectors.Hex(t, nistText)[:16], Tag: vectors.Hex(t, "3ad77bb40d7a3660a89ecaf32466ef97")}, // F.1.1
			{Key: vectors.Hex(t, nistKeys[0]), Tag: make([]byte, 16)},
		},
	})
}

// A clearing counts the calls of Clear.
type clearing struct {
	rekeyer
	cleared int
}

func (c *clearing) Clear() {
	c.cleared++
	c.rekeyer.Clear()
}

// NewXCBC overwrites the key that it derives the others from.
func TestXCBCClears(t *testing.T) {
	c := new(clearing)
	c.Rekey(count(1, 16))
	if modes.NewXCBC(c); c.cleared != 1 {
		t.Errorf("%d calls of Clear", c.cleared)
	}
}

// Wipe wipes the key of XCBC, which nobody else has, and not that of a cipher that CMAC was made of.
func TestMACWipe(t *testing.T) {
	r := new(rekeyer)
	r.Rekey(count(1, 16))
	x := modes.NewXCBC(r)
	clone, err := x.Clone()
	if err != nil {
		t.Fatal(err)
	}
	x.Wipe()
	conformance.Refuses(t, nil, "Sum of an earlier clone", func() { clone.Sum(nil) })
	c := newPlain(count(1, 16))
	modes.NewCMAC(c).Wipe()
	modes.NewCBCMAC(c).Wipe()
	if *c.WipeMark() == modes.Wiped {
		t.Error("the cipher was wiped")
	}
}
