package aescore

import (
	"crypto/subtle"
	"encoding/binary"
	"runtime"
)

// xts is XTS (IEEE 1619, section 5.3) over whole blocks. tweak, already encrypted,
// becomes that of the block after src.
func (k *genericKeys) xts(tweak *[BlockSize]byte, dst, src []byte, decrypt bool) {
	if len(src) < wideMin {
		k.xtsBlocks(nil, tweak, dst, src, decrypt)
	} else {
		k.xtsWide(tweak, dst, src, decrypt)
	}
}

func (k *genericKeys) xtsWide(tweak *[BlockSize]byte, dst, src []byte, decrypt bool) {
	var w wideCipher
	w.init(k)
	k.xtsBlocks(&w, tweak, dst, src, decrypt)
	w.wipe()
}

func (k *genericKeys) xtsBlocks(w *wideCipher, tweak *[BlockSize]byte, dst, src []byte, decrypt bool) {
	var tweaks, b [wideSize]byte
	for len(src) > 0 {
		n := min(len(src), wideSize)
		fillTweaks(tweaks[:n], tweak)
		subtle.XORBytes(b[:n], src, tweaks[:n])
		k.blocks(w, b[:n], b[:n], decrypt)
		subtle.XORBytes(dst, b[:n], tweaks[:n])
		dst, src = dst[n:], src[n:]
	}
	clear(tweaks[:])
	clear(b[:])
	runtime.KeepAlive(&tweaks)
	runtime.KeepAlive(&b)
}

// fillTweaks fills b with the tweaks of successive blocks. tweak becomes that of the
// block after them.
func fillTweaks(b []byte, tweak *[BlockSize]byte) {
	lo, hi := binary.LittleEndian.Uint64(tweak[:8]), binary.LittleEndian.Uint64(tweak[8:])
	for i := 0; i < len(b); i += BlockSize {
		binary.LittleEndian.PutUint64(b[i:], lo)
		binary.LittleEndian.PutUint64(b[i+8:], hi)
		lo, hi = lo<<1^-(hi>>63)&0x87, hi<<1|lo>>63 // times x, modulo x^128 + x^7 + x^2 + x + 1
	}
	binary.LittleEndian.PutUint64(tweak[:8], lo)
	binary.LittleEndian.PutUint64(tweak[8:], hi)
}
