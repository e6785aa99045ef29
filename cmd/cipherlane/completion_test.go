package main

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/clitest"
)

// complete returns what a shell offers for an unfinished line in a directory with the
// file bob.pem.
func complete(t *testing.T, shell, script, words string) string {
	t.Helper()
	dir := t.TempDir()
	path := clitest.Write(t, filepath.Join(dir, "_cipherlane"), []byte(script))
	work := t.TempDir()
	clitest.Write(t, filepath.Join(work, "bob.pem"), nil)
	code := map[string]string{
		"bash": `source "$1"; COMP_WORDS=($2); [ "${2: -1}" = " " ] && COMP_WORDS+=(""); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _cipherlane; printf '%s\n' "${COMPREPLY[@]}"`,
		"zsh":  zshComplete,
		"fish": `source $argv[2]; complete -C $argv[3] | string replace -r '\t.*' ''; true`,
	}[shell]
	args := []string{"-c", code, shell, path, words}
	if shell == "zsh" {
		args = append([]string{"-f"}, args...)
	}
	cmd := exec.CommandContext(t.Context(), clitest.Tool(t, shell), args...)
	cmd.Dir = work
	cmd.Env = append(cmd.Environ(), "HOME="+dir)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", shell, err, out)
	}
	return string(out)
}

// zshComplete calls the function as zsh does. The completion builtins only work in an
// interactive shell; the substitutes here print what they would offer.
const zshComplete = `compdef() { true }
source "$1"
words=(${(z)2}) PREFIX=
if [[ $2 == *" " ]]; then words+=(""); else PREFIX=$words[-1]; fi
CURRENT=$#words
compadd() { shift; for w; do [[ $w == $PREFIX* ]] && print -r -- $w; done; true }
compset() { PREFIX=${PREFIX#*=} }
_describe() { shift 2; for w in ${(P)1}; do [[ $w == $PREFIX* ]] && print -r -- ${w%%:*}; done; true }
_files() { print -rl -- $PREFIX*(N) }
_cipherlane; true`

var completions = map[string]string{
	"cipherlane ":                               "encrypt",
	"cipherlane enc":                            "encrypt",
	"cipherlane --ver":                          "--version",
	"cipherlane help sel":                       "selftest",
	"cipherlane hash --al":                      "--algorithm",
	"cipherlane hash -a sha2":                   "sha256",
	"cipherlane hash --ig":                      "--ignore-missing",
	"cipherlane cipher ":                        "sm4-cbc",
	"cipherlane list sm":                        "sm4-gcm",
	"cipherlane list efro":                      "efrodokem-976-aes",
	"cipherlane list s":                         "sm2",
	"cipherlane list frodok":                    "frodokem",
	"cipherlane speed --format ":                "bench",
	"cipherlane speed --driver gen":             "generic",
	"cipherlane go --only SM":                   "SM2",
	"cipherlane go --except git":                "github.com/emmansun/gmsm",
	"cipherlane tune sm":                        "sm4-gcm",
	"cipherlane tune --se":                      "--seconds",
	"cipherlane tune --linux en":                "engine",
	"cipherlane keygen --size ":                 "32",
	"cipherlane encrypt --alg aes":              "aes-256-gcm",
	"cipherlane kem enc":                        "encap",
	"cipherlane kem keygen --pub":               "--public",
	"cipherlane kem keygen --set eF":            "eFrodoKEM-976-AES",
	"cipherlane kem decap --raw --set FrodoKEM": "FrodoKEM-640-AES",
	"cipherlane sm2 ver":                        "verify",
	"cipherlane sm2 verify --sig":               "--signature",
	"cipherlane sm2 sign --key ":                "bob.pem",
	"cipherlane sm2 cert --issuer":              "--issuer-key",
	"cipherlane sm2 cert --new-key ":            "bob.pem",
	"cipherlane sm2 sign bob":                   "bob.pem",
	"cipherlane encrypt bob":                    "bob.pem",
	"cipherlane completion ":                    "zsh",
	"cipherlane go te":                          "test",
}

// not lists words that must not be offered.
var completionsNot = map[string]string{
	"cipherlane encrypt --igno":  "--ignore-missing",
	"cipherlane sm2 keygen --si": "--signature",
	"cipherlane kem encap --s":   "--seed",
	"cipherlane kem --pub":       "--public",
	"cipherlane list bob":        "bob.pem",
}

func TestCompletion(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish"} {
		t.Run(shell, func(t *testing.T) {
			script := clitest.Call{}.OK(t, "completion", shell)
			offers := func(words, want string) bool {
				got := strings.Fields(complete(t, shell, script, words))
				t.Logf("%q: %q", words, got)
				return slices.Contains(got, want)
			}
			for words, want := range completions {
				if !offers(words, want) {
					t.Errorf("%q: no %s", words, want)
				}
			}
			for words, not := range completionsNot {
				if offers(words, not) {
					t.Errorf("%q: %s", words, not)
				}
			}
			if words := "cipherlane speed --format=ta"; shell == "bash" && !offers("cipherlane speed --format = ta", "table") || shell == "zsh" && !offers(words, "table") || shell == "fish" && !offers(words, "--format=table") {
				t.Errorf("%q", words)
			}
		})
	}
}
