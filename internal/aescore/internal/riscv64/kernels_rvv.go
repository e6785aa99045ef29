//go:build riscv64 && !purego

package riscv64

import (
	"crypto/subtle"
	"encoding/binary"
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
	for len(src) > 0 {
		n := min(len(src), 16*(1<<32-int(binary.BigEndian.Uint32(counter[12:]))))
		CTR32RVV(k, counter, dst[:n], src[:n], rest)
		if binary.BigEndian.Uint32(counter[12:]) == 0 {
			carry(counter)
		}
		dst, src = dst[n:], src[n:]
	}
}

// carry adds 1 to the first 96 bits of the counter.
func carry(counter *[16]byte) {
	for i := 11; i >= 0; i-- {
		if counter[i]++; counter[i] != 0 {
			break
		}
	}
}

// CTR32RVV is like CTRRVV with the counter of GCM: only the last 32 bits count. Its time
// does not depend on the counter.
func CTR32RVV(k *Keys, counter *[16]byte, dst, src []byte, rest *[16]byte) {
	low, blocks, tail := binary.BigEndian.Uint32(counter[12:]), len(src)/16, len(src)%16
	if tail == 0 {
		ctrRVV(k, counter, low, &dst[0], &src[0], blocks, nil)
	} else {
		var stream [16]byte
		ctrRVV(k, counter, low, &dst[0], &src[0], blocks, &stream)
		subtle.XORBytes(dst[16*blocks:], src[16*blocks:], stream[:tail])
		copy(rest[tail:], stream[tail:])
		clear(stream[:])
		runtime.KeepAlive(&stream)
		blocks++
	}
	binary.BigEndian.PutUint32(counter[12:], low+uint32(blocks))
}
