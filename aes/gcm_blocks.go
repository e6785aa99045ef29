//go:build (amd64 || arm64 || ppc64le) && !purego

package aes

import (
	"crypto/subtle"
	"runtime"

	"github.com/cipherlane/cipherlane/internal/ghash"
	"github.com/cipherlane/cipherlane/internal/modes"
)

// gcmByBlocks is GCM for drivers that have no kernel for it. The counter may be
// secret, so it is incremented here and not by counter mode, which may branch on it.
func gcmByBlocks(row uint8, k *keys, hash *ghash.Key, m *modes.GCMMessage, dst, src []byte, sealing bool) {
	const part = 32 * BlockSize
	var stream [part]byte
	counter := m.J0
	first := true // the block at J0 masks the tag
	var mask [BlockSize]byte
	for first || len(src) > 0 {
		lead := 0
		if first {
			lead = BlockSize
		}
		n := min(len(src), part-lead)
		blocks := (lead + n + BlockSize - 1) / BlockSize
		for i := range blocks {
			copy(stream[i*BlockSize:], counter[:])
			modes.Add32(&counter, 1)
		}
		encryptBlocks(row, k, stream[:blocks*BlockSize], stream[:blocks*BlockSize])
		if first {
			copy(mask[:], stream[:])
			first = false
		}
		if !sealing {
			hash.Update(&m.Y, src[:n])
		}
		subtle.XORBytes(dst, src[:n], stream[lead:])
		if sealing {
			hash.Update(&m.Y, dst[:n])
		}
		dst, src = dst[n:], src[n:]
	}
	hash.Update(&m.Y, m.Lens[:])
	subtle.XORBytes(m.Y[:], m.Y[:], mask[:])
	clear(stream[:])
	clear(mask[:])
	clear(counter[:])
	runtime.KeepAlive(&stream)
	runtime.KeepAlive(&mask)
	runtime.KeepAlive(&counter)
}
