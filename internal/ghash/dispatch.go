package ghash

import (
	"runtime"
	"sync/atomic"
	"unsafe"
)

// kernels has the operations for which drivers have kernels. _gen/switches writes the functions
// that call these: switch_<goarch>.go. Some switches are in drivers_<goarch>.go, because they
// depend on a length. There is the representation of keys, too:
//
//   - a keyMemory is large enough for the prepared key of any driver: a genericKey, or
//     Powers;
//   - Powers are the powers of the hash key as the kernels need them.
type kernels interface {
	// initKernel computes powers of the hash key.
	initKernel(t *Powers, h *[16]byte)

	// extendKernel computes those that initKernel leaves out, if hasExtend is true.
	extendKernel(t *Powers)

	// update is Key.Update for one pass.
	update(k *Key, y *[16]byte, p []byte)

	// updateReversed is Key.UpdateReversed for one pass.
	updateReversed(k *Key, y *[16]byte, p []byte)
}

// hasExtend reports whether a driver has a kernel for extendKernel. firstPowers is the number of
// blocks for which initKernel then provides the powers.
//
//switches:default func hasExtend(uint8) bool { return false }
//switches:default const firstPowers = 0

// multiplies reports whether kernels of GCM multiply a state that is pending.
//
//switches:default func multiplies(uint8) bool { return false }

// Generic is the row of the portable driver in every table.
const Generic uint8 = 0

const noKernel = "ghash: driver without a kernel"

// maxPass is how much one call of a kernel processes: the runtime cannot stop
// a goroutine inside assembly.
const maxPass = 64 << 10

const _ = uint(unsafe.Sizeof(keyMemory{}) - unsafe.Sizeof(genericKey{})) // does not compile if too small

func (k *Key) generic() *genericKey { return (*genericKey)(unsafe.Pointer(&k.memory)) }

// Init prepares the hash key h, which is E_K(0) in GCM, for the driver d: one
// of the constants Generic, PCLMULQDQ, ...
func (k *Key) Init(h *[16]byte, d uint8) {
	k.row = d
	if d == Generic {
		k.generic().init(h)
		return
	}
	initKernel(d, k.powers(), h)
	if atomic.LoadUint32(&k.more) != noPowers {
		atomic.StoreUint32(&k.more, noPowers)
	}
}

// Table returns the powers of the hash key, for kernels that hash the given number
// of blocks along with other work. The portable driver has none.
func (k *Key) Table(blocks int) *Powers {
	k.provide(blocks)
	return k.powers()
}

// Powers returns the powers of the hash key, for kernels that hash a message along with
// other work. [Message.Begin] has computed those that the message needs.
func (k *Key) Powers() *Powers { return k.powers() }

// provide computes the powers that hashing this number of blocks needs.
func (k *Key) provide(blocks int) {
	if hasExtend(k.row) && blocks > firstPowers { // and nothing else, so that it is inlined
		k.extend()
	}
}

// extend computes the powers that only long messages need, if initKernel has left them
// out: with AVX-512 long messages need 64 powers, and short ones 16. The powers are not read before
// they are complete. Others wait for less than a microsecond; with a mutex instead, every key would
// move to the heap.
func (k *Key) extend() {
	for !k.hasAll() {
		if atomic.CompareAndSwapUint32(&k.more, noPowers, begun) {
			extendKernel(k.row, k.powers())
			atomic.StoreUint32(&k.more, complete)
			return
		}
		runtime.Gosched()
	}
}

// hasAll reports whether all powers are there that initKernel leaves out.
func (k *Key) hasAll() bool { return atomic.LoadUint32(&k.more) == complete }

// odd marks a row if the data is empty or too long for one call of a kernel. No kernel
// has such a row, so the switch calls updatePortable.
const odd = 0x80

func markLong(row uint8, n int) uint8 {
	if uint(n-1) >= maxPass {
		return row | odd
	}
	return row
}

// Update continues the hash state y over p as if p were padded with zeros to
// whole blocks.
func (k *Key) Update(y *[16]byte, p []byte) { update(markLong(k.row, len(p)), k, y, p) }

// UpdateReversed is Update with the bytes of the state and of every block in
// reverse order. If the hash key is the byte-reversed POLYVAL key times x, this
// is POLYVAL (RFC 8452, appendix A). Kernels shuffle bytes anyway: they get the order as an
// argument.
func (k *Key) UpdateReversed(y *[16]byte, p []byte) { updateReversed(markLong(k.row, len(p)), k, y, p) }

func updatePortable(row uint8, k *Key, y *[16]byte, p []byte) {
	switch row {
	case Generic:
		k.generic().update(y, p, false)
	case k.row | odd:
		for len(p) > 0 {
			n := min(len(p), maxPass)
			update(k.row, k, y, p[:n])
			p = p[n:]
		}
	default:
		panic(noKernel)
	}
}

func updateReversedPortable(row uint8, k *Key, y *[16]byte, p []byte) {
	switch row {
	case Generic:
		k.generic().update(y, p, true)
	case k.row | odd:
		for len(p) > 0 {
			n := min(len(p), maxPass)
			updateReversed(k.row, k, y, p[:n])
			p = p[n:]
		}
	default:
		panic(noKernel)
	}
}
