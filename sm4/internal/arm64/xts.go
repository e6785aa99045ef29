//go:build arm64 && !purego

package arm64

import (
	"crypto/subtle"
	"encoding/binary"
	"math/bits"
	"runtime"

	"github.com/cipherlane/cipherlane/internal/tweaks"
)

// xts encrypts or decrypts whole blocks, at least one, from the encrypted tweak on. tweak
// becomes that of the block after them. If gb is set, the bits of each byte of a tweak are
// reversed before it is added.
func (f family) xts(k *Keys, step int, tweak *[16]byte, dst, src []byte, gb bool) {
	if len(src) == 4*16 {
		xts4(k, step, tweak, (*[64]byte)(dst), (*[64]byte)(src), gb)
		return
	}
	var t, b [group]byte
	if n := len(src) &^ (group - 1); n > 0 {
		tweaks.Fill(t[:], tweak)
		f.xtsGroups(k, step, &t, dst, src, n/group, gb)
		for i := range tweak {
			tweak[i] = t[16*i]
		}
		if gb {
			reverseBits(tweak[:])
		}
		dst, src = dst[n:], src[n:]
	}
	if n := len(src); n > 0 {
		tweaks.Fill(t[:n], tweak)
		if gb {
			reverseBits(t[:n])
		}
		subtle.XORBytes(b[:], src, t[:n])
		f.inPlace(k, step, &b, n/16)
		subtle.XORBytes(dst, b[:n], t[:n])
		clear(b[:])
	}
	clear(t[:])
	runtime.KeepAlive(&b)
	runtime.KeepAlive(&t)
}

// xts4 is xts for four blocks.
func xts4(k *Keys, step int, tweak *[16]byte, dst, src *[64]byte, gb bool) {
	var t, b [64]byte
	tweaks.Fill(t[:], tweak)
	if gb {
		reverseBits(t[:])
	}
	for i := 0; i < 64; i += 16 {
		xorBlock(b[i:], t[i:], src[i:])
	}
	blocks4AES(k, step, &b[0], &b[0])
	for i := 0; i < 64; i += 16 {
		xorBlock(dst[i:], t[i:], b[i:])
	}
	t, b = [64]byte{}, [64]byte{}
	runtime.KeepAlive(&b)
	runtime.KeepAlive(&t)
}

func (f family) xtsUnit(k, first *Keys, step int, tweak *[16]byte, dst, src []byte, gb bool) {
	f.ecb(first, forward, tweak[:], tweak[:])
	if gb {
		reverseBits(tweak[:])
	}
	f.xts(k, step, tweak, dst, src, gb)
}

func (f family) xtsGroups(k *Keys, step int, tweaks *[group]byte, dst, src []byte, groups int, gb bool) {
	switch f {
	case aes:
		xts16AES(k, step, tweaks, &dst[0], &src[0], groups, gb)
	case aesSHA3:
		xts16AESSHA3(k, step, tweaks, &dst[0], &src[0], groups, gb)
	default:
		panic(noFamily)
	}
}

// reverseBits reverses the bits of each byte of whole blocks.
func reverseBits(p []byte) {
	for ; len(p) >= 8; p = p[8:] {
		binary.BigEndian.PutUint64(p, bits.Reverse64(binary.LittleEndian.Uint64(p)))
	}
}

// direction is the step between round keys.
func direction(decrypt bool) int {
	if decrypt {
		return backward
	}
	return forward
}

// XTSAES encrypts or decrypts whole blocks, at least one, from the encrypted tweak on.
// tweak becomes that of the block after them. If gb is set, the bits of each byte of a
// tweak are reversed before it is added.
func XTSAES(k *Keys, tweak *[16]byte, dst, src []byte, gb, decrypt bool) {
	aes.xts(k, direction(decrypt), tweak, dst, src, gb)
}

// XTSUnitAES is like XTSAES from the tweak on that is not yet encrypted. The keys first
// encrypt it.
func XTSUnitAES(k, first *Keys, tweak *[16]byte, dst, src []byte, gb, decrypt bool) {
	aes.xtsUnit(k, first, direction(decrypt), tweak, dst, src, gb)
}

// XTSUnitAESSHA3 is XTSUnitAES.
func XTSUnitAESSHA3(k, first *Keys, tweak *[16]byte, dst, src []byte, gb, decrypt bool) {
	aesSHA3.xtsUnit(k, first, direction(decrypt), tweak, dst, src, gb)
}

// XTSAESSHA3 is XTSAES.
func XTSAESSHA3(k *Keys, tweak *[16]byte, dst, src []byte, gb, decrypt bool) {
	aesSHA3.xts(k, direction(decrypt), tweak, dst, src, gb)
}
