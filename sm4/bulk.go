package sm4

import (
	"runtime"

	"github.com/cipherlane/cipherlane/internal/modes"
)

// A bulk is a [Cipher] with the methods that package modes needs. Buffers passed
// through that interface escape to the heap. Most callers use these modes through
// an interface anyway.
type bulk Cipher

var _ modes.Chains = (*bulk)(nil)

// wide returns the bulk for modes that process many blocks at once.
func (c *Cipher) wide() *bulk {
	c.widen()
	return (*bulk)(c)
}

func (b *bulk) Package() string { return "sm4" }

func (b *bulk) Wipe()            { (*Cipher)(b).Wipe() }
func (b *bulk) WipeMark() *uint8 { return b.plan.WipeMark() }

// Rekey and Clear are for GCM-SIV, which derives a key for each message.
func (b *bulk) Rekey(key []byte) {
	b.keys.expand(b.plan, (*[KeySize]byte)(key))
	b.keys.widen(b.plan.Bulk())
}

func (b *bulk) Clear() { b.keys.wipe() }

// Counters is also for GCM-SIV.
func (b *bulk) Counters(starts [][BlockSize]byte, first int, dst, src []byte) bool {
	return counters(b.plan.Bulk(), &b.keys, starts, first, 0, dst, src)
}

func (b *bulk) EncryptBlocks(dst, src []byte) {
	if len(src) > 0 {
		encryptBlocks(b.plan.Pick(len(src)), &b.keys, dst, src)
	}
}

func (b *bulk) DecryptBlocks(dst, src []byte) {
	if len(src) > 0 {
		decryptBlocks(b.plan.Pick(len(src)), &b.keys, dst, src)
	}
}

func (b *bulk) CBCEncrypt(iv *[BlockSize]byte, dst, src []byte) {
	if len(src) > 0 {
		cbcEncrypt(b.plan.Serial(), &b.keys, iv, dst, src)
	}
}

func (b *bulk) CBCDecrypt(iv *[BlockSize]byte, dst, src []byte) {
	if len(src) > 0 {
		cbcDecrypt(b.plan.Pick(len(src)), &b.keys, iv, dst, src)
	}
}

// Chains is for serial work, and so are the other methods of modes.Chains but CFBDecrypt.
func (b *bulk) Chains() bool {
	row := b.plan.Serial()
	return row != wiped && traitOf(row).hasChains
}

func (b *bulk) CFBEncrypt(iv *[BlockSize]byte, dst, src []byte) int {
	return cfbEncrypt(b.plan.Serial(), &b.keys, iv, dst, src)
}

func (b *bulk) CBCMAC(mac *[BlockSize]byte, src []byte) int {
	return cbcMAC(b.plan.Serial(), &b.keys, mac, src)
}

func (b *bulk) CCM(mac, counter *[BlockSize]byte, dst, src []byte, decrypt bool) int {
	return ccm(b.plan.Serial(), &b.keys, mac, counter, dst, src, decrypt)
}

// A macBulk is for MACs and CCM, for which asking for kernels that do not exist would take time.
type macBulk struct{ *bulk }

func (b macBulk) Chains() bool {
	row := b.plan.Serial()
	return row != wiped && traitOf(row).hasMACs
}

func (b *bulk) CFBDecrypt(iv *[BlockSize]byte, dst, src []byte) int {
	return cfbDecrypt(b.plan.Pick(len(src)), &b.keys, iv, dst, src)
}

func (b *bulk) CTR(counter *[BlockSize]byte, dst, src []byte) {
	if len(src) == 0 {
		return
	}
	var rest [BlockSize]byte
	ctrXOR(b.plan.Pick(len(src)), &b.keys, counter, dst, src, &rest)
	clear(rest[:])
	runtime.KeepAlive(&rest)
}

func (b *bulk) XTS(tweak *[BlockSize]byte, dst, src []byte, decrypt bool) {
	if len(src) > 0 && !xts(b.plan.Pick(len(src)), &b.keys, tweak, dst, src, ieeeTweaks, decrypt) {
		modes.XTSBlocks(b, tweak, dst, src, decrypt, false)
	}
}
