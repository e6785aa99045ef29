package chachapoly

import (
	"encoding/binary"
	"runtime"
	"unsafe"
)

// sealByParts is Seal by the driver's ChaCha20 and Poly1305.
func sealByParts(row uint8, dst, src, ad []byte, key *[8]uint32, nonce *[3]uint32) {
	m := message{row: row}
	m.start(key, nonce)
	out := dst[:len(src)]
	m.xor(out, src)
	m.tag((*[TagSize]byte)(dst[len(src):]), out, ad)
	m.wipe()
}

// openByParts checks the tag first, and decrypts only if it is right.
func openByParts(row uint8, dst, src, ad []byte, key *[8]uint32, nonce *[3]uint32) bool {
	m := message{row: row}
	m.start(key, nonce)
	text, tag := src[:len(dst)], src[len(dst):]
	var right [TagSize]byte
	m.tag(&right, text, ad)
	ok := EqualTag(&right, tag)
	if ok {
		m.xor(dst, text)
	}
	clear(right[:]) // it would allow a forgery
	runtime.KeepAlive(&right)
	m.wipe()
	return ok
}

// EqualTag reports whether tag equals the right one, in constant time.
func EqualTag(right *[TagSize]byte, tag []byte) bool {
	a := binary.LittleEndian.Uint64(right[:]) ^ binary.LittleEndian.Uint64(tag)
	b := binary.LittleEndian.Uint64(right[8:]) ^ binary.LittleEndian.Uint64(tag[8:])
	return a|b == 0
}

// A message is the state of one message: ChaCha20 from block 1 on, and Poly1305 with block 0
// as its key.
type message struct {
	row   uint8
	state [16]uint32
	h     [3]uint64
	r, s  [2]uint64
}

func (m *message) start(key *[8]uint32, nonce *[3]uint32) {
	*Begin(&m.state) = *key // part by part: a composite literal would leave a copy on the stack
	copy(m.state[13:], nonce[:])
	var x block
	k := (*[BlockSize]byte)(unsafe.Pointer(&x))
	XOR(m.row, k[:], k[:], &m.state)
	m.state[12] = 1
	m.r[0] = binary.LittleEndian.Uint64(k[:]) & 0x0ffffffc0fffffff
	m.r[1] = binary.LittleEndian.Uint64(k[8:]) & 0x0ffffffc0ffffffc
	m.s[0] = binary.LittleEndian.Uint64(k[16:])
	m.s[1] = binary.LittleEndian.Uint64(k[24:])
	clear(x[:])
	runtime.KeepAlive(&x)
}

func (m *message) xor(dst, src []byte) {
	if len(src) > 0 {
		XOR(m.row, dst, src, &m.state)
	}
}

// tag authenticates ciphertext and additional data (RFC 8439, section 2.8).
func (m *message) tag(tag *[TagSize]byte, ciphertext, ad []byte) {
	var last [2 * TagSize]byte
	if len(ad) > 0 {
		m.padded(ad)
	}
	whole := len(ciphertext) &^ (TagSize - 1)
	if whole > 0 {
		Blocks(m.row, &m.h, &m.r, ciphertext[:whole])
	}
	end := last[TagSize:]
	binary.LittleEndian.PutUint64(end, uint64(len(ad)))
	binary.LittleEndian.PutUint64(end[8:], uint64(len(ciphertext)))
	if whole < len(ciphertext) {
		copy(last[:], ciphertext[whole:])
		end = last[:]
	}
	Blocks(m.row, &m.h, &m.r, end)
	clear(last[:])
	runtime.KeepAlive(&last)
	finish(tag, &m.h, &m.s)
}

func (m *message) padded(p []byte) {
	if whole := len(p) &^ (TagSize - 1); whole > 0 {
		Blocks(m.row, &m.h, &m.r, p[:whole])
		p = p[whole:]
	}
	if len(p) > 0 {
		var last [TagSize]byte
		copy(last[:], p)
		Blocks(m.row, &m.h, &m.r, last[:])
	}
}

func (m *message) wipe() {
	*m = message{}
	runtime.KeepAlive(m)
}
