//go:build go1.25

// The hashes of the standard library, of which these tests make faulty ones, cannot be cloned
// before Go 1.25.

package conformance

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"slices"
	"testing"
)

// A brokenHash is SHA-256 with hooks that can replace its methods.
type brokenHash struct {
	state
	n   uint64 // bytes hashed
	bad bool   // Sum lies

	write     func(h *brokenHash, p []byte) (int, error)
	sum       func(h *brokenHash, dst []byte) []byte
	reset     func(h *brokenHash)
	clone     func(h *brokenHash) (hash.Cloner, error)
	appendTo  func(h *brokenHash, dst []byte) ([]byte, error)
	unmarshal func(h *brokenHash, state []byte) error
	blockSize int
}

func (h *brokenHash) Write(p []byte) (int, error) {
	defer func() { h.n += uint64(len(p)) }()
	if h.write != nil {
		return h.write(h, p)
	}
	return h.state.Write(p)
}

func (h *brokenHash) Sum(dst []byte) []byte {
	if h.sum != nil {
		return h.sum(h, dst)
	}
	n := len(dst)
	dst = h.state.Sum(dst)
	if h.bad {
		dst[n] ^= 1
	}
	return dst
}

func (h *brokenHash) Reset() {
	if h.reset != nil {
		h.reset(h)
	} else {
		h.state.Reset()
	}
	h.n, h.bad = 0, false
}

func (h *brokenHash) BlockSize() int {
	if h.blockSize != 0 {
		return h.blockSize
	}
	return h.state.BlockSize()
}

func (h *brokenHash) Clone() (hash.Cloner, error) {
	if h.clone != nil {
		return h.clone(h)
	}
	inner, err := h.state.Clone()
	g := *h
	g.state = inner.(state)
	return &g, err
}

func (h *brokenHash) MarshalBinary() ([]byte, error) { return h.AppendBinary(nil) }

func (h *brokenHash) AppendBinary(dst []byte) ([]byte, error) {
	if h.appendTo != nil {
		return h.appendTo(h, dst)
	}
	return h.state.AppendBinary(dst)
}

func (h *brokenHash) UnmarshalBinary(p []byte) error {
	if h.unmarshal != nil {
		return h.unmarshal(h, p)
	}
	return h.state.UnmarshalBinary(p)
}

func TestHash(t *testing.T) { Hash(t, sha256Case) }

func TestHashMutants(t *testing.T) {
	var list []mutant
	add := func(name, check string, change func(h *brokenHash)) {
		c := sha256Case
		c.New = func() hash.Hash {
			h := &brokenHash{state: sha256.New().(state)}
			change(h)
			return h
		}
		list = append(list, mutant{name, check, c.checks()})
	}
	onWrite := func(name, check string, spoils func(h *brokenHash, p []byte) bool) {
		add(name, check, func(h *brokenHash) {
			h.write = func(h *brokenHash, p []byte) (int, error) {
				h.bad = spoils(h, p) || h.bad
				return h.state.Write(p)
			}
		})
	}
	oneShot := func(name, check string, sum func(dst, p []byte) []byte) {
		c := sha256Case
		c.Sum = sum
		list = append(list, mutant{"one-shot " + name, check, c.checks()})
	}
	wrong := func(dst, p []byte, is bool) []byte {
		n := len(dst)
		dst = sha256Case.Sum(dst, p)
		if is {
			dst[n] ^= 1
		}
		return dst
	}

	onWrite("wrong", "Vectors", func(*brokenHash, []byte) bool { return true })
	add("another block size", "Sizes", func(h *brokenHash) { h.blockSize = 128 })
	add("longer than it says", "Sizes", func(h *brokenHash) {
		h.sum = func(h *brokenHash, dst []byte) []byte { return append(h.state.Sum(dst), 0) }
	})
	onWrite("wrong at 4095 bytes", "Lengths", func(_ *brokenHash, p []byte) bool { return len(p) == 4095 })
	oneShot("wrong at 56 bytes", "Lengths", func(dst, p []byte) []byte { return wrong(dst, p, len(p) == 56) })
	add("counts what it takes wrongly", "Lengths", func(h *brokenHash) {
		h.write = func(h *brokenHash, p []byte) (int, error) {
			n, err := h.state.Write(p)
			return n &^ 63, err
		}
	})
	onWrite("wrong when a second write fills a block", "Splits", func(h *brokenHash, p []byte) bool {
		return h.n%64 != 0 && (h.n+uint64(len(p)))%64 == 0
	})
	onWrite("wrong after an empty write to a full buffer of 17", "Splits", func(h *brokenHash, p []byte) bool {
		return h.n%64 == 17 && len(p) == 0
	})
	add("pads its own state", "Sum", func(h *brokenHash) {
		h.sum = func(h *brokenHash, dst []byte) []byte {
			dst = h.state.Sum(dst)
			h.state.Write([]byte{0x80})
			return dst
		}
	})
	add("drops what is in front of its digest", "Sum", func(h *brokenHash) {
		h.sum = func(h *brokenHash, dst []byte) []byte { return h.state.Sum(dst[:0]) }
	})
	add("does not use the room there is", "Sum", func(h *brokenHash) {
		h.sum = func(h *brokenHash, dst []byte) []byte { return h.state.Sum(slices.Clip(dst)) }
	})
	add("writes a little more", "Sum", func(h *brokenHash) {
		h.sum = func(h *brokenHash, dst []byte) []byte {
			dst = h.state.Sum(dst)
			clear(dst[len(dst):min(len(dst)+1, cap(dst))])
			return dst
		}
	})
	add("resets only after a block", "Reset", func(h *brokenHash) {
		h.reset = func(h *brokenHash) {
			if h.n >= 64 {
				h.state.Reset()
			}
		}
	})
	add("clones itself into itself", "Clone", func(h *brokenHash) {
		h.clone = func(h *brokenHash) (hash.Cloner, error) { return h, nil }
	})
	add("forgets the last byte of its buffer", "Clone", func(h *brokenHash) {
		h.clone = func(h *brokenHash) (hash.Cloner, error) {
			inner, err := h.state.Clone()
			g := *h
			g.state = inner.(state)
			g.bad = h.n%64 == 63
			return &g, err
		}
	})
	add("forgets its buffer of 17", "Marshal", func(h *brokenHash) {
		h.appendTo = func(h *brokenHash, dst []byte) ([]byte, error) {
			n := len(dst)
			dst, err := h.state.AppendBinary(dst)
			if h.n%64 == 17 {
				clear(dst[n+4+32:][:64])
			}
			return dst, err
		}
	})
	add("drops what is in front of its state", "Marshal", func(h *brokenHash) {
		h.appendTo = func(h *brokenHash, dst []byte) ([]byte, error) { return h.state.AppendBinary(dst[:0]) }
	})
	add("has a format of its own", "Marshal", func(h *brokenHash) {
		h.appendTo = func(h *brokenHash, dst []byte) ([]byte, error) {
			n := len(dst)
			dst, err := h.state.AppendBinary(dst)
			dst[n] ^= 0x80
			return dst, err
		}
		h.unmarshal = func(h *brokenHash, p []byte) error {
			p = bytes.Clone(p)
			p[0] ^= 0x80
			return h.state.UnmarshalBinary(p)
		}
	})
	add("restores any magic", "Unmarshal", func(h *brokenHash) {
		h.unmarshal = func(h *brokenHash, p []byte) error {
			if p = bytes.Clone(p); len(p) > 0 {
				p[0] = 's'
			}
			return h.state.UnmarshalBinary(p)
		}
	})
	add("restores a longer state", "Unmarshal", func(h *brokenHash) {
		h.unmarshal = func(h *brokenHash, p []byte) error { return h.state.UnmarshalBinary(p[:min(len(p), 4+32+64+8)]) }
	})
	add("swaps bytes in place", "Inputs", func(h *brokenHash) {
		h.write = func(h *brokenHash, p []byte) (int, error) {
			n, err := h.state.Write(p)
			flip(p, p, true)
			return n, err
		}
	})
	add("keeps its input for later", "Inputs", func(h *brokenHash) {
		var kept []byte
		h.write = func(h *brokenHash, p []byte) (int, error) {
			h.state.Write(kept)
			kept = p
			return len(p), nil
		}
		h.sum = func(h *brokenHash, dst []byte) []byte {
			h.state.Write(kept)
			kept = nil
			return h.state.Sum(dst)
		}
	})
	oneShot("changes its input", "Inputs", func(dst, p []byte) []byte {
		dst = sha256Case.Sum(dst, p)
		flip(p, p, true)
		return dst
	})
	onWrite("wrong for some addresses", "Misaligned", func(_ *brokenHash, p []byte) bool { return offset(p) == 37 })
	oneShot("wrong for some addresses", "Misaligned", func(dst, p []byte) []byte { return wrong(dst, p, offset(p) == 1) })
	for name, i := range map[string]func(p []byte) int{
		"behind":      func(p []byte) int { return len(p) },
		"in front of": func(p []byte) int { return -1 },
	} {
		onWrite("reads "+name+" its input", "Guards", func(_ *brokenHash, p []byte) bool { peek(p, i(p)); return false })
		oneShot("reads "+name+" its input", "Guards", func(dst, p []byte) []byte {
			peek(p, i(p))
			return sha256Case.Sum(dst, p)
		})
		add("writes "+name+" its digest", "Guards", func(h *brokenHash) {
			h.sum = func(h *brokenHash, dst []byte) []byte {
				dst = h.state.Sum(dst)
				touch(dst, i(dst))
				return dst
			}
		})
	}
	onWrite("reads behind what completes a block", "Guards", func(h *brokenHash, p []byte) bool {
		if h.n%64 != 0 {
			peek(p, len(p))
		}
		return false
	})
	onWrite("wrong beyond 64 KiB", "Long", func(_ *brokenHash, p []byte) bool { return len(p) > 64<<10 })
	onWrite("wrong beyond 64 KiB inside a block", "Long", func(h *brokenHash, p []byte) bool { return len(p) > 64<<10 && h.n > 0 })
	oneShot("wrong beyond 64 KiB", "Long", func(dst, p []byte) []byte { return wrong(dst, p, len(p) > 64<<10) })
	shared := sha256.New().(state)
	add("is one object for all", "Independent", func(h *brokenHash) { h.state = shared })
	onWrite("shares its scratch with other goroutines", "Concurrent", func(*brokenHash, []byte) bool { return crowded() })
	oneShot("shares its scratch with other goroutines", "Concurrent", func(dst, p []byte) []byte { return wrong(dst, p, crowded()) })
	onWrite("allocates in Write", "Allocations", func(*brokenHash, []byte) bool { allocate(); return false })
	add("allocates in Sum", "Allocations", func(h *brokenHash) {
		h.sum = func(h *brokenHash, dst []byte) []byte { allocate(); return h.state.Sum(dst) }
	})
	oneShot("allocates", "Allocations", func(dst, p []byte) []byte { allocate(); return sha256Case.Sum(dst, p) })
	add("counts 32 bits", "Count", func(h *brokenHash) {
		h.unmarshal = func(h *brokenHash, p []byte) error {
			p = bytes.Clone(p)
			n := p[len(p)-8:]
			binary.BigEndian.PutUint64(n, binary.BigEndian.Uint64(n)%(1<<32))
			return h.state.UnmarshalBinary(p)
		}
	})
	c := sha256Case
	c.Vectors = nil
	list = append(list, mutant{"no vectors", "Vectors", c.checks()})
	c = sha256Case
	c.New = func() hash.Hash { return struct{ hash.Hash }{sha256.New()} }
	list = append(list, mutant{"no Clone", "Clone", c.checks()}, mutant{"no MarshalBinary", "Marshal", c.checks()})
	kill(t, sha256Case.checks(), list)
}
