package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/metrics"
	"time"
)

// A probe is an operation whose time must be the same for two classes of inputs.
type probe struct {
	pkg, algorithm, driver string
	operation              string // "seal"
	classes                string // "fixed and random key and text"
	bytes                  int    // of text; 0 if there is none

	// input is the number of random bytes that describe an input. Class 0 has the same
	// ones in every call, class 1 others each time. If draw is set, it makes one class of
	// the other: it receives random bytes for either class.
	input int
	draw  func(class int, p []byte)

	// prepare returns a function that performs the operation once, for this input. What it
	// does itself is not timed. The function may be called several times.
	prepare func(p []byte) func()

	// placed is used instead of prepare if all inputs can be processed in the same memory. place
	// copies the input and its key there. It is called before each time that is taken.
	placed func(p []byte) (place, call func())
}

func (p *probe) ready(input []byte) (place, call func()) {
	if p.placed != nil {
		return p.placed(input)
	}
	return func() {}, p.prepare(input)
}

func (p *probe) name() string {
	size := ""
	if p.bytes > 0 {
		size = fmt.Sprintf(" %d", p.bytes)
	}
	return fmt.Sprintf("%s/%s %s%s, %s", p.algorithm, p.driver, p.operation, size, p.classes)
}

// A result is the outcome of one measurement of a probe.
type result struct {
	Samples    int     `json:"samples"`
	Calls      int     `json:"calls"`      // timed together, for one sample
	T          float64 `json:"t"`          // of class 0 minus class 1
	Percent    float64 `json:"percent"`    // of the shortest times, from which t was computed
	Difference float64 `json:"difference"` // of the means there, in ns per call
}

// A bench measures probes. Tests replace its clock.
type bench struct {
	now    func() int64 // in ns
	random *rand.Rand
	tick   int64 // the smallest step of the clock
}

func newBench(seed uint64) *bench {
	start := time.Now()
	b := &bench{
		now:    func() int64 { return int64(time.Since(start)) },
		random: rand.New(rand.NewPCG(seed, 0)),
		tick:   math.MaxInt64,
	}
	for range 1000 {
		from := b.now()
		to := b.now()
		for to == from {
			to = b.now()
		}
		b.tick = min(b.tick, to-from)
	}
	return b
}

const (
	slotBytes   = 16 << 10 // the inputs of a round fit into the cache
	mostSlots   = 64
	fewestSlots = 8
	limitTimes  = 1000     // the times that the limits are derived from
	mostGarbage = 64 << 20 // between collections
)

type slot struct {
	class int
	input []byte
	place func()
	call  func()
}

// measure times the probe for that long, with this input for class 0. In each round it
// prepares some inputs, each of a random class, and times them one after the other. Every
// round draws the classes anew: neither the place of an input in memory nor what other
// programs do depends on them.
func (b *bench) measure(p *probe, fixed []byte, length time.Duration) result {
	slots := make([]slot, min(max(slotBytes/(p.input+p.bytes+1), fewestSlots), mostSlots))
	for i := range slots {
		slots[i].input = make([]byte, p.input)
	}
	calls := 0
	var first []float64
	var c *comparison
	start := b.now()
	more := func() bool {
		spent := b.now() - start
		return c == nil || spent < int64(length) || c.samples() < 4*fewest && spent < 20*int64(length)
	}
	for more() {
		for i := range slots {
			s := &slots[i]
			s.class = int(b.random.Uint32() & 1)
			b.bytes(s.input)
			switch {
			case p.draw != nil:
				p.draw(s.class, s.input)
			case s.class == 0:
				copy(s.input, fixed)
			}
			s.place, s.call = p.ready(s.input)
		}
		if calls == 0 {
			calls = b.calls(slots)
		}
		for i := range slots {
			s := &slots[i]
			touch(s.input)
			s.place()
			from := b.now()
			for range calls {
				s.call()
			}
			spent := float64(b.now() - from)
			if c != nil {
				c.add(s.class, spent)
				continue
			}
			// A slow operation must leave time for the test itself.
			if first = append(first, spent); len(first) >= limitTimes || b.now()-start > int64(length)/5 {
				c = newComparison(first)
			}
		}
		collect()
	}
	r := result{Samples: c.samples(), Calls: calls}
	r.T, r.Percent, r.Difference = c.most()
	r.Difference /= float64(calls)
	return r
}

func (b *bench) bytes(p []byte) []byte {
	for i := range p {
		p[i] = byte(b.random.Uint32())
	}
	return p
}

// calls returns how many calls to time together: as many as fill 20 steps of the clock.
func (b *bench) calls(slots []slot) int {
	for n := 1; ; n *= 2 {
		from := b.now()
		for range n {
			slots[0].call()
		}
		if spent := b.now() - from; spent >= 20*b.tick {
			return n
		}
	}
}

// touch loads p into the cache.
func touch(p []byte) {
	var x byte
	for i := 0; i < len(p); i += 64 {
		x ^= p[i]
	}
	runtime.KeepAlive(x)
}

// collect collects garbage between rounds rather than in a call.
func collect() {
	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(heap)
	if heap[0].Value.Uint64() > mostGarbage {
		runtime.GC()
	}
}

// A verdict is the outcome for a probe.
type verdict struct {
	First  result  `json:"first"`
	Repeat *result `json:"repeat,omitempty"` // if the first was above the threshold
	Leak   bool    `json:"leak"`
}

// judge measures a probe, and once more, twice as long, if |t| is above the threshold.
// There is a leak if it is above the threshold again: chance does that rarely once, and
// hardly ever twice. The sign need not be the same, because the state of predictors is not.
func (b *bench) judge(p *probe, length time.Duration, threshold float64) verdict {
	fixed := b.bytes(make([]byte, p.input))
	v := verdict{First: b.measure(p, fixed, length)}
	if math.Abs(v.First.T) > threshold {
		repeat := b.measure(p, fixed, 2*length)
		v.Repeat = &repeat
		v.Leak = math.Abs(repeat.T) > threshold
	}
	return v
}

// last returns the result that decided.
func (v verdict) last() result {
	if v.Repeat != nil {
		return *v.Repeat
	}
	return v.First
}
