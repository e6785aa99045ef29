package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

func TestProgressLine(t *testing.T) {
	for _, c := range []struct {
		total, value int64
		bytes        bool
		passed       time.Duration
		want         string
	}{
		{3000, 0, true, time.Second, "working  0 %, 0 B of 3.0 kB, 0 B/s"},
		{3e9, 1e9, true, 2 * time.Second, "working  33 %, 1.0 GB of 3.0 GB, 500 MB/s, 4s left"},
		{3000, 4000, true, time.Second, "working  100 %, 4.0 kB of 3.0 kB, 4.0 kB/s"}, // the file has grown
		{0, 5, true, time.Second, "working  5 B, 5 B/s"},
		{-1, 999499, true, 500 * time.Millisecond, "working  999 kB, 2.0 MB/s"},
		{-1, 999500, true, time.Second, "working  1.0 MB, 1.0 MB/s"},
		{1000, 250, false, time.Minute, "working  25 %, 3m0s left"},
		{1000, 1, false, 1000 * time.Hour, "working  0 %"},
		{-1, 0, false, 90 * time.Second, "working  1m30s"},
		{3000, 30, true, 0, "working  1 %, 30 B of 3.0 kB, 150 B/s, 20s left"},
	} {
		g := &Progress{what: "working", total: c.total, bytes: c.bytes}
		g.Set(c.value)
		if got := g.line(c.passed); got != c.want {
			t.Errorf("%d of %d after %v: %q, want %q", c.value, c.total, c.passed, got, c.want)
		}
	}
}

// A terminal shows one line that is never wrapped and is erased at the end.
func TestProgressDraw(t *testing.T) {
	var b bytes.Buffer
	g := &Progress{what: strings.Repeat("w", 30), total: 1000, start: time.Now(), quit: make(chan struct{})}
	g.done.Go(func() { g.draw(&b, func() int { return 20 }, 0) })
	time.Sleep(ProgressInterval * 3 / 2)
	g.Stop()
	g.Stop()
	lines := strings.Split(strings.TrimPrefix(b.String(), "\r"), "\r")
	if n := len(lines); n < 3 || lines[0] != strings.Repeat("w", 19) || lines[n-2] != strings.Repeat(" ", 19) || lines[n-1] != "" {
		t.Errorf("%q", b.String())
	}
	for _, columns := range []int{0, 1} {
		g := &Progress{what: "w", quit: make(chan struct{})}
		g.done.Go(func() { g.draw(&b, func() int { return columns }, 0) })
		time.Sleep(ProgressInterval / 2)
		g.Stop()
	}
}
