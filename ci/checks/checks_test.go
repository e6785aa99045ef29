package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tree makes a repository with two packages' worth of files, and a folder with results.
func tree(t *testing.T, security string) (root, dir string) {
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
		put(pkg+"/drivers_none.go", "package p\n\tgeneric: {Name: \"generic\"},\n")
	}
	put("sm4/drivers_amd64.go", "package p\n\tgeneric: {Name: \"generic\"},\n\ta: {Name: \"aesni-avx2\"},\n\tb: {Name: \"gfni-avx2\"},\n")
	put("aes/std.go", "package p\n\tstd: {Name: \"std\"},\n")
	put("internal/chachapoly/drivers_386.go", "package p\n\tsse2: {Name: \"sse2\"},\n")
	put("docs/timing.md", "### sm4\n\n| operation | generic | aesni-avx2 |\n|---|---|---|\n| gcm seal | 1.5 (3) | 2.5 (4) |\n| gcm open | 1.7 (3) | 12.0 LEAK (4) |\n| x | - | 1.0 (7) |\n"+
		"\n### chacha20\n\n| operation | generic |\n|---|---|\n| x | 3.0 (1) |\n\n### chacha20poly1305\n\n| operation | generic |\n|---|---|\n| x | 2.0 (1) |\n")
	put("SECURITY.md", security)
	return root, dir
}

func TestTable(t *testing.T) {
	root, dir := tree(t, "before\n"+begin+"| sm4 | gfni-avx2 | amd64 | - | yes | - | - | 7 of 8 |\n"+end+"after\n")
	results := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	results("secrets", "./sm4 TestSecretGeneric\n./sm4/internal/amd64 TestSecret/AESNIAVX2\n./aes driver generic\n./internal/chachapoly TestSecretSeal/sse2\n")
	results("compiled", `{"sm4": true, "internal/aescore": false}`)
	if same, err := run(root, dir, false); same || err != nil {
		t.Errorf("another table: %v, %v", same, err)
	}
	read := func() string {
		b, err := os.ReadFile(filepath.Join(root, "SECURITY.md"))
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
		"| package | driver | architecture | valgrind | ctcheck | compiled | t | mutants |",
		"| sm4 | generic | all | yes | - | yes | 1.7 | - |",
		"| sm4 | aesni-avx2 | amd64 | yes | - | - | 12.0 | - |",
		"| sm4 | gfni-avx2 | amd64 | - | yes | - | - | 7 of 8 |", // kept
		"| aes | generic | all | yes | - | - | - | - |",
		"| aes | std | ppc64le | - | - | - | - | - |",
		"| chachapoly | generic | all | - | - | - | 3.0 | - |",
		"| chachapoly | sse2 | 386 | - | - | - | - | - |", // valgrind runs amd64
	)

	results("ctcheck", `{"kernels": [{"arch": "amd64", "file": "sm4/internal/amd64/a_amd64.s"}, {"arch": "amd64", "file": "sm4/internal/amd64/b_amd64.s"},
		{"arch": "386", "file": "internal/chachapoly/internal/i386/a_386.s", "findings": [{"line": 1}]}]}`)
	results("mutants", `{"File": "sm4/internal/amd64/a_amd64.s", "Verdict": "killed"}
{"File": "sm4/internal/amd64/a_amd64.s", "Verdict": "survived"}
{"File": "sm4/internal/amd64/a_amd64.s", "Verdict": "equivalent"}
{"File": "sm4/generic.go", "Verdict": "timed out"}
`)
	update(
		"| sm4 | generic | all | yes | - | yes | 1.7 | 1 of 1 |",
		"| sm4 | aesni-avx2 | amd64 | yes | yes | - | 12.0 | 1 of 2 |",
		"| sm4 | gfni-avx2 | amd64 | - | yes | - | - | 1 of 2 |",
		"| chachapoly | sse2 | 386 | - | 1 findings | - | - | - |",
	)
}

func TestErrors(t *testing.T) {
	root, dir := tree(t, "no table\n")
	if _, err := run(root, dir, false); err == nil {
		t.Error("no error without a table")
	}
	root, dir = tree(t, begin+end)
	if err := os.WriteFile(filepath.Join(dir, "compiled"), []byte("nothing"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := run(root, dir, false); err == nil {
		t.Error("no error for a file that is not JSON")
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
	}
	for _, want := range []string{"aes | generic | all", "aes | vaes-avx512 | amd64", "aes | std | ppc64le", "chachapoly | rvv-zvkb | riscv64", "ghash | pclmulqdq | amd64", "sm4 | sm4ni-avx2 | amd64"} {
		if !seen[want] {
			t.Errorf("no row %s in %v", want, seen)
		}
	}
}
