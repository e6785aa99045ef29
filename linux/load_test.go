package linux

import (
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cipherlane/cipherlane/aes"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/synctest"
	"github.com/cipherlane/cipherlane/kcapi"
)

// A host is a simulated machine with its own clock, on which other programs run. When it
// is busy, this program gets the CPU for a while and then waits longer for it, also
// after an engine has answered.
type host struct {
	*standIn
	mu         sync.Mutex
	clock      time.Duration
	rand       *rand.Rand
	busy       bool
	left       time.Duration // until others have the CPU
	linux      [2]float64    // ns of a call and of a byte
	soft       [2]float64
	openCost   time.Duration
	openedOnce bool
	checked    bool
}

func (h *host) now() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return time.Time{}.Add(h.clock)
}

func (h *host) sleep(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.clock += d
	h.left = 0
}

func (h *host) time(mean float64) time.Duration { return time.Duration(h.rand.ExpFloat64() * mean) }

// work spends CPU time. The mutex must be held.
func (h *host) work(d time.Duration) {
	for h.busy && d > h.left {
		d -= h.left
		h.clock += h.left + h.time(6e6)
		h.left = h.time(3e6)
	}
	h.left -= d
	h.clock += d
}

// ask spends the time of an engine.
func (h *host) ask(n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.work(2 * time.Microsecond)
	h.clock += time.Duration((h.linux[0] + h.linux[1]*float64(n)) * (1 + 0.02*h.rand.Float64()))
	if h.busy && h.rand.IntN(3) > 0 {
		h.clock += h.time(2e6)
	}
	h.work(2 * time.Microsecond)
}

func (h *host) compute(n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.work(time.Duration((h.soft[0] + h.soft[1]*float64(n)) * (1 + 0.01*h.rand.Float64())))
}

func (h *host) openCipher(name string, key []byte, opts ...kcapi.Option) (cipherSocket, error) {
	h.opening()
	next, err := h.standIn.openCipher(name, key, opts...)
	return hostCipher{next, h}, err
}

func (h *host) opening() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.work(h.openCost)
	if h.busy && !h.openedOnce {
		h.openedOnce = true
		h.clock += 50 * time.Millisecond
	}
}

// A hostCipher spends time and computes nothing, except during the check.
type hostCipher struct {
	cipherSocket
	host *host
}

func (c hostCipher) Encrypt(dst, src, iv []byte) error {
	c.host.ask(len(src))
	if !c.host.checked {
		return nil
	}
	return c.cipherSocket.Encrypt(dst, src, iv)
}

func (c hostCipher) Decrypt(dst, src, iv []byte) error {
	c.host.ask(len(src))
	if !c.host.checked {
		return nil
	}
	return c.cipherSocket.Decrypt(dst, src, iv)
}

// measuredEngine returns a measured engine of a host.
func (h *host) measuredEngine(t *testing.T) *engine {
	h.standIn = newStandIn()
	h.rand = rand.New(rand.NewPCG(1, 2))
	p := enable(t, h, Engine)
	p.crossovers = func(string) []drivers.Crossover { return nil }
	p.now, p.sleep = h.now, h.sleep
	a := *p.engines["cbc(aes)"][16].algorithm
	real := a.software
	a.software = func(key []byte) software {
		s := real(key)
		crypt := func(next func(dst, src, iv []byte)) func(dst, src, iv []byte) {
			return func(dst, src, iv []byte) {
				if h.compute(len(dst)); h.checked {
					next(dst, src, iv)
				}
			}
		}
		return software{encrypt: crypt(s.encrypt), decrypt: crypt(s.decrypt)}
	}
	e := newEngine(p, &a, 16)
	e.name, e.driver = a.name, standInDriver(a.name)
	p.engines["cbc(aes)"][16] = e
	return e
}

func (h *host) verdict(t *testing.T, e *engine) drivers.Crossover {
	t.Helper()
	s, err := e.open(e.name, make([]byte, 16), 0, false)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	if err := e.measure(s, make([]byte, 16)); err != nil {
		t.Fatal(err)
	}
	return *e.ops[0].found.Load()
}

// A busy host gives the same result as an idle one.
func TestBusyHost(t *testing.T) {
	for name, times := range map[string][4]float64{
		"a SpacemiT K1":       {44000, 3.57, 500, 19.2},
		"virtio-crypto":       {300000, 26, 2000, 136},
		"a fast engine":       {20000, 1, 200, 30},
		"slower by a quarter": {50000, 5, 500, 4},
		"late":                {200000, 1, 0, 6},
	} {
		h := &host{linux: [2]float64(times[:2]), soft: [2]float64(times[2:]), openCost: 200 * time.Microsecond}
		quiet := h.verdict(t, h.measuredEngine(t))
		if spent := h.clock; spent > mostTime {
			t.Errorf("%s: a quiet host takes %v", name, spent)
		}
		worst := 1.0
		for seed := range 50 {
			h := &host{linux: h.linux, soft: h.soft, openCost: h.openCost, busy: true}
			e := h.measuredEngine(t)
			h.rand = rand.New(rand.NewPCG(uint64(seed), 0))
			got := h.verdict(t, e)
			if (got.From == 0) != (quiet.From == 0) {
				t.Errorf("%s: from %d bytes on when it is busy (%+v), %d when not (%+v)", name, got.From, got, quiet.From, quiet)
			} else if got.From > 0 {
				r := float64(got.From) / float64(quiet.From)
				worst = max(worst, r, 1/r)
			}
			if cost := time.Duration(e.openCost.Load()); cost > 4*h.openCost {
				t.Errorf("%s: opening a key takes %v", name, cost)
			}
			if h.clock > 3*mostTime {
				t.Errorf("%s: took %v", name, h.clock)
			}
		}
		t.Logf("%s: from %d bytes on, %.2f times as much at worst", name, quiet.From, worst)
		if worst > 1.25 {
			t.Errorf("%s: %.2f times as many bytes, or as few", name, worst)
		}
	}
}

// A verdict is not final: if the host was so busy at first that Linux seemed slower, later
// requests start another measurement, also for keys made before.
func TestReview(t *testing.T) {
	h := &host{linux: [2]float64{3e6, 200}, soft: [2]float64{500, 19.2}, openCost: 200 * time.Microsecond, checked: true}
	e := h.measuredEngine(t)
	e.owner.backoff = time.Millisecond
	c := must(aes.New(make([]byte, 16)))
	e.prepare(true)
	b, iv := make([]byte, piece), make([]byte, 16)
	state := func() Use { return useOf(e.owner, "cbc(aes)", 16, 0) }
	if u := state(); u.State != Unused || u.From != 0 {
		t.Fatalf("%+v", u)
	}
	time.Sleep(10 * time.Millisecond) // long enough for a review, but there is no request
	opens := h.opens.Load()
	if time.Sleep(10 * time.Millisecond); h.opens.Load() != opens {
		t.Error("measured without need")
	}
	h.mu.Lock()
	h.linux = [2]float64{44000, 3.57}
	h.mu.Unlock()
	for start := time.Now(); state().From == 0; time.Sleep(time.Millisecond) {
		c.NewCBCEncrypter(iv).CryptBlocks(b[:1024], b[:1024])
		if time.Since(start) > time.Minute {
			t.Fatalf("%+v", state())
		}
	}
	if u := state(); u.State != InUse || u.From < 3000 || u.From > 4000 {
		t.Errorf("%+v", u)
	}
	c.NewCBCEncrypter(iv).CryptBlocks(b, b)
	if u := state(); u.Calls != 1 {
		t.Errorf("not used: %+v", u)
	}

	// The reviews end.
	for start := time.Now(); !e.final.Load(); time.Sleep(time.Millisecond) {
		c.NewCBCEncrypter(iv).CryptBlocks(b[:1024], b[:1024])
		if time.Since(start) > time.Minute {
			t.Fatal("no end")
		}
	}
	e.mu.Lock()
	if e.reviews != mostReviews {
		t.Errorf("%d reviews", e.reviews)
	}
	e.mu.Unlock()
	if u := state(); u.State != InUse {
		t.Errorf("%+v", u)
	}
}

// A busy machine slows down both Linux and software: Linux gets a rest only if software
// would be faster. The clock is the test's, so that the real load does not count.
func TestBusyLater(t *testing.T) { synctest.Test(t, testBusyLater) }

func testBusyLater(t *testing.T) {
	p := enable(t, newStandIn(), Engine)
	p.crossovers = softly(1e6)
	p.backoff = time.Hour // of a rest, so that it is seen
	e := p.engines["cbc(aes)"][16]
	e.prepare(true)
	var drag time.Duration
	measured := 0
	a := *e.algorithm
	a.software = func([]byte) software {
		return software{encrypt: func(dst, src, iv []byte) { time.Sleep(drag); measured++ }}
	}
	e.algorithm = &a
	o := e.ops[0]
	drag = 20 * time.Millisecond
	for range 100 {
		o.took(4096, 3*time.Millisecond) // three times the measured time of software
		time.Sleep(time.Second)          // until the measurement is done that it may have started
		synctest.Wait()
	}
	if o.rests > 0 || measured != 3 { // once, which explains the times of the later calls
		t.Errorf("busy: %d rests, software was timed %d times: %s", o.rests, measured, o.resting)
	}
	// Idle again, and Linux is slow.
	drag = time.Millisecond
	for range 1000 {
		o.took(4096, 4*time.Millisecond)
		time.Sleep(time.Second)
		synctest.Wait()
		if u := useOf(p, "cbc(aes)", 16, 0); u.State == Paused && strings.Contains(u.Why, "slower than software of late") {
			return
		}
	}
	t.Error("no rest")
}

// While software is measured, slow calls do not start another measurement.
func TestOneDoubt(t *testing.T) { synctest.Test(t, testOneDoubt) }

func testOneDoubt(t *testing.T) {
	p := enable(t, newStandIn(), Engine)
	p.crossovers = softly(1e6)
	e := p.engines["cbc(aes)"][16]
	e.prepare(true)
	var running, most atomic.Int32
	release := make(chan struct{})
	a := *e.algorithm
	a.software = func([]byte) software {
		return software{encrypt: func(dst, src, iv []byte) {
			most.Store(max(most.Load(), running.Add(1)))
			<-release
			running.Add(-1)
		}}
	}
	e.algorithm = &a
	o := e.ops[0]
	for range 100 {
		o.took(4096, 3*time.Millisecond)
	}
	synctest.Wait() // until all that were started are waiting
	close(release)
	synctest.Wait()
	if n := most.Load(); n != 1 {
		t.Errorf("%d measurements at once", n)
	}
}

func TestVerdict(t *testing.T) {
	const want = "not a tenth faster: 64 KiB take 66.5µs in software and 133.1µs in Linux"
	if got := verdict(Model{SoftA: 1000, SoftB: 1, A: 2000, B: 2}); got != want {
		t.Errorf("%q", got)
	}
}

// A key for a single message is opened in Linux if the message makes up for opening it.
func TestShortLivedKeys(t *testing.T) {
	p := enable(t, newStandIn(), Engine)
	p.crossovers = func(name string) []drivers.Crossover { // a thousand times slower than a SpacemiT K1
		list := alwaysUse(name)
		for i := range list {
			list[i].A, list[i].B, list[i].SoftA, list[i].SoftB, list[i].From = 44e6, 3570, 500e3, 19.2e3, 3520
		}
		return list
	}
	e := p.engines["cbc(aes)"][16]
	e.prepare(true)
	e.openCost.Store(int64(200 * time.Millisecond))
	b, iv := make([]byte, piece), make([]byte, 16)
	for _, n := range []int{piece, 32768, 20480, 16384, 4096} {
		calls := e.calls()
		for range 10 {
			c := must(aes.New(random(16)))
			c.NewCBCEncrypter(iv).CryptBlocks(b[:n], b[:n])
			c.Wipe()
		}
		want := int64(0)
		if n >= 20480 { // 44 + 73 + 200 ms against 394
			want = 10
		}
		if got := e.calls() - calls; got != want {
			t.Errorf("%d bytes: %d calls of 10", n, got)
		}
	}
}
