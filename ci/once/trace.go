//go:build linux

package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// seen is what a run did.
type seen struct {
	used      []use
	known     map[use]bool
	written   map[string]bool // made or changed by the run itself
	variables map[string]bool
	never     string // the first reason why the result cannot be remembered
}

// A use is a way in which a run depends on a file.
type use struct {
	path string
	kind kind
}

func newSeen() *seen {
	return &seen{known: map[use]bool{}, written: map[string]bool{}, variables: map[string]bool{}}
}

func (s *seen) add(path string, k kind) {
	u := use{path, k}
	if !s.written[path] && !s.known[u] {
		s.known[u] = true
		s.used = append(s.used, u)
	}
}

func (s *seen) refuse(reason string) {
	if s.never == "" {
		s.never = reason
	}
}

// A call is a system call in strace's output.
type call struct {
	pid       int
	name      string
	arguments []string
	result    string // a number
	err       string // ENOENT
}

// readTrace reads the file that strace wrote.
func (s *seen) readTrace(name, cwd string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	folders := map[int]*string{} // threads share theirs
	pending := map[int]string{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		field, text, ok := strings.Cut(lines.Text(), " ")
		pid, err := strconv.Atoi(field)
		if !ok || err != nil {
			return fmt.Errorf("strace wrote %q", lines.Text())
		}
		text = strings.TrimLeft(text, " ")
		switch {
		case len(folders) == 0:
			folders[pid] = &cwd
		case folders[pid] == nil:
			folders[pid] = parents(pending, folders)
		}
		switch {
		case strings.HasPrefix(text, "+++"), strings.HasPrefix(text, "---"):
			continue
		case strings.HasSuffix(text, "<unfinished ...>"):
			pending[pid] = strings.TrimSuffix(text, "<unfinished ...>")
			continue
		case strings.HasPrefix(text, "<... "):
			_, rest, ok := strings.Cut(text, " resumed>")
			if !ok {
				return fmt.Errorf("strace wrote %q", lines.Text())
			}
			text = pending[pid] + rest
			delete(pending, pid)
		}
		c, err := parseCall(text)
		if err != nil {
			return fmt.Errorf("strace wrote %q: %w", lines.Text(), err)
		}
		c.pid = pid
		s.call(c, folders)
	}
	return lines.Err()
}

// parents returns the folder of a process whose parent's system call has not returned yet: that
// of all processes that are starting others, or nil if they have several.
func parents(pending map[int]string, folders map[int]*string) (folder *string) {
	for pid, text := range pending {
		if name, _, _ := strings.Cut(text, "("); !strings.HasPrefix(name, "clone") && !strings.HasSuffix(name, "fork") {
			continue
		}
		f := folders[pid]
		if f == nil || folder != nil && *f != *folder {
			return nil
		}
		if !strings.Contains(text, "CLONE_FS") {
			own := *f
			f = &own
		}
		folder = f
	}
	return folder
}

var (
	end  = regexp.MustCompile(`\)\s+= (-?\d+|\?|0x[0-9a-f]+)(.*)$`)
	code = regexp.MustCompile(`^ (E[A-Z0-9]+|ERESTART\w+) `)
)

// parseCall parses a line such as openat(AT_FDCWD</a>, "b", O_RDONLY) = 3</a/b>.
func parseCall(text string) (c call, err error) {
	var ok bool
	if c.name, text, ok = strings.Cut(text, "("); !ok {
		return c, errors.New("no system call")
	}
	at := end.FindStringSubmatchIndex(text)
	if at == nil {
		return c, errors.New("no result")
	}
	c.result = text[at[2]:at[3]]
	if m := code.FindStringSubmatch(text[at[4]:at[5]]); m != nil {
		c.err = m[1]
	}
	c.arguments, err = split(text[:at[0]])
	return c, err
}

// split splits arguments at commas that are not within quotes or brackets.
func split(text string) (list []string, err error) {
	depth, begin := 0, 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			if i >= len(text) {
				return nil, errors.New("a quote does not end")
			}
		case '<': // the path of a file descriptor; "<" in it is escaped
			if j := strings.IndexByte(text[i:], '>'); j >= 0 {
				i += j
			}
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case ',':
			if depth == 0 {
				list = append(list, strings.TrimSpace(text[begin:i]))
				begin = i + 1
			}
		}
	}
	if rest := strings.TrimSpace(text[begin:]); rest != "" {
		list = append(list, rest)
	}
	return list, nil
}

// unquote returns the string that an argument shows.
func unquote(a string) (string, bool) {
	if len(a) < 2 || a[0] != '"' || !strings.HasSuffix(a, `"`) {
		return "", false
	}
	var b strings.Builder
	for a = a[1 : len(a)-1]; a != ""; {
		if a[0] != '\\' || len(a) < 2 {
			b.WriteByte(a[0])
			a = a[1:]
			continue
		}
		n := 1
		for n < 4 && n < len(a) && a[n] >= '0' && a[n] <= '7' {
			n++
		}
		if n > 1 {
			v, _ := strconv.ParseUint(a[1:n], 8, 8)
			b.WriteByte(byte(v))
			a = a[n:]
			continue
		}
		if i := strings.IndexByte("nrtvfab", a[1]); i >= 0 {
			b.WriteByte("\n\r\t\v\f\a\b"[i])
		} else {
			b.WriteByte(a[1])
		}
		a = a[2:]
	}
	return b.String(), true
}

// annotated returns the path that strace adds to a file descriptor: 3</a/b>.
func annotated(a string) (string, bool) {
	i, j := strings.IndexByte(a, '<'), strings.LastIndexByte(a, '>')
	if i < 0 || j < i {
		return "", false
	}
	path, ok := unquote(`"` + a[i+1:j] + `"`)
	return path, ok && strings.HasPrefix(path, "/")
}

// call records what a system call did.
func (s *seen) call(c call, folders map[int]*string) {
	folder := folders[c.pid]
	switch c.name {
	case "clone", "clone3", "fork", "vfork":
		child, _ := strconv.Atoi(c.result)
		if child <= 0 {
			return
		}
		if folder != nil && !strings.Contains(strings.Join(c.arguments, " "), "CLONE_FS") {
			own := *folder
			folder = &own
		}
		if folders[child] == nil {
			folders[child] = folder
		}
		return
	case "socket":
		if len(c.arguments) > 0 && c.err == "" && (c.arguments[0] == "AF_ALG" || c.arguments[0] == "AF_NETLINK") {
			s.refuse("opens a socket of " + c.arguments[0])
		}
		return
	case "connect":
		if a := strings.Join(c.arguments, ", "); strings.Contains(a, "AF_INET") && !loopback.MatchString(a) || strings.Contains(a, "htons(53)") {
			s.refuse("connects to " + a)
		}
		return
	case "getcwd", "close", "statfs", "umount", "umount2", "inotify_add_watch":
		return
	}
	paths, flags, ok := s.paths(c, folder)
	if !ok {
		return
	}
	if folder == nil && len(paths) > 0 && (c.name == "chdir" || c.name == "fchdir") {
		own := ""
		folder = &own
		folders[c.pid] = folder
	}
	failed := c.err != ""
	for i, path := range paths {
		switch c.name {
		case "chdir", "fchdir":
			if !failed {
				*folder = path
			}
		case "execve", "execveat":
			if filepath.Base(path) == "git" && !failed {
				s.refuse("runs git")
			}
			s.read(path, contents, c.err)
		case "open", "openat", "openat2", "creat":
			switch {
			case strings.Contains(flags, "O_DIRECTORY") && !failed:
				s.read(path, names, "")
			case strings.Contains(flags, "O_WRONLY") || strings.Contains(flags, "O_RDWR") || strings.Contains(flags, "O_CREAT") || c.name == "creat":
				if failed {
					s.read(path, exists, c.err)
				} else if !harmless(path) {
					s.written[path] = true
				}
			default:
				s.read(path, contents, c.err)
			}
		case "mkdir", "mkdirat", "mknod", "mknodat", "symlink", "symlinkat", "link", "linkat", "rename", "renameat", "renameat2":
			switch {
			case failed && c.err == "EEXIST":
				s.read(path, exists, "")
			case failed:
				s.read(path, exists, c.err)
			case i == len(paths)-1 || strings.HasPrefix(c.name, "rename"):
				s.written[path] = true
			default:
				s.read(path, contents, "")
			}
		case "unlink", "unlinkat", "rmdir", "truncate", "chmod", "fchmodat", "fchmodat2", "chown", "lchown", "fchownat", "utimensat", "utime", "utimes", "futimesat",
			"setxattr", "lsetxattr", "removexattr", "lremovexattr":
			if failed {
				s.read(path, exists, c.err)
			} else {
				s.written[path] = true
			}
		case "newfstatat", "stat", "lstat", "statx", "access", "faccessat", "faccessat2", "readlink", "readlinkat",
			"getxattr", "lgetxattr", "listxattr", "llistxattr":
			// A size or a time depends on the contents.
			k := contents
			if strings.Contains(strings.Join(c.arguments, " "), "S_IFDIR") || strings.Contains(c.name, "access") || strings.HasPrefix(c.name, "readlink") {
				k = exists
			}
			s.read(path, k, c.err)
		default:
			s.refuse("uses the system call " + c.name)
		}
	}
}

var loopback = regexp.MustCompile(`inet_addr\("127\.|inet_pton\(AF_INET6, "(::1|::ffff:127\.[0-9.]+)"|sin_port=htons\(0\)|sin6_port=htons\(0\)`)

// harmless reports whether a file may be opened for writing without being made by the run.
func harmless(path string) bool { return strings.HasPrefix(path, "/dev/") }

// read records that a file was read, or that it could not be.
func (s *seen) read(path string, k kind, err string) {
	switch err {
	case "":
		s.add(path, k)
	case "ENOENT", "ENOTDIR":
		s.add(path, absent)
	case "EINVAL": // readlink of what is no link
		s.add(path, exists)
	default: // EACCES and others, which may have other reasons next time
		s.add(path, k)
	}
}

// paths returns the absolute paths among the arguments of a call, and the flags of open.
func (s *seen) paths(c call, folder *string) (paths []string, flags string, ok bool) {
	if c.name == "fchdir" {
		if len(c.arguments) > 0 {
			if path, ok := annotated(c.arguments[0]); ok {
				return []string{path}, "", true
			}
		}
		return nil, "", false
	}
	dir, known := "", folder != nil && *folder != ""
	if known {
		dir = *folder
	}
	wanted := 1 // paths
	switch c.name {
	case "rename", "renameat", "renameat2", "link", "linkat":
		wanted = 2
	case "symlink", "symlinkat":
		c.arguments = c.arguments[min(1, len(c.arguments)):] // the target is text
	}
	base, based := dir, known
	for i, a := range c.arguments {
		if path, ok := unquote(a); ok {
			switch {
			case path == "" && c.err != "": // names nothing
				continue
			case path == "" && based: // AT_EMPTY_PATH: the file descriptor
				path = base
			case !strings.HasPrefix(path, "/") && !based:
				s.refuse(fmt.Sprintf("%s of %q in an unknown folder", c.name, path))
				continue
			case !strings.HasPrefix(path, "/"):
				path = filepath.Join(base, path)
			}
			if paths = append(paths, filepath.Clean(path)); len(paths) == wanted {
				if i+1 < len(c.arguments) {
					flags = c.arguments[i+1]
				}
				break
			}
			base, based = dir, known
			continue
		}
		if path, ok := annotated(a); ok && strings.HasSuffix(c.name, "at") || ok && strings.HasSuffix(c.name, "at2") || ok && c.name == "statx" {
			base, based = path, true
		}
	}
	return paths, flags, true
}

var ofKernel = regexp.MustCompile(`^/(proc|sys|dev)(/|$)`)

// readTestLog reads the log of -test.testlogfile. Of a guest's files, those that its own
// kernel makes are left out.
func (s *seen) readTestLog(name, cwd string, guest bool) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return fmt.Errorf("no test log: %w", err)
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		op, what, ok := strings.Cut(line, " ")
		switch {
		case strings.HasPrefix(line, "#"):
			continue
		case !ok:
			return fmt.Errorf("test log: %q", line)
		}
		path := what
		if !filepath.IsAbs(path) {
			path = filepath.Join(cwd, path)
		}
		switch op {
		case "getenv":
			s.variables[what] = true
		case "chdir":
			cwd = path
		case "open", "stat":
			if !guest || process.MatchString(path) || ofKernel.MatchString(path) {
				continue // the trace has it
			}
			k := contents
			if info, err := os.Stat(path); err != nil {
				k = absent
			} else if info.IsDir() {
				k = names
			}
			s.add(path, k)
		}
	}
	return nil
}
