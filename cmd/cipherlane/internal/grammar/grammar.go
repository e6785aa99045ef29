// Package grammar reads command lines with kong, from structs of verbs with their options, and runs
// the verb. It has what people are told about mistakes, above all about a word that is no verb.
package grammar

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
)

// Kong has the grammar in struct tags, the help texts and most errors: to replace it would take more
// code than it saves. But it finds methods by their names at run time, in Kong.Parse,
// Context.Validate and Context.Run. If one of them is in a program, the linker must keep all exported
// methods of all types: with Context.Validate of kong 1.17 the command has 11.4 MB, and without 10.2
// (linux/amd64, stripped). No hook avoids that call. So this file has the parts of these three
// functions that our verbs need, and nothing else of kong.

// New returns the parser for a struct of verbs, or for a verb alone. Variables are for help
// texts.
func New(p *cli.Program, verbs any, about string, variables kong.Vars) *kong.Kong {
	parser, err := kong.New(verbs,
		kong.Name(p.Name),
		kong.Description(about),
		kong.Writers(p.Stdout, p.Stderr),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: min(p.Width(), 90), NoExpandSubcommands: true}),
		variables,
		kong.KindMapper(reflect.String, kong.MapperFunc(decodeString)),
	)
	if err != nil {
		panic(err) // an error in a struct tag
	}
	return parser
}

// Run runs a command line and returns the exit code: it prints help or the version, or, after
// prepare, runs a verb.
func Run(p *cli.Program, parser *kong.Kong, args []string, version func(*cli.Program) error, prepare func(*kong.Context) error) int {
	ctx, printed, err := Parse(p, parser, args, version)
	switch {
	case printed:
	case err != nil:
		err = cli.AsUsage(fmt.Errorf("%w (see %s --help)", err, helpCommand(p.Name, ctx)))
	default:
		if err = prepare(ctx); err == nil {
			err = runVerb(p, parser, ctx)
		}
	}
	if e := p.Flush(); e != nil && (err == nil || errors.Is(err, cli.ErrReported)) {
		err = e
	}
	return p.Exit(err)
}

// A VersionFlag prints the version.
type VersionFlag bool

// Parse parses a command line, and prints help or the version if it asks for that: then there is
// nothing else to do. The context is not nil.
func Parse(p *cli.Program, parser *kong.Kong, args []string, version func(*cli.Program) error) (ctx *kong.Context, printed bool, err error) {
	ctx, err = kong.Trace(parser, args)
	if err == nil {
		err = ctx.Error
	}
	if err != nil {
		return ctx, false, plainly(parser, ctx, err)
	}
	for _, at := range ctx.Path {
		if at.Flag == nil {
			continue
		}
		if _, ok := at.Flag.Target.Interface().(VersionFlag); ok {
			return ctx, true, version(p)
		}
		if at.Flag == parser.Model.HelpFlag {
			return ctx, true, ctx.PrintUsage(false)
		}
	}
	if err = ctx.Reset(); err == nil { // to defaults
		if err = ctx.Resolve(); err == nil {
			_, err = ctx.Apply()
		}
	}
	if err == nil {
		err = check(ctx)
	}
	return ctx, false, err
}

// otherNames are words for what verbs do, in place of their names.
var otherNames = map[string][]string{
	"verify": {"hash --check"}, "check": {"hash --check"}, "bench": {"speed"}, "benchmark": {"speed"},
	"test": {"selftest"}, "checksum": {"hash"}, "digest": {"hash"}, "dgst": {"hash"}, "sum": {"hash"},
	"sm3": {"hash"}, "sm3sum": {"hash"}, "enc": {"encrypt", "cipher"}, "dec": {"decrypt"},
	"genkey": {"keygen"}, "generate": {"keygen"}, "info": {"doctor"}, "algorithms": {"list"},
	"frodokem": {"kem"}, "build": {"go build"},
}

// notNumber and notFraction are how Kong says it.
const notNumber = "expected a valid 64 bit int but got"

var notFraction = regexp.MustCompile(`expected a float but got (".*") \(string\)$`)

// plainly returns a better error for some of Kong's: above all, for a word in the place of a verb,
// which Kong takes for an argument.
func plainly(parser *kong.Kong, ctx *kong.Context, err error) error {
	if text := err.Error(); strings.Contains(text, notNumber) {
		return errors.New(strings.Replace(text, notNumber, "want a whole number, not", 1))
	} else if notFraction.MatchString(text) {
		return errors.New(notFraction.ReplaceAllString(text, "want a number, not $1"))
	}
	rest, ok := strings.CutPrefix(err.Error(), "unexpected argument ")
	node := selected(ctx)
	names := VerbNames(node)
	if !ok || len(names) == 0 {
		return err
	}
	word, meant, _ := strings.Cut(rest, ", did you mean ")
	var list []string
	if meant != "" {
		list = append(list, strings.Split(strings.TrimSuffix(meant, "?"), ", ")...)
	}
	if node == parser.Model.Node {
		for _, verb := range node.Children {
			if slices.Contains(VerbNames(verb), word) {
				list = append(list, strconv.Quote(verb.Name+" "+word))
			}
		}
		for _, other := range otherNames[word] {
			list = append(list, strconv.Quote(other))
		}
	}
	text := cli.Quote(word) + ": no such command"
	if list != nil {
		text += ", did you mean " + strings.Join(list, " or ") + "?"
	} else {
		text += ";"
	}
	return fmt.Errorf("%s there are %s", text, strings.Join(names, ", "))
}

// selected returns the verb of a command line, or the program itself if that has no verbs.
func selected(ctx *kong.Context) *kong.Node {
	if verb := ctx.Selected(); verb != nil {
		return verb
	}
	return ctx.Model.Node
}

// check returns an error if something is missing from a command line, or contradicts itself.
func check(ctx *kong.Context) error {
	for _, at := range ctx.Path {
		if at.App == nil && at.Command == nil {
			continue
		}
		node := at.Node()
		for _, v := range node.Values() {
			if err := checkEnum(v); err != nil {
				return err
			}
		}
		var missing []string
		groups := map[string]*kong.Flag{}
		for _, f := range node.Flags {
			if !f.Set {
				if f.Required {
					missing = append(missing, f.Summary())
				}
				continue
			}
			for _, group := range f.Xor {
				if other := groups[group]; other != nil {
					return fmt.Errorf("--%s and --%s can't be used together", other.Name, f.Name)
				}
				groups[group] = f
			}
		}
		if len(missing) > 0 {
			slices.Sort(missing)
			return fmt.Errorf("missing flags: %s", strings.Join(missing, ", "))
		}
	}
	return checkComplete(selected(ctx))
}

// checkEnum checks that a value is one of those that are listed, unless there is none.
func checkEnum(v *kong.Value) error {
	if v.Enum == "" || !v.Set && !v.HasDefault {
		return nil
	}
	value := fmt.Sprint(v.Target.Interface())
	all := v.EnumSlice()
	if slices.Contains(all, value) {
		return nil
	}
	for i := range all {
		all[i] = strconv.Quote(all[i])
	}
	return fmt.Errorf("%s must be one of %s but got %q", v.ShortSummary(), strings.Join(all, ","), value)
}

// checkComplete checks that a verb has its arguments, or its subverb.
func checkComplete(node *kong.Node) error {
	var arguments, missing []string
	for _, arg := range node.Positional {
		if arg.Required && !arg.Set {
			arguments = append(arguments, arg.Summary())
		}
	}
	if arguments != nil {
		missing = append(missing, strconv.Quote(strings.Join(arguments, " ")))
	}
	for _, name := range VerbNames(node) {
		missing = append(missing, strconv.Quote(name))
	}
	switch {
	case len(missing) == 0:
		return nil
	case len(missing) == 1:
		return fmt.Errorf("expected %s", missing[0])
	case len(missing) > 5:
		missing = append(missing[:5], "...")
	}
	return fmt.Errorf("expected one of %s", strings.Join(missing, ", "))
}

// runVerb runs the verb of a command line.
func runVerb(p *cli.Program, parser *kong.Kong, ctx *kong.Context) error {
	switch verb := selected(ctx).Target.Addr().Interface().(type) {
	case interface{ Run(*cli.Program) error }:
		return verb.Run(p)
	case interface {
		Run(*cli.Program, *kong.Kong) error
	}:
		return verb.Run(p, parser)
	default:
		panic("the verb does nothing: " + reflect.TypeOf(verb).String())
	}
}

// decodeString uses an argument unchanged. Kong's own decoder converts it to JSON and
// back, which corrupts file names that are not UTF-8.
func decodeString(ctx *kong.DecodeContext, target reflect.Value) error {
	token, err := ctx.Scan.PopValue("string")
	if err != nil {
		return err
	}
	// Usually an unset variable in a script, which must not mean "none".
	if token.String() == "" && !ctx.Value.Tag.Has("empty") {
		return errors.New("is empty")
	}
	target.SetString(token.String())
	return nil
}

// helpCommand returns the command that prints help for a command line that failed.
func helpCommand(name string, ctx *kong.Context) string {
	if verb := ctx.Selected(); verb != nil {
		return name + " " + verb.Path()
	}
	return name
}

// VerbNames returns the names of the verbs directly below a node.
func VerbNames(node *kong.Node) (names []string) {
	for _, child := range node.Children {
		if !child.Hidden {
			names = append(names, child.Name)
		}
	}
	return names
}
