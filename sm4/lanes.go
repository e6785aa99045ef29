package sm4

import (
	"crypto/subtle"

	"github.com/cipherlane/cipherlane/internal/modes"
)

// maxLanes is the number of streams processed side by side. The widest kernels
// process that many blocks at once.
const maxLanes = modes.MaxLanes

// maxStep is the maximum number of blocks of each lane in one call of a kernel.
const maxStep = maxPass / (maxLanes * BlockSize)

// many has the engine for messages side by side.
var many = modes.Many[*Cipher, *CCM]{
	Lanes:   maxLanes,
	Step:    maxStep,
	Width:   func(int) int { return maxLanes },
	Group:   groupOf,
	Encrypt: func(c *Cipher, b *[BlockSize]byte) { encryptBlock(c.plan.Short(), &c.keys, b[:], b[:]) },
	CCM:     func(a *CCM) (*Cipher, *modes.CCM) { return a.c, a.mode },
	Kernel:  func() modes.LaneKernel[*Cipher] { return new(lanes) },
}

// groupSet has the number of messages in each group: their ciphers have the same driver.
type groupSet struct{ sizes [len(traits)]int }

func (s *groupSet) add(c *Cipher) {
	c.check()
	s.sizes[groupOf(c)]++
}

func groupOf(c *Cipher) int { return int(driverOf(c.plan.Many())) }

type stream = modes.Lane[*Cipher]

// lanes is the memory for calls that continue several lanes.
type lanes struct {
	blocks [maxLanes * BlockSize]byte // the next block of each
	kernel laneKernel
	used   int // of blocks, in bytes
}

// Wipe clears all traces of messages and keys.
func (l *lanes) Wipe() {
	clear(l.blocks[:l.used])
	l.used = 0
	l.kernel.Wipe()
}

// Encrypt continues lanes by the given number of blocks. The group of the ciphers is the
// row of their driver.
func (l *lanes) Encrypt(group int, some []stream, blocks int) {
	row := uint8(group)
	width := int(traitOf(row).lanes)
	if width == 0 {
		l.encryptTogether(row, some, blocks)
		return
	}
	for len(some) > 0 {
		part := some[:min(width, len(some))]
		if worthLanes(row, len(part), blocks) {
			l.encryptApart(row, part, blocks)
		} else {
			for i := range part {
				l.encryptAlone(&part[i], blocks)
			}
		}
		some = some[len(part):]
	}
}

// manyKeys returns the round keys for the driver of many messages.
func manyKeys(c *Cipher) *keys {
	row := c.plan.Many()
	if row&ownKeys == 0 {
		return &c.keys
	}
	return &c.keys.find(row &^ ownKeys).keys
}

// encryptApart continues lanes that may have different keys.
func (l *lanes) encryptApart(row uint8, some []stream, blocks int) {
	for i := range some {
		s := &some[i]
		l.kernel.set(i, manyKeys(s.Cipher), s.IV, s.Dst, s.Src)
		s.Advance(blocks * BlockSize)
	}
	encryptLanes(row, &l.kernel, len(some), blocks, some[0].Dst != nil)
	for i := range some {
		*some[i].IV = l.kernel.chain(i)
	}
}

// encryptAlone continues a single lane, with the driver for serial modes.
func (l *lanes) encryptAlone(lane *stream, blocks int) {
	lane.EncryptAlone((*bulk)(lane.Cipher), blocks, l.blocks[:modes.AloneScratch])
}

// encryptTogether continues lanes by a number of blocks with kernels for independent
// blocks. These kernels use one key, so lanes whose key differs from the first lane's
// are processed alone.
func (l *lanes) encryptTogether(row uint8, some []stream, blocks int) {
	c := some[0].Cipher
	var which [maxLanes]uint8
	together := 0
	for i := range some {
		if some[i].Cipher == c {
			which[together] = uint8(i)
			together++
		}
	}
	if together <= int(traitOf(row).togetherMin) {
		together = 0
	}
	for i := range some {
		if together == 0 || some[i].Cipher != c {
			l.encryptAlone(&some[i], blocks)
		}
	}
	if together == 0 {
		return
	}
	n := blocks * BlockSize
	k := manyKeys(c)
	k.widen(row)
	next := l.blocks[:together*BlockSize]
	l.used = max(l.used, len(next))
	for i := range together {
		copy(next[i*BlockSize:], some[which[i]].IV[:])
	}
	for at := 0; at < n; at += BlockSize {
		for i := range together {
			b := next[i*BlockSize:][:BlockSize]
			subtle.XORBytes(b, b, some[which[i]].Src[at:][:BlockSize])
		}
		encryptBlocks(row, k, next, next)
		for i := range together {
			if dst := some[which[i]].Dst; dst != nil {
				*(*[BlockSize]byte)(dst[at:]) = [BlockSize]byte(next[i*BlockSize:])
			}
		}
	}
	for i := range together {
		s := &some[which[i]]
		*s.IV = [BlockSize]byte(next[i*BlockSize:])
		s.Advance(n)
	}
}
