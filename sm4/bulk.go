package sm4

import (
	"runtime"

	"github.com/cipherlane/cipherlane/internal/modes"
)

// A bulk is a [Cipher] with the methods that package modes needs. Buffers passed
// through that interface escape to the heap. Most callers use these modes through
// an interface anyway.
type bulk Cipher

// wide returns the bulk for modes that process many blocks at once.
func (c *Cipher) wide() *bulk {
	c.keys.widen(c.row)
	return (*bulk)(c)
}

func (b *bulk) Package() string { return "sm4" }

func (b *bulk) Wipe()       { (*Cipher)(b).Wipe() }
func (b *bulk) Row() *uint8 { return &b.row }

// Rekey and Clear are for GCM-SIV, which derives a key for each message.
func (b *bulk) Rekey(key []byte) {
	b.keys.expand(b.row, (*[KeySize]byte)(key))
	b.keys.widen(b.row)
}

func (b *bulk) Clear() { b.keys.wipe() }

// Counters is also for GCM-SIV.
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
