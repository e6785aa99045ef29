package cli

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/term"
)

const progressDelay = time.Second // nothing is shown for shorter work

// ProgressInterval is the time after which progress is shown again.
const ProgressInterval = 200 * time.Millisecond

// ProgressFlag is the flag of verbs that show their progress.
type ProgressFlag struct {
	Progress string `enum:"auto,on,off" default:"auto" help:"Show progress on standard error: auto (on a terminal, after a second), on, off."`
}

// A Progress shows the progress of an operation on standard error. Its methods may be
// called from several goroutines; on nil they do nothing.
type Progress struct {
	what  string
	total int64 // -1: unknown
	bytes bool  // otherwise steps, for which only the percentage is shown
	start time.Time
	value atomic.Int64
	quit  chan struct{}
	once  sync.Once
	calm  func() // a signal need not erase the line anymore
	done  sync.WaitGroup
}

// Progress starts showing the progress of an operation with total steps, or -1 if the
// total is unknown. The mode is auto, on or off.
func (p *Program) Progress(mode, what string, total int64, bytes bool) *Progress {
	if mode == "off" || mode == "auto" && !term.IsTerminal(int(p.Stderr.Fd())) {
		return nil
	}
	delay := progressDelay
	if mode == "on" {
		delay = 0
	}
	g := &Progress{what: what, total: total, bytes: bytes, start: time.Now(), quit: make(chan struct{})}
	g.done.Go(func() { g.draw(p.Stderr, func() int { return columns(p.Stderr) }, delay) })
	g.calm = atEnd(g.erase)
	return g
}

// draw rewrites one line repeatedly and overwrites it with spaces at the end, which
// works on every terminal.
func (g *Progress) draw(w io.Writer, columns func() int, delay time.Duration) {
	wait := time.NewTimer(delay)
	defer wait.Stop()
	for last := 0; ; {
		select {
		case <-wait.C:
			line := g.line(time.Since(g.start))
			line = line[:min(len(line), max(columns()-1, 0))] // a wrapped line could not be erased
			fmt.Fprintf(w, "\r%-*s", last, line)
			last = len(line)
			wait.Reset(ProgressInterval)
		case <-g.quit:
			if last > 0 {
				fmt.Fprintf(w, "\r%*s\r", last, "")
			}
			return
		}
	}
}

// line returns the text to show after some time.
func (g *Progress) line(passed time.Duration) string {
	value := g.value.Load()
	list := []string{}
	if g.total > 0 {
		list = append(list, fmt.Sprintf("%d %%", 100*min(value, g.total)/g.total))
	}
	rate := float64(value) / max(passed, ProgressInterval).Seconds()
	switch {
	case g.bytes && g.total > 0:
		list = append(list, size(float64(value))+" of "+size(float64(g.total)), size(rate)+"/s")
	case g.bytes:
		list = append(list, size(float64(value)), size(rate)+"/s")
	case g.total <= 0:
		list = append(list, passed.Truncate(time.Second).String())
	}
	if left := float64(g.total-value) / rate; g.total > 0 && value > 0 && left >= 0 && left < 1e6 {
		list = append(list, time.Duration(left*1e9).Round(time.Second).String()+" left")
	}
	return g.what + "  " + strings.Join(list, ", ")
}

// size formats a number of bytes with two or three digits and a unit.
func size(n float64) string {
	units := []string{"B", "kB", "MB", "GB", "TB", "PB", "EB"}
	i := 0
	for ; n >= 999.5 && i < len(units)-1; i++ {
		n /= 1000
	}
	if n < 9.95 && i > 0 {
		return fmt.Sprintf("%.1f %s", n, units[i])
	}
	return fmt.Sprintf("%.0f %s", n, units[i])
}

// Add adds n steps or bytes.
func (g *Progress) Add(n int) {
	if g != nil {
		g.value.Add(int64(n))
	}
}

// Set sets how many steps or bytes are done.
func (g *Progress) Set(n int64) {
	if g != nil {
		g.value.Store(n)
	}
}

// Stop erases the line.
func (g *Progress) Stop() {
	if g != nil {
		g.erase()
	}
	if g != nil && g.calm != nil {
		g.calm()
	}
}

func (g *Progress) erase() {
	g.once.Do(func() { close(g.quit) })
	g.done.Wait()
}
