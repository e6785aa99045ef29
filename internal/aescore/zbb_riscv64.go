//go:build !purego

package aescore

import (
	"crypto/subtle"
	"encoding/binary"
	"runtime"
	"unsafe"

	"github.com/cipherlane/cipherlane/internal/aescore/internal/riscv64"
	"github.com/cipherlane/cipherlane/internal/ghash"
)

// A zbbPass is the memory for a pass of the driver zbb, which is 16 blocks. What is left of
// the data goes into a pass, too, unless a narrow pass of the portable driver is enough.
type zbbPass struct {
	state riscv64.StateZbb
	words [riscv64.PassZbb / 8]uint64 // for data that is too short, or not at a multiple of 8
}

const _ = uint(riscv64.PassZbb - wideSize) // the same

func (p *zbbPass) buffer() *[riscv64.PassZbb]byte {
	return (*[riscv64.PassZbb]byte)(unsafe.Pointer(&p.words))
}

func (p *zbbPass) wipe() {
	*p = zbbPass{}
	runtime.KeepAlive(p)
}

// direct reports whether a pass can use dst and src.
func direct(dst, src []byte) bool {
	at := uintptr(unsafe.Pointer(&dst[0])) | uintptr(unsafe.Pointer(&src[0]))
	return at%8 == 0 && len(src) >= riscv64.PassZbb
}

func (k *Keys) expandZbb() {
	if k.zbb == nil {
		k.zbb = new(riscv64.KeysZbb)
	}
	(*wideKeys)(unsafe.Pointer(&k.zbb.Planes)).fill(&k.generic)
	k.zbb.Last = k.generic.rounds * int(unsafe.Sizeof(wideState{}))
}

func (k *Keys) blocksZbb(dst, src []byte, decrypt bool) {
	if len(src) > narrowSize {
		n := k.passesZbb(dst, src, decrypt)
		dst, src = dst[n:], src[n:]
	}
	k.generic.blocks(nil, dst, src, decrypt)
}

// passesZbb returns how many bytes it has processed.
func (k *Keys) passesZbb(dst, src []byte, decrypt bool) (done int) {
	var p zbbPass
	for len(src)-done > narrowSize {
		out, in := dst[done:], src[done:]
		n, copied := min(len(in), riscv64.PassZbb), !direct(out, in)
		if copied {
			b := p.buffer()
			copy(b[:], in)
			out, in = b[:], b[:]
		}
		if decrypt {
			riscv64.DecryptZbb(k.zbb, &p.state, out, in)
		} else {
			riscv64.EncryptZbb(k.zbb, &p.state, out, in)
		}
		if copied {
			copy(dst[done:], out[:n])
		}
		done += n
	}
	p.wipe()
	return done
}

// cbcDecryptZbb sets iv to the last ciphertext block.
func (k *Keys) cbcDecryptZbb(iv *[BlockSize]byte, dst, src []byte) {
	if len(src) <= narrowSize {
		k.generic.cbcDecrypt(iv, dst, src)
		return
	}
	var words [128]uint64
	b := (*[8 * len(words)]byte)(unsafe.Pointer(&words))
	for len(src) > 0 {
		n := min(len(src), len(b))
		next := [BlockSize]byte(src[n-BlockSize:])
		k.blocksZbb(b[:n], src[:n], true)
		subtle.XORBytes(b[:], b[:BlockSize], iv[:])
		subtle.XORBytes(b[BlockSize:], b[BlockSize:n], src)
		copy(dst, b[:n])
		*iv = next
		dst, src = dst[n:], src[n:]
	}
	clear(words[:])
	runtime.KeepAlive(&words)
}

// ctrZbb is counter mode with a counter of 128 bits.
func (k *Keys) ctrZbb(counter *[BlockSize]byte, dst, src []byte, rest *[BlockSize]byte) {
	for len(src) > 0 {
		n := min(len(src), BlockSize*(1<<32-int(binary.BigEndian.Uint32(counter[12:]))))
		k.ctr32Zbb(counter, dst[:n], src[:n], rest)
		if binary.BigEndian.Uint32(counter[12:]) == 0 {
			riscv64.Carry(counter)
		}
		dst, src = dst[n:], src[n:]
	}
}

// ctr32Zbb is like ctrZbb with the counter of GCM: see genericKeys.ctr32.
func (k *Keys) ctr32Zbb(counter *[BlockSize]byte, dst, src []byte, rest *[BlockSize]byte) {
	if len(src) > narrowSize {
		n := k.ctrPassesZbb(counter, dst, src, rest)
		dst, src = dst[n:], src[n:]
	}
	k.generic.ctrNarrow(counter, dst, src, rest)
}

// ctrPassesZbb returns how many bytes it has processed.
func (k *Keys) ctrPassesZbb(counter *[BlockSize]byte, dst, src []byte, rest *[BlockSize]byte) (done int) {
	var p zbbPass
	var words [2]uint64
	c := (*[BlockSize]byte)(unsafe.Pointer(&words))
	*c = *counter
	for len(src)-done > narrowSize {
		out, in := dst[done:], src[done:]
		n := min(len(in), riscv64.PassZbb)
		if direct(out, in) {
			riscv64.CTRZbb(k.zbb, &p.state, &words, out, in)
		} else {
			b := p.buffer()
			clear(b[copy(b[:], in):])
			riscv64.CTRZbb(k.zbb, &p.state, &words, b[:], b[:])
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
