//go:build riscv64 && !purego

package riscv64

import (
	"crypto/subtle"
	"encoding/binary"
	"runtime"
	"unsafe"
)

// KeysZbb are round keys as planes of bits, of which each byte of a word has 16, in the order of
// memory.
type KeysZbb [32]PlanesZbb

// PlanesZbb are the bits of a word.
type PlanesZbb [8]uint64

// StateZbb is the memory of a kernel.
type StateZbb [48]uint64

// PassZbb is the number of bytes that a kernel processes.
const PassZbb = 256

// passZbb is the memory of a pass. What is left of the data goes into a pass, too.
type passZbb struct {
	state StateZbb
	words [PassZbb / 8]uint64 // for data that is too short, or not at a multiple of 8
}

func (p *passZbb) buffer() []byte { return (*[PassZbb]byte)(unsafe.Pointer(&p.words))[:] }

func (p *passZbb) wipe() {
	*p = passZbb{}
	runtime.KeepAlive(p)
}

// direct reports whether a pass can use dst and src.
func direct(dst, src []byte) bool {
	at := uintptr(unsafe.Pointer(&dst[0])) | uintptr(unsafe.Pointer(&src[0]))
	return at%8 == 0 && len(src) >= PassZbb
}

// EncryptBlocksZbb encrypts whole blocks, at least one.
func EncryptBlocksZbb(k *KeysZbb, dst, src []byte) { blocksZbb(k, dst, src, false) }

// DecryptBlocksZbb decrypts whole blocks, at least one.
func DecryptBlocksZbb(k *KeysZbb, dst, src []byte) { blocksZbb(k, dst, src, true) }

func blocksZbb(k *KeysZbb, dst, src []byte, decrypt bool) {
	key, step := &k[0], int(unsafe.Sizeof(k[0]))
	if decrypt {
		key, step = &k[31], -step
	}
	var p passZbb
	for len(src) > 0 {
		n := min(len(src), PassZbb)
		if direct(dst, src) {
			cryptBlocksZbb(key, step, &p.state, &dst[0], &src[0])
		} else {
			b := p.buffer()
			copy(b, src)
			cryptBlocksZbb(key, step, &p.state, &b[0], &b[0])
			copy(dst, b[:n])
		}
		dst, src = dst[n:], src[n:]
	}
	p.wipe()
}

// CBCDecryptZbb decrypts whole blocks, at least one. iv becomes the last ciphertext block.
func CBCDecryptZbb(k *KeysZbb, iv *[16]byte, dst, src []byte) {
	var words [PassZbb / 8]uint64
	b := (*[PassZbb]byte)(unsafe.Pointer(&words))
	for len(src) > 0 {
		n := min(len(src), len(b))
		blocksZbb(k, b[:n], src[:n], true)
		subtle.XORBytes(b[:], b[:16], iv[:])
		*iv = [16]byte(src[n-16:])
		subtle.XORBytes(b[16:], b[16:n], src)
		copy(dst, b[:n])
		dst, src = dst[n:], src[n:]
	}
	clear(words[:])
	runtime.KeepAlive(&words)
}

// CTRZbb adds keystream to src, at least one byte, and advances the 128-bit counter, which is
// public. Unused keystream of the last block goes to the same offsets in rest, which may be
// nil if src is whole blocks.
func CTRZbb(k *KeysZbb, counter *[16]byte, dst, src []byte, rest *[16]byte) {
	for len(src) > 0 {
		n := min(len(src), 16*(1<<32-int(binary.BigEndian.Uint32(counter[12:]))))
		CTR32Zbb(k, counter, dst[:n], src[:n], rest)
		if binary.BigEndian.Uint32(counter[12:]) == 0 {
			carry(counter)
		}
		dst, src = dst[n:], src[n:]
	}
}

// CTR32Zbb is like CTRZbb with the counter of GCM: only the last 32 bits count. Its time does
// not depend on the counter.
func CTR32Zbb(k *KeysZbb, counter *[16]byte, dst, src []byte, rest *[16]byte) {
	var p passZbb
	var words [2]uint64
	c := (*[16]byte)(unsafe.Pointer(&words))
	*c = *counter
	for len(src) > 0 {
		n := min(len(src), PassZbb)
		if direct(dst, src) {
			ctrZbb(&k[0], &p.state, &words, &dst[0], &src[0])
		} else {
			b := p.buffer()
			clear(b[copy(b, src):])
			ctrZbb(&k[0], &p.state, &words, &b[0], &b[0])
			copy(dst, b[:n])
			if n%16 != 0 {
				copy(rest[n%16:], b[n:])
			}
		}
		binary.BigEndian.PutUint32(c[12:], binary.BigEndian.Uint32(c[12:])+uint32(n+15)/16)
		dst, src = dst[n:], src[n:]
	}
	*counter = *c
	p.wipe()
	clear(words[:])
	runtime.KeepAlive(&words)
}
