package linux

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/internal/offload"
)

// sampled are the lengths that are timed, and rounds how often.
var sampled = []int{offload.Floor, 1024, 4096, 16384, piece}

const (
	leastRounds = 5
	roundTime   = 4 * time.Millisecond // for a length and a side, unless that is too little for the rounds
	// To be preferred, Linux has to take this part of software's time by the
	// model, and the other in every sample. Another try, after others have kept
	// the engine busy, is made at once it is quicker again by so much.
	winning    = 0.90
	notLosing  = 0.97
	roundingTo = 64
)

// measure sets the model and the crossover of every operation, or takes them from
// the profile in force.
func (e *engine) measure(s *object, key []byte) error {
	soft := e.algorithm.software(key)
	known := e.owner.crossovers(e.driver)
	for _, o := range e.ops {
		if i := slices.IndexFunc(known, func(c driver.Crossover) bool {
			return c.Algorithm == e.algorithm.name && c.Driver == e.driver && c.KeySize == e.keySize && c.Decrypt == o.decrypt
		}); i >= 0 {
			o.model = known[i]
			if o.from = known[i].From; o.from > 0 {
				o.from = max(o.from, offload.Floor)
			}
			o.measured.Store(true)
			continue
		}
		here, there := o.runs(s, soft)
		var ours, linux []float64
		for _, n := range sampled {
			a, b, err := race(n, here, there)
			if err != nil {
				return err
			}
			ours, linux = append(ours, a), append(linux, b)
		}
		m := driver.Crossover{Algorithm: e.algorithm.name, Driver: e.driver, KeySize: e.keySize, Decrypt: o.decrypt}
		m.A, m.B = fit(sampled, linux)
		m.SoftA, m.SoftB = fit(sampled, ours)
		m.From = crossover(m, ours, linux)
		o.model, o.from = m, m.From
		o.measured.Store(true)
	}
	return nil
}

// runs returns what is timed: the operation on n bytes, in place as far as that
// costs more.
func (o *operation) runs(s *object, soft software) (here, there func(n int) error) {
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
	ours, theirs := soft.encrypt, s.cipher.Encrypt
	if o.decrypt {
		ours, theirs = soft.decrypt, s.cipher.Decrypt
	}
	return func(n int) error { ours(b[:n], b[:n], iv); return nil },
		func(n int) error {
			err := theirs(scratch[:n], b[:n], iv)
			copy(b, scratch[:n])
			return err
		}
}

// race times both sides in turns and returns the median of each in ns.
func race(n int, here, there func(n int) error) (a, b float64, err error) {
	var ours, linux []float64
	repeat := 1
	for start := time.Now(); len(linux) < leastRounds || time.Since(start) < 2*roundTime && len(linux) < 1000; {
		t := time.Now()
		if err := there(n); err != nil {
			return 0, 0, err
		}
		linux = append(linux, float64(time.Since(t)))
		t = time.Now()
		for range repeat {
			if err := here(n); err != nil {
				return 0, 0, err
			}
		}
		d := float64(time.Since(t))
		if len(ours) == 0 && d < 2e4 { // one alone is too short for the clock
			repeat = int(2e4/max(d, 10)) + 1
			d = float64(repeat) * d
		}
		ours = append(ours, d/float64(repeat))
	}
	return median(ours[1:]), median(linux[1:]), nil // the first warms up
}

func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}

// fit returns a and b >= 0 so that a + b n is close to the times, by the squares of
// relative errors.
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

// crossover returns the length from which on Linux is to be preferred, or 0.
func crossover(m driver.Crossover, ours, linux []float64) int {
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

// verdict says in words why Linux is not used for an operation, or nothing.
func (o *operation) verdict() string {
	if o.from > 0 {
		return ""
	}
	m := o.model
	return fmt.Sprintf("not a tenth faster: 64 KiB take %v in software and %v in Linux",
		time.Duration(m.SoftA+m.SoftB*piece).Round(100*time.Nanosecond), time.Duration(m.A+m.B*piece).Round(100*time.Nanosecond))
}
