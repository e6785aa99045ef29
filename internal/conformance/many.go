package conformance

import (
	"bytes"
	"crypto/cipher"
	"fmt"
	"hash"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// A ManyCipher is a block cipher with the modes for which a package can process many
// messages at once. A is its CCM.
type ManyCipher[A any] interface {
	NewCBCEncrypter(iv []byte) cipher.BlockMode
	NewCCM(nonceSize, tagSize int) (A, error)
}

// CBCMessage, CMACMessage and CCMMessage have the same fields as a package's own types.
type (
	CBCMessage[C any] struct {
		Cipher   C
		IV       []byte
		Dst, Src []byte
	}
	CMACMessage[C any] struct {
		Cipher C
		Data   []byte
		Sum    [16]byte
	}
	CCMMessage[A any] struct {
		AEAD                             A
		Dst, Nonce, Text, AdditionalData []byte
		Out                              []byte
		Err                              error
	}
)

// ManyCase is a package under test, with a cipher of 16-byte blocks, that processes many
// messages at once. Its methods are the tests.
type ManyCase[
	C ManyCipher[A], A cipher.AEAD,
	CBC ~struct {
		Cipher   C
		IV       []byte
		Dst, Src []byte
	},
	CMAC ~struct {
		Cipher C
		Data   []byte
		Sum    [16]byte
	},
	CCM ~struct {
		AEAD                             A
		Dst, Nonce, Text, AdditionalData []byte
		Out                              []byte
		Err                              error
	},
] struct {
	KeySizes   []int
	EachDriver func(t *testing.T, f func(t *testing.T, new func(key []byte) (C, error)))
	NewCMAC    func(c C) hash.Hash
	EncryptCBC func(messages []CBC)
	CMAC       func(messages []CMAC)
	SealCCM    func(messages []CCM)
	OpenCCM    func(messages []CCM) error
}

// A batch contains ciphers with several keys and key sizes.
type batch[C any] struct {
	*rand.Rand
	ciphers []C
}

func (b batch[C]) bytes(n int) []byte {
	p := make([]byte, n)
	for i := range p {
		p[i] = byte(b.Uint32())
	}
	return p
}

func (b batch[C]) cipher() C { return b.ciphers[b.IntN(len(b.ciphers))] }

// length returns a length that is often the same, often short and sometimes long.
func (b batch[C]) length() int { return []int{64, b.IntN(40), b.IntN(300), b.IntN(5000)}[b.IntN(4)] }

// manyCounts are numbers of messages for kernels with up to 64 lanes.
var manyCounts = []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 24, 31, 32, 33, 39, 48, 63, 64, 65, 66, 100, 130, 200}

// eachBatch runs f for every driver alone and for all of them together.
func (c ManyCase[C, A, CBC, CMAC, CCM]) eachBatch(t *testing.T, f func(t *testing.T, b batch[C], messages int)) {
	type constructor = func(key []byte) (C, error)
	run := func(t *testing.T, drivers ...constructor) {
		b := batch[C]{Rand: rand.New(rand.NewPCG(1, 2))}
		for _, n := range manyCounts {
			b.ciphers = nil
			for range 5 {
				size := c.KeySizes[b.IntN(len(c.KeySizes))]
				b.ciphers = append(b.ciphers, must(drivers[b.IntN(len(drivers))](b.bytes(size))))
			}
			f(t, b, n)
		}
	}
	var all []constructor
	c.EachDriver(t, func(t *testing.T, new func(key []byte) (C, error)) {
		all = append(all, new)
		run(t, new)
	})
	t.Run("mixed", func(t *testing.T) { run(t, all...) })
}

// TestCBC compares the results with messages encrypted one by one.
func (c ManyCase[C, A, CBC, CMAC, CCM]) TestCBC(t *testing.T) {
	c.eachBatch(t, func(t *testing.T, b batch[C], n int) {
		messages := make([]CBC, n)
		want, ivs := make([][]byte, n), make([][]byte, n)
		for i := range messages {
			m := CBCMessage[C]{Cipher: b.cipher(), IV: b.bytes(16), Src: b.bytes(b.length() &^ 15)}
			want[i], ivs[i] = make([]byte, len(m.Src)), slices.Clone(m.IV)
			m.Cipher.NewCBCEncrypter(m.IV).CryptBlocks(want[i], m.Src)
			m.Dst = make([]byte, len(m.Src)+b.IntN(3))
			if b.IntN(2) == 0 {
				m.Dst = m.Src
			}
			messages[i] = CBC(m)
		}
		c.EncryptCBC(messages)
		for i := range messages {
			m := CBCMessage[C](messages[i])
			if !bytes.Equal(m.Dst[:len(m.Src)], want[i]) {
				t.Fatalf("message %d of %d, %d bytes, is wrong", i, n, len(m.Src))
			}
			if !bytes.Equal(m.IV, ivs[i]) {
				t.Fatal("changes the IV")
			}
		}
	})
}

// TestCMAC compares the results with messages processed one by one.
func (c ManyCase[C, A, CBC, CMAC, CCM]) TestCMAC(t *testing.T) {
	c.eachBatch(t, func(t *testing.T, b batch[C], n int) {
		messages := make([]CMAC, n)
		for i := range messages {
			messages[i] = CMAC(CMACMessage[C]{Cipher: b.cipher(), Data: b.bytes(b.length())})
		}
		c.CMAC(messages)
		for i := range messages {
			m := CMACMessage[C](messages[i])
			h := c.NewCMAC(m.Cipher)
			h.Write(m.Data)
			if want := h.Sum(nil); !bytes.Equal(m.Sum[:], want) {
				t.Fatalf("message %d of %d, %d bytes: got %x, want %x", i, n, len(m.Data), m.Sum, want)
			}
		}
	})
}

// TestCCM compares the results with messages processed one by one, some of them
// forgeries.
func (c ManyCase[C, A, CBC, CMAC, CCM]) TestCCM(t *testing.T) {
	c.eachBatch(t, func(t *testing.T, b batch[C], n int) {
		seal, open := make([]CCM, n), make([]CCM, n)
		bad := 0
		for i := range seal {
			nonceSize := 7 + b.IntN(7)
			a := must(b.cipher().NewCCM(nonceSize, 4+2*b.IntN(7)))
			m := CCMMessage[A]{AEAD: a, Dst: []byte("prefix"), Nonce: b.bytes(nonceSize), Text: b.bytes(b.length()), AdditionalData: b.bytes(b.length())}
			seal[i] = CCM(m)
			m.Text = a.Seal(nil, m.Nonce, m.Text, m.AdditionalData)
			switch b.IntN(6) {
			case 0:
				m.Text[b.IntN(len(m.Text))] ^= 1
				bad++
			case 1:
				m.Text = m.Text[:b.IntN(4)]
				bad++
			}
			open[i] = CCM(m)
		}
		c.SealCCM(seal)
		err := c.OpenCCM(open)
		if (err != nil) != (bad > 0) {
			t.Fatalf("%d of %d messages are forged, and the error is %v", bad, n, err)
		}
		for i := range seal {
			s, o := CCMMessage[A](seal[i]), CCMMessage[A](open[i])
			want := s.AEAD.Seal([]byte("prefix"), s.Nonce, s.Text, s.AdditionalData)
			if s.Err != nil || !bytes.Equal(s.Out, want) {
				t.Fatalf("message %d of %d, %d bytes, %d of data: sealed %x, %v, want %x", i, n, len(s.Text), len(s.AdditionalData), s.Out, s.Err, want)
			}
			plain, err := o.AEAD.Open([]byte("prefix"), o.Nonce, o.Text, o.AdditionalData)
			if (o.Err == nil) != (err == nil) || !bytes.Equal(o.Out, plain) {
				t.Fatalf("message %d of %d: opened %x, %v, want %x, %v", i, n, o.Out, o.Err, plain, err)
			}
		}
	})
}

// TestMisuse checks that calls for many messages panic in the same cases as single calls,
// before anything is written, and that a panic in the middle leaves no unauthenticated
// plaintext.
func (c ManyCase[C, A, CBC, CMAC, CCM]) TestMisuse(t *testing.T) {
	c.EachDriver(t, func(t *testing.T, new func(key []byte) (C, error)) {
		block := must(new(make([]byte, 16)))
		dst := make([]byte, 64)
		good := CBCMessage[C]{Cipher: block, IV: make([]byte, 16), Dst: dst[:32], Src: make([]byte, 32)}
		for reason, change := range map[string]func(m *CBCMessage[C]){
			"IV length":      func(m *CBCMessage[C]) { m.IV = m.IV[1:] },
			"full blocks":    func(m *CBCMessage[C]) { m.Src = m.Src[1:] },
			"output smaller": func(m *CBCMessage[C]) { m.Dst = m.Dst[1:] },
			"overlap":        func(m *CBCMessage[C]) { m.Src = dst[8:40] },
		} {
			bad := good
			change(&bad)
			func() {
				defer func() {
					if p := fmt.Sprint(recover()); !strings.Contains(p, reason) {
						t.Errorf("%s: panic %s", reason, p)
					}
					if !bytes.Equal(dst, make([]byte, len(dst))) {
						t.Errorf("%s: panics, but only after it wrote", reason)
					}
				}()
				c.EncryptCBC([]CBC{CBC(good), CBC(bad)})
			}()
		}

		a, nonce := must(block.NewCCM(12, 16)), make([]byte, 12)
		forged := a.Seal(nil, nonce, bytes.Repeat([]byte{7}, 100), nil)
		forged[110] ^= 1
		opened := make([]byte, 100)
		defer func() {
			if recover() == nil {
				t.Error("a short nonce does not panic")
			}
			if !bytes.Equal(opened, make([]byte, 100)) {
				t.Error("leaves what has not been checked")
			}
		}()
		c.OpenCCM([]CCM{
			CCM(CCMMessage[A]{AEAD: a, Dst: opened[:0], Nonce: nonce, Text: forged}),
			CCM(CCMMessage[A]{AEAD: a, Nonce: nonce[:5], Text: forged}),
		})
	})
}

// Uses returns the output of the functions for several messages, which are parts of the text under
// two keys.
func (c ManyCase[C, A, CBC, CMAC, CCM]) Uses(t testing.TB, new func(key []byte) (C, error), in Input) map[string][]byte {
	n := c.KeySizes[in.Split%len(c.KeySizes)]
	ciphers := []C{must(new(in.Key[:n])), must(new(in.Key[64-n:]))}
	var cbc []CBC
	var mac []CMAC
	var ccm []CCM
	for i := range 3 + len(in.Data)%70 {
		block := ciphers[i%5/4]
		text := in.Text[:max(0, len(in.Text)-i*(in.Split/16)%max(1, len(in.Text)))]
		whole := text[:len(text)&^15]
		cbc = append(cbc, CBC(CBCMessage[C]{Cipher: block, IV: in.IV, Dst: make([]byte, len(whole)), Src: whole}))
		mac = append(mac, CMAC(CMACMessage[C]{Cipher: block, Data: text}))
		a := must(block.NewCCM(7, 16))
		ccm = append(ccm, CCM(CCMMessage[A]{AEAD: a, Nonce: in.IV[:7], Text: text, AdditionalData: in.Data}))
	}
	c.EncryptCBC(cbc)
	c.CMAC(mac)
	c.SealCCM(ccm)
	outputs := map[string][]byte{}
	for i := range cbc {
		m := CCMMessage[A](ccm[i])
		outputs["CBC of many"] = append(outputs["CBC of many"], CBCMessage[C](cbc[i]).Dst...)
		sum := CMACMessage[C](mac[i]).Sum
		outputs["CMAC of many"] = append(outputs["CMAC of many"], sum[:]...)
		outputs["CCM of many"] = append(outputs["CCM of many"], m.Out...)
	}
	return outputs
}

// TestAllocations checks that nothing is allocated if the buffers are large enough.
func (c ManyCase[C, A, CBC, CMAC, CCM]) TestAllocations(t *testing.T) {
	c.EachDriver(t, func(t *testing.T, new func(key []byte) (C, error)) {
		block := must(new(make([]byte, 16)))
		a := must(block.NewCCM(12, 16))
		var cbc []CBC
		var mac []CMAC
		var ccm []CCM
		for range 70 {
			text := make([]byte, 512)
			cbc = append(cbc, CBC(CBCMessage[C]{Cipher: block, IV: make([]byte, 16), Dst: text, Src: text}))
			mac = append(mac, CMAC(CMACMessage[C]{Cipher: block, Data: text}))
			ccm = append(ccm, CCM(CCMMessage[A]{AEAD: a, Dst: make([]byte, 0, 600), Nonce: make([]byte, 12), Text: text}))
		}
		for _, n := range []int{20, 70} {
			NoAllocs(t, "CBC", func() { c.EncryptCBC(cbc[:n]) })
			NoAllocs(t, "CMAC", func() { c.CMAC(mac[:n]) })
			NoAllocs(t, "CCM", func() { c.SealCCM(ccm[:n]) })
		}
	})
}
