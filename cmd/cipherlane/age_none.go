//go:build mips || mipsle || mips64 || mips64le

package main

import (
	"bufio"
	"errors"
	"io"
)

// The format of age is not in builds for routers: it would make the command larger by a
// third.

var errNoAge = unavailableError{errors.New("files in the format of age are not in builds for MIPS")}

func (*encryptCmd) encryptAge(*program) error { return errNoAge }

func ageText(r *bufio.Reader) *bufio.Reader { return r }

func isAge(*bufio.Reader) (is, armored bool) { return false, false }

func (*decryptCmd) decryptAge(*program, string, *bufio.Reader, bool) (func(in *inputFile, out *output) error, error) {
	return nil, errNoAge
}

func identityNames() string { return "" }

func (*keygenCmd) identity(*program) error { return errNoAge }

func (*pubkeyCmd) Run(*program) error { return errNoAge }

func (p *program) runPlugin(string, []string, io.Reader) int { return p.exit(errNoAge) }

func (p *program) runUnnamedPlugin([]string) int { return p.exit(errNoAge) }
