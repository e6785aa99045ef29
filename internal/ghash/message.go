package ghash

import (
	"encoding/binary"
	"runtime"
)

const nonceSize = 12 // of GCM, unless the caller wants another

// A Message is the state of GCM for one message, in the terms of SP 800-38D, section
// 7.1. Kernels of ciphers get it without its first field. They compute the counter from J0, and
// load its last four bytes alone, because these have just been written alone: a load of eight
// would have to wait for them.
type Message struct {
	Hash *Key            // the prepared hash key
	J0   [blockSize]byte // the pre-counter block
	Y    [blockSize]byte // the state of GHASH; afterwards the tag
	Lens [blockSize]byte // the last block of GHASH: both lengths in bits

	// Pending says that Y has not been multiplied by the hash key since data was added to it:
	// additional data of up to 16 bytes takes no call of its own. Kernels multiply it beside the
	// first rounds, or as one more block in front of a short text.
	// Kernels that do not look at it need [Message.Settle] first. They find it behind J0, Y and
	// Lens.
	Pending bool
}

// Begin initializes m, which must be zero except for Hash, for a message of size bytes. It hashes
// data and, unless it has 12 bytes, the nonce. Kernels that hash such a message may
// read the powers of the hash key that they need from then on.
func (m *Message) Begin(nonce []byte, size int, data []byte) {
	binary.BigEndian.PutUint64(m.Lens[:8], uint64(len(data))*8)
	binary.BigEndian.PutUint64(m.Lens[8:], uint64(size)*8)
	blocks := int(uint(size)/blockSize) + 2 // at most, with Lens
	if len(data) > 0 {
		blocks++ // if the data is pending
	}
	m.Hash.provide(blocks)
	if len(nonce) == nonceSize {
		// Avoid single-byte stores: kernels load J0 soon, and would have to wait.
		*(*[nonceSize]byte)(m.J0[:]) = [nonceSize]byte(nonce)
		binary.BigEndian.PutUint32(m.J0[nonceSize:], 1)
	} else {
		m.hashNonce(nonce)
	}
	switch n := len(data); {
	case n == 0:
	case n > blockSize || !multiplies(m.Hash.row):
		update(markLong(m.Hash.row, n), m.Hash, &m.Y, data) // Update is not inlined
	case n < 8:
		binary.LittleEndian.PutUint64(m.Y[:], loadShort(data))
		m.Pending = true
	default: // no call
		binary.LittleEndian.PutUint64(m.Y[:], binary.LittleEndian.Uint64(data))
		binary.LittleEndian.PutUint64(m.Y[8:], binary.LittleEndian.Uint64(data[n-8:])>>(8*(blockSize-n)))
		m.Pending = true
	}
}

// loadShort returns 1 to 7 bytes as a number. They are stored at once, because kernels load them soon.
func loadShort(p []byte) uint64 {
	n := len(p)
	if n >= 4 {
		return uint64(binary.LittleEndian.Uint32(p)) | uint64(binary.LittleEndian.Uint32(p[n-4:]))<<(8*(n-4))
	}
	return uint64(p[0]) | uint64(p[n/2])<<(8*(n/2)) | uint64(p[n-1])<<(8*(n-1))
}

// hashNonce sets J0 for a nonce that does not have 12 bytes.
func (m *Message) hashNonce(nonce []byte) {
	var last [2 * blockSize]byte // a short nonce, and its length
	n := 0
	if len(nonce) <= blockSize {
		n = blockSize
		copy(last[:], nonce)
	} else {
		m.Hash.Update(&m.J0, nonce)
	}
	binary.BigEndian.PutUint64(last[n+8:], uint64(len(nonce))*8)
	m.Hash.Update(&m.J0, last[:n+blockSize])
}

// Settle multiplies what is pending.
func (m *Message) Settle() {
	if m.Pending {
		y := m.Y
		m.Y = [blockSize]byte{}
		m.Hash.Update(&m.Y, y[:])
		m.Pending = false
	}
}

// Tag copies as much of the tag as there is room for.
func (m *Message) Tag(tag []byte) {
	if len(tag) == blockSize { // no call
		*(*[blockSize]byte)(tag) = m.Y
		return
	}
	copy(tag, m.Y[:])
}

// Wipe overwrites J0. Callers must call it unless the nonce has 12 bytes: J0 is a secret
// then, because together with the nonce it would reveal the hash key. If the functions that
// processed the message have left copies of it on the stack, they are overwritten too.
func (m *Message) Wipe(stack bool) {
	clear(m.J0[:])
	runtime.KeepAlive(m)
	if stack {
		overwriteStack()
	}
}

//go:noinline
func overwriteStack() {
	var frame [2 << 10]byte
	clear(frame[:])
	runtime.KeepAlive(&frame)
}

// Add32 adds n to the last 32 bits of a counter, which wrap around without a carry
// into the other bits (inc_32 of SP 800-38D).
func Add32(counter *[blockSize]byte, n int) {
	low := counter[blockSize-4:]
	binary.BigEndian.PutUint32(low, binary.BigEndian.Uint32(low)+uint32(n))
}
