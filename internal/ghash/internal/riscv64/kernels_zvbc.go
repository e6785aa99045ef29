//go:build riscv64 && !purego

package riscv64

import (
	"runtime"
	"unsafe"
)

// tableZvbc has the powers of the hash key up to the first one, times x: words low and high.
type tableZvbc = [16][2]uint64

// keyZvbc is the layout of Powers: those for the kernels of Zbc are where these have them.
type keyZvbc struct {
	zbc    PowersZBC
	powers tableZvbc
}

const _ = uint(unsafe.Sizeof(Powers{}) - unsafe.Sizeof(keyZvbc{})) // does not compile if too small

func (t *Powers) zvbc() *keyZvbc { return (*keyZvbc)(unsafe.Pointer(t)) }

// InitZvbc computes the powers of the hash key h, also as InitZBC does.
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
func UpdateZvbc(t *Powers, y *[16]byte, p []byte) { updateBytesZvbc(t, y, p, false) }

// UpdateReversedZvbc is UpdateZvbc with the bytes of the hash and of every block in reverse
// order: POLYVAL of RFC 8452, appendix A.
func UpdateReversedZvbc(t *Powers, y *[16]byte, p []byte) { updateBytesZvbc(t, y, p, true) }

// updateBytesZvbc copies what is not at multiples of 8: machines need not load words elsewhere.
func updateBytesZvbc(t *Powers, y *[16]byte, p []byte, reversed bool) {
	if uintptr(unsafe.Pointer(y))%8 == 0 {
		updateWordsZvbc(t, (*[2]uint64)(unsafe.Pointer(y)), p, reversed)
		return
	}
	var hash [2]uint64
	h := (*[16]byte)(unsafe.Pointer(&hash))
	*h = *y
	updateWordsZvbc(t, &hash, p, reversed)
	*y = *h
	clear(hash[:])
	runtime.KeepAlive(&hash)
}

func updateWordsZvbc(t *Powers, y *[2]uint64, p []byte, reversed bool) {
	whole := len(p) &^ 15
	switch {
	case whole == 0:
	case uintptr(unsafe.Pointer(&p[0]))%8 == 0:
		kernelZvbc(t, y, &p[0], whole, nil, reversed)
	default:
		updateCopiedZvbc(t, y, &p[0], whole, reversed)
	}
	if whole < len(p) {
		var last [2]uint64
		copy((*[16]byte)(unsafe.Pointer(&last))[:], p[whole:])
		kernelZvbc(t, y, (*byte)(unsafe.Pointer(&last)), 16, nil, reversed)
		clear(last[:])
		runtime.KeepAlive(&last)
	}
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
