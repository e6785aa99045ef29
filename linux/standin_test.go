package linux

import (
	stdaes "crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/kcapi"
	"github.com/cipherlane/cipherlane/sm3"
	"github.com/cipherlane/cipherlane/sm4"
)

// A standIn is a backend with an engine for every algorithm. It computes correct results,
// block by block, with code other than this library's kernels, and can be made to fail.
type standIn struct {
	env   kcapi.Environment
	open  atomic.Int32 // open objects
	opens atomic.Int32 // objects ever opened
	calls atomic.Int32
	lied  atomic.Int32

	hidden bool // nothing can be opened

	mu    sync.Mutex
	fault fault
	after int // successful calls before the fault
	times int // how often the fault happens; < 0: always
	wait  time.Duration
}

type fault int

const (
	none    fault = iota
	fails         // returns an errno, with garbage in the output
	hangs         // until package kcapi's timeout
	lies          // one bit of the output is wrong
	short         // returns too little, with an error
	cut           // returns too little, without an error
	refuses       // cannot be opened
	badKey        // rejects the key
	slow          // answers late
	trusts        // accepts forged messages
	doubts        // rejects all messages as forged
)

// newStandIn returns a standIn that lists the drivers of its engine.
func newStandIn() *standIn {
	s := &standIn{}
	s.env.Supported, s.env.AFALG.State, s.env.Restrict = true, kcapi.Ready, -1
	for _, a := range algorithms {
		r := kcapi.Record{
			Name: a.name, Driver: standInDriver(a.name), Module: "standin", Priority: 400, SelfTest: "passed", Type: a.socketType, Async: true,
		}
		if a.socketType == "hash" {
			r.Type = "ahash"
		}
		s.env.Algorithms = append(s.env.Algorithms, r)
	}
	s.env.Engines = s.env.Algorithms
	return s
}

func standInDriver(name string) string {
	return "standin-" + strings.NewReplacer("(", "-", ")", "").Replace(name)
}

// set makes calls fail with fault f, times times, after some successful calls.
func (s *standIn) set(f fault, after, times int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault, s.after, s.times = f, after, times
}

// next returns the fault for a call, or none.
func (s *standIn) next() fault {
	s.calls.Add(1)
	s.mu.Lock()
	f, wait := none, s.wait
	switch {
	case s.fault == none || s.fault == refuses || s.fault == badKey || s.times == 0:
	case s.after > 0:
		s.after--
	default:
		f = s.fault
		s.times--
	}
	s.mu.Unlock()
	if f == slow {
		time.Sleep(wait)
	}
	return f
}

func (s *standIn) environment() *kcapi.Environment { e := s.env; return &e }

func (s *standIn) opening(name string) (string, error) {
	for _, a := range algorithms {
		if !s.hidden && (name == a.name || name == standInDriver(a.name)) {
			s.mu.Lock()
			f := s.fault
			if f != refuses && f != badKey || s.times == 0 {
				f = none
			} else {
				s.times--
			}
			s.mu.Unlock()
			switch f {
			case refuses:
				return "", &kcapi.Error{Op: "accept", Algorithm: name, Reason: kcapi.ErrResources}
			case badKey:
				return "", &kcapi.Error{Op: "set key", Algorithm: name, Reason: kcapi.ErrKey}
			}
			s.open.Add(1)
			s.opens.Add(1)
			return a.name, nil
		}
	}
	return "", &kcapi.Error{Op: "bind", Algorithm: name, Reason: kcapi.ErrNoAlgorithm}
}

func block(name string, key []byte) cipher.Block {
	if strings.Contains(name, "aes") {
		return must(stdaes.NewCipher(key))
	}
	return must(must(sm4.On("generic")).New(key))
}

func (s *standIn) openCipher(name string, key []byte, _ ...kcapi.Option) (cipherSocket, error) {
	name, err := s.opening(name)
	if err != nil {
		return nil, err
	}
	c := &fakeCipher{fakeObject: fakeObject{s: s, name: name}}
	if c.mode = name[:3]; c.mode == "xts" {
		c.tweak = block(name, key[len(key)/2:])
		key = key[:len(key)/2]
	}
	c.block = block(name, key)
	return c, nil
}

func (s *standIn) openAEAD(name string, key []byte, tagSize int, _ ...kcapi.Option) (aeadSocket, error) {
	name, err := s.opening(name)
	if err != nil {
		return nil, err
	}
	a := &fakeAEAD{fakeObject: fakeObject{s: s, name: name}}
	a.aead = must(cipher.NewGCMWithTagSize(block(name, key), tagSize))
	return a, nil
}

func (s *standIn) openHash(name string, _ ...kcapi.Option) (hashSocket, error) {
	name, err := s.opening(name)
	if err != nil {
		return nil, err
	}
	return &fakeHash{fakeObject{s: s, name: name}}, nil
}

type fakeObject struct {
	s      *standIn
	name   string
	closed atomic.Bool
}

func (o *fakeObject) Driver() string { return standInDriver(o.name) }

func (o *fakeObject) Close() error {
	if !o.closed.Swap(true) {
		o.s.open.Add(-1)
	}
	return nil
}

var errOf = map[fault]error{
	fails: &kcapi.Error{Op: "receive", Reason: kcapi.ErrFailed, Detail: "input/output error"},
	hangs: &kcapi.Error{Op: "send", Reason: kcapi.ErrTimeout},
	short: &kcapi.Error{Op: "receive", Reason: kcapi.ErrFailed, Detail: "3 bytes instead of more"},
}

// broken applies a fault to a result, and returns the error.
func (o *fakeObject) broken(f fault, dst []byte) error {
	if o.closed.Load() {
		return &kcapi.Error{Algorithm: o.name, Reason: kcapi.ErrClosed}
	}
	switch f {
	case fails, hangs, short:
		if f == hangs {
			time.Sleep(2 * time.Millisecond)
		}
		for i := range dst {
			dst[i] = 0xee
		}
	case lies:
		dst[len(dst)/2] ^= 4
		o.s.lied.Add(1)
	}
	return errOf[f]
}

type fakeCipher struct {
	fakeObject
	mode         string
	block, tweak cipher.Block
}

type fakeState struct{ iv, x, y [16]byte }

var fakeStates = sync.Pool{New: func() any { return new(fakeState) }}

func (c *fakeCipher) Encrypt(dst, src, iv []byte) error { return c.crypt(dst, src, iv, false) }
func (c *fakeCipher) Decrypt(dst, src, iv []byte) error { return c.crypt(dst, src, iv, true) }

func (c *fakeCipher) crypt(dst, src, iv []byte, decrypt bool) error {
	f := c.s.next()
	dst = dst[:len(src)]
	if len(src) > piece {
		return &kcapi.Error{Algorithm: c.name, Reason: kcapi.ErrTooLarge}
	}
	st := fakeStates.Get().(*fakeState)
	defer fakeStates.Put(st)
	copy(st.iv[:], iv)
	switch {
	case c.mode == "ctr":
		high, low := binary.BigEndian.Uint64(iv), binary.BigEndian.Uint64(iv[8:])
		for i := 0; i < len(src); i += 16 {
			binary.BigEndian.PutUint64(st.x[:], high)
			binary.BigEndian.PutUint64(st.x[8:], low)
			if low++; low == 0 {
				high++
			}
			c.block.Encrypt(st.y[:], st.x[:])
			for k := 0; k < 16 && i+k < len(src); k++ {
				dst[i+k] = src[i+k] ^ st.y[k]
			}
		}
	case c.mode == "xts":
		c.xts(st, dst, src, decrypt)
	case decrypt:
		for i := 0; i < len(src); i += 16 {
			copy(st.x[:], src[i:])
			c.block.Decrypt(st.y[:], st.x[:])
			for k := range 16 {
				dst[i+k] = st.y[k] ^ st.iv[k]
			}
			st.iv = st.x
		}
	default:
		for i := 0; i < len(src); i += 16 {
			for k := range 16 {
				st.iv[k] ^= src[i+k]
			}
			c.block.Encrypt(st.iv[:], st.iv[:])
			copy(dst[i:], st.iv[:])
		}
	}
	return c.broken(f, dst)
}

func (c *fakeCipher) xts(st *fakeState, dst, src []byte, decrypt bool) {
	c.tweak.Encrypt(st.iv[:], st.iv[:])
	one := func(dst, src []byte) {
		for k := range 16 {
			st.x[k] = src[k] ^ st.iv[k]
		}
		if decrypt {
			c.block.Decrypt(st.x[:], st.x[:])
		} else {
			c.block.Encrypt(st.x[:], st.x[:])
		}
		for k := range 16 {
			dst[k] = st.x[k] ^ st.iv[k]
		}
	}
	next := func() {
		carry := byte(0)
		for k := range st.iv {
			st.iv[k], carry = st.iv[k]<<1|carry, st.iv[k]>>7
		}
		st.iv[0] ^= carry * 0x87
	}
	whole, rest := len(src)&^15, len(src)&15
	i := 0
	for ; i < whole && (rest == 0 || i < whole-16); i += 16 {
		one(dst[i:], src[i:])
		next()
	}
	if rest == 0 {
		return
	}
	// IEEE 1619, 5.3.2 and 5.4.2: the last two blocks.
	first := st.iv
	next()
	second := st.iv
	if decrypt {
		first, second = second, first
	}
	var tail [16]byte
	copy(tail[:], src[whole:])
	st.iv = first
	one(st.y[:], src[i:])
	copy(tail[rest:], st.y[rest:])
	copy(dst[whole:], st.y[:rest])
	st.iv = second
	st.y = tail
	one(dst[i:], st.y[:])
}

type fakeAEAD struct {
	fakeObject
	aead cipher.AEAD
}

func (a *fakeAEAD) Seal(dst, nonce, plaintext, data []byte) ([]byte, error) {
	f := a.s.next()
	whole := a.aead.Seal(dst, nonce, plaintext, data)
	out := whole[len(dst):]
	if err := a.broken(f, out); err != nil {
		clear(out) // like package kcapi
		return nil, err
	}
	if f == cut {
		return whole[:len(whole)-1], nil
	}
	return whole, nil
}

func (a *fakeAEAD) Open(dst, nonce, ciphertext, data []byte) ([]byte, error) {
	f := a.s.next()
	if f == doubts {
		return nil, errForged
	}
	if err := errOf[f]; err != nil { // package kcapi leaves dst alone
		return nil, a.broken(f, nil)
	}
	buffer := pieces.Get().(*[piece + 16]byte)
	defer pieces.Put(buffer)
	whole, err := a.aead.Open(buffer[:0], nonce, ciphertext, data)
	if err != nil && f == trusts {
		return append(dst, make([]byte, len(ciphertext)-a.aead.Overhead())...), nil
	}
	if err != nil {
		return nil, errForged
	}
	if err := a.broken(f, whole); err != nil {
		return nil, err
	}
	if f == cut {
		return whole[:len(whole)-1], nil
	}
	return append(dst, whole...), nil
}

type fakeHash struct{ fakeObject }

func (h *fakeHash) Digest(dst, p []byte) ([]byte, error) {
	f := h.s.next()
	d := must(sm3.On("generic")).Sum(p)
	err := h.broken(f, d[:])
	if f == cut {
		return append(dst, d[:20]...), err
	}
	return append(dst, d[:]...), err
}

func (h *fakeHash) file(f *os.File) ([]byte, error) {
	b, err := io.ReadAll(f)
	if err != nil {
		return nil, err
	}
	d, err := h.Digest(nil, b)
	if err != nil {
		f.Seek(-1, io.SeekCurrent) // somewhere
	}
	return d, err
}

// alwaysUse returns crossovers with which a driver is always used.
func alwaysUse(driverName string) []drivers.Crossover {
	var list []drivers.Crossover
	for _, a := range algorithms {
		for _, size := range a.keySizes {
			for i := range a.operations {
				list = append(list, drivers.Crossover{Algorithm: a.name, Driver: driverName, KeySize: size, Decrypt: i == 1, SoftA: 1e12, SoftB: 1e9, From: 1})
			}
		}
	}
	return list
}

// enable enables a backend during a test. Linux is used for all requests that may use
// it.
func enable(t testing.TB, b backend, m Mode) *provider {
	p := newProvider(m, b)
	p.crossovers = alwaysUse
	p.backoff = 5 * time.Millisecond
	before := swap(p)
	t.Cleanup(func() {
		swap(before)
		p.stop()
	})
	return p
}

var errForged error = &kcapi.Error{Reason: kcapi.ErrAuth}
