package main

import (
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
)

type manCmd struct{}

func (manCmd) Help() string {
	return `Prints the help for all verbs as a manual page, in the format of man.

Examples:

    cipherlane man > cipherlane.1    # into /usr/local/share/man/man1
    man -l cipherlane.1`
}

func (manCmd) Run(p *cli.Program, k *kong.Kong) error {
	manual(p.Stdout, k.Model.Node, description)
	return nil
}

// manual writes the manual page.
func manual(w io.Writer, program *kong.Node, about string) {
	name := program.Name
	fmt.Fprintf(w, ".TH %s 1 \"\" cipherlane \"User Commands\"\n.nh\n.ad l\n", strings.ToUpper(name))
	fmt.Fprintf(w, ".SH NAME\n%s \\- cryptography with several implementations of each algorithm\n", name)
	fmt.Fprintf(w, ".SH SYNOPSIS\n.B %s\n.I verb\n.RI [ options ]\n.RI [ arguments ]\n", name)
	fmt.Fprint(w, ".SH DESCRIPTION\n")
	manualText(w, about)
	fmt.Fprint(w, ".PP\nThese options apply to all verbs:\n")
	manualFlags(w, program)
	fmt.Fprint(w, ".SH VERBS\n")
	for _, v := range verbsOf(program)[1:] {
		fmt.Fprintf(w, ".SS %s\n.PP\n%s\n", roff(v.path), roff(v.node.Help))
		if len(v.node.Children) == 0 {
			fmt.Fprintf(w, ".PP\n.B %s\n", roff(name+" "+v.path+strings.TrimPrefix(v.node.Summary(), v.path)))
		}
		manualText(w, v.node.Detail)
		for _, arg := range v.node.Positional {
			fmt.Fprintf(w, ".TP\n.I %s\n%s\n", roff(arg.Name), roff(arg.Help))
		}
		manualFlags(w, v.node)
	}
	fmt.Fprint(w, ".SH EXIT STATUS\n")
	for code, meaning := range exitCodes {
		fmt.Fprintf(w, ".TP\n.B %d\n%s\n", code, roff(meaning))
	}
}

// manualFlags writes the options of one node.
func manualFlags(w io.Writer, node *kong.Node) {
	for _, f := range node.Flags {
		if f.Hidden || node.Type == kong.CommandNode && f.Name == "help" {
			continue
		}
		spelled := spellings(f)
		for i, s := range spelled {
			spelled[i] = `\fB` + roff(s) + `\fR`
		}
		value := ""
		if !f.IsBool() {
			value = `=\fI` + roff(f.FormatPlaceHolder()) + `\fR`
		}
		fmt.Fprintf(w, ".TP\n%s%s\n%s\n", strings.Join(spelled[1:], "")+map[bool]string{true: ", "}[len(spelled) > 1]+spelled[0], value, roff(f.Help))
	}
}

// manualText writes paragraphs; indented ones are written verbatim.
func manualText(w io.Writer, text string) {
	for paragraph := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		if paragraph == "" {
			continue
		}
		if example := strings.TrimPrefix(paragraph, "    "); example != paragraph {
			fmt.Fprintf(w, ".PP\n.RS 4\n.nf\n%s\n.fi\n.RE\n", roff(strings.ReplaceAll(example, "\n    ", "\n")))
			continue
		}
		fmt.Fprintf(w, ".PP\n%s\n", roff(paragraph))
	}
}

var control = regexp.MustCompile(`(?m)^[.']`)

// roff escapes text for roff. It escapes hyphens so that options can be copied from the
// screen.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`).Replace(s)
	s = control.ReplaceAllString(s, `\&$0`)
	var b strings.Builder
	for _, r := range s {
		if r < 0x80 {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, `\[u%04X]`, r)
		}
	}
	return b.String()
}
