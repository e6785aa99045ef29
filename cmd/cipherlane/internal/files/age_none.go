//go:build mips || mipsle || mips64 || mips64le

package files

import (
	"bufio"
	"errors"
	"io"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
)

// The format of age is not in builds for routers: it would make the command larger by a
// third.

var errNoAge = cli.AsUnavailable(errors.New("files in the format of age are not in builds for MIPS"))

func (*EncryptCmd) encryptAge(*cli.Program) error { return errNoAge }

func ageText(r *bufio.Reader) *bufio.Reader { return r }

func isAge(*bufio.Reader) (is, armored bool) { return false, false }

func (*DecryptCmd) decryptAge(*cli.Program, string, *bufio.Reader, bool) (func(in *cli.InputFile, out *cli.Output) error, error) {
	return nil, errNoAge
}

func (*recipientsAddCmd) Run(*cli.Program) error { return errNoAge }

func (*recipientsRemoveCmd) Run(*cli.Program) error { return errNoAge }

// IdentityNames returns the kinds of identities: none.
func IdentityNames() string { return "" }

func (*KeygenCmd) identity(*cli.Program) error { return errNoAge }

// Run returns an error.
func (*PubkeyCmd) Run(*cli.Program) error { return errNoAge }

func inspect(*cli.InputFile, string) (*inspection, error) { return nil, errNoAge }

func runPlugin(p *cli.Program, name string, args []string, in io.Reader) int { return p.Exit(errNoAge) }

func runUnnamedPlugin(p *cli.Program, args []string) int { return p.Exit(errNoAge) }
