//go:build (arm || arm64 || loong64 || riscv64 || mips || mipsle || mips64 || mips64le) && !purego

package aescore

import (
	"crypto/subtle"
	"runtime"
	"unsafe"

	"github.com/cipherlane/cipherlane/internal/ghash"
)

func sealByCTR32(row uint8, k *Keys, m *ghash.Message, dst, src []byte) {
	k.gcm(row, m, dst, src, true)
}

func openByCTR32(row uint8, k *Keys, m *ghash.Message, dst, src []byte) {
	k.gcm(row, m, dst, src, false)
}

// gcm encrypts src, or decrypts it if not sealing, and sets m.Y to the tag. The first pass
// also computes E(J0), which masks the tag. The others alternate with GHASH, on pieces that
// stay in the L1 cache.
func (k *Keys) gcm(row uint8, m *ghash.Message, dst, src []byte, sealing bool) {
	m.Settle()
	const part = 4096
	// Of words, because some compilers clear arrays of bytes byte by byte.
	var memory [unsafe.Sizeof(GCMStream{})/8 + 4]uint64
	stream := (*GCMStream)(unsafe.Pointer(&memory))
	rest := (*[BlockSize]byte)(unsafe.Pointer(&memory[len(memory)-4]))
	counter := (*[BlockSize]byte)(unsafe.Pointer(&memory[len(memory)-2]))
	copy(counter[:], m.J0[:])
	first := min(len(src), len(stream)-BlockSize)
	head := stream[:BlockSize+(first+BlockSize-1)&^(BlockSize-1)]
	ctr32(row, k, counter, head, head, nil)
	for n := first; ; n = min(part, len(src)) {
		out, in := dst[:n], src[:n]
		if !sealing {
			m.Hash.Update(&m.Y, in)
		}
		if first > 0 {
			subtle.XORBytes(out, in, stream[BlockSize:])
			first = 0
		} else if n > 0 {
			ctr32(row, k, counter, out, in, rest)
		}
		if sealing {
			m.Hash.Update(&m.Y, out)
		}
		if dst, src = dst[n:], src[n:]; len(src) == 0 {
			break
		}
	}
	m.Hash.Update(&m.Y, m.Lens[:])
	subtle.XORBytes(m.Y[:], m.Y[:], stream[:BlockSize])
	clear(memory[:])
	runtime.KeepAlive(&memory)
}
