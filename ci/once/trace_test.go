//go:build linux

package main

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// summary returns what was seen in a trace: a use in a line, sorted.
func summary(s *seen) string {
	var lines []string
	for _, u := range s.used {
		lines = append(lines, fmt.Sprintf("%s %q", u.kind, u.path))
	}
	for _, path := range slices.Sorted(maps.Keys(s.written)) {
		lines = append(lines, fmt.Sprintf("written %q", path))
	}
	for _, path := range s.programs {
		lines = append(lines, fmt.Sprintf("program %q", path))
	}
	slices.Sort(lines)
	return strings.Join(slices.Compact(lines), "\n")
}

const exited = "1 +++ exited with 0 +++\n"

func TestTrace(t *testing.T) {
	for _, c := range []struct{ name, trace, want string }{
		{"open", `1 openat(AT_FDCWD</d>, "a", O_RDONLY|O_CLOEXEC) = 3</d/a>`, `contents "/d/a"`},
		{"link", `1 openat(AT_FDCWD</d>, "a", O_RDONLY) = 3</e/b>`, "contents \"/d/a\"\ncontents \"/e/b\""},
		{"up", `1 openat(AT_FDCWD</d>, ".././/a/../b", O_RDONLY) = 3</b>`, "contents \"/b\"\ncontents \"/d/../a/../b\""},
		{"openat2", `1 openat2(AT_FDCWD</d>, "a", {flags=O_RDONLY|O_DIRECTORY, resolve=RESOLVE_BENEATH}, 24) = 3</d/a>`, `names "/d/a"`},
		{"descriptor", `1 newfstatat(3</x/y>, "z", {st_mode=S_IFREG|0644, st_size=1, ...}, 0) = 0`, `contents "/x/y/z"`},
		{"empty path", `1 newfstatat(3</x/y>, "", {st_mode=S_IFREG|0644, st_size=1, ...}, AT_EMPTY_PATH) = 0`, `contents "/x/y"`},
		{"no path", `1 statx(3</x/y>, NULL, AT_STATX_SYNC_AS_STAT|AT_EMPTY_PATH, STATX_SIZE, {stx_mask=STATX_SIZE, stx_mode=S_IFREG|0644}) = 0`, `contents "/x/y"`},
		{"pipe", `1 newfstatat(3<pipe:[1]>, "", {st_mode=S_IFIFO|0600, st_size=0, ...}, AT_EMPTY_PATH) = 0`, ``},
		{"folder", `1 newfstatat(AT_FDCWD</d>, "a", {st_mode=S_IFDIR|0755, st_size=4096, ...}, 0) = 0`, `exists "/d/a"`},
		{"lstat", `1 lstat("a", {st_mode=S_IFLNK|0777, st_size=1, ...}) = 0`, `link "/d/a"`},
		{"a name like a mode", `1 stat("{st_mode=S_IFDIR", {st_mode=S_IFREG|0644, st_size=1, ...}) = 0`, `contents "/d/{st_mode=S_IFDIR"`},
		{"readlink", `1 readlink("a", "b\"c", 4096) = 3`, `link "/d/a"`},
		{"no link", `1 readlink("a", 0x7ffd, 4096) = -1 EINVAL (Invalid argument)`, `link "/d/a"`},
		{"absent", `1 access("a", R_OK) = -1 ENOENT (No such file or directory)`, `absent "/d/a"`},
		{"no folder", `1 access("a/b", R_OK) = -1 ENOTDIR (Not a directory)`, `either "/d/a/b"`},
		{"execve", `1 execve("/bin/a", ["a", "b,c\")", ...], 0x7ffe /* 35 vars */) = 0`, "contents \"/bin/a\"\nprogram \"/bin/a\""},
		{"execve fails", `1 execve("/bin/a", ["a"], 0x7ffe /* 35 vars */) = -1 ENOENT (No such file or directory)`, `absent "/bin/a"`},
		{"made", `1 openat(AT_FDCWD</d>, "a", O_WRONLY|O_CREAT|O_TRUNC, 0666) = 3</d/a>` + "\n" + `1 openat(AT_FDCWD</d>, "a", O_RDONLY) = 3</d/a>`, `written "/d/a"`},
		{"opened to read and write", `1 openat(AT_FDCWD</d>, "a", O_RDWR|O_CREAT, 0666) = 3</d/a>`, "contents \"/d/a\"\nwritten \"/d/a\""},
		{"appended", `1 open("a", O_WRONLY|O_APPEND) = 3</d/a>`, "contents \"/d/a\"\nwritten \"/d/a\""},
		{"unnamed", `1 openat(AT_FDCWD</d>, "/tmp", O_RDWR|O_EXCL|O_TMPFILE, 0600) = 3</tmp/#1>(deleted)`, ``},
		{"moved", `1 rename("a", "b") = 0`, "contents \"/d/a\"\nwritten \"/d/a\"\nwritten \"/d/b\""},
		{"moved elsewhere", `1 renameat2(3</x>, "a", AT_FDCWD</d>, "b", RENAME_NOREPLACE) = 0`, "contents \"/x/a\"\nwritten \"/d/b\"\nwritten \"/x/a\""},
		{"linked", `1 linkat(AT_FDCWD</d>, "a", AT_FDCWD</d>, "b", 0) = 0`, "contents \"/d/a\"\nwritten \"/d/b\""},
		{"a link of its own", `1 symlink("../e", "l") = 0` + "\n" + `1 access("l/x", R_OK) = 0`, "exists \"/d/../e/x\"\nexists \"/d/l/x\"\nwritten \"/d/l\""},
		{"removed", `1 unlinkat(AT_FDCWD</d>, "a", 0) = 0`, "contents \"/d/a\"\nwritten \"/d/a\""},
		{"odd names", `1 openat(3</d\74\76>, "a \"b\", <c>\n(d) = 3\\\377é\t", O_RDONLY) = 3</d\74\76/a \"b\", \74c\76\n(d) = 3\\\377é\t>`,
			`contents "/d<>/a \"b\", <c>\n(d) = 3\\\xffé\t"`},
		{"chdir", "1 chdir(\"e\") = 0\n1 access(\"a\", R_OK) = 0", "exists \"/d/e\"\nexists \"/d/e/a\""},
		{"chdir fails", "1 chdir(\"e\") = -1 ENOENT (No such file or directory)\n1 access(\"a\", R_OK) = 0", "absent \"/d/e\"\nexists \"/d/a\""},
		{"fchdir", "1 fchdir(3</x>) = 0\n1 access(\"a\", R_OK) = 0", "exists \"/x\"\nexists \"/x/a\""},
		{"unfinished", "1 clone(child_stack=NULL, flags=SIGCHLD) = 2\n1 openat(AT_FDCWD</d>, \"a\",  <unfinished ...>\n2 access(\"b\", R_OK) = 0\n1 <... openat resumed>O_RDONLY) = 3</d/a>\n2 +++ exited with 1 +++",
			"contents \"/d/a\"\nexists \"/d/b\""},
		{"a child moves", "1 vfork( <unfinished ...>\n2 chdir(\"/e\") = 0\n2 access(\"a\", R_OK) = 0\n1 <... vfork resumed>) = 2\n1 access(\"a\", R_OK) = 0\n2 +++ exited with 0 +++",
			"exists \"/d/a\"\nexists \"/e\"\nexists \"/e/a\""},
		{"a thread moves", "1 clone3({flags=CLONE_VM|CLONE_FS|CLONE_THREAD, stack=0x7} => {parent_tid=[2]}, 88) = 2\n2 chdir(\"/e\") = 0\n1 access(\"a\", R_OK) = 0\n2 +++ exited with 0 +++",
			"exists \"/e\"\nexists \"/e/a\""},
		{"a child and a thread at once", "1 clone(child_stack=NULL, flags=SIGCHLD) = 3\n1 clone(flags=CLONE_VM|CLONE_FS <unfinished ...>\n3 clone(flags=SIGCHLD <unfinished ...>\n4 chdir(\"/e\") = 0\n3 <... clone resumed>) = 4\n1 <... clone resumed>) = 2\n2 access(\"a\", R_OK) = 0\n4 access(\"a\", R_OK) = 0",
			"exists \"/d/a\"\nexists \"/e\"\nexists \"/e/a\""},
		{"a number again", "1 clone(flags=SIGCHLD) = 2\n2 chdir(\"/e\") = 0\n2 +++ exited with 0 +++\n1 clone(flags=SIGCHLD) = 2\n2 access(\"a\", R_OK) = 0", "exists \"/d/a\"\nexists \"/e\""},
		{"a number again, late", "1 clone(flags=SIGCHLD <unfinished ...>\n2 chdir(\"/e\") = 0\n2 +++ exited with 0 +++\n1 <... clone resumed>) = 2\n1 clone(flags=SIGCHLD <unfinished ...>\n2 access(\"a\", R_OK) = 0\n1 <... clone resumed>) = 2", "exists \"/d/a\"\nexists \"/e\""},
		{"a process ends in a call", "1 clone(flags=SIGCHLD) = 2\n2 openat(AT_FDCWD</d>, \"a\", O_RDONLY <unfinished ...>\n2 +++ exited with 0 +++\n3 +++ exited with 0 +++", "contents \"/d/a\""},
		{"a process ends before a call", "1 clone(flags=SIGCHLD) = 2\n2 ???( <unfinished ...>\n2 +++ exited with 0 +++\n1 access(\"a\", R_OK) = 0", `exists "/d/a"`},
		{"killed before a call", "1 clone(flags=SIGCHLD) = 2\n2 ???( <detached ...>\n1 access(\"a\", R_OK) = 0", `exists "/d/a"`},
		{"killed in a call that is being written", "1 clone(flags=SIGCHLD) = 2\n2 readlink(\"b\" <detached ...>\n1 access(\"a\", R_OK) = 0", "exists \"/d/a\"\nlink \"/d/b\""},
		{"killed in a call that returns", "1 clone(flags=SIGCHLD) = 2\n2 access(\"b\" <unfinished ...>\n1 access(\"a\", R_OK) = 0\n2 <... access resumed> <detached ...>", "exists \"/d/a\"\nexists \"/d/b\""},
		{"in a folder through a link of its own", "1 symlink(\"/e\", \"l\") = 0\n1 chdir(\"l/x\") = 0\n1 openat(AT_FDCWD</e/x>, \"a\", O_RDONLY) = 3</e/x/a>", "contents \"/e/x/a\"\nexists \"/d/l/x\"\nexists \"/e/x\"\nwritten \"/d/l\""},
		{"no call", "1 syscall_0xfffffffffffffffe(0x1, 0x2) = ?", ``},
		{"in a folder through a link in a folder that was renamed", "1 mkdir(\"t\", 0700) = 0\n1 symlink(\"/e\", \"t/l\") = 0\n1 rename(\"t\", \"u\") = 0\n1 chdir(\"u/l\") = 0\n1 openat(AT_FDCWD</e>, \"a\", O_RDONLY) = 3</e/a>", "contents \"/e/a\"\nexists \"/d/u/l\"\nexists \"/e\"\nwritten \"/d/t\"\nwritten \"/d/t/l\"\nwritten \"/d/u\""},
		{"killed while it started a thread", "1 clone3({flags=CLONE_FS}, 88) = -1 (errno 18446744073709551414)", ``},
		{"killed in a call", "1 clone(flags=SIGCHLD) = 2\n2 lstat(0xffffffffffffff00, 0x7ffe) = ?\n2 +++ killed by SIGKILL +++\n1 access(\"a\", R_OK) = 0", `exists "/d/a"`},
		{"its own file system", "1 mkdir(\"a\", 0700) = 0\n1 mount(\"tmpfs\", \"a\", \"tmpfs\", 0, \"size=1m\") = 0\n1 umount2(\"/d/a\", MNT_DETACH) = 0", `written "/d/a"`},
		{"execve of a thread", "1 clone(flags=CLONE_FS) = 2\n2 execve(\"b\", [\"b\"], 0x1 /* 2 vars */ <unfinished ...>\n1 +++ superseded by execve in pid 2 +++\n1 <... execve resumed>) = -1 (errno 18446744073709551595)\n1 access(\"a\", R_OK) = 0",
			"contents \"/d/b\"\nexists \"/d/a\"\nprogram \"/d/b\""},
		{"restart", "1 openat(AT_FDCWD</d>, \"a\", O_RDONLY) = ? ERESTARTSYS (To be restarted if SA_RESTART is set)", `contents "/d/a"`},
		{"io_uring", `1 io_uring_setup(8, {flags=0}) = -1 ENOSYS (Function not implemented) (INJECTED)`, ``},
		{"32 bits", `1 fstatat64(AT_FDCWD</d>, "a", {st_mode=S_IFREG|0644, st_size=1, ...}, AT_SYMLINK_NOFOLLOW) = 0`, `contents "/d/a"`},
		{"sockets", "1 socket(AF_INET6, SOCK_STREAM|SOCK_CLOEXEC, IPPROTO_IP) = 3<socket:[1]>\n1 connect(3<socket:[1]>, {sa_family=AF_INET6, sin6_port=htons(80), sin6_flowinfo=htonl(0), inet_pton(AF_INET6, \"::1\", &sin6_addr), sin6_scope_id=0}, 28) = 0\n1 sendto(3<socket:[1]>, \"x\", 1, 0, NULL, 0) = 1\n1 sendmsg(3<socket:[1]>, {msg_name=NULL, msg_namelen=0, msg_iov=[{iov_base=\"x\", iov_len=1}]}, 0) = 1", ``},
		{"socket with a name", `1 connect(3<socket:[1]>, {sa_family=AF_UNIX, sun_path="s"}, 110) = -1 ENOENT (No such file or directory)`, `absent "/d/s"`},
	} {
		s := newSeen()
		err := s.readTrace(strings.NewReader(c.trace+"\n"+exited), "/d")
		if err != nil || s.never != "" || summary(s) != c.want {
			t.Errorf("%s: %v %s\n%s\nwant\n%s", c.name, err, s.never, summary(s), c.want)
		}
		cuts(t, c.name, c.trace, c.want)
	}
}

// cuts cuts lines of a trace at all places. That must give an error or a refusal, or what
// the whole trace gives.
func cuts(t *testing.T, name, trace, want string) {
	lines := strings.Split(trace, "\n")
	for i, line := range lines {
		for j := range line {
			for _, cut := range []string{line[:j], line[j:], line[:j] + "\n" + line[j:], line[:j] + line[j+1:]} {
				if cut == line {
					continue
				}
				lines[i] = cut
				s := newSeen()
				err := s.readTrace(strings.NewReader(strings.Join(lines, "\n")+"\n"+exited), "/d")
				// A letter less may be another trace, if nothing else shows the letter.
				if short := len(cut) == len(line)-1 && j > 0 && j < len(line)-1; short {
					continue
				}
				if err == nil && s.never == "" && summary(s) != want {
					t.Errorf("%s: of the line\n%q was\n%q left:\n%s", name, line, cut, summary(s))
				}
			}
		}
		lines[i] = line
	}
}

func TestTraceErrors(t *testing.T) {
	for name, trace := range map[string]string{
		"nothing":             "",
		"no end":              "1 access(\"a\", R_OK) = 0\n",
		"an end in mkdir":     "1 clone(flags=SIGCHLD) = 2\n2 mkdirat(AT_FDCWD</d>, \"a\", 0777 <unfinished ...>\n2 +++ exited with 0 +++\n" + exited,
		"killed in mkdir":     "1 clone(flags=SIGCHLD) = 2\n2 mkdirat(AT_FDCWD</d>, \"a\" <detached ...>\n" + exited,
		"a call unknown":      "1 ???() = 0\n" + exited,
		"an end in open":      "1 clone(flags=SIGCHLD) = 2\n2 openat(AT_FDCWD</d>, \"a\", <unfinished ...>\n2 +++ exited with 0 +++\n" + exited,
		"no newline":          "1 access(\"a\", R_OK) = 0\n1 +++ exited with 0 +++",
		"no process":          "access(\"a\", R_OK) = 0\n" + exited,
		"unknown process":     "1 access(\"a\", R_OK) = 0\n2 access(\"a\", R_OK) = 0\n" + exited,
		"not returned":        "1 access(\"a\", R_OK <unfinished ...>\n1 access(\"b\", R_OK) = 0\n" + exited,
		"two calls":           "1 access(\"a\" <unfinished ...>\n1 access(\"b\", R_OK) = 0\n" + exited,
		"another returned":    "1 access(\"a\" <unfinished ...>\n1 <... readlink resumed>, R_OK) = 0\n" + exited,
		"none returned":       "1 <... access resumed>, R_OK) = 0\n" + exited,
		"no result":           "1 access(\"a\", R_OK)\n" + exited,
		"no error":            "1 access(\"a\", R_OK) = -1\n" + exited,
		"no error number":     "1 access(\"a\", R_OK) = -1 (errno 18446744073709551414)\n" + exited,
		"unknown error":       "1 access(\"a\", R_OK) = -1 (errno 999)\n" + exited,
		"brackets":            "1 access(\"a\", [R_OK}) = 0\n" + exited,
		"a path does not end": "1 openat(AT_FDCWD</d, \"a\", R_OK) = 3\n" + exited,
		"no path of a result": "1 openat(AT_FDCWD</d>, \"a\", R_OK) = 3\n" + exited,
		"no thread":           "1 +++ superseded by execve in pid 2 +++\n" + exited,
		"other":               "1 +++ stopped +++\n" + exited,
	} {
		if err := newSeen().readTrace(strings.NewReader(trace), "/d"); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestTraceRefusals(t *testing.T) {
	for why, trace := range map[string]string{
		"no path in stat":            `1 stat("aaa"..., {st_mode=S_IFREG|0644}) = 0`,
		"no path in fchdir":          `1 fchdir(3) = 0`,
		"in an unknown folder":       `1 openat(3<socket:[1]>, "a", O_RDONLY) = 3</d/a>`,
		"is in /e, not in /d":        `1 openat(AT_FDCWD</e>, "a", O_RDONLY) = 3</e/a>`,
		"system call mount":          `1 mount("a", "b", "c", 0, NULL) = -1 EPERM (Operation not permitted)`,
		"system call chroot":         `1 chroot("/d") = 0`,
		"system call pivot_root":     `1 pivot_root(".", ".") = 0`,
		"system call io_uring_setup": `1 io_uring_setup(8, {flags=0}) = 3<anon_inode:[io_uring]>`,
		"system call open_by_handle": `1 open_by_handle_at(3</d>, {handle_bytes=8}, O_RDONLY) = 3</d>`,
		"clone CLONE_NEWNS":          `1 clone(child_stack=NULL, flags=CLONE_NEWNS|SIGCHLD) = 2`,
		"clone CLONE_NEWPID":         `1 clone(child_stack=NULL, flags=CLONE_NEWPID|SIGCHLD) = 2`,
		"unshare CLONE_NEWNS":        `1 unshare(CLONE_NEWNS) = -1 EPERM (Operation not permitted)`,
		"paths mean: unshare":        `1 unshare(CLONE_FS) = 0`,
		"setns":                      `1 setns(3</proc/1/ns/mnt>, 0) = 0`,
		"socket of AF_ALG":           `1 socket(AF_ALG, SOCK_SEQPACKET, 0) = 3<socket:[1]>`,
		"socket of 0x99":             `1 socket(0x99 /* AF_??? */, SOCK_RAW, 0) = -1 EPERM (Operation not permitted)`,
		`inet_addr("10.0.0.1")`:      `1 connect(3<socket:[1]>, {sa_family=AF_INET, sin_port=htons(80), sin_addr=inet_addr("10.0.0.1")}, 16) = -1 EINPROGRESS (Operation now in progress)`,
		"htons(53)":                  `1 connect(3<socket:[1]>, {sa_family=AF_INET, sin_port=htons(53), sin_addr=inet_addr("127.0.0.53")}, 16) = 0`,
		`inet_addr("10.0.0.2")`:      `1 sendto(3<socket:[1]>, "127.0.0.1", 9, 0, {sa_family=AF_INET, sin_port=htons(80), sin_addr=inet_addr("10.0.0.2")}, 16) = 9`,
		`inet_addr("10.0.0.3")`:      `1 sendmsg(3<socket:[1]>, {msg_name={sa_family=AF_INET, sin_port=htons(80), sin_addr=inet_addr("10.0.0.3")}, msg_namelen=16}, 0) = 1`,
		`connects to {`:              `1 sendmmsg(3<socket:[1]>, [{msg_hdr={msg_name=NULL}}, {msg_hdr={msg_name={sa_family=AF_UNIX, sun_path="}"}}}], 2, 0) = 2`,
		`sun_path=@"x"`:              `1 connect(3<socket:[1]>, {sa_family=AF_UNIX, sun_path=@"x"}, 110) = 0`,
		"call mount ":                "1 mkdir(\"a\", 0700) = 0\n1 mount(\"tmpfs\", \"b\", \"tmpfs\", 0, NULL) = 0",
		"call mount  ":               "1 mkdir(\"a\", 0700) = 0\n1 mount(\"/etc\", \"a\", NULL, MS_BIND, NULL) = 0",
		"call umount2":               `1 umount2("/proc", 0) = 0`,
		"too many links":             "1 symlink(\"a\", \"a\") = 0\n1 access(\"a/a\", R_OK) = 0",
	} {
		s := newSeen()
		err := s.readTrace(strings.NewReader(trace+"\n"+exited), "/d")
		if err != nil || !strings.Contains(s.never, strings.TrimSpace(why)) {
			t.Errorf("want %q, got %q, %v", why, s.never, err)
		}
	}
}

// No trace makes the reader panic, and an argument that is read is one that was written.
func FuzzTrace(f *testing.F) {
	f.Add("1 openat(AT_FDCWD</d>, \"a\", O_RDONLY) = 3</d/a>\n" + exited)
	f.Add("1 vfork( <unfinished ...>\n2 chdir(\"/e\") = 0\n1 <... vfork resumed>) = 2\n2 +++ exited with 0 +++\n" + exited)
	f.Add("1 +++ superseded by execve in pid 2 +++\n")
	f.Fuzz(func(t *testing.T, trace string) {
		s := newSeen()
		if s.readTrace(strings.NewReader(trace), "/d") != nil {
			return
		}
		for _, u := range s.used {
			if !strings.HasPrefix(u.path, "/") {
				t.Errorf("%q", u.path)
			}
		}
	})
}

// What strace writes of names that it escapes is read as the names that they are.
func TestNames(t *testing.T) {
	if !canTrace() {
		t.Skip("no strace")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	files := []string{" ", "a b", "\"", "a\",\"b", "<", ">", "<x>", "<pipe:[1]>", "(", ")", ") = 3", ") = -1 ENOENT (x)", "<unfinished ...>", "\n", "a\nb", "\t\r\v\f\a\b", "\x01", "\x7f", "\xff\xfe", "é", "\\", "\\n", "\\101", "...", strings.Repeat("x", 255), "-"}
	for _, name := range files {
		sub := filepath.Join(dir, "d"+strings.TrimPrefix(name, strings.Repeat("x", 250)))
		path := filepath.Join(sub, name)
		if err := os.Mkdir(sub, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		output := filepath.Join(dir, "trace")
		command := slices.Concat(tracing, []string{"-o", output, "--", "sh", "-c", "cd -- \"$0\" && exec cat <\"./$1\"", sub, name})
		cmd := exec.Command(command[0], command[1:]...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%q: %v %s", name, err, out)
		}
		f, err := os.Open(output)
		if err != nil {
			t.Fatal(err)
		}
		s := newSeen()
		err = s.readTrace(f, dir)
		f.Close()
		if err != nil || s.never != "" || !s.known[use{path, contents}] || !s.known[use{sub, exists}] {
			t.Errorf("%q: %v %s\n%s", name, err, s.never, summary(s))
		}
	}
}
