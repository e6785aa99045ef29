//go:build (arm || riscv64 || mips || mipsle || mips64 || mips64le) && !purego

package aescore

import (
	"crypto/subtle"
	"encoding/binary"
	"runtime"
	"unsafe"

	"github.com/cipherlane/cipherlane/internal/ghash"
)

// This file has the drivers whose kernels do wide passes on planes of bits. Kernels have names
// for it in drivers_<goarch>.go: encryptPass, decryptPass and ctrPass.

// A pass is the memory for a wide pass. What is left of the data goes into a pass, too, unless a
// narrow pass of the portable driver is enough.
type pass struct {
	state passState
	words [wideSize / wordSize]word // for data that is too short, or not at a multiple of a word's size
}

const wordSize = unsafe.Sizeof(word(0))

func (p *pass) buffer() *[wideSize]byte { return (*[wideSize]byte)(unsafe.Pointer(&p.words)) }

func (p *pass) wipe() {
	*p = pass{}
	runtime.KeepAlive(p)
}

// direct reports whether a pass can use dst and src.
func direct(dst, src []byte) bool {
	at := uintptr(unsafe.Pointer(&dst[0])) | uintptr(unsafe.Pointer(&src[0]))
	return at%wordSize == 0 && len(src) >= wideSize
}

func (k *Keys) expandPasses() {
	if k.passes == nil {
		k.passes = new(passKeys)
	}
	(*wideKeys)(unsafe.Pointer(&k.passes.Planes)).fill(k.portable())
	k.arrangePasses()
	k.passes.Last = k.portable().rounds * int(unsafe.Sizeof(wideState{}))
}

func encryptBlocksByPasses(k *Keys, dst, src []byte) { k.blocksByPasses(dst, src, false) }
func decryptBlocksByPasses(k *Keys, dst, src []byte) { k.blocksByPasses(dst, src, true) }

func cbcEncryptByGeneric(k *Keys, iv *[BlockSize]byte, dst, src []byte) {
	k.generic.cbcEncrypt(iv, dst, src)
}

func (k *Keys) blocksByPasses(dst, src []byte, decrypt bool) {
	if len(src) > passShort {
		n := k.blockPasses(dst, src, decrypt)
		dst, src = dst[n:], src[n:]
	}
	k.generic.blocks(nil, dst, src, decrypt)
}

// blockPasses returns how many bytes it has processed.
func (k *Keys) blockPasses(dst, src []byte, decrypt bool) (done int) {
	var p pass
	for len(src)-done > passShort {
		out, in := dst[done:], src[done:]
		n, copied := min(len(in), wideSize), !direct(out, in)
		if copied {
			b := p.buffer()
			copy(b[:], in)
			out, in = b[:], b[:]
		}
		if decrypt {
			decryptPass(k.passes, &p.state, out, in)
		} else {
			encryptPass(k.passes, &p.state, out, in)
		}
		if copied {
			copy(dst[done:], out[:n])
		}
		done += n
	}
	p.wipe()
	return done
}

// cbcDecryptByPasses sets iv to the last ciphertext block.
func cbcDecryptByPasses(k *Keys, iv *[BlockSize]byte, dst, src []byte) {
	if len(src) <= passShort {
		k.generic.cbcDecrypt(iv, dst, src)
		return
	}
	var words [4 * wideSize / wordSize]word
	b := (*[4 * wideSize]byte)(unsafe.Pointer(&words))
	for len(src) > 0 {
		n := min(len(src), len(b))
		next := [BlockSize]byte(src[n-BlockSize:])
		k.blocksByPasses(b[:n], src[:n], true)
		subtle.XORBytes(b[:], b[:BlockSize], iv[:])
		subtle.XORBytes(b[BlockSize:], b[BlockSize:n], src)
		copy(dst, b[:n])
		*iv = next
		dst, src = dst[n:], src[n:]
	}
	clear(words[:])
	runtime.KeepAlive(&words)
}

// ctrByPasses is counter mode with a counter of 128 bits.
func ctrByPasses(k *Keys, counter *[BlockSize]byte, dst, src []byte, rest *[BlockSize]byte) {
	for len(src) > 0 {
		toCarry := BlockSize * (1<<32 - uint64(binary.BigEndian.Uint32(counter[12:]))) // bytes
		n := int(min(uint64(len(src)), toCarry))
		ctr32ByPasses(k, counter, dst[:n], src[:n], rest)
		if binary.BigEndian.Uint32(counter[12:]) == 0 {
			carry(counter)
		}
		dst, src = dst[n:], src[n:]
	}
}

// ctr32ByPasses is like ctrByPasses with the counter of GCM: see genericKeys.counter32.
func ctr32ByPasses(k *Keys, counter *[BlockSize]byte, dst, src []byte, rest *[BlockSize]byte) {
	if len(src) > passShort {
		n := k.ctrPasses(counter, dst, src, rest)
		dst, src = dst[n:], src[n:]
	}
	k.generic.ctrNarrow(counter, dst, src, rest)
}

// ctrPasses returns how many bytes it has processed.
func (k *Keys) ctrPasses(counter *[BlockSize]byte, dst, src []byte, rest *[BlockSize]byte) (done int) {
	var p pass
	var words [BlockSize / wordSize]word
	c := (*[BlockSize]byte)(unsafe.Pointer(&words))
	*c = *counter
	for len(src)-done > passShort {
		out, in := dst[done:], src[done:]
		n := min(len(in), wideSize)
		if direct(out, in) {
			ctrPass(k.passes, &p.state, c, out, in)
		} else {
			b := p.buffer()
			clear(b[copy(b[:], in):])
			ctrPass(k.passes, &p.state, c, b[:], b[:])
			copy(out, b[:n])
			if n%BlockSize != 0 {
				copy(rest[n%BlockSize:], b[n:])
			}
		}
		done += n
		ghash.Add32(c, (n+BlockSize-1)/BlockSize)
	}
	*counter = *c
	p.wipe()
	clear(words[:])
	runtime.KeepAlive(&words)
	return done
}
