package aes

import (
	"runtime"

	"github.com/cipherlane/cipherlane/internal/aescore"
	"github.com/cipherlane/cipherlane/internal/modes"
)

// A bulk is a [Cipher] with the methods that package modes needs. Buffers passed
// through that interface escape to the heap. Most callers use these modes through
// an interface anyway.
type bulk Cipher

var _ modes.Chains = (*bulk)(nil)

func (b *bulk) Package() string { return "aes" }

func (b *bulk) Wipe()       { (*Cipher)(b).Wipe() }
func (b *bulk) Row() *uint8 { return b.plan.Row() }

// Rekey and Clear are for GCM-SIV, which derives a key for each message.
func (b *bulk) Rekey(key []byte) { b.keys.Expand(b.plan, key) }
func (b *bulk) Clear()           { b.keys.Wipe() }

// Counters returns false: there is no kernel for the counters of GCM-SIV.
func (b *bulk) Counters([][BlockSize]byte, int, []byte, []byte) bool { return false }

func (b *bulk) EncryptBlocks(dst, src []byte) {
	if len(src) > 0 {
		aescore.EncryptBlocks(b.plan.Pick(len(src)), &b.keys, dst, src)
	}
}

func (b *bulk) DecryptBlocks(dst, src []byte) {
	if len(src) > 0 {
		aescore.DecryptBlocks(b.plan.Pick(len(src)), &b.keys, dst, src)
	}
}

func (b *bulk) CBCEncrypt(iv *[BlockSize]byte, dst, src []byte) {
	if len(src) > 0 {
		aescore.CBCEncrypt(b.plan.Serial(), &b.keys, iv, dst, src)
	}
}

func (b *bulk) CBCDecrypt(iv *[BlockSize]byte, dst, src []byte) {
	if len(src) > 0 {
		aescore.CBCDecrypt(b.plan.Pick(len(src)), &b.keys, iv, dst, src)
	}
}

// Chains is for serial work, and so are the other methods of modes.Chains.
func (b *bulk) Chains() bool {
	row := b.plan.Serial()
	return row != wiped && aescore.TraitsOf(row).Chains
}

func (b *bulk) CBCMAC(mac *[BlockSize]byte, src []byte) int {
	return aescore.CBCMAC(b.plan.Serial(), &b.keys, mac, src)
}

func (b *bulk) CFBEncrypt(iv *[BlockSize]byte, dst, src []byte) int {
	return aescore.CFBEncrypt(b.plan.Serial(), &b.keys, iv, dst, src)
}

func (b *bulk) CFBDecrypt(iv *[BlockSize]byte, dst, src []byte) int {
	return aescore.CFBDecrypt(b.plan.Pick(len(src)), &b.keys, iv, dst, src)
}

func (b *bulk) CCM(mac, counter *[BlockSize]byte, dst, src []byte, decrypt bool) int {
	return aescore.CCM(b.plan.Serial(), &b.keys, mac, counter, dst, src, decrypt)
}

// CTR is for CCM.
func (b *bulk) CTR(counter *[BlockSize]byte, dst, src []byte) {
	if len(src) == 0 {
		return
	}
	row := b.plan.Pick(len(src))
	if other := aescore.TraitsOf(row).CTRInCCM; other > 0 && len(src) <= 4096 { // what is longer does not overlap with the chain
		row = other
	}
	var rest [BlockSize]byte
	aescore.CTR(row, &b.keys, counter, dst, src, &rest)
	clear(rest[:])
	runtime.KeepAlive(&rest)
}

func (b *bulk) XTS(tweak *[BlockSize]byte, dst, src []byte, decrypt bool) {
	if len(src) > 0 {
		aescore.XTS(b.plan.Pick(len(src)), &b.keys, tweak, dst, src, decrypt)
	}
}
