//go:build mips || mipsle || mips64 || mips64le

package main

import (
	"errors"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
)

// goCmd is not in builds for routers: there are no releases of Go that run on them, and
// the command is smaller without.
type goCmd struct {
	Args []string `arg:"" passthrough:"" optional:"" name:"command" help:"Arguments."`
}

// goVerbs and goWords are for completion.
func goVerbs() []string { return nil }

func goWords() []string { return nil }

func (goCmd) Help() string {
	return `This verb is not in builds for MIPS. To build programs for MIPS, run it on another machine,
with GOARCH=mipsle or the like.`
}

func (*goCmd) Run(*cli.Program) error {
	return cli.AsUnavailable(errors.New("go: not in builds for MIPS; run it on another machine, with GOARCH=mipsle or the like"))
}
