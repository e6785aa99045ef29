package main

import (
	"bytes"
	"hash"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/cipherlane/cipherlane/sm3"
)

// The sums of squares are written down, not computed by the code under test.
func TestWelch(t *testing.T) {
	var a, b moments
	for i := range 60 {
		a.add(float64(i % 3))         // mean 1, sum of squares 40
		b.add(float64(i%4) * 2)       // mean 3, sum of squares 300
		b.add(3 + float64(i%2)*2 - 1) // mean 3, sum of squares 60
	}
	want := -2 / math.Sqrt(40./59/60+360./119/120)
	if got := welch(a, b); math.Abs(got-want) > 1e-9 {
		t.Errorf("t = %v, want %v", got, want)
	}
	if got := welch(b, a); math.Abs(got+want) > 1e-9 {
		t.Errorf("with exchanged classes t = %v, want %v", got, -want)
	}
	if got := welch(a, a); got != 0 {
		t.Errorf("t = %v for equal classes", got)
	}
	small := moments{n: fewest - 1, mean: 7, squares: 1}
	if got := welch(small, a); got != 0 {
		t.Errorf("t = %v from %v numbers", got, small.n)
	}
}

// A constant difference is visible among long interruptions only when these are cut off.
func TestLimits(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	times := func(class int) float64 {
		x := 1000 + 10*random.NormFloat64() + 2*float64(class)
		if random.IntN(50) == 0 {
			x += 1e6 * random.Float64()
		}
		return x
	}
	var first []float64
	for range 1000 {
		first = append(first, times(random.IntN(2)))
	}
	c := newComparison(first)
	for i := 1; i < len(c.limits); i++ {
		if c.limits[i] > c.limits[i-1] {
			t.Fatalf("limits ascend: %v", c.limits)
		}
	}
	for range 20000 {
		class := random.IntN(2)
		c.add(class, times(class))
	}
	if all := welch(c.tests[0][0], c.tests[0][1]); math.Abs(all) > 4 {
		t.Errorf("all times: t = %v although they are mostly noise", all)
	}
	x, percent, difference := c.most()
	if x > -10 || percent > 97 || difference > -1 || difference < -3 {
		t.Errorf("t = %v, %v ns at %v %%, want below -10, about -2 ns, without interruptions", x, difference, percent)
	}
	if c.samples() != 20000 {
		t.Errorf("%d samples", c.samples())
	}
}

// simulated returns a bench whose clock is advanced only by probes, and a probe: it takes
// 100 ns and noise, and in class 1 what leak returns for the time.
func simulated(seed uint64, leak func(now int64) int64) (*bench, *probe) {
	var clock int64
	b := &bench{random: rand.New(rand.NewPCG(seed, 0)), tick: 1}
	b.now = func() int64 { return clock }
	noise := rand.New(rand.NewPCG(seed, 1))
	p := &probe{
		input: 16,
		draw:  func(class int, p []byte) { p[0] = byte(class) },
		prepare: func(p []byte) func() {
			return func() {
				clock += 100 + int64(noise.IntN(20))
				if noise.IntN(100) == 0 {
					clock += 50000
				}
				clock += leak(clock) * int64(p[0])
			}
		},
	}
	return b, p
}

func TestJudge(t *testing.T) {
	for seed := range uint64(5) {
		for _, leak := range []int64{0, 1, -1, 5} {
			b, p := simulated(seed, func(int64) int64 { return leak })
			v := b.judge(p, 20*time.Millisecond, 5)
			if v.Leak != (leak != 0) {
				t.Errorf("leak of %d ns: %+v", leak, v)
			}
			// Without the longest times the difference is smaller.
			if part := -v.last().Difference / float64(leak); v.Leak && (part < 0.3 || part > 1.1) {
				t.Errorf("leak of %d ns measured as %v", leak, v.last().Difference)
			}
		}
	}
}

// One value above the threshold is no leak if the second is not.
func TestRepeat(t *testing.T) {
	for i, second := range []int64{-5, 5, 0, 0, 0, 0} {
		const length = 20 * time.Millisecond
		b, p := simulated(uint64(i), func(now int64) int64 {
			if now < int64(length+length/100) {
				return 5
			}
			return second
		})
		v := b.judge(p, length, 5)
		if v.Repeat == nil || v.Leak != (second != 0) {
			t.Errorf("5 ns, and then %d ns: %+v", second, v)
		}
	}
}

// A coarse clock times several calls together.
func TestCalls(t *testing.T) {
	b, p := simulated(1, func(int64) int64 { return 0 })
	exact := b.now
	b.now = func() int64 { return exact() / 1000 * 1000 }
	b.tick = 1000
	if r := b.measure(p, make([]byte, p.input), 20*time.Millisecond); r.Calls < 32 || r.Calls > 256 {
		t.Errorf("%d calls of 100 ns with a clock of 1 µs", r.Calls)
	}
}

// Every probe can be prepared and called, for both classes, and for both more than once.
func TestProbes(t *testing.T) {
	b := newBench(1)
	var drivers []string
	for _, p := range probes() {
		if p.pkg == "frodokem" && !strings.HasPrefix(p.algorithm, "frodokem-640-") { // the others are larger
			continue
		}
		drivers = append(drivers, p.driver)
		for class := range 2 {
			input := b.bytes(make([]byte, p.input))
			if p.draw != nil {
				p.draw(class, input)
			}
			place, call := p.ready(input)
			place()
			call()
			call()
		}
	}
	if !strings.Contains(strings.Join(drivers, " "), "generic") {
		t.Errorf("drivers %v", drivers)
	}
}

// HMAC has its keys in one object, and a MAC with pointers has not.
func TestPlaced(t *testing.T) {
	placed := map[string]bool{}
	for _, p := range probes() {
		if p.operation == "authenticate" {
			placed[p.algorithm] = p.placed != nil
		}
	}
	if !placed["hmac(sm3)"] || placed["cmac(aes)"] || placed["xcbc(sm4)"] {
		t.Errorf("in one object: %v", placed)
	}
	d := must(sm3.On("generic"))
	dst, text := make([]byte, 32), []byte("text")
	ready := placedMAC(d.NewHMAC(nil), len(text), dst, func(p []byte) (hash.Hash, []byte) { return d.NewHMAC(p), text })
	for _, key := range []string{"one", "two"} {
		want := d.NewHMAC([]byte(key))
		want.Write(text)
		other, _ := ready([]byte("other"))
		place, call := ready([]byte(key))
		other()
		place()
		call()
		if !bytes.Equal(dst, want.Sum(nil)) {
			t.Errorf("%s: %x", key, dst)
		}
	}
}

func TestForged(t *testing.T) {
	tag := []byte{1, 2, 3}
	m := maker{}
	m.forged("", 0, tag, nil)
	p := []byte{1, 7, 8}
	m.list[0].draw(1, p)
	if !bytes.Equal(p, []byte{2, 7, 8}) {
		t.Errorf("class 1: %v, want no byte of the tag", p)
	}
	m.list[0].draw(0, p)
	if !bytes.Equal(p, []byte{1, 2, 2}) {
		t.Errorf("class 0: %v, want one bit of the tag changed", p)
	}
}

func TestTables(t *testing.T) {
	verdicts := []verdict{{First: result{T: -2, Samples: 10}}, {First: result{T: 9}, Repeat: &result{T: 8.04, Samples: 5}, Leak: true}, {First: result{T: 1, Samples: 3}}}
	var out strings.Builder
	tables(&out, []line{
		{Package: "p", Algorithm: "a", Driver: "generic", Operation: "seal", Bytes: 1, verdict: verdicts[0]},
		{Package: "p", Algorithm: "a", Driver: "generic", Operation: "seal", Bytes: 2, verdict: verdicts[1]},
		{Package: "p", Algorithm: "a", Driver: "fast", Operation: "open", verdict: verdicts[2]},
	})
	want := `
### p

| operation | generic | fast |
|---|---|---|
| a seal | 8.0 LEAK (5) | - |
| a open | - | 1.0 (3) |
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}
