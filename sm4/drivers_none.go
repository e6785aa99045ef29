//go:build purego || !amd64

package sm4

import (
	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/ghash"
	"github.com/cipherlane/cipherlane/internal/modes"
)

const generic uint8 = 0

var table = drivers.Register("sm4", []driver.Info{
	generic: {Name: "generic", Priority: 100, Timing: timingGeneric},
})

// keys are the round keys in the representation that the driver uses.
type keys struct{ generic genericKeys }

func (k *keys) expand(_ uint8, key *[KeySize]byte) { k.generic.expand(key) }
func (k *keys) widen(uint8)                        { k.generic.widen() }
func (k *keys) wipe()                              { k.generic.wipe() }

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

// cfbDecrypt returns 0: there is no kernel for CFB.
func cfbDecrypt(uint8, *keys, *[BlockSize]byte, []byte, []byte) int { return 0 }

func ctrXOR(row uint8, k *keys, counter *[BlockSize]byte, dst, src []byte, rest *[BlockSize]byte) {
	k.of(row).ctr(counter, dst, src, rest)
}

// xts returns false: there is no kernel for XTS.
func xts(uint8, *keys, *[BlockSize]byte, []byte, []byte, uint64, bool) bool { return false }

// counters returns false: there is no kernel for it.
func counters(uint8, *keys, [][BlockSize]byte, int, int, []byte, []byte) bool { return false }

// keyedBlocks returns false: there is no kernel for it.
func keyedBlocks(_ uint8, dst, src, keys []byte, decrypt bool) bool { return false }

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

// A laneKernel is empty: there is no kernel for lanes with different keys.
type laneKernel struct{}

func (*laneKernel) wipe() {}

func togetherMin(uint8) int { return togetherMinGeneric }

// encrypt continues the first count lanes by the given number of blocks.
func (l *lanes) encrypt(row uint8, count, blocks int) {
	l.encryptTogether(row, count, blocks*BlockSize)
}
