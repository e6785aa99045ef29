package main

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

type helpCmd struct {
	Verb []string `arg:"" optional:"" name:"verb" help:"Verb, and verb of that; default: an overview."`
}

func (helpCmd) Help() string {
	return `The same as --help after the verb. "cipherlane man" prints all of it as one manual
page.

Examples:

    cipherlane help
    cipherlane help sm2 sign`
}

func (c *helpCmd) Run(p *program, k *kong.Kong) error {
	_, err := k.Parse(append(c.Verb, "--help"))
	switch {
	case p.exited:
		return nil
	case err == nil: // the arguments of go are not ours
		return usagef("%s: no such verb", strings.Join(c.Verb, " "))
	default:
		return usageError{fmt.Errorf("%w (see %s --help)", err, p.name)}
	}
}
