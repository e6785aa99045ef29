package main

// decrypting describes the work of a verb whose output is secret and may be binary.
const decrypting = "decrypting"

// transferFlags are the flags of verbs that turn one file or stream into another.
type transferFlags struct {
	Input    string `arg:"" optional:"" name:"file" help:"Input; default: standard input."`
	Output   string `short:"o" placeholder:"FILE" help:"Write to this file, which appears only when it is complete; default: standard output."`
	Force    bool   `short:"f" help:"Replace an existing output file."`
	Progress string `enum:"auto,on,off" default:"auto" help:"Show progress on standard error: auto (on a terminal, after a second), on, off."`
}

// refuseTerminal returns an error if ciphertext would be written to a terminal.
func (c *transferFlags) refuseTerminal(p *program) error {
	if c.Output == "" && p.terminal() {
		return errBinary
	}
	return nil
}

// transfer opens input and output and calls work. The output is kept only if work
// succeeds.
func (c *transferFlags) transfer(p *program, what string, work func(in *inputFile, out *output) error) error {
	return c.transferAfter(p, what, func(*inputFile) (func(in *inputFile, out *output) error, error) { return work, nil })
}

// transferAfter is transfer for work that is chosen after reading the input's first bytes. If
// prepare asks for a passphrase, no progress disturbs.
func (c *transferFlags) transferAfter(p *program, what string, prepare func(in *inputFile) (func(in *inputFile, out *output) error, error)) error {
	in, err := p.open(c.Input)
	if err != nil {
		return err
	}
	if in.File != p.stdin {
		defer in.Close()
	}
	defer in.stoppable()()
	to := target{path: c.Output, mode: in.mode()}
	if what == decrypting { // plaintext must not inherit the mode of a message that others may read
		to = target{path: c.Output, mode: 0o600, keep: true}
	}
	outs, err := p.create(c.Force, to)
	if err != nil {
		return err
	}
	defer outs.discard()
	out := outs.list[0]
	out.textOnly = what == decrypting && c.Output == "" && p.terminal()
	work, err := prepare(in)
	if err != nil {
		return err
	}
	in.bar = p.progress(c.Progress, what, in.size(), true)
	err = work(in, out)
	in.bar.stop()
	if err != nil {
		return err
	}
	return outs.commit()
}
