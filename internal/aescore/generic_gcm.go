package aescore

import (
	"crypto/subtle"
	"runtime"

	"github.com/cipherlane/cipherlane/internal/ghash"
)

// gcm encrypts src, or decrypts it if not sealing, and sets m.Y to the tag.
func (k *genericKeys) gcm(m *ghash.Message, dst, src []byte, sealing bool) {
	if len(src) < wideMin {
		k.gcmNarrow(m, dst, src, sealing)
	} else {
		k.gcmWide(m, dst, src, sealing)
	}
}

// gcmNarrow computes E(J0), which masks the tag, in one pass with the first blocks.
func (k *genericKeys) gcmNarrow(m *ghash.Message, dst, src []byte, sealing bool) {
	var stream [narrowSize]byte
	var rest [BlockSize]byte
	counter := m.J0
	k.ctrNarrow(&counter, stream[:], stream[:], nil)
	if !sealing {
		m.Hash.Update(&m.Y, src)
	}
	n := subtle.XORBytes(dst, src, stream[BlockSize:])
	k.ctrNarrow(&counter, dst[n:], src[n:], &rest)
	if sealing {
		m.Hash.Update(&m.Y, dst)
	}
	m.Hash.Update(&m.Y, m.Lens[:])
	subtle.XORBytes(m.Y[:], m.Y[:], stream[:BlockSize])
	clear(counter[:])
	clear(stream[:])
	clear(rest[:])
	runtime.KeepAlive(&counter)
	runtime.KeepAlive(&stream)
	runtime.KeepAlive(&rest)
}

// gcmWide alternates between counter mode and GHASH, on pieces that stay in the L1
// cache.
func (k *genericKeys) gcmWide(m *ghash.Message, dst, src []byte, sealing bool) {
	const part = 4096
	var c wideCounter
	var mask, rest [BlockSize]byte
	c.init(k, &m.J0)
	c.keystream()
	copy(mask[:], c.stream[:]) // E(J0)
	wide := forWide(BlockSize+len(src)) - BlockSize
	counter := m.J0
	ghash.Add32(&counter, 1+wide/BlockSize)
	for done := 0; done < len(src); {
		n := min(part, wide-done)
		switch done {
		case 0:
			n = wideSize - BlockSize // the rest of the pass that produced E(J0)
		case wide:
			n = len(src) - done
		}
		out, in := dst[done:][:n], src[done:][:n]
		if !sealing {
			m.Hash.Update(&m.Y, in)
		}
		switch done {
		case 0:
			subtle.XORBytes(out, in, c.stream[BlockSize:])
		case wide:
			k.ctrNarrow(&counter, out, in, &rest)
		default:
			c.xor(out, in, &rest)
		}
		if sealing {
			m.Hash.Update(&m.Y, out)
		}
		done += n
	}
	c.wipe()
	m.Hash.Update(&m.Y, m.Lens[:])
	subtle.XORBytes(m.Y[:], m.Y[:], mask[:])
	clear(counter[:])
	clear(mask[:])
	clear(rest[:])
	runtime.KeepAlive(&counter)
	runtime.KeepAlive(&mask)
	runtime.KeepAlive(&rest)
}
