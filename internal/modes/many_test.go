package modes_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cipherlane/cipherlane/internal/modes"
)

// A stream is an input of the toy kernel: parts of numbered blocks, and the blocks
// processed so far.
type stream struct {
	rounds int
	parts  [][]int
	done   []int
}

// runStreams is the loop in the comment of Schedule, over streams of one number
// of rounds. It returns the number of calls and that of steps: the sum of
// blocks per call.
func runStreams(t *testing.T, streams []*stream, rounds, width, most int) (calls, steps int) {
	type lane struct {
		*stream
		part []int // without what is done
		next int   // part of the stream
	}
	var lanes [modes.MaxLanes]lane
	var s modes.Schedule
	s.Start(min(width, len(streams)))
	for {
		for i, ok := s.Idle(); ok; i, ok = s.Idle() {
			l := &lanes[i]
			if len(l.part) != 0 {
				t.Fatalf("lane %d is idle with %d blocks left", i, len(l.part))
			}
			for l.stream == nil || l.next == len(l.parts) { // another stream
				*l = lane{}
				for len(streams) > 0 && streams[0].rounds != rounds {
					streams = streams[1:]
				}
				if len(streams) == 0 {
					break
				}
				l.stream, streams = streams[0], streams[1:]
			}
			if l.stream == nil {
				last := s.Drop(i)
				lanes[i], lanes[last] = lanes[last], lanes[i]
				continue
			}
			l.part = l.parts[l.next]
			l.next++
			s.Continue(i, len(l.part))
		}
		n := s.Step(most)
		if n == 0 {
			break
		}
		if s.Lanes() < 1 || s.Lanes() > width || n > most {
			t.Fatalf("a call with %d lanes of %d and %d blocks of at most %d", s.Lanes(), width, n, most)
		}
		calls++
		steps += n
		for i := range lanes[:s.Lanes()] {
			l := &lanes[i]
			if l.rounds != rounds {
				t.Fatalf("%d and %d rounds in one call", l.rounds, rounds)
			}
			l.done = append(l.done, l.part[:n]...)
			l.part = l.part[n:]
		}
	}
	if s.Lanes() != 0 {
		t.Fatalf("%d lanes at the end", s.Lanes())
	}
	return calls, steps
}

func newStream(rounds int, parts ...int) *stream {
	s := &stream{rounds: rounds}
	block := 0
	for _, n := range parts {
		var part []int
		for range n {
			part = append(part, block)
			block++
		}
		s.parts = append(s.parts, part)
	}
	return s
}

func (s *stream) check(t *testing.T) {
	t.Helper()
	if want := slices.Concat(s.parts...); !slices.Equal(s.done, want) {
		t.Fatalf("done %v, want %v", s.done, want)
	}
}

// Every stream gets its blocks, each once and in order, in no more calls than
// there are parts and cuts.
func TestSchedule(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for width := 1; width <= modes.MaxLanes; width++ {
		for round := range 200 {
			var streams []*stream
			parts, blocks, longest := 0, map[int]int{}, 0
			rounds := []int{10}
			if round%3 == 0 {
				rounds = []int{10, 12, 14}
			}
			limit := 1 << rnd.IntN(8)
			for range rnd.IntN(3 * modes.MaxLanes) {
				var list []int
				sum := 0
				for range rnd.IntN(4) { // a stream may be empty
					list = append(list, 1+rnd.IntN(limit))
					sum += list[len(list)-1]
				}
				parts += len(list)
				longest = max(longest, sum)
				s := newStream(rounds[rnd.IntN(len(rounds))], list...)
				blocks[s.rounds] += sum
				streams = append(streams, s)
			}
			most := []int{4096, 4096, 7, 1}[rnd.IntN(4)]
			calls, steps, total, atMost := 0, 0, 0, 0
			for _, r := range rounds {
				c, n := runStreams(t, streams, r, width, most)
				calls, steps, total = calls+c, steps+n, total+blocks[r]
				// No lane is idle while there is a stream that has not started.
				atMost += blocks[r]/width + longest
			}
			for _, s := range streams {
				s.check(t)
			}
			if calls > parts+steps/most {
				t.Fatalf("width %d: %d calls for %d parts", width, calls, parts)
			}
			if steps > atMost {
				t.Fatalf("width %d: %d steps for %d blocks, the longest stream having %d", width, steps, total, longest)
			}
		}
	}
}

func TestScheduleCalls(t *testing.T) {
	repeat := func(n int, parts ...int) (list []*stream) {
		for range n {
			list = append(list, newStream(10, parts...))
		}
		return list
	}
	for name, c := range map[string]struct {
		streams             []*stream
		width, calls, steps int
	}{
		"nothing":                {nil, 16, 0, 0},
		"one":                    {repeat(1, 5), 16, 1, 5},
		"equal":                  {repeat(16, 90), 16, 1, 90},
		"equal, in parts":        {repeat(16, 2, 88, 1), 16, 3, 91},
		"equal, twice the lanes": {repeat(32, 2, 88, 1), 16, 6, 182},
		"one more than lanes":    {repeat(17, 90), 16, 2, 180},
		"eight":                  {repeat(16, 90), 8, 2, 180},
		"staircase":              {[]*stream{newStream(10, 1), newStream(10, 2), newStream(10, 3), newStream(10, 4)}, 4, 4, 4},
		"refilled":               {[]*stream{newStream(10, 8), newStream(10, 3), newStream(10, 5)}, 2, 2, 8},
	} {
		calls, steps := runStreams(t, c.streams, 10, c.width, 4096)
		if calls != c.calls || steps != c.steps {
			t.Errorf("%s: %d calls and %d steps, want %d and %d", name, calls, steps, c.calls, c.steps)
		}
		for _, s := range c.streams {
			s.check(t)
		}
	}
}

func TestScheduleMisuse(t *testing.T) {
	for want, f := range map[string]func(s *modes.Schedule){
		"modes: an idle lane":              func(s *modes.Schedule) { s.Step(10) },
		"modes: a lane with nothing to do": func(s *modes.Schedule) { s.Continue(0, 0) },
	} {
		func() {
			defer func() {
				if e := recover(); e != want {
					t.Errorf("got panic %v, want %s", e, want)
				}
			}()
			var s modes.Schedule
			s.Start(2)
			f(&s)
		}()
	}
}

func BenchmarkSchedule(b *testing.B) {
	for b.Loop() {
		var s modes.Schedule
		s.Start(16)
		left := 64
		for {
			for i, ok := s.Idle(); ok; i, ok = s.Idle() {
				if left == 0 {
					s.Drop(i)
					continue
				}
				s.Continue(i, 1+left*7%23)
				left--
			}
			if s.Step(4096) == 0 {
				break
			}
		}
	}
}
