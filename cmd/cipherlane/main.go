// Command cipherlane shows and uses what the cipherlane library offers: which
// implementation of every algorithm is selected on this machine and why, how fast each
// of them is, hashes, and encrypted files.
//
// Run "cipherlane --help" for its verbs and "cipherlane VERB --help" for
// examples. Exit codes: 0 done, 1 failed, 2 usage, 3 not available on this
// machine, 4 self-test failed.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"
	"github.com/cipherlane/cipherlane/driver"
)

// exitCodes says what the exit codes mean.
var exitCodes = [...]string{
	"done",
	"failed, or something does not match",
	"wrong usage, such as names that do not exist",
	"not available: exists, but not on this machine",
	"a self-test failed: a driver computes wrong results",
}

const (
	exitFailed      = 1
	exitUsage       = 2
	exitUnavailable = 3
	exitSelftest    = 4
)

const description = `Cryptography with several implementations ("drivers") of every algorithm:
see which one is selected on this machine and why, measure them, hash and encrypt with them.

The environment variable CIPHERLANE overrides the choice: "sm4:gfni-avx2" names
a driver, "-avx512" rules out a CPU feature; terms are separated by commas. The
variable CIPHERLANE_PROFILE names a file that "cipherlane tune" wrote.

"cipherlane help VERB" explains a verb, with examples; "cipherlane man" prints the
manual page.`

// commands is the command line.
type commands struct {
	List       listCmd       `cmd:"" help:"List algorithms, their drivers, and which one is selected here."`
	Speed      speedCmd      `cmd:"" help:"Measure drivers against each other."`
	Tune       tuneCmd       `cmd:"" help:"Find the best drivers for this machine by measuring them."`
	Selftest   selftestCmd   `cmd:"" help:"Check every driver that this machine can run."`
	Doctor     doctorCmd     `cmd:"" help:"Say what this machine and its Linux offer, and what stands in the way."`
	Hash       hashCmd       `cmd:"" help:"Print or check SM3 and SHA-2 checksums, as sha256sum does."`
	Keygen     keygenCmd     `cmd:"" help:"Make a key file."`
	Encrypt    encryptCmd    `cmd:"" help:"Encrypt and authenticate a file or stream."`
	Decrypt    decryptCmd    `cmd:"" help:"Decrypt what encrypt made; refuse it if it was changed."`
	SM2        sm2Cmd        `cmd:"" name:"sm2" help:"SM2 keys, signatures and encryption: keygen, pubkey, sign, verify, encrypt, decrypt."`
	KEM        kemCmd        `cmd:"" name:"kem" help:"Agree on keys with FrodoKEM: keygen, encap, decap."`
	Cipher     cipherCmd     `cmd:"" help:"Raw modes without authentication, compatible with openssl enc."`
	Go         goCmd         `cmd:"" help:"Run the go command with cipherlane in place of golang.org/x/crypto."`
	Version    versionCmd    `cmd:"" help:"Print version, build and CPU."`
	Completion completionCmd `cmd:"" help:"Print a completion script for a shell."`
	Man        manCmd        `cmd:"" help:"Print the manual page."`
	Help       helpCmd       `cmd:"" help:"Print help on a verb."`

	ShowVersion versionFlag `name:"version" help:"Print version, build and CPU."`
}

// sm3sum is the command line under that name.
type sm3sum struct {
	hashCmd

	ShowVersion versionFlag `name:"version" help:"Print version, build and CPU."`
}

// A program is what a verb works with.
type program struct {
	name   string // in front of error messages
	stdin  *os.File
	stdout *bufio.Writer
	out    *os.File // behind stdout
	stderr *os.File
	exited bool // kong printed help or the version, and that was all

	inputs      []*inputFile     // what must not be an output, too
	descriptors map[int]*os.File // open files that came with the process

	buffers [bufferCount][]byte // of files being hashed
}

func main() { os.Exit(run(os.Args)) }

func run(args []string) (code int) {
	p := &program{name: "cipherlane", stdin: os.Stdin, stdout: bufio.NewWriter(os.Stdout), out: os.Stdout, stderr: os.Stderr}
	var grammar any = new(commands)
	about := description
	if base := strings.TrimSuffix(filepath.Base(args[0]), ".exe"); base == "sm3sum" {
		p.name = base
		grammar = new(sm3sum)
		about = "Print or check SM3 checksums, as sha256sum does for SHA-256."
	}
	if len(args) == 1 && p.name == "cipherlane" {
		p.stdout = bufio.NewWriter(p.stderr)
		args = append(args, "--help")
		defer func() { code = exitUsage }()
	}
	parser, err := kong.New(grammar,
		kong.Name(p.name),
		kong.Description(about),
		kong.Writers(p.stdout, p.stderr),
		kong.Exit(func(int) { p.exited = true }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: min(p.width(), 90), NoExpandSubcommands: true}),
		variables(),
		kong.KindMapper(reflect.String, kong.MapperFunc(decodeString)),
		kong.Bind(p),
	)
	if err != nil {
		panic(err) // a slip in a struct tag
	}
	var ctx *kong.Context
	ctx, err = parser.Parse(args[1:])
	switch {
	case p.exited:
		err = nil
	case err != nil:
		err = usageError{fmt.Errorf("%w (see %s --help)", err, helpCommand(p.name, ctx, err))}
	default:
		if verb := ctx.Selected(); verb == nil || verb.Name != "help" && verb.Name != "man" { // which are there whatever else is wrong
			err = environment(verb)
		}
		if err == nil {
			err = ctx.Run()
		}
	}
	if e := p.flush(); e != nil && (err == nil || errors.Is(err, errReported)) {
		err = e
	}
	return p.exit(err)
}

// variables are what help texts refer to.
func variables() kong.Vars {
	return kong.Vars{
		"representative": strings.Join(representative, ", "),
		"sizes":          strings.Trim(strings.Join(strings.Fields(fmt.Sprint(defaultSizes)), ", "), "[]"),
		"encryptions":    encryptionNames(),
		"hashes":         hashNames,
		"modes":          modeNames(),
		"kems":           kemNames(),
	}
}

// decodeString takes an argument as it is. Kong's own way leads through JSON,
// which spoils file names that are not UTF-8.
func decodeString(ctx *kong.DecodeContext, target reflect.Value) error {
	token, err := ctx.Scan.PopValue("string")
	if err != nil {
		return err
	}
	// Mostly a variable of a script that is not set: not to be taken for "none".
	if token.String() == "" && !ctx.Value.Tag.Has("empty") {
		return errors.New("is empty")
	}
	target.SetString(token.String())
	return nil
}

// helpCommand returns what to call for help on a command line that failed.
func helpCommand(name string, ctx *kong.Context, err error) string {
	if e := new(kong.ParseError); errors.As(err, &e) {
		ctx = e.Context
	}
	if ctx != nil && ctx.Selected() != nil {
		return name + " " + ctx.Selected().Path()
	}
	return name
}

// environment refuses a CIPHERLANE or a CIPHERLANE_PROFILE that would not do what
// it says. The library passes over what it does not know; a command must not. A
// profile that does not suit is no reason to refuse making a new one.
//
// The exit codes are those of options: names that do not exist are wrong usage, a
// driver or a profile that exists but is not for this machine is unavailable, and a
// profile that cannot be read is a failure.
func environment(verb *kong.Node) error {
	var terms, profile []string
	for _, warning := range driver.Warnings() {
		if term, ok := strings.CutPrefix(warning, "CIPHERLANE: "); ok {
			terms = append(terms, term)
		} else if verb == nil || verb.Name != "tune" {
			profile = append(profile, warning)
		}
	}
	for _, name := range unknownPackages() {
		terms = append(terms, fmt.Sprintf("no package %q", name))
	}
	list := profile
	if len(terms) > 0 {
		list = slices.Insert(profile, 0, "CIPHERLANE: "+strings.Join(terms, "; "))
	}
	err := errors.New(strings.Join(list, "; "))
	switch {
	case len(list) == 0:
		return nil
	case len(terms) > unavailableChoices():
		return usageError{err}
	case len(terms) > 0 || errors.Is(driver.LoadProfile(os.Getenv("CIPHERLANE_PROFILE")), driver.ErrUnavailable):
		return unavailableError{err}
	default:
		return err
	}
}

// unavailableChoices returns how many of the drivers that CIPHERLANE names exist but
// cannot run here.
func unavailableChoices() (n int) {
	choices := driver.Choices()
	for _, t := range driver.List() {
		if name, ok := choices[t.Package()]; ok {
			if _, err := t.On(name); errors.Is(err, driver.ErrUnavailable) {
				n++
			}
		}
	}
	return n
}

func (p *program) flush() error {
	if err := p.stdout.Flush(); err != nil {
		return fmt.Errorf("standard output: %w", reason(err))
	}
	return nil
}

// warn prints a line for the user that is not the end.
func (p *program) warn(format string, args ...any) {
	fmt.Fprintf(p.stderr, p.name+": "+format+"\n", args...)
}

// exit prints an error and returns the exit code for it.
func (p *program) exit(err error) int {
	if err == nil {
		return 0
	}
	code := exitFailed
	var coded interface{ ExitCode() int }
	switch {
	case errors.Is(err, driver.ErrUnknown):
		code = exitUsage
	case errors.Is(err, driver.ErrUnavailable):
		code = exitUnavailable
	case errors.As(err, &coded):
		code = coded.ExitCode()
	}
	// Who closed a pipe does not want to read more, nor does errReported.
	if !errors.Is(err, syscall.EPIPE) && !errors.Is(err, errReported) {
		p.warn("%s", strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	return code
}

// errReported is returned by verbs that have printed their errors already.
var errReported = errors.New("reported")

type usageError struct{ error }

func (usageError) ExitCode() int   { return exitUsage }
func (e usageError) Unwrap() error { return e.error }

type unavailableError struct{ error }

func (unavailableError) ExitCode() int   { return exitUnavailable }
func (e unavailableError) Unwrap() error { return e.error }

type selftestError struct{ error }

func (selftestError) ExitCode() int   { return exitSelftest }
func (e selftestError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// reason strips the name of the system call and the path from an error, which
// messages put in front themselves.
func reason(err error) error {
	if e := new(fs.PathError); errors.As(err, &e) {
		return e.Err
	}
	if e := new(os.LinkError); errors.As(err, &e) {
		return e.Err
	}
	if e := new(os.SyscallError); errors.As(err, &e) {
		return e.Err
	}
	return err
}

// named puts the name of a file in front of an error that came from it.
func named(file string, err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	return fmt.Errorf("%s: %w", quote(file), reason(err))
}

// quote returns a file name as it is if it fits a line of text unmistakably.
func quote(file string) string {
	if q := fmt.Sprintf("%q", file); file == "" || len(q) != len(file)+2 || strings.Contains(file, " ") {
		return q
	}
	return file
}
