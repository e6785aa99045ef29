package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"unicode"
	"unicode/utf8"
)

// A target is what a verb wants to write: "" and "-" stand for standard output.
type target struct {
	path string
	mode fs.FileMode // of a new file, less what the umask forbids
	keep bool        // a file that replaces another one gets its mode
}

// outputs are the outputs of a verb. All of them appear, or none.
type outputs struct {
	list  []*output
	force bool

	mutex   sync.Mutex // held to decide what becomes of the files
	settled bool
	signals chan os.Signal // nil if there are no files
}

// An output is where a verb writes a result: standard output, a device, or a
// file that appears under its name only when it is complete.
type output struct {
	file     *os.File
	name     string // for messages
	path     string // where the file goes; empty if it is written directly
	shared   bool   // standard output, which others still write to
	textOnly bool   // a terminal, which is not to get anything but text
	cut      []byte // the beginning of a character, written already

	replaced fs.FileInfo // the file that keeps its mode
	temp     string      // the name of the file until it gets its own; empty if it has none
	old      string      // the name of what was replaced, until all is done
	made     fs.FileInfo // the file when it is complete
	placed   bool
}

// endingSignals are those that a user or the system ends programs with.
var endingSignals = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}

// Variables for tests.
var newUnnamed, nameUnnamed = openUnnamed, linkUnnamed

// create opens the outputs of a verb unless check has something against it. A
// device, a pipe or an open file of the process is written to as it is.
func (p *program) create(force bool, targets ...target) (*outputs, error) {
	places, err := p.check(force, targets...)
	if err != nil {
		return nil, err
	}
	outs := &outputs{force: force}
	files := false
	for _, at := range places { // opening a pipe may wait, and signals end that
		out := &output{file: at.open, name: at.name, shared: at.open == p.out || at.open == p.stderr}
		switch {
		case at.open != nil:
		case at.device():
			if out.file, err = os.OpenFile(at.path, os.O_WRONLY, 0); err != nil {
				return nil, named(at.path, err)
			}
		default:
			out.path = at.path
			files = true
		}
		outs.list = append(outs.list, out)
	}
	if !files {
		return outs, nil
	}
	// Before there is a file that a signal could leave behind.
	outs.signals = make(chan os.Signal, 1)
	for _, s := range endingSignals {
		if !signal.Ignored(s) { // as nohup makes it
			signal.Notify(outs.signals, s)
		}
	}
	ignoreWriteSignals()
	for i, out := range outs.list {
		if out.path == "" {
			continue
		}
		mode := targets[i].mode
		if old := places[i].own; old != nil && old.Mode().IsRegular() {
			// Never more open than the old file, but its owner has to be able to use it.
			mode &= old.Mode().Perm() | 0o600
			if targets[i].keep {
				out.replaced = old
				mode &= old.Mode().Perm() // until the end
			}
		}
		if err := out.open(mode); err != nil {
			outs.discard()
			return nil, named(out.path, err)
		}
	}
	go outs.watch()
	return outs, nil
}

// A place is what there is at the path of a target.
type place struct {
	name string      // for messages
	path string      // empty for standard output
	open *os.File    // standard output, or another open file of the process
	own  fs.FileInfo // of the path itself; nil if there is nothing
	err  error       // why own is nil
	info fs.FileInfo // the same through symbolic links
	dir  fs.FileInfo // of its directory
}

func (at place) device() bool {
	return at.info != nil && at.info.Mode()&(fs.ModeDevice|fs.ModeNamedPipe|fs.ModeSocket) != 0
}

// same reports whether what is written to one place gets lost in the other or
// mixed with it.
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

// check returns an error if a target cannot be written, or if something would be
// lost: an input, another output, or, without force, any file. Verbs call it
// before they ask anything or make a key; create calls it, too.
func (p *program) check(force bool, targets ...target) ([]place, error) {
	var places []place
	for _, t := range targets {
		at := p.look(t.path)
		for _, other := range places {
			if at.same(other) {
				return nil, errSameOutput(at.name)
			}
		}
		for _, in := range p.inputs {
			// Not devices such as a terminal, but a disk cannot be both either.
			kind := in.info.Mode() & (fs.ModeType &^ fs.ModeDevice)
			if at.info != nil && kind == 0 && os.SameFile(in.info, at.info) {
				return nil, usagef("%s: input and output are the same file", in.name)
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
				return nil, named(at.path, at.err)
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
	return usagef("%s: two outputs cannot go to the same file", name)
}

func exists(path string) error {
	return fmt.Errorf("%s: exists already; use -f to replace it", quote(path))
}

func (p *program) look(path string) place {
	at := place{name: quote(path), path: path}
	if path == "" || path == "-" {
		at.open, at.name = p.out, "standard output"
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

// directory is filepath.Dir for paths through symbolic links: of link/../file that is
// not the same.
func directory(path string) string {
	if dir, _ := filepath.Split(path); dir != "" {
		return dir
	}
	return "."
}

// descriptor returns the number of the open file that a path such as /dev/stdout
// or /dev/fd/3 stands for, or -1. That is no file to be replaced.
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

// descriptor returns an open file of the process, always the same for a number:
// the last reference to an os.File closes it.
func (p *program) descriptor(fd int) *os.File {
	switch fd {
	case 0:
		return p.stdin
	case 1:
		return p.out
	case 2:
		return p.stderr
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

// open creates the file: one without a name if possible, which nothing can leave
// behind.
func (o *output) open(mode fs.FileMode) (err error) {
	if o.file, err = newUnnamed(directory(o.path), mode); err == nil {
		return nil
	}
	o.file, err = o.temporary(mode)
	return err
}

// hidden returns a new name beside the path.
func (o *output) hidden() string {
	dir, _ := filepath.Split(o.path)
	return dir + fmt.Sprintf(".cipherlane-%x", random(6))
}

// retry calls f with new names until there is no file of that name.
func (o *output) retry(f func(name string) error) (name string, err error) {
	for range 100 {
		name = o.hidden()
		if err = f(name); !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	return name, err
}

// temporary creates a file beside the path.
func (o *output) temporary(mode fs.FileMode) (f *os.File, err error) {
	name, err := o.retry(func(name string) (err error) {
		f, err = os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
		return err
	})
	if err == nil {
		o.temp = name
	}
	return f, err
}

// watch removes the files when the program is told to end.
func (o *outputs) watch() {
	s, ok := <-o.signals
	if !ok {
		return
	}
	o.mutex.Lock() // for good: nothing else is to happen
	if !o.settled {
		o.undo()
	}
	if s == syscall.SIGQUIT { // which would write a core with what is secret, or a trace
		os.Exit(128 + int(syscall.SIGQUIT))
	}
	// Ending by the same signal tells a shell to stop its script, too.
	signal.Reset(s)
	if self, err := os.FindProcess(os.Getpid()); err == nil && self.Signal(s) == nil {
		select {}
	}
	os.Exit(exitFailed)
}

// commit gives the files their names. The texts, if any, are what the outputs
// get before that. If anything fails, all is as it was before: what is written
// directly, and cannot be taken back, therefore comes last.
func (o *outputs) commit(texts ...[]byte) error {
	defer o.discard()
	for i, text := range texts {
		if out := o.list[i]; out.path != "" {
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
	for i, out := range o.list {
		if out.path != "" {
			continue
		}
		if i < len(texts) {
			o.mutex.Unlock() // nobody may be reading
			_, err := out.Write(texts[i])
			o.mutex.Lock()
			if err != nil {
				return err
			}
		}
		if !out.shared {
			if err := out.file.Close(); err != nil {
				return out.failure(err)
			}
		}
	}
	for _, out := range o.list {
		if out.old != "" {
			os.Remove(out.old)
		}
	}
	o.settle()
	return nil
}

// place gives all files their names.
func (o *outputs) place() error {
	for _, out := range o.list {
		if out.path == "" {
			continue
		}
		if err := out.complete(); err != nil {
			return out.failure(err)
		}
	}
	for i, out := range o.list {
		if out.path == "" {
			continue
		}
		// Names that check took for different ones, such as K and k on some systems.
		info, err := os.Lstat(out.path)
		for _, other := range o.list[:i] {
			if err == nil && other.placed && os.SameFile(info, other.made) {
				return errSameOutput(out.name)
			}
		}
		if err := out.place(o.force, len(o.list) > 1); err != nil {
			return err
		}
	}
	return nil
}

// complete does what is left to do before the file gets its name.
func (o *output) complete() (err error) {
	if o.replaced != nil {
		mode := o.replaced.Mode().Perm()
		if mode&0o070 != 0 && !sameGroup(o.file, o.path, o.replaced) {
			mode &^= 0o070
		}
		o.file.Chmod(mode) // where that is impossible, nobody gets to read more
	}
	if o.made, err = o.file.Stat(); err != nil {
		return err
	}
	if o.temp == "" {
		return nil // closing it would remove it
	}
	return o.file.Close() // some file systems report a full disk only here
}

// place gives the file its name. What it replaces can be put back, if asked for,
// until commit is done.
func (o *output) place(force, keepOld bool) error {
	if o.temp == "" {
		err := nameUnnamed(o.file, o.path)
		o.placed = err == nil
		if errors.Is(err, fs.ErrExist) && !force {
			return exists(o.path)
		}
		if err != nil {
			err = o.nameTemporarily()
		}
		if err == nil {
			err = o.file.Close()
		}
		if err != nil {
			return o.failure(err)
		}
		if o.placed {
			return nil
		}
	}
	if !force {
		// Unlike a rename, a link fails if another file has the name by now.
		if os.Link(o.temp, o.path) == nil {
			o.placed = true
			os.Remove(o.temp)
			return nil
		}
		if _, err := os.Lstat(o.path); err == nil {
			return exists(o.path)
		}
		// A file system without links.
	} else if keepOld {
		if err := o.keepOld(); err != nil {
			return o.failure(err)
		}
	}
	if err := os.Rename(o.temp, o.path); err != nil {
		return o.failure(err)
	}
	o.placed = true
	return nil
}

// nameTemporarily gives a file without a name one beside the path: Linux has no
// call that lets it replace another one directly.
func (o *output) nameTemporarily() error {
	name, err := o.retry(func(name string) error { return nameUnnamed(o.file, name) })
	if err == nil {
		o.temp = name
		return nil
	}
	// Some systems forbid it, as Android does: what is left is a copy.
	from := o.file
	defer from.Close()
	if o.file, err = o.temporary(0o600); err != nil {
		return err
	}
	if _, err := io.Copy(o.file, io.NewSectionReader(from, 0, o.made.Size())); err != nil {
		return err
	}
	o.file.Chmod(o.made.Mode().Perm())
	o.made, err = o.file.Stat()
	return err
}

// keepOld gives the file that is there a second name or, where there are no
// links, another one.
func (o *output) keepOld() error {
	if info, err := os.Lstat(o.path); err != nil || info.IsDir() {
		return nil // there is nothing to keep, or renaming will fail
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

// undo removes the file and puts back what it replaced.
func (o *output) undo() {
	if o.path == "" {
		return
	}
	if o.file != nil {
		o.file.Close()
	}
	if info, err := os.Lstat(o.path); err == nil && o.placed && os.SameFile(info, o.made) {
		os.Remove(o.path)
	}
	if o.old != "" {
		os.Rename(o.old, o.path)
		os.Remove(o.old) // to another name of the same file, renaming does nothing
	}
	if o.temp != "" {
		os.Remove(o.temp)
	}
}

// discard removes the files unless they have been committed: it is to be deferred.
func (o *outputs) discard() {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if !o.settled {
		o.undo()
		o.settle()
	}
}

func (o *outputs) undo() {
	for _, out := range slices.Backward(o.list) {
		out.undo()
	}
}

func (o *outputs) settle() {
	o.settled = true
	if o.signals != nil {
		signal.Stop(o.signals)
		close(o.signals)
	}
}

// failure puts the output's name in front of an error of writing to it.
func (o *output) failure(err error) error { return fmt.Errorf("%s: %w", o.name, reason(err)) }

// Write puts the name of the output into errors.
func (o *output) Write(b []byte) (int, error) {
	if o.textOnly && !o.isText(b) {
		return 0, errBinary
	}
	n, err := o.file.Write(b)
	if err != nil {
		err = o.failure(err)
	}
	return n, err
}

var errBinary = usageError{errors.New("standard output: is a terminal, and the output is binary; use -o FILE, or -o - if you mean it")}

// isText reports whether b, with what was written before, is text that does
// nothing to a terminal.
func (o *output) isText(b []byte) bool {
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

// A part is a file to be written.
type part struct {
	file string
	mode fs.FileMode
	text []byte
}

// writeBoth writes files that belong together. None appears if one cannot be
// written.
func (p *program) writeBoth(force bool, parts ...part) error {
	var targets []target
	var texts [][]byte
	for _, part := range parts {
		if part.mode == 0o600 {
			defer clear(part.text)
		}
		targets = append(targets, target{path: part.file, mode: part.mode})
		texts = append(texts, part.text)
	}
	outs, err := p.create(force, targets...)
	if err != nil {
		return err
	}
	for i, out := range outs.list {
		if out.path != "" || parts[i].mode != 0o600 {
			continue
		}
		if info, err := out.file.Stat(); err == nil && othersCan(info) != "" {
			p.warn("%s: warning: other users can %s the file that the key goes to (mode %04o)", out.name, othersCan(info), info.Mode().Perm())
		}
	}
	return outs.commit(texts...)
}
