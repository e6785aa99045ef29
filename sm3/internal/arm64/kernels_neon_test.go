//go:build arm64 && !purego

package arm64

import (
	"math/rand/v2"
	"testing"

	"github.com/cipherlane/cipherlane/internal/guard"
)

// The results of the kernels are tested through package sm3. Here the stack must be the
// same after two different messages: nothing of them is left.
func TestNothingLeftOnTheStack(t *testing.T) {
	message, v := make([]byte, 192), new([8]uint32)
	secret := func(seed byte) {
		rand.NewChaCha8([32]byte{seed}).Read(message)
		*v = [8]uint32{}
	}
	if left := guard.Left(secret, func() { BlocksNEON(v, message) }); left > 0 {
		t.Errorf("%d bytes on the stack depend on the message", left)
	}
}
