//go:build riscv64 && !purego

package riscv64

import (
	"crypto/subtle"
	"encoding/binary"
	"math/bits"
	"runtime"
	"unsafe"
)

// Keys are the round keys in the order of use, in the basis of the tower (see
// _gen/aes/permute) but for the last one.
type Keys struct {
	Bytes  [15][16]byte
	Rounds int // 10, 12 or 14

	// Half is for CPUs that need less than half the time for vectors of half a register.
	Half bool
}

// ExpandRVV sets k to the round keys, given as words: columns with the byte of row 0 as the
// lowest, and with the constant of the S-box added to all but the first round key.
func ExpandRVV(k *Keys, words []uint32, half bool) {
	k.Rounds, k.Half = len(words)/4-1, half
	n := 16 * k.Rounds
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), n+16)
	expandRVV(&k.Bytes[0][0], &bytes[0], n)
	copy(k.Bytes[k.Rounds][:], bytes[n:])
}

// Wipe overwrites the round keys.
func (k *Keys) Wipe() {
	*k = Keys{}
	runtime.KeepAlive(k)
}

// EncryptBlocksRVV encrypts whole blocks, at least one.
func EncryptBlocksRVV(k *Keys, dst, src []byte) {
	encryptBlocksRVV(k, &dst[0], &src[0], len(src)/16)
}

// CTRRVV adds keystream to src, at least one byte, and advances the 128-bit counter.
// Unused keystream of the last block goes to the same offsets in rest.
func CTRRVV(k *Keys, counter *[16]byte, dst, src []byte, rest *[16]byte) {
	// The kernel adds to the last 32 bits only.
	if n := 16 * (1<<32 - int(binary.BigEndian.Uint32(counter[12:]))); n < len(src) {
		ctr32(k, counter, dst[:n], src[:n], nil)
		dst, src = dst[n:], src[n:]
	}
	ctr32(k, counter, dst, src, rest)
}

// ctr32 is CTRRVV where no block before the last one has the last 32 bits of the counter set.
func ctr32(k *Keys, counter *[16]byte, dst, src []byte, rest *[16]byte) {
	hi, lo := binary.BigEndian.Uint64(counter[:]), binary.BigEndian.Uint64(counter[8:])
	blocks, tail := len(src)/16, len(src)%16
	if tail == 0 {
		ctrRVV(k, counter, uint32(lo), &dst[0], &src[0], blocks, nil)
	} else {
		var stream [16]byte
		ctrRVV(k, counter, uint32(lo), &dst[0], &src[0], blocks, &stream)
		subtle.XORBytes(dst[16*blocks:], src[16*blocks:], stream[:tail])
		copy(rest[tail:], stream[tail:])
		clear(stream[:])
		runtime.KeepAlive(&stream)
		blocks++
	}
	lo, carry := bits.Add64(lo, uint64(blocks), 0)
	binary.BigEndian.PutUint64(counter[:], hi+carry)
	binary.BigEndian.PutUint64(counter[8:], lo)
}
