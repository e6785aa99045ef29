package modes_test

import (
	"bytes"
	"crypto/cipher"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/cipherlane/cipherlane/internal/conformance"
	"github.com/cipherlane/cipherlane/internal/modes"
	"github.com/cipherlane/cipherlane/internal/vectors"
)

// testdata of AES.
var testdata = os.DirFS("../../aes/testdata")

var ccmTagSizes = []int{16, 4, 6, 8, 10, 12, 14}

func ccmCase(keySize int, newCipher func(key []byte) wiper) conformance.AEADCase {
	return conformance.AEADCase{
		KeySize:    keySize,
		NonceSizes: []int{12, 7, 8, 9, 10, 11, 13},
		TagSizes:   ccmTagSizes,
		New: func(key []byte, nonceSize, tagSize int) (cipher.AEAD, error) {
			c, err := modes.NewCCM(newCipher(key), nonceSize, tagSize)
			if err != nil {
				return nil, err // not a nil *CCM in an interface
			}
			return c, nil
		},
		Reference: func(key []byte, nonceSize, tagSize int) (cipher.AEAD, error) {
			return specCCM{newPlain(key).Block, nonceSize, tagSize}, nil
		},
	}
}

func ccmVector(t *testing.T, key, nonce, data, plaintext, ciphertext string) conformance.AEADVector {
	return conformance.AEADVector{Key: vectors.Hex(t, key), Nonce: vectors.Hex(t, nonce), AdditionalData: vectors.Hex(t, data),
		Plaintext: vectors.Hex(t, plaintext), Ciphertext: vectors.Hex(t, ciphertext)}
}

// count returns the bytes from first to last.
func count(first, last int) (p []byte) {
	for i := first; i <= last; i++ {
		p = append(p, byte(i))
	}
	return p
}

func TestCCM(t *testing.T) {
	for _, keySize := range []int{16, 24, 32} {
		eachCipher(t, fmt.Sprint(8*keySize), func(t *testing.T, newCipher func(key []byte) wiper) {
			c := ccmCase(keySize, newCipher)
			if keySize == 16 {
				const key = "404142434445464748494a4b4c4d4e4f"
				c.Vectors = []conformance.AEADVector{
					// NIST SP 800-38C, appendix C
					ccmVector(t, key, "10111213141516", "0001020304050607", "20212223", "7162015b4dac255d"),
					ccmVector(t, key, "1011121314151617", fmt.Sprintf("%x", count(0, 15)), fmt.Sprintf("%x", count(0x20, 0x2f)),
						"d2a1f0e051ea5f62081a7792073d593d 1fc64fbfaccd"),
					ccmVector(t, key, "101112131415161718191a1b", fmt.Sprintf("%x", count(0, 0x13)), fmt.Sprintf("%x", count(0x20, 0x37)),
						"e3b201a9f5b71a7a9b1ceaeccd97e70b6176aad9a4428aa5 484392fbc1b09951"),
					ccmVector(t, key, "101112131415161718191a1b1c", fmt.Sprintf("%x", bytes.Repeat(count(0, 255), 256)), fmt.Sprintf("%x", count(0x20, 0x3f)),
						"69915dad1e84c6376a68c2967e4dab615ae0fd1faec44cc484828529463ccf72 b4ac6bec93e8598e7f0dadbcea5b"),
					// RFC 3610, section 8, packet vector 1
					ccmVector(t, "c0c1c2c3c4c5c6c7c8c9cacbcccdcecf", "00000003020100a0a1a2a3a4a5", "0001020304050607", fmt.Sprintf("%x", count(8, 0x1e)),
						"588c979a61c663d2f066d0c2c0f989806d5f6b61dac384 17e8d12cfdf926e0"),
				}
			} else {
				key := make([]byte, keySize)
				ref := specCCM{newPlain(key).Block, 12, 16}
				sealed := ref.Seal(nil, key[:12], count(1, 50), count(0, 9))
				c.Vectors = []conformance.AEADVector{{Key: key, Nonce: key[:12], AdditionalData: count(0, 9), Plaintext: count(1, 50), Ciphertext: sealed}}
			}
			conformance.AEAD(t, c)
			t.Run("Wycheproof", func(t *testing.T) {
				conformance.WycheproofAEAD(t, c, testdata, "wycheproof_aes_ccm.json.gz")
			})
		})
	}
}

// The length of additional data has three encodings, of which the third needs
// 4 GiB.
func TestCCMAdditionalData(t *testing.T) { eachCipher(t, "data", testCCMAdditionalData) }

func testCCMAdditionalData(t *testing.T, newCipher func(key []byte) wiper) {
	key := count(1, 16)
	c, _ := modes.NewCCM(newCipher(key), 13, 8)
	ref := specCCM{newPlain(key).Block, 13, 8}
	data := make([]byte, 0x20000)
	rand.NewChaCha8([32]byte{}).Read(data)
	for _, n := range []int{16, 225, 238, 239, 240, 255, 262, 500, 0xfeff, 0xff00, 0xff01, 0xffff, 0x10000, 0x10001, 0x10123, 0x20000} {
		for _, size := range []int{0, 20, 250, 256, 257, 600, 1100} {
			want := ref.Seal(nil, count(0, 12), data[:size], data[:n])
			if got := c.Seal(nil, count(0, 12), data[:size], data[:n]); !bytes.Equal(got, want) {
				t.Errorf("%d bytes of data, %d of text: wrong", n, size)
			}
			if got, err := c.Open(nil, count(0, 12), want, data[:n]); err != nil || !bytes.Equal(got, data[:size]) {
				t.Errorf("%d bytes of data, %d of text: Open: %v", n, size, err)
			}
		}
	}
}

// With a nonce of 13 bytes the length of a message has 16 bits.
func TestCCMTooLong(t *testing.T) {
	for nonceSize, longest := range map[int]int{13: 1<<16 - 1, 12: 1<<24 - 1} {
		if nonceSize == 12 && testing.Short() {
			continue
		}
		c, _ := modes.NewCCM(newPlain(count(1, 16)), nonceSize, 4)
		nonce := make([]byte, nonceSize)
		text := make([]byte, longest+1)
		sealed := c.Seal(nil, nonce, text[:longest], nil)
		if got, err := c.Open(nil, nonce, sealed, nil); err != nil || !bytes.Equal(got, text[:longest]) {
			t.Errorf("nonce of %d bytes: %v", nonceSize, err)
		}
		if _, err := c.Open(nil, nonce, append(sealed, 0), nil); err == nil || err.Error() != "plain: message authentication failed" {
			t.Errorf("nonce of %d bytes: Open of a message that is too long: %v", nonceSize, err)
		}
		func() {
			defer func() {
				if e := recover(); e != "plain: message too large for CCM" {
					t.Errorf("nonce of %d bytes: got panic %v", nonceSize, e)
				}
			}()
			c.Seal(nil, nonce, text, nil)
		}()
	}
}

func TestCCMSizes(t *testing.T) {
	for _, c := range []struct {
		nonce, tag int
		want       string
	}{
		{6, 16, "plain: invalid CCM nonce size 6, want 7 to 13"},
		{14, 16, "plain: invalid CCM nonce size 14, want 7 to 13"},
		{12, 2, "plain: invalid CCM tag size 2, want an even number from 4 to 16"},
		{12, 13, "plain: invalid CCM tag size 13, want an even number from 4 to 16"},
		{12, 18, "plain: invalid CCM tag size 18, want an even number from 4 to 16"},
	} {
		if _, err := modes.NewCCM(newPlain(count(1, 16)), c.nonce, c.tag); err == nil || err.Error() != c.want {
			t.Errorf("error %v, want %s", err, c.want)
		}
	}
}

type ccmMessage struct {
	c                     *modes.CCM
	dst, nonce, src, data []byte
	result                []byte
	err                   error
}

// ccmMany is CCM over many messages as a cipher's package has it, with a kernel
// that takes its lanes one after the other.
func ccmMany(messages []ccmMessage, width, gather int, open bool) (calls int) {
	type slot struct {
		modes.CCMLane
		message int
		part    []byte
		gather  []byte
	}
	lanes := make([]*slot, width)
	for i := range lanes {
		lanes[i] = &slot{message: -1, gather: make([]byte, gather)}
	}
	var s modes.Schedule
	s.Start(min(width, len(messages)))
	next := 0
	begin := func(l *slot) (more bool) {
		for next < len(messages) {
			l.message = next
			m := &messages[next]
			next++
			if !open {
				l.BeginSeal(m.c, l.gather, m.dst, m.nonce, m.src, m.data)
				return true
			}
			if m.err = l.BeginOpen(m.c, l.gather, m.dst, m.nonce, m.src, m.data); m.err == nil {
				return true
			}
		}
		l.message = -1
		return false
	}
	for {
		for lane, ok := s.Idle(); ok; lane, ok = s.Idle() {
			l := lanes[lane]
			l.part = nil
			if l.message >= 0 {
				if l.part = l.Next(); len(l.part) == 0 {
					m := &messages[l.message]
					m.result, m.err = l.End()
				}
			}
			if len(l.part) == 0 && begin(l) {
				l.part = l.Next()
			}
			if len(l.part) > 0 {
				s.Continue(lane, len(l.part)/16)
			} else {
				last := s.Drop(lane)
				lanes[lane], lanes[last] = lanes[last], lanes[lane]
			}
		}
		n := s.Step(4096)
		if n == 0 {
			break
		}
		calls++
		for _, l := range lanes[:s.Lanes()] {
			messages[l.message].c.Cipher().CBCEncrypt(&l.MAC, make([]byte, 16*n), l.part[:16*n])
			l.part = l.part[16*n:]
		}
	}
	for _, l := range lanes {
		l.Wipe()
		if bytes.Count(l.gather, []byte{0}) != len(l.gather) || l.MAC != [16]byte{} {
			panic("a lane keeps something")
		}
	}
	return calls
}

func TestCCMLanes(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	random := func(n int) []byte {
		p := make([]byte, n)
		for i := range p {
			p[i] = byte(rnd.Uint32())
		}
		return p
	}
	for width := 1; width <= modes.MaxLanes; width++ {
		for _, gather := range []int{64, 256, 2048} {
			var seal, open []ccmMessage
			var want []conformance.AEADVector
			for range rnd.IntN(60) {
				nonceSize, tagSize := 7+rnd.IntN(7), ccmTagSizes[rnd.IntN(len(ccmTagSizes))]
				key := random(16)
				var cipher modes.Cipher = newPlain(key)
				if rnd.IntN(2) == 0 {
					cipher = chained{newPlain(key)}
				}
				c, _ := modes.NewCCM(cipher, nonceSize, tagSize)
				v := conformance.AEADVector{Nonce: random(nonceSize), Plaintext: random(rnd.IntN(1 << rnd.IntN(12))), AdditionalData: random(rnd.IntN(1 << rnd.IntN(10)))}
				if rnd.IntN(50) == 0 {
					v.Plaintext, v.AdditionalData = random(40_000), random(70_000)
				}
				v.Ciphertext = specCCM{newPlain(key).Block, nonceSize, tagSize}.Seal(nil, v.Nonce, v.Plaintext, v.AdditionalData)
				want = append(want, v)
				m := ccmMessage{c: c, nonce: v.Nonce, data: v.AdditionalData}
				m.src = slices.Grow(slices.Clone(v.Plaintext), 16)
				m.dst = m.src[:0]
				if rnd.IntN(2) == 0 {
					m.dst = []byte("before")
				}
				seal = append(seal, m)
				m.src = slices.Clone(v.Ciphertext)
				switch rnd.IntN(10) {
				case 0:
					m.src[rnd.IntN(len(m.src))] ^= 1
				case 1:
					m.src = m.src[:3]
				}
				m.dst = m.src[:0]
				if rnd.IntN(2) == 0 {
					m.dst = []byte("before")
				}
				open = append(open, m)
			}
			ccmMany(seal, width, gather, false)
			for i, m := range seal {
				if !bytes.Equal(m.result, slices.Concat(m.dst, want[i].Ciphertext)) || m.err != nil {
					t.Fatalf("width %d, gather %d: message %d of %d: wrong", width, gather, i, len(seal))
				}
			}
			forged := make([]bool, len(open))
			for i, m := range open {
				forged[i] = !bytes.Equal(m.src, want[i].Ciphertext)
			}
			ccmMany(open, width, gather, true)
			for i, m := range open {
				switch {
				case !forged[i] && (m.err != nil || !bytes.Equal(m.result, slices.Concat(m.dst, want[i].Plaintext))):
					t.Fatalf("width %d, gather %d: opening message %d of %d: wrong, %v", width, gather, i, len(open), m.err)
				case forged[i] && (m.err == nil || m.result != nil):
					t.Fatalf("width %d, gather %d: opening message %d of %d: takes a forgery", width, gather, i, len(open))
				}
				if n := len(m.src) - m.c.Overhead(); forged[i] && n > 0 && len(m.dst) == 0 && bytes.Count(m.src[:n], []byte{0}) != n {
					t.Fatalf("width %d, gather %d: opening message %d of %d: leaves decrypted bytes", width, gather, i, len(open))
				}
			}
		}
	}
}

// Messages of one length need as many calls as one message.
func TestCCMLanesCalls(t *testing.T) {
	c, _ := modes.NewCCM(newPlain(count(1, 16)), 12, 16)
	for _, test := range []struct{ size, gather, want int }{{1420, 2048, 1}, {1420, 256, 3}, {1424, 256, 2}, {100, 256, 1}, {2048 - 32, 2048, 1}, {2048 - 31, 2048, 3}} {
		messages := make([]ccmMessage, 16)
		for i := range messages {
			messages[i] = ccmMessage{c: c, nonce: make([]byte, 12), src: make([]byte, test.size), data: make([]byte, 13)}
		}
		if got := ccmMany(messages, 16, test.gather, false); got != test.want {
			t.Errorf("%d bytes, gather %d: %d calls, want %d", test.size, test.gather, got, test.want)
		}
		for i := range messages {
			messages[i].dst, messages[i].src = nil, c.Seal(nil, messages[i].nonce, make([]byte, test.size), messages[i].data)
		}
		if got := ccmMany(messages, 16, test.gather, true); got != test.want {
			t.Errorf("%d bytes, gather %d: %d calls to open, want %d", test.size, test.gather, got, test.want)
		}
	}
}

func TestCCMWipe(t *testing.T) {
	k := new(rekeyer)
	k.Rekey(count(1, 16))
	c, _ := modes.NewCCM(k, 12, 16)
	if c.Wipe(); *k.WipeMark() != modes.Wiped {
		t.Error("Wipe leaves the cipher as it was")
	}
}
