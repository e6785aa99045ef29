//go:build linux

package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

const afALG = 38

// TestNever has commands that are not remembered although nothing changes.
func TestNever(t *testing.T) {
	exec, tool := true, false
	for _, c := range []struct {
		name    string
		exec    bool
		command []string
		why     string // in the report
		before  func(*repository)
	}{
		{"ldconfig", tool, []string{"sh", "-c", "/sbin/ldconfig -p | head -1"}, "runs /", nil},
		{"failure", tool, []string{"false"}, "", nil},
		{"failure of a test", exec, []string{"exit"}, "", nil},
		{"signal", tool, []string{"sh", "-c", "kill -9 $$"}, "", nil},
		{"signal in a test", exec, []string{"kill"}, "", nil},
		{".git", tool, []string{"cat", "../.git/HEAD"}, "reads .git", func(r *repository) { r.write(".git/HEAD", "") }},
		{".git of a work tree", exec, []string{"call ../.git"}, "reads .git", func(r *repository) { r.write(".git", "") }},
		{"connect", exec, []string{"connect"}, "connects to", nil},
		{"sendto", exec, []string{"send"}, "connects to", nil},
		{"AF_NETLINK", exec, []string{fmt.Sprint("socket ", syscall.AF_NETLINK)}, "AF_NETLINK", nil},
		{"AF_ALG", exec, []string{fmt.Sprint("socket ", afALG)}, "AF_ALG", nil},
		{"AF_PACKET", exec, []string{fmt.Sprint("socket ", syscall.AF_PACKET)}, "AF_PACKET", nil},
		{"mounts", exec, []string{"unshare"}, "CLONE_NEWNS", nil},
		{"makes a file", tool, []string{"sh", "-c", "echo >file"}, "writes ./p/file", nil},
		{"makes a file elsewhere", tool, []string{"sh", "-c", "cd ..; cd p/testdata; echo >file"}, "writes ./p/testdata/file", nil},
		{"removes a file", tool, []string{"rm", "-f", "testdata/x"}, "writes ./p/testdata/x", nil},
		{"makes a folder", tool, []string{"mkdir", "-p", "new"}, "writes ./p/new", nil},
		{"moves a file", tool, []string{"mv", "testdata/x", "testdata/y"}, "writes ./p/testdata/x", nil},
		{"changes permissions", tool, []string{"chmod", "600", "testdata/x"}, "writes ./p/testdata/x", nil},
		{"writes through a link", tool, []string{"sh", "-c", `ln -s "$PWD/file" $TMPDIR/l; echo >$TMPDIR/l; rm $TMPDIR/l`}, "writes ./p/file", nil},
		{"updates a file elsewhere", exec, []string{"update $ELSEWHERE/file"}, "changed during the run", nil},
		{"comes", exec, []string{"sh test -e $ELSEWHERE/file || echo >$ELSEWHERE/file"}, "came during the run", nil},
		{"goes", exec, []string{"sh cat $ELSEWHERE/file; rm $ELSEWHERE/file"}, "went during the run", func(r *repository) { r.write(r.other+"/file", "x") }},
		{"a foreign file", exec, []string{"read /tmp/once-test-foreign/x"}, "", nil},
		{"a pipe", tool, []string{"sh", "-c", "test -p pipe && cat <&-; stat pipe"}, "not a file", func(r *repository) { r.must(syscall.Mkfifo(r.path("p/pipe"), 0o600)) }},
		{"no strace", tool, []string{"/bin/true"}, "strace", func(r *repository) {
			gobin, err := lookPath("go")
			r.must(err)
			r.must(os.Symlink(gobin, r.path("bin/go")))
			r.setenv("PATH", r.top+"/bin")
		}},
		{"strace fails", tool, []string{"sh", "-c", "test -e $TMPDIR/left && exit 1; echo >$TMPDIR/left"}, "strace: ptrace(x): Input/output error", brokenStrace},
		{"not to be traced", tool, []string{"-plain", "./q,./p", "true"}, "not to be traced", nil},
		{"-test.bench", exec, []string{"-test.bench=X"}, "-test.bench", nil},
		{"-test.shuffle", exec, []string{"-test.shuffle=on"}, "-test.shuffle", nil},
		{"-test.cpuprofile", exec, []string{"-test.cpuprofile=/dev/null"}, "-test.cpuprofile", nil},
		{"another file of -out", tool, []string{"-out", "file", "true"}, "does not write", func(r *repository) { r.write("p/file", "") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRepository(t)
			r.other = r.elsewhere()
			if c.before != nil {
				c.before(r)
			}
			if fd, err := syscall.Socket(afALG, syscall.SOCK_SEQPACKET, 0); err == nil {
				syscall.Close(fd)
			} else if c.name == "AF_ALG" {
				t.Skip(err)
			}
			command := append([]string(nil), c.command...)
			for i := range command {
				command[i] = strings.ReplaceAll(command[i], "$ELSEWHERE", r.other)
			}
			if c.name == "a foreign file" {
				dir := t.TempDir()
				r.must(os.WriteFile(dir+"/x", nil, 0o666))
				command, c.why = []string{"read " + dir + "/x"}, "reads "+dir
			}
			switch {
			case c.exec && strings.HasPrefix(command[0], "-test."):
				full := r.act("variable X")
				command = append([]string{"-exec", full[0], command[0]}, full[1:]...)
			case c.exec:
				command = append([]string{"-exec"}, r.act(command...)...)
			}
			first := r.run(command...)
			if first.Remembered != "" || (c.why == "") != (first.Status != 0) || !strings.Contains(first.Never, c.why) {
				t.Fatalf("want %q, got %+v", c.why, first)
			}
			if entries, _ := filepath.Glob(filepath.Dir(r.report) + "/cipherlane-ci/passed/*/*/*"); len(entries) > 0 {
				t.Fatalf("there are results: %q", entries)
			}
		})
	}
}

func lookPath(name string) (string, error) { return exec.LookPath(name) }

// elsewhere returns a folder that is neither in the repository nor for temporary files.
func (r *repository) elsewhere() string {
	home, err := os.UserCacheDir()
	r.must(err)
	r.must(os.MkdirAll(home, 0o755))
	dir, err := os.MkdirTemp(home, "once-test")
	r.must(err)
	r.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// What changes while a command runs may have been read before or after.
func TestChangedDuringTheRun(t *testing.T) {
	for name, c := range map[string]struct {
		reads  string
		change func(*repository)
		why    string
	}{
		"contents":        {"cat testdata/x", func(r *repository) { r.write("p/testdata/x", "y") }, "changed"},
		"an old time":     {"cat testdata/x", func(r *repository) { r.must(os.Rename(r.path("p/old"), r.path("p/testdata/x"))) }, "changed"},
		"names":           {"echo testdata/*", func(r *repository) { r.write("p/testdata/y", "y") }, "changed"},
		"a file comes":    {"cat testdata/y || :", func(r *repository) { r.write("p/testdata/y", "y") }, "came"},
		"a file goes":     {"cat testdata/x", func(r *repository) { r.must(os.Remove(r.path("p/testdata/x"))) }, "went"},
		"the interpreter": {"tool", func(r *repository) { r.write("bin/tool", "#!/bin/sh\n#\n") }, "changed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bash, err := exec.LookPath("bash")
			if err != nil {
				t.Skip(err)
			}
			r := newRepository(t)
			r.write("bin/tool", "#!/bin/sh\n")
			r.write("p/old", "y")
			l, err := net.Listen("tcp", "127.0.0.1:0")
			r.must(err)
			defer l.Close()
			done := make(chan error)
			go func() {
				conn, err := l.Accept()
				if err == nil {
					c.change(r)
					_, err = conn.Write([]byte("\n"))
					conn.Close()
				}
				done <- err
			}()
			_, port, err := net.SplitHostPort(l.Addr().String())
			r.must(err)
			got := r.run(bash, "-c", c.reads+"; exec 5<>/dev/tcp/127.0.0.1/"+port+"; read -u 5 line")
			r.must(<-done)
			if got.Status != 0 || !strings.Contains(got.Never, c.why+" during the run") {
				t.Errorf("%+v", got)
			}
		})
	}
}

// The binary is read before the run.
func TestBinaryChangedDuringTheRun(t *testing.T) {
	r := newRepository(t)
	command := r.act("sh echo >>$BINARY")
	command[len(command)-1] = "sh cp " + command[0] + " " + command[0] + ".new; echo >>" + command[0] + ".new; mv " + command[0] + ".new " + command[0]
	if got := r.run(append([]string{"-exec"}, command...)...); got.Status != 0 || !strings.Contains(got.Never, "changed while it ran") {
		t.Errorf("%+v", got)
	}
}

// Two runs at once both run, and leave results that can be used.
func TestAtOnce(t *testing.T) {
	r := newRepository(t)
	var wait sync.WaitGroup
	for range 4 {
		wait.Add(1)
		go func() {
			defer wait.Done()

			cmd := exec.Command(r.once, "cat", "testdata/x")
			cmd.Dir, cmd.Env = r.dir, append(os.Environ(), r.env...)
			if out, err := cmd.CombinedOutput(); err != nil || !strings.HasPrefix(string(out), "x") {
				t.Errorf("%v %q", err, out)
			}
		}()
	}
	wait.Wait()
	if got := r.run("cat", "testdata/x"); got.Remembered == "" || got.out != "x" {
		t.Errorf("%+v", got)
	}
}

// brokenStrace is a strace that can trace "true", and fails in all else, behind the command.
func brokenStrace(r *repository) {
	r.write("first/strace", `#!/bin/sh
while test "$1" != --; do shift; done
shift
"$@"
test "$1" = true && exit
echo "strace: ptrace(x): Input/output error" >&2
exit 1
`)
}

// If strace fails, the command's own status counts, and a failure is not tried again.
func TestStraceFails(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		command string
		status  int
		runs    int
	}{{"echo ran", 0, 2}, {"echo ran; exit 3", 3, 2}} {
		r := newRepository(t)
		brokenStrace(r)
		got := r.run("sh", "-c", c.command)
		if n := strings.Count(got.out, "ran\n"); got.Status != c.status || n != c.runs || !strings.Contains(got.out, "once: strace has failed") {
			t.Errorf("%s: status %d, %d runs:\n%s", c.command, got.Status, n, got.out)
		}
	}
	r := newRepository(t)
	if got := r.run("sh", "-c", "echo ran; exit 3"); got.Status != 3 || strings.Count(got.out, "ran\n") != 1 {
		t.Errorf("a plain failure: status %d:\n%s", got.Status, got.out)
	}
}
