//go:build unix

package rawfile

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// Read returns what is in a file, up to the limit.
func TestRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	for _, n := range []int{0, 1, 511, 512, 513, 5000} {
		text := strings.Repeat("0123456789", n/10+1)[:n]
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, limit := range []int{0, 1, n, n + 1, 1 << 20} {
			fd, err := Open(path)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := Read(fd, limit); got != text[:min(n, limit)] || err != nil {
				t.Errorf("%d bytes, limit %d: %d bytes, %v", n, limit, len(got), err)
			}
			Close(fd)
		}
	}
	if _, err := Open(path + "x"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if _, err := Read(-1, 1); err != unix.EBADF {
		t.Errorf("no descriptor: %v", err)
	}
}
