package conformance

import (
	"bytes"
	"crypto/cipher"
	"slices"
	"testing"

	"github.com/cipherlane/cipherlane/internal/offload"
)

// An OffloadCipher is a cipher whose modes may use an engine.
type OffloadCipher interface {
	NewCBCEncrypter(iv []byte) cipher.BlockMode
	NewCBCDecrypter(iv []byte) cipher.BlockMode
	NewCTR(iv []byte) cipher.Stream
	NewGCM(nonceSize, tagSize int) (cipher.AEAD, error)
	Wipe()
}

// An OffloadXTS is XTS that may use an engine.
type OffloadXTS interface {
	EncryptTweak(dst, src []byte, tweak *[16]byte)
	DecryptTweak(dst, src []byte, tweak *[16]byte)
	Wipe()
}

// Offload tests how a package uses an engine. create makes keys as programs do. software
// makes the same keys with a driver, which must not use an engine.
func Offload(t *testing.T, kind, kindXTS offload.Kind, keySize int, create, software func(key []byte) (OffloadCipher, OffloadXTS)) {
	key := newRandom(t).bytes(2 * keySize)
	p := &engines{t: t, byKind: map[offload.Kind]*Engine{}}
	offload.Use(p)
	defer offload.Use(nil)
	software(key)
	if len(p.byKind) != 0 {
		t.Error("a driver that was named uses an engine")
	}
	c, x := create(key)
	if e := p.byKind[kind]; e == nil || !bytes.Equal(e.key, key[:keySize]) {
		t.Fatal("the cipher is not offered to the engine, or with a wrong key")
	}
	if e := p.byKind[kindXTS]; e == nil || !bytes.Equal(e.key, key) {
		t.Fatal("XTS is not offered to the engine, or with a wrong key")
	}
	want, wantXTS := software(key)
	OffloadModes(t, p.byKind[kind], c, want)
	OffloadSectors(t, p.byKind[kindXTS], x, wantXTS)
	for kind, e := range p.byKind {
		if e.wiped != 1 {
			t.Errorf("Wipe of a key of kind %d wiped %d keys of the engine, want 1", kind, e.wiped)
		}
	}
}

// engines makes an engine for each key.
type engines struct {
	t      *testing.T
	byKind map[offload.Kind]*Engine
}

func (p *engines) NewKey(kind offload.Kind, key []byte) *offload.Key {
	e := NewEngine(p.t)
	e.key = slices.Clone(key)
	p.byKind[kind] = e
	return e.Key
}

// An Engine takes part of the data of some requests. Its results cannot come from
// other code.
type Engine struct {
	*offload.Key
	t     *testing.T
	key   []byte
	gates [offload.Operations]offload.Gate
	asked []int // lengths of requests
	take  int   // bytes to take
	good  bool  // what to say about a tag
	wiped int
}

// NewEngine returns an engine whose gates are closed.
func NewEngine(t *testing.T) *Engine {
	e := &Engine{t: t}
	e.Key = offload.NewKey(e)
	for o := range e.gates {
		e.gates[o].Close()
		e.Key.For(offload.Operation(o), &e.gates[o])
	}
	return e
}

// openOnly opens the gate of one operation.
func (e *Engine) openOnly(o offload.Operation) {
	for i := range e.gates {
		e.gates[i].Close()
	}
	e.gates[o].Open(0)
	e.asked = nil
}

func (e *Engine) ask(dst, src []byte) {
	e.asked = append(e.asked, len(src))
	if len(dst) != len(src) {
		e.t.Errorf("an engine got %d bytes for the result of %d bytes", len(dst), len(src))
	}
}

// answer sets dst to something made from src.
func answer(dst, src []byte) {
	for i, v := range src {
		dst[i] = v ^ 0x5a
	}
}

// left is the value that an engine leaves in an iv.
var left = [16]byte(bytes.Repeat([]byte{0x77}, 16))

func (e *Engine) blocks(iv *[16]byte, dst, src []byte) int {
	e.ask(dst, src)
	n := min(e.take, len(src)) &^ 15
	answer(dst[:n], src[:n])
	if n > 0 {
		*iv = left
	}
	return n
}

func (e *Engine) CBC(iv *[16]byte, dst, src []byte, decrypt bool) int {
	if decrypt != (e.gates[offload.CBCDecrypt].Lets(len(src))) {
		e.t.Error("CBC in the wrong direction")
	}
	return e.blocks(iv, dst, src)
}

func (e *Engine) CTR(counter *[16]byte, dst, src []byte) int { return e.blocks(counter, dst, src) }

func (e *Engine) XTS(tweak *[16]byte, dst, src []byte, decrypt bool) bool {
	e.ask(dst, src)
	if decrypt != (e.gates[offload.XTSDecrypt].Lets(len(src))) {
		e.t.Error("XTS in the wrong direction")
	}
	if e.take < len(src) {
		return false
	}
	if *tweak != left {
		e.t.Errorf("an engine got the tweak %x, want %x", *tweak, left)
	}
	answer(dst, src)
	return true
}

const overhead = 16 // of GCM

func (e *Engine) Seal(out, nonce, plaintext, data []byte) bool {
	e.ask(out[:len(out)-overhead], plaintext)
	if e.take < len(plaintext) {
		return false
	}
	answer(out, plaintext)
	copy(out[len(plaintext):], left[:])
	return true
}

func (e *Engine) Open(out, nonce, ciphertext, data []byte, tagSize int) (done, good bool) {
	if tagSize != overhead {
		e.t.Errorf("an engine got a tag of %d bytes, want %d", tagSize, overhead)
	}
	e.ask(out, ciphertext[:len(ciphertext)-tagSize])
	if e.take < len(out) {
		return false, false
	}
	if e.good {
		answer(out, ciphertext[:len(out)])
	}
	return true, e.good
}

func (e *Engine) Wipe() { e.wiped++ }

// check fails unless the engine was asked for a request of n bytes if it is long enough.
func (e *Engine) check(t *testing.T, n int) {
	t.Helper()
	want := []int{n}
	if n < offload.Floor {
		want = nil
	}
	if !slices.Equal(e.asked, want) {
		t.Errorf("an engine was asked for requests of %d bytes, want %d", e.asked, want)
	}
	e.asked = nil
}

// takes are numbers of bytes that an engine takes of requests.
var takes = []int{0, 16, 240, 1 << 20}

// OffloadModes tests that a cipher uses an engine for the requests that it is open for,
// and continues where the engine ended. want is the same key without an engine. It wipes
// the cipher.
func OffloadModes(t *testing.T, e *Engine, c, want OffloadCipher) {
	r := newRandom(t)
	iv := r.bytes(16)
	sizes := []int{offload.Floor - 16, offload.Floor - 1, offload.Floor, offload.Floor + 16, offload.Floor + 21, 3000}
	for o, create := range map[offload.Operation]func(c OffloadCipher, iv []byte) func(dst, src []byte){
		offload.CBCEncrypt: func(c OffloadCipher, iv []byte) func(dst, src []byte) { return c.NewCBCEncrypter(iv).CryptBlocks },
		offload.CBCDecrypt: func(c OffloadCipher, iv []byte) func(dst, src []byte) { return c.NewCBCDecrypter(iv).CryptBlocks },
		offload.CTR:        func(c OffloadCipher, iv []byte) func(dst, src []byte) { return c.NewCTR(iv).XORKeyStream },
	} {
		for _, n := range sizes {
			if o != offload.CTR {
				n &^= 15
			}
			for _, e.take = range takes {
				e.openOnly(o)
				f, reference := create(c, iv), create(want, iv)
				src := r.bytes(n)
				got, expected := make([]byte, n+1), make([]byte, n)
				f(got, src)
				e.check(t, n)
				taken := min(e.take, n) &^ 15
				if n < offload.Floor {
					taken = 0
				}
				if taken > 0 {
					answer(expected, src[:taken])
					reference = create(want, left[:])
				}
				reference(expected[taken:], src[taken:])
				if !bytes.Equal(got[:n], expected) || got[n] != 0 {
					t.Errorf("operation %d, %d bytes of which an engine takes %d: wrong", o, n, taken)
				}
				// More of the same message, without the engine.
				more := r.bytes(32)
				got, expected = make([]byte, 32), make([]byte, 32)
				f(got, more)
				reference(expected, more)
				if !bytes.Equal(got, expected) {
					t.Errorf("operation %d after %d bytes of which an engine takes %d: wrong", o, n, taken)
				}
			}
		}
	}
	g, wantGCM := newGCM(t, c, 12), newGCM(t, want, 12)
	nonce, data := r.bytes(12), r.bytes(20)
	for _, n := range sizes {
		text := r.bytes(n)
		sealed := wantGCM.Seal(nil, nonce, text, data)
		for _, e.take = range []int{0, 1 << 20} {
			mine := e.take > 0 && n >= offload.Floor
			e.openOnly(offload.Seal)
			expected := sealed
			if mine {
				expected = make([]byte, n)
				answer(expected, text)
				expected = append(expected, left[:]...)
			}
			if got := g.Seal([]byte("prefix"), nonce, text, data); string(got) != "prefix"+string(expected) {
				t.Errorf("Seal of %d bytes, an engine takes them: %v: wrong", n, mine)
			}
			e.check(t, n)
			e.openOnly(offload.Open)
			e.good, expected = true, text
			if mine {
				expected = make([]byte, n)
				answer(expected, sealed[:n])
			}
			if got, err := g.Open([]byte("prefix"), nonce, sealed, data); err != nil || string(got) != "prefix"+string(expected) {
				t.Errorf("Open of %d bytes, an engine takes them: %v: wrong, %v", n, mine, err)
			}
			e.check(t, n)
			e.good = false
			if got, err := g.Open(nil, nonce, sealed, data); mine != (err != nil) || mine != (got == nil) {
				t.Errorf("Open of %d bytes that an engine rejects: %v", n, err)
			}
			e.check(t, n)
		}
	}
	e.take = 1 << 20
	other, odd, text := newGCM(t, c, 13), r.bytes(13), r.bytes(3000)
	for _, o := range []offload.Operation{offload.Seal, offload.Open} {
		e.openOnly(o)
		if _, err := other.Open(nil, odd, other.Seal(nil, odd, text, nil), nil); err != nil {
			t.Error(err)
		}
		e.check(t, 0)
	}
	c.Wipe()
}

func newGCM(t *testing.T, c OffloadCipher, nonceSize int) cipher.AEAD {
	t.Helper()
	g, err := c.NewGCM(nonceSize, overhead)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// OffloadSectors is OffloadModes for XTS.
func OffloadSectors(t *testing.T, e *Engine, x, want OffloadXTS) {
	r := newRandom(t)
	for o, crypt := range map[offload.Operation]func(x OffloadXTS, dst, src []byte, tweak *[16]byte){
		offload.XTSEncrypt: OffloadXTS.EncryptTweak,
		offload.XTSDecrypt: OffloadXTS.DecryptTweak,
	} {
		for _, n := range []int{16, offload.Floor - 1, offload.Floor, offload.Floor + 1, 4096} {
			for _, e.take = range []int{0, 1 << 20} {
				e.openOnly(o)
				src, got, expected := r.bytes(n), make([]byte, n+1), make([]byte, n)
				tweak := left
				crypt(x, got, src, &tweak)
				e.check(t, n)
				if e.take > 0 && n >= offload.Floor {
					answer(expected, src)
				} else {
					crypt(want, expected, src, &tweak)
				}
				if !bytes.Equal(got[:n], expected) || got[n] != 0 || tweak != left {
					t.Errorf("operation %d, %d bytes, an engine takes %d: wrong", o, n, e.take)
				}
			}
		}
	}
	x.Wipe()
}
