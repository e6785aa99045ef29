package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
)

// An inputFile is a file to be read, or standard input.
type inputFile struct {
	*os.File
	name string // for messages
	info fs.FileInfo
	bar  *progress // counts the bytes read
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
		return nil, named(path, err)
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
	return in.named(0, err)
}

// Read adds the name of the file to errors.
func (in *inputFile) Read(b []byte) (int, error) {
	n, err := in.File.Read(b)
	return n, in.named(n, err)
}

// ReadAt is Read at an offset.
func (in *inputFile) ReadAt(b []byte, off int64) (int, error) {
	n, err := in.File.ReadAt(b, off)
	return n, in.named(n, err)
}

func (in *inputFile) named(n int, err error) error {
	in.bar.add(n)
	if err != nil && err != io.EOF {
		err = fmt.Errorf("%s: %w", in.name, reason(err))
	}
	return err
}

// WriteTo hides the method of os.File, which would bypass Read.
func (in *inputFile) WriteTo(w io.Writer) (int64, error) {
	return io.Copy(w, struct{ io.Reader }{in})
}
