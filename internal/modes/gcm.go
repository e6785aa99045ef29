package modes

import (
	"encoding/binary"
	"fmt"
	"runtime"

	"github.com/cipherlane/cipherlane/internal/ghash"
)

// Sizes of GCM in bytes. The cipher packages implement GCM themselves, because
// their kernels encrypt and hash in one pass; this file contains the parts that
// they share.
const (
	GCMNonceSize = 12
	GCMTagSize   = 16

	gcmMinTagSize = 12                      // NIST SP 800-38D recommends at least this
	GCMMaxSize    = (1<<32 - 2) * blockSize // SP 800-38D, section 5.2.1.1
	GCMMaxSealed  = GCMMaxSize + GCMTagSize // the same with the tag
)

// CheckGCM returns an error for sizes that GCM does not allow.
func CheckGCM(pkg string, nonceSize, tagSize int) error {
	if tagSize < gcmMinTagSize || tagSize > GCMTagSize {
		return fmt.Errorf("%s: invalid GCM tag size %d, want %d to %d", pkg, tagSize, gcmMinTagSize, GCMTagSize)
	}
	if nonceSize <= 0 {
		return fmt.Errorf("%s: invalid GCM nonce size %d, want at least 1", pkg, nonceSize)
	}
	return nil
}

// A GCMMessage is the initial state for one message, in the terms of SP 800-38D,
// section 7.1.
type GCMMessage struct {
	J0   [blockSize]byte // the pre-counter block
	Y    [blockSize]byte // the state of GHASH; afterwards the tag
	Lens [blockSize]byte // the last block of GHASH: both lengths in bits
}

// Begin initializes m, which must be zero, for a message of size bytes. It hashes
// data and, unless it has 12 bytes, the nonce.
func (m *GCMMessage) Begin(hash *ghash.Key, nonce []byte, size int, data []byte) {
	if len(nonce) == GCMNonceSize {
		// Avoid single-byte stores: kernels load J0 soon, and would have to wait.
		*(*[GCMNonceSize]byte)(m.J0[:]) = [GCMNonceSize]byte(nonce)
		binary.BigEndian.PutUint32(m.J0[GCMNonceSize:], 1)
	} else {
		binary.BigEndian.PutUint64(m.Lens[8:], uint64(len(nonce))*8)
		hash.Update(&m.J0, nonce)
		hash.Update(&m.J0, m.Lens[:])
	}
	if len(data) > 0 {
		hash.Update(&m.Y, data)
	}
	binary.BigEndian.PutUint64(m.Lens[:8], uint64(len(data))*8)
	binary.BigEndian.PutUint64(m.Lens[8:], uint64(size)*8)
}

// End wipes J0 if the nonce does not have 12 bytes. J0 is a secret then: together
// with the nonce it would reveal the hash key. The functions called for the message
// have also left copies of it on the stack.
func (m *GCMMessage) End(nonce []byte) {
	if len(nonce) != GCMNonceSize {
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
