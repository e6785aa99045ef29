//go:build purego || !(amd64 || arm64 || ppc64le)

package aes

import (
	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/ghash"
	"github.com/cipherlane/cipherlane/internal/modes"
)

const generic uint8 = 0

var table = drivers.Register("aes", []driver.Info{
	generic: {Name: "generic", Priority: 100, Timing: timingGeneric},
})

// keys are the round keys in the representation that the driver uses.
type keys struct{ generic genericKeys }

func (k *keys) expand(_ uint8, key []byte) { k.generic.expand(key) }
func (k *keys) wipe()                      { k.generic.wipe() }

// of returns the round keys, or panics if they were wiped.
func (k *keys) of(row uint8) *genericKeys {
	if row != generic {
		panic(noKernel)
	}
	return &k.generic
}

func encryptBlocks(row uint8, k *keys, dst, src []byte) { k.of(row).encryptBlocks(dst, src) }
func decryptBlocks(row uint8, k *keys, dst, src []byte) { k.of(row).decryptBlocks(dst, src) }

func cbcEncrypt(row uint8, k *keys, iv *[BlockSize]byte, dst, src []byte) {
	k.of(row).cbcEncrypt(iv, dst, src)
}

func cbcDecrypt(row uint8, k *keys, iv *[BlockSize]byte, dst, src []byte) {
	k.of(row).cbcDecrypt(iv, dst, src)
}

func aheadOf(uint8) (short, size int) { return genericPass, genericPass }

func ctrXOR(row uint8, k *keys, counter *[BlockSize]byte, dst, src []byte, rest *[BlockSize]byte) {
	k.of(row).ctr(counter, dst, src, rest)
}

func xts(b *bulk, tweak *[BlockSize]byte, dst, src []byte, decrypt bool) {
	b.keys.of(b.row).xts(tweak, dst, src, decrypt)
}

func ghashRow(uint8) uint8 { return ghash.Generic }

func sivHash(uint8) (short, long uint8, longBytes int) { return ghash.Generic, ghash.Generic, 0 }

func seal(row uint8, k *keys, hash *ghash.Key, m *modes.GCMMessage, dst, src []byte) {
	k.of(row).gcm(hash, m, dst, src, true)
}

func open(row uint8, k *keys, hash *ghash.Key, m *modes.GCMMessage, dst, src []byte) {
	k.of(row).gcm(hash, m, dst, src, false)
}

const rowCount = 1

const maxPass = 64 << 10 // in one call of encrypt

func widthOf(uint8) int { return 1 }

func (k *keys) rounds() int { return k.generic.rounds }

// encrypt continues the only lane by the given number of blocks.
func (l *lanes) encrypt(row uint8, _, blocks int) { l[0].encryptAlone(row, blocks*BlockSize) }
