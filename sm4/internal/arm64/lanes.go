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

// EncryptSM4 encrypts n blocks, at least one, of each of the first lanes, as they have been
// set. Either all have a Dst or none has.
func (l *Lanes) EncryptSM4(count, n int) {
	lanes := l.lanes[:count]
	for len(lanes) >= 8 {
		cbcEncrypt8SM4(&lanes[0], n)
		lanes = lanes[8:]
	}
	if len(lanes)&4 != 0 {
		cbcEncrypt4SM4(&lanes[0], n)
		lanes = lanes[4:]
	}
	if len(lanes)&2 != 0 {
		cbcEncrypt2SM4(&lanes[0], n)
		lanes = lanes[2:]
	}
	if len(lanes) > 0 {
		cbcEncrypt1SM4(&lanes[0], n)
	}
}

// EncryptAES is EncryptSM4 for the family AES.
func (l *Lanes) EncryptAES(lanes, n int) { l.encrypt(aes, lanes, n) }

// EncryptAESSHA3 is EncryptSM4 for the family AESSHA3.
func (l *Lanes) EncryptAESSHA3(lanes, n int) { l.encrypt(aesSHA3, lanes, n) }

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
