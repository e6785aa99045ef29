//go:build unix && !(mips || mipsle || mips64 || mips64le)

package main

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestStop ends a Read that waits, of a pipe in either mode, before and after it has begun.
func TestStop(t *testing.T) {
	for _, blocking := range []bool{true, false} {
		for _, early := range []bool{true, false} {
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			if blocking {
				fd, err := syscall.Dup(int(r.Fd())) // Fd makes it block
				if err != nil {
					t.Fatal(err)
				}
				r.Close()
				r = os.NewFile(uintptr(fd), "pipe")
			}
			in, err := newInput(r, "pipe")
			if err != nil {
				t.Fatal(err)
			}
			undo := in.stoppable()
			if (in.wait != nil) != blocking {
				t.Fatalf("blocking mode %v, and wait %v", blocking, in.wait != nil)
			}
			w.WriteString("some")
			b := make([]byte, 100)
			if n, err := in.Read(b); n != 4 || err != nil {
				t.Errorf("%d bytes, error %v", n, err)
			}
			result := make(chan error)
			if early {
				in.Stop()
			}
			go func() {
				_, err := in.Read(b)
				result <- err
			}()
			if !early {
				in.Stop()
			}
			in.Stop()
			if err := <-result; !errors.Is(err, errStopped) && !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("error %v of a Read that was stopped", err)
			}
			undo()
			r.Close()
			w.Close()
		}
	}
	// Files of other kinds are never waited for.
	in, err := newInput(os.NewFile(uintptr(must(syscall.Open(os.DevNull, syscall.O_RDONLY, 0))), "null"), "null")
	if err != nil {
		t.Fatal(err)
	}
	defer in.stoppable()()
	if _, err := in.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("error %v at the end", err)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

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
	c := call{dir: dir}
	text := testMessage(300_000)
	write(t, filepath.Join(dir, "text"), text)
	c.ok(t, "keygen", "-o", "key")
	c.ok(t, "keygen", "-t", "x25519", "-o", "id", "--public", "pub")
	c.ok(t, "encrypt", "-R", "pub", "-o", "age", "text")
	c.ok(t, "encrypt", "--key-file", "key", "-o", "enc", "text")
	damaged := func(b []byte) []byte {
		b = slices.Clone(b)
		b[len(b)/10] ^= 1
		return b
	}
	message, forPeople := read(t, filepath.Join(dir, "enc")), read(t, filepath.Join(dir, "age"))
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
			cmd := c.command(t, strings.Fields(test.args)...)
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
