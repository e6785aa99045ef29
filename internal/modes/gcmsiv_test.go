package modes_test

import (
	"bytes"
	"crypto/cipher"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/cipherlane/cipherlane/internal/conformance"
	"github.com/cipherlane/cipherlane/internal/ghash"
	"github.com/cipherlane/cipherlane/internal/modes"
	"github.com/cipherlane/cipherlane/internal/vectors"
)

func eachGHASH(t *testing.T, f func(t *testing.T, row uint8)) {
	conformance.EachDriver(t, "ghash", func(t *testing.T, name string) {
		row, err := ghash.On(name)
		if err != nil {
			t.Fatal(err)
		}
		f(t, row)
	})
}

func gcmSIVCase(keySize int, pool *modes.GCMSIVPool) conformance.AEADCase {
	return conformance.AEADCase{
		KeySize:    keySize,
		NonceSizes: []int{12},
		TagSizes:   []int{16},
		New: func(key []byte, nonceSize, tagSize int) (cipher.AEAD, error) {
			return modes.NewGCMSIV(newPlain(key), len(key), pool)
		},
		Reference: func(key []byte, nonceSize, tagSize int) (cipher.AEAD, error) {
			return specGCMSIV{func(key []byte) cipher.Block { return newPlain(key).Block }, bytes.Clone(key)}, nil
		},
	}
}

func TestGCMSIV(t *testing.T) {
	const zero16 = "00000000000000000000000000000000"
	eachGHASH(t, func(t *testing.T, row uint8) {
		for _, keySize := range []int{16, 32} {
			t.Run(fmt.Sprint(8*keySize), func(t *testing.T) {
				pool := &modes.GCMSIVPool{New: func() modes.Rekeyer { return new(rekeyer) }, Hash: ghash.Generic, HashLong: row, LongBytes: 100}
				c := gcmSIVCase(keySize, pool)
				vector := func(key, nonce, data, plaintext, ciphertext string) {
					c.Vectors = append(c.Vectors, ccmVector(t, key, nonce, data, plaintext, ciphertext))
				}
				if keySize == 16 { // RFC 8452, C.1
					vector("01"+zero16[2:], "030000000000000000000000", "", "", "dc20e2d83f25705bb49e439eca56de25")
					vector("01"+zero16[2:], "030000000000000000000000", "", "0100000000000000", "b5d839330ac7b786578782fff6013b815b287c22493a364c")
					vector("01"+zero16[2:], "030000000000000000000000", "01", "0200000000000000", "1e6daba35669f4273b0a1a2560969cdf790d99759abd1508")
				} else { // C.2 and C.3
					vector("01"+zero16[2:]+zero16, "030000000000000000000000", "", "", "07f5f4169bbf55a8400cd47ea6fd400f")
					vector(zero16+zero16, zero16[:24], "", zero16+"4db923dc793ee6497c76dcc03a98e108",
						"f3f80f2cf0cb2dd9c5984fcda908456cc537703b5ba70324a6793a7bf218d3eaffffffff000000000000000000000000")
					vector(zero16+zero16, zero16[:24], "", "eb3640277c7ffd1303c7a542d02d3e4c0000000000000000",
						"18ce4f0b8cb4d0cac65fea8f79257b20888e53e72299e56dffffffff000000000000000000000000")
				}
				conformance.AEAD(t, c)
				t.Run("Wycheproof", func(t *testing.T) {
					conformance.WycheproofAEAD(t, c, testdata, "wycheproof_aes_gcm_siv.json.gz")
				})
			})
		}
	})
}

// RFC 8452, appendix A.
func TestPolyval(t *testing.T) {
	h, p := vectors.Hex(t, "25629347589242761d31f826ba4b757b"), vectors.Hex(t, "4f4f95668c83dfb6401762bb2d01a262 d1a24ddd2721d006bbe45f20d3c9f362")
	const want = "f7a3b47b846119fae5b7866cf5e5b77e"
	if got := fmt.Sprintf("%x", specPolyval(h, p)); got != want {
		t.Errorf("by the specification: got %s", got)
	}
	eachGHASH(t, func(t *testing.T, row uint8) {
		if got := fmt.Sprintf("%x", modes.Polyval(h, p, row)); got != want {
			t.Errorf("got %s", got)
		}
	})
}

// The counter has 32 bits, which wrap around without a carry.
func TestGCMSIVCounterWrap(t *testing.T) {
	for _, kernel := range []bool{false, true} {
		t.Run(fmt.Sprintf("Kernel=%v", kernel), func(t *testing.T) { counterWrap(t, &rekeyer{kernel: kernel}) })
	}
}

func counterWrap(t *testing.T, r *rekeyer) {
	r.Rekey(count(1, 16))
	src := count(0, 255)
	src = bytes.Repeat(src, 17)[:16*260+5]
	for _, start := range []uint32{0, 1, 1<<31 - 3, 1<<32 - 1, 1<<32 - 2, 1<<32 - 127, 1<<32 - 128, 1<<32 - 129, 1<<32 - 259} {
		for _, fill := range []byte{0, 0xff, 0x5a} {
			tag := [16]byte(bytes.Repeat([]byte{fill}, 16))
			binary.LittleEndian.PutUint32(tag[:], start)
			got := make([]byte, len(src))
			modes.GCMSIVCrypt(r, tag, got, src)
			if want := specGCMSIVCrypt(r.Block, tag[:], src); !bytes.Equal(got, want) {
				t.Errorf("wrong from counter %#x on, other bytes %#x", start, fill)
			}
		}
	}
}

// The plaintext must not go where the tag is, which is compared when it has been written.
func TestGCMSIVOverTag(t *testing.T) {
	g, err := modes.NewGCMSIV(newPlain(count(1, 16)), 16, &modes.GCMSIVPool{New: func() modes.Rekeyer { return new(rekeyer) }, Hash: ghash.Generic})
	if err != nil {
		t.Fatal(err)
	}
	nonce := count(1, 12)
	for _, n := range []int{1, 16, 40} {
		b := append(g.Seal(nil, nonce, count(1, n), nil), make([]byte, n+16)...)
		for at := n; at < n+16; at++ { // at n+16 nothing overlaps
			before := bytes.Clone(b)
			func() {
				defer func() {
					if p := recover(); p != "plain: invalid buffer overlap" {
						t.Errorf("%d bytes to where byte %d of the tag is: panic %v", n, at-n, p)
					}
				}()
				g.Open(b[at:at], nonce, b[:n+16], nil)
			}()
			if !bytes.Equal(b, before) {
				t.Fatalf("%d bytes to where byte %d of the tag is: written", n, at-n)
			}
		}
		if p, err := g.Open(b[n+16:n+16], nonce, b[:n+16], nil); err != nil || !bytes.Equal(p, count(1, n)) {
			t.Errorf("%d bytes behind the tag: %x, %v", n, p, err)
		}
	}
}

func TestGCMSIVSizes(t *testing.T) {
	for _, n := range []int{0, 8, 24, 33} {
		_, err := modes.NewGCMSIV(newPlain(count(1, 16)), n, nil)
		if want := fmt.Sprintf("plain: invalid GCM-SIV key size %d, want 16 or 32", n); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// After a message, the pool contains no trace of its keys.
func TestGCMSIVWipes(t *testing.T) {
	var made []*rekeyer
	pool := &modes.GCMSIVPool{New: func() modes.Rekeyer {
		made = append(made, new(rekeyer))
		return made[len(made)-1]
	}, Hash: ghash.Generic}
	g, _ := modes.NewGCMSIV(newPlain(count(1, 16)), 16, pool)
	sealed := g.Seal(nil, make([]byte, 12), make([]byte, 100), nil)
	g.Open(nil, make([]byte, 12), sealed, nil)
	sealed[0]++
	g.Open(nil, make([]byte, 12), sealed, nil)
	for _, r := range made {
		if r.Block != nil {
			t.Error("a cipher in the pool has a key")
		}
	}
}
