package main

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

const (
	progressDelay    = time.Second // shorter work shows nothing
	progressInterval = 200 * time.Millisecond
)

// A progress shows on standard error how far the work is. Its methods may be
// called from several goroutines; on nil they do nothing.
type progress struct {
	value atomic.Int64
	bar   *progressbar.ProgressBar
	quit  chan struct{}
	once  sync.Once
	done  sync.WaitGroup
}

// progress starts showing the progress of a work of total steps; -1 stands for
// a total that is not known. The mode is auto, on or off.
func (p *program) progress(mode, what string, total int64, bytes bool) *progress {
	if mode == "off" || mode == "auto" && !term.IsTerminal(int(p.stderr.Fd())) {
		return nil
	}
	delay := progressDelay
	if mode == "on" {
		delay = 0
	}
	options := []progressbar.Option{
		progressbar.OptionSetWriter(p.stderr),
		progressbar.OptionSetDescription(what),
		progressbar.OptionSetRenderBlankState(false),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionSetSpinnerChangeInterval(0), // draw has the only clock
	}
	if bytes {
		options = append(options, progressbar.OptionShowBytes(true), progressbar.OptionShowCount())
	}
	g := &progress{bar: progressbar.NewOptions64(total, options...), quit: make(chan struct{})}
	g.bar.StartWithoutRender() // the rate counts from here
	g.done.Go(func() { g.draw(delay) })
	return g
}

func (g *progress) draw(delay time.Duration) {
	wait := time.NewTimer(delay)
	defer wait.Stop()
	for shown := false; ; shown = true {
		select {
		case <-wait.C:
			g.bar.Set64(g.value.Load())
			wait.Reset(progressInterval)
		case <-g.quit:
			if shown {
				g.bar.Clear()
			}
			return
		}
	}
}

func (g *progress) add(n int) {
	if g != nil {
		g.value.Add(int64(n))
	}
}

func (g *progress) set(n int64) {
	if g != nil {
		g.value.Store(n)
	}
}

// stop removes the bar.
func (g *progress) stop() {
	if g != nil {
		g.once.Do(func() { close(g.quit) })
		g.done.Wait()
	}
}
