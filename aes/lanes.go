package aes

import (
	"github.com/cipherlane/cipherlane/internal/aescore"
	"github.com/cipherlane/cipherlane/internal/modes"
)

// A laneKernel is the memory for calls that continue several lanes.
type laneKernel struct {
	scratch [modes.AloneScratch]byte // zero between calls
}

// Wipe does nothing: the kernels need no memory between calls.
func (*laneKernel) Wipe() {}

// widthOf returns the number of lanes that the driver's kernel continues in one call.
func widthOf(row uint8) int { return int(aescore.TraitsOf(row).Width) }

// narrowOf is widthOf for messages of so many blocks.
func narrowOf(row uint8, blocks int) int {
	t := aescore.TraitsOf(row)
	if blocks < int(t.NarrowBelow) {
		return min(8, int(t.Width))
	}
	return int(t.Width)
}

// Encrypt continues lanes by the given number of blocks.
func (k *laneKernel) Encrypt(group int, lanes []modes.Lane[*Cipher], blocks int) {
	row := rowOf(group)
	if widthOf(row) == 1 {
		lanes[0].EncryptAlone((*bulk)(lanes[0].Cipher), blocks, k.scratch[:])
		return
	}
	var kernel [aescore.MaxLanes]aescore.Lane
	for i := range lanes {
		lane := &lanes[i]
		var dst *byte
		if lane.Dst != nil {
			dst = &lane.Dst[0]
		}
		kernel[i] = aescore.NewLane(&lane.Cipher.keys, lane.IV, dst, &lane.Src[0])
		lane.Advance(blocks * BlockSize)
	}
	aescore.CBCEncryptMany(row, kernel[:len(lanes)], blocks)
}
