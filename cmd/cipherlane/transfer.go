package main

import "os"

// transferFlags are those of verbs that make one file or stream of another.
type transferFlags struct {
	Input    string `arg:"" optional:"" name:"file" help:"Input; default: standard input."`
	Output   string `short:"o" placeholder:"FILE" help:"Write to this file, which appears when it is complete; default: standard output."`
	Force    bool   `short:"f" help:"Replace the output file if there is one."`
	Progress string `enum:"auto,on,off" default:"auto" help:"Show progress on standard error: auto (on a terminal, after a second), on, off."`
}

// refuseTerminal returns an error if what is going to be encrypted would be
// shown to people.
func (c *transferFlags) refuseTerminal(p *program) error {
	if c.Output == "" && p.terminal() {
		return usagef("standard output: is a terminal, and the message is binary; use -o FILE, or -o - if you mean it")
	}
	return nil
}

// transfer opens input and output and has the work done. The output stays only
// if that succeeds.
func (c *transferFlags) transfer(p *program, what, keyFile string, work func(in *inputFile, out *output) error) error {
	in, err := p.open(c.Input)
	if err != nil {
		return err
	}
	defer in.Close()
	if err := c.refuseLoss(p, in, keyFile); err != nil {
		return err
	}
	out, err := p.create(c.Output, c.Force, in.mode())
	if err != nil {
		return err
	}
	defer out.discard()
	in.bar = p.progress(c.Progress, what, in.size(), true)
	err = work(in, out)
	in.bar.stop()
	if err != nil {
		return err
	}
	return out.commit()
}

// refuseLoss returns an error if the output would replace what is being read
// or, which nobody could decrypt, the key.
func (c *transferFlags) refuseLoss(p *program, in *inputFile, keyFile string) error {
	out, err := p.out.Stat()
	if c.Output != "" && c.Output != "-" {
		out, err = os.Stat(c.Output)
	}
	if err != nil || !out.Mode().IsRegular() {
		return nil // create says what is wrong, if anything is
	}
	if os.SameFile(in.info, out) {
		return usagef("%s: input and output are the same file", in.name)
	}
	if key, err := os.Stat(keyFile); err == nil && os.SameFile(key, out) {
		return usagef("%s: key and output are the same file", quote(keyFile))
	}
	return nil
}
