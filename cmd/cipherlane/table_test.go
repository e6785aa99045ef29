package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/clitest"
)

// TestNarrow: the output of verbs fits a terminal without breaking words. Only a word
// that is longer than a line may extend beyond it.
func TestNarrow(t *testing.T) {
	show := func(columns int, args ...string) string {
		dir := t.TempDir()
		out, code := clitest.OnTerminal(t, dir, fmt.Sprintf("stty cols %d; $cipherlane %s 2>errors", columns, strings.Join(args, " ")))
		if code != 0 {
			errors, _ := os.ReadFile(filepath.Join(dir, "errors"))
			t.Fatalf("%q: exit code %d\n%s\n%s", args, code, out, errors)
		}
		return out
	}
	for _, args := range [][]string{
		{"list"}, {"list", "sm4"},
		{"speed", "sm3", "sm4-gcm", "sm2", "frodokem-640-aes", "--seconds", "0.01"},
		{"tune", "sm3", "chacha20", "sm2", "--seconds", "0.01"},
		{"tune", "--linux", "any", "sm4-cbc", "--seconds", "0.01"},
		{"selftest", "sm3", "-v"}, {"selftest", "sm3"},
		{"doctor"}, {"doctor", "--probe", "aes", "sm2"},
		{"version"},
	} {
		var before []string
		for _, columns := range []int{1000, 80, 40} {
			out := clitest.Escapes.ReplaceAllStringFunc(show(columns, args...), func(s string) string {
				if s == "\n" {
					return s
				}
				return ""
			})
			if strings.Contains(out, "…") {
				t.Errorf("%q on %d columns: something is cut off", args, columns)
			}
			for line := range strings.Lines(out) {
				line = strings.TrimSuffix(line, "\n")
				if utf8.RuneCountInString(line) > columns && strings.Contains(strings.TrimLeft(line, " *"), " ") {
					t.Errorf("%q: longer than %d columns: %q", args, columns, line)
				}
				if line != strings.TrimRight(line, " ") {
					t.Errorf("%q: blanks at the end: %q", args, line)
				}
			}
			words := regexp.MustCompile(`[A-Za-z][A-Za-z_-]+`).FindAllString(out, -1)
			for _, word := range words {
				if before != nil && args[0] != "tune" && !slices.Contains(before, word) {
					t.Errorf("%q on %d columns: %q is no word", args, columns, word)
				}
			}
			before = words
		}
	}
	if text := (clitest.Call{Env: []string{"COLUMNS=40"}}).OK(t, "list", "sm4"); !regexp.MustCompile(`(?m)^\* .*  selected: .*  \w.*$`).MatchString(text) {
		t.Errorf("not on a terminal, lines are folded:\n%s", text)
	}
	for _, columns := range []int{40, 80} {
		for _, v := range allVerbs(t) {
			for line := range strings.Lines(show(columns, append([]string{"help"}, strings.Fields(v.path)...)...)) {
				if line = strings.TrimRight(line, "\r\n"); strings.Contains(strings.TrimSpace(line), " ") && !strings.HasPrefix(line, "Usage: ") && utf8.RuneCountInString(line) > columns && !strings.HasPrefix(line, "    ") {
					t.Errorf("help %s on %d columns: %q", v.path, columns, line)
				}
			}
		}
	}
}
