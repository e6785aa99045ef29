// Package riscv64 holds the ChaCha20-Poly1305 kernels for RISC-V.
//
// A family of kernels is named by what it needs: ZBB (Zba and Zbb), RVV (V, Zba
// and Zbb) and ZVKB (Zvkb, too). Vector kernels work with registers of any
// length and ask for it whenever they are called: a goroutine may wake up on
// another core.
//
// No kernel has branches or memory addresses that depend on keys or data.
// Kernels process at most 64 KiB per call, because assembly cannot be
// preempted. None relies on loads and stores at odd addresses, which some
// machines emulate at a hundred times the cost and others refuse for vectors.
package riscv64
