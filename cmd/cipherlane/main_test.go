package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/clitest"
	"github.com/cipherlane/cipherlane/internal/drivers"
)

func TestMain(m *testing.M) {
	clitest.Main(m, func() int {
		main()
		return 0
	})
}

// verbs are valid command lines, at least one for every verb.
func workingCalls(t *testing.T) map[string][]string {
	dir := t.TempDir()
	key := clitest.Write(t, filepath.Join(dir, "key"), []byte(strings.Repeat("0123456789abcdef", 2)+"\n"))
	text := clitest.Write(t, filepath.Join(dir, "text"), []byte("hello\n"))
	message := filepath.Join(dir, "message")
	clitest.Call{}.OK(t, "encrypt", "--key-file", key, "-o", message, text)
	identity, aged := filepath.Join(dir, "identity"), filepath.Join(dir, "aged")
	clitest.Call{}.OK(t, "keygen", "-t", "x25519", "-o", identity, "--public", identity+".pub")
	clitest.Call{}.OK(t, "encrypt", "-R", identity+".pub", "-o", aged, text)
	other, both := filepath.Join(dir, "other"), filepath.Join(dir, "both")
	clitest.Call{}.OK(t, "keygen", "-t", "x25519", "-o", other, "--public", other+".pub")
	clitest.Call{}.OK(t, "encrypt", "-R", identity+".pub", "-R", other+".pub", "-o", both, text)
	private, public, signature := filepath.Join(dir, "private"), filepath.Join(dir, "public"), filepath.Join(dir, "signature")
	clitest.Call{}.OK(t, "sm2", "keygen", "-o", private, "--public", public)
	clitest.Call{}.OK(t, "sm2", "sign", "--key", private, "-o", signature, text)
	return map[string][]string{
		"list":              {"list"},
		"list json":         {"list", "--json"},
		"speed":             {"speed", "sm3", "--size", "64", "--seconds", "0.01"},
		"speed json":        {"speed", "sm3", "--size", "64", "--seconds", "0.01", "--json"},
		"tune":              {"tune", "sm3", "--seconds", "0.01"},
		"tune json":         {"tune", "sm3", "--seconds", "0.01", "--json"},
		"selftest":          {"selftest", "sm3"},
		"doctor":            {"doctor"},
		"report":            {"report", "sm3", "--seconds", "0.01"},
		"hash":              {"hash", text},
		"hash json":         {"hash", "--json", text},
		"keygen":            {"keygen"},
		"encrypt":           {"encrypt", "--key-file", key, text},
		"decrypt":           {"decrypt", "--key-file", key, message},
		"inspect":           {"inspect", aged},
		"recipients add":    {"recipients", "add", "-i", identity, "-R", other + ".pub", "-o", "-", aged},
		"recipients remove": {"recipients", "remove", "-i", identity, "-n", "2", "-o", "-", both},
		"cipher":            {"cipher", "sm4-ecb", "-q", "--key-file", key, text},
		"sm2 pubkey":        {"sm2", "pubkey", "--key", private},
		"sm2 sign":          {"sm2", "sign", "--key", private, text},
		"sm2 verify":        {"sm2", "verify", "--public", public, "--signature", signature, text},
		"sm2 cert":          {"sm2", "cert", "localhost", "--key", private, "-o", "-"},
		"version":           {"version"},
		"completion":        {"completion", "bash"},
		"man":               {"man"},
		"help":              {"help", "list"},
	}
}

func TestUsage(t *testing.T) {
	c := clitest.Call{}
	c.Fails(t, 2, "cipherlane --help", "frobnicate")
	c.Fails(t, 2, "cipherlane hash --help", "hash", "--frobnicate")
	c.Fails(t, 2, "--format", "speed", "--format", "xml")
	c.Fails(t, 2, "--size", "speed", "--size", "0")
	c.Fails(t, 2, "--seconds", "speed", "--seconds", "-1")
	c.Fails(t, 2, "--seconds", "speed", "--seconds", "NaN")
	c.Fails(t, 2, "--seconds", "report", "--seconds", "0")
	c.Fails(t, 2, "shell", "completion", "tcsh")
	c.Fails(t, 2, "--size", "keygen", "--size", "17")
	c.Fails(t, 2, "-j", "encrypt", "-j", "-3")
	c.Fails(t, 2, "no key", "encrypt")
	c.Fails(t, 2, "can't be used together", "encrypt", "--key-file", "a", "--key-fd", "3")
}

// TestEmpty: an empty argument, as from an unset variable, must not mean standard input,
// standard output or the automatic driver.
func TestEmpty(t *testing.T) {
	dir := t.TempDir()
	clitest.Write(t, filepath.Join(dir, "key"), bytes.Repeat([]byte{1}, 16))
	clitest.Write(t, filepath.Join(dir, "text"), []byte("0123456789abcdef"))
	c := clitest.Call{Dir: dir}
	for _, args := range [][]string{
		{"list", ""},
		{"selftest", "--driver", ""},
		{"speed", "--driver", ""},
		{"hash", ""},
		{"hash", "text", ""},
		{"hash", "-a", "", "text"},
		{"keygen", "-o", ""},
		{"encrypt", "--key-file", "key", ""},
		{"encrypt", "--key-file", "", "text"},
		{"encrypt", "--key-file", "key", "-o", "", "text"},
		{"encrypt", "--key-file", "key", "--driver", "", "text"},
		{"decrypt", "--key-file", "key", "--alg", "", "text"},
		{"cipher", "sm4-ecb", "-K", "", "text"},
		{"sm2", "keygen", "-o", "x", "--kdf", ""},
		{"sm2", "sign", "--key", "", "text"},
		{"sm2", "sign", "--key", "key", ""},
		{"sm2", "verify", "--public", "key", "--signature", "", "text"},
	} {
		if o := c.Fails(t, 2, "is empty", args...); o.Stdout != "" {
			t.Errorf("%q: printed %q", args, o.Stdout)
		}
	}
	c.Fails(t, cli.ExitUsage, "no such driver", "speed", "--driver", "generic,")
	c.OK(t, "encrypt", "--key-file", "key", "--context", "", "-o", "x", "text")
}

// TestFIPS: where the library refuses, the command reports an error and does not panic.
func TestFIPS(t *testing.T) {
	c := clitest.Call{Env: []string{"GODEBUG=fips140=only"}}
	if o := c.Run(t, "version"); o.Code != 0 {
		t.Skipf("this build has no such mode: %s", o.Stderr)
	}
	for name, args := range workingCalls(t) {
		switch args[0] {
		case "list", "doctor", "keygen", "inspect", "version", "completion", "man", "help":
			c.OK(t, args...)
		default:
			t.Run(name, func(t *testing.T) { c.Fails(t, 3, "fips140=only", args...) })
		}
	}
	clitest.Call{Env: c.Env, Stdin: strings.NewReader("abc")}.OK(t, "hash", "-a", "sha256")
}

func TestHelp(t *testing.T) {
	top := clitest.Call{}.OK(t, "--help")
	for name, args := range workingCalls(t) {
		verb := args[0]
		if !strings.Contains(top, "\n  "+verb) {
			t.Errorf("cipherlane --help does not name %s", verb)
		}
		// Help must work even if the environment is wrong.
		help := clitest.Call{Env: []string{"CIPHERLANE=nonsense"}}.OK(t, verb, "--help")
		if !strings.Contains(help, "Example") || !strings.Contains(help, "    cipherlane "+verb) && !strings.Contains(help, "cipherlane "+verb+" ") {
			t.Errorf("%s: help without an example:\n%s", name, help)
		}
		if strings.Contains(help, "${") || strings.Contains(help, "%!") {
			t.Errorf("%s: help with a placeholder:\n%s", name, help)
		}
	}
}

func TestEnvironment(t *testing.T) {
	for name, args := range workingCalls(t) {
		t.Run(name, func(t *testing.T) {
			if o := (clitest.Call{}).Run(t, args...); o.Code != 0 {
				t.Fatalf("without CIPHERLANE: exit code %d: %s", o.Code, o.Stderr)
			}
			if args[0] == "help" || args[0] == "man" {
				return // they have to be there whatever else is wrong
			}
			for _, value := range []string{"nonsense", "sm4:no-such-driver", "sm9:generic", "-nosuchfeature", "linux=maybe", "sm4:generic,oops"} {
				o := clitest.Call{Env: []string{"CIPHERLANE=" + value}}.Fails(t, cli.ExitUsage, "CIPHERLANE", args...)
				if o.Stdout != "" {
					t.Errorf("CIPHERLANE=%s: printed %q", value, o.Stdout)
				}
			}
			if o := (clitest.Call{Env: []string{"CIPHERLANE=sm4:generic, sm3:generic,"}}).Run(t, args...); o.Code != 0 {
				t.Errorf("with a good CIPHERLANE: exit code %d: %s", o.Code, o.Stderr)
			}
		})
	}
}

func TestFullDisk(t *testing.T) {
	for name, args := range workingCalls(t) {
		t.Run(name, func(t *testing.T) {
			clitest.Call{Stdout: clitest.DevFull(t)}.Fails(t, 1, "standard output: no space left", args...)
		})
	}
}

// TestUnavailable: a driver that exists but does not run here is distinguished from an
// unknown one.
func TestUnavailable(t *testing.T) {
	for _, table := range drivers.List() {
		for _, d := range table.Drivers() {
			if d.Available() {
				continue
			}
			term := table.Package() + ":" + d.Name
			clitest.Call{Env: []string{"CIPHERLANE=" + term}}.Fails(t, cli.ExitUnavailable, "CIPHERLANE: "+table.Package(), "list")
			clitest.Call{Env: []string{"CIPHERLANE=oops," + term}}.Fails(t, cli.ExitUsage, "CIPHERLANE: ", "list")
			clitest.Call{Env: []string{"CIPHERLANE=sm9:generic," + term}}.Fails(t, cli.ExitUsage, "CIPHERLANE: ", "list")
			clitest.Call{}.Fails(t, cli.ExitUnavailable, d.Name+" lacks", "selftest", table.Package(), "--driver", d.Name)
		}
	}
}

// TestClosedPipe checks that the command ends without a message when nobody reads its
// output, like other tools.
func TestClosedPipe(t *testing.T) {
	for name, args := range workingCalls(t) {
		t.Run(name, func(t *testing.T) {
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			r.Close()
			defer w.Close()
			o := clitest.Call{Stdout: w}.Run(t, args...)
			if o.Signal != syscall.SIGPIPE || o.Stderr != "" {
				t.Errorf("exit code %d, %v, standard error %q", o.Code, o.Signal, o.Stderr)
			}
		})
	}
}

func TestUnknownNames(t *testing.T) {
	dir := t.TempDir()
	key := clitest.Write(t, filepath.Join(dir, "key"), bytes.Repeat([]byte{1}, 16))
	text := clitest.Write(t, filepath.Join(dir, "text"), []byte("0123456789abcdef"))
	c := clitest.Call{Dir: dir}
	for _, args := range [][]string{
		{"hash", "-a", "md5", text},
		{"encrypt", "--alg", "rot13", "--key-file", key, "-o", "x", text},
		{"decrypt", "--alg", "aes-gcm", "--key-file", key, "-o", "x", text},
		{"decrypt", "--alg", "rot13", "--key-file", key, "-o", "x", text},
		{"cipher", "sm5-cbc", "--key-file", key, "-o", "x", text},
		{"kem", "keygen", "--set", "frodokem", "-o", "x", "--public", "y"},
		{"kem", "encap", "--raw", "--set", "frodokem", "--to", text, "-o", "x", "--secret", "y"},
	} {
		c.Fails(t, cli.ExitUsage, "(known: ", args...)
	}
	// These know too many to list them.
	for _, args := range [][]string{{"list", "sm5"}, {"speed", "sm5"}, {"selftest", "sm3", "sm5"}, {"doctor", "sm5"}, {"report", "sm5"}, {"tune", "sm5"}} {
		c.Fails(t, cli.ExitUsage, "sm5: no such algorithm, did you mean \"sm3\"? (\"cipherlane list\" shows all)", args...)
	}
	for _, args := range [][]string{
		{"speed"}, {"speed", "sm3"}, {"speed", "sm4"}, {"selftest"}, {"selftest", "sm4-gcm"},
		{"hash", text}, {"hash", "-c", text},
		{"encrypt", "--key-file", key, "-o", "x", text},
		{"decrypt", "--key-file", key, "-o", "x", text},
		{"cipher", "sm4-ecb", "--key-file", key, "-o", "x", text},
	} {
		c.Fails(t, cli.ExitUsage, "no such driver", append(args, "--driver", "no-such")...)
	}
	c.Fails(t, cli.ExitUsage, "standard library", "hash", "-a", "sha256", "--driver", "generic", text)
	c.Fails(t, cli.ExitUsage, "no such driver", "encrypt", "--alg", "aes-128-gcm", "--driver", "gfni-avx512", "--key-file", key, "-o", "x", text)
	if got := clitest.Entries(t, dir); got != "key text" {
		t.Errorf("files after failures: %s", got)
	}
}

func TestVersion(t *testing.T) {
	out := clitest.Call{}.OK(t, "version")
	for _, word := range []string{"cipherlane ", "revision ", "go1.", "cpu "} {
		if !strings.Contains(out, word) {
			t.Errorf("version without %q:\n%s", word, out)
		}
	}
}
