package sm4_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/internal/conformance"
	"github.com/cipherlane/cipherlane/sm4"
)

// batch has ciphers of several keys, and with mixed drivers, too.
type batch struct {
	*rand.Rand
	ciphers []*sm4.Cipher
}

func newBatch(r *rand.Rand, drivers ...sm4.Driver) batch {
	b := batch{Rand: r}
	for range 5 {
		d := drivers[r.IntN(len(drivers))]
		b.ciphers = append(b.ciphers, must(d.New(b.bytes(16))))
	}
	return b
}

func (b batch) bytes(n int) []byte {
	p := make([]byte, n)
	for i := range p {
		p[i] = byte(b.Uint32())
	}
	return p
}

func (b batch) cipher() *sm4.Cipher { return b.ciphers[b.IntN(len(b.ciphers))] }

// length is often the same, often short, and sometimes long.
func (b batch) length() int { return []int{64, b.IntN(40), b.IntN(300), b.IntN(5000)}[b.IntN(4)] }

// eachBatch runs f for every driver alone and for all of them together.
func eachBatch(t *testing.T, f func(t *testing.T, b batch, messages int)) {
	var all []sm4.Driver
	run := func(t *testing.T, drivers ...sm4.Driver) {
		r := rand.New(rand.NewPCG(1, 2))
		for _, n := range []int{0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 48, 63, 64, 65, 66, 100, 130, 200} {
			f(t, newBatch(r, drivers...), n)
		}
	}
	eachDriver(t, func(t *testing.T, d sm4.Driver) {
		all = append(all, d)
		run(t, d)
	})
	t.Run("mixed", func(t *testing.T) { run(t, all...) })
}

func TestEncryptCBCMany(t *testing.T) {
	eachBatch(t, func(t *testing.T, b batch, n int) {
		messages := make([]sm4.CBCMessage, n)
		want := make([][]byte, n)
		for i := range messages {
			m := &messages[i]
			m.Cipher, m.IV, m.Src = b.cipher(), b.bytes(16), b.bytes(b.length()&^15)
			want[i] = make([]byte, len(m.Src))
			m.Cipher.NewCBCEncrypter(m.IV).CryptBlocks(want[i], m.Src)
			m.Dst = make([]byte, len(m.Src)+b.IntN(3))
			if b.IntN(2) == 0 {
				m.Dst = m.Src
			}
		}
		ivs := make([][]byte, n)
		for i, m := range messages {
			ivs[i] = slices.Clone(m.IV)
		}
		sm4.EncryptCBCMany(messages)
		for i, m := range messages {
			if !bytes.Equal(m.Dst[:len(m.Src)], want[i]) {
				t.Fatalf("message %d of %d, %d bytes, is wrong", i, n, len(m.Src))
			}
			if !bytes.Equal(m.IV, ivs[i]) {
				t.Fatal("changes the IV")
			}
		}
	})
}

func TestCMACMany(t *testing.T) {
	eachBatch(t, func(t *testing.T, b batch, n int) {
		messages := make([]sm4.CMACMessage, n)
		for i := range messages {
			messages[i] = sm4.CMACMessage{Cipher: b.cipher(), Message: b.bytes(b.length())}
		}
		sm4.CMACMany(messages)
		for i, m := range messages {
			h := m.Cipher.NewCMAC()
			h.Write(m.Message)
			if want := h.Sum(nil); !bytes.Equal(m.Sum[:], want) {
				t.Fatalf("message %d of %d, %d bytes: got %x, want %x", i, n, len(m.Message), m.Sum, want)
			}
		}
	})
}

func TestCCMMany(t *testing.T) {
	eachBatch(t, func(t *testing.T, b batch, n int) {
		seal, open := make([]sm4.CCMMessage, n), make([]sm4.CCMMessage, n)
		bad := 0
		for i := range seal {
			nonceSize := 7 + b.IntN(7)
			a := must(b.cipher().NewCCM(nonceSize, 4+2*b.IntN(7)))
			seal[i] = sm4.CCMMessage{AEAD: a, Dst: []byte("prefix"), Nonce: b.bytes(nonceSize), Text: b.bytes(b.length()), Data: b.bytes(b.length())}
			open[i] = seal[i]
			open[i].Text = a.Seal(nil, seal[i].Nonce, seal[i].Text, seal[i].Data)
			switch b.IntN(6) {
			case 0:
				open[i].Text[b.IntN(len(open[i].Text))] ^= 1
				bad++
			case 1:
				open[i].Text = open[i].Text[:b.IntN(4)]
				bad++
			}
		}
		sm4.SealCCMMany(seal)
		err := sm4.OpenCCMMany(open)
		if (err != nil) != (bad > 0) {
			t.Fatalf("%d of %d messages are forged, and the error is %v", bad, n, err)
		}
		for i := range seal {
			s, o := &seal[i], &open[i]
			want := s.AEAD.Seal([]byte("prefix"), s.Nonce, s.Text, s.Data)
			if s.Err != nil || !bytes.Equal(s.Out, want) {
				t.Fatalf("message %d of %d, %d bytes, %d of data: sealed %x, %v, want %x", i, n, len(s.Text), len(s.Data), s.Out, s.Err, want)
			}
			plain, err := o.AEAD.Open([]byte("prefix"), o.Nonce, o.Text, o.Data)
			if (o.Err == nil) != (err == nil) || !bytes.Equal(o.Out, plain) {
				t.Fatalf("message %d of %d: opened %x, %v, want %x, %v", i, n, o.Out, o.Err, plain, err)
			}
		}
	})
}

// What a single call would panic on, many do before anything is written.
func TestManyMisuse(t *testing.T) {
	c := must(sm4.New(make([]byte, 16)))
	dst := make([]byte, 64)
	good := sm4.CBCMessage{Cipher: c, IV: make([]byte, 16), Dst: dst[:32], Src: make([]byte, 32)}
	for reason, change := range map[string]func(m *sm4.CBCMessage){
		"IV length":      func(m *sm4.CBCMessage) { m.IV = m.IV[1:] },
		"full blocks":    func(m *sm4.CBCMessage) { m.Src = m.Src[1:] },
		"output smaller": func(m *sm4.CBCMessage) { m.Dst = m.Dst[1:] },
		"overlap":        func(m *sm4.CBCMessage) { m.Src = dst[8:40] },
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
			sm4.EncryptCBCMany([]sm4.CBCMessage{good, bad})
		}()
	}
}

func TestManyAllocations(t *testing.T) {
	eachDriver(t, func(t *testing.T, d sm4.Driver) {
		c := must(d.New(make([]byte, 16)))
		a := must(c.NewCCM(12, 16))
		cbc, mac, ccm := make([]sm4.CBCMessage, 70), make([]sm4.CMACMessage, 70), make([]sm4.CCMMessage, 70)
		for i := range 70 {
			text := make([]byte, 512)
			cbc[i] = sm4.CBCMessage{Cipher: c, IV: make([]byte, 16), Dst: text, Src: text}
			mac[i] = sm4.CMACMessage{Cipher: c, Message: text}
			ccm[i] = sm4.CCMMessage{AEAD: a, Dst: make([]byte, 0, 600), Nonce: make([]byte, 12), Text: text}
		}
		conformance.NoAllocs(t, "EncryptCBCMany", func() { sm4.EncryptCBCMany(cbc) })
		conformance.NoAllocs(t, "CMACMany", func() { sm4.CMACMany(mac) })
		conformance.NoAllocs(t, "SealCCMMany", func() { sm4.SealCCMMany(ccm) })
	})
}

// A panic in the middle leaves nothing that has not been checked.
func TestOpenCCMManyMisuse(t *testing.T) {
	eachDriver(t, func(t *testing.T, d sm4.Driver) {
		a := must(must(d.New(make([]byte, 16))).NewCCM(12, 16))
		nonce := make([]byte, 12)
		forged := a.Seal(nil, nonce, bytes.Repeat([]byte{7}, 100), nil)
		forged[110] ^= 1
		dst := make([]byte, 100)
		defer func() {
			if recover() == nil {
				t.Error("a short nonce does not panic")
			}
			if !bytes.Equal(dst, make([]byte, 100)) {
				t.Error("leaves what has not been checked")
			}
		}()
		sm4.OpenCCMMany([]sm4.CCMMessage{
			{AEAD: a, Dst: dst[:0], Nonce: nonce, Text: forged},
			{AEAD: a, Nonce: nonce[:5], Text: forged},
		})
	})
}
