//go:build (arm64 || ppc64le) && !purego

package aes

import (
	"crypto/cipher"
	"runtime"
	"sync/atomic"

	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/ghash"
	"github.com/cipherlane/cipherlane/internal/modes"
)

const (
	generic  uint8 = iota
	std            // crypto/aes with the CPU's instructions: see std.go
	rowCount = iota
)

// Priorities: docs/benchmarks.md, AES on arm64 and ppc64le.
var table = drivers.Register("aes", infos())

func infos() []driver.Info {
	list := []driver.Info{
		generic: {Name: "generic", Priority: 100, Timing: timingGeneric},
		std:     {Name: "std", Priority: 200, Timing: "independent of secrets: crypto/aes, with the CPU's instructions"},
	}
	if runtime.GOARCH == "arm64" { // all CPUs of ppc64le have them
		list[std].Needs = cpu.AES | cpu.PMULL
	}
	// Go might not use these instructions even though the CPU has them.
	if cpu.Features().Has(list[std].Needs) && !stdHasInstructions() {
		list = list[:std]
	}
	return list
}

// keys are the round keys in the representation that the driver uses.
type keys struct {
	generic *genericKeys // nil for std
	std     cipher.Block // nil for generic
	chains  atomic.Pointer[stdChains]
	size    int // of the key
}

func (k *keys) expand(row uint8, key []byte) {
	k.size = len(key)
	switch row {
	case generic:
		if k.generic == nil {
			k.generic = new(genericKeys)
		}
		k.generic.expand(key)
	case std:
		k.expandStd(key)
	default:
		panic(noKernel)
	}
}

func (k *keys) wipe() {
	if k.generic != nil {
		k.generic.wipe()
	}
	k.wipeStd()
}

func (k *keys) rounds() int { return k.size/4 + 6 }

const maxPass = 64 << 10 // in one call of encrypt

func encryptBlocks(row uint8, k *keys, dst, src []byte) {
	switch row {
	case generic:
		k.generic.encryptBlocks(dst, src)
	case std:
		k.encryptStd(dst, src)
	default:
		panic(noKernel)
	}
}

func decryptBlocks(row uint8, k *keys, dst, src []byte) {
	switch row {
	case generic:
		k.generic.decryptBlocks(dst, src)
	case std:
		k.decryptStd(dst, src)
	default:
		panic(noKernel)
	}
}

func cbcEncrypt(row uint8, k *keys, iv *[BlockSize]byte, dst, src []byte) {
	switch row {
	case generic:
		k.generic.cbcEncrypt(iv, dst, src)
	case std:
		k.cbcEncryptStd(iv, dst, src)
	default:
		panic(noKernel)
	}
}

func cbcDecrypt(row uint8, k *keys, iv *[BlockSize]byte, dst, src []byte) {
	switch row {
	case generic:
		k.generic.cbcDecrypt(iv, dst, src)
	case std:
		k.cbcDecryptStd(iv, dst, src)
	default:
		panic(noKernel)
	}
}

// aheadOf returns how counter mode handles small requests: for those of fewer than
// short bytes it generates size bytes of keystream, and keeps the rest for later
// requests.
func aheadOf(row uint8) (short, size int) {
	switch row {
	case generic:
		return genericPass, genericPass
	case std:
		return 4 * BlockSize, ahead
	default:
		panic(noKernel)
	}
}

// ctrXOR is counter mode over any number of bytes. The counter advances past the
// last block. Unused keystream of that block goes to the same offsets in rest,
// which may be nil if src is whole blocks.
func ctrXOR(row uint8, k *keys, counter *[BlockSize]byte, dst, src []byte, rest *[BlockSize]byte) {
	switch row {
	case generic:
		k.generic.ctr(counter, dst, src, rest)
	case std:
		k.ctrStd(counter, dst, src, rest)
	default:
		panic(noKernel)
	}
}

// xts encrypts or decrypts whole blocks. tweak becomes that of the block after them.
func xts(b *bulk, tweak *[BlockSize]byte, dst, src []byte, decrypt bool) {
	switch b.row {
	case generic:
		b.keys.generic.xts(tweak, dst, src, decrypt)
	case std:
		modes.XTSBlocks(b, tweak, dst, src, decrypt, false)
	default:
		panic(noKernel)
	}
}

func ghashRow(uint8) uint8 { return ghash.Generic }

func sivHash(uint8) (short, long uint8, longBytes int) { return ghash.Generic, ghash.Generic, 0 }

// sivRow returns the driver for the message keys of GCM-SIV. crypto/aes would
// allocate memory for each key.
func sivRow(uint8) uint8 { return generic }

func seal(row uint8, k *keys, hash *ghash.Key, m *modes.GCMMessage, dst, src []byte) {
	switch row {
	case generic:
		k.generic.gcm(hash, m, dst, src, true)
	case std: // for sizes that crypto/cipher does not support
		gcmByBlocks(row, k, hash, m, dst, src, true)
	default:
		panic(noKernel)
	}
}

func open(row uint8, k *keys, hash *ghash.Key, m *modes.GCMMessage, dst, src []byte) {
	switch row {
	case generic:
		k.generic.gcm(hash, m, dst, src, false)
	case std:
		gcmByBlocks(row, k, hash, m, dst, src, false)
	default:
		panic(noKernel)
	}
}

func widthOf(uint8) int { return 1 }

// encrypt continues the only lane by the given number of blocks.
func (l *lanes) encrypt(row uint8, _, blocks int) { l[0].encryptAlone(row, blocks*BlockSize) }
