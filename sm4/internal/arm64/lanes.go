//go:build arm64 && !purego

package arm64

import "unsafe"

// A Lane is one of the streams that a call processes side by side, in CBC mode. The kernels
// depend on the offsets of the fields.
type Lane struct {
	Keys     *Keys     // for the families AES and AESSHA3
	KeysSM4  *KeysSM4  // for the family SM4
	IV       *[16]byte // becomes the last ciphertext block
	Dst, Src *byte     // if Dst is nil, only IV is updated
}

// MaxLanes is the number of lanes in one call.
const MaxLanes = 16

// laneMemory is what the families AES and AESSHA3 need for lanes. The kernels depend on the
// offsets of the fields.
type laneMemory struct {
	Words  [32][MaxLanes][4]byte // round keys
	Blocks [MaxLanes][16]byte    // the last ciphertext blocks
}

// Lanes are the arguments of a call and memory for it.
type Lanes struct {
	lanes  [MaxLanes]Lane
	memory laneMemory
	used   int  // lanes
	dirty  bool // the memory
}

// Set assigns the next blocks to lane i: at least one. dst is nil if only iv is wanted,
// which becomes the last ciphertext block.
func (l *Lanes) Set(i int, aes *Keys, sm4 *KeysSM4, iv *[16]byte, dst, src []byte) {
	l.lanes[i] = Lane{aes, sm4, iv, unsafe.SliceData(dst), &src[0]}
	l.used = max(l.used, i+1)
}

// Chain returns the last ciphertext block of lane i.
func (l *Lanes) Chain(i int) [16]byte { return *l.lanes[i].IV }

// Wipe clears everything that Set and the kernels have stored.
func (l *Lanes) Wipe() {
	clear(l.lanes[:l.used])
	l.used = 0
	if l.dirty {
		l.memory, l.dirty = laneMemory{}, false
	}
}

// EncryptLanesSM4 encrypts a number of blocks, at least one, of each of the first lanes, as they have
// been set. Either all have a Dst or none has; store tells nothing more.
func EncryptLanesSM4(l *Lanes, lanes, blocks int, store bool) {
	some := l.lanes[:lanes]
	for len(some) >= 8 {
		cbcEncrypt8SM4(&some[0], blocks)
		some = some[8:]
	}
	if len(some)&4 != 0 {
		cbcEncrypt4SM4(&some[0], blocks)
		some = some[4:]
	}
	if len(some)&2 != 0 {
		cbcEncrypt2SM4(&some[0], blocks)
		some = some[2:]
	}
	if len(some) > 0 {
		cbcEncrypt1SM4(&some[0], blocks)
	}
}

// EncryptLanesAES is EncryptLanesSM4 for the family AES.
func EncryptLanesAES(l *Lanes, lanes, blocks int, store bool) { l.encrypt(aes, lanes, blocks) }

// EncryptLanesAESSHA3 is EncryptLanesSM4 for the family AESSHA3.
func EncryptLanesAESSHA3(l *Lanes, lanes, blocks int, store bool) { l.encrypt(aesSHA3, lanes, blocks) }

// encrypt uses kernels for 4, 8 and 16 lanes. Others than the first ones are the first one
// again, which is then stored several times.
func (l *Lanes) encrypt(f family, lanes, n int) {
	l.dirty = true
	width := MaxLanes
	switch {
	case lanes <= 4:
		width = 4
	case lanes <= 8:
		width = 8
	}
	l.used = max(l.used, width)
	for i := lanes; i < width; i++ {
		l.lanes[i] = l.lanes[0]
	}
	switch {
	case width == 4:
		cbcEncrypt4AES(&l.lanes[0], &l.memory, n)
	case width == 8:
		cbcEncrypt8AES(&l.lanes[0], &l.memory, n)
	case f == aes:
		cbcEncrypt16AES(&l.lanes[0], &l.memory, n)
	case f == aesSHA3:
		cbcEncrypt16AESSHA3(&l.lanes[0], &l.memory, n)
	default:
		panic(noFamily)
	}
}
