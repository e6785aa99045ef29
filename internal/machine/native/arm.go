package native

import (
	"fmt"
	"strings"
)

func init() {
	c := &CPU{
		Name: "arm", Pointer: 4, Vectors: 16, VectorBytes: 16, Flags: 0xf << 28, // N, Z, C and V
		emulator: "qemu-arm", model: "max", environ: []string{"GOARM=7"},
		// R10 has the goroutine, R11 is the assembler's.
		General: []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12},
	}
	c.call = c.arm()
	CPUs[c.Name] = c
}

// arm keeps the address of the state in the frame. NEON is encoded: four D registers at a time.
func (c *CPU) arm() string {
	var s strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&s, "\t"+format+"\n", args...) }
	vectors, _, flags := c.offsets()
	neon := func(word uint32) {
		line("ADD $%d, R14, R12", vectors)
		for d := uint32(0); d < 32; d += 4 {
			line("WORD $%#x", word|12<<16|d&15<<12|d>>4<<22) // VLD1.8 or VST1.8 {Dd-Dd+3}, [R12]!
		}
	}
	s.WriteString("TEXT ·call(SB), 0, $16-8\n")
	line("MOVW state+0(FP), R14")
	line("MOVW R14, 4(R13)")
	line("MOVW program+4(FP), R0")
	line("MOVW $programs<>(SB), R1")
	line("ADD R0<<2, R1, R1")
	line("MOVW (R1), R1")
	line("MOVW R1, 8(R13)")
	neon(0xf420020d)
	line("MOVW %d(R14), R0", flags)
	line("MOVW R0, CPSR")
	for _, r := range c.General {
		line("MOVW %d(R14), R%d", 8*r, r)
	}
	line("MOVW 8(R13), R14")
	line("BL (R14)")
	line("MOVW 4(R13), R14")
	for _, r := range c.General {
		line("MOVW R%d, %d(R14)", r, 8*r)
	}
	line("MOVW CPSR, R0")
	line("MOVW R0, %d(R14)", flags)
	neon(0xf400020d)
	line("RET")
	s.WriteString(illegal(c.Pointer, "MOVW $11, R0\n\tMOVW ·handler(SB), R12\n\tB (R12)"))
	return s.String()
}
