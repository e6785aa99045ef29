//go:build (mips || mipsle || mips64 || mips64le) && !purego

package mips

import "unsafe"

const word = int(unsafe.Sizeof(uint(0)))

// Keys are round keys as planes of bits: of the rows of the state, the bits of each, and for each
// column as often as there are blocks in a pass.
type Keys struct {
	Planes [15][4][8]uint
	Last   int // the offset of the last round key
}

// State is the memory of a kernel.
type State [40]uint

// Pass is the number of bytes that a kernel processes: 8 blocks, or 16 with 64 bits.
const Pass = 32 * word

// Encrypt encrypts the blocks of a pass. dst and src must be at multiples of the size of a register.
func Encrypt(k *Keys, state *State, dst, src []byte) {
	encrypt(k, state, &dst[:Pass][0], &src[:Pass][0])
}

// Decrypt is the inverse of Encrypt.
func Decrypt(k *Keys, state *State, dst, src []byte) {
	decrypt(k, state, &dst[:Pass][0], &src[:Pass][0])
}

// CTR adds the keystream of a pass to src. The last 32 bits of the counter count, modulo
// 2^32. It does not change. counter, dst and src must be at multiples of the size of a register.
func CTR(k *Keys, state *State, counter *[16]byte, dst, src []byte) {
	ctr(k, state, counter, &dst[:Pass][0], &src[:Pass][0])
}
