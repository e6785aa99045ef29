package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func complete(t *testing.T, shell, script, words string) string {
	t.Helper()
	path := write(t, filepath.Join(t.TempDir(), "script"), []byte(script))
	code := map[string]string{
		"bash": `source "$0"; COMP_WORDS=($1); [ "${1: -1}" = " " ] && COMP_WORDS+=(""); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _cipherlane; printf '%s\n' "${COMPREPLY[@]}"`,
		"fish": `source $argv[1]; complete -C $argv[2] | string replace -r '\t.*' ''; true`,
	}[shell]
	cmd := exec.CommandContext(t.Context(), tool(t, shell), "-c", code, path, words)
	cmd.Dir = t.TempDir()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", shell, err, out)
	}
	return string(out)
}

func TestCompletion(t *testing.T) {
	for _, shell := range []string{"bash", "fish"} {
		t.Run(shell, func(t *testing.T) {
			script := call{}.ok(t, "completion", shell)
			for words, want := range map[string]string{
				"cipherlane ":           "encrypt",
				"cipherlane enc":        "encrypt",
				"cipherlane hash --al":  "--algorithm",
				"cipherlane hash --ig":  "--ignore-missing",
				"cipherlane cipher ":    "sm4-cbc",
				"cipherlane list sm":    "sm4-gcm",
				"cipherlane tune sm":    "sm4-gcm",
				"cipherlane tune --se":  "--seconds",
				"cipherlane kem enc":    "encap",
				"cipherlane kem --pub":  "--public",
				"cipherlane kem eF":     "eFrodoKEM-976-AES",
				"cipherlane list efro":  "efrodokem-976-aes",
				"cipherlane list s":     "sm2",
				"cipherlane sm2 ver":    "verify",
				"cipherlane sm2 --sig":  "--signature",
				"cipherlane completion": "completion",
			} {
				got := strings.Fields(complete(t, shell, script, words))
				if !strings.Contains(" "+strings.Join(got, " ")+" ", " "+want+" ") {
					t.Errorf("%q completes to %q, want %s among them", words, got, want)
				}
			}
			if got := complete(t, shell, script, "cipherlane encrypt --igno"); strings.TrimSpace(got) != "" {
				t.Errorf("an option that encrypt has not: %q", got)
			}
		})
	}
	t.Run("zsh", func(t *testing.T) {
		script := call{}.ok(t, "completion", "zsh")
		path := write(t, filepath.Join(t.TempDir(), "script"), []byte(script))
		cmd := exec.CommandContext(t.Context(), tool(t, "zsh"), "-f", "-c", `source "$1" && COMP_WORDS=(cipherlane dec) COMP_CWORD=1 && whence -w _cipherlane && print $_comps[cipherlane]`, "zsh", path)
		cmd.Env = append(cmd.Environ(), "HOME="+t.TempDir())
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "_cipherlane: function") || !strings.Contains(string(out), "_bash_complete") {
			t.Errorf("%v\n%s", err, out)
		}
	})
}
