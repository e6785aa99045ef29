package main

import (
	"crypto/cipher"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"time"
)

// An inputFile is a file to be read, or standard input.
type inputFile struct {
	*os.File
	name string // for messages
	info fs.FileInfo
	bar  *progress // counts the bytes read

	wait func() bool // nil: Read need not be stopped
	stop func()
}

var errStopped = errors.New("reading was stopped")

// stoppable makes it possible to end a Read that waits for another program, when its data is
// not wanted anymore. undo must be called after the last Read.
func (in *inputFile) stoppable() (undo func()) {
	undo = func() {}
	if in.info.Mode()&(fs.ModeNamedPipe|fs.ModeSocket|fs.ModeCharDevice) == 0 {
		return undo
	}
	if in.SetReadDeadline(time.Time{}) == nil { // it is not in blocking mode
		in.stop = func() { in.SetReadDeadline(time.Unix(1, 0)) }
	} else if wait, stop, end, err := newStopper(in.File); err == nil {
		in.wait, in.stop, undo = wait, stop, end
	}
	return undo
}

// Stop ends a Read that waits, if that is possible.
func (in *inputFile) Stop() {
	if in.stop != nil {
		in.stop()
	}
}

// A stoppingWriter stops reading an input after an error.
type stoppingWriter struct {
	io.Writer
	in *inputFile
}

func (w stoppingWriter) Write(b []byte) (int, error) {
	n, err := w.Writer.Write(b)
	if err != nil {
		w.in.Stop()
	}
	return n, err
}

// A stoppingAEAD stops reading an input after a message that is not authentic.
type stoppingAEAD struct {
	cipher.AEAD
	in *inputFile
}

func (a stoppingAEAD) Open(dst, nonce, ciphertext, data []byte) ([]byte, error) {
	out, err := a.AEAD.Open(dst, nonce, ciphertext, data)
	if err != nil {
		a.in.Stop()
	}
	return out, err
}

// open opens a file; "" and "-" stand for standard input. From then on, no output may
// replace the file.
func (p *program) open(path string) (*inputFile, error) {
	in, err := p.openInput(path)
	if err == nil {
		p.inputs = append(p.inputs, in)
	}
	return in, err
}

// reads registers a file that will be opened later, so that check protects it.
func (p *program) reads(path string) {
	if info, err := os.Stat(path); err == nil {
		p.inputs = append(p.inputs, &inputFile{name: quote(path), info: info})
	}
}

// openInput is open for a file that an output may replace, such as a list of checksums
// that is itself hashed.
func (p *program) openInput(path string) (*inputFile, error) {
	if path == "" || path == "-" {
		return newInput(p.stdin, "standard input")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, withFileName(path, err)
	}
	in, err := newInput(f, quote(path))
	if err != nil {
		f.Close()
	}
	return in, err
}

func newInput(f *os.File, name string) (*inputFile, error) {
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = errors.New("is a directory")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, reason(err))
	}
	return &inputFile{File: f, name: name, info: info}, nil
}

// isStdin reports whether open would open standard input.
func isStdin(path string) bool { return path == "" || path == "-" || descriptor(path) == 0 }

// size returns the size of a regular file, and -1 for pipes and the like.
func (in *inputFile) size() int64 {
	if !in.info.Mode().IsRegular() {
		return -1
	}
	return in.info.Size()
}

// mode returns the mode for a file made from this one, which must not be readable by
// more users.
func (in *inputFile) mode() fs.FileMode {
	if !in.info.Mode().IsRegular() {
		return 0o666
	}
	return in.info.Mode().Perm() & 0o666
}

// partsMin is the size from which a file is read and written in parts, by all goroutines
// at once.
const partsMin = 2 << 20

// section returns what follows the offset of a regular file, up to a size: its present
// size, or more if it is negative. It returns nil for small files and everything else.
func (in *inputFile) section(size int64) *io.SectionReader {
	if in.size() < partsMin {
		return nil
	}
	off, err := in.Seek(0, io.SeekCurrent)
	if err != nil || in.size()-off < partsMin {
		return nil
	}
	if size < 0 {
		size = math.MaxInt64
	}
	return io.NewSectionReader(in, off, size-off)
}

// follow moves the offset of the file to that of a section. Other programs may share it.
func (in *inputFile) follow(section *io.SectionReader) error {
	_, base, _ := section.Outer()
	off, err := section.Seek(0, io.SeekCurrent)
	if err == nil {
		_, err = in.Seek(base+off, io.SeekStart)
	}
	return in.withName(0, err)
}

// Read adds the name of the file to errors.
func (in *inputFile) Read(b []byte) (int, error) {
	if in.wait != nil && !in.wait() {
		return 0, errStopped
	}
	n, err := in.File.Read(b)
	return n, in.withName(n, err)
}

// ReadAt is Read at an offset.
func (in *inputFile) ReadAt(b []byte, off int64) (int, error) {
	n, err := in.File.ReadAt(b, off)
	return n, in.withName(n, err)
}

func (in *inputFile) withName(n int, err error) error {
	in.bar.add(n)
	if err != nil && err != io.EOF {
		err = namedError{fmt.Errorf("%s: %w", in.name, reason(err))}
	}
	return err
}

// A namedError begins with the name of the file or device that it concerns, or says in another
// way what it concerns. Nothing must be added in front of it.
type namedError struct{ error }

func (e namedError) Unwrap() error { return e.error }

// aboutFile puts the name of a file in front of an error, unless that is a namedError, which
// some library may have wrapped.
func aboutFile(name string, err error) error {
	if e := new(namedError); errors.As(err, e) {
		return *e
	}
	return fmt.Errorf("%s: %w", name, err)
}

// WriteTo hides the method of os.File, which would bypass Read.
func (in *inputFile) WriteTo(w io.Writer) (int64, error) {
	return io.Copy(w, struct{ io.Reader }{in})
}
