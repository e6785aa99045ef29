//go:build !(mips || mipsle || mips64 || mips64le)

package files

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"filippo.io/age/armor"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/clitest"
)

// decryptHere decrypts a file in this process, which is faster than running the command.
func decryptHere(t *testing.T, file string, set func(*DecryptCmd)) (out []byte, err error) {
	t.Helper()
	c := &DecryptCmd{MaxWork: defaultMaxWork}
	c.Input, c.Progress, c.Jobs = file, "off", 1
	c.Output, c.Force = filepath.Join(t.TempDir(), "out"), true
	set(c)
	null := clitest.DevNull(t)
	err = c.Run(&cli.Program{Name: "cipherlane", Stdin: null, Stdout: bufio.NewWriter(io.Discard), Out: null, Stderr: null})
	out, _ = os.ReadFile(c.Output)
	return out, err
}

// checkMessage checks that an error is one short line that begins with the name of the file and
// says nothing twice.
func checkMessage(t *testing.T, what, name string, err error) {
	t.Helper()
	if err == nil {
		t.Errorf("%s: no error", what)
		return
	}
	text := err.Error()
	parts := strings.Split(text, ": ")
	sorted := slices.Sorted(slices.Values(parts))
	if parts[0] != name || len(slices.Compact(sorted)) < len(parts) || len(text) > len(name)+300 || strings.ContainsAny(text, "\n\x00") {
		t.Errorf("%s: %q", what, text)
	}
}

// TestCuts: the error of a file that was cut anywhere says that, and names the file once. So does
// the error of a file in which a byte was changed.
func TestCuts(t *testing.T) {
	dir := t.TempDir()
	c := clitest.Call{Dir: dir}
	clitest.Write(t, filepath.Join(dir, "text"), []byte("some words"))
	clitest.Write(t, filepath.Join(dir, "passphrase"), []byte("words\n"))
	c.OK(t, "keygen", "-o", "key")
	c.OK(t, "keygen", "-t", "x25519", "-o", "id", "--public", "pub")
	c.OK(t, "encrypt", "-R", "pub", "-o", "binary", "text")
	c.OK(t, "encrypt", "-R", "pub", "-a", "-o", "armored", "text")
	c.OK(t, "encrypt", "--key-file", "key", "-o", "message", "text")
	id, key := filepath.Join(dir, "id"), filepath.Join(dir, "key")
	for kind, set := range map[string]func(*DecryptCmd){
		"binary":  func(c *DecryptCmd) { c.Identity = []string{id} },
		"armored": func(c *DecryptCmd) { c.Identity = []string{id} },
		"message": func(c *DecryptCmd) { c.KeyFile = key },
	} {
		whole := clitest.Read(t, filepath.Join(dir, kind))
		file := filepath.Join(dir, "file")
		try := func(what string, content []byte) error {
			clitest.Write(t, file, content)
			out, err := decryptHere(t, file, set)
			if err != nil && len(out) > 0 {
				t.Errorf("%s: %q was written", what, out)
			}
			return err
		}
		for n := 1; n < len(whole); n++ {
			what := fmt.Sprintf("%s, the first %d bytes", kind, n)
			err := try(what, whole[:n])
			if kind == "armored" && n >= len(whole)-1 {
				continue // without the last newline
			}
			checkMessage(t, what, file, err)
			clear := n >= len(ageIntro) && kind == "binary" || n >= len(armor.Header) && kind == "armored"
			if text := fmt.Sprint(err); clear && !strings.Contains(text, "truncated") && !strings.Contains(text, "cut short") {
				t.Errorf("%s: %s", what, text)
			}
		}
		for n := range whole {
			what := fmt.Sprintf("%s, byte %d changed", kind, n)
			changed := slices.Clone(whole)
			changed[n] ^= 0x80
			checkMessage(t, what, file, try(what, changed))
		}
	}
}

// TestLongLines: a line that is longer than the format allows takes no memory, and errors do not
// have more than a piece of it.
func TestLongLines(t *testing.T) {
	dir := t.TempDir()
	clitest.Call{Dir: dir}.OK(t, "keygen", "-t", "x25519", "-o", "id", "--public", "pub")
	clitest.Call{Dir: dir}.OK(t, "encrypt", "-R", "pub", "-o", "age", "pub")
	id, file := filepath.Join(dir, "id"), filepath.Join(dir, "file")
	longLine := bytes.Repeat([]byte("A"), 64<<20)
	const stanza = "-> X25519 TEiF0ypqr+bpvcqXNyCVJpL7OuwPdVwPL7KQEbFDOCc\n"
	for what, parts := range map[string][]string{
		"the first line of armor": {armor.Header},
		"a line of armor":         {armor.Header, "\n"},
		"the last line of armor":  {armor.Header, "\nAAAA\n-----END "},
		"the first line":          {"age-encryption.org/v1"},
		"a stanza":                {"age-encryption.org/v1\n-> "},
		"the body of a stanza":    {"age-encryption.org/v1\n" + stanza},
		"the MAC":                 {"age-encryption.org/v1\n" + stanza + "AAAA\n--- "},
	} {
		clitest.Write(t, file, append([]byte(strings.Join(parts, "")), longLine...))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := decryptHere(t, file, func(c *DecryptCmd) { c.Identity = []string{id} })
		runtime.ReadMemStats(&after)
		checkMessage(t, what, file, err)
		if used := after.TotalAlloc - before.TotalAlloc; used > 32<<20 {
			t.Errorf("%s: %d MiB of memory", what, used>>20)
		}
	}
	// A line of a stanza that is almost as long as a header may be.
	for what, begin := range map[string]string{"a stanza": "age-encryption.org/v1\n->", "the MAC": "age-encryption.org/v1\n" + stanza + "AAAA\n---"} {
		clitest.Write(t, file, slices.Concat([]byte(begin), longLine[:1<<20], []byte("\n")))
		_, err := decryptHere(t, file, func(c *DecryptCmd) { c.Identity = []string{id} })
		checkMessage(t, what, file, err)
	}
	for name, arg := range map[string]string{"-i": "--identity", "-R": "--recipients-file"} {
		clitest.Write(t, file, longLine[:2<<20])
		o := clitest.Call{Dir: dir}.Fails(t, 1, "file: line 1: not a", map[string]string{"-i": "decrypt", "-R": "encrypt"}[name], arg, "file", "age")
		if len(o.Stderr) > 300 {
			t.Errorf("%s: %d bytes of error", name, len(o.Stderr))
		}
	}
}

func TestLineLimiter(t *testing.T) {
	text := strings.Repeat(strings.Repeat("a", maxArmorLine-1)+"\n", 5)
	for name, wrap := range map[string]func(io.Reader) io.Reader{"whole": func(r io.Reader) io.Reader { return r }, "bytes": iotest.OneByteReader} {
		for end, want := range map[string]string{"": text, "\n" + strings.Repeat("a", maxArmorLine): text + "\n" + strings.Repeat("a", maxArmorLine)} {
			got, err := io.ReadAll(&lineLimiter{r: wrap(strings.NewReader(text + end))})
			if err != nil || string(got) != want {
				t.Errorf("%s: %d bytes, error %v", name, len(got), err)
			}
		}
		got, err := io.ReadAll(&lineLimiter{r: wrap(strings.NewReader(text + strings.Repeat("a", maxArmorLine+1) + "\n" + text))})
		if !errors.Is(err, errLongLine) || !strings.HasPrefix(string(got), text) || len(got) > len(text)+maxArmorLine {
			t.Errorf("%s: %d bytes, error %v of a long line", name, len(got), err)
		}
	}
}

// TestConverted: what programs for text on Windows write is read if it is text, and named as
// the cause if it is not.
func TestConverted(t *testing.T) {
	dir := t.TempDir()
	c := clitest.Call{Dir: dir}
	path := func(name string) string { return filepath.Join(dir, name) }
	text := clitest.TestMessage(70000)
	clitest.Write(t, path("text"), text)
	c.OK(t, "keygen", "-o", "key")
	c.OK(t, "keygen", "-t", "x25519", "-o", "id", "--public", "pub")
	c.OK(t, "sm2", "keygen", "-o", "sm2", "--public", "sm2.pub")
	sshKeys(t, dir)
	c.OK(t, "encrypt", "-R", "pub", "-R", "sm2.pub", "-R", "ssh-ed25519.pub", "-o", "binary", "text")
	c.OK(t, "encrypt", "-R", "pub", "-R", "sm2.pub", "-R", "ssh-ed25519.pub", "-a", "-o", "armored", "text")
	c.OK(t, "encrypt", "--key-file", "key", "-o", "message", "text")
	crlf := func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }
	forms := map[string]func(s string) []byte{
		"CRLF":      func(s string) []byte { return []byte(crlf(s)) },
		"BOM":       func(s string) []byte { return []byte("\ufeff" + crlf(s)) },
		"UTF-16 LE": func(s string) []byte { return clitest.EncodeUTF16(crlf(s), binary.LittleEndian, true) },
		"UTF-16 BE": func(s string) []byte { return clitest.EncodeUTF16(crlf(s), binary.BigEndian, true) },
		"unmarked":  func(s string) []byte { return clitest.EncodeUTF16(crlf(s), binary.LittleEndian, false) },
	}
	for form, convert := range forms {
		converted := func(name string) string {
			clitest.Write(t, path("converted."+name), convert(string(clitest.Read(t, path(name)))))
			os.Chmod(path("converted."+name), 0o600)
			return "converted." + name
		}
		for _, id := range []string{"id", "sm2", "ssh-ed25519.id"} {
			if id == "sm2" && form != "CRLF" && form != "BOM" {
				continue
			}
			if got := c.OK(t, "decrypt", "-i", converted(id), converted("armored")); got != string(text) {
				t.Errorf("%s, %s: not the same after decrypting", form, id)
			}
		}
		for _, pub := range []string{"pub", "ssh-ed25519.pub"} {
			c.OK(t, "encrypt", "-R", converted(pub), "-f", "-o", "again", "text")
			if got := c.OK(t, "decrypt", "-i", "id", "-i", "ssh-ed25519.id", "again"); got != string(text) {
				t.Errorf("%s, %s: not the same after decrypting", form, pub)
			}
		}
		if form != "unmarked" { // a key may have any bytes
			if got := c.OK(t, "decrypt", "--key-file", converted("key"), "message"); got != string(text) {
				t.Errorf("%s: not the same after decrypting with a key", form)
			}
		}
		// Binary files are lost.
		for name, args := range map[string][]string{"binary": {"decrypt", "-i", "id"}} {
			c.Fails(t, 1, "converted."+name+": damaged: a program has converted it", append(args, converted(name))...)
		}
	}
	// PowerShell and others read it as UTF-8 and write it again.
	for name, args := range map[string][]string{"binary": {"decrypt", "-i", "id"}, "message": {"decrypt", "--key-file", "key"}} {
		clitest.Write(t, path("mangled"), []byte(strings.ToValidUTF8(string(clitest.Read(t, path(name))), "\ufffd")))
		c.Fails(t, 1, "mangled: damaged: a program has converted it", append(args, "mangled")...)
		clitest.Write(t, path("mangled"), clitest.EncodeUTF16(strings.ToValidUTF8(string(clitest.Read(t, path(name))), "\ufffd"), binary.LittleEndian, true))
		c.Fails(t, 1, "mangled: damaged: a program has converted it", append(args, "mangled")...)
	}
	// A new passphrase in UTF-16 would be another one on other systems.
	clitest.Write(t, path("passphrase"), clitest.EncodeUTF16("words\r\n", binary.LittleEndian, true))
	c.Fails(t, 1, "passphrase: ", "encrypt", "-p", "--passphrase-file", "passphrase", "text")
}

// UTF-16 may be cut anywhere.
func TestUTF16Reader(t *testing.T) {
	text := strings.Repeat("some words\n", 9999)
	for _, order := range []interface {
		binary.ByteOrder
		binary.AppendByteOrder
	}{binary.LittleEndian, binary.BigEndian} {
		in := clitest.EncodeUTF16(text, order, false)
		for name, wrap := range map[string]func(io.Reader) io.Reader{"whole": func(r io.Reader) io.Reader { return r }, "bytes": iotest.OneByteReader, "half": iotest.HalfReader, "error": iotest.DataErrReader} {
			if got, err := io.ReadAll(&utf16Reader{wrap(bytes.NewReader(in)), order}); err != nil || string(got) != text {
				t.Errorf("%s: %d bytes, error %v", name, len(got), err)
			}
			if got, err := io.ReadAll(&utf16Reader{wrap(bytes.NewReader(in[:len(in)-1])), order}); err != nil || string(got) != text[:len(text)-1]+"?" {
				t.Errorf("%s, cut: %d bytes, error %v", name, len(got), err)
			}
		}
	}
}
