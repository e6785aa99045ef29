//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		args  string
		whole bool
		tier  tier
		names string
		err   bool
	}{
		{"", false, change, strings.Join(steps(change), " "), false},
		{"quick", false, quick, strings.Join(steps(quick), " "), false},
		{"all", false, all, strings.Join(steps(all), " "), false},
		{"vet test", false, change, "vet test", false},
		{"vet", true, all, "vet", false},
		{"fuzz", false, all, "fuzz", false}, // is only there
		{"vat", false, 0, "", true},
		{"quick vet", false, 0, "", true},
	} {
		tier, names, err := parse(strings.Fields(c.args), c.whole)
		if (err != nil) != c.err || err == nil && (tier != c.tier || strings.Join(names, " ") != c.names) {
			t.Errorf("%q %v: %v %q, %v", c.args, c.whole, tier, names, err)
		}
	}
}

// Each step has a name of its own and says what it finds; those it waits for are before it.
func TestTable(t *testing.T) {
	var names []string
	for _, s := range table {
		if s.name == "" || s.finds == "" || slices.Contains(names, s.name) || s.tasks == nil && s.name != "install" {
			t.Errorf("step %q: no name, a name twice, or nothing to find or do", s.name)
		}
		for _, a := range s.after {
			if !slices.Contains(names, a) {
				t.Errorf("step %s: waits for %s, which is not before it", s.name, a)
			}
		}
		names = append(names, s.name)
	}
}

// CONTRIBUTING.md has the table.
func TestContributing(t *testing.T) {
	text, err := os.ReadFile("../../CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, s := range table {
		fmt.Fprintf(&b, "| `%s` | %v | %s |\n", s.name, s.tier, s.finds)
	}
	if !strings.Contains(string(text), b.String()) {
		t.Errorf("CONTRIBUTING.md must have these lines:\n%s", b.String())
	}
}

func TestReadmeTest(t *testing.T) {
	command, err := readmeTest("../..")
	if err != nil || len(command) < 3 || command[0] != "go" || command[1] != "test" {
		t.Errorf("%q, %v", command, err)
	}
}

func TestMachines(t *testing.T) {
	list, err := readMachines("../machines.txt")
	if err != nil || len(list) < 30 {
		t.Fatalf("%d machines, %v", len(list), err)
	}
	r := &runner{tier: change, top: "../..", oncePath: "once"}
	tasks, err := machines(r)
	if err != nil || len(tasks) != len(list) {
		t.Fatalf("%d tasks for %d machines, %v", len(tasks), len(list), err)
	}
	for i, m := range list {
		task := tasks[i]
		command := strings.Join(task.args, " ")
		if !strings.Contains(command, "once -exec "+m.emulator) && m.emulator != "" || !strings.Contains(command, "-exec once -exec") {
			t.Errorf("%s: %s", m.name, command)
		}
		skip := task.args[slices.Index(task.args, "-skip")+1]
		tests, drivers, ok := strings.Cut(skip, "|/")
		if !ok {
			t.Fatalf("%s skips %s", m.name, skip)
		}
		drivers, mixed, _ := strings.Cut(drivers, "|^")
		for _, pattern := range append(strings.Split(mixed, "$/"), tests, drivers) {
			if _, err := regexp.Compile(pattern); err != nil {
				t.Errorf("%s: %v", m.name, err)
			}
		}
		// No line skips a driver that it must run.
		for _, need := range m.need {
			_, driver, _ := strings.Cut(need, ":")
			if regexp.MustCompile(drivers).MatchString(driver) {
				t.Errorf("%s skips the driver %s", m.name, driver)
			}
		}
		for _, name := range []string{"TestFIPS", "TestVerifyFIPSOnly", "TestPrivileged"} { // which start processes
			if m.emulator != "" && !regexp.MustCompile("^("+m.skip(all)+")$").MatchString(name) {
				t.Errorf("%s runs %s", m.name, name)
			}
		}
		if regexp.MustCompile(m.skip(all)).MatchString("TestConformance") {
			t.Errorf("%s leaves out suites in the tier all", m.name)
		}
	}
	t.Setenv("MACHINES", "mips nosuch")
	if _, err := machines(r); err == nil {
		t.Error("a machine that is not in the file")
	}
}

// What machines leave out of aes and sm4 has the same name nowhere else.
func TestComposed(t *testing.T) {
	list, err := readMachines("../machines.txt")
	if err != nil {
		t.Fatal(err)
	}
	var packages []string
	for _, m := range list {
		packages = append(packages, m.packages...)
	}
	slices.Sort(packages)
	names := regexp.MustCompile(`(?m)^func (` + composed + `)\(`)
	found := map[string]bool{}
	for _, pkg := range slices.Compact(packages) {
		dir, tree := strings.CutSuffix(strings.TrimPrefix(pkg, "./"), "/...")
		err := filepath.WalkDir("../../"+dir, func(path string, d fs.DirEntry, err error) error {
			if os.IsNotExist(err) { // a flag of go test
				return nil
			}
			if err != nil {
				return err
			}
			if d.IsDir() && !tree && path != "../../"+dir {
				return fs.SkipDir
			}
			if !strings.HasSuffix(path, "_test.go") {
				return nil
			}
			text, err := os.ReadFile(path)
			for _, m := range names.FindAllSubmatch(text, -1) {
				if found[string(m[1])] = true; filepath.Dir(path) != "../../aes" && filepath.Dir(path) != "../../sm4" {
					t.Errorf("%s has %s, which many machines leave out", path, m[1])
				}
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
	for name := range strings.SplitSeq(composed, "|") {
		if !found[name] {
			t.Errorf("there is no %s", name)
		}
	}
}

// Kernels that only composed modes call are run: each driver that has one is on a line that tests
// these modes.
func TestComposedKernels(t *testing.T) {
	list, err := readMachines("../machines.txt")
	if err != nil {
		t.Fatal(err)
	}
	operation := regexp.MustCompile(`(?ms)^func (?:CBCMAC|CCM|CBCEncryptMany|cbcMACKernel|ccmKernel|counters|keyedBlocksKernel|encryptLanes)\(row .*?^}`)
	cases := regexp.MustCompile(`(?m)^\tcase (.*):$`)
	row := regexp.MustCompile(`(?m)^\t+(\w+):\s+\{Name: "([^"]+)"`)
	found := 0
	for pkg, dir := range map[string]string{"aes": "../../internal/aescore/", "sm4": "../../sm4/"} {
		for _, goarch := range []string{"arm", "arm64", "riscv64", "mipsx", "loong64"} { // amd64 runs here
			text, err := os.ReadFile(dir + "switch_" + goarch + ".go")
			if os.IsNotExist(err) {
				continue
			}
			tables, e := os.ReadFile(dir + "drivers_" + goarch + ".go")
			if err != nil || e != nil {
				t.Fatal(err, e)
			}
			names := map[string]string{}
			for _, m := range row.FindAllSubmatch(tables, -1) {
				names[string(m[1])] = string(m[2])
			}
			for _, body := range operation.FindAll(text, -1) {
				for _, m := range cases.FindAllSubmatch(body, -1) {
					for driver := range strings.SplitSeq(string(m[1]), ", ") {
						found++
						name := names[driver]
						if !slices.ContainsFunc(list, func(m machine) bool {
							return m.environment[0] == "GOARCH="+goarch && slices.Contains(m.need, pkg+":"+name) && !strings.Contains(m.skip(change), composed)
						}) {
							first, _, _ := strings.Cut(strings.TrimPrefix(string(body), "func "), "(")
							t.Errorf("%s: no machine that tests composed modes runs %s of %s:%s (%q)", goarch, first, pkg, name, driver)
						}
					}
				}
			}
		}
	}
	if found < 8 {
		t.Errorf("%d kernels", found)
	}
}

func fake(name string, tasks ...task) step {
	return step{name: name, finds: "x", tasks: func(*runner) ([]task, error) { return tasks, nil }}
}

// do returns a task that notes its name.
func do(name string, done *[]string, lock chan struct{}, err error) task {
	return task{name: name, do: func(context.Context, *bytes.Buffer) error {
		lock <- struct{}{}
		*done = append(*done, name)
		<-lock
		return err
	}}
}

func TestSchedule(t *testing.T) {
	defer func(old []step) { table = old }(table)
	var done []string
	lock := make(chan struct{}, 1)
	first := do("b", &done, lock, nil)
	first.after = "a"
	table = []step{
		fake("one", first, do("a", &done, lock, nil)),
		fake("two", do("c", &done, lock, nil)),
		{name: "three", finds: "x", after: []string{"one", "two"}, tasks: func(*runner) ([]task, error) {
			return []task{do("d", &done, lock, nil)}, nil
		}},
		fake("bad", do("e", &done, lock, errors.New("planted"))),
		{name: "worse", finds: "x", tasks: func(*runner) ([]task, error) { return nil, errors.New("planted") }},
	}
	r := &runner{tier: change, top: ".", start: time.Now(), out: logged{t}}
	if r.run(t.Context(), []string{"one", "two", "three"}) != true {
		t.Error("steps failed")
	}
	if slices.Index(done, "a") > slices.Index(done, "b") || done[len(done)-1] != "d" || len(done) != 4 {
		t.Errorf("order %q", done)
	}
	for _, name := range []string{"bad", "worse"} {
		if r.run(t.Context(), []string{"one", name}) {
			t.Errorf("%s passed", name)
		}
	}
}

// Steps that were interrupted neither passed nor failed, but one that failed before did.
func TestInterrupted(t *testing.T) {
	defer func(old []step) { table = old }(table)
	stop := func() {}
	one := func(name string, f func() error) task {
		return task{name: name, do: func(context.Context, *bytes.Buffer) error { return f() }}
	}
	single := one("killed", func() error { stop(); return errors.New("killed") })
	killed := single
	killed.after = "bad"
	table = []step{
		fake("good", one("good", func() error { return nil })),
		fake("both", one("bad", func() error { return errors.New("planted") }), killed),
		fake("cut", single),
		fake("later", one("never", func() error { t.Error("begun"); return nil })),
	}
	for i := range table[1:] {
		table[i+1].after = []string{"good", "both", "cut"}[:i+1]
	}
	for _, c := range []struct {
		names []string
		want  string
	}{
		{[]string{"good", "both", "later"}, "ci: 1 passed, 1 failed, 1 not run\n"},
		{[]string{"good", "both"}, "ci: 1 passed, 1 failed\n"},
		{[]string{"good", "cut", "later"}, "not all was run of: cut later\nci: 1 passed, 0 failed, 2 not run\n"},
	} {
		var out bytes.Buffer
		ctx, cancel := context.WithCancel(t.Context())
		stop = cancel
		r := &runner{tier: change, top: ".", start: time.Now(), out: &out}
		if r.run(ctx, c.names) || !strings.HasSuffix(out.String(), c.want) {
			t.Errorf("%q printed\n%s", c.names, out.String())
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out bytes.Buffer
	r := &runner{tier: change, top: ".", start: time.Now(), out: &out}
	if r.run(ctx, []string{"good"}) || !strings.HasSuffix(out.String(), "not all was run of: good\nci: 0 passed, 0 failed, 1 not run\n") {
		t.Errorf("printed\n%s", out.String())
	}
}

// Each step that ended in the tier all has a line in the file of results.
func TestResults(t *testing.T) {
	defer func(old []step) { table = old }(table)
	fails := false
	one := func(err func() error) task {
		return task{name: "it", do: func(context.Context, *bytes.Buffer) error { return err() }}
	}
	var cancel context.CancelFunc
	table = []step{
		fake("good", one(func() error { return nil })),
		fake("bad", one(func() error {
			if fails {
				return errors.New("planted")
			}
			return nil
		})),
		fake("cut", one(func() error { cancel(); return errors.New("killed") })),
	}
	top := t.TempDir()
	for _, args := range []string{"init -q", "-c user.name=x -c user.email=x commit -q --allow-empty -m x"} {
		if output, err := exec.Command("git", append([]string{"-C", top}, strings.Fields(args)...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", args, err, output)
		}
	}
	if err := os.Mkdir(filepath.Join(top, "ci"), 0o777); err != nil {
		t.Fatal(err)
	}
	run := func(tier tier, names ...string) string {
		var ctx context.Context
		ctx, cancel = context.WithCancel(t.Context())
		defer cancel()
		r := &runner{tier: tier, top: top, start: time.Now(), out: io.Discard}
		r.run(ctx, names)
		text, err := os.ReadFile(filepath.Join(top, resultsPath))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		var out strings.Builder
		printResults(&out, string(text))
		return out.String()
	}
	const passed = ` 20\d\d-\d\d-\d\d \| \w{12} \| .*, \d+ CPUs \| 0 s of CPU`
	const failed = `   FAILED: it \(20\d\d-\d\d-\d\d, \w{12}(-dirty)?\)\n`
	check := func(got, want string) {
		t.Helper()
		if !regexp.MustCompile("^" + want + "$").MatchString(got) {
			t.Errorf("got\n%swant %s", got, want)
		}
	}
	check(run(change, "good", "bad"), `good +never\nbad +never\ncut +never\n`)
	t.Setenv("MACHINES", "one") // not all of a step
	check(run(all, "good"), `good +never\nbad +never\ncut +never\n`)
	os.Unsetenv("MACHINES")
	fails = true
	check(run(all, "bad"), `good +never\nbad +never`+failed+`cut +never\n`)
	fails = false
	// The file of results itself is not in the commit yet.
	os.WriteFile(filepath.Join(top, ".git", "info", "exclude"), []byte(resultsPath), 0o666)
	check(run(all, "good", "bad", "cut"), `good +`+passed+`\nbad +`+passed+`\ncut +never\n`)
	fails = true
	check(run(all, "bad"), `good +`+passed+`\nbad +`+passed+failed+`cut +never\n`)
}

// The oldest version of Go in the step older is that of go.mod.
func TestOldestGo(t *testing.T) {
	text, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`(?m)^go (\d+\.\d+)\.0$`).FindSubmatch(text)
	if m == nil || !strings.HasPrefix(olderGo[0], "go"+string(m[1])+".") {
		t.Errorf("go.mod says %q, and the step older begins with %s", m, olderGo[0])
	}
}

// logged writes to the log of a test. Go 1.24 has no T.Output.
type logged struct{ t *testing.T }

func (l logged) Write(p []byte) (int, error) {
	l.t.Log(strings.TrimSuffix(string(p), "\n"))
	return len(p), nil
}

// The output of a command and its end reach the result.
func TestPerform(t *testing.T) {
	r := &runner{top: ".", work: t.TempDir(), out: logged{t}}
	s := &state{step: step{name: "s"}}
	x := &taskState{step: s, task: bash("x", `echo said; printf '{"Folder":"./a","Remembered":"2026-01-02"}\n{"Folder":"./b"}\n' >"$ONCE_REPORT"; printf 'ok  \t`+module+`/a\t0.1s\nok  \t`+module+`/b\t0.1s\n?   \tz\t[no test files]\n'; exit $STATUS`)}
	x.env = []string{"STATUS=3"}
	r.perform(t.Context(), x)
	r.finish(t.Context(), x)
	want := "said\nok  \t" + module + "/a\t0.1s (remembered, 2026-01-02)\nok  \t" + module + "/b\t0.1s\nfailed: s x: exit status 3\n"
	if x.output.String() != want || len(s.failed) != 1 || s.ran != 1 || s.remembered != 1 {
		t.Errorf("%q, failed %q, ran %d, remembered %d", x.output.String(), s.failed, s.ran, s.remembered)
	}
	x = &taskState{step: s, task: bash("x", "exit 0")}
	if r.perform(t.Context(), x); x.err != nil || x.executed != 1 {
		t.Errorf("%v, ran %d", x.err, x.executed)
	}
}
