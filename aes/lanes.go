package aes

import (
	"runtime"

	"github.com/cipherlane/cipherlane/internal/aescore"
	"github.com/cipherlane/cipherlane/internal/modes"
)

// A laneKernel has no memory: the kernels need none between calls.
type laneKernel struct{}

func (laneKernel) Wipe() {}

// widthOf returns the number of lanes that the driver's kernel continues in one call.
func widthOf(row uint8) int { return int(traitsOf(row).Width) }

// Encrypt continues lanes by the given number of blocks.
func (laneKernel) Encrypt(group int, lanes []modes.Lane[*Cipher], blocks int) {
	n := blocks * BlockSize
	row := rowOf(group)
	if widthOf(row) == 1 {
		encryptAlone(&lanes[0], n)
		return
	}
	var kernel [aescore.MaxLanes]aescore.Lane
	for i := range lanes {
		lane := &lanes[i]
		var dst *byte
		if lane.Dst != nil {
			dst = &lane.Dst[0]
		}
		kernel[i] = aescore.NewLane(lane.Cipher.keys.core(), lane.IV, dst, &lane.Src[0])
		lane.Advance(n)
	}
	aescore.CBCEncryptMany(row, kernel[:len(lanes)], blocks)
}

// encryptAlone continues a lane by n bytes, for drivers without a kernel for several.
func encryptAlone(l *modes.Lane[*Cipher], n int) {
	b := (*bulk)(l.Cipher)
	if l.Dst != nil {
		b.CBCEncrypt(l.IV, l.Dst[:n], l.Src[:n])
		l.Advance(n)
		return
	}
	var unwanted [16 * BlockSize]byte
	for n > 0 {
		part := min(n, len(unwanted))
		b.CBCEncrypt(l.IV, unwanted[:part], l.Src[:part])
		l.Advance(part)
		n -= part
	}
	clear(unwanted[:])
	runtime.KeepAlive(&unwanted)
}
