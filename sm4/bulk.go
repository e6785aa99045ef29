package sm4

import (
	"runtime"

	"github.com/cipherlane/cipherlane/internal/modes"
)

// A bulk is a [Cipher] as package modes wants it. Buffers that go through that
// interface move to the heap: for the modes that are framed there, callers
// reach them through interfaces anyway.
type bulk Cipher

// wide is bulk for modes that work on many blocks at once.
func (c *Cipher) wide() *bulk {
	c.keys.widen(c.row)
	return (*bulk)(c)
}

func (b *bulk) Package() string { return "sm4" }

func (b *bulk) Wipe()       { (*Cipher)(b).Wipe() }
func (b *bulk) Wiped() bool { return b.row == wiped }

// Rekey and Clear are for GCM-SIV, which has a key for each message.
func (b *bulk) Rekey(key []byte) {
	b.keys.expand(b.row, (*[KeySize]byte)(key))
	b.keys.widen(b.row)
}

func (b *bulk) Clear() { b.keys.wipe() }

// Counters is for GCM-SIV, too.
func (b *bulk) Counters(starts [][BlockSize]byte, first int, dst, src []byte) bool {
	return counters(b.row, &b.keys, starts, first, 0, dst, src)
}

func (b *bulk) EncryptBlocks(dst, src []byte) { encryptBlocks(b.row, &b.keys, dst, src) }
func (b *bulk) DecryptBlocks(dst, src []byte) { decryptBlocks(b.row, &b.keys, dst, src) }

func (b *bulk) CBCEncrypt(iv *[BlockSize]byte, dst, src []byte) {
	cbcEncrypt(b.row, &b.keys, iv, dst, src)
}

func (b *bulk) CBCDecrypt(iv *[BlockSize]byte, dst, src []byte) {
	cbcDecrypt(b.row, &b.keys, iv, dst, src)
}

func (b *bulk) CFBDecrypt(iv *[BlockSize]byte, dst, src []byte) int {
	return cfbDecrypt(b.row, &b.keys, iv, dst, src)
}

func (b *bulk) CTR(counter *[BlockSize]byte, dst, src []byte) {
	var rest [BlockSize]byte
	ctrXOR(b.row, &b.keys, counter, dst, src, &rest)
	clear(rest[:])
	runtime.KeepAlive(&rest)
}

func (b *bulk) XTS(tweak *[BlockSize]byte, dst, src []byte, decrypt bool) {
	if !xts(b.row, &b.keys, tweak, dst, src, ieeeTweaks, decrypt) {
		modes.XTSBlocks(b, tweak, dst, src, decrypt, false)
	}
}
