//go:build arm && !purego

package arm

// The family V6 works on planes of bits in integer registers: from ARMv6 on.

// KeysV6 are round keys as planes of bits: of each bit, the rows of the state, and for each column as often as
// there are blocks in a pass.
type KeysV6 struct {
	Planes [15][8][4]uint32
	Last   int       // the offset of the last round key
	First  [4]uint32 // the first round key, as words of a block. Its planes are not used
}

// PassV6 is the number of bytes that a kernel processes.
const PassV6 = 8 * 16

// EncryptV6 encrypts the blocks of a pass. dst and src must be at multiples of 4.
func EncryptV6(k *KeysV6, dst, src []byte) {
	encryptV6(k, &dst[:PassV6][0], &src[:PassV6][0])
}

// CTRV6 adds the keystream of a pass to src. The last 32 bits of the counter count, modulo 2^32. It does not
// change. counter, dst and src must be at multiples of 4.
func CTRV6(k *KeysV6, counter *[16]byte, dst, src []byte) {
	ctrV6(k, counter, &dst[:PassV6][0], &src[:PassV6][0])
}
