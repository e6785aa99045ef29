package sm4

import (
	"crypto/subtle"
	"runtime"

	"github.com/cipherlane/cipherlane/internal/modes"
)

// maxLanes is the number of streams processed side by side. The widest kernels
// process that many blocks at once.
const maxLanes = modes.MaxLanes

// maxStep is the maximum number of blocks of each lane in one call of a kernel.
const maxStep = maxPass / (maxLanes * BlockSize)

// A stream is one of the streams that [EncryptCBCMany] and similar functions process
// side by side.
type stream struct {
	keys     *keys
	iv       *[BlockSize]byte // the last ciphertext block
	dst, src []byte           // the rest; if dst is nil, only iv is updated
}

// lanes are the lanes of a call. Either all have a dst or none has.
type lanes struct {
	lane   [maxLanes]stream
	blocks [maxLanes * BlockSize]byte // the next block of each
	kernel laneKernel
}

// set assigns whole blocks to lane i. Its iv does not change.
func (l *lanes) set(i int, k *keys, dst, src []byte) {
	l.lane[i].keys, l.lane[i].dst, l.lane[i].src = k, dst, src
}

func (l *lanes) swap(i, j int) { l.lane[i], l.lane[j] = l.lane[j], l.lane[i] }

// wipe clears all traces of messages and keys.
func (l *lanes) wipe() {
	clear(l.lane[:])
	clear(l.blocks[:])
	l.kernel.wipe()
}

func (l *stream) advance(n int) {
	l.src = l.src[n:]
	if l.dst != nil {
		l.dst = l.dst[n:]
	}
}

// encryptAlone continues a single lane by n bytes.
func (l *stream) encryptAlone(row uint8, n int) {
	if l.dst != nil {
		cbcEncrypt(row, l.keys, l.iv, l.dst[:n], l.src[:n])
		l.advance(n)
		return
	}
	var unwanted [16 * BlockSize]byte
	for n > 0 {
		part := min(n, len(unwanted))
		cbcEncrypt(row, l.keys, l.iv, unwanted[:part], l.src[:part])
		l.advance(part)
		n -= part
	}
	clear(unwanted[:])
	runtime.KeepAlive(&unwanted)
}

// encryptTogether continues the first count lanes by n bytes with kernels for
// independent blocks. These kernels use one key, so lanes whose key differs from the
// first lane's are processed alone.
func (l *lanes) encryptTogether(row uint8, count, n int) {
	k := l.lane[0].keys
	together := 0
	for i := range l.lane[:count] {
		if l.lane[i].keys == k {
			together++
		}
	}
	if together <= togetherMin(row) {
		for i := range l.lane[:count] {
			l.lane[i].encryptAlone(row, n)
		}
		return
	}
	var which [maxLanes]uint8
	together = 0
	for i := range l.lane[:count] {
		lane := &l.lane[i]
		if lane.keys != k {
			lane.encryptAlone(row, n)
			continue
		}
		copy(l.blocks[together*BlockSize:], lane.iv[:])
		which[together] = uint8(i)
		together++
	}
	k.widen(row)
	blocks := l.blocks[:together*BlockSize]
	for at := 0; at < n; at += BlockSize {
		for i := range together {
			b := blocks[i*BlockSize:][:BlockSize]
			subtle.XORBytes(b, b, l.lane[which[i]].src[at:][:BlockSize])
		}
		encryptBlocks(row, k, blocks, blocks)
		for i := range together {
			if dst := l.lane[which[i]].dst; dst != nil {
				*(*[BlockSize]byte)(dst[at:]) = [BlockSize]byte(blocks[i*BlockSize:])
			}
		}
	}
	for i := range together {
		lane := &l.lane[which[i]]
		*lane.iv = [BlockSize]byte(blocks[i*BlockSize:])
		lane.advance(n)
	}
}
