package aes_test

import (
	"math/bits"
	"syscall"
	"testing"

	"github.com/cipherlane/cipherlane/aes"
)

// TestGCMLimit uses messages that are one byte too long (SP 800-38D, section
// 5.2.1.1), in inaccessible memory.
func TestGCMLimit(t *testing.T) {
	if bits.UintSize < 64 {
		t.Skip("no slice is too long")
	}
	most := uint64(1<<36 - 32)
	memory, err := syscall.Mmap(-1, 0, int(most+17), syscall.PROT_NONE, syscall.MAP_PRIVATE|syscall.MAP_ANON|syscall.MAP_NORESERVE)
	if err != nil {
		t.Skip(err)
	}
	defer syscall.Munmap(memory)
	g := must(aes.NewGCM(make([]byte, 16)))
	nonce := make([]byte, g.NonceSize())
	if _, err := g.Open(nil, nonce, memory, nil); err == nil {
		t.Error("Open takes a message that is too long")
	}
	defer func() {
		if p := recover(); p != "aes: message too large for GCM" {
			t.Errorf("Seal of a message that is too long: %v", p)
		}
	}()
	g.Seal(nil, nonce, memory[:most+1], nil)
}
