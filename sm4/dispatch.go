package sm4

import (
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/ghash"
	"github.com/cipherlane/cipherlane/internal/modes"
)

// This file has every operation once, for all architectures. An operation calls the
// switch over the architecture's kernels in drivers_<goarch>.go, …Kernel, and that calls
// the operation's end in this file, …Portable, if the driver has no kernel for it. What
// is rare also ends there: data that is too long for one call of a kernel, and drivers
// whose round keys are apart from the others. In this order, none of it costs the kernels
// anything.
//
// In all operations, dst and src have the same length, which is not 0, and overlap
// entirely or not at all. k has been expanded for the driver.

// generic is the row of the portable driver in every table.
const generic uint8 = 0

// wiped replaces the rows in a wiped Cipher. No driver has this row, so every operation
// panics.
const wiped = modes.Wiped

const noKernel = "sm4: use of a wiped key"

// maxPass is the number of bytes that one call of a kernel processes at most, because
// the runtime cannot preempt assembly.
const maxPass = 64 << 10

// Marks of a row. No kernel has a row with a mark, so switches call the portable branch,
// which removes it.
const (
	long  = 0x80 // the data must be processed in passes
	apart = 0x40 // the round keys are in keys.more
)

// by returns the row, marked if n bytes are too many for one pass.
func by(row uint8, n int) uint8 {
	if n > maxPass {
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

// A trait is what callers need to know about a driver.
type trait struct {
	// ghash is the GHASH driver whose powers of the hash key seal and open use.
	ghash uint8

	// The GHASH drivers for GCM-SIV. Since every message has its own hash key, short
	// messages use a driver that needs fewer powers of it. sivLongBytes is 0 if
	// sivShort is for all messages. The thresholds are for Zen 5.
	sivShort, sivLong uint8
	sivLongBytes      uint16

	// lanes is the number of lanes with different keys that one call of a kernel
	// continues, or 0 if there is no such kernel. The portable branch uses kernels for
	// independent blocks instead, with one key; up to togetherMin lanes, that is no
	// faster than one lane after the other.
	lanes, togetherMin uint8

	// chains says that there are kernels for cfbEncrypt, and for cfbDecrypt at all lengths.
	chains bool

	// macs says that there are kernels for cbcMAC and ccm.
	macs bool

	// keys is the first driver of those that have the same round keys, or 0 if no other has them.
	keys uint8
}

var genericTrait = trait{
	ghash: ghash.Generic, sivShort: ghash.Generic, sivLong: ghash.Generic,
	togetherMin: togetherMinGeneric,
}

// traitOf returns the properties of a driver, or panics if there is no such driver.
func traitOf(row uint8) *trait {
	row &^= apart
	if int(row) >= len(traits) {
		panic(noKernel)
	}
	return &traits[row]
}

// keys are the round keys for the drivers of a plan: for bulk, and in more for those
// that need other ones.
type keys struct {
	roundKeys
	more *moreKeys // nil if those for bulk are for all drivers
}

// moreKeys are round keys for another driver than those that refer to them.
type moreKeys struct {
	row uint8
	keys
}

// planOf returns a plan for objects: its rows are marked if their round keys are apart
// from those for bulk.
func planOf(p drivers.Plan) drivers.Plan {
	if p.IsUniform() {
		return p
	}
	mark := func(row uint8) drivers.Plan {
		if row != p.Bulk() && (traits[row].keys == 0 || traits[row].keys != traits[p.Bulk()].keys) {
			return apart
		}
		return 0
	}
	return p | mark(p.Short()) | mark(p.Serial())<<16 | mark(p.Many())<<24
}

// expand sets the key for a plan that planOf has returned.
func (k *keys) expand(plan drivers.Plan, key *[KeySize]byte) {
	k.roundKeys.expand(plan.Bulk(), key)
	if !plan.IsUniform() {
		k.expandMore(plan, key)
	}
}

func (k *keys) expandMore(plan drivers.Plan, key *[KeySize]byte) {
	for _, row := range [...]uint8{plan.Short(), plan.Serial(), plan.Many()} {
		if row&apart == 0 {
			continue
		}
		row &^= apart
		m := k.find(row)
		if m == nil {
			m = &moreKeys{row: row, keys: keys{more: k.more}}
			k.more = m
		}
		m.roundKeys.expand(row, key)
	}
}

func (k *keys) find(row uint8) *moreKeys {
	m := k.more
	for m != nil && m.row != row {
		m = m.more
	}
	return m
}

// apart returns the round keys for a marked row, and the row without the mark.
func (k *keys) apart(row uint8) (*keys, uint8) {
	row &^= apart
	m := k.find(row)
	if m == nil { // wiped
		panic(noKernel)
	}
	return &m.keys, row
}

// widen prepares for modes that process many blocks at once with this driver.
func (k *keys) widen(row uint8) {
	switch {
	case row == generic:
		k.portable().widen()
	case row == generic|apart:
		k.find(generic).portable().widen()
	}
}

func (k *keys) wipe() {
	k.roundKeys.wipe()
	for m := k.more; m != nil; m = m.more {
		m.roundKeys.wipe()
	}
}

// encryptBlock encrypts one block.
func encryptBlock(row uint8, k *keys, dst, src []byte) { encryptBlocksKernel(row, k, dst, src) }

// decryptBlock decrypts one block.
func decryptBlock(row uint8, k *keys, dst, src []byte) { decryptBlocksKernel(row, k, dst, src) }

// encryptBlocks encrypts whole blocks, each independently of the others.
func encryptBlocks(row uint8, k *keys, dst, src []byte) {
	encryptBlocksKernel(by(row, len(src)), k, dst, src)
}

func encryptBlocksPortable(row uint8, k *keys, dst, src []byte) {
	switch {
	case row&long != 0:
		for row &^= long; len(src) > maxPass; dst, src = dst[maxPass:], src[maxPass:] {
			encryptBlocksKernel(row, k, dst[:maxPass], src[:maxPass])
		}
		encryptBlocksKernel(row, k, dst, src)
	case row&apart != 0:
		k, row = k.apart(row)
		encryptBlocksKernel(row, k, dst, src)
	default:
		only(row)
		k.portable().encryptBlocks(dst, src)
	}
}

// decryptBlocks is the inverse of encryptBlocks.
func decryptBlocks(row uint8, k *keys, dst, src []byte) {
	decryptBlocksKernel(by(row, len(src)), k, dst, src)
}

func decryptBlocksPortable(row uint8, k *keys, dst, src []byte) {
	switch {
	case row&long != 0:
		for row &^= long; len(src) > maxPass; dst, src = dst[maxPass:], src[maxPass:] {
			decryptBlocksKernel(row, k, dst[:maxPass], src[:maxPass])
		}
		decryptBlocksKernel(row, k, dst, src)
	case row&apart != 0:
		k, row = k.apart(row)
		decryptBlocksKernel(row, k, dst, src)
	default:
		only(row)
		k.portable().decryptBlocks(dst, src)
	}
}

// cbcEncrypt encrypts whole blocks. iv becomes the last ciphertext block.
func cbcEncrypt(row uint8, k *keys, iv *[BlockSize]byte, dst, src []byte) {
	cbcEncryptKernel(by(row, len(src)), k, iv, dst, src)
}

func cbcEncryptPortable(row uint8, k *keys, iv *[BlockSize]byte, dst, src []byte) {
	switch {
	case row&long != 0:
		for row &^= long; len(src) > maxPass; dst, src = dst[maxPass:], src[maxPass:] {
			cbcEncryptKernel(row, k, iv, dst[:maxPass], src[:maxPass])
		}
		cbcEncryptKernel(row, k, iv, dst, src)
	case row&apart != 0:
		k, row = k.apart(row)
		cbcEncryptKernel(row, k, iv, dst, src)
	default:
		only(row)
		k.portable().cbcEncrypt(iv, dst, src)
	}
}

// cbcDecrypt decrypts whole blocks. iv becomes the last ciphertext block.
func cbcDecrypt(row uint8, k *keys, iv *[BlockSize]byte, dst, src []byte) {
	cbcDecryptKernel(by(row, len(src)), k, iv, dst, src)
}

func cbcDecryptPortable(row uint8, k *keys, iv *[BlockSize]byte, dst, src []byte) {
	switch {
	case row&long != 0:
		for row &^= long; len(src) > maxPass; dst, src = dst[maxPass:], src[maxPass:] {
			cbcDecryptKernel(row, k, iv, dst[:maxPass], src[:maxPass])
		}
		cbcDecryptKernel(row, k, iv, dst, src)
	case row&apart != 0:
		k, row = k.apart(row)
		cbcDecryptKernel(row, k, iv, dst, src)
	default:
		only(row)
		k.portable().cbcDecrypt(iv, dst, src)
	}
}

// cfbEncrypt encrypts as many of the first bytes of src, whole blocks, in CFB mode as there is a
// kernel for, and returns their number. iv becomes the last of these ciphertext blocks.
func cfbEncrypt(row uint8, k *keys, iv *[BlockSize]byte, dst, src []byte) int {
	n := min(len(src), maxPass)
	return cfbEncryptKernel(row, k, iv, dst[:n], src[:n])
}

func cfbEncryptPortable(row uint8, k *keys, iv *[BlockSize]byte, dst, src []byte) int {
	if row&apart != 0 {
		k, row = k.apart(row)
		return cfbEncryptKernel(row, k, iv, dst, src)
	}
	traitOf(row)
	return 0
}

// cbcMAC is [cbcEncrypt] with mac as iv, without the ciphertext, for as many of the first bytes of src,
// whole blocks, as there is a kernel for. It returns their number.
func cbcMAC(row uint8, k *keys, mac *[BlockSize]byte, src []byte) int {
	return cbcMACKernel(row, k, mac, src[:min(len(src), maxPass)])
}

func cbcMACPortable(row uint8, k *keys, mac *[BlockSize]byte, src []byte) int {
	if row&apart != 0 {
		k, row = k.apart(row)
		return cbcMACKernel(row, k, mac, src)
	}
	traitOf(row)
	return 0
}

// ccm is counter mode and cbcMAC of the plaintext, under the same conditions as cbcMAC. The lower 64 bits of
// the counter must not wrap around.
func ccm(row uint8, k *keys, mac, counter *[BlockSize]byte, dst, src []byte, decrypt bool) int {
	n := min(len(src), maxPass)
	return ccmKernel(row, k, mac, counter, dst[:n], src[:n], decrypt)
}

func ccmPortable(row uint8, k *keys, mac, counter *[BlockSize]byte, dst, src []byte, decrypt bool) int {
	if row&apart != 0 {
		k, row = k.apart(row)
		return ccmKernel(row, k, mac, counter, dst, src, decrypt)
	}
	traitOf(row)
	return 0
}

// cfbDecrypt decrypts whole blocks at the beginning of src in CFB mode and returns
// their length, which is 0 if the driver has no kernel. iv becomes the last of these
// ciphertext blocks.
func cfbDecrypt(row uint8, k *keys, iv *[BlockSize]byte, dst, src []byte) (done int) {
	return cfbDecryptKernel(by(row, len(src)), k, iv, dst, src)
}

func cfbDecryptPortable(row uint8, k *keys, iv *[BlockSize]byte, dst, src []byte) (done int) {
	switch {
	case row&long != 0:
		row &^= long
		for done < len(src) {
			end := min(len(src), done+maxPass)
			n := cfbDecryptKernel(row, k, iv, dst[done:end], src[done:end])
			if n == 0 {
				break
			}
			done += n
		}
		return done
	case row&apart != 0:
		k, row = k.apart(row)
		return cfbDecryptKernel(row, k, iv, dst, src)
	}
	traitOf(row)
	return 0
}

// ctrXOR is counter mode over any number of bytes. The counter, a big-endian number of
// 128 bits, advances past the last block. Unused keystream of that block goes to the same
// offsets in rest, which may be nil if src is whole blocks.
func ctrXOR(row uint8, k *keys, counter *[BlockSize]byte, dst, src []byte, rest *[BlockSize]byte) {
	ctrKernel(by(row, len(src)), k, counter, dst, src, rest)
}

func ctrPortable(row uint8, k *keys, counter *[BlockSize]byte, dst, src []byte, rest *[BlockSize]byte) {
	switch {
	case row&long != 0:
		for row &^= long; len(src) > maxPass; dst, src = dst[maxPass:], src[maxPass:] {
			ctrKernel(row, k, counter, dst[:maxPass], src[:maxPass], rest)
		}
		ctrKernel(row, k, counter, dst, src, rest)
	case row&apart != 0:
		k, row = k.apart(row)
		ctrKernel(row, k, counter, dst, src, rest)
	default:
		only(row)
		k.portable().ctr(counter, dst, src, rest)
	}
}

// ctr32 is like ctrXOR with the counter of GCM: only the last 32 bits count, and they wrap
// around without a carry into the others (inc_32 in NIST SP 800-38D). Its time does not
// depend on the counter, which in GCM depends on the hash key unless the nonce has 12
// bytes. src is at most maxPass bytes. Drivers that do all of GCM have no kernel for it.
func ctr32(row uint8, k *keys, counter *[BlockSize]byte, dst, src []byte, rest *[BlockSize]byte) {
	ctr32Kernel(row, k, counter, dst, src, rest)
}

func ctr32Portable(row uint8, k *keys, counter *[BlockSize]byte, dst, src []byte, rest *[BlockSize]byte) {
	only(row)
	k.portable().ctr32(counter, dst, src, rest)
}

// xts encrypts or decrypts whole blocks. tweak becomes that of the block after them.
// The bytes of tweaks are multiplied by matrix before they are added to the data. If
// the driver has no kernel for XTS, xts returns false and does nothing.
func xts(row uint8, k *keys, tweak *[BlockSize]byte, dst, src []byte, matrix uint64, decrypt bool) bool {
	return xtsKernel(by(row, len(src)), k, tweak, dst, src, matrix, decrypt)
}

func xtsPortable(row uint8, k *keys, tweak *[BlockSize]byte, dst, src []byte, matrix uint64, decrypt bool) bool {
	switch {
	case row&long != 0:
		row &^= long
		for ; len(src) > maxPass; dst, src = dst[maxPass:], src[maxPass:] {
			if !xtsKernel(row, k, tweak, dst[:maxPass], src[:maxPass], matrix, decrypt) {
				return false
			}
		}
		return xtsKernel(row, k, tweak, dst, src, matrix, decrypt)
	case row&apart != 0:
		k, row = k.apart(row)
		return xtsKernel(row, k, tweak, dst, src, matrix, decrypt)
	}
	traitOf(row)
	return false
}

// xtsUnit is xts for at most maxPass bytes from the tweak on that is not yet encrypted. The keys
// first, which have been expanded for the same drivers, encrypt it.
func xtsUnit(row uint8, k, first *keys, tweak *[BlockSize]byte, dst, src []byte, gb, decrypt bool) bool {
	return xtsUnitKernel(row, k, first, tweak, dst, src, gb, decrypt)
}

func xtsUnitPortable(row uint8, k, first *keys, tweak *[BlockSize]byte, dst, src []byte, gb, decrypt bool) bool {
	if row&apart != 0 {
		first, _ = first.apart(row)
		k, row = k.apart(row)
		return xtsUnitKernel(row, k, first, tweak, dst, src, gb, decrypt)
	}
	traitOf(row)
	return false
}

// counters adds keystream to src, which is batches of modes.CounterBatch bytes, at
// most 64 KiB. The keystream of block j is the encryption of starts[m/128] with m%128
// XORed into byte which, where m = first + j. first is less than 128; if it is not 0,
// there is one start more than batches. counters reports whether the driver has a
// kernel for this. If not, or if src is empty, it does nothing.
func counters(row uint8, k *keys, starts [][BlockSize]byte, first, which int, dst, src []byte) bool {
	return countersKernel(row, k, starts, first, which, dst, src)
}

func countersPortable(row uint8, k *keys, starts [][BlockSize]byte, first, which int, dst, src []byte) bool {
	if row&apart != 0 {
		k, row = k.apart(row)
		return countersKernel(row, k, starts, first, which, dst, src)
	}
	traitOf(row)
	return false
}

// keyedBlocks encrypts or decrypts 1 to maxLanes blocks, each under the key at the same
// offset in keys. It reports whether the driver has a kernel for this. If not, it does
// nothing.
func keyedBlocks(row uint8, dst, src, keys []byte, decrypt bool) bool {
	return keyedBlocksKernel(row&^apart, dst, src, keys, decrypt)
}

func keyedBlocksPortable(row uint8) bool {
	traitOf(row)
	return false
}

// seal is GCM for the message for which m has begun: it encrypts src, of any length, and
// sets m.Y to the tag. The hash key is for the GHASH driver of the trait.
func seal(row uint8, k *keys, m *ghash.Message, dst, src []byte) { sealKernel(row, k, m, dst, src) }

func sealPortable(row uint8, k *keys, m *ghash.Message, dst, src []byte) {
	if row&apart != 0 {
		k, row = k.apart(row)
		sealKernel(row, k, m, dst, src)
		return
	}
	gcm(row, k, m, dst, src, true)
}

// open is the inverse of seal. It sets m.Y to the right tag, which the caller has to
// compare with that of the message. If they differ, the caller has to wipe dst.
func open(row uint8, k *keys, m *ghash.Message, dst, src []byte) { openKernel(row, k, m, dst, src) }

func openPortable(row uint8, k *keys, m *ghash.Message, dst, src []byte) {
	if row&apart != 0 {
		k, row = k.apart(row)
		openKernel(row, k, m, dst, src)
		return
	}
	gcm(row, k, m, dst, src, false)
}
