package arm64

import "github.com/cipherlane/cipherlane/_gen/asm"

// PostIndex is the memory at base, to which the register index is added afterwards.
func PostIndex(base, index asm.Reg) Mem {
	return Mem{text: "(%v)(%v)", suffix: ".P", base: list(base, index)}
}
