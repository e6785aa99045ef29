//go:build amd64 && !purego

package amd64

import (
	"encoding/binary"
	"math/bits"
	"runtime"
	"unsafe"
)

// This file contains the common part of the families SSSE3 and AVX2. They have the
// same kernels, with registers of 16 and 32 bytes, except passes.
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
	powers [6][3]uint64 // r^(2^i), of SSSE3
}

// pass encrypts or decrypts n bytes, at most the given number of sets of keystream
// or a small pass, and advances the counter. It also hashes blocks, which must not be in dst unless
// they are hashed before it overwrites them.
func (w *work) pass(isa, sets int, dst, src *byte, n int, hash *byte, blocks int) {
	switch sets | isa<<2 {
	case small | avx2<<2:
		smallAVX2(w, dst, src, n, hash, blocks)
	case 1 | avx2<<2:
		passAVX2(w, dst, src, n, hash, blocks)
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

// small stands for a pass of up to smallMax bytes, smallFirst if it makes the key.
const (
	small      = 0
	smallMax   = 4 * blockSize
	smallFirst = smallMax - blockSize
)

// next returns how many sets the next pass generates if n bytes are left, and how
// many bytes it processes.
func next(isa, n int) (sets, size int) {
	setSize := set(isa)
	switch {
	case isa == avx2 && n <= smallMax:
		return small, n
	case isa == ssse3 && n > setSize:
		return 2, min(n, 2*setSize)
	}
	return 1, min(n, setSize)
}

// firstSeal is next for the first pass, which makes the key: with 512 bytes it takes little longer.
func firstSeal(isa, n int) (sets, size int) {
	sets, size = next(isa, n)
	if sets == small && size > smallFirst {
		sets = 1
	}
	return sets, size
}

// firstOpen is next for the first pass. What it decrypts is hashed after it, and what others
// decrypt meanwhile: it is as small as it can be without one more of these.
func firstOpen(isa, n int) (sets, size int) {
	if isa == ssse3 {
		return next(isa, n)
	}
	size = blockSize
	if most := set(isa); (n-size-1)/most > (n-smallFirst-1)/most {
		size = smallFirst
	}
	return small, min(n, size)
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
			hashAVX2(w, &p[0], n/16, nil, 0)
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

// tag hashes whole blocks, the rest of the text, fewer than 16 bytes of it, and the lengths, and
// returns the tag.
func (w *work) tag(isa int, whole, rest []byte, ad, text int) (lo, hi uint64) {
	var last [32]byte
	end := last[16:]
	if len(rest) > 0 {
		copy(last[:], rest)
		end = last[:]
	}
	binary.LittleEndian.PutUint64(last[16:], uint64(ad))
	binary.LittleEndian.PutUint64(last[24:], uint64(text))
	if isa == avx2 {
		hashAVX2(w, at(whole, 0), len(whole)/16, &end[0], len(end)/16)
	} else {
		w.blocks(isa, whole)
		w.blocks(isa, end)
	}
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
	n, adLen, out := len(src), len(ad), dst[:len(src)]
	var begin [shortData]byte
	hash, blocks := &begin[0], 0
	if isa == avx2 && len(ad) <= shortData {
		blocks = (copy(begin[:], ad) + 15) / 16
		ad = nil
	}
	done, hashed := 0, 0
	for sets, size := firstSeal(isa, n); ; sets, size = next(isa, n-done) {
		w.pass(isa, sets, at(out, done), at(src, done), size, hash, blocks)
		if done == 0 {
			w.padded(isa, ad)
		}
		hashed = done
		if done += size; done == n {
			break
		}
		hash, blocks = at(out, hashed), size/16
	}
	whole := n &^ 15
	lo, hi := w.tag(isa, out[hashed:whole], out[whole:], adLen, n)
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
	sets, size := firstOpen(isa, n)
	switch {
	case len(ad) == 0:
	case isa == avx2 && len(ad) <= shortData: // n is above shortTextAVX2
		// The additional data, and behind it what the first pass decrypts.
		var begin [shortData + smallFirst]byte
		padded := (copy(begin[:], ad) + 15) &^ 15
		copy(begin[padded:], text[:size])
		w.pass(isa, sets, at(dst, 0), at(text, 0), size, &begin[0], (padded+size)/16)
		done, hashed = size, size
		sets, size = next(isa, n-done)
	default:
		sets, size = next(isa, 0)
		w.pass(isa, sets, at(dst, 0), at(text, 0), size, at(text, 0), 0)
		w.state[12] = 1
		w.padded(isa, ad)
		sets, size = next(isa, n)
	}
	for ; ; sets, size = next(isa, n-done) {
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
	lo, hi := w.tag(isa, nil, last[:n&15], len(ad), n)
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
