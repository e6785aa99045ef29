//go:build linux

// Texts runs the examples in the documentation: every command line of the Markdown
// files and of the help of every verb, to completion, and every Go snippet.
//
//	go run ./ci/texts                   all
//	go run ./ci/texts -n                only print the lines
//	go run ./ci/texts -run README       only texts whose name matches
//	go run ./ci/texts -skip ' (speed|tune) '   no lines that match
//
// # What is a command line
//
// A block is fenced, or indented by a tab in Markdown and by four spaces in a help
// text. If its first line begins with a command, all of its lines are run, in order. A
// fenced block marked go contains Go. Other blocks show output. A prompt such as "bob$" is
// removed. "cd DIR" applies to the rest of its block. Comments, pipes and variables are
// left to bash. A backslash joins lines.
//
// A span in prose that begins with a command is a command line, too. Spans are between
// backticks in Markdown, and between quotes in help, where they must begin with
// cipherlane. Some spans are not run as they stand:
//
//   - For a verb alone ("cipherlane encrypt", "go get") its help is run.
//   - For a file alone (ci/guest) the program checks that the file exists.
//   - For ci/run with steps it checks that the steps exist.
//   - A span with an ellipsis (…), or with a word in capitals (VERB) that is no sample
//     file, is a pattern.
//
// # What cannot be run
//
// In Markdown a comment with the reason precedes the block or directly follows the span:
//
//	<!-- not run by CI: needs root -->
//
// In a help text, and for a single line of a block, a shell comment begins with one of
// the reasons in the variable plain below, such as "# as root". A line that fails and
// has no reason fails the step. Exit code 3 of the command and of peers/ratio, "not
// available on this machine", is not a failure.
//
// # Where they run
//
// Lines of Markdown files run at the root of a copy of the repository, lines of a help
// text in a separate folder, and "cipherlane go" in a small program next to them that
// imports golang.org/x/crypto. Files that a line reads and that no earlier line created
// are made by the recipes in the variable samples. Files that a line writes with -o,
// --secret or, for keygen, --public are removed first, because examples may be
// alternatives. HOME is a separate folder. A terminal answers prompts for passphrases.
// CIPHERLANE_SECONDS shortens the measurements of speed, tune and peers/ratio.
// The program ssh runs its command locally, and PROGRAM is a program that uses the library.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// plain are the reasons in comments of the shell.
var plain = []string{"as root", "in zsh", "on the board", "before the first release"}

// lineTime is how long a line may take.
const lineTime = 5 * time.Minute

// seconds is how long speed and tune measure.
const seconds = "0.5"

// benchstat is the version of golang.org/x/perf whose command of that name reads what
// speed prints.
const benchstat = "v0.0.0-20260908200009-22c9c6c9d4da"

type sample struct {
	needs []string // other samples
	make  string
}

// samples are the files that the texts speak of. A recipe runs where the line does.
var samples = map[string]sample{
	"photos":         {nil, "mkdir photos && head -c 30000 /dev/urandom > photos/1.jpg && head -c 20000 /dev/urandom > photos/2.jpg"},
	"photos.tar":     {[]string{"photos"}, "tar cf photos.tar photos"},
	"photos.tar.enc": {[]string{"photos", "backup.key"}, "tar c photos | cipherlane encrypt --key-file backup.key > photos.tar.enc"},
	"my.id":          {nil, "cipherlane keygen -t pq -o my.id"},
	"my.recipient":   {[]string{"my.id"}, "cipherlane pubkey -o my.recipient my.id"},
	"photos.tar.age": {[]string{"photos", "my.recipient"}, "tar c photos | cipherlane encrypt -R my.recipient -o photos.tar.age"},
	"photos.sig":     {[]string{"photos.tar", "bob.pem"}, "cipherlane sm2 sign --key bob.pem -o photos.sig photos.tar"},
	"backup.tar":     {[]string{"photos"}, "tar cf backup.tar photos"},
	"backup.key":     {nil, "cipherlane keygen -o backup.key"},
	"my.key":         {nil, "cipherlane keygen -o my.key"},
	"k":              {nil, "cipherlane keygen -o k"},
	"k.enc":          {[]string{"bob.pub"}, "cipherlane keygen | cipherlane sm2 encrypt --to bob.pub -o k.enc"},
	"x":              {nil, "head -c 1000 /dev/urandom > x"},
	"my.pem":         {nil, "cipherlane sm2 keygen -o my.pem"},
	"my.pub":         {[]string{"my.pem"}, "cipherlane sm2 pubkey --key my.pem -o my.pub"},
	"bob.pem":        {nil, "cipherlane sm2 keygen -o bob.pem"},
	"bob.pub":        {[]string{"bob.pem"}, "cipherlane sm2 pubkey --key bob.pem -o bob.pub"},
	"report.pdf":     {nil, "head -c 5000 /dev/urandom > report.pdf"},
	"report.sig":     {[]string{"report.pdf"}, "[ -e my.pub ] || [ -e bob.pem ] || cipherlane sm2 keygen -o bob.pem; key=bob.pem; [ ! -e my.pub ] || key=my.pem; cipherlane sm2 sign --key $key -o report.sig report.pdf"},
	"film.mp4":       {nil, "head -c 100000 /dev/urandom > film.mp4"},
	"kem.pem":        {nil, "cipherlane kem keygen -o kem.pem"},
	"kem.pub":        {[]string{"kem.pem"}, "cipherlane kem pubkey --key kem.pem -o kem.pub"},
	"machine.json":   {nil, "cipherlane tune -o machine.json"},
	"*.deb":          {nil, "echo 1 > a.deb && echo 2 > b.deb"},
	"FILE":           {nil, "echo 1 > FILE"},
	"SUMS":           {[]string{"FILE"}, "cipherlane hash FILE > SUMS"},
	"old.txt":        {nil, "cipherlane speed --format bench > old.txt"},
	"old.json":       {nil, "cipherlane speed --json -o old.json"},
}

// program is what "cipherlane go" is tried with, and programTest its test.
const program = `package main

import (
	"fmt"

	"golang.org/x/crypto/chacha20poly1305"
)

func main() {
	aead, err := chacha20poly1305.New(make([]byte, chacha20poly1305.KeySize))
	fmt.Println(aead.Overhead(), err)
}
`

const programTest = `package main

import "testing"

func TestMain1(t *testing.T) { main() }
`

// hello is a program that uses the library.
const hello = `package main

import (
	"fmt"

	"github.com/cipherlane/cipherlane/aes"
)

func main() { fmt.Println(aes.BlockSize) }
`

// A line is a command line of a text.
type line struct {
	at      string // file and line
	command string
	reason  string // not to run it, if there is one
	inline  bool
}

// A text is a file or the help of a verb.
type text struct {
	name     string
	help     bool // not Markdown
	docs     bool // of packages, which are compiled only: what they need may not be here
	lines    []line
	snippets []snippet
	patterns int
}

var (
	only  = flag.String("run", "", "only texts whose name matches this regular expression")
	skip  = flag.String("skip", "", "no lines that match this regular expression")
	print = flag.Bool("n", false, "print the lines instead of running them")
)

func main() {
	flag.Parse()
	ok, err := run(".", *only, *skip, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "texts:", err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
}

// run does all for the repository in a folder and reports whether all is right.
func run(top, only, skip string, out io.Writer) (bool, error) {
	match, err := regexp.Compile(only)
	if err != nil {
		return false, err
	}
	w := &world{out: out, steps: steps(top)}
	if skip != "" {
		if w.skip, err = regexp.Compile(skip); err != nil {
			return false, err
		}
	}
	var texts []*text
	names, err := markdown(top)
	if err != nil {
		return false, err
	}
	for _, name := range names {
		if match.MatchString(name) {
			b, err := os.ReadFile(filepath.Join(top, name))
			if err != nil {
				return false, err
			}
			texts = append(texts, parseMarkdown(name, string(b)))
		}
	}
	if match.MatchString("package docs") {
		t, err := packageDocs(top)
		if err != nil {
			return false, err
		}
		texts = append(texts, t)
	}
	if err := w.setUp(top); err != nil {
		return false, err
	}
	defer w.remove()
	helps, err := w.helps(nil)
	if err != nil {
		return false, err
	}
	for _, t := range helps {
		if match.MatchString(t.name) {
			texts = append(texts, t)
		}
	}
	// One after the other where they share the copy of the repository, beside that the
	// help texts.
	var shared, own []*text
	for _, t := range texts {
		if t.help {
			own = append(own, t)
		} else {
			shared = append(shared, t)
		}
	}
	var group sync.WaitGroup
	for _, list := range [][]*text{shared, own} {
		group.Go(func() {
			for _, t := range list {
				w.runText(t)
			}
		})
	}
	group.Wait()
	return w.summary(texts), nil
}

// markdown returns the names of the texts of a repository: those at its top and in docs.
func markdown(top string) ([]string, error) {
	var names []string
	for _, pattern := range []string{"*.md", "docs/*.md", "_gen/*.md"} {
		list, err := filepath.Glob(filepath.Join(top, pattern))
		if err != nil {
			return nil, err
		}
		for _, name := range list {
			rel, err := filepath.Rel(top, name)
			if err != nil {
				return nil, err
			}
			names = append(names, rel)
		}
	}
	if len(names) == 0 {
		return nil, errors.New("no texts: is this the repository?")
	}
	return names, nil
}

// steps returns the names of the steps of ci/run.
func steps(top string) map[string]bool {
	steps := map[string]bool{"quick": true}
	b, _ := os.ReadFile(filepath.Join(top, "ci/run"))
	for _, m := range regexp.MustCompile(`(?m)^step_(\w+)\(\)`).FindAllSubmatch(b, -1) {
		steps[string(m[1])] = true
	}
	return steps
}

// A world is where the lines run.
type world struct {
	dir   string // of everything: cipherlane (a copy), program, hello, wireguard-go, home, bin, help texts
	env   []string
	lock  *os.File // on that folder
	steps map[string]bool
	skip  *regexp.Regexp

	mutex                              sync.Mutex
	out                                io.Writer
	ran, failed, absent, left, skipped int
	reasons                            map[string]int
}

// setUp makes the folders. Their place is always the same, so that the go command finds
// in its cache what it compiled before.
func (w *world) setUp(top string) error {
	cache, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	top, err = filepath.Abs(top)
	if err != nil {
		return err
	}
	w.reasons = map[string]int{}
	w.dir = filepath.Join(cache, "cipherlane-ci", "texts", strings.ReplaceAll(strings.Trim(top, "/"), "/", "-"))
	if err := os.MkdirAll(filepath.Dir(w.dir), 0o777); err != nil {
		return err
	}
	// Others in the same checkout wait; the lock ends with the process.
	lock, err := os.OpenFile(w.dir+".lock", os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return err
	}
	w.lock = lock
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX); err != nil {
		return err
	}
	if err := os.RemoveAll(w.dir); err != nil {
		return err
	}
	for _, dir := range []string{"cipherlane", "program", "hello", "home/.config/fish/completions", "bin", "tmp"} {
		if err := os.MkdirAll(filepath.Join(w.dir, dir), 0o777); err != nil {
			return err
		}
	}
	path := filepath.Join(w.dir, "bin")
	w.env = append(os.Environ(), "CIPHERLANE_SECONDS="+seconds, "CIPHERLANE=", "CIPHERLANE_PROFILE=",
		"PATH="+path+":"+os.Getenv("PATH"), "GOBIN="+path, "XDG_CACHE_HOME="+cache, "COLUMNS=80", "CI=true")
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPATH", "GOPROXY", "GOSUMDB", "GOFLAGS"} {
		b, err := exec.Command("go", "env", name).Output()
		if err != nil {
			return fmt.Errorf("go env: %w", err)
		}
		w.env = append(w.env, name+"="+strings.TrimSpace(string(b)))
	}
	w.env = append(w.env, "HOME="+filepath.Join(w.dir, "home"), "TMPDIR="+filepath.Join(w.dir, "tmp"), "TOP="+top, "DIR="+w.dir)
	for name, content := range map[string]string{
		"program/main.go": program, "hello/main.go": hello, "program/main_test.go": programTest,
		"bin/ssh":     "#!/bin/sh\n# ssh HOST COMMAND\nexec sh -c \"$2\"\n",
		"bin/PROGRAM": "#!/bin/sh\nexec cipherlane list\n",
	} {
		if err := os.WriteFile(filepath.Join(w.dir, name), []byte(content), 0o777); err != nil {
			return err
		}
	}
	output, err := w.bash(w.dir, `
cd "$TOP" && git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t "$DIR/cipherlane" 2>/dev/null || true
cd "$DIR/cipherlane" && go install ./cmd/cipherlane
go install golang.org/x/perf/cmd/benchstat@`+benchstat+`
crypto=$(cd cmd/cipherlane && go list -m golang.org/x/crypto | cut -d' ' -f2)
go mod download golang.zx2c4.com/wireguard
cp -r "$(go list -m -f '{{.Dir}}' golang.zx2c4.com/wireguard)" "$DIR/wireguard-go" && chmod -R u+w "$DIR/wireguard-go"
cd "$DIR/hello" && GOWORK=off go mod init example.com/hello
cd "$DIR/program" && export GOWORK=off GOFLAGS=-mod=mod && go mod init example.com/program && go get "golang.org/x/crypto@$crypto" && go mod tidy
`)
	if err != nil {
		return fmt.Errorf("set-up: %w\n%s", err, output)
	}
	return nil
}

func (w *world) remove() {
	os.RemoveAll(w.dir)
	w.lock.Close()
}

// bash runs a script with a terminal that answers questions. It has neither input nor
// any other sign of the caller's terminal.
func (w *world) bash(dir, script string) (output []byte, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), lineTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-euo", "pipefail", "-c", script)
	cmd.Dir, cmd.Env = dir, append(w.env, "PWD="+dir)
	var b bytes.Buffer
	cmd.Stdout, cmd.Stderr = &b, &b
	cmd.WaitDelay = 5 * time.Second
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, err
	}
	defer terminal.Close()
	fd := int(terminal.Fd())
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		return nil, err
	}
	side, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, err
	}
	defer side.Close()
	terminal.WriteString(strings.Repeat("correct horse battery staple\n", 6))
	// The terminal is file 3 of the child only to become its controlling one.
	cmd.ExtraFiles = []*os.File{side}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 3}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	err = cmd.Run()
	if ctx.Err() != nil {
		err = fmt.Errorf("did not end within %v", lineTime)
	}
	return b.Bytes(), err
}

// helps returns the help of a verb and of those below it.
func (w *world) helps(verb []string) ([]*text, error) {
	output, err := w.bash(w.dir, strings.Join(append(append([]string{"cipherlane"}, verb...), "--help"), " "))
	if err != nil {
		return nil, fmt.Errorf("help of %q: %w\n%s", verb, err, output)
	}
	t := parseHelp(strings.Join(append([]string{"help of cipherlane"}, verb...), " "), string(output))
	list := []*text{t}
	for _, name := range verbs(string(output), verb) {
		below, err := w.helps(append(verb[:len(verb):len(verb)], name))
		if err != nil {
			return nil, err
		}
		list = append(list, below...)
	}
	return list, nil
}

func (w *world) printf(format string, args ...any) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	fmt.Fprintf(w.out, format, args...)
}

// runText runs the lines of a text and then its snippets.
func (w *world) runText(t *text) {
	dir := filepath.Join(w.dir, "cipherlane")
	if t.help {
		dir = filepath.Join(w.dir, strings.ReplaceAll(t.name, " ", "-"))
		if err := os.MkdirAll(dir, 0o777); err != nil {
			w.fail(t.name, 0, err, nil)
			return
		}
	}
	for _, l := range t.lines {
		w.runLine(dir, l)
	}
	if len(t.snippets) > 0 && !*print {
		start := time.Now()
		output, err := w.runSnippets(t.snippets, t.docs)
		if err != nil {
			w.fail(t.name+": snippets", time.Since(start), err, output)
		} else {
			w.count(&w.ran)
			w.printf("%6.1f s  %s: %d Go snippets\n", time.Since(start).Seconds(), t.name, len(t.snippets))
		}
	}
}

func (w *world) count(n *int) {
	w.mutex.Lock()
	*n++
	w.mutex.Unlock()
}

func (w *world) fail(what string, took time.Duration, err error, output []byte) {
	w.count(&w.failed)
	w.printf("%6.1f s  FAIL %s: %v\n\t%s\n", took.Seconds(), what, err, strings.ReplaceAll(strings.TrimSpace(tail(output)), "\n", "\n\t"))
}

// tail returns the end of a long output.
func tail(output []byte) string {
	const most = 3000
	if len(output) > most {
		return "…" + string(output[len(output)-most:])
	}
	return string(output)
}

func (w *world) runLine(dir string, l line) {
	what := l.at + ": " + l.command
	if l.reason != "" {
		w.mutex.Lock()
		w.left++
		w.reasons[l.reason]++
		w.mutex.Unlock()
		w.printf("  marked  %s (%s)\n", what, l.reason)
		return
	}
	if w.skip != nil && w.skip.MatchString(" "+l.command+" ") {
		w.count(&w.skipped)
		return
	}
	if *print {
		w.printf("%s\n", what)
		return
	}
	if names, found := strings.CutPrefix(l.command, "ci/run "); found {
		for name := range strings.FieldsSeq(names) {
			if !w.steps[name] {
				w.fail(what, 0, fmt.Errorf("ci/run has no step %q", name), nil)
				return
			}
		}
		w.count(&w.ran)
		w.printf("   names  %s\n", what)
		return
	}
	command := l.command
	if l.inline && regexp.MustCompile(`^ci/[\w./-]+$`).MatchString(command) {
		command = "test -e " + command
	}
	if l.inline && mention.MatchString(command) {
		command += " --help"
	} else if m := goVerb.FindStringSubmatch(command); l.inline && m != nil {
		command = "go help " + m[1]
	}
	if strings.HasPrefix(command, "cipherlane go ") && !strings.Contains(command, "--help") {
		dir = filepath.Join(w.dir, "program")
	}
	output, err := w.prepare(dir, command)
	start := time.Now()
	if err == nil {
		output, err = w.bash(dir, command)
	}
	took := time.Since(start)
	exit := new(exec.ExitError)
	switch {
	case err == nil:
		w.count(&w.ran)
		w.printf("%6.1f s  %s\n", took.Seconds(), what)
	case errors.As(err, &exit) && exit.ExitCode() == 3 && absent.Match(output):
		w.count(&w.absent)
		w.printf("%6.1f s  not available here: %s\n\t%s\n", took.Seconds(), what, strings.TrimSpace(tail(output)))
	default:
		w.fail(what, took, err, output)
	}
}

// mention matches a span that names a verb.
var mention = regexp.MustCompile(`^(cipherlane( [a-z0-9]+){1,2}|go run ./cmd/cipherlane)$`)

// goVerb matches a span that names a verb of the go command.
var goVerb = regexp.MustCompile(`^go ([a-z]+)$`)

// absent matches what is said of drivers and of AF_ALG that this machine has not.
var absent = regexp.MustCompile(`not available on this machine|AF_ALG`)

// words splits a command line roughly, which does for finding names of files.
var words = regexp.MustCompile(`[^\s'"<>|&;()=]+|[<>|&;]+`)

// prepare removes what the command will write and makes what it reads.
func (w *world) prepare(dir, command string) ([]byte, error) {
	command, _, _ = strings.Cut(command, " #")
	list := words.FindAllString(command, -1)
	output := map[string]bool{}
	for i, word := range list[1:] {
		switch before := list[i]; {
		case before == ">":
			output[word] = true
		case before == "-o", before == "--output", before == "--secret", before == "--public" && strings.Contains(command, "keygen"):
			output[word] = true
			if word != "-" && !filepath.IsAbs(word) {
				os.Remove(filepath.Join(dir, word))
			}
		}
	}
	for _, word := range list {
		word = strings.TrimSuffix(word, "...")
		if !output[word] {
			if message, err := w.sample(dir, word); err != nil {
				return message, err
			}
		}
	}
	return nil, nil
}

// sample makes a file if it is one of the samples and not there.
func (w *world) sample(dir, name string) ([]byte, error) {
	s, ok := samples[name]
	if !ok {
		return nil, nil
	}
	if found, _ := filepath.Glob(filepath.Join(dir, name)); len(found) > 0 {
		return nil, nil
	}
	for _, other := range s.needs {
		if output, err := w.sample(dir, other); err != nil {
			return output, err
		}
	}
	output, err := w.bash(dir, s.make)
	if err != nil {
		err = fmt.Errorf("sample %s: %w", name, err)
	}
	return output, err
}

// summary prints the numbers.
func (w *world) summary(texts []*text) bool {
	snippets, patterns := 0, 0
	for _, t := range texts {
		snippets += len(t.snippets)
		patterns += t.patterns
	}
	w.printf("texts: %d texts, %d lines ran, %d not available on this machine, %d failed; %d Go snippets; %d patterns\n",
		len(texts), w.ran, w.absent, w.failed, snippets, patterns)
	w.printf("texts: %d lines are marked as not to be run:\n", w.left)
	for _, reason := range sortedKeys(w.reasons) {
		w.printf("\t%d %s\n", w.reasons[reason], reason)
	}
	if w.skipped > 0 {
		w.printf("texts: %d lines left out by -skip\n", w.skipped)
	}
	return w.failed == 0
}
