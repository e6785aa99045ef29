//go:build !purego

package cpu

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/cpu"
	"golang.org/x/sys/unix"
)

// TestOtherDetection compares what the system tells with golang.org/x/sys/cpu, which does not check
// whether this process may use vectors.
func TestOtherDetection(t *testing.T) {
	if strings.Contains(os.Getenv("GODEBUG"), "cpu.") {
		t.Skip("GODEBUG changes the flags of golang.org/x/sys/cpu")
	}
	x := cpu.RISCV64
	for f, want := range map[Set]bool{ZBA: x.HasZba, ZBB: x.HasZbb} {
		if got := system().Has(f); got != want {
			t.Errorf("%v: %v, golang.org/x/sys/cpu says %v", f, got, want)
		}
	}
	if !x.HasV || hwcap()&(1<<('V'-'A')) == 0 {
		return
	}
	for f, want := range map[Set]bool{V: x.HasV, ZVBB: x.HasZvbb, ZVBC: x.HasZvbc, ZVKG: x.HasZvkg, ZVKT: x.HasZvkt} {
		if got := system().Has(f); got != want {
			t.Errorf("%v: %v, golang.org/x/sys/cpu says %v", f, got, want)
		}
	}
	if x.HasZvkn && !system().Has(ZVKNED|ZVKNHB|ZVKB|ZVKT) {
		t.Errorf("%v, golang.org/x/sys/cpu says Zvkn", system())
	}
	if x.HasZvks && !system().Has(ZVKSED|ZVKSH|ZVKB|ZVKT) {
		t.Errorf("%v, golang.org/x/sys/cpu says Zvks", system())
	}
	var bits uint64
	if _, after, ok := strings.Cut(os.Getenv("QEMU_CPU"), "vlen="); ok && vectors {
		fmt.Sscan(after, &bits)
		if got := 8 * vlmax(); got != bits {
			t.Errorf("registers of %d bits, emulated are %d", got, bits)
		}
	}
}

func init() { emulated = system }

// Go 1.24 has no kernels with vectors, so that no driver may need them. Newer versions use all
// that the system tells.
func TestVectors(t *testing.T) {
	want := system()
	if strings.HasPrefix(runtime.Version(), "go1.24") {
		want &= ZBA | ZBB | ZBC | ZBKB | ZBKC | ZKND | ZKNE | ZKSED | ZKSH
	}
	if detect() != want {
		t.Errorf("%s uses %v, want %v", runtime.Version(), detect(), want)
	}
}

func TestDecode(t *testing.T) {
	const all = ^uint64(0)
	const scalar = ZBA | ZBB | ZBC | ZBKB | ZBKC | ZKND | ZKNE | ZKSED | ZKSH
	for _, c := range []struct {
		name       string
		extensions uint64
		allowed    bool
		want       Set
	}{
		{"nothing", 0, true, 0},
		{"all", all, true, machines["Zvk"]},
		{"all, vectors forbidden", all, false, scalar},
		{"all, no V", all &^ unix.RISCV_HWPROBE_IMA_V, true, scalar},
		{"V", unix.RISCV_HWPROBE_IMA_V, true, V},
		{"Zba, Zbb", unix.RISCV_HWPROBE_EXT_ZBA | unix.RISCV_HWPROBE_EXT_ZBB, true, ZBA | ZBB},
		{"Zbc", unix.RISCV_HWPROBE_EXT_ZBC, true, ZBC | ZBKC},
		{"Zbkc", unix.RISCV_HWPROBE_EXT_ZBKC, true, ZBKC},
		{"Zvkb", unix.RISCV_HWPROBE_IMA_V | unix.RISCV_HWPROBE_EXT_ZVKB, true, V | ZVKB},
		{"Zvkb, no V", unix.RISCV_HWPROBE_EXT_ZVKB, true, 0},
		{"Zvbb", unix.RISCV_HWPROBE_IMA_V | unix.RISCV_HWPROBE_EXT_ZVBB, true, V | ZVBB | ZVKB},
		{"Zvknhb", unix.RISCV_HWPROBE_IMA_V | unix.RISCV_HWPROBE_EXT_ZVKNHB, true, V | ZVKNHA | ZVKNHB},
		{"Zvksed", unix.RISCV_HWPROBE_IMA_V | unix.RISCV_HWPROBE_EXT_ZVKSED, true, V | ZVKSED},
	} {
		if got := decode(true, c.extensions, c.allowed); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	if got := decode(false, 0, false); got != 0 {
		t.Errorf("old kernel, no V: %v", got)
	}
	if Features().Has(V) {
		if got := decode(false, 0, true); got != V {
			t.Errorf("old kernel, V: %v", got)
		}
	}
}
