//go:build !mips && !mipsle && !mips64 && !mips64le

package main

import (
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/substitute"
)

type goCmd struct {
	Dir    string   `short:"C" name:"dir" placeholder:"DIR" help:"Change to this directory first, like go -C."`
	Source string   `env:"CIPHERLANE_SOURCE" placeholder:"DIR" help:"Use the cipherlane source in this directory instead of the version of this command."`
	Only   []string `placeholder:"WORD" help:"Replace only this module or algorithm, and everywhere, for example SM2."`
	Except []string `placeholder:"WORD" help:"Leave this module or algorithm as it is, for example golang.org/x/crypto."`
	Std    bool     `help:"Also replace AES and ChaCha20-Poly1305 in the standard library, as crypto/tls uses them."`
	SM     bool     `name:"sm" help:"Also teach crypto/tls and crypto/x509 TLS 1.3 with SM2, SM3 and SM4; implies --std."`
	Keep   bool     `help:"Keep the temporary workspace and print its path."`
	Args   []string `arg:"" passthrough:"" empty:"" name:"command" help:"Arguments for the go command, starting with build, install, list, run, test or vet; or check, export DIR, or version FILE."`
}

func (goCmd) Help() string {
	return `Runs the go command with cipherlane in place of packages of other modules, both for
the program and for its dependencies: chacha20 and chacha20poly1305 of
golang.org/x/crypto, what is behind SM2, SM3 and SM4 in github.com/emmansun/gmsm v0.44
and github.com/tjfoc/gmsm v1.4.1, and the ChaCha20-Poly1305 of
github.com/tailscale/wireguard-go. The program, its go.mod and go.sum, its vendor directory
and its workspace are not changed. Instead, the go command uses a temporary workspace
(GOWORK) with the program and a copy of each of these modules that it requires; in this
copy, the packages contain a few lines that call cipherlane. What was replaced is printed on
standard error.

cipherlane must have been tested as a replacement for exactly these packages, byte for
byte; otherwise nothing is run. If you use a changed copy of a module, by a replace line or in
a vendor directory, or if a module is in your workspace, it is not replaced.

An algorithm is replaced only if cipherlane's takes no more instructions or time, or if the
original looks up secrets in tables. That depends on GOARCH: docs/go.md has the table with all
counts. For a GOARCH that is not in it, nothing is replaced. What is not replaced is printed; if
that is everything, the go command runs as without cipherlane. --except leaves a module or an
algorithm as it is. --only replaces only what it names, whatever the table says; if it names
modules and algorithms, these algorithms of these modules. The words are golang.org/x/crypto,
github.com/emmansun/gmsm, github.com/tjfoc/gmsm, github.com/tailscale/wireguard-go, std for the
standard library, and AES, ChaCha20, ChaCha20-Poly1305, SM2, SM3 and SM4.

The exit code is that of the go command. The workspace is removed at the end, and on
interrupt.

The source of cipherlane comes from the directory given by --source, or else from the
program's own workspace if it contains cipherlane, from the module proxy or cache in the
version of this command, or from the checkout in which this command was built.

With --std, AES and ChaCha20-Poly1305 in the standard library are replaced, too, for
crypto/tls, crypto/cipher and everything that calls them. For this, a copy of the Go
installation is made in the user's cache: links, and the few directories that change. Each
build compares all of it with what it should be. The release of Go must be one that
cipherlane was tested with. The verb check runs Go's own tests on such a copy, to find out
whether to accept a newer release. The verb version, followed by files, shows what was
replaced in programs. docs/go.md says when to use --std, and what it costs.

With --sm, crypto/tls and crypto/x509 of this copy also know TLS 1.3 with SM2, SM3 and SM4 (RFC
8998) and certificates with SM2. A server uses them if it has a certificate with SM2 and the
client offers them; a client offers them if the program or GODEBUG=tlssm=offer says so.
docs/tls-sm.md has the rules and an example.

Limitations. If the program uses an older
golang.org/x/sys than cipherlane needs, it gets the newer one, and a message is printed.
In "go version -m", these modules keep their versions but are followed by a directory
and "(devel)". A vendor directory is not used. Without -trimpath, everything that
depends on these modules is recompiled each time, because the directory has a new name.
-modfile and -mod do not work in a workspace and are rejected, except for -mod=readonly; with
--std, they are accepted, and only the standard library is replaced. Programs run by "go run"
and "go test" have GOWORK in their environment, which matters if they call the go command.

To make the replacement permanent without this command, "cipherlane go export DIR" writes
a copy of the program with the replaced modules and a vendor directory, which plain "go
build" builds offline, for example in package systems. Or import cipherlane's packages:
chacha20 and chacha20poly1305 have the same API, and docs/gmsm.md compares the others.
docs/tailscale.md is about Tailscale.

Examples:

    cipherlane go build ./...
    cipherlane go test -trimpath ./...
    cipherlane go --std build -trimpath -o /tmp/program .
    cipherlane go version /tmp/program
    cipherlane go --sm build -trimpath -o /tmp/program .
    GOBIN=/tmp/bin cipherlane go --std install filippo.io/age/cmd/...@v1.2.1
    cipherlane go -C ../wireguard-go build -trimpath -o /tmp/wireguard-go
    cipherlane go list -deps ./... | grep cipherlane    # is it used?
    cipherlane go export ../exported                    # for plain go build
    cipherlane go --only ChaCha20-Poly1305 build ./...
    cipherlane go --keep build -n ./...                 # what would be done`
}

func (c *goCmd) Run(p *cli.Program) error {
	call := substitute.Command(*c)
	return call.Run(p)
}

// goVerbs and goWords are for completion.
func goVerbs() []string { return substitute.Verbs }

func goWords() []string { return substitute.Words() }
