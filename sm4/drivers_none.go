//go:build purego || (!amd64 && !arm && !arm64 && !riscv64)

package sm4

import (
	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/ghash"
)

var infos = []driver.Info{
	generic: {Name: "generic", Priority: 100, Timing: timingGeneric},
}

var table = drivers.Register("sm4", infos)

var traits = [...]trait{generic: genericTrait}

// roundKeys are the round keys in the representation of the driver.
type roundKeys struct{ generic genericKeys }

func (k *roundKeys) portable() *genericKeys             { return &k.generic }
func (k *roundKeys) expand(_ uint8, key *[KeySize]byte) { k.generic.expand(key) }
func (k *roundKeys) wipe()                              { k.generic.wipe() }

// There are no kernels.

func encryptBlocksKernel(row uint8, k *keys, dst, src []byte) {
	encryptBlocksPortable(row, k, dst, src)
}

func decryptBlocksKernel(row uint8, k *keys, dst, src []byte) {
	decryptBlocksPortable(row, k, dst, src)
}

func cbcEncryptKernel(row uint8, k *keys, iv *[BlockSize]byte, dst, src []byte) {
	cbcEncryptPortable(row, k, iv, dst, src)
}

func cbcDecryptKernel(row uint8, k *keys, iv *[BlockSize]byte, dst, src []byte) {
	cbcDecryptPortable(row, k, iv, dst, src)
}

func cfbDecryptKernel(row uint8, k *keys, iv *[BlockSize]byte, dst, src []byte) int {
	return cfbDecryptPortable(row, k, iv, dst, src)
}

func ctrKernel(row uint8, k *keys, counter *[BlockSize]byte, dst, src []byte, rest *[BlockSize]byte) {
	ctrPortable(row, k, counter, dst, src, rest)
}

// ahead is the size of the keystream that is generated for a short request: on every driver
// a pass over 16 blocks takes hardly longer than one over a single block.
const ahead = 16 * BlockSize

func ctrAhead(drivers.Plan, int, bool) int { return ahead }

const ctrBlocksMin = 0 // there is no ctrBlocks

func ctrBlocks(uint8, *keys, *[BlockSize]byte, []byte, []byte) bool { return false }

func ctr32Kernel(row uint8, k *keys, counter *[BlockSize]byte, dst, src []byte, rest *[BlockSize]byte) {
	ctr32Portable(row, k, counter, dst, src, rest)
}

func xtsKernel(row uint8, k *keys, tweak *[BlockSize]byte, dst, src []byte, matrix uint64, decrypt bool) bool {
	return xtsPortable(row, k, tweak, dst, src, matrix, decrypt)
}

// hasUnits says that there are drivers for which xtsUnitKernel does something.
const hasUnits = false

func xtsUnitKernel(row uint8, k, first *keys, tweak *[BlockSize]byte, dst, src []byte, gb, decrypt bool) bool {
	return xtsUnitPortable(row, k, first, tweak, dst, src, gb, decrypt)
}

func countersKernel(row uint8, k *keys, starts [][BlockSize]byte, first, which int, dst, src []byte) bool {
	return countersPortable(row, k, starts, first, which, dst, src)
}

func keyedBlocksKernel(row uint8, dst, src, keys []byte, decrypt bool) bool {
	return keyedBlocksPortable(row)
}

func sealKernel(row uint8, k *keys, m *ghash.Message, dst, src []byte) {
	sealPortable(row, k, m, dst, src)
}

func openKernel(row uint8, k *keys, m *ghash.Message, dst, src []byte) {
	openPortable(row, k, m, dst, src)
}

// A laneKernel is empty: there is no kernel for lanes with different keys.
type laneKernel struct{}

func (*laneKernel) set(int, *keys, *[BlockSize]byte, []byte, []byte) {}
func (*laneKernel) chain(int) (chain [BlockSize]byte)                { return chain }
func (*laneKernel) Wipe()                                            {}

func worthLanesKernel(uint8, int, int) bool { panic(noKernel) }

func encryptLanesKernel(uint8, *laneKernel, int, int, bool) { panic(noKernel) }
