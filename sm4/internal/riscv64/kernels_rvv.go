//go:build riscv64 && !purego

package riscv64

import (
	"crypto/subtle"
	"encoding/binary"
	"runtime"

	"github.com/cipherlane/cipherlane/internal/rvv"
)

// Keys are round keys in the order of use, in the basis of the state: see _gen/sm4/rvv.
type Keys struct {
	Bytes [128]byte

	// Half is for CPUs that need less than half the time for vectors of half a register.
	Half bool
}

// KeysRVV are the round keys for encryption and decryption.
type KeysRVV struct{ Forward, Backward Keys }

// ExpandRVV sets k to round keys with the constants of the S-box.
func ExpandRVV(k *KeysRVV, words *[32]uint32, half bool) {
	var b [128]byte
	for _, keys := range []*Keys{&k.Forward, &k.Backward} {
		for i, w := range words {
			if keys == &k.Backward {
				i = 31 - i
			}
			binary.BigEndian.PutUint32(b[4*i:], w)
		}
		expandRVV(&keys.Bytes[0], &b[0], len(b))
		keys.Half = half
	}
	clear(b[:])
	runtime.KeepAlive(&b)
}

// EncryptBlocksRVV encrypts whole blocks, at least one.
func EncryptBlocksRVV(k *KeysRVV, dst, src []byte) {
	cryptBlocksRVV(&k.Forward, &dst[0], &src[0], len(src)/16)
}

// DecryptBlocksRVV decrypts whole blocks, at least one.
func DecryptBlocksRVV(k *KeysRVV, dst, src []byte) {
	cryptBlocksRVV(&k.Backward, &dst[0], &src[0], len(src)/16)
}

// CBCEncryptRVV encrypts whole blocks, at least one. iv becomes the last ciphertext block. A
// block takes as long as a pass of many, but less than in the portable driver.
func CBCEncryptRVV(k *KeysRVV, iv *[16]byte, dst, src []byte) {
	for i := 0; i < len(src); i += 16 {
		rvv.XOR(iv[:], iv[:], src[i:i+16])
		cryptBlocksRVV(&k.Forward, &iv[0], &iv[0], 1)
		copy(dst[i:], iv[:])
	}
}

// CBCDecryptRVV decrypts whole blocks, at least one. iv becomes the last ciphertext block.
func CBCDecryptRVV(k *KeysRVV, iv *[16]byte, dst, src []byte) {
	var memory rvv.Buffer
	b := memory.Bytes()
	for len(src) > 0 {
		n := min(len(src), len(b))
		cryptBlocksRVV(&k.Backward, &b[0], &src[0], n/16)
		rvv.XOR(b[:], b[:16], iv[:])
		rvv.XOR(b[16:], b[16:n], src)
		*iv = [16]byte(src[n-16:])
		copy(dst, b[:n])
		dst, src = dst[n:], src[n:]
	}
	memory.Wipe()
}

// XTSRVV encrypts or decrypts whole blocks, at least one, and advances the tweak. See [rvv.Tweaks]
// for gb.
func XTSRVV(k *KeysRVV, tweak *[16]byte, dst, src []byte, gb, decrypt bool) {
	keys := &k.Forward
	if decrypt {
		keys = &k.Backward
	}
	var memory rvv.Buffer
	for len(src) > 0 {
		n := min(len(src), rvv.Part)
		out, t := dst[:n], memory.Bytes()[:n]
		rvv.Tweaks(&memory, tweak, n, gb)
		rvv.XOR(out, src[:n], t)
		cryptBlocksRVV(keys, &out[0], &out[0], n/16)
		rvv.XOR(out, out, t)
		dst, src = dst[n:], src[n:]
	}
	memory.Wipe()
}

// CFBDecryptRVV decrypts the whole blocks at the beginning of src, at least one, and returns
// their length. iv becomes the last of these ciphertext blocks.
func CFBDecryptRVV(k *KeysRVV, iv *[16]byte, dst, src []byte) int {
	var memory rvv.Buffer
	b := memory.Bytes()
	whole := len(src) &^ 15
	for src = src[:whole]; len(src) > 0; {
		n := min(len(src), len(b))
		copy(b[:], iv[:])
		copy(b[16:], src[:n-16])
		*iv = [16]byte(src[n-16:])
		cryptBlocksRVV(&k.Forward, &b[0], &b[0], n/16)
		rvv.XOR(dst, src[:n], b[:n])
		dst, src = dst[n:], src[n:]
	}
	memory.Wipe()
	return whole
}

// CTRRVV adds keystream to src, at least one byte, and advances the 128-bit counter, which is
// public. Unused keystream of the last block goes to the same offsets in rest, which may be
// nil if src is whole blocks.
func CTRRVV(k *KeysRVV, counter *[16]byte, dst, src []byte, rest *[16]byte) {
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
func CTR32RVV(k *KeysRVV, counter *[16]byte, dst, src []byte, rest *[16]byte) {
	low, blocks, tail := binary.BigEndian.Uint32(counter[12:]), len(src)/16, len(src)%16
	if tail == 0 {
		if blocks > 0 {
			ctrRVV(&k.Forward, counter, low, &dst[0], &src[0], blocks, nil)
		}
	} else {
		var stream [16]byte
		ctrRVV(&k.Forward, counter, low, &dst[0], &src[0], blocks, &stream)
		subtle.XORBytes(dst[16*blocks:], src[16*blocks:], stream[:tail])
		copy(rest[tail:], stream[tail:])
		clear(stream[:])
		runtime.KeepAlive(&stream)
		blocks++
	}
	binary.BigEndian.PutUint32(counter[12:], low+uint32(blocks))
}
