package native

import (
	"fmt"
	"strings"
)

func init() {
	c := &CPU{
		Name: "arm64", Pointer: 8, Vectors: 32, VectorBytes: 16, Flags: 0xf << 28, // N, Z, C and V
		emulator: "qemu-aarch64", model: "max",
	}
	// R18 belongs to the platform, R27 to the assembler, R28 has the goroutine, and R29 and R30
	// have the caller.
	for r := range 27 {
		if r != 18 {
			c.General = append(c.General, r)
		}
	}
	c.call = c.arm64()
	CPUs[c.Name] = c
}

// arm64 keeps the address of the state in the frame, and calls the program through R27. General[27]
// is 0 behind the program if it has not changed R27: the assembler needs the register for some
// operands.
func (c *CPU) arm64() string {
	var s strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&s, "\t"+format+"\n", args...) }
	vectors, _, flags := c.offsets()
	s.WriteString("TEXT ·call(SB), 0, $48-16\n")
	line("MOVD state+0(FP), R0")
	line("MOVD R0, 8(RSP)")
	line("MOVD %d(R0), R1", flags)
	line("MSR R1, NZCV")
	line("MOVD program+8(FP), R2")
	line("MOVD $programs<>(SB), R1")
	line("MOVD (R1)(R2<<3), R27")
	line("MOVD R27, 24(RSP)")
	for i := range c.Vectors {
		line("FMOVQ %d(R0), F%d", vectors+16*i, i)
	}
	for _, r := range c.General[1:] {
		line("MOVD %d(R0), R%d", 8*r, r)
	}
	line("MOVD (R0), R0")
	line("BL (R27)")
	line("MOVD R27, 16(RSP)")
	line("MOVD 8(RSP), R27")
	for _, r := range c.General {
		line("MOVD R%d, %d(R27)", r, 8*r)
	}
	line("MRS NZCV, R0")
	line("MOVD R0, %d(R27)", flags)
	line("MOVD 16(RSP), R0")
	line("MOVD 24(RSP), R1")
	line("SUB R1, R0")
	line("MOVD R0, %d(R27)", 8*27)
	for i := range c.Vectors {
		line("FMOVQ F%d, %d(R27)", i, vectors+16*i)
	}
	line("RET")
	s.WriteString(illegal(c.Pointer, "MOVD $11, R0\n\tMOVD ·handler(SB), R16\n\tB (R16)"))
	return s.String()
}
