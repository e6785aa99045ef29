package modes

import (
	"errors"
	"strconv"

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
		return errors.New(pkg + ": invalid GCM tag size " + strconv.Itoa(tagSize) + ", want " + strconv.Itoa(gcmMinTagSize) + " to " + strconv.Itoa(GCMTagSize))
	}
	if nonceSize <= 0 {
		return errors.New(pkg + ": invalid GCM nonce size " + strconv.Itoa(nonceSize) + ", want at least 1")
	}
	return nil
}

// A GCMMessage is the initial state for one message.
type GCMMessage = ghash.Message

// Add32 adds n to the last 32 bits of a counter: see [ghash.Add32].
func Add32(counter *[blockSize]byte, n int) { ghash.Add32(counter, n) }
