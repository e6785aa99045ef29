package aes

import (
	"encoding/binary"
	"runtime"

	"github.com/cipherlane/cipherlane/internal/aescore"
	"github.com/cipherlane/cipherlane/internal/alias"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/modes"
	"github.com/cipherlane/cipherlane/internal/offload"
)

// A bulk is a [Cipher] with the methods that package modes needs. Buffers passed
// through that interface escape to the heap. Most callers use these modes through
// an interface anyway.
type bulk Cipher

var _ modes.Chains = (*bulk)(nil)

// wide returns the bulk for modes that process many blocks at once.
func (c *Cipher) wide() *bulk { return (*bulk)(c) }

func (b *bulk) Package() string { return "aes" }

func (b *bulk) Wipe()            { (*Cipher)(b).Wipe() }
func (b *bulk) WipeMark() *uint8 { return b.plan.WipeMark() }

// Rekey and Clear are for GCM-SIV, which derives a key for each message.
func (b *bulk) Rekey(key []byte) { b.keys.Expand(b.plan, key) }
func (b *bulk) Clear()           { b.keys.Wipe() }

// prepareGCMSIV sets what is in the pool of a driver.
func prepareGCMSIV(pool *modes.GCMSIVPool, row uint8) {
	pool.New = func() modes.Rekeyer { return &bulk{plan: drivers.Uniform(row)} }
	t := aescore.TraitsOf(row)
	pool.Hash, pool.HashLong, pool.LongBytes = t.SIVShort, t.SIVLong, int(t.SIVLongBytes)
}

// driverOf returns the row of the driver in the table.
func driverOf(row uint8) uint8 { return row }

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

// ChainsCFB and ChainsMAC are for serial work, and so are the other methods of modes.Chains but
// CFBDecrypt.
func (b *bulk) ChainsCFB() bool { return b.ChainsMAC() }

func (b *bulk) ChainsMAC() bool {
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

// A bulkGB is a bulk with the tweaks of GB/T 17964-2021, for which there is no kernel.
type bulkGB struct{ *bulk }

// XTS processes whole blocks of a sector.
func (b bulkGB) XTS(tweak *[BlockSize]byte, dst, src []byte, decrypt bool) {
	modes.XTSBlocks(b.bulk, tweak, dst, src, decrypt, true)
}

// hasUnits says that there are drivers for which unit does something.
const hasUnits = true

// unit processes a sector that is whole blocks, not longer than one call of a kernel allows, and not
// for Linux. It needs neither calls through an interface nor memory from the heap. For other
// sectors, it returns false and does nothing.
func (x *XTS) unit(dst, src []byte, low, high uint64, decrypt bool) bool {
	n := len(src)
	if n == 0 || n%BlockSize != 0 || n > aescore.MaxPass || n >= offload.Floor && x.engine != nil ||
		!alias.Fits(dst, src) {
		return false
	}
	row := x.data.plan.Pick(n)
	var tweak [BlockSize]byte
	binary.LittleEndian.PutUint64(tweak[:], low)
	binary.LittleEndian.PutUint64(tweak[8:], high)
	aescore.XTSUnit(row, &x.data.keys, &x.tweak.keys, &tweak, dst[:n], src, decrypt)
	clear(tweak[:])
	runtime.KeepAlive(&tweak)
	return true
}
