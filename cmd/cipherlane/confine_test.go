package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// Every verb has a line in the table, and no line is of a verb that is gone. Its outputs are
// options that it has.
func TestConfinements(t *testing.T) {
	parser, err := kong.New(new(commands), variables())
	if err != nil {
		t.Fatal(err)
	}
	verbs := map[string]bool{}
	for _, leaf := range parser.Model.Leaves(false) {
		name := leaf.Path()
		verbs[name] = true
		c, ok := confinements[name]
		if !ok {
			t.Errorf("%s: not in the table", name)
		}
		has := map[string]bool{}
		for _, group := range leaf.AllFlags(false) {
			for _, f := range group {
				has[f.Name] = true
			}
		}
		for _, w := range append(slices.Clone(c.writes), c.plugins...) {
			if !has[w] {
				t.Errorf("%s: there is no option --%s", name, w)
			}
		}
		if has["output"] && c.promises != "" && len(c.writes) == 0 {
			t.Errorf("%s: its output cannot be written", name)
		}
		for word := range strings.FieldsSeq(c.promises) {
			// exec and proc would be more than these verbs need; an unknown one is an error.
			if !strings.Contains(" "+converting+" ", " "+word+" ") {
				t.Errorf("%s: promise %q", name, word)
			}
		}
		if c.promises != "" && !strings.HasPrefix(c.promises, "stdio ") {
			t.Errorf("%s: Go needs stdio", name)
		}
	}
	for name := range confinements {
		if !verbs[name] {
			t.Errorf("%s: in the table, but no verb", name)
		}
	}
}

func TestMayRun(t *testing.T) {
	for args, want := range map[string]bool{ // without a program that asks
		"encrypt --key-file k x": false, "encrypt -r y x": true, "encrypt -R y x": true, "encrypt -p x": false,
		"decrypt --key-file k x": false, "decrypt -i y x": true, "keygen": false, "hash x": false,
	} {
		parser, err := kong.New(new(commands), variables())
		if err != nil {
			t.Fatal(err)
		}
		ctx, err := parser.Parse(strings.Fields(args))
		if err != nil {
			t.Fatal(err)
		}
		for program, want := range map[string]bool{"": want, "askpass": args != "hash x"} {
			t.Setenv("CIPHERLANE_ASKPASS", program)
			if got := confinements[ctx.Selected().Path()].mayRun(ctx.Flags()); got != want {
				t.Errorf("%s with %q: %v", args, program, got)
			}
		}
	}
}

func TestUnveilings(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink("other/file", filepath.Join(dir, "link")); err != nil {
		t.Skip(err)
	}
	parser, err := kong.New(new(commands), variables())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ args, want string }{
		{"hash x", ""},
		{"decrypt --key-file k x", ""},
		{"decrypt --key-file k -o - x", ""},
		{"decrypt --key-file k -o y x", " {. rwc}"},
		{"decrypt --key-file k -o DIR/y x", " {DIR rwc}"},
		{"decrypt --key-file k -o DIR/link x", " {DIR rwc} {DIR/other rwc}"},
		{"decrypt --key-file k -o /dev/null x", " {/dev rwc} {/dev/null rw}"},
		{"kem keygen -o a --public DIR/b", " {. rwc} {DIR rwc}"},
		{"sm2 verify --public DIR/k --signature s x", ""},
	} {
		ctx, err := parser.Parse(strings.Fields(strings.ReplaceAll(c.args, "DIR", dir)))
		if err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprint(confinements[ctx.Selected().Path()].unveilings(ctx.Flags()))
		if want := "[{/ r} {/dev/tty rw} {/dev/null rw}" + strings.ReplaceAll(c.want, "DIR", dir) + "]"; got != want {
			t.Errorf("%s: got %s, want %s", c.args, got, want)
		}
	}
}
