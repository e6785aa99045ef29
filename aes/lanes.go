package aes

import "runtime"

// maxLanes is how many streams the widest kernel of any driver takes.
const maxLanes = 16

// A cbcLane is one of the streams that a call of [EncryptCBCMany] and the like
// works on side by side.
type cbcLane struct {
	keys     *keys
	iv       *[BlockSize]byte // the last ciphertext block
	dst, src []byte           // what is left; nil dst: only the last block is wanted
}

type lanes [maxLanes]cbcLane

// set gives lane i whole blocks. Its iv stays.
func (l *lanes) set(i int, k *keys, dst, src []byte) { l[i].keys, l[i].dst, l[i].src = k, dst, src }

func (l *lanes) swap(i, j int) { l[i], l[j] = l[j], l[i] }

func (l *cbcLane) advance(n int) {
	l.src = l.src[n:]
	if l.dst != nil {
		l.dst = l.dst[n:]
	}
}

// encryptAlone is for drivers that have no kernel for several lanes.
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
