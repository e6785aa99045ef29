package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestFullFileSystem needs a small file system of its own.
func TestFullFileSystem(t *testing.T) {
	dir, _, _ := encryptedFiles(t, 4<<20)
	small := filepath.Join(dir, "small")
	if err := os.Mkdir(small, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", small, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("cannot mount: %v", err)
	}
	defer syscall.Unmount(small, 0)
	call{dir: dir}.fails(t, 1, "small/out: no space left", "encrypt", "--key-file", "key", "-o", "small/out", "text")
	call{dir: dir}.fails(t, 1, "small/out: no space left", "decrypt", "--key-file", "key", "-o", "small/out", "message")
	if got := entries(t, small); got != "" {
		t.Errorf("left on the full file system: %s", got)
	}
}

// TestOutputPipe lets the reader of a named pipe go away.
func TestOutputPipe(t *testing.T) {
	dir, _, _ := encryptedFiles(t, 1<<20)
	fifo := filepath.Join(dir, "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := call{dir: dir}.command(t, "encrypt", "--key-file", "key", "-o", "fifo", "text")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(fifo)
	if err != nil {
		t.Fatal(err)
	}
	io.ReadFull(f, make([]byte, 100))
	f.Close()
	cmd.Wait()
	if cmd.ProcessState.ExitCode() != 1 || stderr.Len() > 0 {
		t.Errorf("%v, standard error %q", cmd.ProcessState, stderr.String())
	}
	if info, err := os.Lstat(fifo); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		t.Errorf("the named pipe is gone: %v", err)
	}
}
