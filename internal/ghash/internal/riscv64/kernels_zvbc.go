//go:build riscv64 && !purego

package riscv64

import (
	"runtime"
	"unsafe"
)

// tableZvbc has the powers of the hash key up to the first one, times x: words low and high.
type tableZvbc = [16][2]uint64

// keyZvbc is what Powers are for the kernels of Zvbc, and for those of Zbc if the machine has it.
type keyZvbc struct {
	powers tableZvbc
	zbc    PowersZBC
}

const _ = uint(unsafe.Sizeof(Powers{}) - unsafe.Sizeof(keyZvbc{})) // does not compile if too small

func (t *Powers) zvbc() *keyZvbc { return (*keyZvbc)(unsafe.Pointer(t)) }

// ZBC returns the powers for the kernels of Zbc, which InitZvbc has computed.
func (t *Powers) ZBC() *PowersZBC { return &t.zvbc().zbc }

// InitZvbc computes the powers of the hash key h.
func InitZvbc(t *Powers, h *[16]byte) {
	z := t.zvbc()
	first := len(z.powers) - 1
	z.powers[first] = timesX(h)
	powersZvbc(&z.powers)
	for i := range 4 {
		lo, hi := z.powers[first-i][0], z.powers[first-i][1]
		z.zbc[3*i], z.zbc[3*i+1], z.zbc[3*i+2] = lo, hi, lo^hi
	}
}

// UpdateZvbc continues the hash y over p, at least one byte, as if the last block were padded
// with zeros.
func UpdateZvbc(t *Powers, y *[16]byte, p []byte) { updateWordsZvbc(t, y, p, false) }

// UpdateReversedZvbc is UpdateZvbc with the bytes of the hash and of every block in reverse
// order: POLYVAL of RFC 8452, appendix A.
func UpdateReversedZvbc(t *Powers, y *[16]byte, p []byte) { updateWordsZvbc(t, y, p, true) }

// updateWordsZvbc copies what is not at multiples of 8: machines need not load words elsewhere.
func updateWordsZvbc(t *Powers, y *[16]byte, p []byte, reversed bool) {
	var hash, last [2]uint64
	h := (*[16]byte)(unsafe.Pointer(&hash))
	*h = *y
	whole := len(p) &^ 15
	switch {
	case whole == 0:
	case uintptr(unsafe.Pointer(&p[0]))%8 == 0:
		kernelZvbc(t, &hash, &p[0], whole, nil, reversed)
	default:
		updateCopiedZvbc(t, &hash, &p[0], whole, reversed)
	}
	if whole < len(p) {
		copy((*[16]byte)(unsafe.Pointer(&last))[:], p[whole:])
		kernelZvbc(t, &hash, (*byte)(unsafe.Pointer(&last)), 16, nil, reversed)
		clear(last[:])
	}
	*y = *h
	clear(hash[:])
	runtime.KeepAlive(&hash)
	runtime.KeepAlive(&last)
}

func updateCopiedZvbc(t *Powers, y *[2]uint64, p *byte, n int, reversed bool) {
	var buffer [32]uint64
	kernelZvbc(t, y, p, n, &buffer, reversed)
	clear(buffer[:])
	runtime.KeepAlive(&buffer)
}

func kernelZvbc(t *Powers, y *[2]uint64, p *byte, n int, buffer *[32]uint64, reversed bool) {
	if reversed {
		updateReversedZvbc(&t.zvbc().powers, y, p, n, buffer)
	} else {
		updateZvbc(&t.zvbc().powers, y, p, n, buffer)
	}
}
