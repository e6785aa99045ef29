package main

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/grammar"
)

type helpCmd struct {
	Verb []string `arg:"" optional:"" name:"verb" help:"Verb, and its subverb if it has any; default: an overview."`
}

func (helpCmd) Help() string {
	return `Prints the same as --help after the verb. "cipherlane man" prints the help for all
verbs as a manual page.

Examples:

    cipherlane help
    cipherlane help sm2 sign`
}

func (c *helpCmd) Run(p *cli.Program, k *kong.Kong) error {
	_, printed, err := grammar.Parse(p, k, append(c.Verb, "--help"), printVersion)
	switch {
	case printed:
		return err
	case err == nil: // go passes its arguments on
		return cli.Usagef("%s: no such verb", strings.Join(c.Verb, " "))
	default:
		return cli.AsUsage(fmt.Errorf("%w (see %s --help)", err, p.Name))
	}
}
