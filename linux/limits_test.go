package linux

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cipherlane/cipherlane/aes"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/fips"
	"github.com/cipherlane/cipherlane/internal/synctest"
	"github.com/cipherlane/cipherlane/kcapi"
	"github.com/cipherlane/cipherlane/sm3"
)

// A wrapped is a stand-in whose sockets a test observes.
type wrapped struct {
	*standIn
	opening func()
	cipher  func(next cipherSocket) cipherSocket
	aead    func(next aeadSocket) aeadSocket
	hash    func(next hashSocket) hashSocket
}

func (w *wrapped) openCipher(name string, key []byte, opts ...kcapi.Option) (cipherSocket, error) {
	if w.opening != nil {
		w.opening()
	}
	s, err := w.standIn.openCipher(name, key, opts...)
	if err == nil && w.cipher != nil {
		s = w.cipher(s)
	}
	return s, err
}

func (w *wrapped) openAEAD(name string, key []byte, tagSize int, opts ...kcapi.Option) (aeadSocket, error) {
	s, err := w.standIn.openAEAD(name, key, tagSize, opts...)
	if err == nil && w.aead != nil {
		s = w.aead(s)
	}
	return s, err
}

func (w *wrapped) openHash(name string, opts ...kcapi.Option) (hashSocket, error) {
	s, err := w.standIn.openHash(name, opts...)
	if err == nil && w.hash != nil {
		s = w.hash(s)
	}
	return s, err
}

type cipherFunc struct {
	cipherSocket
	encrypt func(dst, src, iv []byte) error
}

func (c cipherFunc) Encrypt(dst, src, iv []byte) error { return c.encrypt(dst, src, iv) }

// softly makes software appear to take the same time for any message.
func softly(ns float64) func(string) []drivers.Crossover {
	return func(name string) []drivers.Crossover {
		list := alwaysUse(name)
		for i := range list {
			list[i].SoftA, list[i].SoftB = ns, 0
		}
		return list
	}
}

// Only a few calls wait for an engine that does not answer, even with many goroutines:
// each occupies a descriptor and a thread.
func TestAtOnce(t *testing.T) { synctest.Test(t, testAtOnce) }

func testAtOnce(t *testing.T) {
	var now, most atomic.Int32
	w := &wrapped{standIn: newStandIn()}
	w.cipher = func(next cipherSocket) cipherSocket {
		return cipherFunc{next, func(dst, src, iv []byte) error {
			n := now.Add(1)
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
			time.Sleep(10 * time.Millisecond)
			defer now.Add(-1)
			return next.Encrypt(dst, src, iv)
		}}
	}
	p := enable(t, w, Engine)
	p.engines["cbc(aes)"][16].prepare(true)
	c, ref := must(aes.New(make([]byte, 16))), must(must(aes.On("generic")).New(make([]byte, 16)))
	want := make([]byte, 1024)
	ref.NewCBCEncrypter(want[:16]).CryptBlocks(want, want)
	// While one call opens the key in Linux, others are computed in software.
	first := make([]byte, 1024)
	c.NewCBCEncrypter(first[:16]).CryptBlocks(first, first)
	var group sync.WaitGroup
	for range 200 {
		group.Add(1)
		go func() {
			defer group.Done()

			b := make([]byte, 1024)
			c.NewCBCEncrypter(b[:16]).CryptBlocks(b, b)
			if string(b) != string(want) {
				t.Error("wrong")
			}
		}()
	}
	group.Wait()
	if n := most.Load(); n != atOnce {
		t.Errorf("%d calls at once, want %d", n, atOnce)
	}
	if n := p.busy.Load(); n != 0 {
		t.Errorf("%d calls have not left", n)
	}
}

// Keys in use, if there are more than may be open, do not close each other at every call.
func TestTurns(t *testing.T) {
	s := newStandIn()
	p := enable(t, s, Engine)
	p.crossovers = softly(1e6)
	e := p.engines["cbc(aes)"][16]
	e.prepare(true)
	e.openCost.Store(int64(time.Millisecond))
	b, iv := make([]byte, 1024), make([]byte, 16)
	var keys []*aes.Cipher
	for range most + 1 {
		keys = append(keys, must(aes.New(random(16))))
	}
	const rounds = 100
	opens := s.opens.Load()
	for range rounds {
		for _, c := range keys {
			c.NewCBCEncrypter(iv).CryptBlocks(b, b)
		}
	}
	if n, most := int(s.opens.Load()-opens), len(keys)*rounds/openAfter; n < len(keys) || n > most {
		t.Errorf("%d calls opened %d objects, want %d to %d", len(keys)*rounds, n, len(keys), most)
	}
}

// A key that is in use is not closed while there is room.
func TestRoom(t *testing.T) {
	s := newStandIn()
	p := enable(t, s, Engine)
	e := p.engines["cbc(aes)"][16]
	e.prepare(true)
	e.openCost.Store(0)
	b, iv := make([]byte, 1024), make([]byte, 16)
	stays := must(aes.New(random(16)))
	stays.NewCBCEncrypter(iv).CryptBlocks(b, b)
	opens := s.opens.Load()
	for range 3 * most {
		c := must(aes.New(random(16)))
		c.NewCBCEncrypter(iv).CryptBlocks(b, b)
		c.Wipe()
		stays.NewCBCEncrypter(iv).CryptBlocks(b, b)
	}
	if n := s.opens.Load() - opens; n != 3*most {
		t.Errorf("%d objects were opened, want %d", n, 3*most)
	}
}

// When a program runs out of descriptors, those of open keys are closed. The engine is
// used again when there are descriptors, however long that takes.
func TestShortage(t *testing.T) {
	s := newStandIn()
	p := enable(t, s, Engine)
	p.backoff = time.Millisecond
	e := p.engines["cbc(aes)"][16]
	e.prepare(true)
	e.openCost.Store(0)
	b, iv := make([]byte, 1024), make([]byte, 16)
	must(aes.New(random(16))).NewCBCEncrypter(iv).CryptBlocks(b, b)
	if s.open.Load() != 1 {
		t.Fatalf("%d objects are open", s.open.Load())
	}
	s.set(refuses, 0, maxTrips+3)
	must(aes.New(random(16))).NewCBCEncrypter(iv).CryptBlocks(b, b)
	if s.open.Load() != 0 {
		t.Errorf("%d objects are open", s.open.Load())
	}
	e.wait(t, ready)
	if n := e.failures.Load(); n < maxTrips+3 || warned(e, "descriptors") {
		t.Errorf("%d failures; %q", n, drivers.Warnings())
	}
}

// A lack of descriptors at the first request is not permanent either.
func TestShortageAtFirst(t *testing.T) {
	s := newStandIn()
	p := enable(t, s, Engine)
	p.backoff = time.Millisecond
	s.set(refuses, 0, 2)
	e := p.engines["cbc(aes)"][16]
	e.prepare(true)
	if u := useOf(p, "cbc(aes)", 16, 0); u.State == InUse || u.State == Unused {
		t.Errorf("%+v", u)
	}
	c, b := must(aes.New(make([]byte, 16))), make([]byte, 1024)
	for start := time.Now(); e.calls() == 0; time.Sleep(time.Millisecond) {
		c.NewCBCEncrypter(b[:16]).CryptBlocks(b, b)
		if time.Since(start) > 10*time.Second {
			t.Fatalf("state %d: %s", e.state.Load(), e.why)
		}
	}
}

type openFunc struct {
	aeadSocket
	open func(dst, ciphertext []byte) ([]byte, error)
}

func (o openFunc) Open(dst, _, ciphertext, _ []byte) ([]byte, error) { return o.open(dst, ciphertext) }

// A driver may be correct only for tags of 16 bytes.
func TestShortTags(t *testing.T) {
	for tagSize := 12; tagSize < 16; tagSize++ {
		w := &wrapped{standIn: newStandIn()}
		w.aead = func(next aeadSocket) aeadSocket {
			if next.(*fakeAEAD).aead.Overhead() != tagSize {
				return next
			}
			return openFunc{next, func(dst, ciphertext []byte) ([]byte, error) {
				return append(dst, make([]byte, len(ciphertext)-tagSize)...), nil
			}}
		}
		p := enable(t, w, Engine)
		e := p.engines["gcm(aes)"][16]
		if e.prepare(true); e.state.Load() != useless || !warned(e, "wrong results") {
			t.Errorf("tags of %d bytes are not checked: state %d", tagSize, e.state.Load())
		}
	}
}

// A tag size that a driver does not support does not count as a failure.
func TestTagsRefused(t *testing.T) {
	w := &tagless{standIn: newStandIn()}
	p := enable(t, w, Engine)
	e := p.ready(t, "gcm(aes)", 16)
	c, b := must(aes.New(make([]byte, 16))), make([]byte, 1024)
	for range 3 {
		must(c.NewGCM(12, 13)).Seal(nil, b[:12], b, nil)
	}
	if e.state.Load() != ready || e.failures.Load() != 0 || e.calls() != 0 {
		t.Errorf("state %d, %d failures, %d calls", e.state.Load(), e.failures.Load(), e.calls())
	}
	if must(c.NewGCM(12, 16)).Seal(nil, b[:12], b, nil); e.calls() != 1 {
		t.Errorf("%d calls with tags of 16 bytes", e.calls())
	}
}

type tagless struct{ *standIn }

func (w *tagless) openAEAD(name string, key []byte, tagSize int, opts ...kcapi.Option) (aeadSocket, error) {
	if tagSize < 16 {
		return nil, &kcapi.Error{Op: "set tag size", Algorithm: name, Reason: kcapi.ErrSize}
	}
	return w.standIn.openAEAD(name, key, tagSize, opts...)
}

// The time to open a key does not include loading modules.
func TestOpenCost(t *testing.T) { synctest.Test(t, testOpenCost) }

func testOpenCost(t *testing.T) {
	const modprobe, opening = 100 * time.Millisecond, 300 * time.Microsecond
	var once sync.Once
	w := &wrapped{standIn: newStandIn(), opening: func() { once.Do(func() { time.Sleep(modprobe) }); time.Sleep(opening) }}
	p := enable(t, w, Engine)
	e := p.engines["cbc(aes)"][16]
	if e.prepare(true); time.Duration(e.openCost.Load()) != opening {
		t.Errorf("opening a key takes %v", time.Duration(e.openCost.Load()))
	}
}

// The time of a short message does not include the cost of a long one.
func TestTimedCopies(t *testing.T) {
	var seen []byte
	w := &wrapped{standIn: newStandIn()}
	w.aead = func(next aeadSocket) aeadSocket { return sealFunc{next, &seen} }
	p := enable(t, w, Engine)
	e := p.engines["gcm(aes)"][16]
	e.prepare(true)
	key := make([]byte, 16)
	s, err := e.open(e.name, key, 16, false)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	_, runLinux := e.ops[0].runs(s, e.algorithm.software(key))
	runLinux(8192)
	clear(seen[:cap(seen)])
	runLinux(512)
	for i, v := range seen[512:cap(seen)] {
		if v != 0 {
			t.Fatalf("byte %d is written", 512+i)
		}
	}
}

type sealFunc struct {
	aeadSocket
	seen *[]byte
}

func (s sealFunc) Seal(dst, nonce, plaintext, data []byte) ([]byte, error) {
	*s.seen = plaintext
	return s.aeadSocket.Seal(dst, nonce, plaintext, data)
}

type hashFunc struct {
	hashSocket
	before func() error
}

func (h hashFunc) file(f *os.File) ([]byte, error) {
	if err := h.before(); err != nil {
		return nil, err
	}
	return h.hashSocket.file(f)
}

// Neither a disk that is slow nor one that fails is the engine's fault.
func TestDisks(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	b := random(5000)
	if err := os.WriteFile(name, b, 0o600); err != nil {
		t.Skip(err)
	}
	for about, disk := range map[string]func() error{
		"slow":  func() error { time.Sleep(10 * time.Millisecond); return nil },
		"fails": func() error { return &fs.PathError{Op: "read", Path: name, Err: errors.New("input/output error")} },
	} {
		w := &wrapped{standIn: newStandIn(), hash: func(next hashSocket) hashSocket { return hashFunc{next, disk} }}
		p := enable(t, w, Engine)
		p.crossovers = softly(1e6)
		e := p.ready(t, "sm3", 0)
		for range 5 {
			f := must(os.Open(name))
			if sum, err := SumSM3File(f); err != nil || sum != sm3.Sum(b) {
				t.Errorf("%s: %x, %v", about, sum, err)
			}
			f.Close()
		}
		if e.state.Load() != ready || e.failures.Load() != 0 || !e.ops[0].gate.Lets(len(b)) {
			t.Errorf("%s: state %d, %d failures, %q", about, e.state.Load(), e.failures.Load(), e.ops[0].resting)
		}
	}
}

// A counter that loses a carry somewhere in a message is detected.
func TestCarry(t *testing.T) {
	w := &wrapped{standIn: newStandIn()}
	w.cipher = func(next cipherSocket) cipherSocket {
		return cipherFunc{next, func(dst, src, iv []byte) error {
			low := binary.BigEndian.Uint32(iv[12:])
			first := 16 * (1<<32 - uint64(low)) // bytes before the carry
			if first <= 16 || first >= uint64(len(src)) {
				return next.Encrypt(dst, src, iv)
			}
			if err := next.Encrypt(dst[:first], src[:first], iv); err != nil {
				return err
			}
			wrapped := append([]byte(nil), iv...)
			clear(wrapped[12:])
			return next.Encrypt(dst[first:], src[first:], wrapped)
		}}
	}
	p := enable(t, w, Engine)
	e := p.engines["ctr(aes)"][16]
	if e.prepare(true); e.state.Load() != useless || !strings.Contains(e.why, "encryption of 4096 bytes") {
		t.Errorf("state %d: %s", e.state.Load(), e.why)
	}
}

// If Linux is disabled while a measurement is about to start, it stays disabled.
func TestOffWins(t *testing.T) {
	p := enable(t, newStandIn(), Engine)
	if !replace(p, p) || replace(nil, p) {
		t.Error("replaces what is not in use")
	}
	swap(nil)
	if replace(p, p) || current.Load() != nil {
		t.Error("turned on again")
	}
	swap(p)
}

// Rests long ago do not count.
func TestRestsForgotten(t *testing.T) {
	p := enable(t, newStandIn(), Engine)
	p.backoff = time.Millisecond
	e := p.engines["cbc(aes)"][16]
	e.prepare(true)
	o := e.ops[0]
	rest := func(want int) {
		t.Helper()
		o.farRatio.Store(2 * parity)
		o.rest(piece, &o.farRatio, "slow")
		if got := o.farRatio.Load(); got >= parity {
			t.Errorf("after a rest, Linux begins at %d of %d", got, parity)
		}
		e.mu.Lock()
		if o.rests != want {
			t.Errorf("%d rests, want %d", o.rests, want)
		}
		e.mu.Unlock()
		for start := time.Now(); !o.gate.Lets(piece); time.Sleep(time.Millisecond) {
			if time.Since(start) > 10*time.Second {
				t.Fatal("does not come back")
			}
		}
	}
	rest(1)
	rest(2)
	o.calls.Add(forgiveAfter + 1)
	rest(1)
}

// Without a watch and its buffers, calls allocate nothing.
func TestAllocations(t *testing.T) {
	if raceEnabled() {
		t.Skip("the race detector allocates")
	}
	s := newStandIn()
	for i := range s.env.Algorithms {
		s.env.Algorithms[i].Async = false
	}
	p := enable(t, s, Engine)
	for _, name := range []string{"cbc(aes)", "ctr(aes)", "gcm(aes)"} {
		p.ready(t, name, 16)
	}
	p.ready(t, "xts(aes)", 32)
	c, x := must(aes.New(make([]byte, 16))), must(aes.NewXTS(random(32)))
	a := must(c.NewGCM(12, 16)).(*aes.GCM)                         // through an interface buffers escape
	stream, heap := c.NewCTR(make([]byte, 16)), make([]byte, 2048) // through interfaces, again
	calls := s.calls.Load()
	if n := testing.AllocsPerRun(50, func() {
		var b, out [2048]byte
		var iv [16]byte
		c.NewCBCEncrypter(iv[:]).CryptBlocks(b[:], b[:])
		c.NewCBCDecrypter(iv[:]).CryptBlocks(out[:], b[:])
		stream.XORKeyStream(heap, heap)
		x.Encrypt(heap, heap, 1)
		x.Decrypt(heap, heap, 1)
		sealed := a.Seal(b[:0], iv[:12], b[:2000], out[:20])
		if _, err := a.Open(out[20:20], iv[:12], sealed, out[:20]); err != nil {
			t.Error(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if n := s.calls.Load() - calls; n != 51*7 {
		t.Errorf("%d calls went to Linux, want %d", n, 51*7)
	}
}

// In FIPS 140-only mode, objects can be made while enforcement is off, since Go 1.26. Background
// work for them must not crash the program, nor Prepare before Go 1.26.
func TestFIPSOnly(t *testing.T) {
	if !fips.Enforced() {
		cmd := exec.Command(must(os.Executable()), "-test.run=^TestFIPSOnly$", "-test.v")
		cmd.Env = append(os.Environ(), "GODEBUG=fips140=only")
		out, err := cmd.CombinedOutput()
		if strings.Contains(string(out), "incompatible with the purego build tag") {
			t.Skip("the standard library has no such mode in this build")
		}
		if strings.Contains(string(out), "failed to obtain initial entropy") {
			t.Skip("the standard library finds no entropy in the clock of this machine") // such as User Mode Linux
		}
		if err != nil || !strings.Contains(string(out), "--- PASS: TestFIPSOnly") {
			t.Errorf("%v: %s", err, out)
		}
		return
	}
	s := newStandIn()
	p := enable(t, s, Engine)
	p.backoff = time.Millisecond
	Prepare()
	if fips.Absolute() {
		for _, e := range p.list() {
			if e.done != nil {
				t.Errorf("%s was prepared", e.algorithm.name)
			}
		}
	} else {
		fips.WithoutEnforcement(func() {
			e := p.engines["cbc(aes)"][16]
			e.openCost.Store(0)
			s.set(fails, 0, 1)
			b := make([]byte, 1024)
			must(aes.New(make([]byte, 16))).NewCBCEncrypter(b[:16]).CryptBlocks(b, b)
			if e.failures.Load() != 1 {
				t.Error("nothing went to Linux")
			}
			e.wait(t, ready)
		})
	}
	calls := s.calls.Load()
	defer func() {
		if recover() == nil {
			t.Error("SM3 is available")
		}
		if s.calls.Load() != calls {
			t.Error("SM3 is available in Linux")
		}
	}()
	SumSM3(make([]byte, 1024))
}
