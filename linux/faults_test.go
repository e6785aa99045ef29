package linux

import (
	"bytes"
	"crypto/cipher"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cipherlane/cipherlane/aes"
	"github.com/cipherlane/cipherlane/internal/conformance"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/offload"
	"github.com/cipherlane/cipherlane/internal/synctest"
	"github.com/cipherlane/cipherlane/kcapi"
	"github.com/cipherlane/cipherlane/sm3"
)

// A job is an operation that goes to Linux, with the correct result.
type job struct {
	name      string // of the algorithm
	operation int
	run       func(t *testing.T)
}

// jobs returns a job for each operation on an AES key, in place and between buffers, with
// a length of several pieces where messages can be split.
func jobs(t *testing.T) []job {
	const n = 3*piece + 5000&^15
	key, xkey, iv := random(32), random(32), random(16)
	c, x := must(aes.New(key)), must(aes.NewXTS(xkey))
	t.Cleanup(func() { c.Wipe(); x.Wipe() })
	soft, softX := must(automaticAES().New(key)), must(automaticAES().NewXTS(xkey))
	src, data := random(n), random(30)
	in := func(p []byte) []byte { return bytes.Clone(p) }

	encrypted, decrypted := make([]byte, n), make([]byte, n)
	soft.NewCBCEncrypter(iv).CryptBlocks(encrypted, src)
	soft.NewCBCDecrypter(iv).CryptBlocks(decrypted, src)
	stream := make([]byte, n-5)
	soft.NewCTR(iv).XORKeyStream(stream, src[:n-5])
	sector := src[:4097]
	xts, xtsBack := make([]byte, len(sector)), make([]byte, len(sector))
	softX.Encrypt(xts, sector, 9)
	softX.Decrypt(xtsBack, sector, 9)
	gcm := must(c.NewGCM(12, 16))
	text := src[:40000]
	sealed := must(soft.NewGCM(12, 16)).Seal(nil, iv[:12], text, data)

	whole := func(name string, operation int, f func(dst, src []byte), src, want []byte) []job {
		return []job{
			{name, operation, func(t *testing.T) {
				t.Helper()
				dst := make([]byte, len(src))
				f(dst, src)
				same(t, dst, want, "%s", name)
			}},
			{name, operation, func(t *testing.T) {
				t.Helper()
				b := in(src)
				f(b, b)
				same(t, b, want, "%s in place", name)
			}},
		}
	}
	list := slices.Concat(
		whole("cbc(aes)", 0, func(dst, src []byte) {
			m := c.NewCBCEncrypter(iv)
			m.CryptBlocks(dst[:piece+16], src[:piece+16])
			m.CryptBlocks(dst[piece+16:], src[piece+16:])
		}, src, encrypted),
		whole("cbc(aes)", 1, func(dst, src []byte) {
			m := c.NewCBCDecrypter(iv)
			m.CryptBlocks(dst[:piece+16], src[:piece+16])
			m.CryptBlocks(dst[piece+16:], src[piece+16:])
		}, src, decrypted),
		whole("ctr(aes)", 0, func(dst, src []byte) {
			s := c.NewCTR(iv)
			s.XORKeyStream(dst[:7777], src[:7777])
			s.XORKeyStream(dst[7777:], src[7777:])
		}, src[:n-5], stream),
		whole("xts(aes)", 0, func(dst, src []byte) { x.Encrypt(dst, src, 9) }, sector, xts),
		whole("xts(aes)", 1, func(dst, src []byte) { x.Decrypt(dst, src, 9) }, sector, xtsBack),
	)
	return append(list,
		job{"gcm(aes)", 0, func(t *testing.T) {
			t.Helper()
			same(t, gcm.Seal([]byte("prefix"), iv[:12], text, data)[6:], sealed, "seal")
		}},
		job{"gcm(aes)", 0, func(t *testing.T) {
			t.Helper()
			b := append(make([]byte, 0, len(text)+16), text...)
			same(t, gcm.Seal(b[:0], iv[:12], b, data), sealed, "seal in place")
		}},
		job{"gcm(aes)", 1, func(t *testing.T) {
			t.Helper()
			got, err := gcm.Open([]byte("prefix"), iv[:12], sealed, data)
			if err != nil {
				t.Fatal(err)
			}
			same(t, got[6:], text, "open")
		}},
		job{"gcm(aes)", 1, func(t *testing.T) {
			t.Helper()
			b := in(sealed)
			got, err := gcm.Open(b[:0], iv[:12], b, data)
			if err != nil {
				t.Fatal(err)
			}
			same(t, got, text, "open in place")
		}},
	)
}

func (j job) engine(p *provider) *engine {
	size := 32
	return p.engines[j.name][size]
}

// wait waits for an engine to be in a state.
func (e *engine) wait(t *testing.T, state int32) {
	t.Helper()
	for start := time.Now(); e.state.Load() != state; time.Sleep(time.Millisecond) {
		if time.Since(start) > 10*time.Second {
			t.Fatalf("%v: state %d, want %d: %s", e, e.state.Load(), state, e.why)
		}
	}
}

// An engine that fails in any of its calls changes no result, and is used again later.
func TestFailures(t *testing.T) {
	for name, f := range map[string]fault{"fails": fails, "short": short, "cut": cut} {
		t.Run(name, func(t *testing.T) {
			s := newStandIn()
			p := enable(t, s, Engine)
			p.backoff = time.Millisecond
			for _, j := range jobs(t) {
				e := j.engine(p)
				if f == cut && e.algorithm.socketType != "aead" {
					continue
				}
				e.prepare(true)
				for after := range 4 { // pieces
					e.wait(t, ready)
					e.mu.Lock()
					e.trips = 0
					e.mu.Unlock()
					before, failures := e.ops[j.operation].calls.Load(), e.failures.Load()
					s.set(f, after, 1)
					j.run(t)
					s.mu.Lock()
					happened := s.times == 0
					s.mu.Unlock()
					s.set(none, 0, 0)
					if e.failures.Load()-failures != map[bool]int64{true: 1}[happened] {
						t.Fatalf("%s: %d failures counted", j.name, e.failures.Load()-failures)
					}
					if after == 0 && !happened {
						t.Fatalf("%s %d: nothing went to Linux", j.name, j.operation)
					}
					if !happened && e.ops[j.operation].calls.Load() == before {
						t.Fatalf("%s: nothing done in Linux", j.name)
					}
				}
				e.wait(t, ready)
				before := e.ops[j.operation].calls.Load()
				j.run(t)
				if e.ops[j.operation].calls.Load() == before {
					t.Errorf("%s: does not come back", j.name)
				}
			}
		})
	}
}

// After a failure software does the rest, until the pause is over.
func TestPause(t *testing.T) {
	s := newStandIn()
	p := enable(t, s, Engine)
	p.backoff = time.Hour
	for _, j := range jobs(t)[:1] {
		e := j.engine(p)
		e.prepare(true)
		s.set(fails, 0, 1)
		j.run(t)
		calls := s.calls.Load()
		j.run(t)
		if s.calls.Load() != calls || e.state.Load() != paused {
			t.Error("is called after a failure")
		}
		if u := useOf(p, j.name, 32, 0); u.State != Paused || !strings.Contains(u.Why, "input/output error") || u.Failures != 1 {
			t.Errorf("%+v", u)
		}
	}
}

func useOf(p *provider, name string, size, operation int) Use {
	for _, u := range p.status() {
		if u.Algorithm == name && u.KeySize == size {
			if operation == 0 {
				return u
			}
			operation--
		}
	}
	return Use{}
}

// warned reports whether drivers.Warnings contains a warning about an engine.
func warned(e *engine, about string) bool {
	return slices.ContainsFunc(drivers.Warnings(), func(w string) bool {
		return strings.Contains(w, e.String()+":") && strings.Contains(w, about)
	})
}

// An engine that always fails is given up, with a warning.
func TestGivenUp(t *testing.T) {
	s := newStandIn()
	p := enable(t, s, Engine)
	p.backoff = time.Millisecond
	j := jobs(t)[0]
	e := j.engine(p)
	e.prepare(true)
	s.set(fails, 0, -1)
	j.run(t)
	e.wait(t, useless)
	s.set(none, 0, 0)
	if !warned(e, "not used any more") || e.trips != maxTrips+1 {
		t.Errorf("%d trips; %q", e.trips, drivers.Warnings())
	}
	calls := s.calls.Load()
	j.run(t)
	time.Sleep(10 * time.Millisecond)
	if s.calls.Load() != calls {
		t.Error("is called after it was given up")
	}
}

// An engine that never answers is given up after a few calls: each occupies a thread.
func TestHanging(t *testing.T) {
	s := newStandIn()
	p := enable(t, s, Engine)
	p.backoff = time.Millisecond
	for _, j := range jobs(t) {
		e := j.engine(p)
		s.set(none, 0, 0)
		e.prepare(true)
		if e.state.Load() != ready {
			continue // its other direction
		}
		s.set(hangs, 0, -1)
		before := s.calls.Load()
		j.run(t)
		e.wait(t, useless)
		if n := s.calls.Load() - before; n > maxTimeouts {
			t.Errorf("%v: called %d times", e, n)
		}
		if !warned(e, kcapi.ErrTimeout.Error()) {
			t.Errorf("%v: %q", e, drivers.Warnings())
		}
	}
	s.set(hangs, 0, -1)
	e := p.engines["cbc(sm4)"][16]
	for range maxTimeouts { // it hangs in its check
		e.wait(t, untried)
		e.prepare(true)
	}
	if u := useOf(p, "cbc(sm4)", 16, 0); u.State != Unused || !strings.Contains(u.Why, "no answer") {
		t.Errorf("%+v", u)
	}
}

// A wrong result of any call during the check is detected.
func TestLies(t *testing.T) {
	for _, a := range algorithms {
		size := a.keySizes[0]
		s := newStandIn()
		p := enable(t, s, Engine)
		p.engines[a.name][size].prepare(true)
		calls := int(s.calls.Load())
		if p.engines[a.name][size].state.Load() != ready || calls < 10 {
			t.Fatalf("%s: %d calls, %s", a.name, calls, p.engines[a.name][size].why)
		}
		for i := range calls {
			s := newStandIn()
			s.set(lies, i, 1)
			p := enable(t, s, Engine)
			e := p.engines[a.name][size]
			e.prepare(true)
			if s.lied.Load() == 0 { // the message was a forgery, which has no output
				continue
			}
			if e.state.Load() != useless {
				t.Errorf("%v: a lie at call %d of %d is believed", e, i, calls)
			} else if !warned(e, "wrong results") {
				t.Errorf("%v: nobody is told: %q", e, drivers.Warnings())
			}
		}
	}
	// No wrong result is returned to callers.
	s := newStandIn()
	s.set(lies, 0, -1)
	p := enable(t, s, Engine)
	for _, j := range jobs(t) {
		j.run(t)
		j.engine(p).prepare(true)
		j.run(t)
	}
}

// The same for AEADs that compute or check tags incorrectly.
func TestTagLies(t *testing.T) {
	for name, f := range map[string]fault{"trusts": trusts, "doubts": doubts} {
		s := newStandIn()
		s.set(f, 0, -1)
		p := enable(t, s, Engine)
		for _, a := range []string{"gcm(aes)", "gcm(sm4)"} {
			e := p.engines[a][16]
			e.prepare(true)
			if e.state.Load() != useless || !warned(e, "wrong results") {
				t.Errorf("%s: %s: %q", name, a, e.why)
			}
		}
	}
}

// An engine that computes wrong results after recovering from a failure is given up.
// The clock is the test's own: the check that follows the failure must not be over before the
// engine lies.
func TestLiesAfterFailure(t *testing.T) { synctest.Test(t, testLiesAfterFailure) }

func testLiesAfterFailure(t *testing.T) {
	s := newStandIn()
	p := enable(t, s, Engine)
	j := jobs(t)[0]
	e := j.engine(p)
	e.prepare(true)
	s.set(fails, 0, 1)
	j.run(t)
	s.set(lies, 0, -1)
	e.wait(t, useless)
	if !warned(e, "wrong results and is not used any more") {
		t.Errorf("%q", drivers.Warnings())
	}
	j.run(t)
}

// A forged message is the sender's fault, not the engine's.
func TestForged(t *testing.T) {
	s := newStandIn()
	p := enable(t, s, Engine)
	e := p.engines["gcm(aes)"][16]
	e.prepare(true)
	c := must(aes.New(random(16)))
	a, soft := must(c.NewGCM(12, 16)), must(must(aes.On("generic")).New(make([]byte, 16)))
	nonce := random(12)
	sealed := a.Seal(nil, nonce, random(5000), nil)
	want := errorOf(must(soft.NewGCM(12, 16)).Open(nil, nonce, sealed, nil))
	for i := range 100 {
		forged := bytes.Clone(sealed)
		forged[i*50] ^= 1
		dst := bytes.Repeat([]byte{0xa5}, len(forged))
		calls := s.calls.Load()
		if err := errorOf(a.Open(dst[:0], nonce, forged, nil)); err != want {
			t.Fatalf("error %v, want %v", err, want)
		}
		if bytes.Count(dst, []byte{0xa5}) != len(dst) {
			t.Fatal("leaves something in dst")
		}
		if s.calls.Load() != calls+1 {
			t.Fatal("Linux was not asked once")
		}
	}
	if e.state.Load() != ready || e.failures.Load() != 0 {
		t.Errorf("state %d, %d failures", e.state.Load(), e.failures.Load())
	}
	if _, err := a.Open(nil, nonce, sealed, nil); err != nil {
		t.Error(err)
	}
	s.set(doubts, 0, 1)
	if err := errorOf(a.Open(nil, nonce, sealed, nil)); err != want {
		t.Errorf("done again: %v", err)
	}
}

func errorOf(_ []byte, err error) error { return err }

// Keys that Linux rejects stay in software.
func TestRefused(t *testing.T) {
	s := newStandIn()
	p := enable(t, s, Engine)
	p.backoff = time.Hour
	list := jobs(t)
	for _, j := range list {
		j.engine(p).prepare(true)
	}
	s.set(badKey, 0, -1)
	for _, j := range list {
		j.run(t)
		if e := j.engine(p); e.state.Load() != ready || e.failures.Load() != 0 || e.calls() != 0 {
			t.Errorf("%v: a key that is not taken: state %d", e, e.state.Load())
		}
	}
	list = jobs(t)
	s.set(refuses, 0, -1)
	for _, j := range list {
		j.run(t)
		if e := j.engine(p); e.state.Load() != paused || e.calls() != 0 || !strings.Contains(e.why, "out of memory or file descriptors") {
			t.Errorf("%v: no descriptors: state %d, %s", e, e.state.Load(), e.why)
		}
	}
}

// When calls take longer than in software, Linux gets a rest and is then used again.
// The clock is the test's, so that the real load does not count.
func TestSlow(t *testing.T) { synctest.Test(t, testSlow) }

func testSlow(t *testing.T) {
	s := newStandIn()
	s.wait = 20 * time.Millisecond
	p := enable(t, s, Engine)
	p.crossovers = func(name string) []drivers.Crossover {
		list := alwaysUse(name)
		for i := range list {
			list[i].SoftA, list[i].SoftB = 5e6, 0
		}
		return list
	}
	e := p.engines["cbc(aes)"][16]
	e.prepare(true)
	e.mu.Lock()
	e.openCost.Store(0)
	e.mu.Unlock()
	m := must(aes.New(random(16))).NewCBCEncrypter(make([]byte, 16))
	b := make([]byte, 4096)
	m.CryptBlocks(b, b)
	if e.calls() != 1 {
		t.Fatalf("%d calls", e.calls())
	}
	o := e.ops[0]
	slowly := func(n, least, most int) {
		t.Helper()
		s.set(slow, 0, -1)
		calls := 0
		for o.gate.Lets(n) && calls < 20 {
			m.CryptBlocks(b[:n], b[:n])
			calls++
		}
		s.set(none, 0, 0)
		if o.gate.Lets(n) || calls < least || calls > most {
			t.Errorf("%d bytes: closed after %d slow calls, want %d to %d", n, calls, least, most)
		}
		if u := useOf(p, "cbc(aes)", 16, 0); u.State != Paused || !strings.Contains(u.Why, "slower") || u.Failures != 0 {
			t.Errorf("%+v", u)
		}
	}
	back := func(n int) {
		t.Helper()
		for start := time.Now(); !o.gate.Lets(n); time.Sleep(time.Millisecond) {
			if time.Since(start) > 10*time.Second {
				t.Fatal("does not come back")
			}
		}
		before := e.calls()
		if m.CryptBlocks(b[:n], b[:n]); e.calls() != before+1 {
			t.Error("does not go to Linux")
		}
	}
	p.backoff = 100 * time.Millisecond
	slowly(600&^15, 2, 6) // near the crossover
	if !o.gate.Lets(4096) {
		t.Error("longer requests are closed, too")
	}
	back(592)
	slowly(4096, 1, 6)
	back(592)
	back(4096)
}

// Eight goroutines use shared keys and keys of their own while the engine fails now and
// then.
func TestConcurrent(t *testing.T) {
	s := newStandIn()
	p := enable(t, s, Engine)
	p.backoff = time.Millisecond
	for _, name := range []string{"cbc(aes)", "ctr(aes)", "gcm(aes)"} {
		p.engines[name][16].prepare(true)
	}
	shared := must(aes.New(make([]byte, 16)))
	ref := must(must(aes.On("generic")).New(make([]byte, 16)))
	iv := make([]byte, 16)
	src := random(piece + 800)
	cbc, ctr := make([]byte, len(src)), make([]byte, len(src))
	ref.NewCBCEncrypter(iv).CryptBlocks(cbc, src)
	ref.NewCTR(iv).XORKeyStream(ctr, src)
	a := must(shared.NewGCM(12, 16))
	sealed := must(ref.NewGCM(12, 16)).Seal(nil, iv[:12], src[:30000], nil)
	rounds := 40
	if testing.Short() {
		rounds = 10
	}
	stop := make(chan struct{})
	var trouble sync.WaitGroup
	trouble.Add(1)
	go func() {
		defer trouble.Done()

		for i := 0; ; i++ {
			select {
			case <-stop:
				s.set(none, 0, 0)
				return
			case <-time.After(3 * time.Millisecond):
				s.set([]fault{fails, none, short, refuses, none}[i%5], 3, 1)
			}
		}
	}()
	var group sync.WaitGroup
	for g := range 8 {
		group.Add(1)
		go func() {
			defer group.Done()

			for i := range rounds {
				c := shared
				if i%3 == 0 {
					c = must(aes.New(make([]byte, 16)))
				}
				b := bytes.Clone(src)
				c.NewCBCEncrypter(iv).CryptBlocks(b, b)
				if !bytes.Equal(b, cbc) {
					t.Errorf("goroutine %d: CBC is wrong", g)
				}
				c.NewCBCDecrypter(iv).CryptBlocks(b, b)
				if !bytes.Equal(b, src) {
					t.Errorf("goroutine %d: CBC is wrong back", g)
				}
				c.NewCTR(iv).XORKeyStream(b, b)
				if !bytes.Equal(b, ctr) {
					t.Errorf("goroutine %d: CTR is wrong", g)
				}
				if !bytes.Equal(a.Seal(nil, iv[:12], src[:30000], nil), sealed) {
					t.Errorf("goroutine %d: GCM is wrong", g)
				}
				if got, err := a.Open(nil, iv[:12], sealed, nil); err != nil || !bytes.Equal(got, src[:30000]) {
					t.Errorf("goroutine %d: GCM is wrong back: %v", g, err)
				}
				if c != shared {
					c.Wipe()
				}
			}
		}()
	}
	group.Wait()
	close(stop)
	trouble.Wait()
	for _, name := range []string{"cbc(aes)", "ctr(aes)", "gcm(aes)"} {
		if e := p.engines[name][16]; e.calls() == 0 {
			t.Errorf("%v: no call went to Linux", e)
		}
	}
	shared.Wipe()
	settle(t, s)
}

// settle checks that everything is closed eventually.
func settle(t *testing.T, s *standIn) {
	t.Helper()
	for start := time.Now(); s.open.Load() != 0; time.Sleep(time.Millisecond) {
		runtime.GC()
		if time.Since(start) > 5*time.Second {
			t.Fatalf("%d objects are open", s.open.Load())
		}
	}
}

// Wipe closes the sockets of a key, and so does the garbage collector; objects with a
// wiped key refuse to work.
func TestLifetime(t *testing.T) {
	s := newStandIn()
	p := enable(t, s, Engine)
	for _, e := range p.list() {
		e.prepare(true)
	}
	settle(t, s)
	b := make([]byte, 4096)
	work := func() (*aes.Cipher, *aes.XTS, cipher.AEAD) {
		c, x := must(aes.New(random(16))), must(aes.NewXTS(random(32)))
		a := must(c.NewGCM(12, 16))
		c.NewCBCEncrypter(b[:16]).CryptBlocks(b, b)
		c.NewCBCDecrypter(b[:16]).CryptBlocks(b, b)
		c.NewCTR(b[:16]).XORKeyStream(b, b)
		x.Encrypt(b, b, 1)
		a.Seal(nil, b[:12], b, nil)
		must(c.NewGCM(12, 13)).Seal(nil, b[:12], b, nil)
		return c, x, a
	}
	c, x, gcm := work()
	if n := s.open.Load(); n != 5 { // cbc, ctr, xts, gcm twice
		t.Errorf("%d objects are open, want 5", n)
	}
	c.Wipe()
	x.Wipe()
	if n := s.open.Load(); n != 0 {
		t.Errorf("%d objects are open after Wipe", n)
	}
	calls := s.calls.Load()
	for _, n := range []int{16, len(b)} { // below the length for Linux, and above
		conformance.Refuses(t, b, "CBC", func() { c.NewCBCEncrypter(b[:16]).CryptBlocks(b[:n], b[:n]) })
		conformance.Refuses(t, b, "XTS", func() { x.Encrypt(b[:n], b[:n], 1) })
		conformance.Fails(t, b, "GCM", func() error { _, err := gcm.Open(nil, b[:12], b[:n], nil); return err })
	}
	if s.calls.Load() != calls || s.open.Load() != 0 {
		t.Error("a wiped key goes to Linux")
	}
	_, _, a := work()
	a.(interface{ Wipe() }).Wipe()
	work()
	settle(t, s)

	var keep []*aes.Cipher
	for range 3 * most {
		c, _, _ := work()
		keep = append(keep, c)
		if n := s.open.Load(); n > 2*most { // sockets of unreachable keys are closed a little later
			t.Fatalf("%d objects are open", n)
		}
	}
	runtime.KeepAlive(keep)
	keep = nil
	settle(t, s)
}

// A key is opened once software has worked with it long enough.
func TestOpenLate(t *testing.T) {
	s := newStandIn()
	p := enable(t, s, Engine)
	p.crossovers = func(name string) []drivers.Crossover {
		list := alwaysUse(name)
		for i := range list {
			list[i].SoftA, list[i].SoftB = 1e6, 0
		}
		return list
	}
	e := p.engines["cbc(aes)"][16]
	e.prepare(true)
	e.openCost.Store(int64(1000 * time.Microsecond))
	opens := s.opens.Load()
	m := must(aes.New(random(16))).NewCBCEncrypter(make([]byte, 16))
	b := make([]byte, 1024)
	for i := range openAfter - 1 {
		m.CryptBlocks(b, b)
		if s.opens.Load() != opens {
			t.Fatalf("opened at call %d", i+1)
		}
	}
	m.CryptBlocks(b, b)
	if s.opens.Load() != opens+1 || e.calls() != 1 {
		t.Errorf("opened %d times, %d calls", s.opens.Load()-opens, e.calls())
	}
}

// Changing the mode affects existing objects.
func TestModes(t *testing.T) {
	s := newStandIn()
	p := enable(t, s, Engine)
	list := jobs(t)
	for _, j := range list {
		j.engine(p).prepare(true)
		j.run(t)
	}
	calls := s.calls.Load()
	Enable(Off)
	for _, j := range append(list, jobs(t)...) {
		j.run(t)
	}
	if s.calls.Load() != calls || s.open.Load() != 0 {
		t.Errorf("Linux is used when it is off; %d objects are open", s.open.Load())
	}
	for _, u := range Status() {
		if u.State != Disabled || u.Why == "" {
			t.Errorf("%+v", u)
		}
	}
	if Prepare(); s.calls.Load() != calls {
		t.Error("prepares when it is off")
	}
}

// Keys that can never use Linux are not stored.
func TestNotNoted(t *testing.T) {
	s := newStandIn()
	s.set(lies, 0, -1)
	p := enable(t, s, Engine)
	if p.NewKey(offload.SM4XTS, make([]byte, 32)) == nil {
		t.Error("a key is not noted before anything is known")
	}
	Prepare()
	for kind, size := range map[offload.Kind]int{offload.AES: 16, offload.AESXTS: 64, offload.SM4: 16, offload.SM4XTS: 32} {
		if p.NewKey(kind, make([]byte, size)) != nil {
			t.Errorf("kind %d: noted", kind)
		}
	}
}

// Objects of a pinned driver and concrete types never use Linux.
func TestPinned(t *testing.T) {
	s := newStandIn()
	p := enable(t, s, Engine)
	for _, e := range p.list() {
		e.prepare(true)
	}
	calls := s.calls.Load()
	b, iv := make([]byte, 4096), make([]byte, 16)
	c := must(must(aes.On("generic")).New(iv))
	c.NewCBCEncrypter(iv).CryptBlocks(b, b)
	c.NewCTR(iv).XORKeyStream(b, b)
	must(c.NewGCM(12, 16)).Seal(nil, iv[:12], b, nil)
	must(aes.NewGCM(iv)).Seal(nil, iv[:12], b, nil)
	must(must(aes.New(iv)).NewGCM(8, 16)).Seal(nil, iv[:8], b, nil)
	if s.calls.Load() != calls {
		t.Error("Linux was asked")
	}
}

func TestSM3(t *testing.T) {
	eachBackend(t, func(t *testing.T, p *provider) {
		e := p.ready(t, "sm3", 0)
		for _, n := range sizes() {
			b := random(n)
			if SumSM3(b) != sm3.Sum(b) {
				t.Errorf("%d bytes", n)
			}
		}
		name := filepath.Join(t.TempDir(), "file")
		b := random(1 << 20)
		if err := os.WriteFile(name, b, 0o600); err != nil {
			t.Skip(err) // in User Mode Linux the host's files cannot be written
		}
		f := must(os.Open(name))
		defer f.Close()
		before := e.calls()
		if got, err := SumSM3File(f); err != nil || got != sm3.Sum(b) {
			t.Errorf("file: %x, %v", got, err)
		}
		if e.calls() == before {
			t.Error("the file did not go to Linux")
		}
		if got, err := SumSM3File(f); err != nil || got != sm3.Sum(nil) {
			t.Errorf("nothing more: %x, %v", got, err)
		}
		if _, err := SumSM3File(nil); err == nil {
			t.Error("no error for no file")
		}
	})
	for _, f := range []fault{fails, hangs, cut, refuses} {
		s := newStandIn()
		p := enable(t, s, Engine)
		p.ready(t, "sm3", 0)
		b := random(5000)
		s.set(f, 0, 1)
		if SumSM3(b) != sm3.Sum(b) {
			t.Errorf("fault %d", f)
		}
		p.engines["sm3"][0].wait(t, ready)
		name := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(name, b, 0o600); err != nil {
			t.Skip(err)
		}
		file := must(os.Open(name))
		s.set(f, 0, 1)
		if got, err := SumSM3File(file); err != nil || got != sm3.Sum(b) {
			t.Errorf("fault %d with a file: %v", f, err)
		}
		file.Close()
	}
}

// With Linux, too, buffers may be on the stack, and nothing is allocated.
func TestStack(t *testing.T) {
	eachBackend(t, func(t *testing.T, p *provider) {
		e := p.ready(t, "cbc(aes)", 16)
		c := must(aes.New(make([]byte, 16)))
		iv := make([]byte, 16)
		do := func() {
			var b [2048]byte
			c.NewCBCEncrypter(iv).CryptBlocks(b[:], b[:])
			c.NewCBCDecrypter(iv).CryptBlocks(b[:], b[:])
			if b != [2048]byte{} {
				t.Error("wrong")
			}
		}
		if e.slow { // a goroutine may start
			do()
		} else if n := testing.AllocsPerRun(50, do); n != 0 && !raceEnabled() {
			t.Errorf("%v allocations", n)
		}
		e.used(t)
		for range 20 { // on small stacks, which must grow during the calls
			done := make(chan bool)
			go func() {
				do()
				close(done)
			}()
			<-done
		}
	})
}

func raceEnabled() bool {
	// With the race detector, sync.Pool drops objects at random.
	p := sync.Pool{New: func() any { return nil }}
	for range 100 {
		p.Put(new(int))
		if p.Get() == nil {
			return true
		}
	}
	return false
}
