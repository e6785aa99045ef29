package speed

import (
	"context"
	"errors"
	"math"
	"reflect"
	"testing"
	"time"
)

func TestMedian(t *testing.T) {
	for _, test := range []struct {
		list []float64
		want float64
	}{
		{[]float64{7}, 7},
		{[]float64{3, 1, 2}, 2},
		{[]float64{4, 1, 3, 2}, 2.5},
		{[]float64{1, 1, 1, 1, 1e9}, 1},
	} {
		before := append([]float64(nil), test.list...)
		if got := Median(test.list); got != test.want {
			t.Errorf("Median(%v) = %v, want %v", test.list, got, test.want)
		}
		if !reflect.DeepEqual(before, test.list) {
			t.Errorf("Median changed its argument to %v", test.list)
		}
	}
	if !math.IsNaN(Median(nil)) {
		t.Error("median of nothing is a number")
	}
}

func TestResult(t *testing.T) {
	r := Result{Case: Case{Bytes: 1000}, Slices: []float64{500, 490, 510, 480, 900, 800, 700, 600, 9000}}
	if got := r.NS(); got != 500 {
		t.Errorf("NS = %v, want 500: the slower half does not count", got)
	}
	if got := r.MBPerS(); got != 2000 {
		t.Errorf("MBPerS = %v, want 2000: 1000 bytes in 500 ns", got)
	}
	if got := r.Spread(); got != 0.02 || r.Varies() {
		t.Errorf("Spread = %v, want 0.02: the quartiles of the faster half are 490 and 510", got)
	}
	r.Slices[0], r.Slices[2] = 650, 800
	if got := r.Spread(); got < 0.1 || !r.Varies() {
		t.Errorf("Spread = %v of %v", got, r.Slices)
	}
	r.Slices = []float64{500, 490, 510, 480, 520}
	if got, want := r.Samples(2), []float64{495, 510}; !reflect.DeepEqual(got, want) {
		t.Errorf("Samples(2) = %v, want %v", got, want)
	}
	if got := r.Samples(9); len(got) != 5 {
		t.Errorf("Samples(9) of 5 slices has %d", len(got))
	}
}

// ownClock replaces the clocks by one that only the returned function advances.
func ownClock(t *testing.T) (advance func(time.Duration)) {
	clock, start := time.Now(), time.Now().Add(-time.Second)
	now = func() time.Time { return clock }
	cpuTime = func() time.Duration { return clock.Sub(start) }
	t.Cleanup(func() { now, cpuTime = time.Now, threadTime })
	return func(d time.Duration) { clock = clock.Add(d) }
}

func TestMeasure(t *testing.T) {
	advance := ownClock(t)
	var calls []string
	sleeper := func(name string, bytes int, d time.Duration) Case {
		return Case{Algorithm: "a", Driver: name, Bytes: bytes, Run: func(n int) {
			calls = append(calls, name)
			advance(time.Duration(n) * d)
		}}
	}
	last := 0.0
	results, err := Measure(t.Context(), [][]Case{
		{sleeper("slow", 1, 4*time.Millisecond), sleeper("fast", 1, 2*time.Millisecond)},
		{sleeper("other", 1, time.Millisecond)},
	}, time.Millisecond, func(part float64) {
		if part < last || part > 1 {
			t.Errorf("progress went from %v to %v", last, part)
		}
		last = part
	})
	if err != nil {
		t.Fatal(err)
	}
	if last != 1 {
		t.Errorf("progress ended at %v", last)
	}
	for i, want := range [][]string{{"slow", "fast"}, {"other"}} {
		for k, name := range want {
			r := results[i][k]
			if r.Driver != name || len(r.Slices) != fewestSlices {
				t.Errorf("result %d.%d is %s with %d slices, want %s with %d", i, k, r.Driver, len(r.Slices), name, fewestSlices)
			}
		}
	}
	if slow, fast := results[0][0].NS(), results[0][1].NS(); slow != 4e6 || fast != 2e6 {
		t.Errorf("4 ms measured as %v ns, 2 ms as %v ns", slow, fast)
	}
	want := []string{"slow", "slow", "fast", "fast", // warm-up
		"slow", "fast", "fast", "slow", "slow", "fast", "fast", "slow", "slow", "fast",
		"other", "other", "other", "other", "other", "other", "other"}
	if !reflect.DeepEqual(calls, want) {
		t.Errorf("order of work\n%v, want\n%v", calls, want)
	}
}

func TestMeasureUsesItsTime(t *testing.T) {
	const total = 100 * time.Millisecond
	advance := ownClock(t)
	start := now()
	results, err := Measure(t.Context(), [][]Case{{{Bytes: 1, Run: func(n int) { advance(time.Duration(n) * time.Microsecond) }}}}, total, nil)
	if err != nil {
		t.Fatal(err)
	}
	if took := now().Sub(start); took < total || took > total+longestSlice {
		t.Errorf("took %v of %v", took, total)
	}
	if got := results[0][0].NS(); got != 1000 {
		t.Errorf("an operation of 1000 ns measured as %v ns", got)
	}
}

// What a thread waits for a CPU does not count, but what it waits for an engine does. Without a
// clock for the thread everything counts.
func TestClocks(t *testing.T) {
	for _, c := range []struct {
		waits, thread bool
		want          float64
	}{{false, true, 1000}, {true, true, 4000}, {false, false, 4000}} {
		advance := ownClock(t)
		cpu := time.Second
		cpuTime = func() time.Duration { return cpu }
		if !c.thread {
			cpuTime = func() time.Duration { return 0 }
		}
		results, err := Measure(t.Context(), [][]Case{{{Bytes: 1, Waits: c.waits, Run: func(n int) {
			cpu += time.Duration(n) * time.Microsecond
			advance(time.Duration(n) * 4 * time.Microsecond)
		}}}}, 10*time.Millisecond, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := results[0][0].NS(); got != c.want {
			t.Errorf("%+v: %v ns", c, got)
		}
	}
	if start := threadTime(); start > 0 {
		for threadTime() == start {
		}
	}
}

// A single interruption makes an operation longer, which must not count.
func TestCalibrate(t *testing.T) {
	for interrupted := range 12 {
		advance := ownClock(t)
		calls := 0
		tenMicroseconds := Case{Run: func(n int) {
			if advance(time.Duration(n) * 10 * time.Microsecond); calls == interrupted {
				advance(time.Millisecond)
			}
			calls++
		}}
		if got := calibrate(tenMicroseconds, time.Millisecond); got != 100 {
			t.Errorf("interrupted in call %d: %d operations of 10 µs fill 1 ms", interrupted, got)
		}
	}
}

func TestMeasureCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	_, err := Measure(ctx, [][]Case{{{Bytes: 1, Run: func(int) { cancel(); time.Sleep(time.Millisecond) }}}}, time.Hour, nil)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestMeasureNothing(t *testing.T) {
	if results, err := Measure(t.Context(), nil, time.Second, nil); err != nil || len(results) != 0 {
		t.Errorf("%v, %v", results, err)
	}
}

func TestTabulate(t *testing.T) {
	r := func(driver, operation string, bytes int, ns float64) Result {
		return Result{Case{Driver: driver, Operation: operation, Bytes: bytes}, []float64{ns}}
	}
	table := Tabulate([]Result{
		r("generic", "seal", 64, 400), r("generic", "open", 64, 500), r("generic", "seal", 16, 300),
		r("fast", "seal", 64, 100), r("fast", "open", 64, 50),
	})
	if want := []int{16, 64}; !reflect.DeepEqual(table.Sizes, want) {
		t.Fatalf("sizes %v, want %v", table.Sizes, want)
	}
	var rows []string
	for _, row := range table.Rows {
		rows = append(rows, row.Operation+" "+row.Driver)
	}
	if want := []string{"seal generic", "seal fast", "open generic", "open fast"}; !reflect.DeepEqual(rows, want) {
		t.Errorf("rows %v, want %v", rows, want)
	}
	for i, want := range []float64{1, 4, 1, 10} {
		if got, ok := table.Ratio(table.Rows[i], "generic"); !ok || got != want {
			t.Errorf("ratio of %s is %v, %v, want %v", rows[i], got, ok, want)
		}
	}
	table.Rows[0].Results[0].Slices = []float64{300, 280, 320, 250, 350, 400, 400, 400, 400} // quartiles of the faster half: 280 and 320
	if usual, worst := table.Spread(); usual != 0 || worst != 20./300 {
		t.Errorf("spreads %v and %v, want 0 and 0.0667", usual, worst)
	}
	table.Rows[1].Results[1].Slices = []float64{100, 150, 200, 250, 300}
	if got, ok := table.Ratio(table.Rows[1], "generic"); !ok || !math.IsNaN(got) {
		t.Errorf("the ratio of what varies is %v, %v", got, ok)
	}
	if _, ok := table.Ratio(table.Rows[1], "absent"); ok {
		t.Error("a ratio to a driver that was not measured")
	}
	if table.Rows[1].Results[0].Slices != nil || table.Rows[0].Results[0].NS() != 300 {
		t.Error("results in the wrong columns")
	}
}
