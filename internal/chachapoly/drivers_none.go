//go:build purego || !(386.sse2 || amd64 || arm || arm64 || riscv64 || mips || mipsle || mips64 || mips64le)

package chachapoly

import (
	"slices"

	"github.com/cipherlane/cipherlane/driver"
)

// Rows returns the table of drivers, for package chacha20poly1305 or chacha20.
func Rows() []driver.Info { return slices.Clone(infos) }

var infos = []driver.Info{
	generic: {Name: "generic", Priority: 100, Timing: timingGeneric},
}

var ahead = [...]uint8{generic: 1}

// There are no kernels.

func sealKernel(row uint8, dst, src, ad []byte, key *[8]uint32, nonce *[3]uint32) {
	sealPortable(row, dst, src, ad, key, nonce)
}

func openKernel(row uint8, dst, src, ad []byte, key *[8]uint32, nonce *[3]uint32) bool {
	return openPortable(row, dst, src, ad, key, nonce)
}

func xorKernel(row uint8, dst, src []byte, state *[16]uint32) {
	xorPortable(row, dst, src, state)
}

func blocksKernel(row uint8, h *[3]uint64, r *[2]uint64, p []byte) {
	blocksPortable(row, h, r, p)
}

func sealManyKernel(row uint8, key *[8]uint32, packets []Packet) {
	sealManyPortable(row, key, packets)
}

func openManyKernel(row uint8, key *[8]uint32, packets []Packet) {
	openManyPortable(row, key, packets)
}

func hChaChaKernel(row uint8, out, key *[8]uint32, nonce *[4]uint32) {
	hChaChaPortable(row, out, key, nonce)
}
