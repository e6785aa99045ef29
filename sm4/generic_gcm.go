package sm4

import (
	"crypto/subtle"
	"encoding/binary"
	"math"
	"runtime"

	"github.com/cipherlane/cipherlane/internal/ghash"
)

// gcm encrypts src, or decrypts it if not sealing, and sets m.Y to the tag. It
// alternates between counter mode and GHASH, on pieces that stay in the L1 cache. It is
// for the portable driver and others without a kernel for GCM.
func gcm(row uint8, k *keys, m *ghash.Message, dst, src []byte, sealing bool) {
	if len(src) <= gcmShort {
		gcmOnce(row, k, m, dst, src, sealing)
		return
	}
	m.Settle()
	const part = 4096
	// E(J0), which masks the tag, is in one pass with up to 15 more blocks.
	var stream [ahead]byte
	ready := min(ahead, (len(src)+2*BlockSize-1)&^(BlockSize-1))
	counter := m.J0
	ctr32(row, k, &counter, stream[:ready], stream[:ready], nil)
	mask, first := stream[:BlockSize], stream[BlockSize:ready]
	var rest [BlockSize]byte
	for n := min(len(src), len(first)); len(src) > 0; n = min(len(src), part) {
		if !sealing {
			m.Hash.Update(&m.Y, src[:n])
		}
		if first != nil {
			subtle.XORBytes(dst, src[:n], first)
			first = nil
		} else {
			ctr32(row, k, &counter, dst[:n], src[:n], &rest)
		}
		if sealing {
			m.Hash.Update(&m.Y, dst[:n])
		}
		dst, src = dst[n:], src[n:]
	}
	m.Hash.Update(&m.Y, m.Lens[:])
	subtle.XORBytes(m.Y[:], m.Y[:], mask)
	clear(counter[:])
	clear(stream[:])
	clear(rest[:])
	runtime.KeepAlive(&counter)
	runtime.KeepAlive(&stream)
	runtime.KeepAlive(&rest)
}

// gcmShort is the length of messages for [gcmOnce].
const gcmShort = 4 * BlockSize

// gcmOnce is gcm for short messages. All that GHASH has still to process is in one buffer.
func gcmOnce(row uint8, k *keys, m *ghash.Message, dst, src []byte, sealing bool) {
	var stream [BlockSize + gcmShort]byte
	var text [BlockSize + gcmShort + BlockSize]byte
	at := 0
	if m.Pending {
		*(*[BlockSize]byte)(text[:]) = m.Y
		m.Y, m.Pending = [BlockSize]byte{}, false
		at = BlockSize
	}
	if len(src) == 0 {
		encryptBlock(row, k, stream[:BlockSize], m.J0[:])
	} else {
		ready := (len(src) + 2*BlockSize - 1) &^ (BlockSize - 1)
		first, second := binary.LittleEndian.Uint64(m.J0[:]), binary.BigEndian.Uint64(m.J0[8:])
		for i := 0; i < ready; i += BlockSize {
			b := (*[BlockSize]byte)(stream[i:])
			binary.LittleEndian.PutUint64(b[:], first)
			binary.BigEndian.PutUint64(b[8:], second)
			second = second&^math.MaxUint32 | uint64(uint32(second)+1) // counters have 32 bits
		}
		encryptBlocks(row, k, stream[:ready], stream[:ready])
		if !sealing {
			copy(text[at:], src)
		}
		n := subtle.XORBytes(dst, src, stream[BlockSize:])
		if sealing {
			copy(text[at:], dst[:n])
		}
		at += ready - BlockSize
	}
	*(*[BlockSize]byte)(text[at:]) = m.Lens
	m.Hash.Update(&m.Y, text[:at+BlockSize])
	y, mask := &m.Y, &stream
	binary.LittleEndian.PutUint64(y[:], binary.LittleEndian.Uint64(y[:])^binary.LittleEndian.Uint64(mask[:]))
	binary.LittleEndian.PutUint64(y[8:], binary.LittleEndian.Uint64(y[8:])^binary.LittleEndian.Uint64(mask[8:]))
	clear(stream[:])
	runtime.KeepAlive(&stream)
}
