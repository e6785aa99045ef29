//go:build riscv64 && !purego

// Package riscv64 has the SM3 kernels for RISC-V.
package riscv64

import (
	"runtime"
	"unsafe"
)

// BlocksZBB compresses the blocks of p into the chaining value v. The length of p must be a
// multiple of 64, not zero and at most 64 KiB.
func BlocksZBB(v *[8]uint32, p []byte) {
	if aligned(p) {
		blocksZBB(v, &p[0], len(p))
		return
	}
	copied(p, func(p *byte, n int) { blocksZBB(v, p, n) })
}

// BlocksZKSH is BlocksZBB with the SM3 instructions.
func BlocksZKSH(v *[8]uint32, p []byte) {
	if aligned(p) {
		blocksZKSH(v, &p[0], len(p))
		return
	}
	copied(p, func(p *byte, n int) { blocksZKSH(v, p, n) })
}

// BlocksZVKSH is BlocksZBB with the SM3 instructions for vectors, which load bytes.
func BlocksZVKSH(v *[8]uint32, p []byte) { blocksZVKSH(v, &p[0], len(p)) }

// aligned reports whether p begins at a multiple of 8: some machines emulate other loads.
func aligned(p []byte) bool { return uintptr(unsafe.Pointer(&p[0]))%8 == 0 }

// copied calls f for copies of the blocks of p.
func copied(p []byte, f func(p *byte, n int)) {
	var blocks [64]uint64
	b := (*[8 * len(blocks)]byte)(unsafe.Pointer(&blocks))
	for len(p) > 0 {
		n := copy(b[:], p)
		f(&b[0], n)
		p = p[n:]
	}
	clear(blocks[:])
	runtime.KeepAlive(&blocks)
}
