package substitute

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
)

// The flags of the verbs of the go command, from its source. TestGoFlagNames compares these
// lists with the go command in use.
var (
	buildFlags = goFlags{
		switches: strings.Fields("a asan buildvcs cover json linkshared modcacherw msan n race trimpath v work x"),
		values: strings.Fields(`C asmflags buildmode compiler covermode coverpkg debug-actiongraph debug-runtime-trace debug-trace
			gccgoflags gcflags installsuffix ldflags mod modfile overlay p pgo pkgdir tags toolexec`),
	}
	testedFlags = goFlags{ // the test program has these as well
		switches: strings.Fields("artifacts benchmem failfast fullpath short v"),
		values: strings.Fields(`bench benchtime blockprofile blockprofilerate count coverprofile cpu cpuprofile fuzz fuzzminimizetime
			fuzztime list memprofile memprofilerate mutexprofile mutexprofilefraction outputdir parallel run shuffle
			skip timeout trace`),
	}
	verbFlags = map[string]goFlags{
		"build":   {values: strings.Fields("o")},
		"install": {},
		"list":    {switches: strings.Fields("compiled deps e export find m retracted test u versions"), values: strings.Fields("f reuse")},
		"run":     {values: strings.Fields("exec")},
		"test":    {switches: append(strings.Fields("c"), testedFlags.switches...), values: append(strings.Fields("exec o vet"), testedFlags.values...)},
		"vet":     {switches: strings.Fields("diff fix"), values: strings.Fields("c vettool")}, // more flags are those of a tool
	}
)

// goFlags are names of flags: of those without a value unless there is a "=", and of those
// that take the next argument.
type goFlags struct{ switches, values []string }

// flagKind reports whether a verb of the go command has a flag, and whether that takes the next
// argument.
func flagKind(verb, name string) (exists, takes bool) {
	lists := []goFlags{buildFlags, verbFlags[verb]}
	if short, ok := strings.CutPrefix(name, "test."); ok && verb == "test" {
		name, lists = short, []goFlags{testedFlags}
	}
	for _, list := range lists {
		takes = takes || slices.Contains(list.values, name)
		exists = exists || takes || slices.Contains(list.switches, name)
	}
	return exists, takes
}

// A goCall is what this command needs to know of the arguments of the go command.
type goCall struct {
	chdir       string // of -C
	first       int    // where flags may be, behind the verb and -C
	noWorkspace error  // why there can be no workspace, if there cannot
	published   *published
	behind      int // how many arguments the first package of published and what follows are

	tags   int  // the argument with the value of the last -tags, or 0
	joined bool // it is "-tags=…"
}

// cutFlag takes an argument apart by the rules of package flag.
func cutFlag(arg string) (name, value string, joined, ok bool) {
	arg, ok = strings.CutPrefix(arg, "-")
	name, value, joined = strings.Cut(strings.TrimPrefix(arg, "-"), "=")
	return name, value, joined, ok && name != "" && name[0] != '-'
}

// parseGo reads arguments as the go command does: only "go test" has flags behind packages,
// and what follows the package of "go run" is the program's. If a flag is not known, what follows
// may be its value. It ends the flags then: the go command rejects it, or it is one of "go vet"
// that matters to nothing here.
func parseGo(args []string) (call goCall, err error) {
	if len(args) == 0 || !slices.Contains(Verbs, args[0]) {
		verb := "no verb"
		if len(args) > 0 {
			verb = cli.Quote(args[0])
		}
		return call, cli.Usagef("go: %s: want one of %s", verb, strings.Join(Verbs, ", "))
	}
	verb := args[0]
	call.first = 1
	if len(args) > 1 { // the go command looks for -C in this place only
		switch name, value, joined, _ := cutFlag(args[1]); {
		case name == "C" && joined:
			call.chdir, call.first = value, 2
		case name == "C" && len(args) > 2:
			call.chdir, call.first = args[2], 3
		}
	}
	var packages []string // and for run the program's arguments
	if verb == "test" {
		call.testFlags(args)
	} else {
		packages = call.flags(verb, args)
	}
	call.behind = len(packages)
	switch {
	case verb == "run" && len(packages) > 0 && !strings.HasSuffix(packages[0], ".go"):
		packages = packages[:1]
	case verb != "install":
		packages = nil
	}
	for _, arg := range packages {
		local := arg == "." || arg == ".." || strings.HasPrefix(arg, "./") || strings.HasPrefix(arg, "../")
		_, version, ok := strings.Cut(arg, "@")
		switch ok = ok && !local && !filepath.IsAbs(arg); {
		case ok && call.published == nil && arg == packages[0]:
			call.published = new(published)
			fallthrough
		case ok && call.published != nil && strings.HasSuffix(packages[0], "@"+version):
			call.published.packages = append(call.published.packages, arg)
		case ok || call.published != nil:
			return call, cli.Usagef("go %s %s: all packages must have the same version", verb, arg)
		}
	}
	return call, nil
}

// flag reads the flag at an index, and returns the index of the next argument. ok is false if the
// verb does not have this flag.
func (call *goCall) flag(verb string, args []string, i int) (next int, ok bool) {
	name, value, joined, _ := cutFlag(args[i])
	exists, takes := flagKind(verb, name)
	if !exists {
		return i, false
	}
	if takes && !joined {
		if i++; i == len(args) {
			return i, true // the go command complains
		}
		value = args[i]
	}
	switch {
	case name == "tags":
		call.tags, call.joined = i, joined
	case name == "modfile" || name == "mod" && value != "readonly":
		call.noWorkspace = cli.Usagef("go %s -%s: does not work in the workspace that this command creates", verb, name)
	}
	return i + 1, true
}

// flags reads the flags of any verb but test, and returns what is behind them.
func (call *goCall) flags(verb string, args []string) []string {
	for i := call.first; i < len(args); {
		if args[i] == "--" {
			return args[i+1:]
		}
		if _, _, _, ok := cutFlag(args[i]); !ok {
			return args[i:]
		}
		next, ok := call.flag(verb, args, i)
		if !ok {
			return nil
		}
		i = next
	}
	return nil
}

// testFlags reads the flags of "go test", which may be in front of packages and behind them.
// Flags of the test program may be there as well, each with a value behind it or without.
func (call *goCall) testFlags(args []string) {
	inList, pastList, mayBeValue := false, false, false
	for i := call.first; i < len(args); {
		name, _, joined, ok := cutFlag(args[i])
		switch {
		case args[i] == "--":
			return
		case !ok && pastList && !mayBeValue: // it and all that follows is for the test program
			return
		case !ok:
			inList, mayBeValue = !pastList, false
			i++
			continue
		}
		pastList, inList, mayBeValue = pastList || inList, false, false
		next, isFlag := call.flag("test", args, i)
		switch {
		case isFlag:
			i = next
		case !joined && slices.Contains(strings.Fields("args h help ?"), name):
			return
		default:
			pastList, mayBeValue = true, !joined
			i++
		}
	}
}

// splitQuoted splits the value of GOFLAGS: fields may be in single or double quotes, in which
// nothing has a meaning but the same quote.
func splitQuoted(s string) (fields []string, err error) {
	const space = " \t\n\r"
	for s = strings.TrimLeft(s, space); s != ""; s = strings.TrimLeft(s, space) {
		var field string
		if quote := s[:1]; quote == "'" || quote == `"` {
			var closed bool
			if field, s, closed = strings.Cut(s[1:], quote); !closed {
				return nil, fmt.Errorf("go: GOFLAGS: a quote %s is not closed", quote)
			}
		} else {
			end := strings.IndexAny(s, space)
			if end < 0 {
				end = len(s)
			}
			field, s = s[:end], s[end:]
		}
		fields = append(fields, field)
	}
	return fields, nil
}

// joinQuoted is the inverse of splitQuoted. No field that this returns needs a quote that it
// contains.
func joinQuoted(fields []string) string {
	var b strings.Builder
	for i, field := range fields {
		if i > 0 {
			b.WriteByte(' ')
		}
		quote := ""
		if field == "" || strings.ContainsAny(field, " \t\n\r") || strings.ContainsAny(field[:1], `'"`) {
			quote = "'"
			if strings.Contains(field, quote) {
				quote = `"`
			}
		}
		b.WriteString(quote + field + quote)
	}
	return b.String()
}
