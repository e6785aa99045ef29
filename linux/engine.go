package linux

import (
	"cmp"
	"crypto/fips140"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/internal/offload"
	"github.com/cipherlane/cipherlane/kcapi"
)

// An engine is Linux's driver for an algorithm and a size of keys, with what is
// known about it. Its gates are open only while it is ready.
type engine struct {
	owner     *provider
	algorithm *algorithm
	keySize   int
	ops       []*operation // as in algorithm

	state atomic.Int32
	mu    sync.Mutex // for what follows
	why   string
	done  chan struct{} // closed when preparing has ended; nil before

	name     string // to open it by
	driver   string
	isEngine bool
	slow     bool // may wait for something that is not the CPU

	openCost atomic.Int64 // ns that a key costs beside its messages
	reviews  int          // measurements after the first one, done or under way
	due      atomic.Bool  // a request or a key is to start the next one
	final    atomic.Bool  // there is no next one

	trips    int   // of the breaker
	short    int   // the same, because the program had no descriptors left
	timeouts int   // in all
	resumed  int64 // calls at the time of the last resumption
	failures atomic.Int64
}

const (
	untried int32 = iota
	preparing
	ready
	paused  // the breaker is open
	useless // absent, wrong, slower: for good
)

// mayServe reports whether there is sense in showing it a key.
func (e *engine) mayServe() bool {
	switch e.state.Load() {
	case useless:
		return false
	case ready, paused:
		return !e.final.Load() || slices.ContainsFunc(e.ops, func(o *operation) bool { return o.from() > 0 })
	}
	return true
}

// An operation is a direction of an engine.
type operation struct {
	engine  *engine
	what    offload.Operation
	decrypt bool
	gate    offload.Gate

	found atomic.Pointer[driver.Crossover] // nil until it is measured
	times times                            // for the one that measures

	calls atomic.Int64
	bytes atomic.Int64

	// Time of late as a share of what software takes, in 1/1024: for requests
	// near the crossover, and for those of twice that length and more.
	near, far atomic.Int64
	// How many times as long as measured software takes of late, because the machine
	// is busy, in 1/1024, or 0.
	drag    atomic.Int64
	doubted atomic.Bool // that is being looked at

	rests   int    // how often this was too long; the engine's mutex
	rested  int64  // calls at the last time
	resting string // why the gate is not open from the crossover on
}

// The breaker. An engine that fails is left alone for a while, twice as long each
// time, and for good in the end.
const (
	maxTrips    = 8
	maxTimeouts = 3    // each keeps a thread of the operating system
	enough      = 1000 // calls that make what was before forgotten
)

func newEngine(p *provider, a *algorithm, keySize int) *engine {
	e := &engine{owner: p, algorithm: a, keySize: keySize}
	for i, what := range a.operations {
		o := &operation{engine: e, what: what, decrypt: i == 1}
		o.gate.Open(0) // the first request starts the preparations
		e.ops = append(e.ops, o)
	}
	return e
}

func (e *engine) String() string {
	if e.keySize == 0 {
		return e.algorithm.name
	}
	return fmt.Sprintf("%s with keys of %d bytes", e.algorithm.name, e.keySize)
}

// from is the length of the shortest requests that Linux is to get, or 0.
func (o *operation) from() int {
	if c := o.found.Load(); c != nil {
		return c.From
	}
	return 0
}

func (o *operation) String() string {
	switch o.what {
	case hashing:
		return "hash"
	case offload.Seal:
		return "seal"
	case offload.Open:
		return "open"
	}
	if o.decrypt {
		return "decrypt"
	}
	return "encrypt"
}

func (e *engine) closeGates() {
	for _, o := range e.ops {
		o.gate.Close()
	}
}

// openGates must be called with the mutex held.
func (e *engine) openGates() {
	e.state.Store(ready)
	for _, o := range e.ops {
		o.open()
	}
}

// open opens the gate. The mutex is held.
func (o *operation) open() {
	o.resting = ""
	o.near.Store(parity * 9 / 10)
	o.far.Store(parity * 9 / 10)
	if from := o.from(); from > 0 && !o.engine.owner.stopped.Load() {
		o.gate.Open(from)
	} else {
		o.gate.Close()
	}
}

// prepare finds the driver, checks and measures it, once. It returns when that
// is done, unless it is not to wait.
func (e *engine) prepare(wait bool) {
	e.mu.Lock()
	first := e.done == nil
	if first {
		e.done = make(chan struct{})
		e.state.Store(preparing)
		e.closeGates()
	}
	done := e.done
	e.mu.Unlock()
	if first {
		go func() {
			defer close(done)
			fips140.WithoutEnforcement(e.study) // what asks for it was made so
		}()
	}
	if wait {
		<-done
	}
}

// study is what prepare does. Nothing of the engine is in use meanwhile.
func (e *engine) study() {
	give := func(why string) {
		e.mu.Lock()
		e.why = why
		e.mu.Unlock()
		e.state.Store(useless)
	}
	fail := func(err error) {
		switch reason(err) {
		case kcapi.ErrTimeout: // others may have kept it busy
			e.mu.Lock()
			e.timeouts++
			again := e.timeouts < maxTimeouts
			e.mu.Unlock()
			if !again {
				give(err.Error())
				return
			}
			fallthrough
		case kcapi.ErrResources:
			e.later(err)
		default:
			give(err.Error())
		}
	}
	env := e.owner.backend.environment()
	name, record, why := choose(env, e.algorithm, e.owner.mode)
	if why != "" {
		give(why)
		return
	}
	key := random(e.keySize)
	s, err := e.open(name, key, 16, record.Driver == "" || record.Async)
	if reason(err) == kcapi.ErrNoAlgorithm && isEngine(env, record) { // it is listed: a vendor has taken over what 7.2 does
		give(record.Driver + ": " + kcapi.ErrMasked.Error())
		return
	}
	if err != nil {
		fail(err)
		return
	}
	if record.Driver == "" { // Linux has chosen, and may have registered it just now
		driver := s.driver()
		env = e.owner.backend.environment()
		i := slices.IndexFunc(env.Algorithms, func(r kcapi.Record) bool { return r.Driver == driver && r.Name == e.algorithm.name })
		if driver != "" && i >= 0 {
			record = env.Algorithms[i]
			if env.Allowed(driver) { // what has been checked, not what may come later
				name = driver
			}
		}
	}
	s.close()
	s, err = e.open(name, key, 16, record.Driver == "" || record.Async)
	if err != nil {
		fail(err)
		return
	}
	defer s.close()
	e.mu.Lock()
	e.name, e.driver = name, record.Driver
	e.slow = record.Driver == "" || record.Async
	e.isEngine = isEngine(env, record)
	e.mu.Unlock()

	if err := e.check(s, key); err != nil {
		if w := new(wrong); errors.As(err, &w) {
			offload.Warn(fmt.Sprintf("linux: %v: driver %s computes wrong results and is not used: %v", e, e.driver, err))
		}
		fail(err)
		return
	}
	if err := e.measure(s, key); err != nil {
		give(err.Error())
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.why = ""
	e.openGates()
	e.planReview()
}

// mostReviews bounds the work in the background: each is one measurement, after a
// wait 4 times as long as the one before, of a second at first and 17 minutes at last.
const mostReviews = 6

// planReview makes a request after a while have everything measured again: when the
// program started, the machine may have been busy. The mutex is held.
func (e *engine) planReview() {
	if e.reviews == mostReviews || !slices.ContainsFunc(e.ops, func(o *operation) bool { return o.times.taken() }) {
		e.final.Store(true)
		return
	}
	time.AfterFunc(e.owner.backoff<<(2*e.reviews), func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		if e.owner.stopped.Load() {
			return
		}
		e.due.Store(true)
		for _, o := range e.ops { // requests that are too short so far are to come, too
			if e.state.Load() == ready && o.resting == "" {
				o.gate.Open(0)
			}
		}
	})
	e.reviews++
}

// asked starts a review if one is due.
func (e *engine) asked() {
	if !e.due.Load() || !e.due.CompareAndSwap(true, false) {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, o := range e.ops {
		if e.state.Load() == ready && o.resting == "" {
			o.open()
		}
	}
	go fips140.WithoutEnforcement(e.review)
}

// review measures once more while the engine is in use. What was measured before
// still counts: only times that are shorter change anything.
func (e *engine) review() {
	key := random(e.keySize)
	s, err := e.open(e.name, key, 16, e.slow)
	if err == nil {
		err = e.measure(s, key)
		s.close()
	}
	if err != nil {
		e.failed(err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.state.Load() == useless {
		return
	}
	if err == nil {
		for _, o := range e.ops {
			if e.state.Load() == ready && o.resting == "" {
				o.open()
			}
		}
	}
	e.planReview()
}

// later makes a request after a while start the preparations once more: the program
// had no descriptors left, or the engine no time.
func (e *engine) later(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.why = err.Error()
	e.state.Store(paused)
	e.short++
	time.AfterFunc(e.owner.delay(e.short), func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		if e.owner.stopped.Load() {
			return
		}
		e.done = nil
		e.state.Store(untried)
		for _, o := range e.ops {
			o.gate.Open(0)
		}
	})
}

// choose finds the name to open for an algorithm, and the driver if that is known
// before; or why there is none.
func choose(env *kcapi.Environment, a *algorithm, mode driver.LinuxMode) (name string, r kcapi.Record, why string) {
	switch {
	case !env.Supported:
		return "", r, env.Summary()
	case env.AFALG.State == kcapi.Absent || env.AFALG.State == kcapi.Blocked:
		return "", r, "AF_ALG is " + env.Summary()
	}
	if mode == driver.LinuxAny {
		if !env.Allowed(a.name) {
			return "", r, kcapi.ErrNotAllowed.Error()
		}
		return a.name, r, ""
	}
	// From 6.12 on Linux tests drivers after it has listed them. To open one waits for
	// its test, and is refused if that fails: such a one only for want of another.
	rank := func(r kcapi.Record) int64 {
		if r.SelfTest != "passed" {
			return int64(r.Priority) - 1<<32
		}
		return int64(r.Priority)
	}
	best := -1
	for i, r := range env.Engines {
		if r.Name == a.name && suits(a.socketType, r.Type) && r.FIPS != "no" && (best < 0 || rank(r) > rank(env.Engines[best])) {
			best = i
		}
	}
	if best < 0 {
		return "", r, "Linux lists no driver of an engine for it"
	}
	r = env.Engines[best]
	if env.HidesEngines {
		return "", r, r.Driver + ": " + kcapi.ErrMasked.Error()
	}
	if env.Allowed(r.Driver) {
		return r.Driver, r, ""
	}
	// The list of Linux 7.3 has names of algorithms only.
	if w, ok := env.Winner(a.socketType, a.name); ok && w.Driver == r.Driver && env.Allowed(a.name) {
		return a.name, r, ""
	}
	return "", r, r.Driver + ": " + kcapi.ErrNotAllowed.Error()
}

// suits tells whether sockets of a type give what /proc/crypto lists so.
func suits(socketType, listed string) bool {
	return socketType == listed || socketType == "hash" && listed == "ahash" || socketType == "skcipher" && listed == "ablkcipher"
}

func isEngine(env *kcapi.Environment, r kcapi.Record) bool {
	return r.Driver != "" && slices.ContainsFunc(env.Engines, func(x kcapi.Record) bool { return x.Driver == r.Driver })
}

// open opens sockets.
func (e *engine) open(name string, key []byte, tagSize int, slow bool) (s *object, err error) {
	s = new(object)
	switch e.algorithm.socketType {
	case "skcipher":
		s.cipher, err = e.owner.backend.openCipher(name, key, e.owner.options(slow)...)
	case "aead":
		s.aead, err = e.owner.backend.openAEAD(name, key, tagSize, e.owner.options(slow)...)
	case "hash":
		s.hash, err = e.owner.backend.openHash(name, e.owner.options(slow)...)
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// An object is an algorithm with a key in Linux: one of three.
type object struct {
	cipher cipherSocket
	aead   aeadSocket
	hash   hashSocket
}

func (s *object) driver() string {
	switch {
	case s.cipher != nil:
		return s.cipher.Driver()
	case s.aead != nil:
		return s.aead.Driver()
	}
	return s.hash.Driver()
}

func (s *object) close() {
	switch {
	case s.cipher != nil:
		s.cipher.Close()
	case s.aead != nil:
		s.aead.Close()
	case s.hash != nil:
		s.hash.Close()
	}
}

// failed is told of every error but a wrong tag.
func (e *engine) failed(err error) {
	if reason(err) == kcapi.ErrClosed { // a key was wiped, or had to give way to others
		return
	}
	e.failures.Add(1)
	if reason(err) == kcapi.ErrResources { // what we have, the program may need
		e.owner.holders.close()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if reason(err) == kcapi.ErrTimeout {
		e.timeouts++
	}
	if e.state.Load() != ready { // others have failed at the same time
		return
	}
	e.pause(err)
}

// reason is what errors.Is would look for, without its allocations.
func reason(err error) kcapi.Reason {
	if e, ok := err.(*kcapi.Error); ok {
		return e.Reason
	}
	return kcapi.ErrFailed
}

// pause closes the gates for a while. The mutex is held.
func (e *engine) pause(err error) {
	e.closeGates()
	e.state.Store(paused)
	if e.calls()-e.resumed > enough {
		e.trips, e.short = 0, 0
	}
	e.why = err.Error()
	times := &e.trips
	if reason(err) == kcapi.ErrResources { // not the engine's fault, and it passes
		times = &e.short
	}
	*times++
	if e.trips > maxTrips || e.timeouts >= maxTimeouts {
		e.why = "has failed too often, last: " + e.why
		offload.Warn(fmt.Sprintf("linux: %v: driver %s is not used any more: %v", e, cmp.Or(e.driver, "unknown"), err))
		e.state.Store(useless) // the last of it: who sees this finds the warning
		return
	}
	time.AfterFunc(e.owner.delay(*times), func() { fips140.WithoutEnforcement(e.resume) })
}

// delay is how long to leave Linux alone, the first time and the next ones.
func (p *provider) delay(times int) time.Duration { return p.backoff << min(times-1, 6) }

// resume opens the gates again if the engine passes its check.
func (e *engine) resume() {
	if e.owner.stopped.Load() {
		return
	}
	key := random(e.keySize)
	s, err := e.open(e.name, key, 16, e.slow)
	if err == nil {
		err = e.check(s, key)
		s.close()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if w := new(wrong); errors.As(err, &w) {
		e.why = err.Error()
		offload.Warn(fmt.Sprintf("linux: %v: driver %s computes wrong results and is not used any more: %v", e, e.driver, err))
		e.state.Store(useless)
		return
	}
	if err != nil {
		e.failures.Add(1)
		if reason(err) == kcapi.ErrTimeout {
			e.timeouts++
		}
		e.pause(err)
		return
	}
	e.resumed = e.calls()
	e.why = ""
	e.openGates()
}

func (e *engine) calls() (n int64) {
	for _, o := range e.ops {
		n += o.calls.Load()
	}
	return n
}

// parity is the ratio at which Linux takes as long as software.
const parity = 1024

// took notes the time of a call. Others may be waiting for the same engine, or the
// measurement was too good: when Linux has been slower than software for some
// calls, it gets no more like these for a while.
func (o *operation) took(n int, d time.Duration) {
	o.count(int64(n))
	drag := max(o.drag.Load(), parity)
	soft := inSoftware(o.found.Load(), n) * float64(drag) / parity
	o.drag.Store(drag - (drag-parity)/128)       // others may have gone
	r := int64(parity * min(float64(d)/soft, 2)) // a call that was interrupted says little
	recent := &o.far
	if !o.gate.Lets(n / 2) {
		recent = &o.near
	}
	old := recent.Load()
	late := old + (r-old)/16
	recent.Store(late)
	if late > parity && o.doubted.CompareAndSwap(false, true) {
		go fips140.WithoutEnforcement(func() {
			defer o.doubted.Store(false)
			o.doubt(n, d, recent, float64(recent.Load())*float64(drag)/parity)
		})
	}
}

// doubt looks how long software takes now: on a busy machine that is longer, too. Only
// if Linux has been slower than that, it gets a rest. ratio is what it has taken, in terms
// of what was measured for software.
func (o *operation) doubt(n int, d time.Duration, recent *atomic.Int64, ratio float64) {
	e := o.engine
	here, _ := o.runs(nil, e.algorithm.software(random(e.keySize)))
	var now []float64
	for range 3 {
		start := time.Now()
		here(min(n, piece))
		now = append(now, float64(time.Since(start)))
	}
	slices.Sort(now)
	drag := parity * min(now[1]/inSoftware(o.found.Load(), min(n, piece)), 64)
	if ratio > max(drag, parity) {
		o.rest(n, recent, fmt.Sprintf("slower than software of late: %d bytes took %v", n, d))
		return
	}
	o.drag.Store(int64(drag))
	recent.Store(parity * 9 / 10)
}

func (o *operation) count(n int64) {
	o.calls.Add(1)
	o.bytes.Add(n)
}

// rest closes the gate for a while to requests like one of n bytes and shorter
// ones, or to all if that was a long one.
func (o *operation) rest(n int, recent *atomic.Int64, why string) {
	e := o.engine
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.state.Load() != ready || !o.gate.Lets(n) { // others have seen it
		return
	}
	recent.Store(parity * 9 / 10)
	if recent == &o.near && 2*n <= piece {
		o.gate.Open(2 * n)
	} else {
		o.gate.Close()
	}
	if o.resting == "" {
		if o.calls.Load()-o.rested > enough {
			o.rests = 0
		}
		o.rested = o.calls.Load()
		o.rests++
		time.AfterFunc(e.owner.delay(o.rests), func() {
			e.mu.Lock()
			defer e.mu.Unlock()
			if e.state.Load() == ready {
				o.open()
			}
		})
	}
	o.resting = why
}

// A provider has the engines for one mode.
type provider struct {
	mode       driver.LinuxMode
	backend    backend
	backoff    time.Duration                          // after the first failure
	timeout    time.Duration                          // of calls to engines
	crossovers func(driver string) []driver.Crossover // known already
	engines    map[string]map[int]*engine             // by algorithm and size of keys
	now        func() time.Time                       // of measurements, as the next one
	sleep      func(time.Duration)
	stopped    atomic.Bool
	holders    holders
	busy       atomic.Int32 // calls in Linux

	hash struct {
		sync.Mutex
		socket hashSocket
	}
}

func newProvider(mode driver.LinuxMode, b backend) *provider {
	p := &provider{
		mode: mode, backend: b, backoff: time.Second, timeout: engineTimeout, now: time.Now, sleep: time.Sleep,
		crossovers: func(string) []driver.Crossover { return driver.Crossovers() },
		engines:    map[string]map[int]*engine{},
	}
	for _, a := range algorithms {
		p.engines[a.name] = map[int]*engine{}
		for _, size := range a.keySizes {
			p.engines[a.name][size] = newEngine(p, a, size)
		}
	}
	return p
}

// enter reports whether there is room for another call in Linux; then leave has to
// follow.
func (p *provider) enter() bool {
	if p.busy.Add(1) <= atOnce {
		return true
	}
	p.busy.Add(-1)
	return false
}

func (p *provider) leave() { p.busy.Add(-1) }

// list returns the engines in the order of the table.
func (p *provider) list() []*engine {
	var list []*engine
	for _, a := range algorithms {
		for _, size := range a.keySizes {
			list = append(list, p.engines[a.name][size])
		}
	}
	return list
}

// stop ends the use of Linux by keys that there are, and closes what they have
// open.
func (p *provider) stop() {
	p.stopped.Store(true)
	for _, e := range p.list() {
		e.mu.Lock()
		e.closeGates()
		e.mu.Unlock()
	}
	p.holders.close()
	p.hash.Lock()
	defer p.hash.Unlock()
	if p.hash.socket != nil {
		p.hash.socket.Close()
		p.hash.socket = nil
	}
}
