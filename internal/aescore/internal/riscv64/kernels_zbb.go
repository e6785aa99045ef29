//go:build riscv64 && !purego

package riscv64

// KeysZbb are round keys as planes of bits: of the rows of the state, the bits of each, and 16
// times the bit of each column.
type KeysZbb struct {
	Planes [15][4][8]uint64
	Last   int // the offset of the last round key
}

// StateZbb is the memory of a kernel.
type StateZbb [40]uint64

// PassZbb is the number of bytes that a kernel processes.
const PassZbb = 256

// EncryptZbb encrypts 16 blocks. dst and src must be at multiples of 8.
func EncryptZbb(k *KeysZbb, state *StateZbb, dst, src []byte) {
	encryptZbb(k, state, &dst[:PassZbb][0], &src[:PassZbb][0])
}

// DecryptZbb is the inverse of EncryptZbb.
func DecryptZbb(k *KeysZbb, state *StateZbb, dst, src []byte) {
	decryptZbb(k, state, &dst[:PassZbb][0], &src[:PassZbb][0])
}

// CTRZbb adds the keystream of 16 blocks to src. The last 32 bits of the counter count, modulo
// 2^32. It does not change. counter, dst and src must be at multiples of 8.
func CTRZbb(k *KeysZbb, state *StateZbb, counter *[16]byte, dst, src []byte) {
	ctrZbb(k, state, counter, &dst[:PassZbb][0], &src[:PassZbb][0])
}
