//go:build linux

package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

const (
	wireguardPath = "golang.zx2c4.com/wireguard"
	tailscalePath = "github.com/tailscale/wireguard-go"
)

// calls lists the files of wireguard-go that create AEADs, with the contents for which
// the hook is correct and the number of calls that it changes.
var calls = map[string]struct {
	sum   string // SHA-256
	count int
}{
	"device/noise-protocol.go": {"55e2b3e9034029922e3f12a637a553235acc76187507180e04c00f0190cfaeeb", 8},
	"device/cookie.go":         {"68e9344b77b6dc5c4de9e2c68eb041299ee885a738b0163dacae42a109f43062", 2},
}

// added contains files for a copy of wireguard-go. The first one and the changed calls
// are the hook; the second one uses it, with two assignments.
var added = map[string]string{
	"device/aead.go": `package device

import "golang.org/x/crypto/chacha20poly1305"

// The handshake and cookies call these.
var newAEAD, newXAEAD = chacha20poly1305.New, chacha20poly1305.NewX
`,
	"device/cipherlane.go": `package device

import (
	"crypto/cipher"
	"os"
	"sync/atomic"

	"github.com/cipherlane/cipherlane/chacha20poly1305"
)

var aeads atomic.Int64 // that were made

func init() {
	newAEAD, newXAEAD = counted(chacha20poly1305.New), counted(chacha20poly1305.NewX)
}

func counted(f func([]byte) (cipher.AEAD, error)) func([]byte) (cipher.AEAD, error) {
	trace := os.Getenv("TRACE_AEAD") != ""
	return func(key []byte) (cipher.AEAD, error) {
		aeads.Add(1)
		if trace {
			os.Stderr.WriteString("` + traceLine + `\n")
		}
		return f(key)
	}
}
`,
	"device/zz_cipherlane_test.go": `package device

import (
	"fmt"
	"testing"

	"github.com/cipherlane/cipherlane/chacha20poly1305"
	"github.com/cipherlane/cipherlane/driver"
)

func TestDrivers(*testing.T) {
	for _, d := range chacha20poly1305.Drivers() {
		if d.Available() {
			fmt.Println("driver", d.Name)
		}
	}
}

// In the last file: after the other tests.
func TestCount(t *testing.T) {
	if t, ok := driver.Find("chacha20poly1305"); ok {
		fmt.Println("made", aeads.Load(), "AEADs of driver", t.Auto().Bulk)
	}
	for _, w := range driver.Warnings() {
		t.Error(w)
	}
}
`,
}

const traceLine = "cipherlane: an AEAD was made"

// A tree is a copy of wireguard-go that can be built.
type tree struct {
	path, dir string
	env       []string
	build     []string // the go command, or what takes its place
}

// copyTree copies wireguard-go, in the version that the module of this package
// requires, into a new directory below dir, and puts the hook into it or not. Tailscale's
// gets none: the command "cipherlane go" builds it. The copy is in a workspace with this
// repository.
func copyTree(dir, name, path string, hooked bool) (*tree, error) {
	var theirs, ours struct{ Dir, Version string }
	for path, target := range map[string]any{path: &theirs, "github.com/cipherlane/cipherlane": &ours} {
		out, err := run("", nil, "go", "list", "-m", "-json", path)
		if err == nil {
			err = json.Unmarshal(out, target)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	if theirs.Dir == "" {
		if _, err := run("", nil, "go", "mod", "download", path); err != nil {
			return nil, err
		}
		return copyTree(dir, name, path, hooked)
	}
	t := &tree{path: path, dir: filepath.Join(dir, name), build: []string{"go"}}
	if err := os.CopyFS(t.dir, os.DirFS(theirs.Dir)); err != nil {
		return nil, err
	}
	switch {
	case hooked && path == tailscalePath:
		command := filepath.Join(dir, "command")
		if _, err := run(filepath.Join(ours.Dir, "cmd", "cipherlane"), nil, "go", "build", "-o", command, "."); err != nil {
			return nil, err
		}
		t.build = []string{command, "go"}
	case hooked:
		if err := t.hook(theirs.Version); err != nil {
			return nil, err
		}
	}
	work := "go 1.26.0\n"
	for _, dir := range []string{t.dir, ours.Dir, filepath.Join(ours.Dir, "peers")} {
		work += "use " + strconv.Quote(dir) + "\n"
	}
	file := filepath.Join(dir, name+".work")
	if err := os.WriteFile(file, []byte(work), 0o666); err != nil {
		return nil, err
	}
	sums, err := os.ReadFile(filepath.Join(ours.Dir, "go.work.sum"))
	if err == nil {
		err = os.WriteFile(file+".sum", sums, 0o666)
	} else if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	t.env = []string{"GOWORK=" + file, "GOFLAGS=-buildvcs=false", "CGO_ENABLED=0"}
	return t, err
}

// hook makes the copy call our package. It returns an error for unknown files.
func (t *tree) hook(version string) error {
	for name, want := range calls {
		path := filepath.Join(t.dir, name)
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if sum := fmt.Sprintf("%x", sha256.Sum256(text)); sum != want.sum {
			return fmt.Errorf("%s %s: %s has SHA-256 %s, which this hook does not know: see which calls of chacha20poly1305.New it has, and note them in copy.go", wireguardPath, version, name, sum)
		}
		n := bytes.Count(text, []byte("chacha20poly1305.New"+"(")) + bytes.Count(text, []byte("chacha20poly1305.NewX("))
		if n != want.count {
			return fmt.Errorf("%s %s: %s has %d calls of chacha20poly1305.New, want %d", wireguardPath, version, name, n, want.count)
		}
		text = bytes.ReplaceAll(text, []byte("chacha20poly1305.New("), []byte("newAEAD("))
		text = bytes.ReplaceAll(text, []byte("chacha20poly1305.NewX("), []byte("newXAEAD("))
		if err := os.WriteFile(path, text, 0o666); err != nil {
			return err
		}
	}
	for name, text := range added {
		if err := os.WriteFile(filepath.Join(t.dir, name), []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// run runs a command and returns what it prints on standard output.
func run(dir string, env []string, name string, args ...string) ([]byte, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(cmd.Environ(), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%s %s: %w: %s%s", name, strings.Join(args, " "), err, out, strings.TrimSpace(stderr.String()))
	}
	return out, err
}
