//go:build linux

package main

import (
	"bytes"
	"context"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// A checkout is a folder with a repository of git, made for a test.
type checkout struct {
	t   *testing.T
	top string
}

// small is a module that tests change. See also planted.
var small = map[string]string{
	"go.mod":      planted["go.mod"],
	listed:        "# Nothing.\n",
	"p/p.go":      "package p\n\n// F is a function.\nfunc F(x int) int { return 2 * x }\n\nfunc G(x int) int { return 3 + x }\n\nvar limit = 5\n",
	"p/p_test.go": planted["p/p_test.go"],
	"k/k.go":      planted["k/k.go"],
	"k/k_amd64.s": "DATA t<>+0(SB)/8, $1\nDATA t<>+8(SB)/8, $2\n\n// Adds.\nTEXT ·Add(SB), NOSPLIT, $0-24\n\tADDQ BX, AX\n\tRET\n\nTEXT ·unused(SB), NOSPLIT, $0-16\n\tMOVQ AX, R9\n\tRET\n",
	"k/k_test.go": planted["k/k_test.go"],
}

// isolated makes git depend on nothing but the folder that it is in.
func isolated(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	for _, name := range []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY"} {
		t.Setenv(name, "") // restores it
		os.Unsetenv(name)
	}
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		t.Setenv("GIT_"+who+"_NAME", "A Tester")
		t.Setenv("GIT_"+who+"_EMAIL", "tester@example.com")
	}
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	t.Setenv("GOWORK", "off")
}

// newCheckout returns a repository with one commit, of small.
func newCheckout(t *testing.T) checkout {
	t.Helper()
	isolated(t)
	c := checkout{t, filepath.Join(t.TempDir(), "a folder")}
	write(t, c.top, small)
	c.git("init", "-q")
	c.git("symbolic-ref", "HEAD", "refs/heads/main")
	c.commit()
	return c
}

func (c checkout) git(args ...string) {
	c.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = c.top
	if output, err := cmd.CombinedOutput(); err != nil {
		c.t.Fatalf("git %v: %v\n%s", args, err, output)
	}
}

func (c checkout) commit() {
	c.t.Helper()
	c.git("add", "-A")
	c.git("commit", "-q", "--allow-empty", "-m", "a commit")
}

// edit replaces a text in a file.
func (c checkout) edit(name, old, text string) {
	c.t.Helper()
	file := filepath.Join(c.top, name)
	src := string(must(os.ReadFile(file)))
	if strings.Count(src, old) != 1 {
		c.t.Fatalf("%s has %q %d times", name, old, strings.Count(src, old))
	}
	write(c.t, c.top, map[string]string{name: strings.Replace(src, old, text, 1)})
}

// list returns what mutate -list prints.
func (c checkout) list(revision string, n int) string {
	c.t.Helper()
	var out bytes.Buffer
	o := options{n: n, seed: 1, parallel: 2, goarch: "amd64", sinceRevision: revision, list: true}
	if survivors, err := run(context.Background(), c.top, o, nil, &out); err != nil || survivors != 0 {
		c.t.Fatalf("-since %s: %d, %v", revision, survivors, err)
	}
	return out.String()
}

// drawn returns the functions that mutants are drawn from.
func (c checkout) drawn(revision string) []string {
	c.t.Helper()
	found := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^([kpq]/\S+ \S+)(?: #\d+)?\n-`).FindAllStringSubmatch(c.list(revision, 1000), -1) {
		found[m[1]] = true
	}
	return sorted(found)
}

// Mutants are drawn where something changed since a commit, and nowhere else.
func TestSince(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(checkout)
		want   []string
	}{
		{"a function", func(c checkout) { c.edit("p/p.go", "2 * x", "x * 2") }, []string{"p/p.go F"}},
		{"a variable", func(c checkout) { c.edit("p/p.go", "= 5", "= 6") }, []string{"p/p.go limit"}},
		{"a comment", func(c checkout) { c.edit("p/p.go", "is a function", "doubles") }, nil},
		{"white space", func(c checkout) { c.edit("p/p.go", "{ return 3 + x }", "{\n\treturn 3 + x\n}") }, nil},
		{"other lines", func(c checkout) { c.edit("p/p.go", "package p\n", "package p\n\n\n") }, nil},
		{"a test", func(c checkout) { c.edit("p/p_test.go", "!= 6", "!= 7") }, nil},
		{"a file", func(c checkout) {
			write(c.t, c.top, map[string]string{"p/new.go": "package p\n\nfunc H() int { return 7 }\n"})
		}, []string{"p/new.go H"}},
		{"a file in the index", func(c checkout) {
			write(c.t, c.top, map[string]string{"p/new.go": "package p\n\nfunc H() int { return 7 }\n"})
			c.git("add", "p/new.go")
		}, []string{"p/new.go H"}},
		{"a file that is ignored", func(c checkout) {
			write(c.t, c.top, map[string]string{"p/new.go": "package p\n\nfunc H() int { return 7 }\n", ".gitignore": "new.go\n"})
		}, nil},
		{"a file that is no longer in the index", func(c checkout) { c.git("rm", "-q", "--cached", "p/p.go"); c.edit("p/p.go", "3 + x", "x + 3") }, []string{"p/p.go G"}},
		{"a new package", func(c checkout) {
			write(c.t, c.top, map[string]string{"q/é.go": "package q\n\nfunc Q() int { return 7 }\n", "q/q_test.go": "package q\n"})
		}, []string{"q/é.go Q"}},
		{"a file with another name", func(c checkout) { c.git("mv", "p/p.go", "p/other.go"); c.edit("p/other.go", "= 5", "= 6") }, []string{"p/other.go limit"}},
		{"a copy", func(c checkout) {
			c.edit("p/p.go", "func G(", "func (t T) F(x int) int { return 2 * x }\n\ntype T int\n\nfunc G(")
		}, []string{"p/p.go F"}},
		{"a kernel", func(c checkout) { c.edit("k/k_amd64.s", "MOVQ AX, R9", "MOVQ AX, R8") }, []string{"k/k_amd64.s ·unused"}},
		{"data", func(c checkout) { c.edit("k/k_amd64.s", "$2", "$3") }, []string{"k/k_amd64.s t<>"}},
		{"a comment of a kernel", func(c checkout) { c.edit("k/k_amd64.s", "Adds.", "Adds two.") }, nil},
		{"how a kernel is aligned", func(c checkout) { c.edit("k/k_amd64.s", "\tADDQ BX, AX\n", "\tADDQ   BX, AX // adds\n") }, nil},
		{"both languages", func(c checkout) { c.edit("k/k_amd64.s", "ADDQ BX", "ADDQ CX"); c.edit("p/p.go", "3 + x", "4 + x") }, []string{"k/k_amd64.s ·Add", "p/p.go G"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := newCheckout(t)
			test.change(c)
			same(t, "before the commit", c.drawn("HEAD"), test.want...)
			before := c.list("HEAD", 5)
			c.commit()
			same(t, "of the commit", c.drawn("HEAD~1"), test.want...)
			if after := c.list("HEAD~1", 5); mutants(after) != mutants(before) {
				t.Errorf("before the commit\n%s\nand after it\n%s", before, after)
			}
			empty := regexp.MustCompile("^nothing drawn: no function of these packages changed since [0-9a-f]{12}, the merge base with HEAD\n$")
			if out := c.list("HEAD", 5); !empty.MatchString(out) {
				t.Errorf("after the commit: %s", out)
			}
		})
	}
}

// mutants is an output without its first line, which names a commit.
func mutants(output string) string {
	_, rest, _ := strings.Cut(output, "\n")
	return rest
}

// The same diff gives the same mutants, in another folder, with another history, and next
// to other changes.
func TestSinceIsDeterministic(t *testing.T) {
	change := func(c checkout) string {
		c.edit("p/p.go", "2 * x", "x*2 + x*7 - 3")
		c.edit("k/k_amd64.s", "ADDQ BX, AX", "ADDQ R10, R11\n\tSUBQ $17, R12\n\tXORQ R13, AX")
		return mutants(c.list("HEAD", 6))
	}
	a := newCheckout(t)
	want := change(a)
	if strings.Count(want, "survived") != 6 {
		t.Fatalf("%s", want)
	}
	for range 3 {
		if got := mutants(a.list("HEAD", 6)); got != want {
			t.Fatalf("%s\nthen\n%s", want, got)
		}
	}
	b := newCheckout(t)
	write(t, b.top, map[string]string{"r/r.go": "package r\n\nfunc R() int { return 1 }\n", "p/a.go": "package p\n\nfunc A() int { return 1 }\n"})
	b.commit()
	b.edit("p/p_test.go", "wrong", "bad")
	b.edit("p/p.go", "is a function", "is one")
	write(t, b.top, map[string]string{"r/r.go": "package r\n\nfunc R() int { return 2 }\n"}) // has no tests
	if got := change(b); got != want {
		t.Errorf("%s\nand elsewhere\n%s", want, got)
	}
	// Another diff is another draw.
	b.commit()
	drawnFrom := func(name string) string {
		write(t, b.top, map[string]string{"p/long.go": "package p\n\nfunc " + name + "(x int) {\n" + strings.Repeat("\tx++\n", 100) + "}\n"})
		return strings.Join(regexp.MustCompile(`p/long.go:\d+`).FindAllString(b.list("HEAD", 6), -1), " ")
	}
	if h, i := drawnFrom("H"), drawnFrom("I"); h == i || drawnFrom("H") != h {
		t.Errorf("drawn at %s for one diff, and at %s for another", h, i)
	}
}

// Code that no test runs is drawn, too: on another CPU tests may run it. Two runs test the same
// mutants, although several are tested at a time.
func TestSinceRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles programs for half a minute")
	}
	if runtime.GOARCH != "amd64" {
		t.Skip("the planted kernels are for amd64")
	}
	c := newCheckout(t)
	write(t, c.top, planted)
	draw := func() []string {
		t.Helper()
		var out bytes.Buffer
		o := options{n: 12, seed: 1, parallel: 2, memory: 1 << 10, timeout: 3e9, sinceRevision: "HEAD"}
		survivors, err := run(context.Background(), c.top, o, nil, &out)
		if err != nil {
			t.Fatalf("%v\n%s", err, out.Bytes())
		}
		list := regexp.MustCompile(`(?m)^\d+/12 (.*?) +[0-9.]+ s  (\S+ \w+)`).FindAllStringSubmatch(out.String(), -1)
		var found []string
		count := map[string]int{}
		for _, m := range list {
			found = append(found, m[2]) // without the verdict: killed or timed out may depend on load
			count[m[1]]++
		}
		if len(found) != 12 || count["not run"] < 1 || count["killed"] < 2 || count["survived"] != survivors {
			t.Fatalf("%v\n%s", count, out.Bytes())
		}
		slices.Sort(found)
		return found
	}
	same(t, "again", draw(), draw()...)
}

// The files that changed, as -changed prints them.
func TestChanged(t *testing.T) {
	c := newCheckout(t)
	printed := func() []string {
		t.Helper()
		var out bytes.Buffer
		if err := printChanged(repository{context.Background(), c.top}, upstream, &out); err != nil {
			t.Fatal(err)
		}
		return strings.Fields(out.String())
	}
	same(t, "one commit", printed())
	c.edit("p/p.go", "2 * x", "2 * x * x")
	c.commit()
	write(t, c.top, map[string]string{"new/note": "x"})
	same(t, "a commit, and a file", printed(), "new/note", "p/p.go")
}

// The branch that -since upstream compares with.
func TestUpstream(t *testing.T) {
	origin := newCheckout(t)
	var reason string
	expect := func(c checkout, what, wantBase string, want ...string) {
		t.Helper()
		same(t, what, c.drawn(upstream), want...)
		if reason = c.list(upstream, 1); !strings.Contains(reason, wantBase) {
			t.Errorf("%s: %s, want %s", what, reason, wantBase)
		}
	}
	expect(origin, "one commit", "nothing drawn: HEAD has no parent")
	origin.edit("p/p.go", "2 * x", "2 * x * x")
	origin.commit()
	expect(origin, "two commits", "the parent of HEAD", "p/p.go F")

	clone := func(args ...string) checkout {
		c := checkout{t, filepath.Join(t.TempDir(), "clone")}
		origin.git(slices.Concat([]string{"clone", "-q"}, args, []string{"file://" + origin.top, c.top})...)
		return c
	}
	c := clone()
	expect(c, "a fresh clone", "the parent of HEAD", "p/p.go F")
	c.edit("p/p.go", "3 + x", "4 + x")
	expect(c, "not committed", "the merge base with @{upstream}", "p/p.go G")
	c.commit()
	expect(c, "not pushed", "the merge base with @{upstream}", "p/p.go G")
	c.git("checkout", "-q", "-b", "other")
	c.edit("p/p.go", "= 5", "= 6")
	c.commit()
	expect(c, "a branch without upstream", "the merge base with origin/main", "p/p.go G", "p/p.go limit")
	c.git("checkout", "-q", "main")
	c.git("push", "-q", "origin", "main:pushed")
	c.git("branch", "-q", "-u", "origin/pushed")
	expect(c, "pushed", "the merge base with origin/main", "p/p.go G")

	c.git("checkout", "-q", "other")
	origin.commit()
	c.git("fetch", "-q")
	expect(c, "a branch that is behind origin/main", "the parent of HEAD", "p/p.go limit")

	c = clone("--depth", "1")
	expect(c, "a shallow clone", "nothing drawn: HEAD has no parent")
	c.edit("p/p.go", "3 + x", "4 + x")
	expect(c, "a change in a shallow clone", "the merge base with @{upstream}", "p/p.go G")
	c.git("checkout", "-q", "--detach")
	c.commit()
	expect(c, "a commit in a shallow clone", "the merge base with origin/main", "p/p.go G")

	var out bytes.Buffer
	for _, rev := range []string{"nosuch", "--all"} {
		if _, err := run(context.Background(), c.top, options{sinceRevision: rev}, nil, &out); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("-since %s: %v", rev, err)
		}
	}
	// An error says so, unless upstream was to be found.
	none := checkout{t, t.TempDir()}
	t.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(none.top))
	write(t, none.top, small)
	expect(none, "no repository", "nothing drawn: git rev-parse --git-dir: fatal: not a git repository")
	if _, err := run(context.Background(), none.top, options{sinceRevision: "HEAD"}, nil, &out); err == nil {
		t.Error("no repository, and no error")
	}
	none.git("init", "-q")
	expect(none, "no commit", "nothing drawn: this repository has no commit")
	t.Setenv("PATH", none.top)
	expect(none, "no git", "nothing drawn: exec: \"git\": executable file not found")
}

func TestSpend(t *testing.T) {
	newStratum := func(seed uint64, size, cost int) *stratum {
		return &stratum{seed: seed, cost: cost, sources: []*source{{drawn: make([]change, size)}}}
	}
	for _, test := range []struct {
		n      int
		strata []*stratum
		want   []int
	}{
		{20, []*stratum{newStratum(1, 100, 1)}, []int{20}},
		{20, []*stratum{newStratum(1, 7, 1)}, []int{7}},
		{20, []*stratum{newStratum(1, 100, 3)}, []int{6}},
		{20, []*stratum{newStratum(1, 100, 1), newStratum(2, 3, 1)}, []int{17, 3}},
		{20, []*stratum{newStratum(1, 100, 1), newStratum(2, 100, 3)}, []int{5, 5}},
		{20, []*stratum{newStratum(1, 100, 1), newStratum(2, 100, 20)}, []int{20, 0}},
		{2, []*stratum{newStratum(3, 9, 1), newStratum(1, 9, 1), newStratum(2, 9, 1)}, []int{0, 1, 1}},
		{2, []*stratum{newStratum(2, 9, 20), newStratum(1, 9, 3)}, []int{0, 1}},
		{0, []*stratum{newStratum(1, 9, 1)}, []int{0}},
	} {
		spend(test.strata, test.n)
		var got []int
		for _, s := range test.strata {
			got = append(got, s.quota)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%d: %v, want %v", test.n, got, test.want)
		}
	}
}

// The table of costs has folders of packages with tests, and packages of the command can be
// named.
func TestList(t *testing.T) {
	patterns := []string{"./cmd/cipherlane/internal/..."}
	for _, dir := range sorted(costs) {
		patterns = append(patterns, "./"+dir)
	}
	packages, err := list(context.Background(), "../..", options{}, patterns)
	if err != nil {
		t.Fatal(err)
	}
	want := slices.Sorted(maps.Keys(costs))
	for _, dir := range append(want, "cmd/cipherlane/internal/payload") {
		if p := packages[dir]; p == nil || !slices.Equal(p.tests, []string{dir}) {
			t.Errorf("%s: %+v", dir, p)
		} else if cost(p) != max(1, costs[dir]) {
			t.Errorf("%s costs %d", dir, cost(p))
		}
	}
	// They are tested for 32 bits, too.
	r := &runner{top: "../..", packages: packages}
	if narrow, err := r.with386(context.Background()); err != nil || narrow.packages["cmd/cipherlane/internal/payload"] == nil || narrow.packages["sm4"] == nil {
		t.Errorf("for 386: %+v, %v", narrow, err)
	}
}
