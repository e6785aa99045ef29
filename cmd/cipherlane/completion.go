package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"One of bash, zsh, fish."`
}

func (completionCmd) Help() string {
	return `The script makes the shell complete verbs and options.

Examples:

    cipherlane completion bash > /etc/bash_completion.d/cipherlane   # as root
    cipherlane completion fish > ~/.config/fish/completions/cipherlane.fish
    source <(cipherlane completion zsh)    # in zsh`
}

func (c *completionCmd) Run(p *program, k *kong.Kong) error {
	verbs := verbsOf(k.Model)
	switch c.Shell {
	case "bash":
		bashCompletion(p.stdout, verbs)
	case "zsh":
		fmt.Fprintln(p.stdout, "autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit")
		bashCompletion(p.stdout, verbs)
	case "fish":
		fishCompletion(p.stdout, verbs)
	}
	return nil
}

// A verb is what completion knows of a subcommand.
type verb struct {
	name, help string
	flags      []*kong.Flag
	values     []string // to complete besides files
}

func verbsOf(m *kong.Application) []verb {
	var verbs []verb
	for _, node := range m.Children {
		v := verb{name: node.Name, help: node.Help}
		for _, flag := range slices.Concat(m.Flags, node.Flags) {
			if !flag.Hidden {
				v.flags = append(v.flags, flag)
			}
		}
		switch node.Name {
		case "list", "speed", "tune", "selftest", "doctor":
			all, _ := choose(nil)
			for _, a := range all {
				v.values = append(v.values, shellName(a))
			}
		case "cipher":
			v.values = strings.Split(modeNames(), ", ")
		case "go":
			v.values = goVerbs
		case "kem":
			v.values = kems()
		case "completion":
			v.values = node.Positional[0].EnumSlice()
		}
		for _, child := range node.Children {
			v.values = append(v.values, child.Name)
			for _, flag := range child.Flags {
				if !slices.ContainsFunc(v.flags, func(f *kong.Flag) bool { return f.Name == flag.Name }) {
					v.flags = append(v.flags, flag)
				}
			}
		}
		verbs = append(verbs, v)
	}
	return verbs
}

func bashCompletion(w io.Writer, verbs []verb) {
	var names []string
	for _, v := range verbs {
		names = append(names, v.name)
	}
	fmt.Fprintf(w, `_cipherlane() {
	local word=${COMP_WORDS[COMP_CWORD]} words=
	COMPREPLY=()
	if [ "$COMP_CWORD" -eq 1 ]; then
		words=%q
	else
		case ${COMP_WORDS[1]} in
`, strings.Join(names, " ")+" --help")
	for _, v := range verbs {
		words := slices.Clone(v.values)
		for _, f := range v.flags {
			words = append(words, "--"+f.Name)
		}
		fmt.Fprintf(w, "\t\t%s) words=%q ;;\n", v.name, strings.Join(words, " "))
	}
	fmt.Fprint(w, `		esac
	fi
	local reply
	while IFS= read -r reply; do
		COMPREPLY+=("$reply")
	done < <(compgen -W "$words" -- "$word")
}
complete -o default -F _cipherlane cipherlane
`)
}

func fishCompletion(w io.Writer, verbs []verb) {
	for _, v := range verbs {
		fmt.Fprintf(w, "complete -c cipherlane -f -n __fish_use_subcommand -a %s -d %s\n", v.name, fishQuote(v.help))
	}
	for _, v := range verbs {
		condition := fishQuote("__fish_seen_subcommand_from " + v.name)
		for _, f := range v.flags {
			option := " -l " + f.Name
			if f.Short != 0 {
				option += " -s " + string(f.Short)
			}
			if !f.IsBool() {
				option += " -r"
			}
			fmt.Fprintf(w, "complete -c cipherlane -n %s%s -d %s\n", condition, option, fishQuote(firstSentence(f.Help)))
		}
		if len(v.values) > 0 {
			fmt.Fprintf(w, "complete -c cipherlane -n %s -a %s\n", condition, fishQuote(strings.Join(v.values, " ")))
		}
	}
}

// fishQuote quotes a string for fish, where only \ and ' mean something
// between single quotes.
func fishQuote(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'"
}

func firstSentence(s string) string {
	s, _, _ = strings.Cut(s, ";")
	s, _, _ = strings.Cut(s, ". ")
	return strings.TrimSuffix(s, ".")
}
