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
	return `Not in builds for MIPS. Where the go command is, cipherlane makes programs for MIPS with
GOARCH, like the go command.`
}

func (*goCmd) Run(*cli.Program) error {
	return cli.AsUnavailable(errors.New("go: not in builds for MIPS; run it where the go command is, with GOARCH=mipsle or the like"))
}
