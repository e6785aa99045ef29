package aes

import "runtime"

// A bulk is a [Cipher] as package modes wants it. Buffers that go through that
// interface move to the heap: for the modes that are framed there, callers
// reach them through interfaces anyway.
type bulk Cipher

func (b *bulk) Package() string { return "aes" }

func (b *bulk) Wipe()       { (*Cipher)(b).Wipe() }
func (b *bulk) Wiped() bool { return b.row == wiped }

// Rekey and Clear are for GCM-SIV, which has a key for each message.
func (b *bulk) Rekey(key []byte) { b.keys.expand(b.row, key) }
func (b *bulk) Clear()           { b.keys.wipe() }

// Counters says that there is no kernel for counters as GCM-SIV has them.
func (b *bulk) Counters([][BlockSize]byte, int, []byte, []byte) bool { return false }

func (b *bulk) EncryptBlocks(dst, src []byte) { encryptBlocks(b.row, &b.keys, dst, src) }
func (b *bulk) DecryptBlocks(dst, src []byte) { decryptBlocks(b.row, &b.keys, dst, src) }

func (b *bulk) CBCEncrypt(iv *[BlockSize]byte, dst, src []byte) {
	cbcEncrypt(b.row, &b.keys, iv, dst, src)
}

func (b *bulk) CBCDecrypt(iv *[BlockSize]byte, dst, src []byte) {
	cbcDecrypt(b.row, &b.keys, iv, dst, src)
}

// CFBDecrypt says that there is no kernel for CFB.
func (b *bulk) CFBDecrypt(*[BlockSize]byte, []byte, []byte) int { return 0 }

func (b *bulk) CTR(counter *[BlockSize]byte, dst, src []byte) {
	var rest [BlockSize]byte
	ctrXOR(b.row, &b.keys, counter, dst, src, &rest)
	clear(rest[:])
	runtime.KeepAlive(&rest)
}

func (b *bulk) XTS(tweak *[BlockSize]byte, dst, src []byte, decrypt bool) {
	xts(b, tweak, dst, src, decrypt)
}
