//go:build arm && !purego

package arm

import (
	"runtime"
	"unsafe"
)

const (
	blockSize = 64
	tagSize   = 16

	// maxPass is the largest number of bytes per call of a kernel.
	maxPass = 64 << 10

	// minNEON is the length from which on Poly1305 needs fewer instructions with
	// NEON, which has to compute powers of r.
	minNEON = 160
)

// SealV6 writes the encryption of src to dst, followed by the tag (RFC 8439,
// section 2.8). len(dst) == len(src)+16; dst starts at the same byte as src or
// does not overlap it.
func SealV6(dst, src, ad []byte, key *[8]uint32, nonce *[3]uint32) {
	var otk [8]uint32 // one-time key
	n := min(len(src), maxPass)
	chachaV6(&dst[0], unsafe.SliceData(src), n, &key[0], &nonce[0], 0, &otk)
	if len(ad) == 0 && n < minNEON {
		macV6(nil, &otk, &dst[0], n, &dst[n], 0, n, 0)
	} else {
		if n < len(src) {
			continued(false, dst, src, n, key, nonce, 1+maxPass/blockSize)
		}
		tag(false, &otk, dst[:len(src)], ad, &dst[len(src)], 0)
	}
	otk = [8]uint32{}
	runtime.KeepAlive(&otk)
}

// OpenV6 is the inverse of SealV6; len(dst) == len(src)-16. It reports whether
// the tag is right. If it is not, the caller has to wipe dst.
func OpenV6(dst, src, ad []byte, key *[8]uint32, nonce *[3]uint32) (ok bool) {
	var otk [8]uint32
	n := len(dst)
	chachaV6(nil, nil, 0, &key[0], &nonce[0], 0, &otk)
	if len(ad) == 0 && n < minNEON {
		ok = macV6(nil, &otk, &src[0], n, &src[n], 0, n, 1) == 0
	} else {
		ok = tag(false, &otk, src[:n], ad, &src[n], 1) == 0
	}
	if ok {
		continued(false, dst, src[:n], 0, key, nonce, 1)
	}
	otk = [8]uint32{}
	runtime.KeepAlive(&otk)
	return ok
}

// SealNEON is SealV6 with NEON.
func SealNEON(dst, src, ad []byte, key *[8]uint32, nonce *[3]uint32) {
	var otk [8]uint32
	n := min(len(src), maxPass)
	chachaNEON(&dst[0], unsafe.SliceData(src), n, &key[0], &nonce[0], 0, &otk)
	switch {
	case len(ad) == 0 && n < minNEON:
		macV6(nil, &otk, &dst[0], n, &dst[n], 0, n, 0)
	case len(ad) == 0 && n == len(src) && lead(n) == 0:
		macNEON(nil, &otk, &dst[0], n, &dst[n], 0, n, 0)
	default:
		if n < len(src) {
			continued(true, dst, src, n, key, nonce, 1+maxPass/blockSize)
		}
		tag(true, &otk, dst[:len(src)], ad, &dst[len(src)], 0)
	}
	otk = [8]uint32{}
	runtime.KeepAlive(&otk)
}

// OpenNEON keeps these until it has checked the tag: the one-time key, and the plaintext
// that the same pass of the cipher decrypts.
type (
	shortWork struct {
		otk  [8]uint32
		text [blockSize / 4]uint32
	}
	longWork struct {
		otk  [8]uint32
		text [3 * blockSize / 4]uint32
	}
)

// OpenNEON is OpenV6 with NEON.
func OpenNEON(dst, src, ad []byte, key *[8]uint32, nonce *[3]uint32) (ok bool) {
	if len(dst) <= blockSize {
		var s shortWork
		n, p := len(dst), (*byte)(unsafe.Pointer(&s.text))
		chachaNEON(p, &src[0], n, &key[0], &nonce[0], 0, &s.otk)
		if len(ad) == 0 {
			ok = macV6(nil, &s.otk, &src[0], n, &src[n], 0, n, 1) == 0
		} else {
			ok = tag(true, &s.otk, src[:n], ad, &src[n], 1) == 0
		}
		if ok {
			copy(dst, unsafe.Slice(p, blockSize))
		}
		s = shortWork{}
		runtime.KeepAlive(&s)
		return ok
	}
	var s longWork
	n, p, text := min(len(dst), len(s.text)*4), (*byte)(unsafe.Pointer(&s.text)), len(dst)
	chachaNEON(p, &src[0], n, &key[0], &nonce[0], 0, &s.otk)
	if len(ad) == 0 && text >= minNEON && text <= maxPass && lead(text) == 0 {
		ok = macNEON(nil, &s.otk, &src[0], text, &src[text], 0, text, 1) == 0
	} else {
		ok = tag(true, &s.otk, src[:text], ad, &src[text], 1) == 0
	}
	if ok {
		copy(dst, unsafe.Slice(p, n))
		if n < text {
			continued(true, dst, src[:text], n, key, nonce, 1+3)
		}
	}
	s = longWork{}
	runtime.KeepAlive(&s)
	return ok
}

// XORV6 sets dst to src XOR the keystream from the initial state on, for at least
// one byte. The counter in the state wraps around at 32 bits; the state is not
// changed.
func XORV6(dst, src []byte, state *[16]uint32) { xor(false, dst, src, state) }

// XORNEON is XORV6 with NEON.
func XORNEON(dst, src []byte, state *[16]uint32) { xor(true, dst, src, state) }

// BlocksV6 continues Poly1305 over whole blocks, at least one: h = (h + m +
// 2^128) r mod 2^130-5. h[2] <= 4 before and after, r is clamped.
func BlocksV6(h *[3]uint64, r *[2]uint64, p []byte) { blocks(false, words(h), words2(r), p) }

// BlocksNEON is BlocksV6 with NEON.
func BlocksNEON(h *[3]uint64, r *[2]uint64, p []byte) { blocks(true, words(h), words2(r), p) }

func words(h *[3]uint64) *[6]uint32 { return (*[6]uint32)(unsafe.Pointer(h)) }

// words2 returns r as the first half of a key. If there is no tag, macV6 reads only
// that half.
func words2(r *[2]uint64) *[8]uint32 { return (*[8]uint32)(unsafe.Pointer(r)) }

// continued is ChaCha20 for src after its first done bytes, from the block counter
// on.
func continued(neon bool, dst, src []byte, done int, key *[8]uint32, nonce *[3]uint32, counter uint32) {
	for done < len(src) {
		n := min(len(src)-done, maxPass)
		chacha(neon, &dst[done], &src[done], n, &key[0], &nonce[0], counter, nil)
		counter += maxPass / blockSize
		done += n
	}
}

func chacha(neon bool, dst, src *byte, n int, key, nonce *uint32, counter uint32, first *[8]uint32) {
	if neon {
		chachaNEON(dst, src, n, key, nonce, counter, first)
	} else {
		chachaV6(dst, src, n, key, nonce, counter, first)
	}
}

func xor(neon bool, dst, src []byte, state *[16]uint32) {
	if len(src) <= maxPass {
		chacha(neon, &dst[0], &src[0], len(src), &state[0], nil, 0, nil)
		return
	}
	s := *state
	for len(src) > 0 {
		n := min(len(src), maxPass)
		chacha(neon, &dst[0], &src[0], n, &s[0], nil, 0, nil)
		s[12] += maxPass / blockSize
		dst, src = dst[n:], src[n:]
	}
	clear(s[:])
	runtime.KeepAlive(&s)
}

// tag authenticates ciphertext and additional data, and stores the tag or
// compares it: see macV6.
func tag(neon bool, otk *[8]uint32, ciphertext, ad []byte, tag *byte, check int) (diff uint32) {
	n, p := len(ciphertext), unsafe.SliceData(ciphertext)
	if len(ad) == 0 && n < minNEON {
		return macV6(nil, otk, p, n, tag, 0, n, check)
	}
	var h [6]uint32
	from := (*[6]uint32)(nil)
	if len(ad) > 0 {
		from = &h
		whole := len(ad) &^ (tagSize - 1)
		blocks(neon, &h, otk, ad[:whole])
		if rest := ad[whole:]; len(rest) > 0 {
			macV6(&h, otk, &rest[0], len(rest), nil, 0, 0, 0)
		}
	}
	mac := ciphertext
	for len(mac) > maxPass {
		from = &h
		blocks(neon, &h, otk, mac[:maxPass])
		mac = mac[maxPass:]
	}
	if !neon || len(mac) < minNEON {
		diff = macV6(from, otk, unsafe.SliceData(mac), len(mac), tag, len(ad), n, check)
	} else {
		if lead := lead(len(mac)); lead > 0 {
			macV6(&h, otk, &mac[0], lead, nil, 0, 0, 0)
			from = &h
			mac = mac[lead:]
		}
		diff = macNEON(from, otk, &mac[0], len(mac), tag, len(ad), n, check)
	}
	if from != nil {
		h = [6]uint32{}
		runtime.KeepAlive(&h)
	}
	return diff
}

// lead returns how many of n bytes, 0 to 3 blocks, precede those that macNEON can
// process up to the tag.
func lead(n int) int { return (n - 1) & (3 * tagSize) }

// blocks is Poly1305 over whole blocks. It reads the first half of key.
func blocks(neon bool, h *[6]uint32, key *[8]uint32, p []byte) {
	for len(p) > 0 {
		n := min(len(p), maxPass)
		if neon && n >= minNEON {
			n = (n-2*tagSize)&^63 + 2*tagSize
			macNEON(h, key, &p[0], n, nil, 0, 0, 0)
		} else {
			macV6(h, key, &p[0], n, nil, 0, 0, 0)
		}
		p = p[n:]
	}
}
