//go:build linux

package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// tracing is how strace is called. It stops processes only at these system calls. What
// io_uring does cannot be seen, so that there is none: programs can do without.
var tracing = []string{
	"strace", "-f", "--seccomp-bpf", "-q", "-y", "-e", "signal=none",
	"-e", "trace=%file,?chdir,?fchdir,?clone,?clone3,?fork,?vfork,?unshare,?setns,?socket,?connect,?sendto,?sendmsg,?sendmmsg,?io_uring_setup,?open_by_handle_at",
	"-e", "inject=?io_uring_setup:error=ENOSYS",
}

// A trace is strace's output as far as it has been read.
type trace struct {
	seen    *seen
	folders map[int]*string // of processes; nil if it is not known; threads share theirs
	pending map[int]string  // system calls that have not returned
	early   map[int]bool    // processes that ran before the call returned that started them
	execed  map[int]bool    // threads that became the first of their process by execve
	first   int             // the command's process
	ended   bool            // it has
}

// readTrace reads what strace wrote about a command that was started in the folder cwd.
func (s *seen) readTrace(r io.Reader, cwd string) error {
	t := &trace{
		seen:    s,
		folders: map[int]*string{},
		pending: map[int]string{},
		early:   map[int]bool{},
		execed:  map[int]bool{},
	}
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadString('\n')
		if err == io.EOF && line == "" {
			break
		}
		if err == nil {
			err = t.line(strings.TrimSuffix(line, "\n"), cwd)
		}
		if err != nil {
			return fmt.Errorf("strace wrote %q: %w", line, err)
		}
	}
	if !t.ended || len(t.pending) > 0 {
		return errors.New("strace's output is not complete")
	}
	return nil
}

func (t *trace) line(line, cwd string) error {
	field, text, _ := strings.Cut(line, " ")
	pid, err := strconv.Atoi(field)
	if err != nil || pid <= 0 {
		return errors.New("no process")
	}
	text = strings.TrimLeft(text, " ")
	if t.first == 0 {
		t.first, t.folders[pid] = pid, &cwd
	}
	over := strings.HasPrefix(text, "+++ exited with ") || strings.HasPrefix(text, "+++ killed by ")
	if _, known := t.folders[pid]; !known {
		if over && len(t.pending) == 0 {
			return nil // a thread that did nothing, in a process that ended while it was started
		}
		if t.folders[pid], known = t.parent(); !known {
			return errors.New("nothing has started this process")
		}
		t.early[pid] = true
	}
	before, waits := t.pending[pid]
	if begun, killed := strings.CutSuffix(text, " <detached ...>"); killed { // while strace wrote the line
		if !waits {
			before = begun
		}
		text, waits, over = "", true, true
	}
	switch {
	case strings.HasPrefix(text, "+++ superseded by execve in pid "):
		return t.supersede(pid, text)
	case waits && over: // another thread, or a signal, has ended the process
		if err := t.cut(before, pid); err != nil {
			return err
		}
		delete(t.pending, pid)
		fallthrough
	case over:
		t.ended = t.ended || pid == t.first
		delete(t.folders, pid) // its number may be used again
		return nil
	case waits && !strings.HasPrefix(text, "<... "):
		return errors.New("a system call has not returned")
	case strings.HasSuffix(text, " <unfinished ...>") && !waits:
		t.pending[pid] = strings.TrimSuffix(text, "<unfinished ...>")
		return nil
	case waits:
		name, rest, ok := strings.Cut(strings.TrimPrefix(text, "<... "), " resumed>")
		if !ok || !strings.HasPrefix(before, name+"(") {
			return errors.New("another system call was expected")
		}
		text = before + rest
		delete(t.pending, pid)
	case t.execed[pid] && strings.HasPrefix(text, "<... execve"): // strace shows no result
		delete(t.execed, pid)
		return nil
	}
	c, err := parseCall(text)
	if err != nil {
		return err
	}
	t.call(c, pid)
	return nil
}

// cut records a system call that did not return, because its process ended. If it would have
// changed something, nobody knows whether it did.
func (t *trace) cut(before string, pid int) error {
	if strings.HasPrefix(before, "???(") { // its process was killed before the call began
		return nil
	}
	c, err := parseCall(strings.TrimRight(before, ", ") + ") = ?")
	switch {
	case err != nil:
		return err
	case changes[c.name], strings.HasPrefix(c.name, "open") && (writing.MatchString(before) || !strings.Contains(before, "O_RDONLY")):
		return errors.New("a system call has not returned")
	}
	t.call(c, pid)
	return nil
}

// changes has the system calls that change more than what their process sees.
var changes = set(`creat mkdir mkdirat mknod mknodat symlink symlinkat link linkat
	rename renameat renameat2 unlink unlinkat rmdir truncate truncate64 chmod fchmodat fchmodat2
	chown lchown chown32 lchown32 fchownat utimensat utimensat_time64 utime utimes futimesat
	setxattr lsetxattr removexattr lremovexattr execve execveat`)

var writing = regexp.MustCompile(`O_(WRONLY|RDWR|CREAT)`)

// supersede continues the process pid with a thread of it that called execve.
func (t *trace) supersede(pid int, text string) error {
	var thread int
	if _, err := fmt.Sscanf(text, "+++ superseded by execve in pid %d +++", &thread); err != nil {
		return err
	}
	before, ok := t.pending[thread]
	if !ok || !strings.HasPrefix(before, "execve") {
		return errors.New("the thread has not called execve")
	}
	c, err := parseCall(strings.TrimRight(before, " ") + ") = 0")
	if err != nil {
		return err
	}
	t.folders[pid] = t.folders[thread]
	delete(t.folders, thread)
	delete(t.pending, thread)
	delete(t.pending, pid) // the call of the thread that is no more
	t.execed[pid] = true
	t.call(c, pid)
	return nil
}

// starts reports whether a system call starts a process or a thread.
func starts(name string) bool {
	return name == "clone" || name == "clone3" || name == "fork" || name == "vfork"
}

const shares = "CLONE_FS" // among the flags: both have one folder, as threads have

// parent returns the folder of a process that runs before the call has returned that
// started it: the folder of all processes that are in such calls, or nil if these have
// several.
func (t *trace) parent() (folder *string, ok bool) {
	shared := false
	for pid, text := range t.pending {
		if name, _, _ := strings.Cut(text, "("); !starts(name) {
			continue
		}
		f, share := t.folders[pid], strings.Contains(text, shares)
		if f != nil && !share {
			own := *f
			f = &own
		}
		switch {
		case !ok:
			folder, shared = f, share
		case f == nil || folder == nil || f != folder && (*f != *folder || share || shared):
			folder = nil
		}
		ok = true
	}
	return folder, ok
}

// started notes a process that a call has started.
func (t *trace) started(c call, pid int) {
	child, folder := c.result, t.folders[pid]
	if child <= 0 {
		return
	}
	early := t.early[child]
	delete(t.early, child)
	if f, known := t.folders[child]; early && (!known || f != nil) {
		return // it has ended already, or is in a folder that is known
	}
	if folder != nil && !strings.Contains(strings.Join(c.arguments, " "), shares) {
		own := *folder
		folder = &own
	}
	t.folders[child] = folder
}

// moved notes the folder of a process that a call showed.
func (t *trace) moved(pid int, path string) {
	folder := t.folders[pid]
	if folder == nil {
		folder = new(string)
		t.folders[pid] = folder
	} else if *folder != path && real(*folder) != path && t.seen.target(*folder) != path {
		t.seen.refuse(fmt.Sprintf("a process is in %s, not in %s", path, *folder))
	}
	*folder = path
}
