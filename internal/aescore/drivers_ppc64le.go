//go:build !purego

package aescore

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"math/bits"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/ghash"
	"github.com/cipherlane/cipherlane/internal/offload"
)

// std is crypto/aes, which has kernels for this architecture, while this package has none. It is called
// through interfaces. Buffers are hidden from escape analysis, or every caller's would move to the heap.
// Counter mode and GCM are objects: the counter of a stream of crypto/cipher cannot be set.
const std uint8 = 1 // kernels: Std, ByBlocks

// Rows returns the table of drivers, for package aes.
// Priorities: docs/benchmarks.md, AES on ppc64le.
//
// All CPUs of this architecture have AES instructions. With these settings crypto/aes uses tables
// instead, at addresses that depend on secrets, and is no driver.
func Rows() []drivers.Info {
	settings, _ := syscall.Getenv("GODEBUG")
	if strings.Contains(settings, "ppc64aes=off") || strings.Contains(settings, "ppc64gcm=off") {
		return slices.Clone(infos[:std])
	}
	return slices.Clone(infos)
}

var infos = []drivers.Info{
	generic: {Name: "generic", Priority: 100, Timing: timingGeneric},
	std:     {Name: "std", Priority: 200, Timing: "independent of secrets: crypto/aes, with the CPU's instructions"},
}

var traits = [...]Traits{
	generic: genericTraits,
	std: {
		CTRShort: 4 * BlockSize, CTRAhead: MaxAhead,
		GHASH: ghash.Generic, SIVShort: ghash.Generic, SIVLong: ghash.Generic,
		Width: 1,
	},
}

// Keys are the round keys in the representations of the drivers.
type Keys struct {
	generic *genericKeys // nil if no driver needs them
	block   cipher.Block // likewise; with its own round keys
	rounds  int

	busy                 atomic.Bool // whether these are in use
	encrypter, decrypter chain       // nil until needed
}

func (k *Keys) portable() *genericKeys { return k.generic }

// Expand sets a key of 16, 24 or 32 bytes, in the representations for these drivers.
func (k *Keys) Expand(plan drivers.Plan, key []byte) {
	if plan.Has(generic) {
		if k.generic == nil {
			k.generic = new(genericKeys)
		}
		k.generic.expand(key)
	}
	if plan.Has(std) {
		k.drop()
		k.block, _ = aes.NewCipher(offload.Hidden(key)) // its size is right
	}
	k.rounds = len(key)/4 + 6
}

// Wipe overwrites the round keys. Those inside crypto/aes cannot be overwritten, and are dropped.
func (k *Keys) Wipe() {
	if k.generic != nil {
		k.generic.wipe()
	}
	k.drop()
}

func (k *Keys) drop() { k.block, k.encrypter, k.decrypter = nil, nil, nil }

// Rounds returns the number of rounds.
func (k *Keys) Rounds() int { return k.rounds }

func encryptBlocksStd(k *Keys, dst, src []byte) {
	out, in := offload.Hidden(dst), offload.Hidden(src)
	k.block.Encrypt(out, in) // most calls are for one block
	for i := BlockSize; i < len(in); i += BlockSize {
		k.block.Encrypt(out[i:], in[i:])
	}
}

func decryptBlocksStd(k *Keys, dst, src []byte) {
	out, in := offload.Hidden(dst), offload.Hidden(src)
	k.block.Decrypt(out, in) // most calls are for one block
	for i := BlockSize; i < len(in); i += BlockSize {
		k.block.Decrypt(out[i:], in[i:])
	}
}

// A chain is a CBC mode of crypto/cipher. It has its own copy of the round keys, so it is made when it is first
// needed, and kept for later calls. If each mode had its own, a call would take 100 instructions fewer, of 500
// for 64 bytes, and each mode half a kilobyte more, and all drivers would have to ask for it.
type chain interface {
	cipher.BlockMode
	SetIV(iv []byte)
}

// cbc processes src with a chain that is kept, or with a new one if those of the key are in use.
func (k *Keys) cbc(kept *chain, make func(cipher.Block, []byte) cipher.BlockMode, iv *[BlockSize]byte, dst, src []byte) {
	var c chain
	free := k.busy.CompareAndSwap(false, true)
	if free {
		c = *kept
	}
	if c == nil {
		c = make(k.block, offload.HiddenBlock(iv)[:]).(chain)
		if free {
			*kept = c
		}
	} else {
		c.SetIV(offload.HiddenBlock(iv)[:])
	}
	c.CryptBlocks(offload.Hidden(dst), offload.Hidden(src))
	if free {
		k.busy.Store(false)
	}
}

func cbcEncryptStd(k *Keys, iv *[BlockSize]byte, dst, src []byte) {
	k.cbc(&k.encrypter, cipher.NewCBCEncrypter, iv, dst, src)
	*iv = [BlockSize]byte(dst[len(src)-BlockSize:])
}

func cbcDecryptStd(k *Keys, iv *[BlockSize]byte, dst, src []byte) {
	next := [BlockSize]byte(src[len(src)-BlockSize:])
	k.cbc(&k.decrypter, cipher.NewCBCDecrypter, iv, dst, src)
	*iv = next
}

func ctrStd(k *Keys, counter *[BlockSize]byte, dst, src []byte, rest *[BlockSize]byte) {
	stream := cipher.NewCTR(k.block, offload.HiddenBlock(counter)[:])
	stream.XORKeyStream(offload.Hidden(dst), offload.Hidden(src))
	if used := len(src) % BlockSize; used > 0 {
		unused := rest[used:]
		clear(unused)
		stream.XORKeyStream(offload.Hidden(unused), offload.Hidden(unused))
	}
	blocks := uint64(len(src)+BlockSize-1) / BlockSize
	low, carry := bits.Add64(binary.BigEndian.Uint64(counter[8:]), blocks, 0)
	binary.BigEndian.PutUint64(counter[8:], low)
	binary.BigEndian.PutUint64(counter[:], binary.BigEndian.Uint64(counter[:])+carry)
}

func newCTRStd(k *Keys, counter *[BlockSize]byte) Stream {
	return cipher.NewCTR(k.block, offload.HiddenBlock(counter)[:])
}

// newGCMStd is all of GCM, because no other function of crypto/cipher calls its kernels for GHASH.
func newGCMStd(k *Keys, nonceSize, tagSize int) (a AEAD) {
	if tagSize == BlockSize {
		a, _ = cipher.NewGCMWithNonceSize(k.block, nonceSize)
	} else if nonceSize == 12 {
		a, _ = cipher.NewGCMWithTagSize(k.block, tagSize)
	}
	return a
}
