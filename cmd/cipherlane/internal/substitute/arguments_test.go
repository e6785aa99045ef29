package substitute

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/clitest"
)

// TestGoFlagNames compares the lists of flags with the go command in use: with its source, in
// which all names are, and with what it says of each.
func TestGoFlagNames(t *testing.T) {
	if testing.Short() {
		t.Skip("calls the go command 600 times")
	}
	root := strings.TrimSpace(goCommand(t, "", nil, "env", "GOROOT"))
	defined := regexp.MustCompile(`(?:[fF]lags?|cf)\.(?:Var|Bool|BoolVar|String|StringVar|Int|IntVar|DurationVar|Func)\([^"\n]*"([\w-]+)"`)
	names := map[string]bool{}
	for _, dir := range []string{"base", "list", "run", "test", "vet", "work"} {
		files, err := filepath.Glob(filepath.Join(root, "src/cmd/go/internal", dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Skip("there is no source of the go command: ", err)
		}
		for _, file := range files {
			for _, m := range defined.FindAllStringSubmatch(string(clitest.Read(t, file)), -1) {
				names[m[1]] = true
			}
		}
	}
	for _, list := range append([]goFlags{buildFlags, testedFlags}, verbFlags["list"], verbFlags["run"], verbFlags["vet"], verbFlags["test"]) {
		for _, name := range append(slices.Clone(list.switches), list.values...) {
			if name != "vettool" && !names[name] {
				t.Errorf("-%s: is not in the source of the go command", name)
			}
		}
	}
	names["vettool"] = true
	if len(names) < 80 {
		t.Fatalf("only %d names", len(names))
	}
	for _, verb := range []string{"build", "install", "list", "run", "test", "vet"} {
		for name := range names {
			for _, name := range []string{name, "test." + name} {
				if verb != "test" && strings.HasPrefix(name, "test.") {
					continue
				}
				exists, takes := flagKind(verb, name)
				has, switched := theirKind(t, verb, name)
				switch {
				case has && !exists:
					t.Errorf("go %s -%s: not in the lists", verb, name)
				case has && takes == switched:
					t.Errorf("go %s -%s: takes the next argument: %v, want %v", verb, name, takes, !switched)
				case exists && !has && verb == "test":
					t.Errorf("go %s -%s: the go command does not have it", verb, name)
				}
			}
		}
	}
}

// theirKind asks the go command whether a verb has a flag, and whether that is a switch. The flag
// is the last argument, or has a value that no switch has, in a directory without packages.
func theirKind(t *testing.T, verb, name string) (has, switched bool) {
	t.Helper()
	say := func(arg string) string {
		cmd := exec.CommandContext(t.Context(), clitest.Tool(t, "go"), verb, arg)
		cmd.Dir = t.TempDir()
		cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
		out, _ := cmd.CombinedOutput()
		return string(out)
	}
	out := say("-" + name)
	switch {
	case strings.Contains(out, "flag needs an argument: -"+name), name == "vettool" && strings.Contains(out, "requires a filename"):
		return true, false
	case strings.Contains(out, "flag provided but not defined: -"+name):
		return false, false
	case verb == "test": // flags that are not known are for the test program
		return strings.Contains(say("-"+name+"=!"), "invalid boolean value"), true
	}
	return true, true
}

func TestQuoted(t *testing.T) {
	for _, c := range []struct {
		flags string
		want  []string
	}{
		{"", nil},
		{" \t\n", nil},
		{"-v  -tags=a,b\n", []string{"-v", "-tags=a,b"}},
		{"'-tags=a b' \"-ldflags=-X 'p.v=w'\"", []string{"-tags=a b", "-ldflags=-X 'p.v=w'"}},
		{"'-a''-b' -x=\"y z\"", []string{"-a", "-b", "-x=\"y", "z\""}},
		{"-x=it's", []string{"-x=it's"}},
		{"''", []string{""}},
	} {
		got, err := splitQuoted(c.flags)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%q: got %q, %v, want %q", c.flags, got, err, c.want)
		}
		if resplit, err := splitQuoted(joinQuoted(got)); err != nil || !slices.Equal(resplit, got) {
			t.Errorf("%q, joined %q, split again %q, %v", got, joinQuoted(got), resplit, err)
		}
	}
	for _, flags := range []string{"'-v", "-v \"-tags=a b", "''\""} {
		if got, err := splitQuoted(flags); err == nil {
			t.Errorf("%q: got %q", flags, got)
		}
	}
	for flags, want := range map[string]string{
		"-trimpath -mod=vendor -v":              "-trimpath -v -mod=readonly",
		"'-mod=mod'":                            "-mod=readonly",
		"\"--mod=vendor\" '-ldflags=-mod=x -s'": "'-ldflags=-mod=x -s' -mod=readonly",
	} {
		if got, changed, err := inWorkspace(flags); got != want || !changed || err != nil {
			t.Errorf("%q: got %q, %v, %v, want %q", flags, got, changed, err, want)
		}
	}
	for _, flags := range []string{"", "-v", "'-ldflags=-s -mod=x'", "-ldflags=-modfile"} {
		if got, changed, err := inWorkspace(flags); changed || err != nil {
			t.Errorf("%q: got %q, %v", flags, got, err)
		}
	}
	if _, _, err := inWorkspace("'-modfile=other.mod' -v"); err == nil {
		t.Error("-modfile is no error")
	}
}

// TestParseGo: of arguments that only look like flags of the go command, nothing follows.
func TestParseGo(t *testing.T) {
	for _, c := range []struct{ args, chdir, noWorkspace string }{
		{"build|-C|/x|.", "/x", ""},
		{"test|--C=/x|.", "/x", ""},
		{"build|-v|-C|/x|.", "", ""}, // the go command rejects it
		{"run|.|-C|/x", "", ""},
		{"build|-mod=mod|.", "", "-mod"},
		{"build|-mod|vendor|.", "", "-mod"},
		{"build|-mod=readonly|.", "", ""},
		{"build|-modfile|x|.", "", "-modfile"},
		{"run|.|-mod=mod", "", ""},
		{"run|-exec|-mod=mod|.", "", ""},
		{"test|.|-args|-mod=mod", "", ""},
		{"test|.|-mod=mod", "", "-mod"},
		{"build|.|-mod=mod", "", ""}, // no package
		{"run|.|x@v1", "", ""},
		{"run|main.go|x@v1", "", ""},
		{"run|./x@v1", "", ""},
		{"run|/x@v1", "", ""},
		{"install|-ldflags|x@y|.", "", ""},
		{"build|x@v1", "", ""}, // the go command rejects it
		{"test|-run|x@v1|.", "", ""},
	} {
		call, err := parseGo(strings.Split(c.args, "|"))
		if err != nil || call.chdir != c.chdir || (call.noWorkspace == nil) != (c.noWorkspace == "") || call.noWorkspace != nil && !strings.Contains(call.noWorkspace.Error(), c.noWorkspace) || call.published != nil {
			t.Errorf("%s: %+v, %v", c.args, call, err)
		}
	}
	for args, want := range map[string]struct{ packages, plain string }{
		"run|x@v1|-mod=mod":         {"x@v1", "run|x|-mod=mod"},
		"run|.x@v1":                 {".x@v1", "run|.x"},
		"run|--|x@v1|y@v2":          {"x@v1", "run|--|x|y@v2"},
		"install|-tags|t@u|a@v|b@v": {"a@v|b@v", "install|-tags|t@u|a|b"},
	} {
		list := strings.Split(args, "|")
		call, err := parseGo(list)
		if err != nil || call.noWorkspace != nil || call.published == nil {
			t.Errorf("%s: %+v, %v", args, call, err)
			continue
		}
		if got := strings.Join(call.published.packages, "|"); got != want.packages {
			t.Errorf("%s: packages %s, want %s", args, got, want.packages)
		}
		list = slices.Insert(list, 1, "-tags=more")
		if got := strings.Join(call.published.arguments(list, call.behind), "|"); got != strings.Replace(want.plain, "|", "|-tags=more|", 1) {
			t.Errorf("%s: %s", args, got)
		}
	}
}
