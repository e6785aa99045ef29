//go:build linux

package main

import (
	"fmt"
	"maps"
	"regexp"
	"strings"
)

// seen is what a run did.
type seen struct {
	used      []use
	known     map[use]bool
	written   map[string]bool   // what the run itself made or changed
	links     map[string]string // symbolic links among that, and where they lead
	programs  []string          // that were run
	variables map[string]bool   // that the test asked for
	never     string            // the first reason why the result cannot be remembered
}

// A use is a way in which a run depends on a file.
type use struct {
	path string
	kind kind
}

func newSeen() *seen {
	return &seen{known: map[use]bool{}, written: map[string]bool{}, links: map[string]string{}, variables: map[string]bool{}}
}

func (s *seen) refuse(reason string) {
	if s.never == "" {
		s.never = reason
	}
}

// add records that a file was used, unless the run itself has made it.
func (s *seen) add(path string, k kind) {
	for range 8 { // links to links
		u := use{path, k}
		if !s.written[path] && !s.known[u] {
			s.known[u] = true
			s.used = append(s.used, u)
		}
		next := s.follow(path)
		if next == "" {
			return
		}
		path = next
	}
	s.refuse(path + ": too many links")
}

// target returns where a path leads through the links that the run itself has made.
func (s *seen) target(path string) string {
	for range 8 {
		next := s.follow(path)
		if next == "" {
			break
		}
		path = next
	}
	return path
}

// follow follows one link that the run itself has made, or returns "".
func (s *seen) follow(path string) (next string) {
	for link, target := range s.links {
		if rest, ok := inside(path, link); ok {
			next = join(target, rest)
		}
	}
	return next
}

// read records that a file was used, or that this failed.
func (s *seen) read(path string, k kind, err string) {
	switch err {
	case "":
		s.add(path, k)
	case "ENOENT":
		s.add(path, absent)
	case "EINVAL", "ELOOP": // it is no symbolic link, or is one
		s.add(path, link)
	default:
		s.add(path, either)
	}
}

// make records that a file was made, or all of its contents replaced.
func (s *seen) make(path string) { s.written[path] = true }

// change records that a file was changed. The run depends on what it was before.
func (s *seen) change(path string) {
	s.add(path, contents)
	s.make(path)
}

// join returns a path as Linux follows it: with symbolic links, .. need not lead back,
// so that it stays.
func join(base, name string) string {
	if !strings.HasPrefix(name, "/") {
		name = base + "/" + name
	}
	var b strings.Builder
	for part := range strings.SplitSeq(name, "/") {
		if part != "" && part != "." {
			b.WriteString("/" + part)
		}
	}
	if b.Len() == 0 {
		return "/"
	}
	return b.String()
}

// call records what a system call did.
func (t *trace) call(c call, pid int) {
	s, text := t.seen, strings.Join(c.arguments, ", ")
	switch c.name {
	case "clone", "clone3", "fork", "vfork", "unshare", "setns":
		if m := spaces.FindString(text); m != "" || c.name == "setns" || c.name == "unshare" && strings.Contains(text, shares) {
			s.refuse("changes what paths mean: " + c.name + " " + m)
		}
		if starts(c.name) {
			t.started(c, pid)
		}
		return
	case "socket":
		// The kernel, on which it depends whether there is such a socket, is in the key.
		if !families.MatchString(text) && c.err != "EAFNOSUPPORT" {
			family, _, _ := strings.Cut(text, ",")
			s.refuse("opens a socket of " + family)
		}
		return
	case "connect", "sendto", "sendmsg", "sendmmsg":
		for _, a := range addresses(c, text) {
			if s.outside(a, t.folders[pid], c.err) {
				s.refuse("connects to " + a)
			}
		}
		return
	case "io_uring_setup":
		if c.err == "ENOSYS" {
			return
		}
	case "getcwd", "statfs", "statfs64", "inotify_add_watch":
		return
	case "mount", "umount2":
		if t.mounts(c, pid) {
			return
		}
	}
	if strings.HasPrefix(c.name, "syscall_0xffffffff") { // a negative number, of a process that was killed
		return
	}
	if !files[c.name] {
		s.refuse("uses the system call " + c.name)
		return
	}
	paths, flags := t.paths(c, pid)
	if len(paths) > 0 {
		s.file(c, paths, flags)
	}
	if c.err == "" && strings.HasSuffix(c.name, "chdir") && len(paths) == 1 {
		if t.folders[pid] == nil {
			t.folders[pid] = new(string)
		}
		*t.folders[pid] = paths[0]
	}
}

// mounts reports whether a call mounts an empty file system in a folder that the run itself has
// made, or unmounts that.
func (t *trace) mounts(c call, pid int) bool {
	i := 0
	if c.name == "mount" {
		if i = 1; len(c.arguments) < 3 || c.arguments[2] != `"tmpfs"` {
			return false
		}
	}
	folder := t.folders[pid]
	if i >= len(c.arguments) || folder == nil {
		return false
	}
	path, ok := unquote(c.arguments[i])
	return ok && t.seen.written[join(*folder, path)]
}

var (
	spaces   = regexp.MustCompile(`CLONE_NEW(NS|PID)\b`)
	families = regexp.MustCompile(`^(AF_UNIX|AF_LOCAL|AF_INET|AF_INET6),`)
	loopback = regexp.MustCompile(`inet_addr\("127\.[0-9.]+"\)|inet_pton\(AF_INET6, "(::1|::ffff:127\.[0-9.]+)"|=htons\(0\)`)
	messages = regexp.MustCompile(`msg_name=(\{sa_family=[^{}]*\}|NULL|.)`)
	local    = regexp.MustCompile(`^\{sa_family=AF_(?:UNIX|LOCAL), sun_path=("(?:[^"\\]|\\.)*")\}$`)
)

// addresses returns the addresses to which a call sends.
func addresses(c call, text string) (list []string) {
	if strings.HasPrefix(c.name, "sendm") {
		for _, m := range messages.FindAllStringSubmatch(text, -1) {
			list = append(list, m[1])
		}
		return list
	}
	i := 1
	if c.name == "sendto" {
		i = 4
	}
	if i >= len(c.arguments) {
		return []string{text}
	}
	return []string{c.arguments[i]}
}

// outside reports whether something answers at an address that is not part of the run.
// With port 0 a program asks only for a route.
func (s *seen) outside(address string, folder *string, err string) bool {
	switch {
	case address == "NULL", strings.HasPrefix(address, "{sa_family=AF_UNSPEC"):
		return false
	case strings.HasPrefix(address, "{sa_family=AF_INET"):
		return !loopback.MatchString(address) || strings.Contains(address, "=htons(53)")
	}
	m := local.FindStringSubmatch(address)
	if m == nil {
		return true
	}
	path, ok := unquote(m[1])
	switch {
	case !ok || !strings.HasPrefix(path, "/") && folder == nil:
		return true
	case !strings.HasPrefix(path, "/"):
		path = join(*folder, path)
	}
	s.read(path, contents, err) // which is refused of a socket that the run has not made
	return false
}

// files has the system calls with paths that are understood.
var files = set(`open openat openat2 creat mkdir mkdirat mknod mknodat symlink symlinkat link linkat
	rename renameat renameat2 unlink unlinkat rmdir truncate truncate64 chmod fchmodat fchmodat2
	chown lchown chown32 lchown32 fchownat utimensat utimensat_time64 utime utimes futimesat
	setxattr lsetxattr removexattr lremovexattr getxattr lgetxattr listxattr llistxattr
	newfstatat fstatat64 stat stat64 lstat lstat64 statx access faccessat faccessat2 readlink readlinkat
	execve execveat chdir fchdir`)

func set(text string) map[string]bool {
	m := map[string]bool{}
	for _, name := range strings.Fields(text) {
		m[name] = true
	}
	return m
}

var mode = regexp.MustCompile(`^\{.*\bstx?_mode=S_IF([A-Z]+)`)

// file records what a system call did with files.
func (s *seen) file(c call, paths []string, flags string) {
	path, failed := paths[0], c.err != ""
	switch c.name {
	case "chdir", "fchdir":
		s.read(path, exists, c.err)
	case "execve", "execveat":
		if s.read(path, contents, c.err); !failed {
			s.programs = append(s.programs, path)
			if strings.HasSuffix(path, "/ldconfig") {
				s.refuse("runs " + path + ", which reads more of its cache than what other programs find there")
			}
		}
	case "open", "openat", "openat2", "creat":
		if !failed && c.opened != "" && c.opened != path { // there through symbolic links
			s.open(c, c.opened, flags)
		}
		s.open(c, path, flags)
	case "newfstatat", "fstatat64", "stat", "stat64", "lstat", "lstat64", "statx",
		"getxattr", "lgetxattr", "listxattr", "llistxattr":
		k := contents // sizes and times depend on it
		for _, a := range c.arguments {
			switch m := mode.FindStringSubmatch(a); {
			case m == nil:
			case m[1] == "DIR":
				k = exists
			case m[1] == "LNK":
				k = link
			}
		}
		s.read(path, k, c.err)
	case "access", "faccessat", "faccessat2":
		s.read(path, exists, c.err)
	case "readlink", "readlinkat":
		s.read(path, link, c.err)
	default: // what makes, changes and removes files
		s.alter(c, paths)
	}
}

// open records that a file was opened.
func (s *seen) open(c call, path, flags string) {
	if name := shared.FindStringSubmatch(path); name != nil {
		s.add(name[1], library)
	}
	writes := writing.MatchString(flags) || c.name == "creat"
	switch failed := c.err != ""; {
	case strings.Contains(flags, "O_PATH"), failed && writes:
		s.read(path, exists, c.err)
	case failed:
		s.read(path, contents, c.err)
	case strings.Contains(flags, "O_TMPFILE"): // a file without a name in the folder
	case strings.Contains(flags, "O_DIRECTORY"):
		s.add(path, names)
	case c.name == "creat", strings.Contains(flags, "O_TRUNC"), strings.Contains(flags, "O_EXCL") && writes:
		s.make(path)
	case writes:
		s.change(path)
	default:
		s.add(path, contents)
	}
}

// alter records a call that makes, changes or removes files.
func (s *seen) alter(c call, paths []string) {
	if c.err != "" {
		for _, path := range paths {
			s.read(path, either, "")
		}
		return
	}
	path, last := paths[0], paths[len(paths)-1]
	switch c.name {
	case "symlink", "symlinkat":
		target, _ := unquote(c.arguments[0])
		s.links[path] = join(path[:strings.LastIndexByte(path, '/')], target)
		s.make(path)
	case "link", "linkat":
		s.add(path, contents)
		s.make(last)
	case "rename", "renameat", "renameat2":
		for link, target := range maps.Clone(s.links) { // in a folder that is renamed
			if rest, ok := inside(link, path); ok {
				s.links[join(last, rest)] = target
			}
		}
		if s.change(path); strings.Contains(strings.Join(c.arguments, " "), "RENAME_EXCHANGE") {
			s.change(last)
		}
		s.make(last)
	case "mkdir", "mkdirat", "mknod", "mknodat":
		s.make(path)
	default:
		s.change(path)
	}
}

// paths returns the absolute paths among the arguments of a call, and what follows them:
// the flags of open. A call whose paths are not clear is refused.
func (t *trace) paths(c call, pid int) (paths []string, flags string) {
	arguments, wanted := c.arguments, 1
	switch c.name {
	case "rename", "renameat", "renameat2", "link", "linkat":
		wanted = 2
	case "symlink", "symlinkat":
		arguments = arguments[min(1, len(arguments)):] // the target is text
	case "fchdir":
		if path, ok := annotated(strings.Join(arguments, "")); ok {
			return []string{path}, ""
		}
		arguments = nil
	}
	text := strings.Join(arguments, ", ")
	descriptor, base := "", "" // the last argument, and its path
	for i, a := range arguments {
		name, ok := unquote(a)
		if a == "NULL" && (c.name == "utimensat" || strings.Contains(text, "AT_EMPTY_PATH")) { // the file of the descriptor
			name, ok = "", true
		}
		if !ok {
			descriptor = a
			if base, ok = annotated(a); ok && strings.HasPrefix(a, "AT_FDCWD") {
				t.moved(pid, base)
			}
			continue
		}
		if folder := t.folders[pid]; descriptor == "" && folder != nil {
			base = *folder
		}
		switch {
		case strings.HasPrefix(name, "/"):
		case name == "" && (c.err != "" || base == ""): // nothing, or a file without a name
			return nil, ""
		case base == "":
			if c.err != "EFAULT" && c.err != "EBADF" {
				t.seen.refuse(fmt.Sprintf("%s of %q in an unknown folder", c.name, name))
			}
			return nil, ""
		}
		if paths = append(paths, join(base, name)); len(paths) == wanted {
			return paths, strings.Join(arguments[i+1:min(i+2, len(arguments))], "")
		}
		descriptor, base = "", ""
	}
	if c.err == "" && c.result >= 0 { // else it was killed, and its memory could not be read
		t.seen.refuse("no path in " + c.name + "(" + text + ")")
	}
	return nil, ""
}
