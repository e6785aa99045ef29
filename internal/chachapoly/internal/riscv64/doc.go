// Package riscv64 holds the ChaCha20-Poly1305 kernels for RISC-V.
//
// A family of kernels is named after the extensions it needs: ZBB (Zba and Zbb),
// RVV (V, Zba and Zbb) and ZVKB (also Zvkb). Vector kernels support any register
// length, and query it in every call because a goroutine may move to another
// core.
//
// No kernel has branches or memory addresses that depend on keys or data.
// Kernels process at most 64 KiB per call, because assembly cannot be
// preempted. None relies on misaligned loads and stores, which some machines
// emulate at a hundred times the cost and others do not support for vectors.
package riscv64
