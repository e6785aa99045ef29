package aescore

import (
	"crypto/subtle"
	"runtime"

	"github.com/cipherlane/cipherlane/internal/ghash"
)

// A GCMStream is memory for the keystream of GCM.
type GCMStream [32 * BlockSize]byte

// Crypt is [Seal] or [Open] with a block cipher: encrypt encrypts the first n bytes of
// the stream in place. The counter may be secret, so it is incremented here and not by
// counter mode, which may branch on it.
func (stream *GCMStream) Crypt(
	encrypt func(n int), m *ghash.Message, dst, src []byte, sealing bool,
) {
	m.Settle()
	counter := m.J0
	first := true // the block at J0 masks the tag
	var mask [BlockSize]byte
	for first || len(src) > 0 {
		lead := 0
		if first {
			lead = BlockSize
		}
		n := min(len(src), len(stream)-lead)
		blocks := (lead + n + BlockSize - 1) / BlockSize
		for i := range blocks {
			copy(stream[i*BlockSize:], counter[:])
			ghash.Add32(&counter, 1)
		}
		encrypt(blocks * BlockSize)
		if first {
			copy(mask[:], stream[:])
			first = false
		}
		if !sealing {
			m.Hash.Update(&m.Y, src[:n])
		}
		subtle.XORBytes(dst, src[:n], stream[lead:])
		if sealing {
			m.Hash.Update(&m.Y, dst[:n])
		}
		dst, src = dst[n:], src[n:]
	}
	m.Hash.Update(&m.Y, m.Lens[:])
	subtle.XORBytes(m.Y[:], m.Y[:], mask[:])
	clear(stream[:])
	clear(mask[:])
	clear(counter[:])
	runtime.KeepAlive(stream)
	runtime.KeepAlive(&mask)
	runtime.KeepAlive(&counter)
}
