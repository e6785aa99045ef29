package main

import (
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/clitest"
)

// TestMistakes has command lines as people get them wrong, and what they are told. Every error is
// one short line, with the exit code for usage.
func TestMistakes(t *testing.T) {
	for args, want := range map[string]string{
		"verify":                   `verify: no such command, did you mean "sm2 verify" or "hash --check"? there are list, speed, tune`,
		"bench":                    `bench: no such command, did you mean "speed"? there are list`,
		"encap x":                  `encap: no such command, did you mean "kem encap"? there are list`,
		"encyrpt":                  `encyrpt: no such command, did you mean "encrypt"? there are list`,
		"frobnicate -x":            "frobnicate: no such command; there are list",
		"help frobnicate":          "frobnicate: no such command; there are list",
		"sm2 wrap":                 "wrap: no such command; there are keygen, pubkey, sign, verify, cert, encrypt, decrypt (see cipherlane sm2 --help)",
		"kem sgin":                 "sgin: no such command; there are keygen, encap, decap, pubkey (see cipherlane kem --help)",
		"encrypt a b":              "unexpected argument b (see cipherlane encrypt --help)",
		"cipher aes-gcm":           "aes-gcm: authenticates, and its messages are not raw; \"cipherlane encrypt --key-file FILE\"",
		"cipher sm4-128-gcm":       "sm4-128-gcm: authenticates",
		"cipher chacha20-poly1305": "chacha20-poly1305: authenticates",
		"cipher sm3":               "sm3: does not encrypt; \"cipherlane hash\"",
		"cipher sm4-cmac":          "sm4-cmac: does not encrypt; \"cipherlane hash\"",
		"cipher sm2":               "sm2: \"cipherlane sm2 encrypt\" encrypts short messages",
		"cipher frodokem-976-aes":  "frodokem-976-aes: \"cipherlane kem\" establishes keys",
		"cipher aes-kw":            "aes-kw: is not for messages",
		"cipher nosuch":            "nosuch: no such algorithm (known: sm4-ecb, sm4-cbc",
		"encrypt -j x":             `--jobs: want a whole number, not "x"`,
		"speed --seconds x":        `--seconds: want a number, not "x"`,
		"list nosuch":              `nosuch: no such algorithm ("cipherlane list" shows all)`,
		"list sm4 aes-gmc":         `aes-gmc: no such algorithm, did you mean "aes-gcm"? ("cipherlane list" shows all)`,
		"doctor nosuch":            "nosuch: no such algorithm (\"cipherlane list\"",
		"selftest nosuch":          "nosuch: no such algorithm (\"cipherlane list\"",
		"speed nosuch":             "nosuch: no such algorithm (\"cipherlane list\"",
		"tune nosuch":              "nosuch: no such algorithm (\"cipherlane list\"",
	} {
		o := clitest.Call{}.Fails(t, cli.ExitUsage, "cipherlane: "+want, strings.Fields(args)...)
		if len(o.Stderr) > 300 {
			t.Errorf("%s: %d bytes of error", args, len(o.Stderr))
		}
	}
}

// TestListNames: what Linux does not have, it has no name for.
func TestListNames(t *testing.T) {
	out := clitest.Call{}.OK(t, "list")
	for name, linux := range map[string]string{"frodokem-976-aes": "none", "sm2": "none", "sm4-hctr": "none", "aes-gcm-siv": "none", "sm4-siv": "none", "sm4-gcm": "gcm(sm4)", "chacha20-poly1305": "rfc7539(chacha20,poly1305)"} {
		found := false
		for line := range strings.Lines(out) {
			if fields := strings.Fields(line); len(fields) > 1 && fields[0] == name && fields[1] == linux {
				found = true
			}
		}
		if !found {
			t.Errorf("%s is not listed with %s in Linux", name, linux)
		}
	}
}
