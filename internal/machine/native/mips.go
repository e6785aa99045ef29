package native

import (
	"fmt"
	"strings"
)

func init() {
	c := &CPU{
		Name: "mipsle", Pointer: 4, emulator: "qemu-mipsel", model: "74Kf", environ: []string{"GOMIPS=softfloat"},
	}
	// R23 is the assembler's, R26 and R27 the kernel's, R28 to R31 have the caller and the goroutine.
	for r := 1; r < 26; r++ {
		if r != 23 {
			c.General = append(c.General, r)
		}
	}
	c.call = c.mips()
	CPUs[c.Name] = c
}

// mips keeps the address of the state in the frame.
func (c *CPU) mips() string {
	var s strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&s, "\t"+format+"\n", args...) }
	s.WriteString("TEXT ·call(SB), 0, $16-8\n")
	line("MOVW state+0(FP), R31")
	line("MOVW R31, 8(R29)")
	line("MOVW program+4(FP), R2")
	line("MOVW $programs<>(SB), R1")
	line("SLL $2, R2, R2")
	line("ADDU R2, R1, R1")
	line("MOVW (R1), R1")
	line("MOVW R1, 12(R29)")
	for _, r := range c.General {
		line("MOVW %d(R31), R%d", 8*r, r)
	}
	line("MOVW 12(R29), R31")
	line("JAL (R31)")
	line("MOVW 8(R29), R31")
	for _, r := range c.General {
		line("MOVW R%d, %d(R31)", r, 8*r)
	}
	line("RET")
	return s.String()
}
