//go:build !purego

package aescore

import (
	"unsafe"

	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/internal/aescore/internal/riscv64"
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/ghash"
)

const (
	rvv uint8 = iota + 1
	zvkned
	zkn
	zbb
)

// Rows returns the table of drivers, for package aes.
// Priorities: docs/benchmarks.md, AES on RISC-V with vectors.
func Rows() []driver.Info {
	rows := []driver.Info{
		generic: {Name: "generic", Priority: 100, Timing: timingGeneric},
		zbb:     {Name: "zbb", Priority: 150, Needs: cpu.ZBB, Timing: "length only"},
		rvv:     {Name: "rvv", Priority: 200, Needs: cpu.V, Timing: timingRVV},
		zkn:     {Name: "zkn", Priority: 250, Needs: cpu.ZKNE | cpu.ZKND | cpu.ZBKB, Timing: "length only"},
		zvkned:  {Name: "zvkned", Priority: 300, Needs: cpu.ZVKNED | cpu.ZVKB, Timing: "length only"},
	}
	if cpu.Microarchitecture() == cpu.SiFive7 {
		rows[rvv].Slow = cpu.V // vrgather takes a cycle for each element
	}
	return rows
}

const timingRVV = "independent of secrets where the CPU's look-ups inside registers (vrgather) are, which Zvkt does not promise"

// hash is the GHASH driver of all drivers that are not portable: what the machine has for it
// does not depend on what it has for AES.
var hash = ghash.Fastest()

// lanes says that zvkned has its kernels that need Zvkg.
var lanes = ghash.Lanes(hash)

// shifts says that zvkned has its kernels of XTS that do not.
var shifts = cpu.Features().Has(cpu.V) && cpu.VectorBytes() <= riscv64.MaxShifts

var traits = [...]Traits{
	generic: genericTraits,
	rvv: {
		CTRShort: MaxAhead, CTRAhead: MaxAhead,
		GHASH: hash, SIVShort: hash, SIVLong: hash,
		Width: 1,
	},
	zvkned: {
		CTRShort: 3 * BlockSize, CTRAhead: MaxAhead,
		GHASH: hash, SIVShort: hash, SIVLong: hash,
		Chains: true, Width: 1,
	},
	zkn: {
		CTRShort: MaxAhead, CTRAhead: MaxAhead,
		GHASH: hash, SIVShort: hash, SIVLong: hash,
		Width: 1,
	},
	zbb: {
		CTRShort: genericPass, CTRAhead: genericPass,
		GHASH: hash, SIVShort: hash, SIVLong: hash,
		Width: 1,
	},
}

// Keys are the round keys in the representations of the drivers. All have those of the
// portable one.
type Keys struct {
	generic genericKeys
	rvv     riscv64.Keys
	zvkned  riscv64.KeysZvkned
	zkn     riscv64.KeysZkn
	passes  *passKeys // of zbb, and nil for other drivers
}

func (k *Keys) portable() *genericKeys { return &k.generic }

// Expand sets a key of 16, 24 or 32 bytes, in the representations for these drivers.
func (k *Keys) Expand(plan drivers.Plan, key []byte) {
	if plan.Has(zkn) {
		riscv64.ExpandZkn(&k.zkn, key)
		if plan.IsUniform() {
			return
		}
	}
	k.generic.expand(key)
	words := k.generic.words[:4*(k.generic.rounds+1)]
	if plan.Has(rvv) {
		riscv64.ExpandRVV(&k.rvv, words, cpu.Microarchitecture() == cpu.SpacemitX60)
	}
	if plan.Has(zvkned) {
		riscv64.ExpandZvkned(&k.zvkned, words)
	}
	if plan.Has(zbb) {
		k.expandPasses()
	}
}

// Wipe overwrites the round keys.
func (k *Keys) Wipe() {
	k.generic.wipe()
	k.rvv.Wipe()
	k.zvkned.Wipe()
	k.zkn = riscv64.KeysZkn{Rounds: k.zkn.Rounds} // Rounds is not secret
	if k.passes != nil {
		*k.passes = passKeys{}
	}
}

// Rounds returns the number of rounds.
func (k *Keys) Rounds() int {
	if k.zkn.Rounds != 0 {
		return k.zkn.Rounds
	}
	return k.generic.rounds
}

func encryptBlocksKernel(row uint8, k *Keys, dst, src []byte) {
	switch row {
	case rvv:
		riscv64.EncryptBlocksRVV(&k.rvv, dst, src)
	case zvkned:
		riscv64.EncryptBlocksZvkned(&k.zvkned, dst, src)
	case zkn:
		riscv64.EncryptBlocksZkn(&k.zkn, dst, src)
	case zbb:
		k.blocksByPasses(dst, src, false)
	default:
		encryptBlocksPortable(row, k, dst, src)
	}
}

func decryptBlocksKernel(row uint8, k *Keys, dst, src []byte) {
	switch row {
	case rvv:
		riscv64.DecryptBlocksRVV(&k.rvv, dst, src)
	case zvkned:
		riscv64.DecryptBlocksZvkned(&k.zvkned, dst, src)
	case zkn:
		riscv64.DecryptBlocksZkn(&k.zkn, dst, src)
	case zbb:
		k.blocksByPasses(dst, src, true)
	default:
		decryptBlocksPortable(row, k, dst, src)
	}
}

func cbcEncryptKernel(row uint8, k *Keys, iv *[BlockSize]byte, dst, src []byte) {
	switch row {
	case rvv:
		riscv64.CBCEncryptRVV(&k.rvv, iv, dst, src)
	case zvkned:
		riscv64.CBCEncryptZvkned(&k.zvkned, iv, dst, src)
	case zkn:
		riscv64.CBCEncryptZkn(&k.zkn, iv, dst, src)
	case zbb:
		k.generic.cbcEncrypt(iv, dst, src)
	default:
		cbcEncryptPortable(row, k, iv, dst, src)
	}
}

func cbcDecryptKernel(row uint8, k *Keys, iv *[BlockSize]byte, dst, src []byte) {
	switch row {
	case rvv:
		riscv64.CBCDecryptRVV(&k.rvv, iv, dst, src)
	case zvkned:
		riscv64.CBCDecryptZvkned(&k.zvkned, iv, dst, src)
	case zkn:
		riscv64.CBCDecryptZkn(&k.zkn, iv, dst, src)
	case zbb:
		k.cbcDecryptByPasses(iv, dst, src)
	default:
		cbcDecryptPortable(row, k, iv, dst, src)
	}
}

func cbcMACKernel(row uint8, k *Keys, mac *[BlockSize]byte, src []byte) int {
	switch row {
	case zvkned:
		return riscv64.CBCMACZvkned(&k.zvkned, mac, src)
	default: // rvv, zkn, zbb
		return 0
	}
}

func cfbEncryptKernel(row uint8, k *Keys, iv *[BlockSize]byte, dst, src []byte) int {
	switch row {
	case zvkned:
		return riscv64.CFBEncryptZvkned(&k.zvkned, iv, dst, src)
	default: // rvv, zkn, zbb
		return 0
	}
}

func cfbDecryptKernel(row uint8, k *Keys, iv *[BlockSize]byte, dst, src []byte) int {
	switch row {
	case zvkned:
		return riscv64.CFBDecryptZvkned(&k.zvkned, iv, dst, src)
	default: // rvv, zkn, zbb
		return 0
	}
}

func ccmKernel(row uint8, k *Keys, mac, counter *[BlockSize]byte, dst, src []byte, decrypt bool) int {
	switch row {
	case zvkned:
		return riscv64.CCMZvkned(&k.zvkned, mac, counter, dst, src, decrypt)
	default: // rvv, zkn, zbb
		return 0
	}
}

func ctrKernel(row uint8, k *Keys, counter *[BlockSize]byte, dst, src []byte, rest *[BlockSize]byte) {
	switch row {
	case rvv:
		riscv64.CTRRVV(&k.rvv, counter, dst, src, rest)
	case zvkned:
		riscv64.CTRZvkned(&k.zvkned, counter, dst, src, rest)
	case zkn:
		riscv64.CTRZkn(&k.zkn, counter, dst, src, rest)
	case zbb:
		k.ctrByPasses(counter, dst, src, rest)
	default:
		ctrPortable(row, k, counter, dst, src, rest)
	}
}

func xtsKernel(row uint8, k *Keys, tweak *[BlockSize]byte, dst, src []byte, decrypt bool) {
	switch row {
	case rvv:
		riscv64.XTSRVV(&k.rvv, tweak, dst, src, decrypt)
	case zvkned:
		switch {
		case lanes:
			riscv64.XTSZvkned(&k.zvkned, tweak, dst, src, decrypt)
		case shifts:
			riscv64.XTSShiftsZvkned(&k.zvkned, tweak, dst, src, decrypt)
		default:
			xtsByBlocks(row, k, tweak, dst, src, decrypt)
		}
	case zbb:
		xtsByBlocks(row, k, tweak, dst, src, decrypt)
	case zkn:
		riscv64.XTSZkn(&k.zkn, tweak, dst, src, decrypt)
	default:
		xtsPortable(row, k, tweak, dst, src, decrypt)
	}
}

func xtsUnitKernel(row uint8, k, first *Keys, tweak *[BlockSize]byte, dst, src []byte, decrypt bool) {
	xtsUnitPortable(row, k, first, tweak, dst, src, decrypt)
}

func sealKernel(row uint8, k *Keys, m *ghash.Message, dst, src []byte) {
	switch row {
	case zvkned:
		if lanes {
			riscv64.SealZvkned(&k.zvkned, (*riscv64.Powers)(m.Hash.Powers()), message(m), dst, src)
		} else {
			k.gcm(row, m, dst, src, true)
		}
	case rvv, zkn, zbb:
		k.gcm(row, m, dst, src, true)
	default:
		sealPortable(row, k, m, dst, src)
	}
}

func openKernel(row uint8, k *Keys, m *ghash.Message, dst, src []byte) {
	switch row {
	case zvkned:
		if lanes {
			riscv64.OpenZvkned(&k.zvkned, (*riscv64.Powers)(m.Hash.Powers()), message(m), dst, src)
		} else {
			k.gcm(row, m, dst, src, false)
		}
	case rvv, zkn, zbb:
		k.gcm(row, m, dst, src, false)
	default:
		openPortable(row, k, m, dst, src)
	}
}

// message returns m as kernels know it.
func message(m *ghash.Message) *riscv64.Message { return (*riscv64.Message)(unsafe.Pointer(&m.J0)) }

// These do not compile if the fields of both are not in the same places.
const (
	_ = -(unsafe.Offsetof(riscv64.Message{}.Lens) ^ (unsafe.Offsetof(ghash.Message{}.Lens) - unsafe.Offsetof(ghash.Message{}.J0)))
	_ = -(unsafe.Offsetof(riscv64.Message{}.Pending) ^ (unsafe.Offsetof(ghash.Message{}.Pending) - unsafe.Offsetof(ghash.Message{}.J0)))
)

// ctr32 is CTR with a counter of 32 bits, for gcm.
func (k *Keys) ctr32(row uint8, counter *[BlockSize]byte, dst, src []byte, rest *[BlockSize]byte) {
	switch row {
	case rvv:
		riscv64.CTR32RVV(&k.rvv, counter, dst, src, rest)
	case zkn:
		riscv64.CTR32Zkn(&k.zkn, counter, dst, src, rest)
	case zbb:
		k.ctr32ByPasses(counter, dst, src, rest)
	case zvkned:
		riscv64.CTR32Zvkned(&k.zvkned, counter, dst, src, rest)
	default:
		panic(noKernel)
	}
}

// What passes.go needs of the driver zbb.

type (
	passKeys  = riscv64.KeysZbb
	passState = riscv64.StateZbb
)

// passShort is the number of bytes up to which the portable driver is faster than a pass.
const passShort = narrowSize

func (k *Keys) arrangePasses() {}

func encryptPass(k *passKeys, s *passState, dst, src []byte) { riscv64.EncryptZbb(k, s, dst, src) }
func decryptPass(k *passKeys, s *passState, dst, src []byte) { riscv64.DecryptZbb(k, s, dst, src) }

func ctrPass(k *passKeys, s *passState, counter *[BlockSize]byte, dst, src []byte) {
	riscv64.CTRZbb(k, s, counter, dst, src)
}
