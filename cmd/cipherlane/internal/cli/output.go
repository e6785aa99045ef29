package cli

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// A Target describes an output of a verb: "" and "-" stand for standard output.
type Target struct {
	Path string
	Mode fs.FileMode // of a new file, before the umask
	Keep bool        // a file that replaces another gets the mode of the old one

	// VersionOf is not nil if the target is this file, of which the output is a new version. It
	// also gets the owner and the group of the old one, and replaces it only if that has not changed. After a
	// crash of the system, there is one of them.
	VersionOf *InputFile
}

// Outputs are the outputs of a verb. Either all of them appear or none.
type Outputs struct {
	List  []*Output
	force bool

	mutex   sync.Mutex // held to commit or discard the files
	settled bool
	unwatch func() // nil if there are no files
}

// An Output is a destination of a verb: standard output, a device, or a file that
// appears under its name only when it is complete.
type Output struct {
	File        *os.File
	DisplayName string // for messages
	path        string // final path of the file; empty if written directly
	shared      bool   // standard output or error, which must not be closed
	textOnly    bool   // a terminal, to which only text may be written
	cut         []byte // the beginning of a character, already written

	replaced fs.FileInfo // the replaced file, if its mode is kept
	version  *InputFile  // the replaced file, if this is a new version of it
	temp     string      // temporary name of the new file; empty if it has none
	old      string      // temporary name of the replaced file, until commit is done
	newInfo  fs.FileInfo // the new file, when it is complete
	placed   bool        // the new file has its final name
}

// Functions that tests replace.
var NewUnnamed, nameUnnamed, Rename = OpenUnnamed, linkUnnamed, os.Rename

// Create checks and opens the outputs of a verb. A device, a pipe or an open file of the
// process is written to directly.
func (p *Program) Create(force bool, targets ...Target) (*Outputs, error) {
	places, err := p.Check(force, targets...)
	if err != nil {
		return nil, err
	}
	outs := &Outputs{force: force}
	files := false
	for _, at := range places { // opening a pipe may block; signals must still end the program
		out := &Output{File: at.open, DisplayName: at.name, shared: at.open == p.Out || at.open == p.Stderr}
		switch {
		case at.open != nil:
		case at.device():
			if out.File, err = os.OpenFile(at.path, os.O_WRONLY, 0); err != nil {
				return nil, WithFileName(at.path, err)
			}
		default:
			out.path = at.path
			files = true
		}
		outs.List = append(outs.List, out)
	}
	if !files {
		return outs, nil
	}
	// Before there is a file that a signal could leave behind. Until all of them exist, the
	// signal waits.
	outs.mutex.Lock()
	defer outs.mutex.Unlock()
	outs.unwatch = atEnd(func() {
		outs.mutex.Lock() // never unlocked: nothing else may happen
		if !outs.settled {
			outs.undo()
		}
	})
	ignoreWriteSignals()
	for i, out := range outs.List {
		if out.path == "" {
			continue
		}
		out.version = targets[i].VersionOf
		mode := targets[i].Mode
		if old := places[i].own; old != nil && old.Mode().IsRegular() {
			// No more permissive than the old file, but usable by its owner.
			mode &= old.Mode().Perm() | 0o600
			if targets[i].Keep {
				out.replaced = old
				mode &= old.Mode().Perm() // until the end
			}
		}
		if err := out.open(mode); err != nil {
			outs.undo()
			outs.settle()
			return nil, WithFileName(out.path, err)
		}
	}
	return outs, nil
}

// A place describes what exists at the path of a target.
type place struct {
	name string      // for messages
	path string      // empty for standard output
	open *os.File    // standard output, or another open file of the process
	own  fs.FileInfo // of the path itself; nil if nothing exists there
	err  error       // why own is nil
	info fs.FileInfo // like own, but following symbolic links
	dir  fs.FileInfo // of its directory
}

func (at place) device() bool {
	return at.info != nil && at.info.Mode()&(fs.ModeDevice|fs.ModeNamedPipe|fs.ModeSocket) != 0
}

// same reports whether outputs to the two places would overwrite each other or be
// mixed.
func (at place) same(other place) bool {
	switch {
	case at.open != nil && at.open == other.open:
		return true
	case at.info != nil && other.info != nil:
		return os.SameFile(at.info, other.info) && at.info.Mode()&fs.ModeCharDevice == 0
	case at.dir != nil && other.dir != nil:
		return filepath.Base(at.path) == filepath.Base(other.path) && os.SameFile(at.dir, other.dir)
	}
	return false
}

// CheckPair is check for an output and, unless it is empty, the file of a public key.
func (p *Program) CheckPair(force bool, output, public string) error {
	targets := []Target{{Path: output}}
	if public != "" {
		targets = append(targets, Target{Path: public})
	}
	_, err := p.Check(force, targets...)
	return err
}

// Check returns an error if a target cannot be written, or if writing it would overwrite
// an input, another output or, without force, any file. Verbs call it before they ask
// for a passphrase or generate a key; create calls it, too.
func (p *Program) Check(force bool, targets ...Target) ([]place, error) {
	var places []place
	for _, t := range targets {
		at := p.look(t.Path)
		for _, other := range places {
			if at.same(other) {
				return nil, errSameOutput(at.name)
			}
		}
		for _, in := range p.inputs {
			// A device such as a terminal may be both, but not a regular file or a disk.
			kind := in.Info.Mode() & (fs.ModeType &^ fs.ModeDevice)
			if at.info != nil && kind == 0 && os.SameFile(in.Info, at.info) {
				return nil, Usagef("%s: input and output are the same file", in.DisplayName)
			}
		}
		places = append(places, at)
	}
	for _, at := range places {
		switch {
		case at.open != nil:
			if at.info == nil {
				return nil, fmt.Errorf("%s: is not open", at.name)
			}
		case at.own == nil:
			if !errors.Is(at.err, fs.ErrNotExist) {
				return nil, WithFileName(at.path, at.err)
			}
		case at.info != nil && at.info.IsDir():
			return nil, fmt.Errorf("%s: is a directory", at.name)
		case !at.device() && !force:
			return nil, exists(at.path)
		}
	}
	return places, nil
}

func errSameOutput(name string) error {
	return Usagef("%s: two outputs cannot go to the same file", name)
}

func exists(path string) error {
	return fmt.Errorf("%s: exists already; use -f to replace it", Quote(path))
}

func (p *Program) look(path string) place {
	at := place{name: Quote(path), path: path}
	if path == "" || path == "-" {
		at.open, at.name = p.Out, "standard output"
	} else if fd := descriptor(path); fd >= 0 {
		at.open = p.descriptor(fd)
	}
	if at.open != nil {
		at.info, _ = at.open.Stat()
		return at
	}
	at.own, at.err = os.Lstat(path)
	at.info, _ = os.Stat(path)
	at.dir, _ = os.Stat(directory(path))
	return at
}

// directory is filepath.Dir for paths with symbolic links: filepath.Dir would simplify
// link/../file incorrectly.
func directory(path string) string {
	if dir, _ := filepath.Split(path); dir != "" {
		return dir
	}
	return "."
}

// descriptor returns the number of the open file that a path such as /dev/stdout
// or /dev/fd/3 stands for, or -1. Such a file must not be replaced.
func descriptor(path string) int {
	for range 8 {
		dir, base := filepath.Split(path)
		if n, err := strconv.ParseUint(base, 10, 31); err == nil && (dir == "/dev/fd/" || dir == "/proc/self/fd/") {
			return int(n)
		}
		next, err := os.Readlink(path)
		if err != nil {
			return -1
		}
		if !filepath.IsAbs(next) {
			next = dir + next
		}
		path = next
	}
	return -1
}

// descriptor returns an open file of the process. It always returns the same os.File for
// a number, because an os.File is closed when it is no longer referenced.
func (p *Program) descriptor(fd int) *os.File {
	switch fd {
	case 0:
		return p.Stdin
	case 1:
		return p.Out
	case 2:
		return p.Stderr
	}
	f := p.descriptors[fd]
	if f == nil {
		if p.descriptors == nil {
			p.descriptors = map[int]*os.File{}
		}
		f = os.NewFile(uintptr(fd), fmt.Sprintf("descriptor %d", fd))
		p.descriptors[fd] = f
	}
	return f
}

// open creates the file, if possible without a name, so that it cannot be left behind.
func (o *Output) open(mode fs.FileMode) (err error) {
	if o.File, err = NewUnnamed(directory(o.path), mode); err == nil {
		return nil
	}
	o.File, err = o.temporary(mode)
	return err
}

// hidden returns a random name in the same directory.
func (o *Output) hidden() string {
	dir, _ := filepath.Split(o.path)
	var b [6]byte
	rand.Read(b[:]) // never fails
	return dir + fmt.Sprintf(".cipherlane-%x", b)
}

// retry calls f with new names until it finds one that does not exist.
func (o *Output) retry(f func(name string) error) (name string, err error) {
	for range 100 {
		name = o.hidden()
		if err = f(name); !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	return name, err
}

// temporary creates a file with a temporary name in the same directory.
func (o *Output) temporary(mode fs.FileMode) (f *os.File, err error) {
	name, err := o.retry(func(name string) (err error) {
		f, err = os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
		return err
	})
	if err == nil {
		o.temp = name
	}
	return f, err
}

// Commit writes the texts, if any, to the outputs and gives the files their names. If
// anything fails, the previous files are restored. Output that is written directly
// cannot be undone and therefore comes last.
func (o *Outputs) Commit(texts ...[]byte) error {
	defer o.Discard()
	for i, text := range texts {
		if out := o.List[i]; out.path != "" {
			if _, err := out.Write(text); err != nil {
				return err
			}
		}
	}
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if err := o.place(); err != nil {
		return err
	}
	for i, out := range o.List {
		if out.path != "" {
			continue
		}
		if i < len(texts) {
			o.mutex.Unlock() // the write may block, and signals must still be handled
			_, err := out.Write(texts[i])
			o.mutex.Lock()
			if err != nil {
				return err
			}
		}
		if !out.shared {
			if err := out.File.Close(); err != nil {
				return out.failure(err)
			}
		}
	}
	for _, out := range o.List {
		if out.old != "" {
			os.Remove(out.old)
		}
	}
	o.settle()
	return nil
}

// place gives all files their names.
func (o *Outputs) place() error {
	for _, out := range o.List {
		if out.path == "" {
			continue
		}
		if err := out.complete(); err != nil {
			return out.failure(err)
		}
	}
	for i, out := range o.List {
		if out.path == "" {
			continue
		}
		// Different names for the same file, such as K and k on some systems.
		info, err := os.Lstat(out.path)
		for _, other := range o.List[:i] {
			if err == nil && other.placed && os.SameFile(info, other.newInfo) {
				return errSameOutput(out.DisplayName)
			}
		}
		if err := out.place(o.force, len(o.List) > 1); err != nil {
			return err
		}
	}
	return nil
}

// complete finishes the file before it gets its name.
func (o *Output) complete() (err error) {
	if o.version != nil {
		keepOwner(o.File, o.version.Info)
		if err := o.File.Sync(); err != nil {
			return err
		}
		if err := o.version.checkSame(o.path); err != nil {
			return err
		}
		o.version.Close() // Windows does not replace a file that is open
	}
	if o.replaced != nil {
		mode := o.replaced.Mode().Perm()
		if mode&0o070 != 0 && !sameGroup(o.File, o.path, o.replaced) {
			mode &^= 0o070
		}
		o.File.Chmod(mode) // if that fails, the mode is only more restrictive
	}
	if o.newInfo, err = o.File.Stat(); err != nil {
		return err
	}
	if o.temp == "" {
		return nil // closing it would remove it
	}
	return o.File.Close() // some file systems report a full disk only here
}

// place gives the file its name. With keepOld, the file that it replaces can be
// restored until commit is done.
func (o *Output) place(force, keepOld bool) error {
	if o.temp == "" {
		err := nameUnnamed(o.File, o.path)
		o.placed = err == nil
		if errors.Is(err, fs.ErrExist) && !force {
			return exists(o.path)
		}
		if err != nil {
			err = o.nameTemporarily()
		}
		if err == nil {
			err = o.File.Close()
		}
		if err != nil {
			return o.failure(err)
		}
		if o.placed {
			return nil
		}
	}
	if !force {
		// Unlike a rename, a link fails if the name exists by now.
		if os.Link(o.temp, o.path) == nil {
			o.placed = true
			os.Remove(o.temp)
			return nil
		}
		if _, err := os.Lstat(o.path); err == nil {
			return exists(o.path)
		}
		// The file system does not support links.
	} else if keepOld {
		if err := o.keepOld(); err != nil {
			return o.failure(err)
		}
	}
	if err := Rename(o.temp, o.path); err != nil {
		return o.failure(err)
	}
	o.placed = true
	return nil
}

// nameTemporarily gives an unnamed file a temporary name: Linux cannot replace a file
// directly by an unnamed one.
func (o *Output) nameTemporarily() error {
	name, err := o.retry(func(name string) error { return nameUnnamed(o.File, name) })
	if err == nil {
		o.temp = name
		return nil
	}
	// Some systems, such as Android, forbid naming it: copy it instead.
	from := o.File
	defer from.Close()
	if o.File, err = o.temporary(0o600); err != nil {
		return err
	}
	if _, err := io.Copy(o.File, io.NewSectionReader(from, 0, o.newInfo.Size())); err != nil {
		return err
	}
	o.File.Chmod(o.newInfo.Mode().Perm())
	o.newInfo, err = o.File.Stat()
	return err
}

// keepOld gives the existing file a second name or, if links are not supported, renames
// it.
func (o *Output) keepOld() error {
	if info, err := os.Lstat(o.path); err != nil || info.IsDir() {
		return nil // nothing to keep, or the rename will fail
	}
	name, err := o.retry(func(name string) error { return os.Link(o.path, name) })
	if err != nil {
		name = o.hidden()
		err = os.Rename(o.path, name)
	}
	if err == nil {
		o.old = name
	}
	return err
}

// undo removes the file and restores the one that it replaced.
func (o *Output) undo() {
	if o.path == "" {
		return
	}
	if o.File != nil {
		o.File.Close()
	}
	if info, err := os.Lstat(o.path); err == nil && o.placed && os.SameFile(info, o.newInfo) {
		os.Remove(o.path)
	}
	if o.old != "" {
		os.Rename(o.old, o.path)
		os.Remove(o.old) // renaming to another name of the same file does nothing
	}
	if o.temp != "" {
		os.Remove(o.temp)
	}
}

// Discard removes the files unless they have been committed. Callers defer it.
func (o *Outputs) Discard() {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if !o.settled {
		o.undo()
		o.settle()
	}
}

func (o *Outputs) undo() {
	for _, out := range slices.Backward(o.List) {
		out.undo()
	}
}

func (o *Outputs) settle() {
	o.settled = true
	if o.unwatch != nil {
		o.unwatch()
	}
}

// failure prefixes a write error with the name of the output.
func (o *Output) failure(err error) error {
	return AsNamed(fmt.Errorf("%s: %w", o.DisplayName, Reason(err)))
}

// Write adds the name of the output to errors.
func (o *Output) Write(b []byte) (int, error) {
	if o.textOnly && !o.isText(b) {
		return 0, AsNamed(ErrBinary)
	}
	n, err := o.File.Write(b)
	if err != nil {
		err = o.failure(err)
	}
	return n, err
}

// WriteAt adds the name of the output to errors.
func (o *Output) WriteAt(b []byte, off int64) (int, error) {
	n, err := o.File.WriteAt(b, off)
	if err != nil {
		err = o.failure(err)
	}
	return n, err
}

// Parts calls work with a writer to the output. If that is a new file, parts of it can be
// written in any order, and what work leaves behind the end is cut off.
func (o *Output) Parts(work func(io.Writer) error) error {
	if o.path == "" {
		return work(o)
	}
	w := io.NewOffsetWriter(o, 0)
	if err := work(w); err != nil {
		return err
	}
	end, err := w.Seek(0, io.SeekCurrent)
	if err != nil {
		return err
	}
	info, err := o.File.Stat()
	if err == nil && info.Size() > end {
		err = o.File.Truncate(end)
	}
	if err != nil {
		return o.failure(err)
	}
	return nil
}

// ErrBinary refuses to print binary data on a terminal.
var ErrBinary = AsUsage(errors.New("standard output: is a terminal, and the output is binary; use -o FILE, or -o - to write it anyway"))

// isText reports whether b, following what was written before, is text without control
// characters that would affect a terminal.
func (o *Output) isText(b []byte) bool {
	b = slices.Concat(o.cut, b)
	for len(b) > 0 && utf8.FullRune(b) {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 || unicode.IsControl(r) && !strings.ContainsRune("\t\n\f\r", r) {
			return false
		}
		b = b[n:]
	}
	o.cut = b
	return true
}

// A Part is a file to be written.
type Part struct {
	File string
	Mode fs.FileMode
	Text []byte
}

// WriteBoth writes files that belong together. If one of them cannot be written, none
// appears.
func (p *Program) WriteBoth(force bool, parts ...Part) error {
	var targets []Target
	var texts [][]byte
	for _, part := range parts {
		if part.Mode == 0o600 {
			defer clear(part.Text)
		}
		targets = append(targets, Target{Path: part.File, Mode: part.Mode})
		texts = append(texts, part.Text)
	}
	outs, err := p.Create(force, targets...)
	if err != nil {
		return err
	}
	for i, out := range outs.List {
		if out.path != "" || parts[i].Mode != 0o600 {
			continue
		}
		if info, err := out.File.Stat(); err == nil && othersCan(info) != "" {
			p.Warn("%s: warning: other users can %s the file that the key goes to (mode %04o)", out.DisplayName, othersCan(info), info.Mode().Perm())
		}
	}
	return outs.Commit(texts...)
}
