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

func (b *bulk) Wipe()            { (*Cipher)(b).Wipe() }
func (b *bulk) WipeMark() *uint8 { return b.plan.WipeMark() }

// Rekey and Clear are for GCM-SIV, which derives a key for each message.
func (b *bulk) Rekey(key []byte) { b.keys.expand(b.plan, key) }
func (b *bulk) Clear()           { b.keys.wipe() }

// Counters returns false: there is no kernel for the counters of GCM-SIV.
func (b *bulk) Counters([][BlockSize]byte, int, []byte, []byte) bool { return false }

func (b *bulk) EncryptBlocks(dst, src []byte) {
	row := b.plan.Pick(len(src))
	if len(src) > 0 && !b.keys.stdEncrypt(row, dst, src) {
		aescore.EncryptBlocks(row, b.keys.core(), dst, src)
	}
}

func (b *bulk) DecryptBlocks(dst, src []byte) {
	row := b.plan.Pick(len(src))
	if len(src) > 0 && !b.keys.stdDecrypt(row, dst, src) {
		aescore.DecryptBlocks(row, b.keys.core(), dst, src)
	}
}

func (b *bulk) CBCEncrypt(iv *[BlockSize]byte, dst, src []byte) {
	row := b.plan.Serial()
	if len(src) > 0 && !b.keys.stdCBCEncrypt(row, iv, dst, src) {
		aescore.CBCEncrypt(row, b.keys.core(), iv, dst, src)
	}
}

func (b *bulk) CBCDecrypt(iv *[BlockSize]byte, dst, src []byte) {
	row := b.plan.Pick(len(src))
	if len(src) > 0 && !b.keys.stdCBCDecrypt(row, iv, dst, src) {
		aescore.CBCDecrypt(row, b.keys.core(), iv, dst, src)
	}
}

// Chains is for serial work, and so are the other methods of modes.Chains.
func (b *bulk) Chains() bool {
	row := b.plan.Serial()
	return row != wiped && traitsOf(row).Chains
}

func (b *bulk) CBCMAC(mac *[BlockSize]byte, src []byte) int {
	return aescore.CBCMAC(b.plan.Serial(), b.keys.core(), mac, src)
}

func (b *bulk) CFBEncrypt(iv *[BlockSize]byte, dst, src []byte) int {
	return aescore.CFBEncrypt(b.plan.Serial(), b.keys.core(), iv, dst, src)
}

func (b *bulk) CFBDecrypt(iv *[BlockSize]byte, dst, src []byte) int {
	return aescore.CFBDecrypt(b.plan.Pick(len(src)), b.keys.core(), iv, dst, src)
}

func (b *bulk) CCM(mac, counter *[BlockSize]byte, dst, src []byte, decrypt bool) int {
	return aescore.CCM(b.plan.Serial(), b.keys.core(), mac, counter, dst, src, decrypt)
}

// CTR is for CCM.
func (b *bulk) CTR(counter *[BlockSize]byte, dst, src []byte) {
	if len(src) == 0 {
		return
	}
	row := b.plan.Pick(len(src))
	if other := traitsOf(row).CTRInCCM; other > 0 && len(src) <= 4096 { // what is longer does not overlap with the chain
		row = other
	}
	var rest [BlockSize]byte
	if !b.keys.stdCTR(row, counter, dst, src, &rest) {
		aescore.CTR(row, b.keys.core(), counter, dst, src, &rest)
	}
	clear(rest[:])
	runtime.KeepAlive(&rest)
}

func (b *bulk) XTS(tweak *[BlockSize]byte, dst, src []byte, decrypt bool) {
	switch row := b.plan.Pick(len(src)); {
	case len(src) == 0:
	case isStd(row):
		modes.XTSBlocks(b, tweak, dst, src, decrypt, false)
	default:
		aescore.XTS(row, b.keys.core(), tweak, dst, src, decrypt)
	}
}
