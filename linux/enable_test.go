package linux

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/internal/drivers"
)

// Enable fails if CIPHERLANE=linux=off is set. CIPHERLANE is read when the program
// starts, hence the child process.
func TestForbidden(t *testing.T) {
	if os.Getenv("LINUX_FORBIDDEN") != "" {
		if err := Enable(Any); !errors.Is(err, ErrForbidden) || current.Load() != nil {
			t.Errorf("%v", err)
		}
		if err := Enable(Off); err != nil {
			t.Error(err)
		}
		return
	}
	if mode, said := drivers.Linux(); said {
		t.Skipf("CIPHERLANE says linux=%v", mode)
	}
	if err := Enable(Engine); err != nil || current.Load() == nil {
		t.Errorf("%v", err)
	}
	Enable(Off)
	c := exec.Command(os.Args[0], "-test.run=^TestForbidden$", "-test.v")
	c.Env = append(os.Environ(), "CIPHERLANE=linux=off", "LINUX_FORBIDDEN=1")
	out, err := c.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestForbidden") {
		t.Errorf("%v\n%s", err, out)
	}
}
