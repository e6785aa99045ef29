package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"runtime"
	"strings"
	"time"
)

// An InputFile is a file to be read, or standard input.
type InputFile struct {
	*os.File
	DisplayName string // for messages
	Info        fs.FileInfo
	Progress    *Progress // counts the bytes read

	wait func() bool // nil: Read need not be stopped
	stop func()
}

var errStopped = errors.New("reading was stopped")

// MakeStoppable makes it possible to end a Read that waits for another program, when its data is
// not wanted anymore. undo must be called after the last Read.
func (in *InputFile) MakeStoppable() (undo func()) {
	undo = func() {}
	if in.Info.Mode()&(fs.ModeNamedPipe|fs.ModeSocket|fs.ModeCharDevice) == 0 {
		return undo
	}
	if in.SetReadDeadline(time.Time{}) == nil { // it is not in blocking mode
		in.stop = func() { in.SetReadDeadline(time.Unix(1, 0)) }
	} else if wait, stop, end, err := newStopper(in.File); err == nil {
		in.wait, in.stop, undo = wait, stop, end
	}
	return undo
}

// CanStop reports whether Stop can end a Read.
func (in *InputFile) CanStop() bool { return in.stop != nil }

// Stop ends a Read that waits, if that is possible.
func (in *InputFile) Stop() {
	if in.stop != nil {
		in.stop()
	}
}

// Open opens a file; "" and "-" stand for standard input. From then on, no output may
// replace the file.
func (p *Program) Open(path string) (*InputFile, error) {
	in, err := p.OpenInput(path)
	if err == nil {
		p.inputs = append(p.inputs, in)
	}
	return in, err
}

// OpenDescriptor opens an open file of the process, by its number. From then on, no output may
// replace the file.
func (p *Program) OpenDescriptor(fd int) (*InputFile, error) {
	in, err := NewInput(p.descriptor(fd), fmt.Sprintf("descriptor %d", fd))
	if err == nil {
		p.inputs = append(p.inputs, in)
	}
	return in, err
}

// Reads registers a file that will be opened later, so that Check protects it.
func (p *Program) Reads(path string) {
	if info, err := os.Stat(path); err == nil {
		p.inputs = append(p.inputs, &InputFile{DisplayName: Quote(path), Info: info})
	}
}

// OpenInput is Open for a file that an output may replace, such as a list of checksums
// that is itself hashed.
func (p *Program) OpenInput(path string) (*InputFile, error) {
	if path == "" || path == "-" {
		return NewInput(p.Stdin, "standard input")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, WithFileName(path, err)
	}
	in, err := NewInput(f, Quote(path))
	if err != nil {
		f.Close()
	}
	return in, err
}

// NewInput returns an open file as an input, with the name that messages have for it. Directories are
// refused.
func NewInput(f *os.File, name string) (*InputFile, error) {
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = errors.New("is a directory")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, Reason(err))
	}
	return &InputFile{File: f, DisplayName: name, Info: info}, nil
}

// IsStdin reports whether Open would open standard input.
func IsStdin(path string) bool { return path == "" || path == "-" || descriptor(path) == 0 }

// Size returns the size of a regular file, and -1 for pipes and the like.
func (in *InputFile) Size() int64 {
	if !in.Info.Mode().IsRegular() {
		return -1
	}
	return in.Info.Size()
}

// mode returns the mode for a file made from this one, which must not be readable by
// more users.
func (in *InputFile) mode() fs.FileMode {
	if !in.Info.Mode().IsRegular() {
		return 0o666
	}
	return in.Info.Mode().Perm() & 0o666
}

// checkSame returns an error if the file at a path is another one, or has changed since it was
// opened.
func (in *InputFile) checkSame(path string) error {
	now, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if !os.SameFile(now, in.Info) || now.Size() != in.Info.Size() || !now.ModTime().Equal(in.Info.ModTime()) {
		return errors.New("has changed in the meantime")
	}
	return nil
}

// partsMin is the size from which a file is read and written in parts, by all goroutines
// at once.
const partsMin = 2 << 20

// Section returns what follows the offset of a regular file, up to a size: its present
// size, or more if it is negative. It returns nil for small files and everything else.
func (in *InputFile) Section(size int64) *io.SectionReader {
	if in.Size() < partsMin {
		return nil
	}
	off, err := in.Seek(0, io.SeekCurrent)
	if err != nil || in.Size()-off < partsMin {
		return nil
	}
	if size < 0 {
		size = math.MaxInt64
	}
	return io.NewSectionReader(in, off, size-off)
}

// Follow moves the offset of the file to that of a section. Other programs may share it.
func (in *InputFile) Follow(section *io.SectionReader) error {
	_, base, _ := section.Outer()
	off, err := section.Seek(0, io.SeekCurrent)
	if err == nil {
		_, err = in.Seek(base+off, io.SeekStart)
	}
	return in.withName(0, err)
}

// Read adds the name of the file to errors.
func (in *InputFile) Read(b []byte) (int, error) {
	if in.wait != nil && !in.wait() {
		return 0, errStopped
	}
	n, err := in.File.Read(b)
	return n, in.withName(n, err)
}

// ReadAt is Read at an offset.
func (in *InputFile) ReadAt(b []byte, off int64) (int, error) {
	n, err := in.File.ReadAt(b, off)
	return n, in.withName(n, err)
}

func (in *InputFile) withName(n int, err error) error {
	in.Progress.Add(n)
	if err != nil && err != io.EOF {
		err = AsNamed(fmt.Errorf("%s: %w", in.DisplayName, Reason(err)))
	}
	return err
}

// WriteTo hides the method of os.File, which would bypass Read.
func (in *InputFile) WriteTo(w io.Writer) (int64, error) {
	return io.Copy(w, struct{ io.Reader }{in})
}

// WarnOpen warns if other users can read or change a file that contains a secret. It
// only concerns regular files.
func (p *Program) WarnOpen(name string, info fs.FileInfo, what string) {
	if can := othersCan(info); can != "" {
		p.Warn("%s: warning: other users can %s this %s (mode %04o); \"chmod 600\" stops them", name, can, what, info.Mode().Perm())
	}
}

// othersCan describes what the mode of a file allows users other than its owner to do.
func othersCan(info fs.FileInfo) string {
	if !info.Mode().IsRegular() || runtime.GOOS == "windows" { // where modes do not show it
		return ""
	}
	var can []string
	for _, right := range []struct {
		bits fs.FileMode
		what string
	}{{0o044, "read"}, {0o022, "change"}} {
		if info.Mode()&right.bits != 0 {
			can = append(can, right.what)
		}
	}
	return strings.Join(can, " and ")
}

// BufferSize is a size for reading: few system calls, and it fits into a second-level cache.
const BufferSize = 256 << 10

// Fill reads until b is full or there is an error, such as io.EOF.
func Fill(r io.Reader, b []byte) (int, error) {
	n := 0
	for n < len(b) {
		m, err := r.Read(b[n:])
		n += m
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// NotEOF returns an error unless that is io.EOF.
func NotEOF(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}
