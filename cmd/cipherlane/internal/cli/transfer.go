package cli

import (
	"fmt"
	"path/filepath"
)

// Decrypting describes the work of a verb whose output is secret and may be binary.
const Decrypting = "decrypting"

// TransferFlags are the flags of verbs that turn one file or stream into another.
type TransferFlags struct {
	Input  string `arg:"" optional:"" name:"file" help:"Input; default: standard input."`
	Output string `short:"o" placeholder:"FILE" help:"Write to this file, which appears only when it is complete; default: standard output."`
	Force  bool   `short:"f" help:"Replace an existing output file."`
	ProgressFlag
}

// RefuseTerminal returns an error if ciphertext would be written to a terminal.
func (c *TransferFlags) RefuseTerminal(p *Program) error {
	if c.Output == "" && p.Terminal() {
		return ErrBinary
	}
	return nil
}

// Transfer opens input and output and calls work. The output is kept only if work
// succeeds.
func (c *TransferFlags) Transfer(p *Program, what string, work func(in *InputFile, out *Output) error) error {
	return c.TransferAfter(p, what, func(*InputFile) (func(in *InputFile, out *Output) error, error) { return work, nil })
}

// TransferAfter is Transfer for work that is chosen after reading the input's first bytes. If
// prepare asks for a passphrase, no progress disturbs.
func (c *TransferFlags) TransferAfter(p *Program, what string, prepare func(in *InputFile) (func(in *InputFile, out *Output) error, error)) error {
	in, err := p.Open(c.Input)
	if err != nil {
		return err
	}
	to := Target{Path: c.Output, Mode: in.mode()}
	if what == Decrypting { // plaintext must not inherit the mode of a message that others may read
		to = Target{Path: c.Output, Mode: 0o600, Keep: true}
	}
	return c.transfer(p, in, to, c.Force, what, prepare)
}

// ReplaceAfter is TransferAfter for a new version of a regular file, which replaces it. A symbolic
// link stays. The output of the flags is not used.
func (c *TransferFlags) ReplaceAfter(p *Program, what string, prepare func(in *InputFile) (func(in *InputFile, out *Output) error, error)) error {
	in, err := p.OpenInput(c.Input)
	if err != nil {
		return err
	}
	path, err := filepath.EvalSymlinks(c.Input)
	if err != nil || !in.Info.Mode().IsRegular() {
		in.Close()
		return fmt.Errorf("%s: is no regular file, and cannot be replaced; use -o", in.DisplayName)
	}
	return c.transfer(p, in, Target{Path: path, Mode: in.Info.Mode().Perm(), Keep: true, VersionOf: in}, true, what, prepare)
}

func (c *TransferFlags) transfer(p *Program, in *InputFile, to Target, force bool, what string, prepare func(in *InputFile) (func(in *InputFile, out *Output) error, error)) error {
	if in.File != p.Stdin {
		defer in.Close()
	}
	defer in.MakeStoppable()()
	outs, err := p.Create(force, to)
	if err != nil {
		return err
	}
	defer outs.Discard()
	out := outs.List[0]
	out.textOnly = what == Decrypting && c.Output == "" && p.Terminal()
	work, err := prepare(in)
	if err != nil {
		return err
	}
	in.Progress = p.Progress(c.Progress, what, in.Size(), true)
	err = work(in, out)
	in.Progress.Stop()
	if err != nil {
		return err
	}
	return outs.Commit()
}
