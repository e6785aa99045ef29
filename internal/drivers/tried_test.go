//go:build unix

package drivers

import (
	"os"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/internal/cpu"
)

// TestTried: a profile with features that the system does not tell is refused if another
// user may write to it, on another kernel, and when it is loaded after the start.
func TestTried(t *testing.T) {
	isolate(t, "")
	p := NewProfile()
	p.Try(cpu.ZBA | cpu.ZBB)
	if p.Tried != "zba zbb" || p.Kernel == "" {
		t.Fatalf("%+v", p)
	}
	path := save(t, encode(p))
	refused := func(want string) {
		t.Helper()
		if err := LoadProfile(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	refused("when the program starts")
	if cpu.Features() != cpu.Told() {
		t.Error("features have been added")
	}
	for _, mode := range []os.FileMode{0o620, 0o602} {
		os.Chmod(path, mode)
		refused("others may write to it")
	}
	if os.Getuid() == 0 && os.Chmod(path, 0o600) == nil && os.Chown(path, 12345, -1) == nil {
		refused("another user")
	}
	p.Kernel += "x"
	path = save(t, encode(p))
	if cpu.Assertable() != 0 {
		refused("another kernel")
	} else {
		refused("when the program starts")
	}
	if cpu.Assertable() == 0 {
		return
	}
	p.Kernel, p.Tried = "", "zba"
	path = save(t, encode(p))
	refused("no feature that was tried")
	p.Kernel, p.Tried = "x", "unknown"
	path = save(t, encode(p))
	refused("no feature that was tried")
}
