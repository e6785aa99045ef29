//go:build (arm64 || ppc64le) && !purego

package aes

import (
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/internal/cpu"
)

// Where crypto/aes has tables there is no driver std: GODEBUG turns its
// instructions off, one after the other in ci/machines.txt.
func TestStd(t *testing.T) {
	_, err := On("std")
	off := strings.Contains(os.Getenv("GODEBUG"), "=off")
	if off && err == nil {
		t.Error("std is there, and crypto/aes has tables")
	}
	needs := cpu.Set(0)
	if runtime.GOARCH == "arm64" {
		needs = cpu.AES | cpu.PMULL
	}
	if !off && runtime.GOOS == "linux" && cpu.Features().Has(needs) && err != nil {
		t.Errorf("std is not there, but this CPU has the instructions: %v", err)
	}
	if stdHasInstructions() == off {
		t.Errorf("stdHasInstructions() = %v", !off)
	}
}

// An object of another form than crypto/aes had when this was written is no
// evidence, and no panic.
func TestStdField(t *testing.T) {
	var none *struct{ enc int }
	for _, x := range []any{nil, 1, none, struct{}{}, new(int), []byte{1}} {
		if v := stdField(x, "enc"); v.IsValid() {
			t.Errorf("%T has a field", x)
		}
	}
}
