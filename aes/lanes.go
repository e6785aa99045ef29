package aes

import (
	"github.com/cipherlane/cipherlane/internal/aescore"
	"github.com/cipherlane/cipherlane/internal/modes"
)

// many has the engine for messages side by side.
var many = modes.Many[*Cipher, *CCM]{
	Lanes:   aescore.MaxLanes,
	Step:    aescore.MaxPass / BlockSize,
	Width:   func(g int) int { return widthOf(rowOf(g)) },
	Narrow:  func(g, blocks int) int { return narrowOf(rowOf(g), blocks) },
	Group:   groupOf,
	Encrypt: func(c *Cipher, b *[BlockSize]byte) { (*bulk)(c).EncryptBlocks(b[:], b[:]) },
	CCM:     func(a *CCM) (*Cipher, *modes.CCM) { return a.c, a.mode },
	Kernel:  func() modes.LaneKernel[*Cipher] { return new(laneKernel) },
}

// groupSet has the number of messages in each group: their ciphers have the same driver and number
// of rounds.
type groupSet struct {
	sizes [3 * 8]int
	last  *Cipher // often the next one, too
	group int     // of last
}

func (s *groupSet) add(c *Cipher) {
	if c != s.last || c == nil {
		s.begin(c)
	}
	s.sizes[s.group]++
}

// begin is apart, and not inlined, so that add is.
//
//go:noinline
func (s *groupSet) begin(c *Cipher) {
	c.check()
	s.last, s.group = c, groupOf(c)
}

func groupOf(c *Cipher) int { return 3*int(c.plan.Many()) + (c.keys.Rounds()-10)/2 }

func rowOf(g int) uint8 { return uint8(g / 3) }

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
