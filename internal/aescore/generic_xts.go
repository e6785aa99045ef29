package aescore

import (
	"crypto/subtle"
	"runtime"

	"github.com/cipherlane/cipherlane/internal/tweaks"
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

func (k *genericKeys) xtsBlocks(
	w *wideCipher, tweak *[BlockSize]byte, dst, src []byte, decrypt bool,
) {
	var t, b [wideSize]byte
	for len(src) > 0 {
		n := min(len(src), wideSize)
		tweaks.Fill(t[:n], tweak)
		subtle.XORBytes(b[:n], src, t[:n])
		k.blocks(w, b[:n], b[:n], decrypt)
		subtle.XORBytes(dst, b[:n], t[:n])
		dst, src = dst[n:], src[n:]
	}
	clear(t[:])
	clear(b[:])
	runtime.KeepAlive(&t)
	runtime.KeepAlive(&b)
}
