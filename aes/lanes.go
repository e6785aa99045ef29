package aes

import (
	"runtime"

	"github.com/cipherlane/cipherlane/internal/aescore"
)

const maxLanes = aescore.MaxLanes

// A cbcLane is one of the streams that [EncryptCBCMany] and similar functions process
// side by side.
type cbcLane struct {
	c        *Cipher
	iv       *[BlockSize]byte // the last ciphertext block
	dst, src []byte           // the rest; if dst is nil, only iv is updated
}

type lanes [maxLanes]cbcLane

// set assigns whole blocks to lane i. Its iv does not change.
func (l *lanes) set(i int, c *Cipher, dst, src []byte) { l[i].c, l[i].dst, l[i].src = c, dst, src }

func (l *lanes) swap(i, j int) { l[i], l[j] = l[j], l[i] }

func (l *cbcLane) advance(n int) {
	l.src = l.src[n:]
	if l.dst != nil {
		l.dst = l.dst[n:]
	}
}

// widthOf returns the number of lanes that the driver's kernel continues in one call.
func widthOf(row uint8) int { return int(traitsOf(row).Width) }

// encrypt continues the first count lanes by the given number of blocks.
func (l *lanes) encrypt(row uint8, count, blocks int) {
	n := blocks * BlockSize
	if widthOf(row) == 1 {
		l[0].encryptAlone(n)
		return
	}
	var kernel [maxLanes]aescore.Lane
	for i := range l[:count] {
		lane := &l[i]
		var dst *byte
		if lane.dst != nil {
			dst = &lane.dst[0]
		}
		kernel[i] = aescore.NewLane(lane.c.keys.core(), lane.iv, dst, &lane.src[0])
		lane.advance(n)
	}
	aescore.CBCEncryptMany(row, kernel[:count], blocks)
}

// encryptAlone continues a lane by n bytes, for drivers without a kernel for several.
func (l *cbcLane) encryptAlone(n int) {
	if l.dst != nil {
		(*bulk)(l.c).CBCEncrypt(l.iv, l.dst[:n], l.src[:n])
		l.advance(n)
		return
	}
	var unwanted [16 * BlockSize]byte
	for n > 0 {
		part := min(n, len(unwanted))
		(*bulk)(l.c).CBCEncrypt(l.iv, unwanted[:part], l.src[:part])
		l.advance(part)
		n -= part
	}
	clear(unwanted[:])
	runtime.KeepAlive(&unwanted)
}
