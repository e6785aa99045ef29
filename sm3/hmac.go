package sm3

import (
	"encoding/binary"
	"hash"
	"math"
	"runtime"

	"github.com/cipherlane/cipherlane/driver"
)

// An HMAC is the message authentication code HMAC-SM3 (RFC 2104, GB/T
// 15852.2-2012, MAC algorithm 2) with its key and the message so far. It is a
// [hash.Hash] and a [hash.Cloner]; its tags have 32 bytes, and what shorter ones
// there are begin these. Compare tags with [crypto/hmac.Equal].
//
// The tags are those of crypto/hmac with [New], which takes a fifth more time for a
// new key and as much for further messages. An HMAC can be wiped, allocates nothing
// but in Clone, and is what [HMACMany] takes its keys from. It is not safe for
// concurrent use; its clones are independent of it, and HMACMany only reads its key.
type HMAC struct {
	private
	key     hmacKey
	message digest
}

var _ hash.Cloner = (*HMAC)(nil)

// NewHMAC returns HMAC-SM3 with a key, which may have any length; 32 bytes are
// a good one, and of more than 64 the digest is taken. It keeps no reference to
// key. It panics in FIPS 140-only mode, where SM3 is not allowed.
func NewHMAC(key []byte) *HMAC { return automatic().NewHMAC(key) }

// NewHMAC is the package's [NewHMAC] with this driver.
func (d Driver) NewHMAC(key []byte) *HMAC {
	refuseFIPS()
	h := &HMAC{message: digest{plan: d.plan}}
	h.key.init(d.plan, key)
	h.Reset()
	return h
}

// Size returns 32, the bytes of a tag.
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

// Clone returns an HMAC with the same key that goes on from the same state.
func (h *HMAC) Clone() (hash.Cloner, error) {
	c := *h
	return &c, nil
}

// Wipe overwrites the key and the traces of the message. Afterwards Write, Sum and
// [HMACMany] panic.
func (h *HMAC) Wipe() {
	h.key.wipe()
	h.message = digest{plan: driver.Only(wiped)}
}

// wiped is the row of an HMAC that was wiped: no driver has it.
const wiped = 0xff

func (h *HMAC) check() {
	if h.message.plan.Bulk == wiped {
		panic("sm3: use of a wiped key")
	}
}

// hmacKey has the chaining values after the blocks K ^ ipad and K ^ opad of RFC
// 2104, section 2.
type hmacKey struct{ inner, outer [8]uint32 }

const ipad, opad = 0x36, 0x5c

func (k *hmacKey) init(plan driver.Plan, key []byte) {
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
	blocks(plan.Pick(BlockSize), &k.inner, block[:])
	for i := range block {
		block[i] ^= ipad ^ opad
	}
	blocks(plan.Pick(BlockSize), &k.outer, block[:])
	clear(block[:])
	runtime.KeepAlive(&block)
}

func (k *hmacKey) wipe() {
	*k = hmacKey{}
	runtime.KeepAlive(k)
}

// mac sets the tag of a message. It returns none, nor do sum and end, because that
// would stay on the stack, and some are keys.
func (k *hmacKey) mac(tag *[Size]byte, plan driver.Plan, message []byte) {
	v := k.inner
	n := len(message) &^ (BlockSize - 1)
	if n > 0 {
		blocks(plan.Pick(n), &v, message[:n])
	}
	k.end(tag, plan, &v, message[n:], BlockSize+uint64(len(message)))
}

// begin makes m a new message, behind the block of the key.
func (k *hmacKey) begin(m *digest) {
	m.v = k.inner
	m.length = BlockSize
}

// sum sets the tag of m, which stays as it is.
func (k *hmacKey) sum(tag *[Size]byte, m *digest) {
	v := m.v
	k.end(tag, m.plan, &v, m.buffer[:m.length%BlockSize], m.length)
}

// end sets the tag of a message whose blocks have led to v: with that of the
// key it has length bytes, the last ones in last. It overwrites v.
func (k *hmacKey) end(tag *[Size]byte, plan driver.Plan, v *[8]uint32, last []byte, length uint64) {
	var end ending
	last = end.pad(last, length)
	blocks(plan.Pick(len(last)), v, last)
	outerBlock((*[BlockSize]byte)(end[:]), v)
	*v = k.outer
	blocks(plan.Pick(BlockSize), v, end[:BlockSize])
	end.wipe()
	putSum(tag, v)
	clear(v[:])
}

// outerBlock makes the one block that the outer hash has after that of the key:
// a digest, and the padding of 96 bytes.
func outerBlock(block *[BlockSize]byte, v *[8]uint32) {
	putSum((*[Size]byte)(block[:]), v)
	clear(block[Size:])
	block[Size] = 0x80
	binary.BigEndian.PutUint64(block[BlockSize-8:], 8*(BlockSize+Size))
}

// An HMACMessage is one message of [HMACMany].
type HMACMessage struct {
	MAC  *HMAC // has the key; may be the same for several messages
	Data []byte
	Sum  [Size]byte // the result
}

// HMACMany computes the tag of every message, as an HMAC does that has been reset,
// but side by side as [SumMany] does. Of each MAC it reads only the key. No Data
// may overlap the messages themselves. It allocates nothing. It panics in FIPS
// 140-only mode, where SM3 is not allowed.
func HMACMany(messages []HMACMessage) { automatic().HMACMany(messages) }

// HMACMany is the package's [HMACMany] with this driver.
func (d Driver) HMACMany(messages []HMACMessage) {
	refuseFIPS()
	for i := range messages {
		messages[i].MAC.check()
	}
	row := d.plan.Pick(math.MaxInt)
	if sideBySide(row, len(messages)) == 1 {
		for i := range messages {
			m := &messages[i]
			m.MAC.key.mac(&m.Sum, d.plan, m.Data)
		}
		return
	}
	w := workPool.Get().(*work)
	w.sumMany(row, batch{macs: messages})
	w.free()
}
