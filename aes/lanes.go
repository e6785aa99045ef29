package aes

import "runtime"

// maxLanes is the number of streams in the widest kernel of any driver.
const maxLanes = 16

// A cbcLane is one of the streams that [EncryptCBCMany] and similar functions process
// side by side.
type cbcLane struct {
	keys     *keys
	iv       *[BlockSize]byte // the last ciphertext block
	dst, src []byte           // the rest; if dst is nil, only iv is updated
}

type lanes [maxLanes]cbcLane

// set assigns whole blocks to lane i. Its iv does not change.
func (l *lanes) set(i int, k *keys, dst, src []byte) { l[i].keys, l[i].dst, l[i].src = k, dst, src }

func (l *lanes) swap(i, j int) { l[i], l[j] = l[j], l[i] }

func (l *cbcLane) advance(n int) {
	l.src = l.src[n:]
	if l.dst != nil {
		l.dst = l.dst[n:]
	}
}

// encryptAlone continues a lane by n bytes, for drivers without a kernel for several.
func (l *cbcLane) encryptAlone(row uint8, n int) {
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
