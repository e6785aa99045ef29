package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/checksum"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/files"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/grammar"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/inventory"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/keys"
	"github.com/cipherlane/cipherlane/internal/drivers"
)

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"One of bash, zsh, fish."`
}

func (completionCmd) Help() string {
	return `The script completes verbs, options, option values and the names of algorithms. Write it
to the directory where the shell looks for completion scripts, or source it in the
startup file of the shell.

Examples:

    cipherlane completion bash > /etc/bash_completion.d/cipherlane   # as root
    cipherlane completion fish > ~/.config/fish/completions/cipherlane.fish
    source <(cipherlane completion zsh)    # in zsh`
}

func (c *completionCmd) Run(p *cli.Program, k *kong.Kong) error {
	verbs := verbsOf(k.Model.Node)
	switch c.Shell {
	case "bash":
		bashCompletion(p.Stdout, verbs)
	case "zsh":
		zshCompletion(p.Stdout, verbs)
	case "fish":
		fishCompletion(p.Stdout, verbs)
	}
	return nil
}

// A verb describes a verb, such as "kem keygen", for completion and the manual. The
// program itself has an empty path.
type verb struct {
	node   *kong.Node
	path   string
	flags  []*kong.Flag
	values []string // completions other than files
	files  bool
}

// verbsOf returns a node of the command line and all below it.
func verbsOf(node *kong.Node) []verb {
	v := verb{node: node}
	if node.Type == kong.CommandNode {
		v.path = node.Path()
	}
	for _, group := range node.AllFlags(true) {
		v.flags = append(v.flags, group...)
	}
	for _, arg := range node.Positional {
		switch arg.Name {
		case "alg":
			all, _ := inventory.Choose(nil)
			for _, a := range all {
				v.values = append(v.values, inventory.ShellName(a))
			}
			for _, t := range drivers.List() {
				if !slices.Contains(v.values, t.Package()) {
					v.values = append(v.values, t.Package())
				}
			}
		case "mode":
			v.values = strings.Split(files.ModeNames(), ", ")
		case "command":
			v.values = goVerbs()
		case "shell":
			v.values = arg.EnumSlice()
		case "verb":
			v.values = grammar.VerbNames(node.Parent)
		case "file":
			v.files = true
		}
	}
	v.values = append(v.values, grammar.VerbNames(node)...)
	list := []verb{v}
	for _, child := range node.Children {
		if !child.Hidden {
			list = append(list, verbsOf(child)...)
		}
	}
	return list
}

// flagValues returns the values to complete after a flag, or nil for files and for
// values that cannot be listed.
func flagValues(flag *kong.Flag) []string {
	if flag.Enum != "" {
		return flag.EnumSlice()
	}
	switch flag.Name {
	case "driver":
		var names []string
		for _, t := range drivers.List() {
			for _, d := range t.Drivers() {
				if !slices.Contains(names, d.Name) {
					names = append(names, d.Name)
				}
			}
		}
		return names
	case "only", "except":
		return goWords()
	case "set":
		return keys.KEMs()
	case "algorithm":
		return strings.Split(checksum.Names, ", ")
	case "type":
		return strings.Split(files.IdentityNames(), ", ")
	case "alg":
		return strings.Split(files.EncryptionNames(), ", ")
	}
	return nil
}

// spellings returns a flag as it is typed.
func spellings(flag *kong.Flag) []string {
	list := []string{"--" + flag.Name}
	if flag.Short != 0 {
		list = append(list, "-"+string(flag.Short))
	}
	return list
}

// groups returns the names of the verbs that have verbs of their own.
func groups(verbs []verb) (names []string) {
	for _, v := range verbs {
		if v.path != "" && len(v.node.Children) > 0 {
			names = append(names, v.path)
		}
	}
	return names
}

// shellCases writes the part of the script that bash and zsh share. $verb contains the
// verb, and $before the word before the one being completed.
func shellCases(w io.Writer, verbs []verb, flags func(io.Writer, verb)) {
	fmt.Fprint(w, "\tcase \"$verb $before\" in\n")
	for _, v := range verbs {
		var files []string
		for _, f := range v.flags {
			if f.IsBool() {
				continue
			}
			var cases []string
			for _, s := range spellings(f) {
				cases = append(cases, fmt.Sprintf("%q", v.path+" "+s))
			}
			if values := flagValues(f); values != nil {
				fmt.Fprintf(w, "\t%s) flags=() values=(%s) ;;\n", strings.Join(cases, "|"), strings.Join(values, " "))
			} else {
				files = append(files, cases...)
			}
		}
		if len(files) > 0 {
			fmt.Fprintf(w, "\t%s) flags=() values=() files=yes ;;\n", strings.Join(files, "|"))
		}
	}
	fmt.Fprint(w, "\t*)\n\t\tcase $verb in\n")
	for _, v := range verbs {
		fmt.Fprintf(w, "\t\t%q) values=(%s) files=%s\n", v.path, strings.Join(v.values, " "), map[bool]string{true: "yes", false: "no"}[v.files])
		flags(w, v)
		fmt.Fprint(w, "\t\t\t;;\n")
	}
	fmt.Fprint(w, "\t\tesac\n\tesac\n")
}

func bashCompletion(w io.Writer, verbs []verb) {
	fmt.Fprintf(w, `_cipherlane() {
	local word=${COMP_WORDS[COMP_CWORD]} before= verb= flags=() values=() files=no
	[ "$COMP_CWORD" -gt 1 ] && verb=${COMP_WORDS[1]}
	case $verb in
	%s) [ "$COMP_CWORD" -gt 2 ] && verb="$verb ${COMP_WORDS[2]}" ;;
	esac
	[ "$COMP_CWORD" -gt 0 ] && before=${COMP_WORDS[COMP_CWORD-1]}
	if [ "$word" = = ]; then # bash makes a word of it
		word=
	elif [ "$before" = = ]; then
		before=${COMP_WORDS[COMP_CWORD-2]}
	fi
`, strings.Join(groups(verbs), "|"))
	shellCases(w, verbs, func(w io.Writer, v verb) {
		var list []string
		for _, f := range v.flags {
			list = append(list, "--"+f.Name)
		}
		fmt.Fprintf(w, "\t\t\tflags=(%s)\n", strings.Join(list, " "))
	})
	fmt.Fprint(w, `	[ "${word:0:1}" = - ] && values=("${flags[@]}")
	COMPREPLY=()
	local reply
	while IFS= read -r reply; do
		COMPREPLY+=("$reply")
	done < <(compgen -W "${values[*]}" -- "$word")
	if [ "$files" = yes ]; then
		while IFS= read -r reply; do
			COMPREPLY+=("$reply")
		done < <(compgen -f -- "$word")
		compopt -o filenames 2>/dev/null
	fi
}
complete -F _cipherlane cipherlane
`)
}

func zshCompletion(w io.Writer, verbs []verb) {
	fmt.Fprintf(w, `#compdef cipherlane
_cipherlane() {
	local before= verb= files=no
	local -a flags values
	(( CURRENT > 2 )) && verb=$words[2]
	case $verb in
	%s) (( CURRENT > 3 )) && verb="$verb $words[3]" ;;
	esac
	before=$words[CURRENT-1]
	if [[ $PREFIX == --*=* ]]; then
		before=${PREFIX%%%%=*}
		compset -P '*='
	fi
`, strings.Join(groups(verbs), "|"))
	shellCases(w, verbs, func(w io.Writer, v verb) {
		fmt.Fprint(w, "\t\t\tflags=(")
		for _, f := range v.flags {
			fmt.Fprintf(w, " %s", shellQuote("--"+f.Name+":"+firstSentence(f.Help)))
		}
		fmt.Fprint(w, " )\n")
	})
	fmt.Fprint(w, `	if [[ $PREFIX == -* ]]; then
		_describe -o option flags
		return
	fi
	(( $#values )) && compadd -- $values
	[[ $files == yes ]] && _files
}
if [[ $funcstack[1] == _cipherlane ]]; then
	_cipherlane "$@"
else
	(( $+functions[compdef] )) || { autoload -U compinit && compinit }
	compdef _cipherlane cipherlane
fi
`)
}

func fishCompletion(w io.Writer, verbs []verb) {
	fmt.Fprintf(w, `function __cipherlane_at
	set -l words (commandline -opc)[2..]
	set -l verb $words[1]
	contains -- "$verb" %s; and set verb $words[1..2]
	test "$verb" = "$argv"
end
complete -c cipherlane -f
`, strings.Join(groups(verbs), " "))
	for _, v := range verbs {
		condition := shellQuote("__cipherlane_at " + v.path)
		for _, f := range v.flags {
			option := " -l " + f.Name
			if f.Short != 0 {
				option += " -s " + string(f.Short)
			}
			if values := flagValues(f); values != nil {
				option += " -x -a " + shellQuote(strings.Join(values, " "))
			} else if !f.IsBool() {
				option += " -r -F"
			}
			fmt.Fprintf(w, "complete -c cipherlane -n %s%s -d %s\n", condition, option, shellQuote(firstSentence(f.Help)))
		}
		values := v.values
		for _, child := range v.node.Children {
			if !child.Hidden {
				fmt.Fprintf(w, "complete -c cipherlane -n %s -a %s -d %s\n", condition, child.Name, shellQuote(firstSentence(child.Help)))
				values = slices.DeleteFunc(slices.Clone(values), func(s string) bool { return s == child.Name })
			}
		}
		if len(values) > 0 {
			fmt.Fprintf(w, "complete -c cipherlane -n %s -a %s\n", condition, shellQuote(strings.Join(values, " ")))
		}
		if v.files {
			fmt.Fprintf(w, "complete -c cipherlane -n %s -F\n", condition)
		}
	}
}

// shellQuote puts a string between single quotes for bash, zsh and fish. They escape
// quotes and backslashes differently, so shellQuote replaces them.
func shellQuote(s string) string {
	return "'" + strings.NewReplacer(`\`, "", `'`, "’").Replace(s) + "'"
}

func firstSentence(s string) string {
	s, _, _ = strings.Cut(s, ";")
	s, _, _ = strings.Cut(s, ". ")
	return strings.TrimSuffix(s, ".")
}
