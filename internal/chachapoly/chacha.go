// Package chachapoly implements ChaCha20, Poly1305 and the AEAD composed of the
// two (RFC 8439) for packages chacha20 and chacha20poly1305, which share their
// drivers.
//
// No driver uses a secret as a memory index or a branch condition. Drivers that
// multiply integers, including the portable one, also need a CPU whose
// multiplication takes the same time for all operands. This is true of all CPUs
// that Go runs on today except some old or small cores (ARM7, ARM9, PowerPC, MIPS 4K).
//
// Callers check lengths and overlaps: source and destination must overlap
// entirely or not at all, and a message has at most 2^38-64 bytes.
package chachapoly

import (
	"encoding/binary"
	"math/bits"
	"runtime"
	"unsafe"
)

const (
	BlockSize = 64 // bytes of keystream in a block
	TagSize   = 16

	MaxAhead = 4 // blocks

	// MaxSize is the longest message in bytes: what a counter of 32 bits leaves
	// after the block that keys Poly1305.
	MaxSize = (1<<32 - 1) * BlockSize
)

const timingGeneric = "independent of secrets where the CPU's multiplication is"

// The first row of the matrix: "expand 32-byte k".
const (
	sigma0 = 0x61707865
	sigma1 = 0x3320646e
	sigma2 = 0x79622d32
	sigma3 = 0x6b206574
)

var sigma = [4]uint32{sigma0, sigma1, sigma2, sigma3}

// Begin sets the first row of an initial matrix (RFC 8439, section 2.3) and returns
// a pointer to its key.
func Begin(state *[16]uint32) (key *[8]uint32) {
	*(*[4]uint32)(state[:4]) = sigma
	return (*[8]uint32)(state[4:12])
}

// ReadKey sets k to the words of a 32-byte key. It is unrolled because a loop takes
// as long as two of the twenty rounds.
func ReadKey(k *[8]uint32, b []byte) {
	_ = b[31]
	k[0], k[1] = binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:])
	k[2], k[3] = binary.LittleEndian.Uint32(b[8:]), binary.LittleEndian.Uint32(b[12:])
	k[4], k[5] = binary.LittleEndian.Uint32(b[16:]), binary.LittleEndian.Uint32(b[20:])
	k[6], k[7] = binary.LittleEndian.Uint32(b[24:]), binary.LittleEndian.Uint32(b[28:])
}

// WriteKey is the inverse of ReadKey.
func WriteKey(b []byte, k *[8]uint32) {
	_ = b[31]
	binary.LittleEndian.PutUint32(b, k[0])
	binary.LittleEndian.PutUint32(b[4:], k[1])
	binary.LittleEndian.PutUint32(b[8:], k[2])
	binary.LittleEndian.PutUint32(b[12:], k[3])
	binary.LittleEndian.PutUint32(b[16:], k[4])
	binary.LittleEndian.PutUint32(b[20:], k[5])
	binary.LittleEndian.PutUint32(b[24:], k[6])
	binary.LittleEndian.PutUint32(b[28:], k[7])
}

// HChaChaBytes is HChaCha for a key of 32 bytes and the first 16 bytes of a nonce. It writes 32 bytes.
func HChaChaBytes(row uint8, out, key, nonce []byte) {
	_, _, _ = out[31], key[31], nonce[15]
	if unaligned && !bigEndian {
		HChaCha(row, (*[8]uint32)(unsafe.Pointer(&out[0])), (*[8]uint32)(unsafe.Pointer(&key[0])), (*[4]uint32)(unsafe.Pointer(&nonce[0])))
		return
	}
	var k [8]uint32
	ReadKey(&k, key)
	HChaCha(row, &k, &k, &[4]uint32{
		binary.LittleEndian.Uint32(nonce),
		binary.LittleEndian.Uint32(nonce[4:]),
		binary.LittleEndian.Uint32(nonce[8:]),
		binary.LittleEndian.Uint32(nonce[12:]),
	})
	WriteKey(out, &k)
	clear(k[:])
	runtime.KeepAlive(&k)
}

// quarterRound uses shifts for rotations: with those of math/bits, the compiler
// considers it too expensive to inline on some architectures.
func quarterRound(a, b, c, d uint32) (uint32, uint32, uint32, uint32) {
	a += b
	d ^= a
	d = d<<16 | d>>16
	c += d
	b ^= c
	b = b<<12 | b>>20
	a += b
	d ^= a
	d = d<<8 | d>>24
	c += d
	b ^= c
	b = b<<7 | b>>25
	return a, b, c, d
}

// A block is 64 bytes of text as native-endian words.
type block [16]uint32

// xorBlocks is ChaCha20 on n > 0 contiguous blocks, starting at dst and src. In the
// first round, three of the four columns do not depend on the counter.
func xorBlocks(dst, src *block, n int, s *[16]uint32, counter uint32) {
	f1, f5, f9, f13 := quarterRound(s[1], s[5], s[9], s[13])
	f2, f6, f10, f14 := quarterRound(s[2], s[6], s[10], s[14])
	f3, f7, f11, f15 := quarterRound(s[3], s[7], s[11], s[15])
	for i := range n {
		x0, x4, x8, x12 := quarterRound(s[0], s[4], s[8], counter)
		x0, x5, x10, x15 := quarterRound(x0, f5, f10, f15)
		x1, x6, x11, x12 := quarterRound(f1, f6, f11, x12)
		x2, x7, x8, x13 := quarterRound(f2, f7, x8, f13)
		x3, x4, x9, x14 := quarterRound(f3, x4, f9, f14)
		for range 9 {
			x0, x4, x8, x12 = quarterRound(x0, x4, x8, x12)
			x1, x5, x9, x13 = quarterRound(x1, x5, x9, x13)
			x2, x6, x10, x14 = quarterRound(x2, x6, x10, x14)
			x3, x7, x11, x15 = quarterRound(x3, x7, x11, x15)

			x0, x5, x10, x15 = quarterRound(x0, x5, x10, x15)
			x1, x6, x11, x12 = quarterRound(x1, x6, x11, x12)
			x2, x7, x8, x13 = quarterRound(x2, x7, x8, x13)
			x3, x4, x9, x14 = quarterRound(x3, x4, x9, x14)
		}
		p := (*block)(unsafe.Add(unsafe.Pointer(src), i*BlockSize))
		q := (*block)(unsafe.Add(unsafe.Pointer(dst), i*BlockSize))
		q[0] = p[0] ^ native(x0+s[0])
		q[1] = p[1] ^ native(x1+s[1])
		q[2] = p[2] ^ native(x2+s[2])
		q[3] = p[3] ^ native(x3+s[3])
		q[4] = p[4] ^ native(x4+s[4])
		q[5] = p[5] ^ native(x5+s[5])
		q[6] = p[6] ^ native(x6+s[6])
		q[7] = p[7] ^ native(x7+s[7])
		q[8] = p[8] ^ native(x8+s[8])
		q[9] = p[9] ^ native(x9+s[9])
		q[10] = p[10] ^ native(x10+s[10])
		q[11] = p[11] ^ native(x11+s[11])
		q[12] = p[12] ^ native(x12+counter)
		q[13] = p[13] ^ native(x13+s[13])
		q[14] = p[14] ^ native(x14+s[14])
		q[15] = p[15] ^ native(x15+s[15])
		counter++
	}
}

// xorGeneric sets dst to src XOR the keystream, starting at the block whose number
// is the counter in state.
func xorGeneric(dst, src []byte, state *[16]uint32) {
	counter := state[12]
	if n := len(src) / BlockSize; n > 0 && aligned(dst) && aligned(src) {
		xorBlocks((*block)(unsafe.Pointer(&dst[0])), (*block)(unsafe.Pointer(&src[0])), n, state, counter)
		if n*BlockSize == len(src) {
			return
		}
		dst, src = dst[n*BlockSize:], src[n*BlockSize:]
		counter += uint32(n)
	}
	if len(src) > 0 {
		xorCopy(dst, src, state, counter)
	}
}

// xorCopy is xorGeneric for unaligned text and partial blocks.
func xorCopy(dst, src []byte, state *[16]uint32, counter uint32) {
	var text block
	b := (*[BlockSize]byte)(unsafe.Pointer(&text))
	for len(src) > 0 {
		n := copy(b[:], src)
		xorBlocks(&text, &text, 1, state, counter)
		copy(dst, b[:n])
		dst, src = dst[n:], src[n:]
		counter++
	}
	clear(b[:])
	runtime.KeepAlive(&text)
}

const (
	bigEndian = runtime.GOARCH == "mips" || runtime.GOARCH == "mips64" || runtime.GOARCH == "ppc64" || runtime.GOARCH == "s390x"

	// unaligned reports whether words can be accessed at any address.
	unaligned = runtime.GOARCH == "386" || runtime.GOARCH == "amd64" || runtime.GOARCH == "arm64" ||
		runtime.GOARCH == "ppc64" || runtime.GOARCH == "ppc64le" || runtime.GOARCH == "s390x" || runtime.GOARCH == "wasm"
)

// aligned reports whether the bytes of b can be accessed as words of 32 bits.
func aligned(b []byte) bool {
	return unaligned || uintptr(unsafe.Pointer(unsafe.SliceData(b)))%4 == 0
}

// native converts between little-endian and native words, in either direction.
func native(x uint32) uint32 {
	if bigEndian {
		return bits.ReverseBytes32(x)
	}
	return x
}

// hChaChaGeneric derives the key of XChaCha20 (draft-irtf-cfrg-xchacha-03,
// section 2.2): the rounds without the final addition.
func hChaChaGeneric(out, key *[8]uint32, nonce *[4]uint32) {
	var x0, x1, x2, x3 uint32 = sigma0, sigma1, sigma2, sigma3
	x4, x5, x6, x7, x8, x9, x10, x11 := key[0], key[1], key[2], key[3], key[4], key[5], key[6], key[7]
	x12, x13, x14, x15 := nonce[0], nonce[1], nonce[2], nonce[3]
	for range 10 {
		x0, x4, x8, x12 = quarterRound(x0, x4, x8, x12)
		x1, x5, x9, x13 = quarterRound(x1, x5, x9, x13)
		x2, x6, x10, x14 = quarterRound(x2, x6, x10, x14)
		x3, x7, x11, x15 = quarterRound(x3, x7, x11, x15)

		x0, x5, x10, x15 = quarterRound(x0, x5, x10, x15)
		x1, x6, x11, x12 = quarterRound(x1, x6, x11, x12)
		x2, x7, x8, x13 = quarterRound(x2, x7, x8, x13)
		x3, x4, x9, x14 = quarterRound(x3, x4, x9, x14)
	}
	// Word by word: a composite literal would leave a copy on the stack.
	out[0], out[1], out[2], out[3] = x0, x1, x2, x3
	out[4], out[5], out[6], out[7] = x12, x13, x14, x15
}
