package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Mistakes that only some platforms have are found there and nowhere else. Code that does not
// compile is an error, and a finding of an analyzer is a problem.
func TestCheck(t *testing.T) {
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "")
	files := map[string]string{
		"go.mod":     "module example.com/x\n\ngo 1.26\n",
		"x.go":       "// Package x is an example.\npackage x\n\nimport _ \"example.com/x/lock\"\n",
		"x_linux.go": "package x\n\nfunc linux() int { return other }\n\nconst other = 1\n",
		"lock/lock.go": "package lock\n\nimport \"sync\"\n\ntype L struct {\n\tsync.Mutex\n}\n\n" +
			"func Printf(format string, args ...any) {}\n",
		"lock/lock_test.go":        "package lock\n\nimport \"testing\"\n\nfunc TestL(t *testing.T) { t.Log(new(L).TryLock()) }\n",
		"kernel/kernel_arm64.go":   "package kernel\n\nfunc f(a, b uint64) (c uint64)\n",
		"kernel/kernel.go":         "package kernel\n",
		"kernel/kernel_arm64.s":    "TEXT ·f(SB), 4, $0-24\n\tMOVD a+0(FP), R0\n\tMOVD R0, c+16(FP)\n\tRET\n",
		"ci/tool/tool.go":          "package main\n\nfunc main() { nothing() }\n",
		"testdata/nothing/file.go": "does not compile",
	}
	for _, c := range []struct {
		name           string
		platform, tags string
		file, text     string
		want           string // in the error or in a problem
	}{
		{"nothing", "linux/arm64", "", "", "", ""},
		{"nothing for windows", "windows/amd64", "", "", "", ""},
		{"a type", "windows/amd64", "", "x_windows.go", "package x\n\nvar _ int = \"\"\n", "x_windows.go:3:13: cannot use"},
		{"a type of another platform", "linux/amd64", "", "x_windows.go", "package x\n\nvar _ int = \"\"\n", ""},
		{"a size", "linux/386", "", "size.go", "package x\n\nvar Size int = 1 << 40\n", "size.go:3:16"},
		{"a size that fits", "linux/arm64", "", "size.go", "package x\n\nvar Size int = 1 << 40\n", ""},
		{"no body", "linux/riscv64", "", "kernel/kernel_riscv64.go", "package kernel\n\nfunc f()\n", "f has no body"},
		{"an instruction", "linux/arm64", "", "kernel/kernel_arm64.s", "TEXT ·f(SB), 4, $0-24\n\tMOVD a+0(FP), R0\n\tVNOTHING V0.B16\n\tMOVD R0, c+16(FP)\n\tRET\n", `unrecognized instruction "VNOTHING"`},
		{"a frame", "linux/arm64", "", "kernel/kernel_arm64.go", "package kernel\n\nfunc f(a, b uint64) (c uint32)\n", "asmdecl"},
		{"an argument", "linux/arm64", "", "kernel/kernel_arm64.s", "TEXT ·f(SB), 4, $0-24\n\tMOVD b+0(FP), R0\n\tMOVD R0, c+16(FP)\n\tRET\n", "invalid offset b+0(FP)"},
		{"an argument of another platform", "linux/amd64", "", "kernel/kernel_arm64.s", "TEXT ·f(SB), 4, $0-24\n\tMOVD b+0(FP), R0\n\tRET\n", ""},
		{"a lock", "js/wasm", "", "x_js.go", "package x\n\nimport \"example.com/x/lock\"\n\nfunc f(l lock.L) {}\n", "x_js.go:5:10: f passes lock by value"},
		{"a format in a test", "freebsd/arm64", "", "x_test.go", "package x\n\nimport \"testing\"\n\nfunc TestX(t *testing.T) { t.Errorf(\"%d\", \"\") }\n", "x_test.go:5:38: (*testing.common).Errorf"},
		{"a test that does not compile", "freebsd/arm64", "", "lock/other_test.go", "package lock_test\n\nimport \"example.com/x/lock\"\n\nvar _ = lock.M{}\n", "lock.M"},
		{"a fact about a function of ours", "linux/arm", "", "x_arm.go", "package x\n\nimport \"example.com/x/say\"\n\nfunc f() { say.F(\"%d\", \"\") }\n", "x_arm.go:5:19: example.com/x/say.F format"},
		{"a tag", "linux/arm", "purego", "tag.go", "//go:build purego\n\npackage x\n\ntype T struct {\n\tA int `json:a`\n}\n", "structtag"},
		{"without the tag", "linux/arm", "", "tag.go", "//go:build purego\n\npackage x\n\ntype T struct {\n\tA int `json:a`\n}\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			put := func(name, text string) {
				name = filepath.Join(dir, name)
				if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			for name, text := range files {
				put(name, text)
			}
			put("say/say.go", "package say\n\nimport \"fmt\"\n\nfunc F(format string, args ...any) string { return fmt.Sprintf(format, args...) }\n")
			if c.file != "" {
				put(c.file, c.text)
			}
			goos, arch, _ := strings.Cut(c.platform, "/")
			p := newPlatform("example.com/x", goos, arch)
			err := p.check(dir, c.tags, "./...")
			found := strings.Join(p.problems, "\n")
			if err != nil {
				found += err.Error()
			}
			if c.want == "" && found != "" || !strings.Contains(found, c.want) {
				t.Errorf("found %q, want %q", found, c.want)
			}
			if p.checked["example.com/x"] == nil && err == nil {
				t.Error("nothing was checked")
			}
		})
	}
}
