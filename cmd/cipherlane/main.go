// Command cipherlane is the command-line interface of the cipherlane library. It shows
// which implementation of each algorithm is selected on this machine and why, measures
// them, and hashes and encrypts files.
//
// Run "cipherlane --help" for its verbs and "cipherlane VERB --help" for
// examples. Exit codes: 0 done, 1 failed, 2 usage, 3 not available on this
// machine, 4 self-test failed.
//
// On arm64, its work runs with data-independent timing (SECURITY.md).
package main

import (
	"bufio"
	"crypto/subtle"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
	"github.com/cipherlane/cipherlane/internal/drivers"
)

// exitCodes describes the exit codes.
var exitCodes = [...]string{
	"done",
	"failure, or a mismatch",
	"incorrect usage, such as an unknown name",
	"not available on this machine",
	"self-test failure: a driver computes wrong results",
}

const description = `Cryptography with several implementations ("drivers") of each algorithm: show which
driver is selected on this machine and why, measure the drivers, and hash and encrypt
data with them.

The environment variable CIPHERLANE overrides the selection: "sm4:gfni-avx2" selects
a driver for a package, and "-avx512" disables a CPU feature; separate several terms
with commas. The variable CIPHERLANE_PROFILE names a profile written by
"cipherlane tune".

Linked as age-plugin-sm2 and age-plugin-frodokem, the program is a plugin: age and rage then
encrypt and decrypt with the recipients and identities that "cipherlane keygen -t sm2" and the like make.

"cipherlane help VERB" explains a verb, with examples; "cipherlane man" prints the
manual page.`

// commands is the command line.
type commands struct {
	List       listCmd       `cmd:"" help:"List algorithms, their drivers, and which one is selected here."`
	Speed      speedCmd      `cmd:"" help:"Measure the speed of drivers and compare them."`
	Tune       tuneCmd       `cmd:"" help:"Find the best drivers for this machine by measuring them."`
	Selftest   selftestCmd   `cmd:"" help:"Test every driver that this machine can run."`
	Doctor     doctorCmd     `cmd:"" help:"Show what this CPU and its Linux kernel provide, and what prevents its use."`
	Hash       hashCmd       `cmd:"" help:"Print or check SM3 and SHA-2 checksums, as sha256sum does."`
	Keygen     keygenCmd     `cmd:"" help:"Generate a key file or an identity."`
	Pubkey     pubkeyCmd     `cmd:"" help:"Print the recipients (public keys) of identities."`
	Encrypt    encryptCmd    `cmd:"" help:"Encrypt and authenticate a file or stream, for people, with a passphrase or with a key."`
	Decrypt    decryptCmd    `cmd:"" help:"Decrypt a file made by encrypt or age; reject it if it was modified."`
	SM2        sm2Cmd        `cmd:"" name:"sm2" help:"SM2 keys, signatures and encryption: keygen, pubkey, sign, verify, encrypt, decrypt."`
	KEM        kemCmd        `cmd:"" name:"kem" help:"Establish shared keys with FrodoKEM: keygen, encap, decap, pubkey."`
	Cipher     cipherCmd     `cmd:"" help:"Encrypt or decrypt in raw modes without authentication, compatible with openssl enc."`
	Go         goCmd         `cmd:"" help:"Run the go command with cipherlane in place of golang.org/x/crypto."`
	Version    versionCmd    `cmd:"" help:"Print version, build and CPU."`
	Completion completionCmd `cmd:"" help:"Print a completion script for a shell."`
	Man        manCmd        `cmd:"" help:"Print the manual page."`
	Help       helpCmd       `cmd:"" help:"Print help for a verb."`

	ShowVersion versionFlag `name:"version" help:"Print version, build and CPU."`
}

// sm3sum is the command line when the program is called sm3sum.
type sm3sum struct {
	hashCmd

	ShowVersion versionFlag `name:"version" help:"Print version, build and CPU."`
}

// GODEBUG=dataindependenttiming=1 would be simpler, but with it Go 1.26 sets the mode without
// asking whether the CPU has it: a Cortex-A72 stops with an illegal instruction.
func main() {
	code := 0
	subtle.WithDataIndependentTiming(func() { code = run(os.Args) })
	os.Exit(code)
}

func run(args []string) (code int) {
	p := &cli.Program{Name: "cipherlane", Stdin: os.Stdin, Stdout: bufio.NewWriter(os.Stdout), Out: os.Stdout, Stderr: os.Stderr}
	var grammar any = new(commands)
	about := description
	base := strings.TrimSuffix(filepath.Base(args[0]), ".exe")
	if base == "sm3sum" {
		p.Name = base
		grammar = new(sm3sum)
		about = "Print or check SM3 checksums, as sha256sum does for SHA-256."
	}
	if name, ok := strings.CutPrefix(base, pluginPrefix); ok {
		p.Name = base
		return runPlugin(p, name, args[1:], p.Stdin)
	}
	if len(args) == 2 && strings.HasPrefix(args[1], "--age-plugin=") {
		return runUnnamedPlugin(p, args[1:])
	}
	if len(args) == 1 && p.Name == "cipherlane" {
		p.Stdout = bufio.NewWriter(p.Stderr)
		args = append(args, "--help")
		defer func() { code = cli.ExitUsage }()
	}
	parser, err := kong.New(grammar,
		kong.Name(p.Name),
		kong.Description(about),
		kong.Writers(p.Stdout, p.Stderr),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: min(p.Width(), 90), NoExpandSubcommands: true}),
		variables(),
		kong.KindMapper(reflect.String, kong.MapperFunc(decodeString)),
	)
	if err != nil {
		panic(err) // an error in a struct tag
	}
	ctx, printed, err := parse(p, parser, args[1:])
	switch {
	case printed:
	case err != nil:
		err = cli.AsUsage(fmt.Errorf("%w (see %s --help)", err, helpCommand(p.Name, ctx)))
	default:
		if verb := ctx.Selected(); verb == nil || verb.Name != "help" && verb.Name != "man" { // help works even if the environment is wrong
			err = environment(verb)
		}
		if err == nil {
			err = confine(ctx)
		}
		if err == nil {
			err = runVerb(p, parser, ctx)
		}
	}
	if e := p.Flush(); e != nil && (err == nil || errors.Is(err, cli.ErrReported)) {
		err = e
	}
	return p.Exit(err)
}

// pluginPrefix begins the names under which age starts the program as a plugin.
const pluginPrefix = "age-plugin-"

// variables returns the variables that help texts refer to.
func variables() kong.Vars {
	return kong.Vars{
		"representative": strings.Join(representative, ", "),
		"sizes":          strings.Trim(strings.Join(strings.Fields(fmt.Sprint(defaultSizes)), ", "), "[]"),
		"encryptions":    encryptionNames(),
		"hashes":         hashNames,
		"modes":          modeNames(),
		"kems":           kemNames(),
		"identities":     identityNames(),
	}
}

// decodeString uses an argument unchanged. Kong's own decoder converts it to JSON and
// back, which corrupts file names that are not UTF-8.
func decodeString(ctx *kong.DecodeContext, target reflect.Value) error {
	token, err := ctx.Scan.PopValue("string")
	if err != nil {
		return err
	}
	// Usually an unset variable in a script, which must not mean "none".
	if token.String() == "" && !ctx.Value.Tag.Has("empty") {
		return errors.New("is empty")
	}
	target.SetString(token.String())
	return nil
}

// helpCommand returns the command that prints help for a command line that failed.
func helpCommand(name string, ctx *kong.Context) string {
	if verb := ctx.Selected(); verb != nil {
		return name + " " + verb.Path()
	}
	return name
}

// environment returns an error if CIPHERLANE or CIPHERLANE_PROFILE cannot take full
// effect. The library ignores terms that it does not know; a command must not. tune
// accepts an unsuitable profile, because it makes a new one.
//
// The exit codes are the same as for options: an unknown name is a usage error, a
// driver or profile that exists but does not work on this machine is unavailable, and
// a profile that cannot be read is a failure.
func environment(verb *kong.Node) error {
	var terms, profile []string
	for _, warning := range drivers.Warnings() {
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
		return cli.AsUsage(err)
	case len(terms) > 0 || errors.Is(drivers.LoadProfile(os.Getenv("CIPHERLANE_PROFILE")), drivers.ErrUnavailable):
		return cli.AsUnavailable(err)
	default:
		return err
	}
}

// unavailableChoices returns the number of drivers named in CIPHERLANE that exist but
// cannot run here.
func unavailableChoices() (n int) {
	choices := drivers.Choices()
	for _, t := range drivers.List() {
		if name, ok := choices[t.Package()]; ok {
			if _, err := t.On(name); errors.Is(err, drivers.ErrUnavailable) {
				n++
			}
		}
	}
	return n
}
