//go:build go1.25

package native

import (
	"fmt"
	"slices"
	"strings"
)

// There are CPUs with other vectors: of 128 bits, whose elements that may be anything become 1, and of 512.
func init() {
	addRISCV64("riscv64", 256, "")
	addRISCV64("riscv64 vlen=128", 128, ",rvv_ta_all_1s=true,rvv_ma_all_1s=true")
	addRISCV64("riscv64 vlen=512", 512, ",rvv_vl_half_avl=true")
}

func addRISCV64(name string, vlen int, more string) {
	c := &CPU{
		Name: "riscv64", Pointer: 8, Vectors: 32, VectorBytes: vlen / 8,
		emulator: "qemu-riscv64", model: fmt.Sprintf("rv64,v=true,vlen=%d", vlen) + ",zba=true,zbb=true,zbc=true,zbkb=true,zbkc=true,zbkx=true,zicond=true,zk=true,zks=true,zvkb=true,zvbc=true,zvkned=true,zvkg=true,zvksed=true,zvksh=true" + more,
		environ: []string{"GORISCV64=rva22u64"},
	}
	// X1 to X4 have the caller, the stack and threads, X27 the goroutine, X31 is the assembler's.
	for r := 5; r < 31; r++ {
		if r != 27 {
			c.General = append(c.General, r)
		}
	}
	c.call = c.riscv64()
	CPUs[name] = c
}

// riscv64 keeps the address of the state in the frame. All vectors are stored whatever the type of
// vectors is.
func (c *CPU) riscv64() string {
	var s strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&s, "\t"+format+"\n", args...) }
	vectors, _, _ := c.offsets()
	s.WriteString("TEXT ·call(SB), 0, $32-16\n")
	line("MOV state+0(FP), X5")
	line("MOV X5, 16(X2)")
	line("MOV program+8(FP), X6")
	line("MOV $programs<>(SB), X7")
	line("SLLI $3, X6, X6")
	line("ADD X6, X7, X7")
	line("MOV (X7), X6")
	line("MOV X6, 24(X2)")
	line("VSETVLI X0, E8, M1, TA, MA, X6") // the register vstart becomes 0, which a fault may have changed
	for i := 0; i < 32; i += 8 {
		line("MOV $%d, X6", vectors+c.VectorBytes*i)
		line("ADD X5, X6, X6")
		line("VL8RE8V (X6), V%d", i)
	}
	others := slices.DeleteFunc(slices.Clone(c.General), func(r int) bool { return r == 5 })
	for _, r := range others {
		line("MOV %d(X5), X%d", 8*r, r)
	}
	line("MOV %d(X5), X5", 8*5)
	line("MOV 24(X2), X1")
	line("CALL X1")
	line("MOV 16(X2), X1")
	for _, r := range c.General {
		line("MOV X%d, %d(X1)", r, 8*r)
	}
	for i := 0; i < 32; i += 8 {
		line("MOV $%d, X6", vectors+c.VectorBytes*i)
		line("ADD X1, X6, X6")
		line("VS8RV V%d, (X6)", i)
	}
	line("RET")
	s.WriteString(illegal(c.Pointer, "MOV $11, X10\n\tMOV ·handler(SB), X5\n\tJMP (X5)"))
	return s.String()
}
