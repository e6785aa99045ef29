package cli

// Decrypting describes the work of a verb whose output is secret and may be binary.
const Decrypting = "decrypting"

// TransferFlags are the flags of verbs that turn one file or stream into another.
type TransferFlags struct {
	Input    string `arg:"" optional:"" name:"file" help:"Input; default: standard input."`
	Output   string `short:"o" placeholder:"FILE" help:"Write to this file, which appears only when it is complete; default: standard output."`
	Force    bool   `short:"f" help:"Replace an existing output file."`
	Progress string `enum:"auto,on,off" default:"auto" help:"Show progress on standard error: auto (on a terminal, after a second), on, off."`
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
	if in.File != p.Stdin {
		defer in.Close()
	}
	defer in.MakeStoppable()()
	to := Target{Path: c.Output, Mode: in.mode()}
	if what == Decrypting { // plaintext must not inherit the mode of a message that others may read
		to = Target{Path: c.Output, Mode: 0o600, Keep: true}
	}
	outs, err := p.Create(c.Force, to)
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
