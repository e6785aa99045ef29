package modes

import (
	"crypto/aes"
	"crypto/cipher"
	"testing"

	"github.com/cipherlane/cipherlane/internal/ghash"
)

// trace is a cipher of which only the framing counts: it leaves nothing zero.
type trace struct{ cipher.Block }

func newTrace() *trace {
	b, err := aes.NewCipher(make([]byte, 16))
	if err != nil {
		panic(err)
	}
	return &trace{b}
}

func fill(p []byte) {
	for i := range p {
		p[i] |= 0x55
	}
}

func (*trace) Package() string                               { return "trace" }
func (*trace) EncryptBlocks(dst, src []byte)                 { fill(dst) }
func (*trace) DecryptBlocks(dst, src []byte)                 { fill(dst) }
func (*trace) CBCEncrypt(iv *[16]byte, dst, src []byte)      { fill(iv[:]); fill(dst) }
func (*trace) CBCDecrypt(iv *[16]byte, dst, src []byte)      { fill(iv[:]); fill(dst) }
func (*trace) CTR(counter *[16]byte, dst, src []byte)        { fill(dst) }
func (*trace) XTS(tweak *[16]byte, dst, src []byte, _ bool)  { fill(dst) }
func (*trace) Rekey(key []byte)                              {}
func (*trace) WipeMark() *uint8                              { return new(uint8) }
func (*trace) Clear()                                        {}
func (*trace) CFBDecrypt(*[16]byte, []byte, []byte) int      { return 0 }
func (*trace) Counters([][16]byte, int, []byte, []byte) bool { return false }

// Objects that calls return to a pool contain no secrets.
func TestPoolsHoldNothing(t *testing.T) {
	nonce := make([]byte, 12)
	zero := func(what string, p []byte) {
		t.Helper()
		for i, b := range p {
			if b != 0 {
				t.Fatalf("%s: byte %d of %d is %#x", what, i, len(p), b)
			}
		}
	}
	for _, n := range []int{0, 1, 16, 100, 1000, 5000} {
		for _, more := range []int{0, 1, 20, 600, 3000} {
			text, data := make([]byte, n), make([]byte, more)
			fill(text)
			fill(data)

			c, _ := NewCCM(newTrace(), 12, 16)
			for _, f := range []func(){
				func() { c.Seal(nil, nonce, text, data) },
				func() { c.Open(nil, nonce, append(text, nonce...), data) },
			} {
				f()
				w := ccmPool.Get().(*ccmWork)
				zero("CCM: gather", w.gather[:])
				zero("CCM: chain", w.chain[:])
				zero("CCM: MAC", w.MAC[:])
				zero("CCM: mask", w.mask.bytes()[:])
				zero("CCM: first", w.first.bytes()[:])
				if w.out != nil || w.src != nil || w.tag != nil || w.whole != nil || w.in.text != nil || w.in.data != nil || w.c != nil {
					t.Fatal("CCM: a pointer to a message")
				}
				ccmPool.Put(w)
			}

			pool := &GCMSIVPool{New: func() Rekeyer { return newTrace() }, Hash: ghash.Generic}
			g, _ := NewGCMSIV(newTrace(), 32, pool)
			for _, f := range []func(){
				func() { g.Seal(nil, nonce, text, data) },
				func() { g.Open(nil, nonce, append(text, make([]byte, 16)...), data) },
			} {
				f()
				w, _ := pool.pool.Get().(*gcmSIVWork)
				if w == nil {
					continue
				}
				zero("GCM-SIV: part", w.part[:])
				zero("GCM-SIV: tag", w.tag[:])
				zero("GCM-SIV: state of GHASH", w.y[:])
				if w.hash != (ghash.Key{}) {
					t.Fatal("GCM-SIV: a hash key")
				}
				pool.pool.Put(w)
			}
		}
	}

	s := NewSIV(newTrace(), newTrace())
	for _, n := range []int{0, 1, 16, 100, 256, 257, 1000, 5000} {
		text := make([]byte, n)
		fill(text)
		for _, f := range []func(){
			func() { s.SealDeterministic(nil, text, text, nil, nonce) },
			func() { s.OpenDeterministic(nil, append(nonce[:12:12], make([]byte, n+4)...), text, nil, nonce) },
		} {
			f()
			w := sivPool.Get().(*sivWork)
			zero("SIV: ends", w.bytes()[:])
			zero("SIV: chain", w.chain.bytes()[:])
			zero("SIV: output of CBC", w.scratch[:])
			if w.high|w.low != 0 || w.c != nil || w.chains != nil || w.s != nil {
				t.Fatal("SIV: D, or a pointer to a key")
			}
			sivPool.Put(w)
		}
	}

	for name, f := range map[string]func() ([]byte, error){
		"WrapKey":         func() ([]byte, error) { return WrapKey(newTrace(), nil, make([]byte, 32)) },
		"UnwrapKey":       func() ([]byte, error) { return UnwrapKey(newTrace(), nil, make([]byte, 32)) },
		"WrapKeyPadded":   func() ([]byte, error) { return WrapKeyPadded(newTrace(), nil, make([]byte, 3)) },
		"UnwrapKeyPadded": func() ([]byte, error) { return UnwrapKeyPadded(newTrace(), nil, make([]byte, 16)) },
	} {
		f()
		w := wrapPool.Get().(*wrapWork)
		zero(name, w.block[:])
		wrapPool.Put(w)
	}
}
