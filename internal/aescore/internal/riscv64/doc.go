// Package riscv64 holds the AES kernels for RISC-V.
//
// The family RVV needs the extension V. It supports any register length, and queries it
// in every call because a goroutine may move to another core. The callers check the
// features of the CPU and the lengths, and split the data so that one call gets at most
// 64 KiB, because assembly cannot be preempted.
//
// The family Zvkned needs Zvkned and Zvkb, and has the same contract. Its kernels of GCM and XTS need Zvkg, too.
//
// No kernel has branches or memory addresses that depend on keys or data. In the family RVV,
// secrets are indices of look-ups inside registers (vrgather.vv). No kernel relies on misaligned
// loads and stores: those of data are of bytes, unless the address is a multiple of four.
package riscv64
