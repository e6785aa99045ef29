package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tests are tables as peers/timing prints them.
const tests = `### sm4

| operation | generic | aesni-avx2 |
|---|---|---|
| gcm seal | 1.5 (3) | 2.5 (4) |
| gcm open | 1.7 (3) | 12.0 LEAK (4) |
| x | - | 1.0 (7) |

### chacha20

| operation | generic |
|---|---|
| x | 3.0 (1) |

### chacha20poly1305

| operation | generic |
|---|---|
| x | 2.0 (1) |
`

// source is a file with a table of drivers.
func source(rows string) string { return "package p\n\nvar rows = []Info{" + rows + "}\n" }

// tree makes a repository with two packages' worth of files, and a folder with results.
func tree(t *testing.T, timing string) (root, dir string) {
	t.Helper()
	root, dir = t.TempDir(), t.TempDir()
	put := func(name, text string) {
		name = filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, pkg := range []string{"internal/aescore", "internal/chachapoly", "frodokem", "internal/ghash", "internal/keccak", "sm2", "sm3", "sm4"} {
		put(pkg+"/drivers_none.go", source(`generic: {Name: "generic", Timing: timing}`))
		put(pkg+"/generic.go", "package p\n\nconst timing = \"logic\"\n")
	}
	put("sm4/drivers_amd64.go", source(`
	generic: {Name: "generic", Timing: timing},
	a: {Name: "aesni-avx2", Timing: "length"},
	b: {Name: "gfni-avx2", Timing: timingAMD64},
`)+"\nconst timingAMD64 = \"fixed\"\n")
	put("internal/aescore/drivers_ppc64le.go", source(`{Name: "std", Timing: timing}`))
	put("internal/chachapoly/drivers_386.go", source(`{Name: "sse2", Timing: timing}`))
	put(page, timing)
	return root, dir
}

func TestTable(t *testing.T) {
	root, dir := tree(t, "before\n"+begin+"| sm4 | gfni-avx2 | amd64 | another claim | - | yes | - | - | 7 of 8 |\n"+end+"after\n"+tests)
	results := func(name, text string) {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	results("secrets", "./sm4 TestSecretGeneric\n./internal/chachapoly TestSecretSeal/sse2\n")
	results("secrets.d/sm4-internal-amd64", "./sm4/internal/amd64 TestSecret/AESNIAVX2\n")
	results("secrets.d/aes", "./aes driver generic\n")
	results("compiled.d/sm4", `{"sm4": true}`)
	results("compiled.d/internal-aescore", `{"internal/aescore": false}`)
	if same, err := run(root, dir, false); same || err != nil {
		t.Errorf("another table: %v, %v", same, err)
	}
	read := func() string {
		b, err := os.ReadFile(filepath.Join(root, page))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	update := func(want ...string) {
		t.Helper()
		if same, err := run(root, dir, true); !same || err != nil {
			t.Fatalf("-write: %v, %v", same, err)
		}
		if same, err := run(root, dir, false); !same || err != nil {
			t.Errorf("after -write: %v, %v", same, err)
		}
		lines := strings.Split(read(), "\n")
		for _, line := range want {
			if !slices.Contains(lines, line) {
				t.Errorf("no line %q in\n%s", line, read())
			}
		}
	}
	update(
		"before", "after",
		"| package | driver | architecture | running time | valgrind | ctcheck | compiled | t | mutants |",
		"| sm4 | generic | all | logic | yes | - | yes | 1.7 | - |",
		"| sm4 | aesni-avx2 | amd64 | length | yes | - | - | 12.0 | - |",
		"| sm4 | gfni-avx2 | amd64 | fixed | - | yes | - | - | 7 of 8 |", // kept
		"| aes | generic | all | logic | yes | - | - | - | - |",
		"| aes | std | ppc64le | logic | - | - | - | - | - |",
		"| chachapoly | generic | all | logic | - | - | - | 3.0 | - |",
		"| chachapoly | sse2 | 386 | logic | - | - | - | - | - |", // valgrind runs amd64
	)

	results("ctcheck.d/sm4", `{"kernels": [{"arch": "amd64", "file": "sm4/internal/amd64/a_amd64.s"}, {"arch": "amd64", "file": "sm4/internal/amd64/b_amd64.s"}]}`)
	results("ctcheck", `{"kernels": [{"arch": "386", "file": "internal/chachapoly/internal/i386/a_386.s", "findings": [{"line": 1}]}]}`)
	results("mutants", `{"File": "sm4/internal/amd64/a_amd64.s", "Verdict": "killed"}
{"File": "sm4/internal/amd64/a_amd64.s", "Verdict": "survived"}
{"File": "sm4/internal/amd64/a_amd64.s", "Verdict": "equivalent"}
{"File": "sm4/generic.go", "Verdict": "timed out"}
`)
	update(
		"| sm4 | generic | all | logic | yes | - | yes | 1.7 | 1 of 1 |",
		"| sm4 | aesni-avx2 | amd64 | length | yes | yes | - | 12.0 | 1 of 2 |",
		"| sm4 | gfni-avx2 | amd64 | fixed | - | yes | - | - | 1 of 2 |",
		"| chachapoly | sse2 | 386 | logic | - | 1 findings | - | - | - |",
	)
}

func TestErrors(t *testing.T) {
	root, dir := tree(t, "no table\n")
	if _, err := run(root, dir, false); err == nil {
		t.Error("no error without a table")
	}
	root, dir = tree(t, begin+end)
	if _, err := run(root, dir, false); err == nil {
		t.Error("no error without tables of the statistical test")
	}
	root, dir = tree(t, begin+end+tests)
	for _, rows := range []string{`{Name: "a"}`, `{Name: "a", Timing: unknown}`} {
		file := filepath.Join(root, "sm3/drivers_arm.go")
		if err := os.WriteFile(file, []byte(source(rows)), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := run(root, dir, false); err == nil || !strings.Contains(err.Error(), "driver a ") {
			t.Errorf("%s: %v", rows, err)
		}
	}
	root, dir = tree(t, begin+end+tests)
	if err := os.WriteFile(filepath.Join(dir, "compiled"), []byte("nothing"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := run(root, dir, false); err == nil {
		t.Error("no error for a file that is not JSON")
	}
}

// ci/secrets.sh writes one file for each package, whoever else runs it at the same time. Its
// valgrind and go are programs of this test: package b leaks, and the tests of package c fail.
func TestScript(t *testing.T) {
	root, checks := t.TempDir(), t.TempDir()
	script, err := os.ReadFile("../secrets.sh")
	if err != nil {
		t.Fatal(err)
	}
	const test = "package p\n\nfunc TestSecretX(t *testing.T) {}\n"
	for name, text := range map[string]string{
		"go.mod": "module example.com/x\n", "ci/secrets.sh": string(script),
		"a/a/a_test.go": test, "b/b_test.go": test, "c/c_test.go": test, "d/d_test.go": "package p\n",
		"internal/ctgrind/ctgrind.go": "package ctgrind\n",
		"bin/go":                      "#!/bin/sh\nexit 0\n",
		"bin/valgrind": `#!/bin/sh
for argument; do
	case $argument in --log-file=*) log=${argument#*=} ;; esac
done
{
	case $PWD in
	*/b) echo '==1== Use of uninitialised value of size 8'; echo '==1==    at 0x1: example.com/x/b.f (b.go:1)' ;;
	*/ctgrind) for name in plant plantedBranch plantedLookup; do
		echo '==1== Conditional jump or move depends on uninitialised value(s)'; echo "==1==    at 0x1: example.com/x/internal/ctgrind.$name (x.go:1)"
	done ;;
	esac
} >"$log"
case $PWD in
*/c) echo '--- FAIL: TestSecretX (0.00s)'; exit 1 ;;
esac
echo '    a_test.go:1: driver generic'
echo '--- PASS: TestSecretX (0.00s)'
`,
	} {
		name = filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	secrets := func(arguments ...string) (string, bool) {
		cmd := exec.Command(filepath.Join(root, "ci/secrets.sh"), arguments...)
		cmd.Env = append(os.Environ(), "CHECKS="+checks, "PATH="+filepath.Join(root, "bin")+":"+os.Getenv("PATH"))
		out, err := cmd.CombinedOutput()
		return string(out), err == nil
	}
	if out, ok := secrets("-list"); !ok || out != "./a/a\n./b\n./c\n" {
		t.Errorf("-list: %v, %q", ok, out)
	}
	if out, ok := secrets("-planted"); ok || !strings.Contains(out, "should find the planted leaks") {
		t.Errorf("-planted, with a valgrind that finds others: %v, %q", ok, out)
	}
	if out, ok := secrets("-plant"); ok || !strings.Contains(out, "no option -plant") {
		t.Errorf("-plant: %v, %q", ok, out)
	}
	if out, ok := secrets(); ok || strings.Contains(out, "./b") {
		t.Errorf("all, although the test of the program fails: %v, %q", ok, out)
	}
	if out, ok := secrets("./a/a"); !ok || !strings.Contains(out, "no branch or address depends on a secret (1 tests)") {
		t.Errorf("a/a: %v, %q", ok, out)
	}
	if err := os.WriteFile(filepath.Join(checks, "secrets.d/b"), []byte("./b driver old\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, ok := secrets("./b", "./c"); ok || !strings.Contains(out, "./b: LEAK\nexample.com/x/b.f: Use") || !strings.Contains(out, "./c: the tests fail") {
		t.Errorf("b and c: %v, %q", ok, out)
	}
	files, err := filepath.Glob(filepath.Join(checks, "*/*"))
	if err != nil || len(files) != 1 || filepath.Base(files[0]) != "a-a" {
		t.Fatalf("files %q, %v", files, err)
	}
	if text, err := os.ReadFile(files[0]); err != nil || string(text) != "./a/a driver generic\n./a/a TestSecretX\n" {
		t.Errorf("a-a is %q, %v", text, err)
	}
}

// Every driver of the repository has a row of its own.
func TestDrivers(t *testing.T) {
	rows, err := drivers("../..")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, r := range rows {
		if seen[r.name()] {
			t.Errorf("two rows %s", r.name())
		}
		seen[r.name()] = true
		if r.cells[claim] == "" {
			t.Errorf("%s: nothing about its running time", r.name())
		}
	}
	for _, want := range []string{"aes | generic | all", "aes | vaes-avx512 | amd64", "aes | std | ppc64le", "chachapoly | rvv-zvkb | riscv64", "ghash | pclmulqdq | amd64", "sm4 | sm4ni-avx2 | amd64"} {
		if !seen[want] {
			t.Errorf("no row %s in %v", want, seen)
		}
	}
}

// The page has every driver, with the claim in the source.
func TestPage(t *testing.T) {
	if same, err := run("../..", t.TempDir(), false); !same || err != nil {
		t.Errorf("%v, %v: run go run ./ci/checks -write DIR", same, err)
	}
}
