package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/_gen/files"
)

// The files of the repository are what the program writes.
func TestRepository(t *testing.T) {
	top, err := files.Root()
	if err != nil {
		t.Fatal(err)
	}
	if err := run(top, table, true); err != nil {
		t.Error(err)
	}
}

// A file that is missing, has changed or should not be there is noticed, and set right.
func TestCheck(t *testing.T) {
	top := t.TempDir()
	for _, l := range table {
		if err := os.MkdirAll(filepath.Join(top, l.Package), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	own := filepath.Join(top, "aes", "own.go")
	write := func(file, text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(own, "package aes\n")
	ccm, old := filepath.Join(top, "sm4", "ccm.go"), filepath.Join(top, "aes", "old.go")
	for _, change := range []func(){
		func() {},
		func() { os.Remove(ccm) },
		func() { write(ccm, "package sm4\n") },
		func() { write(old, string(written)+"\n") },
	} {
		change()
		if err := run(top, table, true); err == nil {
			t.Error("-check finds nothing")
		}
		if err := run(top, table, false); err != nil {
			t.Fatal(err)
		}
		if err := run(top, table, true); err != nil {
			t.Errorf("-check after writing: %v", err)
		}
	}
	if text, err := os.ReadFile(own); err != nil || string(text) != "package aes\n" {
		t.Errorf("a file that is written by hand: %q, %v", text, err)
	}
	if _, err := os.Stat(old); err == nil {
		t.Error("a file without a line is still there")
	}
}

func TestErrors(t *testing.T) {
	last := table[len(table)-1]
	for want, table := range map[string][]line{
		"has two lines":                       append(slices.Clone(table), last),
		"no cipher has the mode of many.tmpl": slices.DeleteFunc(slices.Clone(table), func(l line) bool { return l.Mode == "many" }),
		"none.tmpl":                           append(slices.Clone(table), line{Mode: "none", cipher: aes}),
	} {
		if _, err := generate(t.TempDir(), table); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one that says %q", err, want)
		}
	}
}

func TestWrapped(t *testing.T) {
	long := "// " + strings.Repeat("word ", 40) + "\n"
	got := wrapped(long + "// end.\n//\n//\tcode  code\n//go:noinline\nfunc f() {} // " + long + "\t" + long)
	for l := range strings.Lines(got) {
		if len(l) > columns+1 && !strings.HasPrefix(l, "func f()") && !strings.HasPrefix(l, "\t") {
			t.Errorf("%d columns: %s", len(l)-1, l)
		}
	}
	if got, want := strings.Join(strings.Fields(got), " "), "word word end. // // code code //go:noinline func f()"; !strings.Contains(got, want) {
		t.Errorf("%s\nwant %s", got, want)
	}
	if !bytes.Contains([]byte(got), []byte("\n//\n//\tcode  code\n//go:noinline\n")) || !strings.HasSuffix(got, "\t"+long) {
		t.Error(got)
	}
}

func TestSizes(t *testing.T) {
	for want, keys := range map[string][]int{"": nil, "16": {16}, "16 or 32": {16, 32}, "16, 24 or 32": {16, 24, 32}} {
		if got := (line{Keys: keys}).Sizes(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if got := (line{Keys: []int{16, 32}}).Wrong(); got != "len(key) != 16 && len(key) != 32" {
		t.Error(got)
	}
}
