package cli

import (
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"
)

// endingSignals are the signals with which a user or the system ends programs.
var endingSignals = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}

// endings are things to put in order before such a signal ends the program, such as files that
// are not complete and a terminal without echo.
var endings struct {
	mutex   sync.Mutex
	list    []*func()
	signals chan os.Signal // nil if the list is empty: signals then have their default action
}

// atEnd has a function called before one of endingSignals ends the program, until remove is
// called. Functions are called in reverse order, from another goroutine.
func atEnd(undo func()) (remove func()) {
	e := &endings
	e.mutex.Lock()
	defer e.mutex.Unlock()
	if e.list = append(e.list, &undo); e.signals == nil {
		signals := make(chan os.Signal, 1)
		for _, s := range endingSignals {
			if !signal.Ignored(s) { // nohup ignores SIGHUP
				signal.Notify(signals, s)
			}
		}
		e.signals = signals
		go func() {
			if s, ok := <-signals; ok {
				endBy(s)
			}
		}()
	}
	return func() {
		e.mutex.Lock()
		defer e.mutex.Unlock()
		i := slices.Index(e.list, &undo)
		if i < 0 {
			return
		}
		if e.list = slices.Delete(e.list, i, i+1); len(e.list) == 0 {
			signal.Stop(e.signals)
			close(e.signals)
			e.signals = nil
		}
	}
}

// endBy ends the program by a signal that it has received.
func endBy(s os.Signal) {
	endings.mutex.Lock()
	list := slices.Clone(endings.list)
	endings.mutex.Unlock() // a function may wait for somebody who calls remove
	for _, undo := range slices.Backward(list) {
		(*undo)()
	}
	if s == syscall.SIGQUIT { // its default action writes a stack trace or a core with secrets
		os.Exit(128 + int(syscall.SIGQUIT))
	}
	dieBy(s)
}

// dieBy has the default action of a signal. Ending by the same signal makes a shell stop its
// script, too.
func dieBy(s os.Signal) {
	signal.Reset(s)
	if self, err := os.FindProcess(os.Getpid()); err == nil && self.Signal(s) == nil {
		select {}
	}
	os.Exit(ExitFailed)
}
