package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
)

// An output is where a verb writes its result: standard output, a device, or a
// file that appears under its name only when it is complete.
type output struct {
	*os.File
	name    string // for messages
	path    string // where the file goes; empty if it is written directly
	replace bool

	mutex   sync.Mutex // held to decide what becomes of the file
	settled bool
	signals chan os.Signal
}

// create opens the output of that name; "" and "-" stand for standard output.
// A file gets the mode less what the umask forbids. If there is one already,
// this fails unless it may be replaced. A device or pipe is written to as it
// is.
func (p *program) create(path string, replace bool, mode fs.FileMode) (*output, error) {
	if path == "" || path == "-" {
		return &output{File: p.out, name: "standard output"}, nil
	}
	info, err := os.Lstat(path)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		if i, err := os.Stat(path); err == nil && !i.Mode().IsRegular() {
			info = i // such as a link to a device
		}
	}
	switch {
	case err == nil && info.IsDir():
		return nil, fmt.Errorf("%s: is a directory", quote(path))
	case err == nil && info.Mode()&(fs.ModeDevice|fs.ModeNamedPipe|fs.ModeSocket) != 0:
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return nil, named(path, err)
		}
		return &output{File: f, name: quote(path)}, nil
	case err == nil && !replace:
		return nil, exists(path)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, named(path, err)
	}
	o := &output{name: quote(path), path: path, replace: replace, signals: make(chan os.Signal, 1)}
	// Before there is a file that a signal could leave behind.
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) { // as nohup makes it
			signal.Notify(o.signals, s)
		}
	}
	signal.Ignore(syscall.SIGPIPE) // messages to a closed pipe must not end the program either
	if o.File, err = temporary(path, mode); err != nil {
		signal.Stop(o.signals)
		return nil, named(path, err)
	}
	go o.watch()
	return o, nil
}

func exists(path string) error {
	return fmt.Errorf("%s: exists already; use -f to replace it", quote(path))
}

// temporary creates a new file beside path.
func temporary(path string, mode fs.FileMode) (*os.File, error) {
	for i := 0; ; i++ {
		name := filepath.Join(filepath.Dir(path), fmt.Sprintf(".cipherlane-%x", random(6)))
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if err == nil || !errors.Is(err, fs.ErrExist) || i == 100 {
			return f, err
		}
	}
}

// watch removes the file when the program is told to end.
func (o *output) watch() {
	s, ok := <-o.signals
	if !ok {
		return
	}
	o.mutex.Lock() // for good: nothing else is to happen
	if !o.settled {
		os.Remove(o.Name())
	}
	// Ending by the same signal tells a shell to stop its script, too.
	signal.Reset(s)
	if self, err := os.FindProcess(os.Getpid()); err == nil && self.Signal(s) == nil {
		select {}
	}
	os.Exit(exitFailed)
}

// failure puts the output's name in front of an error of writing to it.
func (o *output) failure(err error) error { return fmt.Errorf("%s: %w", o.name, reason(err)) }

// commit gives the file its name. Output that was written directly is only
// closed.
func (o *output) commit() error {
	if o.path == "" {
		if o.File == os.Stdout {
			return nil
		}
		if err := o.Close(); err != nil {
			return o.failure(err)
		}
		return nil
	}
	if err := o.Close(); err != nil { // some file systems report a full disk only here
		o.discard()
		return o.failure(err)
	}
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if o.settled {
		return nil
	}
	err := o.rename()
	if err != nil {
		os.Remove(o.Name())
	}
	o.settle()
	return err
}

func (o *output) rename() error {
	if !o.replace {
		// Unlike a rename, a link fails if another file has the name by now.
		err := os.Link(o.Name(), o.path)
		if err == nil {
			os.Remove(o.Name())
			return nil
		}
		if _, err := os.Lstat(o.path); err == nil {
			return exists(o.path)
		}
		// A file system without links.
	}
	if err := os.Rename(o.Name(), o.path); err != nil {
		return o.failure(err)
	}
	return nil
}

// discard removes the file unless it has been committed: it is to be deferred.
func (o *output) discard() {
	if o.path == "" {
		return
	}
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if !o.settled {
		o.Close()
		os.Remove(o.Name())
		o.settle()
	}
}

func (o *output) settle() {
	o.settled = true
	signal.Stop(o.signals)
	close(o.signals)
}

// Write puts the name of the output into errors.
func (o *output) Write(b []byte) (int, error) {
	n, err := o.File.Write(b)
	if err != nil {
		err = o.failure(err)
	}
	return n, err
}
