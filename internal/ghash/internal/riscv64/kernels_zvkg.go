//go:build riscv64 && !purego

package riscv64

import (
	"runtime"
	"unsafe"
)

// Powers are those of the hash key. The kernels of Zvkg have 16 up to the first one, and
// 16 times that by which all lanes are multiplied.
type Powers [64]uint64

type powersZvkg struct{ powers, all [16][16]byte }

func (t *Powers) zvkg() *powersZvkg { return (*powersZvkg)(unsafe.Pointer(t)) }

func (t *Powers) first() *[16]byte { return &t.zvkg().powers[15] }

// MaxVector is the largest size of registers in bytes for kernels with lanes.
const MaxVector = 64

// InitZvkg stores the hash key h, the only power that UpdateZvkg needs.
func InitZvkg(t *Powers, h *[16]byte) { *t.first() = *h }

// ExtendZvkg computes the other powers for registers of this size, at most MaxVector. Linux does
// not run a program on CPUs whose registers differ in size.
func ExtendZvkg(t *Powers, size int) {
	z := t.zvkg()
	lanes := min(4*size/16, 16)
	for i := 14; i >= 16-lanes; i-- {
		z.powers[i] = z.powers[i+1]
		updateZvkg(t.first(), &z.powers[i], &zero[0], 16)
	}
	for i := range lanes {
		z.all[i] = z.powers[16-lanes]
	}
}

var zero [16]byte

// UpdateLanesZvkg is UpdateZvkg with many blocks at once. ExtendZvkg has been called.
func UpdateLanesZvkg(t *Powers, y *[16]byte, p []byte) {
	whole := len(p) &^ 15
	updateLanesZvkg(t, y, &p[0], whole)
	if whole < len(p) {
		UpdateZvkg(t, y, p[whole:])
	}
}

// UpdateZvkg continues the hash y over p, at least one byte, as if the last block were padded
// with zeros.
func UpdateZvkg(t *Powers, y *[16]byte, p []byte) {
	h, whole := t.first(), len(p)&^15
	if whole > 0 {
		updateZvkg(h, y, &p[0], whole)
	}
	if whole < len(p) {
		var last [16]byte
		copy(last[:], p[whole:])
		updateZvkg(h, y, &last[0], 16)
		clear(last[:])
		runtime.KeepAlive(&last)
	}
}

// UpdateReversedZvkg is UpdateZvkg with the bytes of the hash and of every block in reverse
// order: POLYVAL of RFC 8452, appendix A.
func UpdateReversedZvkg(t *Powers, y *[16]byte, p []byte) {
	h, whole := t.first(), len(p)&^15
	if whole > 0 {
		updateReversedZvkg(h, y, &p[0], whole)
	}
	if whole < len(p) {
		var last [16]byte
		copy(last[:], p[whole:])
		updateReversedZvkg(h, y, &last[0], 16)
		clear(last[:])
		runtime.KeepAlive(&last)
	}
}
