package checksum

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/clitest"
)

// coreutils runs a tool of the system and returns its output and exit code.
func coreutils(t *testing.T, dir, stdin, name string, args ...string) clitest.Outcome {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), clitest.Tool(t, name), args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	cmd.Stdin = strings.NewReader(stdin)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Fatal(err)
	}
	return clitest.Outcome{Stdout: stdout.String(), Stderr: stderr.String(), Code: cmd.ProcessState.ExitCode()}
}

// oddNames creates a directory of files with unusual names.
func oddNames(t *testing.T) (dir string, names []string) {
	t.Helper()
	dir = t.TempDir()
	names = []string{"plain", "with blank", " leading", "trailing ", "new\nline", `back\slash`, "\\", `\n`, "carriage\rreturn", "*star", "tab\t", "a) = b", "#hash", "ünïcode", "not\xffutf8", "-"}
	for i, name := range names {
		clitest.Write(t, filepath.Join(dir, name), bytes.Repeat([]byte(name), i*40))
	}
	names[len(names)-1] = "./-"
	return dir, names
}

func TestHashMatchesCoreutils(t *testing.T) {
	dir, names := oddNames(t)
	for _, options := range []string{"", "--tag", "-b", "-t", "-z", "--tag -z", "-b -z", "--tag -b"} {
		args := append(strings.Fields(options), names...)
		for _, alg := range []string{"sha224", "sha256", "sha384", "sha512"} {
			want := coreutils(t, dir, "", alg+"sum", args...)
			if got := (clitest.Call{Dir: dir}).OK(t, append([]string{"hash", "-a", alg}, args...)...); got != want.Stdout {
				t.Errorf("%s %s:\n%q, want\n%q", alg, options, got, want.Stdout)
			}
		}
		// cksum prints tags unless told otherwise.
		untagged := append([]string{"-a", "sm3"}, args...)
		if !strings.Contains(options, "--tag") {
			untagged = append([]string{"--untagged"}, untagged...)
		}
		want := coreutils(t, dir, "", "cksum", untagged...)
		if want.Code != 0 {
			continue // cksum of coreutils before 9 knows no SM3, and that of 9.1 no -b
		}
		if got := (clitest.Call{Dir: dir, Name: "sm3sum"}).OK(t, args...); got != want.Stdout {
			t.Errorf("sm3sum %s:\n%q, want\n%q", options, got, want.Stdout)
		}
	}
	want := coreutils(t, dir, "some text", "sha256sum")
	if got := (clitest.Call{Stdin: strings.NewReader("some text")}).OK(t, "hash", "-a", "sha256"); got != want.Stdout {
		t.Errorf("standard input: %q, want %q", got, want.Stdout)
	}
}

func TestHashOpenSSL(t *testing.T) {
	openssl := clitest.Tool(t, "openssl")
	dir := t.TempDir()
	for _, n := range []int{0, 1, 55, 56, 64, 1000, cli.BufferSize - 1, cli.BufferSize, cli.BufferSize + 1, 5 * cli.BufferSize} {
		file := clitest.Write(t, filepath.Join(dir, "file"), clitest.TestMessage(n))
		out, err := exec.CommandContext(t.Context(), openssl, "dgst", "-sm3", "-r", file).Output()
		if err != nil {
			t.Skipf("openssl without SM3: %v", err)
		}
		want, _, _ := strings.Cut(string(out), " ")
		for _, d := range clitest.DriversOf(t, "sm3") {
			if got, _, _ := strings.Cut(clitest.Call{}.OK(t, "hash", "--driver", d, file), " "); got != want {
				t.Errorf("%d bytes, driver %s: %s, openssl says %s", n, d, got, want)
			}
		}
	}
}

// TestCheckBothWays: each program verifies the output of the other one.
func TestCheckBothWays(t *testing.T) {
	dir, names := oddNames(t)
	for _, style := range []string{"--tag", "-t"} {
		args := append([]string{style}, names...)
		ours := clitest.Call{Dir: dir}.OK(t, append([]string{"hash", "-a", "sha256"}, args...)...)
		if o := coreutils(t, dir, ours, "sha256sum", "--check", "--strict"); o.Code != 0 || o.Stderr != "" {
			t.Errorf("%s: sha256sum says of ours: exit code %d\n%s%s", style, o.Code, o.Stdout, o.Stderr)
		}
		theirs := coreutils(t, dir, "", "sha256sum", args...)
		clitest.Call{Dir: dir, Stdin: strings.NewReader(theirs.Stdout)}.OK(t, "hash", "-a", "sha256", "--check", "--strict")

		ours = clitest.Call{Dir: dir}.OK(t, append([]string{"hash"}, args...)...)
		clitest.Call{Dir: dir, Stdin: strings.NewReader(ours)}.OK(t, "hash", "--check", "--strict")
		if o := coreutils(t, dir, "", "cksum", "-a", "sm3", "plain"); o.Code != 0 {
			t.Log("cksum without SM3")
			continue
		}
		check := []string{"--check", "--strict"}
		if style == "-t" {
			check = append(check, "-a", "sm3")
		}
		if o := coreutils(t, dir, ours, "cksum", check...); o.Code != 0 || o.Stderr != "" {
			t.Errorf("%s: cksum says of ours: exit code %d\n%s%s", style, o.Code, o.Stdout, o.Stderr)
		}
		print := []string{"-a", "sm3"}
		if style == "-t" {
			print = append(print, "--untagged")
		}
		theirs = coreutils(t, dir, "", "cksum", append(print, names...)...)
		clitest.Call{Dir: dir, Stdin: strings.NewReader(theirs.Stdout), Name: "sm3sum"}.OK(t, "--check", "--strict")
	}
}

// TestCheckLikeCoreutils compares output and exit code with those of coreutils for files
// of checksums with all kinds of errors.
func TestCheckLikeCoreutils(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "new\nline", `back\slash`, "other"} {
		clitest.Write(t, filepath.Join(dir, name), []byte("contents of "+name))
	}
	if err := os.Mkdir(filepath.Join(dir, "directory"), 0o700); err != nil {
		t.Fatal(err)
	}
	sum := func(name string) string {
		s := sha256.Sum256([]byte("contents of " + name))
		return hex.EncodeToString(s[:])
	}
	good := sum("a") + "  a\n"
	bad := sum("x") + "  other\n"
	missing := sum("x") + "  missing\n"
	unreadable := sum("x") + "  directory\n"
	junk := "this is not a checksum\n"
	lists := map[string]string{
		"empty": "", "only junk": junk, "comments": "# nothing\n\n#\n", "good": good, "bad": bad, "missing": missing,
		"good and bad": good + bad, "good and missing": good + missing, "good and junk": good + junk,
		"everything":  good + bad + missing + unreadable + junk + "# comment\n\n" + good,
		"two of each": good + good + bad + bad + missing + missing + junk + junk,
		"no line end": strings.TrimSuffix(good, "\n"), "carriage return": sum("a") + "  a\r\n",
		"upper case": strings.ToUpper(sum("a")) + "  a\n", "one blank": sum("a") + " a\n", "star": sum("a") + " *a\n", "tab": sum("a") + "\ta\n",
		"indented": "  " + good, "short digest": good[1:], "long digest": "0" + good, "digest alone": sum("a") + "\n", "digest and blank": sum("a") + " \n",
		"not hex":       "g" + good[1:],
		"tag":           "SHA256 (a) = " + sum("a") + "\n",
		"tight tag":     "SHA256(a)= " + sum("a") + "\n",
		"tighter tag":   "SHA256 (a)=" + sum("a") + "\n",
		"indented tag":  "\t SHA256 (a) = " + sum("a") + "\n",
		"small tag":     "sha256 (a) = " + sum("a") + "\n",
		"other tag":     "SHA512 (a) = " + sum("a") + "\n",
		"unknown tag":   "XYZ (a) = " + sum("a") + "\n",
		"short tag":     "SHA256 (a) = " + sum("a")[1:] + "\n",
		"long tag":      "SHA256 (a) = " + sum("a") + "0\n",
		"blank at end":  "SHA256 (a) = " + sum("a") + " \n",
		"open tag":      "SHA256 (a = " + sum("a") + "\n",
		"tag of junk":   "SHA256 (a) = rubbish\n",
		"no equal sign": "SHA256 (a) " + sum("a") + "\n",
		"escaped":       "\\" + sum("new\nline") + "  new\\nline\n\\" + sum(`back\slash`) + "  back\\\\slash\n",
		"escaped tag":   "\\SHA256 (new\\nline) = " + sum("new\nline") + "\n",
		"needlessly":    "\\" + good,
		"not escaped":   sum(`back\slash`) + "  back\\slash\n",
		"half escaped":  sum(`back\slash`) + "  back\\\\slash\n",
		"bad escape":    "\\" + sum("a") + "  a\\x\n",
		"ends escaped":  "\\" + sum("a") + "  a\\\n",
		"escaped, bad":  "\\" + sum("x") + "  new\\nline\n",
		"escaped, gone": "\\" + sum("x") + "  no\\nline\n",
		"itself":        sum("a") + "  -\n",
		"binary":        string(clitest.TestMessage(5000)),
	}
	for what, list := range lists {
		for _, options := range []string{"", "--quiet", "--status", "--strict", "--warn", "--ignore-missing", "--quiet --ignore-missing", "--status --strict", "--strict --warn --ignore-missing"} {
			args := append([]string{"--check"}, strings.Fields(options)...)
			want := coreutils(t, dir, list, "sha256sum", args...)
			got := clitest.Call{Dir: dir, Stdin: strings.NewReader(list)}.Run(t, append([]string{"hash", "-a", "sha256"}, args...)...)
			if got.Stdout != want.Stdout || got.Code != want.Code {
				t.Errorf("%s, %s: exit code %d, %q, want %d, %q", what, options, got.Code, got.Stdout, want.Code, want.Stdout)
			}
			// The messages are the same except for quotes and capitals.
			if got, want := strings.Count(got.Stderr, "\n"), strings.Count(want.Stderr, "\n"); got != want {
				t.Errorf("%s, %s: %d lines on standard error, want %d", what, options, got, want)
			}
			for _, words := range []string{"no properly formatted checksum lines found", "no file was verified",
				"WARNING: 1 line is improperly formatted", "WARNING: 2 lines are improperly formatted",
				"WARNING: 1 listed file could not be read", "WARNING: 2 listed files could not be read",
				"WARNING: 1 computed checksum did NOT match", "WARNING: 2 computed checksums did NOT match",
				": 1: improperly formatted SHA256 checksum line"} {
				if strings.Contains(got.Stderr, words) != strings.Contains(want.Stderr, words) {
					t.Errorf("%s, %s: standard error\n%swant\n%s", what, options, got.Stderr, want.Stderr)
				}
			}
		}
	}
}

func TestCheckFiles(t *testing.T) {
	dir := t.TempDir()
	c := clitest.Call{Dir: dir}
	clitest.Write(t, filepath.Join(dir, "a"), []byte("abc"))
	clitest.Write(t, filepath.Join(dir, "good"), []byte(c.OK(t, "hash", "a")))
	clitest.Write(t, filepath.Join(dir, "bad"), []byte(strings.Repeat("0", 64)+"  a\n"))
	if got := c.OK(t, "hash", "-c", "good", "good"); got != "a: OK\na: OK\n" {
		t.Errorf("two lists: %q", got)
	}
	// A file that fails does not stop the others.
	o := c.Run(t, "hash", "-c", "missing", "bad", ".", "good")
	if o.Code != 1 || o.Stdout != "a: FAILED\na: OK\n" || strings.Count(o.Stderr, "\n") != 3 {
		t.Errorf("lists with errors: %+v", o)
	}
	// Without -a, a line may name its algorithm.
	mixed := c.OK(t, "hash", "a") + c.OK(t, "hash", "--tag", "a") + c.OK(t, "hash", "-a", "sha256", "--tag", "a") + c.OK(t, "hash", "-a", "sha512", "--tag", "a")
	clitest.Write(t, filepath.Join(dir, "mixed"), []byte(mixed))
	if got := c.OK(t, "hash", "-c", "mixed"); got != strings.Repeat("a: OK\n", 4) {
		t.Errorf("mixed algorithms: %q", got)
	}
	o = clitest.Call{Dir: dir, Name: "sm3sum"}.Run(t, "-c", "mixed")
	if o.Code != 0 || o.Stdout != strings.Repeat("a: OK\n", 2) || o.Stderr != "sm3sum: WARNING: 2 lines are improperly formatted\n" {
		t.Errorf("sm3sum with mixed algorithms: %+v", o)
	}
}

func TestHashErrors(t *testing.T) {
	dir := t.TempDir()
	c := clitest.Call{Dir: dir}
	clitest.Write(t, filepath.Join(dir, "a"), []byte("abc"))
	const line = "66c7f0f462eeedd9d1f2d46bdc10e4e24167c4875cf2f7a2297da02b8f4ba8e0  a\n" // GB/T 32905-2016, A.1
	o := c.Run(t, "hash", "missing", "a", ".")
	if o.Code != 1 || o.Stdout != line || o.Stderr != "cipherlane: missing: no such file or directory\ncipherlane: .: is a directory\n" {
		t.Errorf("%+v", o)
	}
	for _, args := range [][]string{
		{"--quiet", "a"}, {"--status", "a"}, {"--strict", "a"}, {"--warn", "a"}, {"--ignore-missing", "a"},
		{"-c", "--tag", "a"}, {"-c", "-b", "a"}, {"-c", "-t", "a"}, {"-c", "-z", "a"}, {"--tag", "-t", "a"}, {"-t", "-b", "a"},
	} {
		o := c.Run(t, append([]string{"hash"}, args...)...)
		if o.Code != 2 || o.Stdout != "" || strings.Count(o.Stderr, "\n") != 1 {
			t.Errorf("%q: %+v", args, o)
		}
	}
	if got := c.OK(t, "hash", "--", "a"); got != line {
		t.Errorf("after --: %q", got)
	}
	if got := (clitest.Call{Name: "/usr/local/bin/sm3sum", Dir: dir}).OK(t, "a"); got != line {
		t.Errorf("as sm3sum: %q", got)
	}
	clitest.Call{Name: "sm3sum", Dir: dir}.Fails(t, 2, "sm3sum --help", "--frobnicate")
}

func TestHashJSON(t *testing.T) {
	dir := t.TempDir()
	clitest.Write(t, filepath.Join(dir, "a"), []byte("abc"))
	clitest.Write(t, filepath.Join(dir, "b\xff"), []byte("abc"))
	o := clitest.Call{Dir: dir}.Run(t, "hash", "--json", "a", "b\xff", "missing")
	var doc hashDocument
	if err := json.Unmarshal([]byte(o.Stdout), &doc); err != nil {
		t.Fatal(err)
	}
	const digest = "66c7f0f462eeedd9d1f2d46bdc10e4e24167c4875cf2f7a2297da02b8f4ba8e0"
	r := doc.Results
	if o.Code != 1 || doc.Schema != 1 || len(r) != 3 ||
		r[0].Name != "a" || r[0].Algorithm != "sm3" || r[0].Digest != digest || r[0].Status != "ok" || r[0].NameBytes != nil ||
		string(r[1].NameBytes) != "b\xff" || r[1].Digest != digest ||
		r[2].Status != "unreadable" || r[2].Digest != "" || r[2].Error == "" {
		t.Errorf("exit code %d, %s", o.Code, o.Stdout)
	}
	list := digest + "  a\n" + strings.Repeat("0", 64) + "  a\n"
	o = clitest.Call{Dir: dir, Stdin: strings.NewReader(list)}.Run(t, "hash", "--check", "--json")
	doc = hashDocument{}
	if err := json.Unmarshal([]byte(o.Stdout), &doc); err != nil {
		t.Fatal(err)
	}
	if o.Code != 1 || len(doc.Results) != 2 || doc.Results[0].Status != "ok" || doc.Results[1].Status != "failed" || doc.Results[1].Digest != digest {
		t.Errorf("exit code %d, %s", o.Code, o.Stdout)
	}
}

// TestReadInto checks that all bytes arrive in order, however they are read, and that
// the buffers can be reused.
func TestReadInto(t *testing.T) {
	for _, n := range []int{0, 1, cli.BufferSize - 1, cli.BufferSize, cli.BufferSize + 1, 2 * cli.BufferSize, 7*cli.BufferSize + 99} {
		data := clitest.TestMessage(n)
		want := sha256.Sum256(data)
		for what, r := range map[string]io.Reader{
			"at once": bytes.NewReader(data), "in halves": iotest.HalfReader(bytes.NewReader(data)), "with EOF": iotest.DataErrReader(bytes.NewReader(data)),
		} {
			h := sha256.New()
			if err := readInto(h, r, &hashBuffers); err != nil || !bytes.Equal(h.Sum(nil), want[:]) {
				t.Errorf("%d bytes %s: wrong hash or error %v", n, what, err)
			}
		}
		broken := io.MultiReader(bytes.NewReader(data), iotest.ErrReader(io.ErrUnexpectedEOF))
		if err := readInto(sha256.New(), broken, &hashBuffers); err != io.ErrUnexpectedEOF {
			t.Errorf("%d bytes and an error: %v", n, err)
		}
	}
}

func FuzzParseLine(f *testing.F) {
	list, err := sums("")
	if err != nil {
		f.Fatal(err)
	}
	digest := strings.Repeat("0123456789abcdef", 4)
	f.Add(digest+"  a", "a")
	f.Add("\\SM3 (a\\n) = "+digest, "b\\")
	f.Fuzz(func(t *testing.T, line, name string) {
		parseLine(list, line) // must not panic
		if name == "" || strings.Contains(name, "\x00") {
			return
		}
		for _, tag := range []bool{false, true} {
			c := &Cmd{Tag: tag}
			printed := strings.TrimSuffix(c.line(list[0], name, digest), "\n")
			s, back, got, ok := parseLine(list, printed)
			if !ok || s.name != "sm3" || back != name || hex.EncodeToString(got) != digest {
				t.Errorf("%q is read as %q, %x, %v", printed, back, got, ok)
			}
		}
	})
}

// TestHMACMatchesOpenSSL: each program verifies the output of the other one.
func TestHMACMatchesOpenSSL(t *testing.T) {
	openssl := clitest.Tool(t, "openssl")
	dir := t.TempDir()
	c := clitest.Call{Dir: dir}
	raw := clitest.TestMessage(100)
	clitest.Write(t, filepath.Join(dir, "raw"), raw)
	clitest.Write(t, filepath.Join(dir, "hex"), []byte(hex.EncodeToString(raw)+"\n"))
	clitest.Write(t, filepath.Join(dir, "word"), []byte("a secret"))
	for _, n := range []int{0, 1, 55, 64, 1000, 2*cli.BufferSize + 1} {
		clitest.Write(t, filepath.Join(dir, "file"), clitest.TestMessage(n))
		for _, alg := range []string{"sm3", "sha224", "sha256", "sha384", "sha512"} {
			for key, option := range map[string]string{"raw": "hexkey:" + hex.EncodeToString(raw), "word": "key:a secret"} {
				cmd := exec.CommandContext(t.Context(), openssl, "dgst", "-"+alg, "-mac", "HMAC", "-macopt", option, "file")
				cmd.Dir = dir
				out, err := cmd.Output()
				if err != nil {
					t.Skipf("openssl without %s: %v", alg, err)
				}
				theirs := string(out)
				_, want, _ := strings.Cut(strings.TrimSpace(theirs), "= ")
				args := []string{"hash", "--hmac", "--key-file", key, "-a", alg}
				if got := c.OK(t, append(args, "file")...); got != want+"  file\n" {
					t.Errorf("%s, %d bytes: %s, openssl says %s", alg, n, got, want)
				}
				list := theirs + c.OK(t, append(args, "--tag", "file")...) + c.OK(t, append(args, "file")...)
				if got := (clitest.Call{Dir: dir, Stdin: strings.NewReader(list)}).OK(t, append(args, "-c", "--strict")...); got != strings.Repeat("file: OK\n", 3) {
					t.Errorf("%s: of\n%s%s", alg, list, got)
				}
			}
		}
		for _, d := range clitest.DriversOf(t, "sm3") {
			want := c.OK(t, "hash", "--hmac", "--key-file", "raw", "file")
			if got := c.OK(t, "hash", "--hmac", "--key-file", "hex", "--driver", d, "file"); got != want {
				t.Errorf("driver %s: %s, want %s", d, got, want)
			}
		}
	}
}

func TestHMACCheck(t *testing.T) {
	dir := t.TempDir()
	c := clitest.Call{Dir: dir}
	clitest.Write(t, filepath.Join(dir, "a"), []byte("abc"))
	clitest.Write(t, filepath.Join(dir, "key"), []byte(strings.Repeat("0b", 32)+"\n"))
	clitest.Write(t, filepath.Join(dir, "other"), []byte(strings.Repeat("0c", 32)+"\n"))
	mac := []string{"hash", "--hmac", "--key-file", "key"}
	// Files with tags of several algorithms; lines without HMAC do not count here.
	mixed := c.OK(t, append(mac, "a")...) + c.OK(t, append(mac, "-a", "sha512", "--tag", "a")...) + c.OK(t, append(mac, "--tag", "a")...)
	plain := c.OK(t, "hash", "--tag", "a")
	clitest.Write(t, filepath.Join(dir, "list"), []byte(mixed+plain))
	o := c.Run(t, append(mac, "-c", "list")...)
	if o.Code != 0 || o.Stdout != strings.Repeat("a: OK\n", 3) || o.Stderr != "cipherlane: WARNING: 1 line is improperly formatted\n" {
		t.Errorf("mixed: %+v", o)
	}
	o = c.Run(t, "hash", "-c", "list") // the line without a tag is parsed as an SM3 digest
	if o.Code != 1 || o.Stdout != "a: FAILED\na: OK\n" || !strings.Contains(o.Stderr, "2 lines are improperly formatted") {
		t.Errorf("without --hmac: %+v", o)
	}
	o = c.Run(t, "hash", "--hmac", "--key-file", "other", "-c", "list")
	if o.Code != 1 || o.Stdout != strings.Repeat("a: FAILED\n", 3) {
		t.Errorf("with another key: %+v", o)
	}
	right := c.OK(t, append(mac, "a")...)
	for i := range 64 { // every digit matters
		wrong := []byte(right)
		wrong[i] ^= 1 // another digit
		if wrong[i] == '`' || wrong[i] == 'g' {
			wrong[i] = '0'
		}
		if o := (clitest.Call{Dir: dir, Stdin: bytes.NewReader(wrong)}).Run(t, append(mac, "-c")...); o.Code != 1 || o.Stdout != "a: FAILED\n" {
			t.Errorf("digit %d changed: %+v", i, o)
		}
	}
	if got, want := (clitest.Call{Dir: dir, Name: "sm3sum"}).OK(t, "--hmac", "--key-file", "key", "a"), c.OK(t, append(mac, "a")...); got != want {
		t.Errorf("as sm3sum: %s, want %s", got, want)
	}

	for key, status := range map[string]string{"key": "ok", "other": "failed"} {
		o := clitest.Call{Dir: dir, Stdin: strings.NewReader(c.OK(t, append(mac, "a")...))}.Run(t, "hash", "--hmac", "--key-file", key, "-c", "--json")
		var doc hashDocument
		if err := json.Unmarshal([]byte(o.Stdout), &doc); err != nil {
			t.Fatal(err)
		}
		// The correct HMAC must not be revealed to a forger.
		if r := doc.Results; len(r) != 1 || r[0].Algorithm != "hmac(sm3)" || r[0].Status != status || (r[0].Digest == "") != (status == "failed") {
			t.Errorf("%s: %s", key, o.Stdout)
		}
	}
}

func TestHMACErrors(t *testing.T) {
	dir := t.TempDir()
	c := clitest.Call{Dir: dir}
	clitest.Write(t, filepath.Join(dir, "a"), []byte("abc"))
	clitest.Write(t, filepath.Join(dir, "empty"), nil)
	clitest.Write(t, filepath.Join(dir, "line end"), []byte("\n"))
	clitest.Write(t, filepath.Join(dir, "text"), []byte("a secret\n"))
	clitest.Write(t, filepath.Join(dir, "odd"), []byte("123\n"))
	clitest.Write(t, filepath.Join(dir, "long"), bytes.Repeat([]byte("x"), 1024))
	for _, test := range []struct {
		code int
		text string
		args []string
	}{
		{2, "no key", []string{"--hmac", "a"}},
		{2, "--key-file: only makes sense with --hmac", []string{"--key-file", "a", "a"}},
		{2, "--key-fd: only makes sense with --hmac", []string{"--key-fd", "3", "a"}},
		{2, "standard input cannot have both", []string{"--hmac", "--key-fd", "0"}},
		{2, "standard input cannot have both", []string{"--hmac", "--key-fd", "0", "a", "-"}},
		{2, "not a file descriptor", []string{"--hmac", "--key-fd=-1", "a"}},
		{2, "--key-file", []string{"--hmac", "--key-fd", "3", "--key-file", "a", "a"}},
		{1, "missing: no such file", []string{"--hmac", "--key-file", "missing", "a"}},
		{1, "is empty", []string{"--hmac", "--key-file", "empty", "a"}},
		{1, "is empty", []string{"--hmac", "--key-file", "line end", "a"}},
		{1, "text that ends with a newline", []string{"--hmac", "--key-file", "text", "a"}},
		{1, "an odd number of hex digits", []string{"--hmac", "--key-file", "odd", "a"}},
		{1, "has 1024 bytes or more", []string{"--hmac", "--key-file", "long", "a"}},
		{2, "no such hash function", []string{"--hmac", "--key-file", "a", "-a", "md5", "a"}},
		{2, "has no drivers", []string{"--hmac", "--key-file", "a", "-a", "sha256", "--driver", "generic", "a"}},
	} {
		c.Fails(t, test.code, test.text, append([]string{"hash"}, test.args...)...)
	}
	// The key may come on another descriptor or on standard input.
	if got, want := (clitest.Call{Dir: dir, Stdin: strings.NewReader("a secret")}).OK(t, "hash", "--hmac", "--key-fd", "0", "a"), 66; len(got) < want {
		t.Errorf("key from standard input: %q", got)
	}
}

// TestHashProgress: files that take long show their progress on a terminal, which is gone before
// the checksum is printed. Quick ones, and all without a terminal, show nothing.
func TestHashProgress(t *testing.T) {
	dir := t.TempDir()
	c := clitest.Call{Dir: dir}
	clitest.Write(t, filepath.Join(dir, "big"), make([]byte, 2<<20))
	line := c.OK(t, "hash", "big")
	clitest.Write(t, filepath.Join(dir, "SUMS"), []byte(line))
	for _, args := range []string{"big", "-a sha256 big", "-c SUMS"} {
		if out, code := clitest.OnTerminal(t, dir, "$cipherlane hash "+args); code != 0 || strings.Contains(out, "hashing") {
			t.Errorf("%s: exit code %d, progress of a quick command: %q", args, code, out)
		}
	}
	zeros := clitest.Call{Stdin: bytes.NewReader(make([]byte, 60000))}.OK(t, "hash")
	slow := "{ head -c 60000 /dev/zero; sleep 1.5; } | $cipherlane hash"
	for flag, shown := range map[string]bool{"": true, " --progress on": true, " --progress off": false} {
		out, code := clitest.OnTerminal(t, dir, slow+flag)
		if want := strings.TrimSuffix(zeros, "\n") + "\r\n"; code != 0 || strings.Contains(out, "\rhashing  60 kB, ") != shown || !strings.HasSuffix("\r"+out, "\r"+want) {
			t.Errorf("%s: exit code %d, %q", flag, code, out)
		}
	}
	mkfifo := "mkfifo pipe; { cat big; sleep 1.5; } > pipe & sed s/big/pipe/ SUMS | $cipherlane hash -c"
	if out, code := clitest.OnTerminal(t, dir, mkfifo); code != 0 || !strings.Contains(out, "\rhashing  2.1 MB, ") || !strings.HasSuffix(out, "\rpipe: OK\r\n") {
		t.Errorf("-c: exit code %d, %q", code, out)
	}
}

// TestShowsProgress: small files and what is typed show nothing unless that is asked for.
func TestShowsProgress(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	for size, auto := range map[int]bool{0: false, 1<<20 - 1: false, 1 << 20: true} {
		clitest.Write(t, path, make([]byte, size))
		in, err := new(cli.Program).OpenInput(path)
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		for mode, want := range map[string]bool{"auto": auto, "on": true} {
			if got := (&Cmd{ProgressFlag: cli.ProgressFlag{Progress: mode}}).showsProgress(in); got != want {
				t.Errorf("%d bytes, %s: %v", size, mode, got)
			}
		}
	}
	in, err := cli.NewInput(clitest.DevNull(t), "null")
	if err != nil {
		t.Fatal(err)
	}
	if new(Cmd).showsProgress(in) {
		t.Error("a terminal")
	}
}
