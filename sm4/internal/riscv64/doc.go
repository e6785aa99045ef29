// Package riscv64 has the SM4 kernels for RISC-V. The family RVV needs vectors (V) of 128 bits
// or more. It uses secrets as indices of look-ups inside registers (vrgather): see SECURITY.md.
// The family Zvksed needs Zvksed and Zvkb.
package riscv64
