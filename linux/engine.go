package linux

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/fips"
	"github.com/cipherlane/cipherlane/internal/offload"
	"github.com/cipherlane/cipherlane/kcapi"
)

// An engine is Linux's driver for an algorithm and a key size, with what is known
// about it.
type engine struct {
	owner     *provider
	algorithm *algorithm
	keySize   int
	ops       []*operation // as in algorithm

	state atomic.Int32
	mu    sync.Mutex // guards the fields below that are not atomic
	why   string
	done  chan struct{} // closed when preparing has ended; nil before it begins

	name     string // name to open
	driver   string
	isEngine bool
	slow     bool // may wait for something other than the CPU

	openCost atomic.Int64 // ns to open and close a key
	reviews  int          // measurements planned after the first one
	due      atomic.Bool  // the next request or key starts the next measurement
	final    atomic.Bool  // there are no more measurements

	trips    int   // of the circuit breaker
	short    int   // pauses because the program had no descriptors left, or the engine no time to prepare
	timeouts int   // in total
	resumed  int64 // number of calls when last resumed
	failures atomic.Int64
}

const (
	untried int32 = iota
	preparing
	ready
	paused  // the circuit breaker is open
	useless // absent, wrong or failing, permanently
)

// mayServe reports whether the engine might ever be used for a new key.
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

	found atomic.Pointer[drivers.Crossover] // nil until it is measured
	times times                             // used only while measuring

	calls atomic.Int64
	bytes atomic.Int64

	// Recent time as a share of the time of software, in 1/1024: for requests near
	// the crossover, and for those of at least twice that length.
	nearRatio, farRatio atomic.Int64
	// Recent time of software as a multiple of the measured time, because the machine
	// is busy, in 1/1024, or 0.
	drag    atomic.Int64
	doubted atomic.Bool // doubt is running

	rests   int    // how often Linux was too slow; guarded by the engine's mutex
	rested  int64  // number of calls at the last rest
	resting string // why the gate is not open from the crossover on, or ""
}

// The circuit breaker. An engine that fails is not used for a while, twice as long
// each time, and in the end not at all.
const (
	maxTrips     = 8
	maxTimeouts  = 3    // each occupies an operating system thread
	forgiveAfter = 1000 // calls after which earlier failures are forgotten
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

// from returns the minimum length of requests that go to Linux, or 0 if none do.
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

// openGates marks the engine as ready and opens its gates. The mutex must be held.
func (e *engine) openGates() {
	e.state.Store(ready)
	for _, o := range e.ops {
		o.open()
	}
}

// open opens the gate from the crossover on. The mutex must be held.
func (o *operation) open() {
	o.resting = ""
	o.nearRatio.Store(parity * 9 / 10)
	o.farRatio.Store(parity * 9 / 10)
	if from := o.from(); from > 0 && !o.engine.owner.stopped.Load() {
		o.gate.Open(from)
	} else {
		o.gate.Close()
	}
}

// prepare starts study, once. If wait is set, it returns when that is done.
func (e *engine) prepare(wait bool) {
	if fips.Absolute() { // there are no objects, and study could not make any
		return
	}
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
			fips.WithoutEnforcement(e.study) // the objects were made without enforcement
		}()
	}
	if wait {
		<-done
	}
}

// study finds the driver, checks it and measures it. The engine is not in use
// meanwhile.
func (e *engine) study() {
	give := func(why string) {
		e.mu.Lock()
		e.why = why
		e.mu.Unlock()
		e.state.Store(useless)
	}
	fail := func(err error) {
		switch reason(err) {
		case kcapi.ErrTimeout: // it may have been busy with other requests
			e.mu.Lock()
			e.timeouts++
			retry := e.timeouts < maxTimeouts
			e.mu.Unlock()
			if !retry {
				give(err.Error())
				return
			}
			fallthrough
		case kcapi.ErrResources:
			e.retryLater(err)
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
	if reason(err) == kcapi.ErrNoAlgorithm && isEngine(env, record) { // it is listed but hidden: a vendor has backported the change of 7.2
		give(record.Driver + ": " + kcapi.ErrMasked.Error())
		return
	}
	if err != nil {
		fail(err)
		return
	}
	if record.Driver == "" { // selected by Linux, which may have registered it just now
		driver := s.driver()
		env = e.owner.backend.environment()
		i := slices.IndexFunc(env.Algorithms, func(r kcapi.Record) bool { return r.Driver == driver && r.Name == e.algorithm.name })
		if driver != "" && i >= 0 {
			record = env.Algorithms[i]
			if env.Allowed(driver) { // pin the driver that is checked
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

// mostReviews bounds the work in the background. Each review is one measurement. The
// delay before it quadruples every time, from one second to 17 minutes.
const mostReviews = 6

// planReview schedules another measurement, which the first request after the delay
// starts: when the program started, the machine may have been busy. The mutex must be
// held.
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
		for _, o := range e.ops { // let requests in that were too short so far
			if e.state.Load() == ready && o.resting == "" {
				o.gate.Open(0)
			}
		}
	})
	e.reviews++
}

// reviewIfDue starts a review if one is due.
func (e *engine) reviewIfDue() {
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
	go fips.WithoutEnforcement(e.review)
}

// review measures once more while the engine is in use. Earlier measurements still
// count: only shorter times change the result.
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

// retryLater makes the first request after a delay start the preparations again, because
// the program had no descriptors left or the engine timed out.
func (e *engine) retryLater(err error) {
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

// choose returns the name to open for an algorithm, and the driver if it is known
// before opening; or why there is none.
func choose(env *kcapi.Environment, a *algorithm, mode Mode) (name string, r kcapi.Record, why string) {
	switch {
	case !env.Supported:
		return "", r, env.Summary()
	case env.AFALG.State == kcapi.Absent || env.AFALG.State == kcapi.Blocked:
		return "", r, "AF_ALG is " + env.Summary()
	}
	if mode == Any {
		if !env.Allowed(a.name) {
			return "", r, kcapi.ErrNotAllowed.Error()
		}
		return a.name, r, ""
	}
	// From 6.12 on Linux tests drivers after it has listed them. Opening a driver
	// waits for its test and fails if the test does. Therefore an untested driver is
	// selected only if there is no tested one.
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
	// The list of Linux 7.3 contains only names of algorithms.
	if w, ok := env.Winner(a.socketType, a.name); ok && w.Driver == r.Driver && env.Allowed(a.name) {
		return a.name, r, ""
	}
	return "", r, r.Driver + ": " + kcapi.ErrNotAllowed.Error()
}

// suits reports whether sockets of a type offer drivers that /proc/crypto lists with
// type listed.
func suits(socketType, listed string) bool {
	return socketType == listed || socketType == "hash" && listed == "ahash" || socketType == "skcipher" && listed == "ablkcipher"
}

func isEngine(env *kcapi.Environment, r kcapi.Record) bool {
	return r.Driver != "" && slices.ContainsFunc(env.Engines, func(x kcapi.Record) bool { return x.Driver == r.Driver })
}

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

// An object is an algorithm with a key in Linux. Exactly one field is set.
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

// failed handles every error except a wrong tag.
func (e *engine) failed(err error) {
	if reason(err) == kcapi.ErrClosed { // a key was wiped, or closed in favour of others
		return
	}
	e.failures.Add(1)
	if reason(err) == kcapi.ErrResources { // the program may need our descriptors
		e.owner.holders.close()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if reason(err) == kcapi.ErrTimeout {
		e.timeouts++
	}
	if e.state.Load() != ready { // already handled for another call
		return
	}
	e.pause(err)
}

// reason returns the reason of an error, without the allocations of errors.Is.
func reason(err error) kcapi.Reason {
	if e, ok := err.(*kcapi.Error); ok {
		return e.Reason
	}
	return kcapi.ErrFailed
}

// pause closes the gates for a while, or permanently after too many failures. The
// mutex must be held.
func (e *engine) pause(err error) {
	e.closeGates()
	e.state.Store(paused)
	if e.calls()-e.resumed > forgiveAfter {
		e.trips, e.short = 0, 0
	}
	e.why = err.Error()
	times := &e.trips
	if reason(err) == kcapi.ErrResources { // not the engine's fault, and temporary
		times = &e.short
	}
	*times++
	if e.trips > maxTrips || e.timeouts >= maxTimeouts {
		e.why = "has failed too often, last: " + e.why
		offload.Warn(fmt.Sprintf("linux: %v: driver %s is not used any more: %v", e, cmp.Or(e.driver, "unknown"), err))
		e.state.Store(useless) // after the warning, so that whoever sees the state finds the warning
		return
	}
	time.AfterFunc(e.owner.delay(*times), func() { fips.WithoutEnforcement(e.resume) })
}

// delay returns for how long to pause the given time, counting from 1.
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

// parity is the ratio at which Linux and software take equally long.
const parity = 1024

// took records the time of a call. Linux can be slower than measured, because other
// programs use the engine or because the measurement was too optimistic. When it has
// been slower than software for some calls, it gets no similar requests for a while.
func (o *operation) took(n int, d time.Duration) {
	o.count(int64(n))
	drag := max(o.drag.Load(), parity)
	soft := inSoftware(o.found.Load(), n) * float64(drag) / parity
	o.drag.Store(drag - (drag-parity)/128)       // the load may have ended
	r := int64(parity * min(float64(d)/soft, 2)) // limited: a single interrupted call says little
	recent := &o.farRatio
	if !o.gate.Lets(n / 2) {
		recent = &o.nearRatio
	}
	old := recent.Load()
	average := old + (r-old)/16
	recent.Store(average)
	if average > parity && o.doubted.CompareAndSwap(false, true) {
		go fips.WithoutEnforcement(func() {
			defer o.doubted.Store(false)
			o.doubt(n, d, recent, float64(recent.Load())*float64(drag)/parity)
		})
	}
}

// doubt measures how long software takes now, since a busy machine slows it down,
// too. Only if Linux has been slower than that does it get a rest. ratio is the recent
// time of Linux as a multiple of the measured time of software, times parity.
func (o *operation) doubt(n int, d time.Duration, recent *atomic.Int64, ratio float64) {
	e := o.engine
	runSoftware, _ := o.runs(nil, e.algorithm.software(random(e.keySize)))
	var now []float64
	for range 3 {
		start := time.Now()
		runSoftware(min(n, piece))
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

// rest closes the gate for a while: to requests of less than 2n bytes if recent is
// nearRatio, or else to all.
func (o *operation) rest(n int, recent *atomic.Int64, why string) {
	e := o.engine
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.state.Load() != ready || !o.gate.Lets(n) { // already handled for another call
		return
	}
	recent.Store(parity * 9 / 10)
	if recent == &o.nearRatio && 2*n <= piece {
		o.gate.Open(2 * n)
	} else {
		o.gate.Close()
	}
	if o.resting == "" {
		if o.calls.Load()-o.rested > forgiveAfter {
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

// A provider contains the engines for one mode.
type provider struct {
	mode       Mode
	backend    backend
	backoff    time.Duration                           // pause after the first failure
	timeout    time.Duration                           // for calls to engines
	crossovers func(driver string) []drivers.Crossover // from the profile
	engines    map[string]map[int]*engine              // by algorithm and key size
	now        func() time.Time                        // clock for measurements, like sleep
	sleep      func(time.Duration)
	stopped    atomic.Bool
	holders    holders
	busy       atomic.Int32 // calls in Linux

	hash struct {
		sync.Mutex
		socket hashSocket
	}
}

func newProvider(mode Mode, b backend) *provider {
	p := &provider{
		mode: mode, backend: b, backoff: time.Second, timeout: engineTimeout, now: time.Now, sleep: time.Sleep,
		crossovers: func(string) []drivers.Crossover { return drivers.Crossovers() },
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

// enter reports whether another call may go to Linux; if so, leave must be called
// after it.
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

// stop ends the use of Linux by existing keys, and closes their sockets.
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
