//go:build amd64 && !purego

package amd64

import (
	"encoding/binary"
	"math/bits"
	"runtime"
	"unsafe"
)

// The family AVX512 needs AVX-512 (F, CD, BW, DQ, VL), IFMA and BMI2.

// maxPass is the largest number of bytes per call of a kernel: the runtime cannot
// preempt a goroutine inside assembly.
const maxPass = 64 << 10

// XORAVX512 adds the keystream of state to src.
func XORAVX512(dst, src []byte, state *[16]uint32) {
	if len(src) <= blockSize {
		xorBlock(dst, src, state)
		return
	}
	XORBMI2AVX512(dst, src, state)
}

// xor512 is XORBMI2AVX512 and changes the counter. Words have 2048 bytes in a pass,
// which takes little longer than 1536 bytes in rows.
func xor512(dst, src []byte, s *[16]uint32) {
	for len(src) > 1536 {
		n := min(len(src), maxPass)
		if rest := n % 2048; rest <= 1536 {
			n -= rest
		}
		xorWordsAVX512(&dst[0], &src[0], n, s)
		dst, src = dst[n:], src[n:]
	}
	switch n := len(src); {
	case n == 0:
	case n <= 256:
		xorRows1AVX512(&dst[0], &src[0], n, s)
	case n <= 512:
		xorRows2AVX512(&dst[0], &src[0], n, s)
	case n <= 768:
		xorRows3AVX512(&dst[0], &src[0], n, s)
	case n <= 1024:
		xorRows4AVX512(&dst[0], &src[0], n, s)
	default:
		xorRows6AVX512(&dst[0], &src[0], n, s)
	}
}

//go:noescape
//ct:secret dst src state
func xorRows1AVX512(dst, src *byte, n int, state *[16]uint32)

//go:noescape
//ct:secret dst src state
func xorRows2AVX512(dst, src *byte, n int, state *[16]uint32)

//go:noescape
//ct:secret dst src state
func xorRows3AVX512(dst, src *byte, n int, state *[16]uint32)

//go:noescape
//ct:secret dst src state
func xorRows4AVX512(dst, src *byte, n int, state *[16]uint32)

//go:noescape
//ct:secret dst src state
func xorRows6AVX512(dst, src *byte, n int, state *[16]uint32)

//go:noescape
//ct:secret dst src state
func xorWordsAVX512(dst, src *byte, n int, state *[16]uint32)

// BlocksAVX512 continues Poly1305 over whole blocks, at least one: h = (h + m +
// 2^128) r mod 2^130-5.
func BlocksAVX512(h *[3]uint64, r *[2]uint64, p []byte) {
	for len(p) > 0 {
		n := min(len(p), maxPass)
		blocksAVX512(h, r, &p[0], n)
		p = p[n:]
	}
}

//go:noescape
//ct:secret h r p
func blocksAVX512(h *[3]uint64, r *[2]uint64, p *byte, n int)

// SealAVX512 writes the encryption of src to dst, followed by the tag.
func SealAVX512(dst, src, ad []byte, key *[8]uint32, nonce *[3]uint32) {
	if len(src) <= packetMax && len(ad) <= dataMax {
		packetAVX512(unsafe.SliceData(dst), unsafe.SliceData(src), len(src), unsafe.SliceData(ad), len(ad),
			key, nonce, (*[16]byte)(dst[len(src):]), false)
		return
	}
	var m message512
	m.start(key, nonce)
	xor512(dst[:len(src)], src, &m.state)
	m.tag((*[16]byte)(dst[len(src):]), dst[:len(src)], ad)
	m = message512{}
	runtime.KeepAlive(&m)
}

// OpenAVX512 is the inverse, and reports whether the tag is right.
func OpenAVX512(dst, src, ad []byte, key *[8]uint32, nonce *[3]uint32) bool {
	var tag [16]byte
	if len(dst) <= packetMax && len(ad) <= dataMax {
		packetAVX512(unsafe.SliceData(dst), unsafe.SliceData(src), len(dst), unsafe.SliceData(ad), len(ad),
			key, nonce, &tag, true)
	} else {
		var m message512
		m.start(key, nonce)
		m.tag(&tag, src[:len(dst)], ad)
		xor512(dst, src[:len(dst)], &m.state)
		m = message512{}
		runtime.KeepAlive(&m)
	}
	ok := equalTag(&tag, src[len(dst):])
	clear(tag[:])
	runtime.KeepAlive(&tag)
	return ok
}

// packetMax is the length of text, and dataMax the length of additional data, up to
// which one kernel does everything. Additional data is hashed in general registers.
const (
	packetMax = 1536
	dataMax   = 256
)

//go:noescape
//ct:secret dst src ad key tag
//ct:public nonce
//ct:cases n=0|1..64|65..256|257..512|513..768|769..1024|1025..1536 open=0|1
func packetAVX512(dst, src *byte, n int, ad *byte, adLen int, key *[8]uint32, nonce *[3]uint32, tag *[16]byte, open bool)

// A Job is one of many packets. When it is sealed, the tag goes to Tag; when it
// is opened, Tag gets what the tag should be.
type Job struct {
	Dst, Src *byte
	N        int // bytes of text
	AD       *byte
	ADLen    int
	Tag      *[16]byte
	Nonce    [3]uint32
	_        uint32
}

// The lengths of packets: some data, as packets of up to 64 bytes have another kernel.
const (
	ManyMin     = 65
	ManyMax     = 23 * 64
	ManyDataMax = dataMax
)

// SealManyAVX512 seals packets, a multiple of 4, under one key.
func SealManyAVX512(jobs []Job, key *[8]uint32) {
	manyAVX512(&jobs[0], len(jobs), key, manyPasses(jobs), false)
}

// OpenManyAVX512 is the inverse. The caller compares the tags.
func OpenManyAVX512(jobs []Job, key *[8]uint32) {
	manyAVX512(&jobs[0], len(jobs), key, manyPasses(jobs), true)
}

// manyPasses returns how many passes four packets need: 8, 16 or 24 blocks for
// each, one of which is the key of Poly1305.
func manyPasses(jobs []Job) int {
	n := 0
	for i := range jobs {
		n = max(n, jobs[i].N)
	}
	return (n + 64 + 511) / 512
}

//go:noescape
//ct:secret jobs key
//ct:public jobs.N jobs.ADLen
//ct:cases passes=1|2|3 n=4..0x100000/4
func manyAVX512(jobs *Job, n int, key *[8]uint32, passes int, open bool)

// A message512 is the state for a message whose text or data is too long for
// packetAVX512.
type message512 struct {
	state [16]uint32
	key   [8]uint32
	h     [3]uint64
	r, s  [2]uint64
}

func (m *message512) start(key *[8]uint32, nonce *[3]uint32) {
	m.state = [16]uint32{0x61707865, 0x3320646e, 0x79622d32, 0x6b206574,
		key[0], key[1], key[2], key[3], key[4], key[5], key[6], key[7], 1, nonce[0], nonce[1], nonce[2]}
	k := &m.key
	keyAVX512(k, key, nonce)
	m.r[0] = (uint64(k[1])<<32 | uint64(k[0])) & 0x0ffffffc0fffffff
	m.r[1] = (uint64(k[3])<<32 | uint64(k[2])) & 0x0ffffffc0ffffffc
	m.s[0] = uint64(k[5])<<32 | uint64(k[4])
	m.s[1] = uint64(k[7])<<32 | uint64(k[6])
}

//go:noescape
//ct:secret out key
//ct:public nonce
func keyAVX512(out *[8]uint32, key *[8]uint32, nonce *[3]uint32)

func (m *message512) padded(p []byte) {
	if n := len(p) &^ 15; n > 0 {
		BlocksAVX512(&m.h, &m.r, p[:n])
		p = p[n:]
	}
	if len(p) > 0 {
		var last [16]byte
		copy(last[:], p)
		BlocksAVX512(&m.h, &m.r, last[:])
		clear(last[:])
		runtime.KeepAlive(&last)
	}
}

// tag authenticates the ciphertext and additional data (RFC 8439, section 2.8).
func (m *message512) tag(tag *[16]byte, text, ad []byte) {
	if len(ad) > 0 {
		m.padded(ad)
	}
	whole := len(text) &^ 15
	BlocksAVX512(&m.h, &m.r, text[:whole])
	var last [32]byte
	end := last[(copy(last[:16], text[whole:])+15)&^15:]
	binary.LittleEndian.PutUint64(end, uint64(len(ad)))
	binary.LittleEndian.PutUint64(end[8:], uint64(len(text)))
	blocksAVX512(&m.h, &m.r, &last[0], len(last)-len(end)+16)
	clear(last[:])
	runtime.KeepAlive(&last)
	h0, h1, h2 := m.h[0], m.h[1], m.h[2]
	t0, c := bits.Add64(h0, 5, 0)
	t1, c := bits.Add64(h1, 0, c)
	mask := -((h2 + c) >> 2) // h + 5 reaches 2^130: h is p or more, and h < 2p
	h0 ^= (h0 ^ t0) & mask
	h1 ^= (h1 ^ t1) & mask
	h0, c = bits.Add64(h0, m.s[0], 0)
	h1, _ = bits.Add64(h1, m.s[1], c)
	binary.LittleEndian.PutUint64(tag[:8], h0)
	binary.LittleEndian.PutUint64(tag[8:], h1)
}
