//go:build !purego

package aescore

import (
	"unsafe"

	"github.com/cipherlane/cipherlane/internal/aescore/internal/riscv64"
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/ghash"
)

const (
	rvv    uint8 = iota + 1 // kernels: RVV, ByCTR32
	zvkned                  // kernels: Zvkned, ShiftsZvkned, ByBlocks, ByCTR32
	zkn                     // kernels: Zkn, ByCTR32
	zbb                     // kernels: ByPasses, ByBlocks, ByCTR32, ByGeneric
)

//switches:if lanes: XTSZvkned, SealZvkned, OpenZvkned
//switches:if shifts: XTSShiftsZvkned

// Arguments of kernels.
//
//switches:argument *riscv64.Keys = &k.rvv
//switches:argument *riscv64.KeysZvkned = &k.zvkned
//switches:argument *riscv64.KeysZkn = &k.zkn
//switches:argument *riscv64.Powers = (*riscv64.Powers)(m.Hash.Powers())
//switches:argument *riscv64.Message = message(m)

// Rows returns the table of drivers, for package aes.
// Priorities: docs/benchmarks.md, AES on RISC-V with vectors.
func Rows() []drivers.Info {
	rows := []drivers.Info{
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

// message returns m as kernels know it.
func message(m *ghash.Message) *riscv64.Message { return (*riscv64.Message)(unsafe.Pointer(&m.J0)) }

// These do not compile if the fields of both are not in the same places.
const (
	_ = -(unsafe.Offsetof(riscv64.Message{}.Lens) ^ (unsafe.Offsetof(ghash.Message{}.Lens) - unsafe.Offsetof(ghash.Message{}.J0)))
	_ = -(unsafe.Offsetof(riscv64.Message{}.Pending) ^ (unsafe.Offsetof(ghash.Message{}.Pending) - unsafe.Offsetof(ghash.Message{}.J0)))
)

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
