package native

import (
	"fmt"
	"strings"

	"github.com/cipherlane/cipherlane/internal/cpu"
)

func init() {
	c := &CPU{
		Name: "amd64", Pointer: 8, Vectors: 32, VectorBytes: 64, Masks: 8,
		Flags: 0x8c5, // overflow, sign, zero, parity and carry
		lacks: func() bool {
			return !cpu.Features().Has(cpu.AVX512 | cpu.AVX512VBMI | cpu.AVX512VBMI2 | cpu.AVX512IFMA | cpu.AVX512VNNI | cpu.GFNI | cpu.VAES | cpu.VPCLMULQDQ)
		},
	}
	// SP, BP and what this package needs are left out.
	c.General = []int{0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13}
	c.call = c.amd64()
	CPUs[c.Name] = c
}

var amd64Names = strings.Fields("AX BX CX DX SI DI BP SP R8 R9 R10 R11 R12 R13 R14 R15")

// amd64 keeps the address of the state in the frame.
func (c *CPU) amd64() string {
	var s strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&s, "\t"+format+"\n", args...) }
	vectors, masks, flags := c.offsets()
	s.WriteString("TEXT ·call(SB), 0, $32-16\n")
	line("MOVQ state+0(FP), AX")
	line("MOVQ AX, 8(SP)")
	line("MOVQ program+8(FP), CX")
	line("LEAQ programs<>(SB), DX")
	line("MOVQ (DX)(CX*8), R15")
	for i := range c.Vectors {
		line("VMOVDQU64 %d(AX), Z%d", vectors+64*i, i)
	}
	for i := range c.Masks {
		line("KMOVQ %d(AX), K%d", masks+8*i, i)
	}
	line("MOVQ %d(AX), CX", flags)
	line("PUSHQ CX")
	line("POPFQ")
	for _, r := range c.General[1:] {
		line("MOVQ %d(AX), %s", 8*r, amd64Names[r])
	}
	line("MOVQ (AX), AX")
	line("CALL R15")
	line("MOVQ 8(SP), R15")
	for _, r := range c.General {
		line("MOVQ %s, %d(R15)", amd64Names[r], 8*r)
	}
	line("PUSHFQ")
	line("POPQ AX")
	line("MOVQ AX, %d(R15)", flags)
	for i := range c.Vectors {
		line("VMOVDQU64 Z%d, %d(R15)", i, vectors+64*i)
	}
	for i := range c.Masks {
		line("KMOVQ K%d, %d(R15)", i, masks+8*i)
	}
	line("CLD")
	line("VZEROUPPER")
	line("RET")
	s.WriteString(illegal(c.Pointer, "MOVL $11, DI\n\tMOVQ ·handler(SB), AX\n\tJMP AX"))
	return s.String()
}
