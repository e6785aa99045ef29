package substitute

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/clitest"
)

// A program from a module proxy, by its version: what runs is ours, the program's version stays
// in it, and nothing is left behind.
func TestGoPublished(t *testing.T) {
	c := newGoTest(t, goProgram)
	files := maps.Clone(goProgram)
	files["tool/main.go"] = strings.Replace(files["main.go"], "len(os.Args) > 1", "len(os.Args) > 100", 1) + `
func init() { fmt.Println(os.Args[1:]) }
`
	c.Env = append(c.Env, moduleProxy(t, "example.com/program", "v1.2.3", writeFiles(t, t.TempDir(), files), nil)...)
	c.Dir = writeFiles(t, t.TempDir(), map[string]string{"go.mod": "module example.com/other\n\ngo 1.24\n", "go.work": "go 1.24\n\nuse .\n"})
	bin := t.TempDir()
	c.Env = append(c.Env, "GOBIN="+bin)

	o := c.ours(t, "install", "-ldflags", "-s -w", "example.com/program@latest", "example.com/program/tool@latest")
	if !strings.Contains(o.Stderr, "cipherlane: example.com/program v1.2.3\n") {
		t.Errorf("%s", o.Stderr)
	}
	for _, name := range []string{"program", "tool"} {
		if got := goCommand(t, "", nil, "version", "-m", filepath.Join(bin, name)); !strings.Contains(got, "mod\texample.com/program\tv1.2.3\t") || !strings.Contains(got, "DefaultGODEBUG=panicnil=1") {
			t.Errorf("%s: %s", name, got)
		}
	}
	program := clitest.Call{Name: filepath.Join(bin, "program")}
	if got := program.RunProgram(t); got != goOurs {
		t.Errorf("printed %s", got)
	}
	work := c // another workspace does not matter, nor does a directory in no module
	work.Env = append(slices.Clone(c.Env), "GOWORK="+filepath.Join(c.Dir, "go.work"))
	work.Dir = writeFiles(t, t.TempDir(), map[string]string{"file": ""})
	work.ours(t, "install", "example.com/program/...@v1.2.3")
	if o := c.ours(t, "run", "example.com/program/tool@v1.2.3", "a@b", "-x"); o.Stdout != "[a@b -x]\n"+goOurs {
		t.Errorf("printed %s", o.Stdout)
	}
	c.refuses(t, 1, "v1.2.4", "install", "example.com/program@v1.2.4")

	// As the go command, which would build something else than in a copy of the program.
	files["go.mod"] += "\nreplace golang.org/x/sys => ./sys\n"
	c.Env = append(slices.Clone(c.Env), moduleProxy(t, "example.com/program", "v1.2.5", writeFiles(t, t.TempDir(), files), nil)...)
	c.refuses(t, 1, "replaces or excludes modules", "install", "example.com/program@v1.2.5")
}
