package main

import (
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/inventory"
)

type versionCmd struct{}

func (versionCmd) Help() string {
	return `Include this output in bug reports and with published measurements.

Example:

    cipherlane version`
}

func (versionCmd) Run(p *cli.Program) error { return printVersion(p) }

func printVersion(p *cli.Program) error {
	version, revision := inventory.Versions()
	m := inventory.ThisMachine()
	p.Say("cipherlane %s\nrevision   %s\ngo         %s %s/%s\ncpu        %s\n",
		version, revision, m.Go, m.OS, m.Arch, m.CPU)
	return nil
}
