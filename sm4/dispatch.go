package sm4

import (
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/ghash"
	"github.com/cipherlane/cipherlane/internal/modes"
)

// kernels has the operations for which drivers may have kernels. _gen/switches writes the
// functions that call these, switch_<goarch>.go, and what is rare, switch_all.go: data that is too
// long for one call of a kernel, and drivers whose round keys are not those for bulk.
//
// In all operations, dst and src have the same length, which is not 0, and overlap
// entirely or not at all. k has been expanded for the driver. What returns false does nothing: the
// driver has no kernel for it.
type kernels interface {
	// encryptBlocks encrypts whole blocks, each independently of the others.
	//
	//switches:passes
	encryptBlocks(k *keys, dst, src []byte)

	// decryptBlocks is the inverse of encryptBlocks.
	//
	//switches:passes
	decryptBlocks(k *keys, dst, src []byte)

	// cbcEncrypt encrypts whole blocks. iv becomes the last ciphertext block.
	//
	//switches:passes
	cbcEncrypt(k *keys, iv *[BlockSize]byte, dst, src []byte)

	// cbcDecrypt decrypts whole blocks. iv becomes the last ciphertext block.
	//
	//switches:passes
	cbcDecrypt(k *keys, iv *[BlockSize]byte, dst, src []byte)

	// cfbEncryptKernel encrypts as many of the first bytes of src, whole blocks, in CFB mode as there is a
	// kernel for, and returns their number. iv becomes the last of these ciphertext blocks.
	//
	//switches:optional
	cfbEncryptKernel(k *keys, iv *[BlockSize]byte, dst, src []byte) int

	// cfbDecrypt decrypts whole blocks at the beginning of src in CFB mode and returns
	// their length, which is 0 if the driver has no kernel. iv becomes the last of these
	// ciphertext blocks.
	//
	//switches:passes
	//switches:optional
	cfbDecrypt(k *keys, iv *[BlockSize]byte, dst, src []byte) int

	// cbcMACKernel is cbcEncrypt with mac as iv, without the ciphertext, for as many of the first bytes of
	// src, whole blocks, as there is a kernel for. It returns their number.
	//
	//switches:optional
	cbcMACKernel(k *keys, mac *[BlockSize]byte, src []byte) int

	// ccmKernel is counter mode and cbcMAC of the plaintext, under the same conditions as cbcMAC. The lower
	// 64 bits of the counter must not wrap around.
	//
	//switches:optional
	ccmKernel(k *keys, mac, counter *[BlockSize]byte, dst, src []byte, decrypt bool) int

	// ctrKernel is counter mode over any number of bytes. The counter, a big-endian number of
	// 128 bits, advances past the last block. Unused keystream of that block goes to the same
	// offsets in rest, which may be nil if src is whole blocks.
	//
	//switches:passes
	ctrKernel(k *keys, counter *[BlockSize]byte, dst, src []byte, rest *[BlockSize]byte)

	// ctr32 is like ctrXOR with the counter of GCM: only the last 32 bits count, and they wrap
	// around without a carry into the others (inc_32 in NIST SP 800-38D). Its time does not
	// depend on the counter, which in GCM depends on the hash key unless the nonce has 12
	// bytes. src is at most maxPass bytes. Drivers that do all of GCM have no kernel for it.
	ctr32(k *keys, counter *[BlockSize]byte, dst, src []byte, rest *[BlockSize]byte)

	// xts encrypts or decrypts whole blocks. tweak becomes that of the block after them.
	// The bytes of tweaks are multiplied by matrix before they are added to the data.
	//
	//switches:passes
	//switches:optional
	xts(k *keys, tweak *[BlockSize]byte, dst, src []byte, matrix uint64, decrypt bool) bool

	// xtsUnit is xts for at most maxPass bytes from the tweak on that is not yet encrypted. The keys
	// first, which have been expanded for the same drivers, encrypt it.
	//
	//switches:optional
	xtsUnit(k, first *keys, tweak *[BlockSize]byte, dst, src []byte, gb, decrypt bool) bool

	// counters adds keystream to src, which is batches of modes.CounterBatch bytes, at
	// most 64 KiB, or empty. The keystream of block j is the encryption of starts[m/128] with m%128
	// XORed into byte which, where m = first + j. first is less than 128; if it is not 0,
	// there is one start more than batches. This is GCM-SIV, which counts in the first four bytes,
	// and HCTR, which XORs the counter: within 128 blocks from a multiple of 128 both are the same.
	//
	//switches:optional
	counters(k *keys, starts [][BlockSize]byte, first, which int, dst, src []byte) bool

	// keyedBlocksKernel encrypts or decrypts 1 to maxLanes blocks, each under the key at the same
	// offset in keys.
	//
	//switches:optional
	keyedBlocksKernel(dst, src, keys []byte, decrypt bool) bool

	// seal is GCM for the message for which m has begun: it encrypts src, of any length, and
	// sets m.Y to the tag. The hash key is for the GHASH driver of the trait.
	seal(k *keys, m *ghash.Message, dst, src []byte)

	// open is the inverse of seal. It sets m.Y to the right tag, which the caller has to
	// compare with that of the message. If they differ, the caller has to wipe dst.
	open(k *keys, m *ghash.Message, dst, src []byte)

	// worthLanes reports whether encryptLanes is faster than one lane after the other. Both are for drivers
	// whose trait has lanes.
	worthLanes(lanes, blocks int) bool

	// encryptLanes encrypts blocks of lanes with different keys, in CBC mode. If store is not set,
	// only the last ciphertext blocks are wanted.
	encryptLanes(l *laneKernel, lanes, blocks int, store bool)
}

// A laneKernel is the memory of kernels for lanes with different keys.
//
//switches:default type laneKernel struct{}
//switches:default func (*laneKernel) set(int, *keys, *[BlockSize]byte, []byte, []byte) {}
//switches:default func (*laneKernel) chain(int) (chain [BlockSize]byte) { return chain }
//switches:default func (*laneKernel) Wipe() {}

// ctrAhead returns the size of the keystream that is generated for a request of n bytes, which is
// short if it is smaller, and ahead is the maximum. used is not set at the beginning of a message,
// which may be all of it. With most drivers a pass over 16 blocks takes hardly longer than one over
// a single block.
//
//switches:default func ctrAhead(_ drivers.Plan, n int, used bool) int { return ahead }
//switches:default const ahead = 16 * BlockSize

// ctrBlocks is ctrXOR for whole blocks that are not too many for one pass. It returns false and
// does nothing if keystream for a few blocks takes almost as long as for many. ctrBlocksMin is the
// number of bytes from which it is faster than keystream that is generated ahead, or 0 if no driver
// has it.
//
//switches:default func ctrBlocks(uint8, *keys, *[BlockSize]byte, []byte, []byte) bool { return false }
//switches:default const ctrBlocksMin = 0

// hasUnits says that there are drivers for which xtsUnit does something.
//
//switches:default const hasUnits = false

// generic is the row of the portable driver in every table.
const generic uint8 = 0

// wiped replaces the rows in a wiped Cipher. No driver has this row, so every operation
// panics.
const wiped = modes.Wiped

const noKernel = "sm4: use of a wiped key"

// maxPass is the number of bytes that one call of a kernel processes at most, because
// the runtime cannot preempt assembly.
const maxPass = 64 << 10

// Marks of a row. No kernel has a row with a mark, so switches call …Default, which removes it.
// This keeps rare cases off the fast path: a loop before the switch would cost one call more.
const (
	long    = 0x80 // the data must be processed in passes
	ownKeys = 0x40 // the round keys are in keys.more
)

// markLong returns the row, marked if n bytes are too many for one pass.
func markLong(row uint8, n int) uint8 {
	if n > maxPass {
		return row | long
	}
	return row
}

// mustBeGeneric panics if the row is not that of the portable driver: either a kernel is missing
// or the key was wiped.
func mustBeGeneric(row uint8) {
	if row != generic {
		panic(noKernel)
	}
}

// mustExist panics if there is no such driver.
func mustExist(row uint8) {
	if int(row) >= len(traits) {
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

	hasChains bool // kernels for cfbEncrypt, and for cfbDecrypt at all lengths
	hasMACs   bool // kernels for cbcMAC and ccm

	// keys is the first driver of those that have the same round keys, or 0 if no other has them.
	keys uint8
}

var genericTrait = trait{
	ghash: ghash.Generic, sivShort: ghash.Generic, sivLong: ghash.Generic,
	togetherMin: togetherMinGeneric,
}

// traitOf returns the properties of a driver, or panics if there is no such driver.
func traitOf(row uint8) *trait {
	row &^= ownKeys
	mustExist(row)
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

// planOf returns a plan for objects: its rows are marked if their round keys are not
// those for bulk.
func planOf(p drivers.Plan) drivers.Plan {
	if p.IsUniform() {
		return p
	}
	mark := func(row uint8) drivers.Plan {
		if row != p.Bulk() && (traits[row].keys == 0 || traits[row].keys != traits[p.Bulk()].keys) {
			return ownKeys
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
		if row&ownKeys == 0 {
			continue
		}
		row &^= ownKeys
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

// keysFor returns the round keys for a marked row, and the row without the mark.
func (k *keys) keysFor(row uint8) (*keys, uint8) {
	row &^= ownKeys
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
	case row == generic|ownKeys:
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

// ctrXOR is ctr of kernels.
func ctrXOR(row uint8, k *keys, counter *[BlockSize]byte, dst, src []byte, rest *[BlockSize]byte) {
	ctrKernel(markLong(row, len(src)), k, counter, dst, src, rest)
}

// cfbEncrypt calls the kernel for at most one pass.
func cfbEncrypt(row uint8, k *keys, iv *[BlockSize]byte, dst, src []byte) int {
	n := min(len(src), maxPass)
	return cfbEncryptKernel(row, k, iv, dst[:n], src[:n])
}

// cbcMAC calls the kernel for at most one pass.
func cbcMAC(row uint8, k *keys, mac *[BlockSize]byte, src []byte) int {
	return cbcMACKernel(row, k, mac, src[:min(len(src), maxPass)])
}

// ccm calls the kernel for at most one pass.
func ccm(row uint8, k *keys, mac, counter *[BlockSize]byte, dst, src []byte, decrypt bool) int {
	n := min(len(src), maxPass)
	return ccmKernel(row, k, mac, counter, dst[:n], src[:n], decrypt)
}

// keyedBlocks needs no keys that have been expanded.
func keyedBlocks(row uint8, dst, src, keys []byte, decrypt bool) bool {
	return keyedBlocksKernel(row&^ownKeys, dst, src, keys, decrypt)
}

func sealPortable(row uint8, k *keys, m *ghash.Message, dst, src []byte) {
	gcm(row, k, m, dst, src, true)
}

func openPortable(row uint8, k *keys, m *ghash.Message, dst, src []byte) {
	gcm(row, k, m, dst, src, false)
}
