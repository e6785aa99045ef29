package sm3

import (
	"encoding/binary"
	"runtime"

	"github.com/cipherlane/cipherlane/internal/clone"
	"github.com/cipherlane/cipherlane/internal/drivers"
)

// An HMAC is the state of the message authentication code HMAC-SM3 (RFC 2104, GB/T
// 15852.2-2012, MAC algorithm 2): its key and the message so far. It is a
// [hash.Hash] and a [hash.Cloner]. A tag has 32 bytes; to get a shorter one,
// truncate it. Compare tags with [crypto/hmac.Equal].
//
// The tags are those of crypto/hmac with [New], which is slower by a fifth for a new
// key and equally fast for further messages. Unlike crypto/hmac's, an HMAC can be
// wiped, allocates only in Clone, and can hold the key for [HMACMany]. It is not
// safe for concurrent use, but its clones are independent of it, and HMACMany only
// reads its key.
type HMAC struct {
	private
	key     hmacKey
	message digest
}

var _ clone.Cloner = (*HMAC)(nil)

// NewHMAC returns HMAC-SM3 with a key of any length. A good length is 32 bytes; a
// key of more than 64 bytes is replaced by its digest. NewHMAC does not retain key.
// It panics in FIPS 140-only mode, where SM3 is not allowed.
func NewHMAC(key []byte) *HMAC { return automatic().NewHMAC(key) }

// NewHMAC is like the package's [NewHMAC], with this driver.
func (d Driver) NewHMAC(key []byte) *HMAC {
	refuseFIPS()
	h := &HMAC{message: digest{plan: d.plan}}
	h.key.init(d.plan, key)
	h.Reset()
	return h
}

// Size returns 32, the size of a tag in bytes.
func (h *HMAC) Size() int { return Size }

// BlockSize returns 64.
func (h *HMAC) BlockSize() int { return BlockSize }

// Reset begins a new message.
func (h *HMAC) Reset() { h.key.begin(&h.message) }

// Write adds p to the message. It never fails.
func (h *HMAC) Write(p []byte) (int, error) {
	h.check()
	return h.message.Write(p)
}

// Sum appends the tag of the message so far to dst.
func (h *HMAC) Sum(dst []byte) []byte {
	h.check()
	var tag [Size]byte
	h.key.sum(&tag, &h.message)
	return append(dst, tag[:]...)
}

// Clone returns an HMAC with the same key and in the same state.
func (h *HMAC) Clone() (clone.Cloner, error) {
	c := *h
	return &c, nil
}

// Wipe overwrites the key and the state of the message. Afterwards Write, Sum and
// [HMACMany] panic.
func (h *HMAC) Wipe() {
	h.key.wipe()
	h.message = digest{plan: drivers.Wiped}
}

// wiped replaces the driver's index in a wiped HMAC. No driver has this index.
const wiped = 0xff

func (h *HMAC) check() {
	if h.message.plan.Bulk() == wiped {
		panic("sm3: use of a wiped key")
	}
}

// hmacKey holds the chaining values after the blocks K ^ ipad and K ^ opad of RFC
// 2104, section 2.
type hmacKey struct{ inner, outer [8]uint32 }

const ipad, opad = 0x36, 0x5c

func (k *hmacKey) init(plan drivers.Plan, key []byte) {
	var block [BlockSize]byte
	if len(key) > BlockSize {
		digest := Driver{plan}.Sum(key)
		copy(block[:], digest[:])
		clear(digest[:])
		runtime.KeepAlive(&digest)
	} else {
		copy(block[:], key)
	}
	k.inner, k.outer = initial, initial
	for i := range block {
		block[i] ^= ipad
	}
	blocksKernel(plan.Pick(BlockSize), &k.inner, block[:])
	for i := range block {
		block[i] ^= ipad ^ opad
	}
	blocksKernel(plan.Pick(BlockSize), &k.outer, block[:])
	clear(block[:])
	runtime.KeepAlive(&block)
}

func (k *hmacKey) wipe() {
	*k = hmacKey{}
	runtime.KeepAlive(k)
}

// mac sets tag to the tag of a message. Like sum and end, it does not return the tag,
// which would stay on the stack: some tags are keys.
func (k *hmacKey) mac(tag *[Size]byte, plan drivers.Plan, message []byte) {
	v := k.inner
	n := len(message) &^ (BlockSize - 1)
	if n > 0 {
		blocks(plan.Pick(n), &v, message[:n])
	}
	k.end(tag, plan, &v, message[n:], BlockSize+uint64(len(message)))
}

// begin sets m to the state after the block of the key, before any message.
func (k *hmacKey) begin(m *digest) {
	m.v = k.inner
	m.length = BlockSize
}

// sum sets tag to the tag of m, which it does not change.
func (k *hmacKey) sum(tag *[Size]byte, m *digest) {
	v := m.v
	k.end(tag, m.plan, &v, m.buffer[:m.length%BlockSize], m.length)
}

// end sets tag to the tag of a message. v is the chaining value after its whole
// blocks, last is the rest, and length includes the block of the key. It overwrites v.
func (k *hmacKey) end(tag *[Size]byte, plan drivers.Plan, v *[8]uint32, last []byte, length uint64) {
	var end ending
	last = end.pad(last, length)
	blocksKernel(plan.Pick(len(last)), v, last)
	outerBlock((*[BlockSize]byte)(end[:]), v)
	*v = k.outer
	blocksKernel(plan.Pick(BlockSize), v, end[:BlockSize])
	end.wipe()
	putSum(tag, v)
	clear(v[:])
}

// outerBlock makes the block that follows the key in the outer hash: a digest, and
// the padding for 96 bytes.
func outerBlock(block *[BlockSize]byte, v *[8]uint32) {
	putSum((*[Size]byte)(block[:]), v)
	clear(block[Size:])
	block[Size] = 0x80
	binary.BigEndian.PutUint64(block[BlockSize-8:], 8*(BlockSize+Size))
}

// An HMACMessage is one message of [HMACMany].
type HMACMessage struct {
	MAC  *HMAC // contains the key; may be the same for several messages
	Data []byte
	Sum  [Size]byte // the result
}

// HMACMany computes the tag of each message, like an HMAC after Reset, but several
// side by side, as [SumMany] does. It only reads the key of each MAC. No Data may
// overlap the slice messages. It allocates nothing. It panics in FIPS 140-only mode,
// where SM3 is not allowed.
func HMACMany(messages []HMACMessage) { automatic().HMACMany(messages) }

// HMACMany is like the package's [HMACMany], with this driver.
func (d Driver) HMACMany(messages []HMACMessage) {
	refuseFIPS()
	for i := range messages {
		messages[i].MAC.check()
	}
	if sideBySide(d.plan, len(messages)) == 1 {
		for i := range messages {
			m := &messages[i]
			m.MAC.key.mac(&m.Sum, d.plan, m.Data)
		}
		return
	}
	w := workPool.Get().(*work)
	w.sumMany(d.plan, batch{macs: messages})
	w.free()
}
