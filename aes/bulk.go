package aes

import "runtime"

// A bulk is a [Cipher] with the methods that package modes needs. Buffers passed
// through that interface escape to the heap. Most callers use these modes through
// an interface anyway.
type bulk Cipher

func (b *bulk) Package() string { return "aes" }

func (b *bulk) Wipe()       { (*Cipher)(b).Wipe() }
func (b *bulk) Row() *uint8 { return &b.row }

// Rekey and Clear are for GCM-SIV, which derives a key for each message.
func (b *bulk) Rekey(key []byte) { b.keys.expand(b.row, key) }
func (b *bulk) Clear()           { b.keys.wipe() }

// Counters returns false: there is no kernel for the counters of GCM-SIV.
func (b *bulk) Counters([][BlockSize]byte, int, []byte, []byte) bool { return false }

func (b *bulk) EncryptBlocks(dst, src []byte) { encryptBlocks(b.row, &b.keys, dst, src) }
func (b *bulk) DecryptBlocks(dst, src []byte) { decryptBlocks(b.row, &b.keys, dst, src) }

func (b *bulk) CBCEncrypt(iv *[BlockSize]byte, dst, src []byte) {
	cbcEncrypt(b.row, &b.keys, iv, dst, src)
}

func (b *bulk) CBCDecrypt(iv *[BlockSize]byte, dst, src []byte) {
	cbcDecrypt(b.row, &b.keys, iv, dst, src)
}

// CFBDecrypt returns 0: there is no kernel for CFB.
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
