package aescore

import (
	"crypto/subtle"
	"runtime"

	"github.com/cipherlane/cipherlane/internal/ghash"
	"github.com/cipherlane/cipherlane/internal/tweaks"
)

// This file has every operation once, for all architectures. An operation calls the
// switch over the architecture's kernels in drivers_<goarch>.go, …Kernel, and that calls
// the operation's end in this file, …Portable, if the driver has no kernel for it. Data
// that is too long for one call of a kernel also ends there, to be cut into passes. In
// this order, neither costs the kernels anything.
//
// In all operations, dst and src have the same length, which is not 0, and overlap
// entirely or not at all. k has been expanded for the driver.

// generic is the row of the portable driver in every table.
const generic uint8 = 0

// Wiped is the row of a wiped key. No driver has it, so every operation panics.
const Wiped = 0xff

// MaxLanes is the number of lanes of the widest kernel of any driver.
const MaxLanes = 16

// MaxAhead is the largest number of bytes of keystream that counter mode generates ahead.
const MaxAhead = 8 * BlockSize

const noKernel = "aes: use of a wiped key"

// MaxPass is the number of bytes that one call of a kernel processes at most, because
// the runtime cannot preempt assembly.
const MaxPass = 64 << 10

// long marks the row of a driver that must process its data in passes. No kernel has such
// a row, so switches call the portable branch, which removes the mark.
const long = 0x80

// by returns the row, marked if n bytes are too many for one pass.
func by(row uint8, n int) uint8 {
	if n > MaxPass {
		return row | long
	}
	return row
}

// only panics if the row is not that of the portable driver: either a kernel is missing
// or the key was wiped.
func only(row uint8) {
	if row != generic {
		panic(noKernel)
	}
}

// known panics if there is no such driver, for operations composed of others: before they
// write anything.
func known(row uint8) {
	if int(row) >= len(traits) {
		panic(noKernel)
	}
}

// Traits are the properties of a driver that its callers need.
type Traits struct {
	// Counter mode handles requests of fewer than CTRShort bytes by generating
	// CTRAhead bytes of keystream, and keeps the rest for later requests.
	CTRShort, CTRAhead uint8

	// CTRInCCM is the driver for counter mode in CCM, or 0 if it is this one. Next to instructions of
	// 512 bits, Intel's CPUs have one port instead of two for those of the chain.
	CTRInCCM uint8

	// GHASH is the GHASH driver whose powers of the hash key Seal and Open use.
	GHASH uint8

	// GCMClean says that Seal and Open leave no copy of J0 on the stack.
	GCMClean bool

	// The GHASH drivers for GCM-SIV. Since every message has its own hash key, short
	// messages use a driver that needs fewer powers of it. SIVLongBytes is 0 if
	// SIVShort is for all messages. The thresholds are for Zen 5.
	SIVShort, SIVLong uint8
	SIVLongBytes      uint16

	// Chains says that there are kernels for CBCMAC, CFBEncrypt, CFBDecrypt and CCM.
	Chains bool

	// Width is the number of lanes that one call of a kernel continues.
	Width uint8

	// NarrowBelow is the number of blocks of a message below which 8 lanes at a time are faster than Width.
	NarrowBelow uint8
}

// TraitsOf returns the properties of a driver.
func TraitsOf(row uint8) *Traits {
	known(row)
	return &traits[row]
}

// genericTraits are those of the portable driver.
var genericTraits = Traits{
	CTRShort: genericPass, CTRAhead: genericPass,
	GHASH: ghash.Generic, SIVShort: ghash.Generic, SIVLong: ghash.Generic,
	Width: 1,
}

// EncryptBlock encrypts one block.
func EncryptBlock(row uint8, k *Keys, dst, src []byte) { encryptBlocksKernel(row, k, dst, src) }

// DecryptBlock decrypts one block.
func DecryptBlock(row uint8, k *Keys, dst, src []byte) { decryptBlocksKernel(row, k, dst, src) }

// EncryptBlocks encrypts whole blocks, each independently of the others.
func EncryptBlocks(row uint8, k *Keys, dst, src []byte) {
	encryptBlocksKernel(by(row, len(src)), k, dst, src)
}

func encryptBlocksPortable(row uint8, k *Keys, dst, src []byte) {
	if row&long != 0 {
		for row &^= long; len(src) > MaxPass; dst, src = dst[MaxPass:], src[MaxPass:] {
			encryptBlocksKernel(row, k, dst[:MaxPass], src[:MaxPass])
		}
		encryptBlocksKernel(row, k, dst, src)
		return
	}
	only(row)
	k.portable().encryptBlocks(dst, src)
}

// DecryptBlocks is the inverse of EncryptBlocks.
func DecryptBlocks(row uint8, k *Keys, dst, src []byte) {
	decryptBlocksKernel(by(row, len(src)), k, dst, src)
}

func decryptBlocksPortable(row uint8, k *Keys, dst, src []byte) {
	if row&long != 0 {
		for row &^= long; len(src) > MaxPass; dst, src = dst[MaxPass:], src[MaxPass:] {
			decryptBlocksKernel(row, k, dst[:MaxPass], src[:MaxPass])
		}
		decryptBlocksKernel(row, k, dst, src)
		return
	}
	only(row)
	k.portable().decryptBlocks(dst, src)
}

// CBCEncrypt encrypts whole blocks. iv becomes the last ciphertext block.
func CBCEncrypt(row uint8, k *Keys, iv *[BlockSize]byte, dst, src []byte) {
	cbcEncryptKernel(by(row, len(src)), k, iv, dst, src)
}

func cbcEncryptPortable(row uint8, k *Keys, iv *[BlockSize]byte, dst, src []byte) {
	if row&long != 0 {
		for row &^= long; len(src) > MaxPass; dst, src = dst[MaxPass:], src[MaxPass:] {
			cbcEncryptKernel(row, k, iv, dst[:MaxPass], src[:MaxPass])
		}
		cbcEncryptKernel(row, k, iv, dst, src)
		return
	}
	only(row)
	k.portable().cbcEncrypt(iv, dst, src)
}

// CBCDecrypt decrypts whole blocks. iv becomes the last ciphertext block.
func CBCDecrypt(row uint8, k *Keys, iv *[BlockSize]byte, dst, src []byte) {
	cbcDecryptKernel(by(row, len(src)), k, iv, dst, src)
}

func cbcDecryptPortable(row uint8, k *Keys, iv *[BlockSize]byte, dst, src []byte) {
	if row&long != 0 {
		for row &^= long; len(src) > MaxPass; dst, src = dst[MaxPass:], src[MaxPass:] {
			cbcDecryptKernel(row, k, iv, dst[:MaxPass], src[:MaxPass])
		}
		cbcDecryptKernel(row, k, iv, dst, src)
		return
	}
	only(row)
	k.portable().cbcDecrypt(iv, dst, src)
}

// CBCMAC is [CBCEncrypt] with mac as iv, without the ciphertext. Like the other functions for
// chains, it processes the first bytes of src and returns their number, which is 0 if the
// driver has no kernel for it.
func CBCMAC(row uint8, k *Keys, mac *[BlockSize]byte, src []byte) int {
	return cbcMACKernel(row, k, mac, src)
}

// CFBEncrypt encrypts whole blocks in cipher feedback mode. iv becomes the last ciphertext block.
func CFBEncrypt(row uint8, k *Keys, iv *[BlockSize]byte, dst, src []byte) int {
	return cfbEncryptKernel(row, k, iv, dst, src)
}

// CFBDecrypt is the inverse of CFBEncrypt.
func CFBDecrypt(row uint8, k *Keys, iv *[BlockSize]byte, dst, src []byte) int {
	return cfbDecryptKernel(row, k, iv, dst, src)
}

// CCM is counter mode over whole blocks, and CBCMAC of the plaintext. The lower 64 bits of the
// counter must not wrap around.
func CCM(row uint8, k *Keys, mac, counter *[BlockSize]byte, dst, src []byte, decrypt bool) int {
	return ccmKernel(row, k, mac, counter, dst, src, decrypt)
}

// CTR is counter mode over any number of bytes. The counter, a big-endian number of 128
// bits, advances past the last block. Unused keystream of that block goes to the same
// offsets in rest, which may be nil if src is whole blocks.
func CTR(row uint8, k *Keys, counter *[BlockSize]byte, dst, src []byte, rest *[BlockSize]byte) {
	ctrKernel(by(row, len(src)), k, counter, dst, src, rest)
}

func ctrPortable(row uint8, k *Keys, counter *[BlockSize]byte, dst, src []byte, rest *[BlockSize]byte) {
	if row&long != 0 {
		for row &^= long; len(src) > MaxPass; dst, src = dst[MaxPass:], src[MaxPass:] {
			ctrKernel(row, k, counter, dst[:MaxPass], src[:MaxPass], rest)
		}
		ctrKernel(row, k, counter, dst, src, rest)
		return
	}
	only(row)
	k.portable().ctr(counter, dst, src, rest)
}

// XTS encrypts or decrypts whole blocks. tweak, already encrypted, becomes that of the
// block after them.
func XTS(row uint8, k *Keys, tweak *[BlockSize]byte, dst, src []byte, decrypt bool) {
	xtsKernel(by(row, len(src)), k, tweak, dst, src, decrypt)
}

// xtsPortable also serves drivers that have only kernels for blocks.
func xtsPortable(row uint8, k *Keys, tweak *[BlockSize]byte, dst, src []byte, decrypt bool) {
	switch {
	case row&long != 0:
		for row &^= long; len(src) > MaxPass; dst, src = dst[MaxPass:], src[MaxPass:] {
			xtsKernel(row, k, tweak, dst[:MaxPass], src[:MaxPass], decrypt)
		}
		xtsKernel(row, k, tweak, dst, src, decrypt)
	case row == generic:
		k.portable().xts(tweak, dst, src, decrypt)
	default:
		xtsByBlocks(row, k, tweak, dst, src, decrypt)
	}
}

// XTSUnit is XTS for at most MaxPass bytes from the tweak on that is not yet encrypted. The keys
// first, which have been expanded for the same drivers, encrypt it.
func XTSUnit(row uint8, k, first *Keys, tweak *[BlockSize]byte, dst, src []byte, decrypt bool) {
	xtsUnitKernel(row, k, first, tweak, dst, src, decrypt)
}

func xtsUnitPortable(row uint8, k, first *Keys, tweak *[BlockSize]byte, dst, src []byte, decrypt bool) {
	encryptBlocksKernel(row, first, tweak[:], tweak[:])
	xtsKernel(row, k, tweak, dst, src, decrypt)
}

// xtsByBlocks is XTS for drivers that have only kernels for blocks.
func xtsByBlocks(row uint8, k *Keys, tweak *[BlockSize]byte, dst, src []byte, decrypt bool) {
	known(row)
	var memory [32 * BlockSize]byte
	for len(src) > 0 {
		n := min(len(src), len(memory))
		out, t := dst[:n], memory[:n]
		tweaks.Fill(t, tweak)
		subtle.XORBytes(out, src, t)
		if decrypt {
			decryptBlocksKernel(row, k, out, out)
		} else {
			encryptBlocksKernel(row, k, out, out)
		}
		subtle.XORBytes(out, out, t)
		dst, src = dst[n:], src[n:]
	}
	clear(memory[:])
	runtime.KeepAlive(&memory)
}

// Seal is GCM for the message for which m has begun: it encrypts src, of any length,
// and sets m.Y to the tag. The hash key is for the GHASH driver of the [Traits].
func Seal(row uint8, k *Keys, m *ghash.Message, dst, src []byte) {
	sealKernel(row, k, m, dst, src)
}

// sealPortable also serves drivers that have only kernels for blocks.
func sealPortable(row uint8, k *Keys, m *ghash.Message, dst, src []byte) {
	if row == generic {
		k.portable().gcm(m, dst, src, true)
		return
	}
	known(row)
	gcmByBlocks(row, k, m, dst, src, true)
}

// Open is the inverse of Seal. It sets m.Y to the right tag, which the caller has to
// compare with that of the message. If they differ, the caller has to wipe dst.
func Open(row uint8, k *Keys, m *ghash.Message, dst, src []byte) {
	openKernel(row, k, m, dst, src)
}

// openPortable also serves drivers that have only kernels for blocks.
func openPortable(row uint8, k *Keys, m *ghash.Message, dst, src []byte) {
	if row == generic {
		k.portable().gcm(m, dst, src, false)
		return
	}
	known(row)
	gcmByBlocks(row, k, m, dst, src, false)
}

// CBCEncryptMany encrypts a number of blocks of each lane, at least 1 and at most 64 KiB.
// There are at most as many lanes as the Width of the [Traits], which is more than 1; with
// other drivers, callers use [CBCEncrypt]. All keys have the same number of rounds, and either
// all lanes have a dst or none has.
func CBCEncryptMany(row uint8, lanes []Lane, blocks int) { cbcEncryptManyKernel(row, lanes, blocks) }
