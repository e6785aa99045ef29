package files

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/clitest"
)

const chunk, sealedChunk, header = 16 << 10, 16<<10 + 16, 56

// encryptedFiles creates a directory with a key, a text and its encrypted message.
func encryptedFiles(t *testing.T, n int) (dir string, text, message []byte) {
	t.Helper()
	dir = t.TempDir()
	text = clitest.TestMessage(n)
	c := clitest.Call{Dir: dir}
	clitest.Write(t, filepath.Join(dir, "text"), text)
	c.OK(t, "keygen", "-o", "key")
	c.OK(t, "encrypt", "--key-file", "key", "-o", "message", "text")
	return dir, text, clitest.Read(t, filepath.Join(dir, "message"))
}

func TestEncryptRoundTrip(t *testing.T) {
	dir := t.TempDir()
	c := clitest.Call{Dir: dir}
	c.OK(t, "keygen", "-o", "key")
	for _, n := range []int{0, 1, chunk - 1, chunk, chunk + 1, 64 * chunk, 5<<20 + 7} {
		text := clitest.TestMessage(n)
		clitest.Write(t, filepath.Join(dir, "text"), text)
		for _, jobs := range []string{"1", "2", "0"} {
			c.OK(t, "encrypt", "--key-file", "key", "-j", jobs, "-f", "-o", "message", "text")
			if got, want := len(clitest.Read(t, filepath.Join(dir, "message"))), header+n+16*(n/chunk+1); got != want {
				t.Errorf("%d bytes encrypt to %d, want %d", n, got, want)
			}
			c.OK(t, "decrypt", "--key-file", "key", "-j", jobs, "-f", "-o", "back", "message")
			if !bytes.Equal(clitest.Read(t, filepath.Join(dir, "back")), text) {
				t.Errorf("%d bytes, -j %s: not the same after decrypting", n, jobs)
			}
			// The same through pipes.
			sealed := clitest.Call{Dir: dir, Stdin: bytes.NewReader(text)}.OK(t, "encrypt", "--key-file", "key", "-j", jobs)
			back := clitest.Call{Dir: dir, Stdin: strings.NewReader(sealed)}.OK(t, "decrypt", "--key-file", "key", "-j", jobs, "-")
			if back != string(text) {
				t.Errorf("%d bytes, -j %s: not the same after decrypting through pipes", n, jobs)
			}
		}
	}
}

func TestEncryptAlgorithms(t *testing.T) {
	dir := t.TempDir()
	c := clitest.Call{Dir: dir}
	c.OK(t, "keygen", "-o", "key16")
	c.OK(t, "keygen", "-o", "key32", "--size", "32")
	text := clitest.TestMessage(100000)
	clitest.Write(t, filepath.Join(dir, "text"), text)
	for _, test := range []struct{ alg, key string }{{"sm4-gcm", "key16"}, {"aes-128-gcm", "key16"}, {"aes-256-gcm", "key32"}} {
		c.OK(t, "encrypt", "--alg", test.alg, "--context", "a test", "--key-file", test.key, "-f", "-o", "message", "text")
		for _, args := range [][]string{nil, {"--alg", test.alg}} {
			args = append([]string{"decrypt", "--key-file", test.key, "--context", "a test", "message"}, args...)
			if c.OK(t, args...) != string(text) {
				t.Errorf("%q: not the same after decrypting", args)
			}
		}
		for _, other := range []string{"sm4-gcm", "aes-128-gcm"} {
			if other != test.alg && test.key == "key16" {
				c.Fails(t, 1, "message: wrong key, context or algorithm", "decrypt", "--alg", other, "--context", "a test", "--key-file", test.key, "message")
			}
		}
		c.Fails(t, 1, "message: wrong key, context or algorithm", "decrypt", "--context", "another test", "--key-file", test.key, "message")
		c.Fails(t, 1, "message: wrong key, context or algorithm", "decrypt", "--key-file", test.key, "message")
	}
	// Without --alg, the key decides.
	for key, alg := range map[string]string{"key16": "sm4-gcm", "key32": "aes-256-gcm"} {
		c.OK(t, "encrypt", "--key-file", key, "-f", "-o", "message", "text")
		if c.OK(t, "decrypt", "--alg", alg, "--key-file", key, "message") != string(text) {
			t.Errorf("%s: not the same after decrypting", key)
		}
	}
	// Hex digits are never used as raw bytes, in either direction.
	clitest.Write(t, filepath.Join(dir, "digits"), bytes.TrimSpace(clitest.Read(t, filepath.Join(dir, "key16"))))
	for _, verb := range []string{"encrypt", "decrypt"} {
		for _, key := range []string{"key16", "digits"} {
			c.Fails(t, 1, key+": not a key: want 48 hex digits or 24 bytes, or 64 hex digits or 32 bytes, got 32 hex digits, a key for sm4-gcm or aes-128-gcm", verb, "--alg", "aes-256-gcm", "--key-file", key, "text")
		}
		c.Fails(t, 1, "got 64 hex digits, a key for aes-256-gcm", verb, "--alg", "sm4-gcm", "--key-file", "key32", "text")
	}
	c.OK(t, "encrypt", "--key-file", "digits", "-f", "-o", "message", "text")
	if c.OK(t, "decrypt", "--key-file", "key16", "message") != string(text) {
		t.Error("a key without a line end is another key")
	}
	for _, d := range clitest.DriversOf(t, "gcm(sm4)") {
		c.OK(t, "encrypt", "--driver", d, "--key-file", "key16", "-f", "-o", "message", "text")
		if c.OK(t, "decrypt", "--driver", d, "--key-file", "key16", "message") != string(text) {
			t.Errorf("driver %s: not the same after decrypting", d)
		}
	}
}

// TestDecryptDamaged decrypts invalid and incomplete messages. decrypt must fail with
// one line, write only authentic chunks to standard output, and leave no file behind.
func TestDecryptDamaged(t *testing.T) {
	const chunks = 9
	dir, text, message := encryptedFiles(t, chunks*chunk+100)
	at := func(i int) int { return header + i*sealedChunk }
	flip := func(i int) []byte {
		m := slices.Clone(message)
		m[i] ^= 0x40
		return m
	}
	swapped := slices.Clone(message)
	copy(swapped[at(2):], message[at(3):at(4)])
	copy(swapped[at(3):], message[at(2):at(3)])
	type damage struct {
		what    string
		message []byte
		whole   int // authentic chunks before the damage
	}
	tests := []damage{
		{"salt", flip(0), 0},
		{"commitment", flip(header - 1), 0},
		{"first bit", flip(header), 0},
		{"tag of the first chunk", flip(at(1) - 1), 0},
		{"middle", flip(at(5) + 77), 5},
		{"last bit", flip(len(message) - 1), chunks},
		{"chunks 2 and 3 swapped", swapped, 2},
		{"chunk 4 left out", slices.Concat(message[:at(4)], message[at(5):]), 4},
		{"chunk 4 twice", slices.Concat(message[:at(5)], message[at(4):]), 5},
		{"last chunk twice", slices.Concat(message, message[at(chunks):]), chunks},
		{"one byte more", append(slices.Clone(message), 0), chunks},
		{"not a message", clitest.TestMessage(100000), 0},
	}
	for _, n := range []int{0, 1, header - 1, header, header + 1, header + 15, header + 16, at(1) - 1, at(1), at(1) + 1, at(1) + 16, at(8), at(9), len(message) - 1} {
		whole := max(0, n-header) / sealedChunk
		tests = append(tests, damage{fmt.Sprintf("cut to %d bytes", n), message[:n], whole})
	}
	for _, test := range tests {
		t.Run(strings.ReplaceAll(test.what, " ", "-"), func(t *testing.T) {
			clitest.Write(t, filepath.Join(dir, "damaged"), test.message)
			defer os.Remove(filepath.Join(dir, "damaged"))
			c := clitest.Call{Dir: dir}
			for _, jobs := range []string{"1", "2"} {
				c.Fails(t, 1, "damaged: ", "decrypt", "-j", jobs, "--key-file", "key", "-o", "out", "damaged")
				if got := clitest.Entries(t, dir); got != "damaged key message text" {
					t.Fatalf("files left behind: %s", got)
				}
				o := c.Fails(t, 1, "damaged: ", "decrypt", "-j", jobs, "--key-file", "key", "damaged")
				if o.Stdout != string(text[:test.whole*chunk]) {
					t.Errorf("-j %s: wrote %d bytes, want %d authentic ones", jobs, len(o.Stdout), test.whole*chunk)
				}
			}
			// An existing file is kept.
			old := clitest.Write(t, filepath.Join(dir, "old"), []byte("old"))
			defer os.Remove(old)
			c.Fails(t, 1, "damaged: ", "decrypt", "--key-file", "key", "-f", "-o", "old", "damaged")
			if string(clitest.Read(t, old)) != "old" {
				t.Error("a failure replaced the old file")
			}
		})
	}
	other := clitest.Write(t, filepath.Join(dir, "otherkey"), bytes.Repeat([]byte{7}, 16))
	clitest.Call{Dir: dir}.Fails(t, 1, "wrong key", "decrypt", "--key-file", other, "message")
}

// TestDecryptDamagedParts is TestDecryptDamaged for a message that is read in parts.
func TestDecryptDamagedParts(t *testing.T) {
	dir, text, message := encryptedFiles(t, 5<<20)
	const chunks = 5 << 20 / chunk
	at := func(i int) int { return header + i*sealedChunk }
	for what, test := range map[string]struct {
		message []byte
		whole   int
	}{
		"first bit":            {slices.Concat(message[:header], []byte{message[header] ^ 1}, message[header+1:]), 0},
		"middle":               {slices.Concat(message[:at(100)], []byte{message[at(100)] ^ 1}, message[at(100)+1:]), 100},
		"last bit":             {slices.Concat(message[:len(message)-1], []byte{message[len(message)-1] ^ 1}), chunks},
		"cut after a chunk":    {message[:at(200)], 200},
		"cut after a part":     {message[:at(160)], 160},
		"without a part":       {slices.Concat(message[:at(64)], message[at(96):]), 64},
		"parts swapped":        {slices.Concat(message[:at(64)], message[at(96):at(128)], message[at(64):at(96)], message[at(128):]), 64},
		"without a last chunk": {message[:len(message)-16], chunks},
	} {
		clitest.Write(t, filepath.Join(dir, "damaged"), test.message)
		c := clitest.Call{Dir: dir}
		for _, jobs := range []string{"1", "2", "16"} {
			c.Fails(t, 1, "damaged: ", "decrypt", "-j", jobs, "--key-file", "key", "-o", "out", "damaged")
			if got := clitest.Entries(t, dir); got != "damaged key message text" {
				t.Fatalf("%s: files left behind: %s", what, got)
			}
			o := c.Fails(t, 1, "damaged: ", "decrypt", "-j", jobs, "--key-file", "key", "damaged")
			if o.Stdout != string(text[:test.whole*chunk]) {
				t.Errorf("%s, -j %s: wrote %d bytes, want %d authentic ones", what, jobs, len(o.Stdout), test.whole*chunk)
			}
		}
	}
}

func TestEncryptOutput(t *testing.T) {
	dir, text, message := encryptedFiles(t, 1000)
	c := clitest.Call{Dir: dir}
	path := func(name string) string { return filepath.Join(dir, name) }

	c.Fails(t, 1, "message: exists already; use -f", "encrypt", "--key-file", "key", "-o", "message", "text")
	if !bytes.Equal(clitest.Read(t, path("message")), message) {
		t.Error("an existing file was changed without -f")
	}
	// The error comes before any work is done or input is consumed.
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	timeout := time.AfterFunc(10*time.Second, func() {
		t.Error("the input is read before the output is looked at")
		w.Close()
	})
	defer timeout.Stop()
	clitest.Call{Dir: dir, Stdin: r}.Fails(t, 1, "message: exists already; use -f", "encrypt", "--key-file", "key", "-o", "message")
	c.OK(t, "encrypt", "--key-file", "key", "-f", "-o", "message", "text")
	if c.OK(t, "decrypt", "--key-file", "key", "message") != string(text) {
		t.Error("with -f, the file was not replaced as it should")
	}

	if err := os.Link(path("text"), path("link")); err != nil {
		t.Fatal(err)
	}
	for _, out := range []string{"text", "./text", path("text"), "link"} {
		c.Fails(t, 2, "same file", "encrypt", "--key-file", "key", "-f", "-o", out, "text")
	}
	os.Remove(path("link"))
	key := clitest.Read(t, path("key"))
	for _, verb := range [][]string{{"encrypt"}, {"cipher", "sm4-ecb", "-q"}} {
		c.Fails(t, 2, "key: input and output are the same file", append(verb, "--key-file", "key", "-f", "-o", "./key", "text")...)
	}
	if !bytes.Equal(clitest.Read(t, path("key")), key) {
		t.Error("the key was replaced by what only it could decrypt")
	}
	inout, err := os.OpenFile(path("text"), os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer inout.Close()
	clitest.Call{Dir: dir, Stdin: inout, Stdout: inout}.Fails(t, 2, "same file", "encrypt", "--key-file", "key")
	if !bytes.Equal(clitest.Read(t, path("text")), text) {
		t.Error("the input was changed")
	}

	c.Fails(t, 1, "missing: no such file or directory", "encrypt", "--key-file", "key", "-o", "x", "missing")
	c.Fails(t, 1, "is a directory", "encrypt", "--key-file", "key", "-o", "x", ".")
	c.Fails(t, 1, "is a directory", "encrypt", "--key-file", "key", "-f", "-o", ".", "text")
	c.Fails(t, 1, "no such file or directory", "encrypt", "--key-file", "key", "-o", "missing/x", "text")
	c.Fails(t, 1, "not a directory", "encrypt", "--key-file", "key", "-o", "text/x", "text")
	if os.Getuid() != 0 {
		clitest.Write(t, path("secret"), nil)
		os.Chmod(path("secret"), 0)
		c.Fails(t, 1, "permission denied", "encrypt", "--key-file", "key", "-o", "x", "secret")
		os.Remove(path("secret"))
	}
	clitest.DevFull(t)
	c.Fails(t, 1, "/dev/full: no space left", "encrypt", "--key-file", "key", "-o", "/dev/full", "text")
	c.OK(t, "encrypt", "--key-file", "key", "-o", "/dev/null", "text")
	if got := clitest.Entries(t, dir); got != "key message text" {
		t.Errorf("files: %s", got)
	}

	// Users who could not read the text must not be able to read the output.
	for _, mode := range []os.FileMode{0o600, 0o640} {
		os.Chmod(path("text"), mode)
		c.OK(t, "encrypt", "--key-file", "key", "-f", "-o", "message", "text")
		if info, err := os.Stat(path("message")); err != nil || info.Mode()&^mode != 0 {
			t.Errorf("text %v, message %v, %v", mode, info.Mode(), err)
		}
	}
}

func TestEncryptSignals(t *testing.T) {
	for _, verb := range []string{"encrypt", "decrypt"} {
		for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
			for _, env := range [][]string{nil, {namedFiles}} {
				t.Run(fmt.Sprint(verb, " ", s, env), func(t *testing.T) {
					// In the background of a script or under nohup, the tests ignore
					// some signals. A command does not inherit this if there is a handler.
					signal.Notify(make(chan os.Signal, 1), s)
					defer signal.Reset(s)
					dir := t.TempDir()
					cmd, _ := halfWay(t, clitest.Call{Dir: dir, Env: env}, verb)
					stderr := cmd.Stderr.(*bytes.Buffer)
					before := clitest.Entries(t, dir)
					cmd.Process.Signal(s)
					cmd.Wait()
					got := cmd.ProcessState.Sys().(syscall.WaitStatus)
					if s == syscall.SIGQUIT && (got.ExitStatus() != 128+int(s) || stderr.Len() > 0) || s != syscall.SIGQUIT && got.Signal() != s {
						t.Errorf("ended with %v, %s", cmd.ProcessState, stderr)
					}
					if got := clitest.Entries(t, dir); got != "key message text" || env != nil && before == got {
						t.Errorf("files left behind: %s, before: %s", got, before)
					}
				})
			}
		}
	}
}

// halfWay starts a verb with an output file that waits for the rest of its input. The
// returned function sends it.
func halfWay(t *testing.T, c clitest.Call, verb string) (*exec.Cmd, func()) {
	t.Helper()
	from, text, message := encryptedFiles(t, 1<<20)
	for _, name := range []string{"key", "text", "message"} {
		if err := os.Rename(filepath.Join(from, name), filepath.Join(c.Dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	data := map[string][]byte{"encrypt": text, "decrypt": message}[verb]
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	c.Stdin = r
	cmd := c.Command(t, verb, "--key-file", "key", "-f", "-o", "out")
	cmd.Stderr = new(bytes.Buffer)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	r.Close()
	t.Cleanup(func() { w.Close() })
	w.Write(data[:400000]) // more than fits into a pipe: the command has begun to read
	for !strings.Contains(clitest.Entries(t, c.Dir), ".cipherlane-") && !openFile(cmd.Process.Pid, c.Dir) {
		time.Sleep(time.Millisecond)
	}
	return cmd, func() {
		w.Write(data[400000:])
		w.Close()
	}
}

// openFile reports whether a process on Linux has an unnamed file open in a directory.
func openFile(pid int, dir string) bool {
	links, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	for _, link := range links {
		if file, _ := os.Readlink(link); strings.HasPrefix(file, dir+"/") && strings.HasSuffix(file, " (deleted)") {
			return true
		}
	}
	return false
}

// TestNohup checks that a signal which was ignored when the command started
// stays ignored.
func TestNohup(t *testing.T) {
	signal.Ignore(syscall.SIGHUP) // which commands inherit
	defer signal.Reset(syscall.SIGHUP)
	dir := t.TempDir()
	cmd, finish := halfWay(t, clitest.Call{Dir: dir}, "encrypt")
	cmd.Process.Signal(syscall.SIGHUP)
	time.Sleep(100 * time.Millisecond)
	defer time.AfterFunc(10*time.Second, func() { cmd.Process.Kill() }).Stop()
	finish()
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if got := (clitest.Call{Dir: dir}).OK(t, "decrypt", "--key-file", "key", "out"); got != string(clitest.Read(t, filepath.Join(dir, "text"))) {
		t.Error("not the same after decrypting")
	}
}

func TestInputSize(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	p := &cli.Program{Stdin: r}
	path := clitest.Write(t, filepath.Join(t.TempDir(), "text"), make([]byte, 1234))
	for name, want := range map[string]int64{path: 1234, "-": -1, os.DevNull: -1} {
		in, err := p.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := in.Size(); got != want {
			t.Errorf("%s: size %d, want %d", name, got, want)
		}
	}
}

func TestProgress(t *testing.T) {
	dir, _, _ := encryptedFiles(t, 1<<20)
	o := clitest.Call{Dir: dir}.Run(t, "encrypt", "--progress", "on", "--key-file", "key", "-o", "a", "text")
	if o.Code != 0 {
		t.Fatalf("exit code %d: %s", o.Code, o.Stderr)
	}
	// Without a terminal, nothing is shown.
	clitest.Call{Dir: dir}.OK(t, "encrypt", "--key-file", "key", "-o", "b", "text")

	slow := func(name string, stderr io.Writer, wait time.Duration) {
		t.Helper()
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		cmd := clitest.Call{Dir: dir, Stdin: r}.Command(t, "encrypt", "--progress", "on", "--key-file", "key", "-o", name)
		cmd.Stderr = stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		w.Write(make([]byte, 50000))
		time.Sleep(wait)
		w.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v; files %s", err, clitest.Entries(t, dir))
		}
	}
	// A slow command shows its progress.
	var stderr bytes.Buffer
	for wait := 2 * cli.ProgressInterval; wait < time.Minute && !strings.Contains(stderr.String(), "50 kB"); wait *= 4 { // until it has read
		stderr.Reset()
		slow(fmt.Sprint("c", wait), &stderr, wait)
	}
	if !strings.Contains(stderr.String(), "encrypting") || !strings.Contains(stderr.String(), "50 kB") {
		t.Errorf("progress %q", stderr.String())
	}
	// The command also finishes if nobody reads its progress any more.
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	r.Close()
	slow("d", w, 2*cli.ProgressInterval)
}

func TestTerminal(t *testing.T) {
	dir, text, _ := encryptedFiles(t, 1000)
	for _, line := range []string{
		"$cipherlane encrypt --key-file key text",
		"$cipherlane cipher sm4-ecb -q --key-file key text",
		"$cipherlane decrypt --key-file key message",
	} {
		out, code := clitest.OnTerminal(t, dir, line)
		if code != 2 || !strings.Contains(out, "is a terminal") {
			t.Errorf("%s: exit code %d, %q", line, code, out)
		}
	}
	// Decrypting refuses only binary data.
	clitest.Call{Dir: dir}.OK(t, "sm2", "keygen", "-o", "sm2.pem", "--public", "sm2.pub")
	for content, want := range map[string]int{
		"hello\n":                  0,
		"Grüße, 你好\r\n\ttab\f":     0,
		strings.Repeat("€", 10000): 0, // characters across chunks
		"a\x1b[31mred\n":           2,
		"a\x00b":                   2,
		"caf\xe9\n":                2,
		"\u009b31m":                2, // the same in one character
	} {
		clitest.Write(t, filepath.Join(dir, "plain"), []byte(content))
		clitest.Call{Dir: dir}.OK(t, "encrypt", "--key-file", "key", "-f", "-o", "plain.enc", "plain")
		clitest.Call{Dir: dir}.OK(t, "cipher", "sm4-ctr", "-q", "--iv", strings.Repeat("0", 32), "--key-file", "key", "-f", "-o", "plain.ctr", "plain")
		clitest.Call{Dir: dir}.OK(t, "sm2", "encrypt", "--to", "sm2.pub", "-f", "-o", "plain.sm2", "plain")
		for _, line := range []string{
			"decrypt --key-file key plain.enc",
			"cipher sm4-ctr -d -q --iv " + strings.Repeat("0", 32) + " --key-file key plain.ctr",
			"sm2 decrypt --key sm2.pem plain.sm2",
		} {
			out, code := clitest.OnTerminal(t, dir, "stty -opost; $cipherlane "+line)
			if code != want || code == 0 && out != content || code != 0 && (!strings.Contains(out, "is a terminal") || strings.Contains(out, content)) {
				t.Errorf("%s: exit code %d, %q, want %d, %q", line, code, out, want, content)
			}
			if want == 0 {
				continue
			}
			if out, code = clitest.OnTerminal(t, dir, "stty -opost; $cipherlane "+line+" -o -"); code != 0 || out != content {
				t.Errorf("%s -o -: exit code %d, %q, want %q", line, code, out, content)
			}
		}
	}
	if out, code := clitest.OnTerminal(t, dir, "$cipherlane encrypt --key-file key -o - text"); code != 0 || len(out) < len(text) {
		t.Errorf("-o -: exit code %d, %d bytes", code, len(out))
	}
	if out, code := clitest.OnTerminal(t, dir, "$cipherlane encrypt --key-file key text > redirected"); code != 0 || out != "" {
		t.Errorf("redirected: exit code %d, %q", code, out)
	}
	out, code := clitest.OnTerminal(t, dir, "$cipherlane list sm3")
	if code != 0 || !strings.Contains(out, "\x1b[32m") {
		t.Errorf("list on a terminal: exit code %d, no colours in %q", code, out)
	}
	out, code = clitest.OnTerminal(t, dir, "NO_COLOR=1 $cipherlane list sm3")
	if code != 0 || strings.Contains(out, "\x1b[32m") {
		t.Errorf("list with NO_COLOR: exit code %d, colours in %q", code, out)
	}
	out, code = clitest.OnTerminal(t, dir, "stty cols 60; $cipherlane list sm3")
	for line := range strings.Lines(out) {
		if n := len([]rune(clitest.StripEscapes(line))); n > 62 && !strings.HasPrefix(line, "features") {
			t.Errorf("exit code %d, %d columns on a terminal of 60: %q", code, n, line)
		}
	}
	// This takes longer than a second; quick commands show nothing.
	for _, columns := range []string{"80", "0"} { // 0: unknown, as on a serial line
		out, _ = clitest.OnTerminal(t, dir, "stty cols "+columns+"; { head -c 60000 /dev/zero; sleep 1.5; } | $cipherlane encrypt --key-file key -f -o slow")
		if !strings.Contains(out, "encrypting") {
			t.Errorf("no progress on a terminal of %s columns: %q", columns, out)
		}
	}
	if out, _ = clitest.OnTerminal(t, dir, "$cipherlane encrypt --key-file key -o quick text"); out != "" {
		t.Errorf("progress of a quick command: %q", out)
	}
}

func TestJobs(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	name := filepath.Join(t.TempDir(), "file")
	clitest.Write(t, name, nil)
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	for _, test := range []struct {
		in         *os.File
		jobs, want int
	}{{file, 0, 4}, {file, 1, 1}, {file, 4, 4}, {file, 16, 4}, {r, 0, 3}, {r, 1, 1}, {r, 4, 4}, {r, 16, 4}} {
		in, err := cli.NewInput(test.in, "input")
		if err != nil {
			t.Fatal(err)
		}
		c := &streamFlags{Jobs: test.jobs}
		if got := c.jobs(in); got != test.want {
			t.Errorf("-j %d, pipe: %v: %d goroutines, want %d", test.jobs, test.in == r, got, test.want)
		}
		restore := c.spareProcessor(in)
		if got := runtime.GOMAXPROCS(0); got != test.want+1 {
			t.Errorf("-j %d, pipe: %v: %d processors, want %d", test.jobs, test.in == r, got, test.want+1)
		}
		if restore(); runtime.GOMAXPROCS(0) != 4 {
			t.Errorf("%d processors afterwards, want 4", runtime.GOMAXPROCS(0))
		}
	}
}

// namedFiles makes the command use temporary names instead of unnamed files.
const namedFiles = "CIPHERLANE_TEST_NAMED_FILES=1"
