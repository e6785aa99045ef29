//go:build amd64 && !purego

package amd64

import (
	"encoding/binary"
	"math/bits"
	"runtime"
	"unsafe"
)

// This file contains the common part of the families SSSE3 and AVX2. They have the
// same kernels, with registers of 16 and 32 bytes.
const (
	ssse3 = iota
	avx2
)

// A work is the state of a message in the kernels. The generator of the kernels
// depends on the offsets of its fields.
type work struct {
	state  [16]uint32 // of the next pass
	h      [3]uint64
	r, s   [2]uint64    // the key of Poly1305
	first  uint64       // not 0: the next pass makes the key
	powers [6][3]uint64 // r^(2^i)
}

// pass encrypts or decrypts n bytes, at most the given number of sets of keystream,
// and advances the counter. It also hashes blocks, which must not be in dst unless
// they are hashed before it overwrites them.
func (w *work) pass(isa, sets int, dst, src *byte, n int, hash *byte, blocks int) {
	switch sets | isa<<2 {
	case 1 | avx2<<2:
		pass1AVX2(w, dst, src, n, hash, blocks)
	case 2 | avx2<<2:
		pass2AVX2(w, dst, src, n, hash, blocks)
	case 1 | ssse3<<2:
		pass1SSSE3(w, dst, src, n, hash, blocks)
	case 2 | ssse3<<2:
		pass2SSSE3(w, dst, src, n, hash, blocks)
	default:
		panic("chachapoly: no such pass")
	}
}

// set returns the number of bytes of keystream in a set.
func set(isa int) int { return [...]int{ssse3: 256, avx2: 512}[isa] }

// next returns how many sets the next pass generates if n bytes are left, and how
// many bytes it processes.
func next(isa, n int) (sets, size int) {
	setSize := set(isa)
	sets = 1
	if n > setSize {
		sets = 2
	}
	return sets, min(n, sets*setSize)
}

func (w *work) begin(key *[8]uint32, nonce *[3]uint32) {
	s := &w.state // field by field: a literal would be a copy of the key on the stack
	s[0], s[1], s[2], s[3] = 0x61707865, 0x3320646e, 0x79622d32, 0x6b206574
	copy(s[4:12], key[:])
	s[12] = 1
	copy(s[13:], nonce[:])
	w.first = 1
}

func (w *work) wipe() {
	*w = work{}
	runtime.KeepAlive(w)
}

// blocks hashes whole blocks.
func (w *work) blocks(isa int, p []byte) {
	const most = 64 << 10
	for len(p) > 0 {
		n := min(len(p), most)
		if isa == avx2 {
			hashAVX2(w, &p[0], n/16)
		} else {
			hashSSSE3(w, &p[0], n/16)
		}
		p = p[n:]
	}
}

// padded hashes p, padded with zeros to whole blocks.
func (w *work) padded(isa int, p []byte) {
	whole := len(p) &^ 15
	w.blocks(isa, p[:whole])
	if whole < len(p) {
		var last [16]byte
		copy(last[:], p[whole:])
		w.blocks(isa, last[:])
	}
}

// tag hashes the rest of the text, fewer than 16 bytes of it, and the lengths, and
// returns the tag.
func (w *work) tag(isa int, rest []byte, ad, text int) (lo, hi uint64) {
	var last [32]byte
	end := last[16:]
	if len(rest) > 0 {
		copy(last[:], rest)
		end = last[:]
	}
	binary.LittleEndian.PutUint64(last[16:], uint64(ad))
	binary.LittleEndian.PutUint64(last[24:], uint64(text))
	w.blocks(isa, end)
	clear(last[:])
	runtime.KeepAlive(&last)
	h0, h1, h2 := w.h[0], w.h[1], w.h[2]
	t0, c := bits.Add64(h0, 5, 0)
	t1, c := bits.Add64(h1, 0, c)
	mask := -((h2 + c) >> 2) // h + 5 reaches 2^130 where h is the modulus or more
	h0 ^= (h0 ^ t0) & mask
	h1 ^= (h1 ^ t1) & mask
	lo, c = bits.Add64(h0, w.s[0], 0)
	hi, _ = bits.Add64(h1, w.s[1], c)
	return lo, hi
}

func at(b []byte, i int) *byte {
	return (*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), i))
}

// shortText returns the longest text that is processed in one call. shortData is the
// longest additional data, which is limited because it has to be padded.
func shortText(isa int) int { return [...]int{ssse3: shortTextSSSE3, avx2: shortTextAVX2}[isa] }

const shortData = 64

func short(isa int, dst, src []byte, ad []byte, key *[8]uint32, nonce *[3]uint32, tag *byte, open bool) {
	n := len(src)
	if open {
		n = len(dst)
	}
	p := at(ad, 0)
	if len(ad)%16 != 0 {
		var padded [shortData]byte
		copy(padded[:], ad)
		p = &padded[0]
	}
	if isa == avx2 {
		shortAVX2(key, nonce, at(dst, 0), at(src, 0), n, p, len(ad), tag, open)
	} else {
		shortSSSE3(key, nonce, at(dst, 0), at(src, 0), n, p, len(ad), tag, open)
	}
}

func seal(isa int, dst, src, ad []byte, key *[8]uint32, nonce *[3]uint32) {
	if len(src) <= shortText(isa) && len(ad) <= shortData {
		short(isa, dst, src, ad, key, nonce, &dst[len(src)], false)
		return
	}
	var w work
	w.begin(key, nonce)
	n, out := len(src), dst[:len(src)]
	done, hashed := 0, 0
	for {
		sets, size := next(isa, n-done)
		w.pass(isa, sets, at(out, done), at(src, done), size, at(out, hashed), (done-hashed)/16)
		if hashed = done; done == 0 {
			w.padded(isa, ad)
		}
		if done += size; done == n {
			break
		}
	}
	whole := n &^ 15
	w.blocks(isa, out[hashed:whole])
	lo, hi := w.tag(isa, out[whole:], len(ad), n)
	binary.LittleEndian.PutUint64(dst[n:], lo)
	binary.LittleEndian.PutUint64(dst[n+8:], hi)
	w.wipe()
}

func open(isa int, dst, src, ad []byte, key *[8]uint32, nonce *[3]uint32) bool {
	if len(dst) <= shortText(isa) && len(ad) <= shortData {
		var right [16]byte
		short(isa, dst, src, ad, key, nonce, &right[0], true)
		tag := src[len(dst):]
		ok := equalTag(&right, tag)
		clear(right[:]) // it would allow a forgery
		runtime.KeepAlive(&right)
		return ok
	}
	var w work
	w.begin(key, nonce)
	n := len(dst)
	text, tag := src[:n], src[n:]
	var last [16]byte
	done, hashed := 0, 0
	if len(ad) > 0 {
		w.pass(isa, 1, at(dst, 0), at(text, 0), 0, at(text, 0), 0)
		w.state[12] = 1
		w.padded(isa, ad)
	}
	for {
		sets, size := next(isa, n-done)
		if done+size == n {
			copy(last[:], text[n&^15:]) // dst may be there
		}
		blocks := (done + size - hashed) / 16
		w.pass(isa, sets, at(dst, done), at(text, done), size, at(text, hashed), blocks)
		hashed += 16 * blocks
		if done += size; done == n {
			break
		}
	}
	lo, hi := w.tag(isa, last[:n&15], len(ad), n)
	right := (lo^binary.LittleEndian.Uint64(tag))|(hi^binary.LittleEndian.Uint64(tag[8:])) == 0
	w.wipe()
	return right
}

func xor(isa int, dst, src []byte, state *[16]uint32) {
	if len(src) <= blockSize {
		xorBlock(dst, src, state)
		return
	}
	var w work
	w.state = *state
	for passSize := 3*set(isa) + 64; len(src) >= passSize; {
		const most = 64 << 10
		passes := min(len(src), most) / passSize
		if isa == avx2 {
			streamAVX2(&w, &dst[0], &src[0], passes)
		} else {
			streamSSSE3(&w, &dst[0], &src[0], passes)
		}
		dst, src = dst[passes*passSize:], src[passes*passSize:]
	}
	for n := len(src); n > 0; n = len(src) {
		sets, size := next(isa, n)
		w.pass(isa, sets, &dst[0], &src[0], size, &src[0], 0)
		dst, src = dst[size:], src[size:]
	}
	w.wipe()
}
