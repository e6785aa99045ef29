//go:build riscv64 && !purego && go1.25

package cpu

// vectors says that this program has the kernels with vectors of riscv64.
const vectors = true
