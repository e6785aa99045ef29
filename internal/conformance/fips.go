package conformance

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/internal/fips"
)

// FIPSOnly runs check in FIPS 140-only mode, in another process because the mode is
// set when a program starts. It must be the only statement of its test, in whose name is FIPS:
// with an emulator, where there may be no other process, ci/steps skips tests by that.
func FIPSOnly(t *testing.T, check func(t *testing.T)) {
	t.Helper()
	if !strings.Contains(t.Name(), "FIPS") {
		t.Fatal("the name of the test must have FIPS in it")
	}
	if fips.Enforced() {
		check(t)
		return
	}
	program, err := os.Executable()
	if err != nil {
		t.Skip(err)
	}
	cmd := exec.Command(program, "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), "GODEBUG=fips140=only")
	out, err := cmd.CombinedOutput()
	if bytes.Contains(out, []byte("panic: fips140: ")) {
		t.Skip("the standard library has no such mode in this build")
	}
	if exit := new(exec.ExitError); errors.As(err, &exit) {
		t.Errorf("in FIPS 140-only mode: %v\n%s", err, out)
	} else if err != nil {
		t.Skip(err) // an emulator does not run the emulated program's children
	}
}
