//go:build valgrind && amd64 && !purego

package sm2

import (
	"testing"

	"github.com/cipherlane/cipherlane/internal/cpu"
)

// Valgrind can execute ADCX and ADOX, but its CPUID does not report them. This test uses
// the driver that On refuses. It is for valgrind only.
func TestSecretADX(t *testing.T) {
	if missing := (cpu.BMI2 | cpu.AVX2) &^ cpu.Features(); missing != 0 {
		t.Skipf("this CPU lacks %v", missing)
	}
	testSecretSM2(t, Driver{adx, adx})
}
