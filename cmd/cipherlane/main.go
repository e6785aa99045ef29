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
	"os"
	"path/filepath"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/bench"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/checksum"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/doctor"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/files"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/grammar"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/inventory"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/keys"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/report"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/selftest"
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

Passphrases are asked for on the terminal. If there is none, the program that the variable
CIPHERLANE_ASKPASS names is run with the question as its argument, and prints the passphrase.
The variables SSH_ASKPASS and SSH_ASKPASS_REQUIRE (force or prefer) work as in ssh.

Linked as age-plugin-sm2 and age-plugin-frodokem, the program is a plugin: age and rage then
encrypt and decrypt with the recipients and identities that "cipherlane keygen -t sm2" and the like make.

"cipherlane help VERB" explains a verb, with examples; "cipherlane man" prints the
manual page.`

// commands is the command line.
type commands struct {
	List       inventory.ListCmd   `cmd:"" help:"List algorithms, their drivers, and which one is selected here."`
	Speed      bench.SpeedCmd      `cmd:"" help:"Measure the speed of drivers and compare them."`
	Tune       bench.TuneCmd       `cmd:"" help:"Find the best drivers for this machine by measuring them."`
	Selftest   selftest.Cmd        `cmd:"" help:"Test every driver that this machine can run."`
	Doctor     doctor.Cmd          `cmd:"" help:"Show what this CPU and its Linux kernel provide, and what prevents its use."`
	Report     report.Cmd          `cmd:"" help:"Test and measure this machine, and write one JSON document for those who have no such machine."`
	Hash       checksum.Cmd        `cmd:"" help:"Print or check SM3 and SHA-2 checksums, as sha256sum does."`
	Keygen     files.KeygenCmd     `cmd:"" help:"Generate a key file or an identity."`
	Pubkey     files.PubkeyCmd     `cmd:"" help:"Print the recipients (public keys) of identities."`
	Encrypt    files.EncryptCmd    `cmd:"" help:"Encrypt and authenticate a file or stream, for people, with a passphrase or with a key."`
	Decrypt    files.DecryptCmd    `cmd:"" help:"Decrypt a file made by encrypt or age; reject it if it was modified."`
	Inspect    files.InspectCmd    `cmd:"" help:"Show for whom a file is encrypted, and its sizes."`
	Recipients files.RecipientsCmd `cmd:"" help:"Change for whom a file is encrypted: add, remove."`
	SM2        keys.SM2Cmd         `cmd:"" name:"sm2" help:"SM2 keys, signatures and encryption: keygen, pubkey, sign, verify, encrypt, decrypt."`
	KEM        keys.KEMCmd         `cmd:"" name:"kem" help:"Establish shared keys with FrodoKEM: keygen, encap, decap, pubkey."`
	Cipher     files.CipherCmd     `cmd:"" help:"Encrypt or decrypt in raw modes without authentication, compatible with openssl enc."`
	Go         goCmd               `cmd:"" help:"Build and test Go programs, unchanged, with cipherlane's cryptography."`
	Version    versionCmd          `cmd:"" help:"Print version, build and CPU."`
	Completion completionCmd       `cmd:"" help:"Print a completion script for a shell."`
	Man        manCmd              `cmd:"" help:"Print the manual page."`
	Help       helpCmd             `cmd:"" help:"Print help for a verb."`

	ShowVersion grammar.VersionFlag `name:"version" help:"Print version, build and CPU."`
}

// sm3sum is the command line when the program is called sm3sum.
type sm3sum struct {
	checksum.Cmd

	ShowVersion grammar.VersionFlag `name:"version" help:"Print version, build and CPU."`
}

// GODEBUG=dataindependenttiming=1 would be simpler, but with it Go 1.26 sets the mode without
// asking whether the CPU has it: a Cortex-A72 stops with an illegal instruction.
func main() {
	code := 0
	subtle.WithDataIndependentTiming(func() { code = run(os.Args) })
	os.Exit(code)
}

func run(args []string) (code int) {
	p := cli.NewProgram("cipherlane")
	var verbs any = new(commands)
	about := description
	base := strings.TrimSuffix(filepath.Base(args[0]), ".exe")
	if base == "sm3sum" {
		p.Name = base
		verbs = new(sm3sum)
		about = "Print or check SM3 checksums, as sha256sum does for SHA-256."
	}
	if code, ok := files.RunAsPlugin(p, args); ok {
		return code
	}
	if len(args) == 1 && p.Name == "cipherlane" {
		p.Stdout = bufio.NewWriter(p.Stderr)
		args = append(args, "--help")
		defer func() { code = cli.ExitUsage }()
	}
	parser := grammar.New(p, verbs, about, variables())
	return grammar.Run(p, parser, args[1:], printVersion, func(ctx *kong.Context) error {
		name := ""
		if verb := ctx.Selected(); verb != nil {
			name = verb.Name
		}
		if name != "help" && name != "man" { // they work even if the environment is wrong
			if err := inventory.CheckEnvironment(name); err != nil {
				return err
			}
		}
		return confine(ctx)
	})
}

// variables returns the variables that help texts refer to.
func variables() kong.Vars {
	return bench.Variables().CloneWith(files.Variables()).CloneWith(keys.Variables()).CloneWith(checksum.Variables())
}
