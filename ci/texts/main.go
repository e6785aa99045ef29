//go:build linux

// Texts runs the examples in the documentation: every command line of the Markdown
// files and of the help of every verb, to completion, and every Go snippet.
//
//	go run ./ci/texts                   all
//	go run ./ci/texts -n                only print the lines
//	go run ./ci/texts -run README       only texts whose name matches
//	go run ./ci/texts -list             prints the names of the texts
//	go run ./ci/texts -text README.md   only the text of this name
//	go run ./ci/texts -skip ' (speed|tune) '   no lines that match
//	go run ./ci/texts -command FILE     with a command that was built before
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
// The lines of a text run in a folder of its own, which is empty at first, and "cipherlane go" in
// a small program next to it that imports golang.org/x/crypto. Names of folders of the repository
// that begin with "./", and "../cipherlane", are replaced by their full names, and the folder has
// a workspace with the modules: so the go command reads of the repository what the line needs,
// and what it writes is not there. Lines that run programs of ci run in a copy of the repository.
// Other things that a line needs, such as the program, are made when the first line needs them.
// Several runs at the same time do not disturb each other. Files that a line reads and that no
// earlier line created are made by the recipes in the variable samples. Files that a line writes
// with -o, --secret or, for keygen, --public are removed first, because examples may be
// alternatives. HOME is a separate folder. A terminal answers prompts for passphrases.
// CIPHERLANE_SECONDS shortens the measurements of speed, tune and peers/ratio. The program ssh
// runs its command locally, and PROGRAM is a program that uses the library.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
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
	"bob.recipient":  {nil, "cipherlane keygen -t pq -o bob.id --public bob.recipient"},
	"team.tar.age":   {[]string{"photos", "my.recipient", "bob.recipient"}, "tar c photos | cipherlane encrypt -R my.recipient -R bob.recipient -R bob.recipient -o team.tar.age"},
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

// program is for trying "cipherlane go", and programTest is its test.
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

// A text is a file, the documentation of all packages, or the help of a verb.
type text struct {
	name     string
	help     bool // not Markdown
	docs     bool // of packages, which are compiled only: what they need may not be here
	lines    []line
	snippets []snippet
	patterns int
}

var (
	runPattern = flag.String("run", "", "only texts whose name matches this regular expression")
	name       = flag.String("text", "", "only the text of this `name`")
	list       = flag.Bool("list", false, "print the names of the texts")
	skip       = flag.String("skip", "", "no lines that match this regular expression")
	print      = flag.Bool("n", false, "print the lines instead of running them")
	command    = flag.String("command", "", "the `file` of the command, instead of building it")
)

func main() {
	flag.Parse()
	ok, err := run(".", os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "texts:", err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
}

// run does all for the repository in a folder and reports whether all is right.
func run(top string, out io.Writer) (bool, error) {
	match, err := regexp.Compile(*runPattern)
	if err != nil {
		return false, err
	}
	w, err := newWorld(top, *command, out)
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(w.dir)
	if *skip != "" {
		if w.skip, err = regexp.Compile(*skip); err != nil {
			return false, err
		}
	}
	texts, err := w.texts(*name)
	if err != nil {
		return false, err
	}
	texts = slices.DeleteFunc(texts, func(t *text) bool { return !match.MatchString(t.name) })
	if *list {
		for _, t := range texts {
			fmt.Fprintln(out, t.name)
		}
		return true, nil
	}
	next := make(chan *text)
	var group sync.WaitGroup
	for range 2 {
		group.Add(1)
		go func() {
			defer group.Done()

			for t := range next {
				w.runText(t)
			}
		}()
	}
	for _, t := range texts {
		next <- t
	}
	close(next)
	group.Wait()
	return w.summary(texts), nil
}

const docsName, helpName = "package docs", "help of cipherlane"

// texts returns all texts, or the one of a name. It does not read or build then what only others
// need.
func (w *world) texts(name string) (list []*text, err error) {
	names, err := markdown(w.top)
	if err != nil {
		return nil, err
	}
	for _, n := range names {
		if name == "" || name == n {
			b, err := os.ReadFile(filepath.Join(w.top, n))
			if err != nil {
				return nil, err
			}
			list = append(list, parseMarkdown(n, string(b)))
		}
	}
	if name == "" || name == docsName {
		t, err := packageDocs(w.top)
		if err != nil {
			return nil, err
		}
		list = append(list, t)
	}
	if verb, ok := strings.CutPrefix(name, helpName); ok || name == "" {
		helps, err := w.helps(strings.Fields(verb), name == "")
		if err != nil {
			return nil, err
		}
		list = append(list, helps...)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("there is no text %q: go run ./ci/texts -list prints the names", name)
	}
	return list, nil
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
	steps := map[string]bool{"quick": true, "all": true, "-all": true, "-list": true, "-results": true}
	b, _ := os.ReadFile(filepath.Join(top, "ci/steps/table.go"))
	for _, m := range regexp.MustCompile(`(?m)^\t\{name: "(\w+)", tier: `).FindAllSubmatch(b, -1) {
		steps[string(m[1])] = true
	}
	return steps
}

// A world is where the lines run.
type world struct {
	top   string // the repository
	dir   string // of everything
	env   []string
	build func() error // puts the command into bin
	steps func() map[string]bool
	skip  *regexp.Regexp

	mutex                              sync.Mutex
	out                                io.Writer
	ran, failed, absent, left, skipped int
	reasons                            map[string]int
}

// newWorld makes a folder for everything, with the programs that all texts share. The command
// may be built already.
func newWorld(top, command string, out io.Writer) (*world, error) {
	top, err := filepath.Abs(top)
	if err != nil {
		return nil, err
	}
	w := &world{top: top, out: out, steps: sync.OnceValue(func() map[string]bool { return steps(top) }), reasons: map[string]int{}}
	w.build = sync.OnceValue(func() error { return w.addCommand(command) })
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	// The command may be built with -trimpath, and then does not know where its source is.
	w.env = append(os.Environ(), "CIPHERLANE_SOURCE="+top, "CIPHERLANE_SECONDS="+seconds, "CIPHERLANE=", "CIPHERLANE_PROFILE=",
		"XDG_CACHE_HOME="+cache, "COLUMNS=80", "CI=true")
	output, err := exec.Command("go", "env", "GOCACHE", "GOMODCACHE", "GOPATH", "GOPROXY", "GOSUMDB", "GOFLAGS").Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	values := strings.Split(string(output), "\n")
	for i, name := range []string{"GOCACHE", "GOMODCACHE", "GOPATH", "GOPROXY", "GOSUMDB"} {
		w.env = append(w.env, name+"="+values[i])
	}
	// Programs are built without a version, as in a copy without .git.
	w.env = append(w.env, "GOFLAGS="+strings.TrimSpace(values[5]+" -buildvcs=false"))
	if w.dir, err = os.MkdirTemp("", "texts-"); err != nil {
		return nil, err
	}
	return w, write(w.dir, map[string]string{
		"bin/ssh":     "#!/bin/sh\n# ssh HOST COMMAND\nexec sh -c \"$2\"\n",
		"bin/PROGRAM": "#!/bin/sh\nexec cipherlane list\n",
	})
}

// write writes files, by name.
func write(dir string, files map[string]string) error {
	for name, content := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(name, []byte(content), 0o777); err != nil {
			return err
		}
	}
	return nil
}

// addCommand puts the command where lines find it.
func (w *world) addCommand(command string) error {
	file := filepath.Join(w.dir, "bin", "cipherlane")
	if command != "" {
		command, err := filepath.Abs(command)
		if err != nil {
			return err
		}
		return os.Symlink(command, file)
	}
	cmd := exec.Command("go", "build", "-buildvcs=false", "-o", file, "./cmd/cipherlane")
	cmd.Dir = w.top
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build ./cmd/cipherlane: %w\n%s", err, output)
	}
	return nil
}

// A place is where the lines of a text run: in its folder cipherlane, unless they say otherwise.
type place struct {
	*world
	dir        string
	env        []string
	partErrors map[string]error
}

// newPlace makes it. If it is not for a help text, the go command finds the modules of the
// repository there.
func (w *world) newPlace(help bool) (*place, error) {
	dir, err := os.MkdirTemp(w.dir, "")
	if err != nil {
		return nil, err
	}
	p := &place{world: w, dir: dir, partErrors: map[string]error{}}
	bin := filepath.Join(dir, "bin")
	p.env = append(slices.Clip(w.env), "PATH="+bin+":"+filepath.Join(w.dir, "bin")+":"+os.Getenv("PATH"), "GOBIN="+bin,
		"HOME="+filepath.Join(dir, "home"), "TMPDIR="+filepath.Join(dir, "tmp"))
	for _, name := range []string{"bin", "cipherlane", "home/.config/fish/completions", "tmp"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o777); err != nil {
			return nil, err
		}
	}
	if help {
		return p, nil
	}
	work, err := os.ReadFile(filepath.Join(w.top, "go.work"))
	if errors.Is(err, fs.ErrNotExist) {
		work, err = []byte("go 1.26\n\nuse .\n"), nil
	}
	if err != nil {
		return nil, err
	}
	sums, _ := os.ReadFile(filepath.Join(w.top, "go.work.sum")) // there may be none
	return p, write(p.folder(), map[string]string{
		"go.work":         regexp.MustCompile(`(?m)^(\s+|use )\.`).ReplaceAllString(string(work), "${1}"+w.top) + "\nuse ./snippets\n",
		"go.work.sum":     string(sums),
		"snippets/go.mod": "module example.com/snippets\n\ngo 1.26\n",
	})
}

func (p *place) folder() string { return filepath.Join(p.dir, "cipherlane") }

// parts are other things that some lines need, with the code to make them. The lines match an
// expression.
var parts = []struct {
	name  string
	lines *regexp.Regexp
	make  func(*place) error
}{
	{"program", regexp.MustCompile(`^cipherlane go |\.\./program`), (*place).addProgram},
	{"hello", regexp.MustCompile(`\.\./hello`), (*place).addHello},
	{"wireguard-go", regexp.MustCompile(`\.\./wireguard-go`), (*place).addWireguard},
	{"benchstat", regexp.MustCompile(`\bbenchstat\b`), (*place).addBenchstat},
	{"repository", ciProgram, (*place).addRepository},
}

// ciProgram matches a line that runs a program of ci.
var ciProgram = regexp.MustCompile(`(^|\s)(\./)?ci/\w`)

// addParts makes what a line needs.
func (p *place) addParts(command string) error {
	for _, part := range parts {
		if !part.lines.MatchString(command) {
			continue
		}
		err, done := p.partErrors[part.name]
		if !done {
			if err = part.make(p); err != nil {
				err = fmt.Errorf("%s: %w", part.name, err)
			}
			p.partErrors[part.name] = err
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// addProgram makes the program with the requirements of the command: so nothing is fetched.
func (p *place) addProgram() error {
	mod, err := os.ReadFile(filepath.Join(p.top, "cmd/cipherlane/go.mod"))
	if err != nil {
		return err
	}
	sum, err := os.ReadFile(filepath.Join(p.top, "cmd/cipherlane/go.sum"))
	if err != nil {
		return err
	}
	text := "module example.com/program\n\ngo 1.26.0\n"
	for _, m := range regexp.MustCompile(`golang\.org/x/(?:crypto|sys) v\S+`).FindAllString(string(mod), -1) {
		text += "\nrequire " + m + "\n"
	}
	return write(p.dir, map[string]string{
		"program/main.go": program, "program/main_test.go": programTest, "program/go.mod": text, "program/go.sum": string(sum),
	})
}

func (p *place) addHello() error {
	sum, err := os.ReadFile(filepath.Join(p.top, "go.sum"))
	if err != nil {
		return err
	}
	return write(p.dir, map[string]string{
		"hello/main.go": hello, "hello/go.mod": "module example.com/hello\n\ngo 1.26.0\n", "hello/go.sum": string(sum),
	})
}

func (p *place) addWireguard() error {
	workDir, err := p.newPlace(false)
	if err != nil {
		return err
	}
	return workDir.script("cp -r \"$(go mod download -json golang.zx2c4.com/wireguard | sed -n 's/.*\"Dir\": \"\\(.*\\)\",*/\\1/p')\" '" + p.dir + "/wireguard-go' && chmod -R u+w '" + p.dir + "/wireguard-go'")
}

func (p *place) addBenchstat() error {
	return p.script("go install golang.org/x/perf/cmd/benchstat@" + benchstat)
}

// addRepository copies the repository, but for hidden folders.
func (p *place) addRepository() error {
	return filepath.WalkDir(p.top, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(p.top, name)
		if err != nil {
			return err
		}
		to := filepath.Join(p.dir, "repository", rel)
		switch {
		case d.Name() == ".git":
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir():
			return os.MkdirAll(to, 0o777)
		case !d.Type().IsRegular():
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		content, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(to, content, info.Mode().Perm()|0o200)
	})
}

func (p *place) script(script string) error {
	output, err := p.bash(p.folder(), script)
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, output)
	}
	return err
}

var (
	dotFolder = regexp.MustCompile(`(^|[\s='"])\./(\w[\w./-]*)`)
	clone     = regexp.MustCompile(`(^|[\s='"])\.\./cipherlane(\s|/|$)`)
)

// full replaces names of what is in the repository by full names.
func (p *place) full(command string) string {
	command = clone.ReplaceAllString(command, "${1}"+p.top+"${2}")
	if strings.HasPrefix(command, "cd ") {
		return command
	}
	return dotFolder.ReplaceAllStringFunc(command, func(s string) string {
		m := dotFolder.FindStringSubmatch(s)
		name := filepath.Join(p.top, m[2])
		if _, err := os.Stat(strings.TrimSuffix(name, "/...")); err != nil {
			return s
		}
		return m[1] + name
	})
}

// bash runs a script with a terminal that answers questions. It has neither input nor
// any other sign of the caller's terminal.
func (p *place) bash(dir, script string) (output []byte, err error) {
	if err := p.build(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), lineTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-euo", "pipefail", "-c", script)
	cmd.Dir, cmd.Env = dir, append(slices.Clip(p.env), "PWD="+dir)
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

// helps returns the help of a verb, and of those below it if they are wanted.
func (w *world) helps(verb []string, subverbs bool) ([]*text, error) {
	p, err := w.newPlace(true)
	if err != nil {
		return nil, err
	}
	output, err := p.bash(p.folder(), strings.Join(append(append([]string{"cipherlane"}, verb...), "--help"), " "))
	if err != nil {
		return nil, fmt.Errorf("help of %q: %w\n%s", verb, err, output)
	}
	t := parseHelp(strings.Join(append([]string{helpName}, verb...), " "), string(output))
	list := []*text{t}
	if !subverbs {
		return list, nil
	}
	for _, name := range verbs(string(output), verb) {
		more, err := w.helps(append(verb[:len(verb):len(verb)], name), true)
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
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
	p, err := w.newPlace(t.help)
	if err != nil {
		w.fail(t.name, 0, err, nil)
		return
	}
	for _, l := range t.lines {
		p.runLine(l)
	}
	if len(t.snippets) > 0 && !*print {
		start := time.Now()
		output, err := p.runSnippets(t.snippets, t.docs)
		if err != nil {
			w.fail(t.name+": snippets", time.Since(start), err, output)
		} else {
			w.count(&w.ran)
			w.printf("%6.1f s  %s: %d Go snippets\n", time.Since(start).Seconds(), t.name, len(t.snippets))
		}
	}
	os.RemoveAll(p.dir)
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

func (p *place) runLine(l line) {
	what := l.at + ": " + l.command
	if l.reason != "" {
		p.mutex.Lock()
		p.left++
		p.reasons[l.reason]++
		p.mutex.Unlock()
		p.printf("  marked  %s (%s)\n", what, l.reason)
		return
	}
	if p.skip != nil && p.skip.MatchString(" "+l.command+" ") {
		p.count(&p.skipped)
		return
	}
	if *print {
		p.printf("%s\n", what)
		return
	}
	if names, found := strings.CutPrefix(l.command, "ci/run "); found {
		for name := range strings.FieldsSeq(names) {
			if !p.steps()[name] {
				p.fail(what, 0, fmt.Errorf("ci/run has no step %q", name), nil)
				return
			}
		}
		p.count(&p.ran)
		p.printf("   names  %s\n", what)
		return
	}
	command := l.command
	if l.inline && regexp.MustCompile(`^ci/[\w./-]+$`).MatchString(command) {
		if _, err := os.Stat(filepath.Join(p.top, command)); err != nil {
			p.fail(what, 0, err, nil)
			return
		}
		p.count(&p.ran)
		p.printf("  exists  %s\n", what)
		return
	}
	if l.inline && mention.MatchString(command) {
		command += " --help"
	} else if m := goVerb.FindStringSubmatch(command); l.inline && m != nil {
		command = "go help " + m[1]
	}
	dir := p.folder()
	switch {
	case strings.HasPrefix(command, "cipherlane go ") && !strings.Contains(command, "--help"):
		dir = filepath.Join(p.dir, "program")
	case ciProgram.MatchString(command):
		dir = filepath.Join(p.dir, "repository")
	}
	var output []byte
	err := p.addParts(command)
	if err == nil {
		output, err = p.prepare(dir, command)
	}
	start := time.Now()
	if err == nil {
		if !ciProgram.MatchString(command) {
			command = p.full(command)
		}
		output, err = p.bash(dir, command)
	}
	took := time.Since(start)
	exit := new(exec.ExitError)
	switch {
	case err == nil:
		p.count(&p.ran)
		p.printf("%6.1f s  %s\n", took.Seconds(), what)
	case errors.As(err, &exit) && exit.ExitCode() == 3 && absent.Match(output):
		p.count(&p.absent)
		p.printf("%6.1f s  not available here: %s\n\t%s\n", took.Seconds(), what, strings.TrimSpace(tail(output)))
	default:
		p.fail(what, took, err, output)
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
func (p *place) prepare(dir, command string) ([]byte, error) {
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
			if message, err := p.sample(dir, word); err != nil {
				return message, err
			}
		}
	}
	return nil, nil
}

// sample makes a file if it is one of the samples and not there.
func (p *place) sample(dir, name string) ([]byte, error) {
	s, ok := samples[name]
	if !ok {
		return nil, nil
	}
	if found, _ := filepath.Glob(filepath.Join(dir, name)); len(found) > 0 {
		return nil, nil
	}
	for _, other := range s.needs {
		if output, err := p.sample(dir, other); err != nil {
			return output, err
		}
	}
	output, err := p.bash(dir, s.make)
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
