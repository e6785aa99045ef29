package modes_test

import (
	"bytes"
	"encoding/binary"
	"math/big"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/cipherlane/cipherlane/internal/modes"
	"github.com/cipherlane/cipherlane/internal/vectors"
)

// random yields the same bytes in every run of the same test.
type random struct{ *rand.ChaCha8 }

func newRandom(t *testing.T) random {
	var seed [32]byte
	copy(seed[:], t.Name())
	return random{rand.NewChaCha8(seed)}
}

func (r random) bytes(n int) []byte {
	p := make([]byte, n)
	r.Read(p)
	return p
}

// specXTS is IEEE 1619, section 5.3: encryption of a data unit of any length.
func specXTS(data, tweak *plain, p []byte, number [16]byte) []byte {
	t := number
	tweak.Encrypt(t[:], t[:])
	block := func(p []byte) []byte {
		c := make([]byte, 16)
		for i := range c {
			c[i] = p[i] ^ t[i]
		}
		data.Encrypt(c, c)
		for i := range c {
			c[i] ^= t[i]
		}
		t = specTimesAlpha(t)
		return c
	}
	var out []byte
	for len(p) >= 16 {
		out = append(out, block(p)...)
		p = p[16:]
	}
	if len(p) > 0 {
		cc := slices.Clone(out[len(out)-16:])
		out = append(out[:len(out)-16], block(slices.Concat(p, cc[len(p):]))...)
		out = append(out, cc[:len(p)]...)
	}
	return out
}

// specTimesAlpha is IEEE 1619, section 5.2: the first byte is the lowest.
func specTimesAlpha(t [16]byte) [16]byte {
	slices.Reverse(t[:])
	n := new(big.Int).SetBytes(t[:])
	n.Lsh(n, 1)
	if n.Bit(128) == 1 {
		n.SetBit(n, 128, 0)
		n.Xor(n, big.NewInt(0x87))
	}
	n.FillBytes(t[:])
	slices.Reverse(t[:])
	return t
}

func TestXTSVectors(t *testing.T) {
	for _, v := range []struct { // IEEE 1619, appendix B
		data, tweak string
		sector      uint64
		p, c        string
	}{
		{"00000000000000000000000000000000", "00000000000000000000000000000000", 0,
			"0000000000000000000000000000000000000000000000000000000000000000",
			"917cf69ebd68b2ec9b9fe9a3eadda692cd43d2f59598ed858c02c2652fbf922e"},
		{"11111111111111111111111111111111", "22222222222222222222222222222222", 0x3333333333,
			"4444444444444444444444444444444444444444444444444444444444444444",
			"c454185e6a16936e39334038acef838bfb186fff7480adc4289382ecd6d394f0"},
		{"fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0", "22222222222222222222222222222222", 0x3333333333,
			"4444444444444444444444444444444444444444444444444444444444444444",
			"af85336b597afc1a900b2eb21ec949d292df4c047e0b21532186a5971a227a89"},
		{"fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0", "bfbebdbcbbbab9b8b7b6b5b4b3b2b1b0", 0x123456789a,
			"000102030405060708090a0b0c0d0e0f10",
			"6c1625db4671522d3d7599601de7ca09ed"},
		{"fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0", "bfbebdbcbbbab9b8b7b6b5b4b3b2b1b0", 0x123456789a,
			"000102030405060708090a0b0c0d0e0f1011",
			"d069444b7a7e0cab09e24447d24deb1fedbf"},
		{"fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0", "bfbebdbcbbbab9b8b7b6b5b4b3b2b1b0", 0x123456789a,
			"000102030405060708090a0b0c0d0e0f101112",
			"e5df1351c0544ba1350b3363cd8ef4beedbf9d"},
		{"fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0", "bfbebdbcbbbab9b8b7b6b5b4b3b2b1b0", 0x123456789a,
			"000102030405060708090a0b0c0d0e0f10111213",
			"9d84c813f719aa2c7be3f66171c7c5c2edbf9dac"},
	} {
		x := modes.NewXTS(newPlain(vectors.Hex(t, v.data)), newPlain(vectors.Hex(t, v.tweak)))
		p, want := vectors.Hex(t, v.p), vectors.Hex(t, v.c)
		got := make([]byte, len(p))
		if x.Encrypt(got, p, v.sector); !bytes.Equal(got, want) {
			t.Errorf("%d bytes of unit %#x: got %x, want %x", len(p), v.sector, got, want)
		}
		if x.Decrypt(got, got, v.sector); !bytes.Equal(got, p) {
			t.Errorf("%d bytes of unit %#x: decrypted to %x", len(p), v.sector, got)
		}
	}
}

func TestXTSWycheproof(t *testing.T) {
	type group struct {
		KeySize int
		Tests   []struct {
			vectors.Test
			Key        vectors.Bytes `json:"key"`
			IV         vectors.Bytes `json:"iv"`
			Plaintext  vectors.Bytes `json:"msg"`
			Ciphertext vectors.Bytes `json:"ct"`
		}
	}
	for _, g := range vectors.Wycheproof[group](t, os.DirFS("../../aes/testdata"), "wycheproof_aes_xts.json.gz") {
		for _, test := range g.Tests {
			if test.Result != vectors.Valid {
				t.Errorf("test %d is %s", test.ID, test.Result)
			}
			n := len(test.Key) / 2
			x := modes.NewXTS(newPlain(test.Key[:n]), newPlain(test.Key[n:]))
			var tweak [16]byte
			copy(tweak[:], test.IV)
			got := make([]byte, len(test.Plaintext))
			if x.EncryptTweak(got, test.Plaintext, &tweak); !bytes.Equal(got, test.Ciphertext) {
				t.Errorf("test %d (%s): got %x, want %x", test.ID, test.Comment, got, test.Ciphertext)
			}
			if x.DecryptTweak(got, got, &tweak); !bytes.Equal(got, test.Plaintext) {
				t.Errorf("test %d (%s): decrypted to %x", test.ID, test.Comment, got)
			}
		}
	}
}

func TestXTS(t *testing.T) {
	r := newRandom(t)
	data, tweak := newPlain(r.bytes(32)), newPlain(r.bytes(32))
	x := modes.NewXTS(data, tweak)
	var number [16]byte
	t.Run("Sector", func(t *testing.T) {
		sector := r.Uint64()
		binary.LittleEndian.PutUint64(number[:], sector)
		units(t, r, unit{
			encrypt: func(dst, src []byte) { x.Encrypt(dst, src, sector) },
			decrypt: func(dst, src []byte) { x.Decrypt(dst, src, sector) },
			spec:    func(p []byte) []byte { return specXTS(data, tweak, p, number) },
		})
	})
	t.Run("Tweak", func(t *testing.T) {
		r.Read(number[:])
		before := number
		units(t, r, unit{
			encrypt: func(dst, src []byte) { x.EncryptTweak(dst, src, &number) },
			decrypt: func(dst, src []byte) { x.DecryptTweak(dst, src, &number) },
			spec:    func(p []byte) []byte { return specXTS(data, tweak, p, number) },
		})
		if number != before {
			t.Error("the tweak was changed")
		}
	})
	x.Encrypt(nil, nil, 1)
	x.Decrypt(nil, nil, 1)
	long := make([]byte, 1<<24+1) // a byte more than 2^20 blocks
	x.Encrypt(long[:1<<24], long[:1<<24], 1)
	defer func() {
		if p := recover(); p != "plain: XTS data unit longer than 16 MiB" {
			t.Errorf("16 MiB and a byte: panic %v", p)
		}
	}()
	x.Encrypt(long, long, 1)
}

// XTSBlocks leaves the tweak of the block behind the last one, in both
// directions.
func TestXTSBlocks(t *testing.T) {
	r := newRandom(t)
	c := newPlain(r.bytes(16))
	for _, n := range []int{0, 16, 128, 1008, 1024, 1040, 4096} {
		for i := range 40 {
			start := [16]byte(r.bytes(16))
			want := start
			for range n / 16 {
				want = specTimesAlpha(want)
			}
			got := start
			p := r.bytes(n)
			q := make([]byte, n)
			modes.XTSBlocks(c, &got, q, p, i%2 == 1, i%3 == 0)
			if got != want {
				t.Fatalf("%d bytes from %x: tweak %x, want %x", n, start, got, want)
			}
			modes.XTSBlocks(c, &start, q, q, i%2 == 0, i%3 == 0)
			if !bytes.Equal(q, p) {
				t.Fatalf("%d bytes: not undone", n)
			}
		}
	}
}
