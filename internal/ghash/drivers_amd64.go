//go:build !purego

package ghash

import (
	"strconv"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/ghash/internal/amd64"
)

// Indices of the drivers. PCLMULQDQ stores H^8 to H^1 in the last entries of
// Key.Table, and VPCLMULQDQ256 stores H^16 to H^1. The same number of entries
// before them hold, twice each, the sum of the halves of these powers.
// VPCLMULQDQ512 fills the whole table with powers.
const (
	Generic uint8 = iota
	PCLMULQDQ
	VPCLMULQDQ256
	VPCLMULQDQ512
)

var table = drivers.New("ghash", []driver.Info{
	Generic: {Name: "generic", Priority: 100, Timing: timingGeneric},
	PCLMULQDQ: {Name: "pclmulqdq", Priority: 200, Timing: timingAMD64,
		Needs: cpu.PCLMULQDQ | cpu.SSSE3},
	VPCLMULQDQ256: {Name: "vpclmulqdq-avx2", Priority: 300, Timing: timingAMD64,
		Needs: cpu.PCLMULQDQ | cpu.VPCLMULQDQ | cpu.AVX2},
	VPCLMULQDQ512: {Name: "vpclmulqdq-avx512", Priority: 400, Timing: timingAMD64,
		Needs: cpu.PCLMULQDQ | cpu.VPCLMULQDQ | cpu.AVX512},
})

const timingAMD64 = "independent of secrets: fixed instructions, no table"

// A form holds the prepared hash key of any driver: a genericKey, or a table of
// powers where entry i is H^(64-i) in the form that the kernels need. The drivers
// share the memory because smaller objects are faster to create.
type form [128]uint64

// later guards the powers that Init leaves out.
type later struct {
	mutex sync.Mutex
	whole atomic.Bool // all powers have been computed
}

const _ = uint(unsafe.Sizeof(form{}) - unsafe.Sizeof(genericKey{})) // does not compile if too small

func (k *Key) generic() *genericKey { return (*genericKey)(unsafe.Pointer(&k.form)) }

// few is the number of powers, and so of blocks per reduction, that Init provides.
const few = 16

func (k *Key) table() *[64][16]byte { return (*[64][16]byte)(unsafe.Pointer(&k.form)) }

// provide computes the powers that hashing this number of blocks needs.
func (k *Key) provide(blocks int) {
	if blocks > few && k.row == VPCLMULQDQ512 && !k.whole.Load() {
		k.extend()
	}
}

// Powers returns the powers of the hash key, for kernels that hash a message along with
// other work. [Message.Begin] has computed those that the message needs.
func (k *Key) Powers() *[64][16]byte { return k.table() }

// Table returns the powers of the hash key, for kernels that hash the given number
// of blocks along with other work.
func (k *Key) Table(blocks int) *[64][16]byte {
	k.provide(blocks)
	return k.table()
}

// extend computes the powers that only long messages need. They are not read before
// whole is set.
func (k *Key) extend() {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	if !k.whole.Load() {
		amd64.ExtendVPCLMUL512(k.table())
		k.whole.Store(true)
	}
}

func (k *Key) init(h *[16]byte) {
	switch k.row {
	case Generic:
		k.generic().init(h)
	case PCLMULQDQ:
		amd64.InitPCLMUL(k.table(), h)
	case VPCLMULQDQ256:
		amd64.InitVPCLMUL256(k.table(), h)
	case VPCLMULQDQ512:
		amd64.InitVPCLMUL512(k.table(), h)
		k.whole.Store(false)
	default:
		panic("ghash: no driver " + strconv.Itoa(int(k.row)))
	}
}

func (k *Key) update(y *[16]byte, p []byte, reversed bool) {
	order := amd64.GHASH
	if reversed {
		order = amd64.POLYVAL
	}
	switch k.row {
	case Generic:
		k.generic().update(y, p, reversed)
	case PCLMULQDQ:
		amd64.UpdatePCLMUL(k.table(), y, p, order)
	case VPCLMULQDQ256:
		amd64.UpdateVPCLMUL256(k.table(), y, p, order)
	case VPCLMULQDQ512:
		amd64.UpdateVPCLMUL512(k.Table((len(p)+blockSize-1)/blockSize), y, p, order)
	default:
		panic("ghash: no driver " + strconv.Itoa(int(k.row)))
	}
}
