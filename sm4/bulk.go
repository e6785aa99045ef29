package sm4

import (
	"encoding/binary"
	"runtime"
	"unsafe"

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
func (c *Cipher) wide() *bulk {
	c.widen()
	return (*bulk)(c)
}

func (b *bulk) Package() string { return "sm4" }

func (b *bulk) Wipe()            { (*Cipher)(b).Wipe() }
func (b *bulk) WipeMark() *uint8 { return b.plan.WipeMark() }

// Rekey and Clear are for GCM-SIV, which derives a key for each message.
func (b *bulk) Rekey(key []byte) { b.keys.expand(b.plan, (*[KeySize]byte)(key)) }
func (b *bulk) Clear()           { b.keys.wipe() }

// prepareGCMSIV sets what is in the pool of a driver.
func prepareGCMSIV(pool *modes.GCMSIVPool, row uint8) {
	pool.New = func() modes.Rekeyer {
		b := &bulk{plan: drivers.Uniform(row)}
		b.Rekey(make([]byte, KeySize)) // later keys get the same memory
		b.keys.widen(row)
		return b
	}
	t := &traits[row]
	pool.Hash, pool.HashLong, pool.LongBytes = t.sivShort, t.sivLong, int(t.sivLongBytes)
}

// driverOf returns the row of the driver in the table.
func driverOf(row uint8) uint8 { return row &^ ownKeys }

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

// ChainsCFB and ChainsMAC are for serial work, and so are the other methods of modes.Chains but
// CFBDecrypt.
func (b *bulk) ChainsCFB() bool {
	row := b.plan.Serial()
	return row != wiped && traitOf(row).hasChains
}

func (b *bulk) ChainsMAC() bool {
	row := b.plan.Serial()
	return row != wiped && traitOf(row).hasMACs
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

// unit processes a sector that is whole blocks, not longer than one call of a kernel allows, and not
// for Linux. It needs neither calls through an interface nor memory from the heap. For other
// sectors, and if the driver has no kernel, it returns false and does nothing.
func (x *XTS) unit(dst, src []byte, low, high uint64, decrypt bool) bool {
	n := len(src)
	if n == 0 || n%BlockSize != 0 || n > maxPass || n >= offload.Floor && x.engine != nil ||
		!alias.Fits(dst, src) {
		return false
	}
	var words [BlockSize / 8]uint64 // aligned: some kernels take longer for other addresses
	tweak := (*[BlockSize]byte)(unsafe.Pointer(&words))
	binary.LittleEndian.PutUint64(tweak[:], low)
	binary.LittleEndian.PutUint64(tweak[8:], high)
	done := xtsUnit(x.data.plan.Pick(n), &x.data.keys, &x.tweak.keys, tweak, dst[:n], src, x.gb, decrypt)
	clear(words[:])
	runtime.KeepAlive(&words)
	return done
}
