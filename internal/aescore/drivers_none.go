//go:build purego || !(amd64 || arm || arm64 || riscv64 || mips || mipsle || mips64 || mips64le)

package aescore

import (
	"slices"

	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/ghash"
)

// Rows returns the table of drivers, for package aes.
func Rows() []driver.Info { return slices.Clone(infos) }

var infos = []driver.Info{
	generic: {Name: "generic", Priority: 100, Timing: timingGeneric},
}

var traits = [...]Traits{generic: genericTraits}

// Keys are the round keys in the representation of the driver.
type Keys struct{ generic genericKeys }

func (k *Keys) portable() *genericKeys { return &k.generic }

// Expand sets a key of 16, 24 or 32 bytes, in the representations for these drivers.
func (k *Keys) Expand(plan drivers.Plan, key []byte) { k.generic.expand(key) }

// Wipe overwrites the round keys.
func (k *Keys) Wipe() { k.generic.wipe() }

// Rounds returns the number of rounds.
func (k *Keys) Rounds() int { return k.generic.rounds }

// There are no kernels.

func encryptBlocksKernel(row uint8, k *Keys, dst, src []byte) {
	encryptBlocksPortable(row, k, dst, src)
}

func decryptBlocksKernel(row uint8, k *Keys, dst, src []byte) {
	decryptBlocksPortable(row, k, dst, src)
}

func cbcEncryptKernel(row uint8, k *Keys, iv *[BlockSize]byte, dst, src []byte) {
	cbcEncryptPortable(row, k, iv, dst, src)
}

func cbcDecryptKernel(row uint8, k *Keys, iv *[BlockSize]byte, dst, src []byte) {
	cbcDecryptPortable(row, k, iv, dst, src)
}

func ctrKernel(row uint8, k *Keys, counter *[BlockSize]byte, dst, src []byte, rest *[BlockSize]byte) {
	ctrPortable(row, k, counter, dst, src, rest)
}

func xtsKernel(row uint8, k *Keys, tweak *[BlockSize]byte, dst, src []byte, decrypt bool) {
	xtsPortable(row, k, tweak, dst, src, decrypt)
}

func xtsUnitKernel(row uint8, k, first *Keys, tweak *[BlockSize]byte, dst, src []byte, decrypt bool) {
	xtsUnitPortable(row, k, first, tweak, dst, src, decrypt)
}

func sealKernel(row uint8, k *Keys, m *ghash.Message, dst, src []byte) {
	sealPortable(row, k, m, dst, src)
}

func openKernel(row uint8, k *Keys, m *ghash.Message, dst, src []byte) {
	openPortable(row, k, m, dst, src)
}
