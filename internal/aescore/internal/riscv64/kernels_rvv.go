//go:build riscv64 && !purego

package riscv64

import (
	"crypto/subtle"
	"encoding/binary"
	"math/bits"
	"runtime"
	"unsafe"

	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/rvv"
)

// Keys are the round keys in the order of use, in the basis of the tower (see
// _gen/aes/permute) but for the last one, and those of decryption.
type Keys struct {
	Bytes  [15][16]byte
	Rounds int // 10, 12 or 14

	// Half is for CPUs that need less than half the time for vectors of half a register.
	Half bool

	_    [7]byte
	last [16]byte               // the last of Bytes in the basis of the tower
	back [15 + padding][16]byte // the same as Bytes for decryption: FIPS 197, 5.3.5
}

// padding is how many round keys a kernel may read behind the last one: it loads registers of
// up to 128 bytes, and uses the first 16.
const padding = 7

// ExpandRVV sets k to the round keys, given as words: columns with the byte of row 0 as the
// lowest, and with the constant of the S-box added to all but the first round key.
func ExpandRVV(k *Keys, words []uint32, half bool) {
	k.Rounds, k.Half = len(words)/4-1, half
	n := 16 * k.Rounds
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), n+16)
	expandRVV(&k.Bytes[0][0], &bytes[0], n+16)
	k.last = k.Bytes[k.Rounds]
	copy(k.Bytes[k.Rounds][:], bytes[n:])

	for r := range k.Rounds + 1 {
		for c := range 4 {
			w := words[4*(k.Rounds-r)+c]
			if r > 0 && r < k.Rounds {
				w = inverseMixColumn(w)
			}
			binary.LittleEndian.PutUint32(k.back[r][4*c:], w)
		}
	}
	expandBackRVV(&k.back[0][0], &k.back[0][0], n)
}

// inverseMixColumn multiplies a column by the matrix of FIPS 197, 5.3.3.
func inverseMixColumn(w uint32) uint32 {
	w2 := timesX(w)
	w4 := timesX(w2)
	w8 := timesX(w4)
	return w8 ^ w4 ^ w2 ^ bits.RotateLeft32(w8^w2^w, -8) ^ bits.RotateLeft32(w8^w4^w, -16) ^ bits.RotateLeft32(w8^w, -24)
}

// timesX multiplies four elements of the field by x.
func timesX(w uint32) uint32 { return w&0x7f7f7f7f<<1 ^ w>>7&0x01010101*0x1b }

// Wipe overwrites the round keys.
func (k *Keys) Wipe() {
	*k = Keys{}
	runtime.KeepAlive(k)
}

// few is the number of blocks that take less time one by one than in a pass of many.
const few = 6

// EncryptBlocksRVV encrypts whole blocks, at least one.
func EncryptBlocksRVV(k *Keys, dst, src []byte) {
	if len(src) > 16*few {
		encryptBlocksRVV(k, &dst[0], &src[0], len(src)/16)
		return
	}
	var iv [16]byte
	for i := 0; i < len(src); i += 16 {
		iv = [16]byte{}
		cbcEncryptRVV(k, &iv, &dst[i], &src[i], 1)
	}
	iv = [16]byte{} // for many ciphers a block is a key
	runtime.KeepAlive(&iv)
}

// DecryptBlocksRVV decrypts whole blocks, at least one.
func DecryptBlocksRVV(k *Keys, dst, src []byte) {
	n := 16 * k.passes(len(src)/16)
	if n > 0 {
		decryptManyRVV(k, &dst[0], &src[0], n/16)
	}
	if n < len(src) {
		decryptBlocksRVV(k, &dst[n], &src[n], (len(src)-n)/16)
	}
}

// passes returns how many of the first blocks take less time to decrypt in passes of as many
// as a register has bytes. A pass takes as long as twelve registers of blocks.
func (k *Keys) passes(blocks int) int {
	pass := cpu.VectorBytes()
	if k.Half && pass >= 32 {
		pass /= 2
	}
	left := blocks % pass
	if left > 12*pass/16 {
		return blocks
	}
	return blocks - left
}

// CBCEncryptRVV encrypts whole blocks, at least one. iv becomes the last ciphertext block.
func CBCEncryptRVV(k *Keys, iv *[16]byte, dst, src []byte) {
	cbcEncryptRVV(k, iv, &dst[0], &src[0], len(src)/16)
}

// CBCDecryptRVV decrypts whole blocks, at least one. iv becomes the last ciphertext block.
func CBCDecryptRVV(k *Keys, iv *[16]byte, dst, src []byte) {
	var memory rvv.Buffer
	b := memory.Bytes()
	for len(src) > 0 {
		n := min(len(src), len(b))
		DecryptBlocksRVV(k, b[:n], src[:n])
		rvv.XOR(b[:], b[:16], iv[:])
		rvv.XOR(b[16:], b[16:n], src)
		*iv = [16]byte(src[n-16:])
		copy(dst, b[:n])
		dst, src = dst[n:], src[n:]
	}
	memory.Wipe()
}

// XTSRVV encrypts or decrypts whole blocks, at least one, and advances the tweak.
func XTSRVV(k *Keys, tweak *[16]byte, dst, src []byte, decrypt bool) {
	var memory rvv.Buffer
	for len(src) > 0 {
		n := min(len(src), rvv.Part)
		out, t := dst[:n], memory.Bytes()[:n]
		rvv.Tweaks(&memory, tweak, n, false)
		rvv.XOR(out, src[:n], t)
		if decrypt {
			DecryptBlocksRVV(k, out, out)
		} else {
			EncryptBlocksRVV(k, out, out)
		}
		rvv.XOR(out, out, t)
		dst, src = dst[n:], src[n:]
	}
	memory.Wipe()
}

// CTRRVV adds keystream to src, at least one byte, and advances the 128-bit counter.
// Unused keystream of the last block goes to the same offsets in rest.
func CTRRVV(k *Keys, counter *[16]byte, dst, src []byte, rest *[16]byte) {
	for len(src) > 0 {
		n := min(len(src), 16*(1<<32-int(binary.BigEndian.Uint32(counter[12:]))))
		CTR32RVV(k, counter, dst[:n], src[:n], rest)
		if binary.BigEndian.Uint32(counter[12:]) == 0 {
			Carry(counter)
		}
		dst, src = dst[n:], src[n:]
	}
}

// Carry adds 1 to the first 96 bits of a counter.
func Carry(counter *[16]byte) {
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
	if len(src) <= 16*few {
		ctrFew(k, counter, low, dst, src, rest)
		return
	}
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

// ctrFew is CTR32RVV for a few blocks.
func ctrFew(k *Keys, counter *[16]byte, low uint32, dst, src []byte, rest *[16]byte) {
	var b [16 * few]byte
	blocks := (len(src) + 15) / 16
	for i := range blocks {
		*(*[12]byte)(b[16*i:]) = [12]byte(counter[:])
		binary.BigEndian.PutUint32(b[16*i+12:], low+uint32(i))
	}
	EncryptBlocksRVV(k, b[:16*blocks], b[:16*blocks])
	n := subtle.XORBytes(dst, src, b[:])
	if n%16 != 0 {
		copy(rest[n%16:], b[n:16*blocks])
	}
	clear(b[:])
	runtime.KeepAlive(&b)
	binary.BigEndian.PutUint32(counter[12:], low+uint32(blocks))
}
