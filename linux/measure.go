package linux

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/offload"
	"github.com/cipherlane/cipherlane/kcapi"
)

// sampled contains the lengths that are timed.
var (
	lengths = [...]int{offload.Floor, 1024, 4096, 16384, piece}
	sampled = lengths[:]
)

const (
	leastRounds = 8 // rounds of one sample for each length and side
	openings    = 2
	slowRun     = time.Millisecond       // if software takes longer, it gets only two of eight rounds
	leastTime   = 30 * time.Millisecond  // for all rounds together
	mostTime    = 500 * time.Millisecond // the same, including pauses
	pause       = 5 * time.Millisecond   // after a round
	alike       = 1.05                   // two estimates agree if they differ by no more
	// To be preferred, Linux must take at most the first share of software's time
	// according to the model, and at most the second in every sample.
	winning    = 0.90
	notLosing  = 0.97
	roundingTo = 64
)

// A sample contains the shortest times in ns of something in the even rounds and in
// the odd rounds. Other load on a machine makes times longer, never shorter: the
// shortest is the time on an idle machine as soon as one run was undisturbed. If both
// agree, both have probably found it.
type sample [2]float64

func (s *sample) add(round int, ns float64) {
	if half := &s[round&1]; *half == 0 || ns < *half {
		*half = ns
	}
}

func (s *sample) least() float64 {
	if s[0] == 0 || s[1] != 0 && s[1] < s[0] {
		return s[1]
	}
	return s[0]
}

func (s *sample) settled() bool { return max(s[0], s[1]) <= alike*min(s[0], s[1]) }

// times contains the times of an operation in software and in Linux, for the sampled
// lengths. Later measurements improve on them.
type times struct{ ours, linux [len(lengths)]sample }

// A race is an operation to be timed, with the number of repetitions in software for
// one sample: a short message is too short for the clock.
type race struct {
	o                 *operation
	runOurs, runLinux func(n int) error
	repeat            [len(lengths)]int
}

// lap takes one sample of both sides for every length.
func (r *race) lap(round int) error {
	now := r.o.engine.owner.now
	for i, n := range sampled {
		start := now()
		if err := r.runLinux(n); err != nil {
			return err
		}
		r.o.times.linux[i].add(round, float64(now().Sub(start)))

		if round&6 != 0 && r.o.times.ours[i].least() > float64(slowRun) {
			continue
		}
		start = now()
		for range r.repeat[i] {
			if err := r.runOurs(n); err != nil {
				return err
			}
		}
		d := float64(now().Sub(start)) / float64(r.repeat[i])
		r.o.times.ours[i].add(round, d)
		r.repeat[i] = int(2e4/max(r.o.times.ours[i].least(), 10)) + 1
	}
	return nil
}

func (t *times) taken() bool { return t.ours[0].least() > 0 }

func (t *times) settled() bool {
	for i := range sampled {
		if !t.ours[i].settled() || !t.linux[i].settled() {
			return false
		}
	}
	return true
}

// measure determines the cost of opening a key, and the model and the crossover of every
// operation, unless they are in the active profile.
func (e *engine) measure(s *object, key []byte) error {
	soft := e.algorithm.software(key)
	list := e.owner.crossovers(e.driver)
	var races []*race
	for _, o := range e.ops {
		if c, ok := o.inProfile(list, e.driver); ok {
			o.found.Store(&c)
			continue
		}
		r := &race{o: o}
		r.runOurs, r.runLinux = o.runs(s, soft)
		for i := range r.repeat {
			r.repeat[i] = 1
		}
		races = append(races, r)
	}
	// All sides take turns, so that other load on the machine affects all alike, and
	// there are pauses, so that it does not affect all samples.
	start := e.owner.now()
	var opening sample
	for round, paused := 0, time.Duration(0); ; round++ {
		if e.owner.stopped.Load() {
			return kcapi.ErrClosed
		}
		for _, r := range races {
			if err := r.lap(round); err != nil {
				return err
			}
		}
		for range openings {
			d, err := e.opening(key)
			if err != nil {
				return err
			}
			opening.add(round, float64(d))
		}
		if round < leastRounds-1 {
			continue
		}
		settled := !slices.ContainsFunc(races, func(r *race) bool { return !r.o.times.settled() })
		spent := e.owner.now().Sub(start)
		if settled && (spent >= leastTime || len(races) == 0) || spent >= mostTime {
			break
		}
		if spent > 2*paused { // leave half of the time to the program
			paused += pause
			e.owner.sleep(pause)
		}
	}
	for _, r := range races {
		c := r.o.crossover()
		r.o.found.Store(&c)
	}
	e.openCost.Store(int64(opening.least()))
	return nil
}

// inProfile returns the crossover in list for the operation and a driver, if there is one.
func (o *operation) inProfile(list []drivers.Crossover, driverName string) (c drivers.Crossover, ok bool) {
	e := o.engine
	i := slices.IndexFunc(list, func(c drivers.Crossover) bool {
		return c.Algorithm == e.algorithm.name && c.Driver == driverName && c.KeySize == e.keySize && c.Decrypt == o.decrypt
	})
	if i < 0 {
		return c, false
	}
	if c = list[i]; c.From > 0 {
		c.From = max(c.From, offload.Floor)
	}
	return c, true
}

// opening returns how long it takes to open and close a key.
func (e *engine) opening(key []byte) (time.Duration, error) {
	start := e.owner.now()
	s, err := e.open(e.name, key, 16, e.slow)
	if err != nil {
		return 0, err
	}
	s.close()
	return e.owner.now().Sub(start), nil
}

// crossover fits the model to the measured times.
func (o *operation) crossover() drivers.Crossover {
	e := o.engine
	var ours, linux []float64
	for i, n := range sampled {
		ours, linux = append(ours, o.times.ours[i].least()), append(linux, o.times.linux[i].least())
		// A long run in software is always disturbed on a busy machine. Undisturbed, it
		// would take no longer per byte than a short one.
		if i > 0 {
			ours[i] = min(ours[i], ours[i-1]*float64(n)/float64(sampled[i-1]))
		}
	}
	m := drivers.Crossover{Algorithm: e.algorithm.name, Driver: e.driver, KeySize: e.keySize, Decrypt: o.decrypt}
	m.A, m.B = fit(sampled, linux)
	m.SoftA, m.SoftB = fit(sampled, ours)
	m.From = crossover(m, ours, linux)
	return m
}

// runs returns the functions to be timed, which perform the operation on n bytes in
// software and in Linux, in place if that costs more. If s is nil, only the first may
// be called.
func (o *operation) runs(s *object, soft software) (runOurs, runLinux func(n int) error) {
	iv, b := random(o.engine.algorithm.ivSize), make([]byte, piece+16)
	scratch := make([]byte, piece+16)
	switch o.what {
	case offload.Seal:
		return func(n int) error { soft.aead.Seal(b[:0], iv, b[:n-16], nil); return nil },
			func(n int) error {
				_, err := s.aead.Seal(scratch[:0], iv, b[:n-16], nil)
				copy(b, scratch[:n])
				return err
			}
	case offload.Open:
		sealed := map[int][]byte{}
		message := func(n int) []byte {
			if sealed[n] == nil {
				sealed[n] = soft.aead.Seal(nil, iv, make([]byte, n-16), nil)
			}
			return sealed[n]
		}
		return func(n int) error { _, err := soft.aead.Open(scratch[:0], iv, message(n), nil); return err },
			func(n int) error { _, err := s.aead.Open(scratch[:0], iv, message(n), nil); return err }
	case hashing:
		return func(n int) error { soft.digest(b[:n]); return nil },
			func(n int) error { _, err := s.hash.Digest(scratch[:0], b[:n]); return err }
	}
	ours := soft.encrypt
	if o.decrypt {
		ours = soft.decrypt
	}
	return func(n int) error { ours(b[:n], b[:n], iv); return nil },
		func(n int) (err error) {
			if o.decrypt {
				err = s.cipher.Decrypt(scratch[:n], b[:n], iv)
			} else {
				err = s.cipher.Encrypt(scratch[:n], b[:n], iv)
			}
			copy(b, scratch[:n])
			return err
		}
}

// fit returns a and b >= 0 that minimize the squares of the relative errors of a + b n.
func fit(sizes []int, times []float64) (a, b float64) {
	var w, wn, wnn, wt, wnt float64
	for i, t := range times {
		n, weight := float64(sizes[i]), 1/(t*t)
		w += weight
		wn += weight * n
		wnn += weight * n * n
		wt += weight * t
		wnt += weight * n * t
	}
	b = (w*wnt - wn*wt) / (w*wnn - wn*wn)
	a = (wt - b*wn) / w
	switch {
	case b < 0:
		return wt / w, 0
	case a < 0:
		return 0, wnt / wnn
	}
	return a, b
}

// crossover returns the length from which on Linux is preferred, or 0.
func crossover(m drivers.Crossover, ours, linux []float64) int {
	last := len(sampled) - 1
	if linux[last] > winning*ours[last] {
		return 0
	}
	// a + b n = winning (soft a + soft b n)
	from := float64(offload.Floor)
	if gain := winning*m.SoftB - m.B; gain > 0 {
		from = math.Max(from, (m.A-winning*m.SoftA)/gain)
	} else if m.A > winning*m.SoftA {
		return 0
	}
	for i, n := range sampled {
		if linux[i] > notLosing*ours[i] {
			from = math.Max(from, float64(n+1))
		}
	}
	n := (int(from) + roundingTo - 1) / roundingTo * roundingTo
	if n > piece {
		return 0
	}
	return n
}

// inSoftware returns the time in ns that the model predicts for n bytes in software, and
// inLinux for n bytes in Linux, split into pieces.
func inSoftware(m *drivers.Crossover, n int) float64 { return m.SoftA + m.SoftB*float64(n) }
func inLinux(m *drivers.Crossover, n int) float64 {
	return m.A*math.Ceil(float64(n)/piece) + m.B*float64(n)
}

// verdict says why Linux is not used for an operation.
func verdict(m Model) string {
	return fmt.Sprintf("not a tenth faster: 64 KiB take %v in software and %v in Linux",
		time.Duration(m.SoftA+m.SoftB*piece).Round(100*time.Nanosecond), time.Duration(m.A+m.B*piece).Round(100*time.Nanosecond))
}
