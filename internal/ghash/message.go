package ghash

import (
	"encoding/binary"
	"runtime"
)

const nonceSize = 12 // of GCM, unless the caller wants another

// A Message is the state of GCM for one message, in the terms of SP 800-38D, section
// 7.1.
type Message struct {
	Hash *Key            // the prepared hash key
	J0   [blockSize]byte // the pre-counter block
	Y    [blockSize]byte // the state of GHASH; afterwards the tag
	Lens [blockSize]byte // the last block of GHASH: both lengths in bits

	// Pending says that Y has not been multiplied by the hash key since data was added to it.
	// Kernels that do not look at it need [Message.Settle] first. They find it behind J0, Y and Lens.
	Pending bool
}

// Begin initializes m, which must be zero except for Hash, for a message of size bytes. It hashes
// data and, unless it has 12 bytes, the nonce. Kernels that hash such a message may
// read the powers of the hash key that they need from then on.
func (m *Message) Begin(nonce []byte, size int, data []byte) {
	if len(nonce) == nonceSize {
		// Avoid single-byte stores: kernels load J0 soon, and would have to wait.
		*(*[nonceSize]byte)(m.J0[:]) = [nonceSize]byte(nonce)
		binary.BigEndian.PutUint32(m.J0[nonceSize:], 1)
	} else {
		binary.BigEndian.PutUint64(m.Lens[8:], uint64(len(nonce))*8)
		m.Hash.Update(&m.J0, nonce)
		m.Hash.Update(&m.J0, m.Lens[:])
	}
	switch n := len(data); {
	case n == 0:
	case n <= blockSize && multiplies(m.Hash.row):
		copy(m.Y[:], data)
		m.Pending = true
	default:
		m.Hash.Update(&m.Y, data)
	}
	m.Hash.provide(size/blockSize + 2)
	binary.BigEndian.PutUint64(m.Lens[:8], uint64(len(data))*8)
	binary.BigEndian.PutUint64(m.Lens[8:], uint64(size)*8)
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

// End wipes J0 if the nonce does not have 12 bytes. J0 is a secret then: together
// with the nonce it would reveal the hash key. The functions called for the message
// have also left copies of it on the stack.
func (m *Message) End(nonce []byte) {
	if len(nonce) != nonceSize {
		clear(m.J0[:])
		runtime.KeepAlive(m)
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
