//go:build unix && !(mips || mipsle || mips64 || mips64le)

package files

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/clitest"
)

// TestIdlePipe: after an error, the command does not wait for the writer of a pipe that has
// written a part and then does nothing. This must hold however its goroutines run, so every
// case is tried several times.
func TestIdlePipe(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	dir := t.TempDir()
	c := clitest.Call{Dir: dir}
	text := clitest.TestMessage(300_000)
	clitest.Write(t, filepath.Join(dir, "text"), text)
	c.OK(t, "keygen", "-o", "key")
	c.OK(t, "keygen", "-t", "x25519", "-o", "id", "--public", "pub")
	c.OK(t, "encrypt", "-R", "pub", "-o", "age", "text")
	c.OK(t, "encrypt", "--key-file", "key", "-o", "enc", "text")
	damaged := func(b []byte) []byte {
		b = slices.Clone(b)
		b[len(b)/10] ^= 1
		return b
	}
	message, forPeople := clitest.Read(t, filepath.Join(dir, "enc")), clitest.Read(t, filepath.Join(dir, "age"))
	// The damage is in the first chunk, and the second is complete.
	const noSpace, wrong = "standard output: no space left", "damaged"
	for _, test := range []struct {
		args   string
		input  []byte
		stdout *os.File
		want   string
	}{
		{"decrypt -j 2 -i id", forPeople, full, noSpace},
		{"decrypt -j 2 --key-file key", message, full, noSpace},
		{"encrypt -j 2 -R pub", text, full, noSpace},
		{"encrypt -j 2 --key-file key", text, full, noSpace},
		{"decrypt -j 2 -i id -o out", damaged(forPeople), nil, wrong},
		{"decrypt -j 2 --key-file key -o out", damaged(message), nil, wrong},
		{"decrypt -j 1 -i id", forPeople, full, noSpace},
	} {
		for i := range 10 {
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			cmd := c.Command(t, strings.Fields(test.args)...)
			var stderr bytes.Buffer
			cmd.Stdin, cmd.Stderr = r, &stderr
			if test.stdout != nil {
				cmd.Stdout = test.stdout
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			r.Close()
			hang := time.AfterFunc(3*time.Second, func() { cmd.Process.Kill() })
			w.Write(test.input[:[]int{140_000, 270_000}[i%2]]) // EPIPE if the command has already failed
			cmd.Wait()
			if !hang.Stop() || cmd.ProcessState.ExitCode() != 1 || !strings.Contains(stderr.String(), test.want) {
				t.Errorf("%s: %v, standard error %q", test.args, cmd.ProcessState, stderr.String())
			}
			w.Close()
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "out")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an output file: %v", err)
	}
}
