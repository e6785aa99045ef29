//go:build riscv64 && !purego && !go1.25

package cpu

// vectors says that this program has no kernels with vectors of riscv64: the assembler of Go
// 1.24 lacks their instructions. In their places are functions that panic, which nothing may call.
const vectors = false

func vlmax() uint64 { return 0 }

// VectorBytes returns 0: Features has no [V].
func VectorBytes() int { return 0 }
