//go:build valgrind && amd64 && !purego

package sm2

import (
	"testing"

	"github.com/cipherlane/cipherlane/internal/cpu"
)

// Valgrind executes ADCX and ADOX, but CPUID there does not say so: this test takes
// the driver that On refuses. It is for valgrind only.
func TestSecretADX(t *testing.T) {
	if missing := (cpu.BMI2 | cpu.AVX2) &^ cpu.Features(); missing != 0 {
		t.Skipf("this CPU lacks %v", missing)
	}
	testSecretSM2(t, Driver{rowADX})
}
