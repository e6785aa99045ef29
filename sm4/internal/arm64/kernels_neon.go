//go:build arm64 && !purego

package arm64

import (
	"crypto/subtle"
	"encoding/binary"
	"runtime"
)

// The family Neon needs nothing that a CPU may lack. Its kernels process 1, 4 or 8 blocks with
// look-ups, and 32 as planes of bits. Other numbers go through a buffer.

// Planes are round keys in the order of encryption: plane b of a round key is bit b of its
// bytes, each in a lane of 32 bits.
type Planes [32][8][16]byte

// KeysNeon are the round keys of the family Neon, for planes, for look-ups of several blocks, and
// for one block, those in the order of use for both directions.
type KeysNeon struct {
	planes   Planes
	words    Keys
	enc, dec [32]uint32
}

// one are the round keys of a direction for one block.
func (k *KeysNeon) one(step int) *[32]uint32 {
	if step < 0 {
		return &k.dec
	}
	return &k.enc
}

const (
	// pass is the number of bytes of a pass over planes.
	pass = 32 * 16
	// few is the number of bytes that take less time by look-ups.
	few = 12 * 16
	// planeSteps is the number of steps of a direction in Keys for one in Planes.
	planeSteps = 32
)

// ExpandNeon makes round keys of those of the portable driver.
func ExpandNeon(k *KeysNeon, words *[32]uint32) {
	expandNeon(&k.planes, &k.words, words)
	k.enc = *words
	for i, w := range words {
		k.dec[31-i] = w
	}
}

// EncryptBlocksNeon encrypts whole blocks, at least one.
func EncryptBlocksNeon(k *KeysNeon, dst, src []byte) { k.ecb(forward, dst, src) }

// DecryptBlocksNeon decrypts whole blocks, at least one.
func DecryptBlocksNeon(k *KeysNeon, dst, src []byte) { k.ecb(backward, dst, src) }

func (k *KeysNeon) ecb(step int, dst, src []byte) {
	if len(src) == 16 {
		block1Neon(k.one(step), &dst[0], &src[0])
		return
	}
	if n := len(src) / pass; n > 0 {
		blocksPlanes(&k.planes, planeSteps*step, &dst[0], &src[0], n)
		dst, src = dst[n*pass:], src[n*pass:]
	}
	switch len(src) {
	case 0:
	case 4 * 16:
		blocks4Neon(&k.words, step, &dst[0], &src[0])
	case 8 * 16:
		blocks8Neon(&k.words, step, &dst[0], &src[0])
	default:
		var b [pass]byte
		n := copy(b[:], src)
		k.inPlace(step, &b, n/16)
		copy(dst, b[:n])
		clear(b[:])
		runtime.KeepAlive(&b)
	}
}

// inPlace processes the first n blocks of b, and perhaps more.
func (k *KeysNeon) inPlace(step int, b *[pass]byte, n int) {
	switch {
	case n <= 1:
		block1Neon(k.one(step), &b[0], &b[0])
	case n <= 4:
		blocks4Neon(&k.words, step, &b[0], &b[0])
	case n <= 8:
		blocks8Neon(&k.words, step, &b[0], &b[0])
	case n <= few/16:
		blocks8Neon(&k.words, step, &b[0], &b[0])
		blocks4Neon(&k.words, step, &b[8*16], &b[8*16])
	default:
		blocksPlanes(&k.planes, planeSteps*step, &b[0], &b[0], 1)
	}
}

// beginNeon returns the length of what comes before whole passes: 1 to 32 blocks.
func beginNeon(n int) int { return (n-1)&(pass-1) + 1 }

// CBCEncryptNeon encrypts whole blocks, at least one. iv becomes the last ciphertext block.
func CBCEncryptNeon(k *KeysNeon, iv *[16]byte, dst, src []byte) {
	cbcEncryptNeon(&k.enc, iv, &dst[0], &src[0], len(src)/16)
}

// CFBEncryptNeon encrypts whole blocks, at least one, and returns their length. iv becomes the last
// ciphertext block.
func CFBEncryptNeon(k *KeysNeon, iv *[16]byte, dst, src []byte) int {
	cfbEncryptNeon(&k.enc, iv, &dst[0], &src[0], len(src)/16)
	return len(src)
}

// CBCDecryptNeon decrypts whole blocks, at least one. iv becomes the last ciphertext block.
//
// It processes the beginning last: dst may be src, and each block needs the ciphertext
// before it.
func CBCDecryptNeon(k *KeysNeon, iv *[16]byte, dst, src []byte) {
	if len(src) == 4*16 {
		var b [64]byte
		blocks4Neon(&k.words, backward, &b[0], &src[0])
		cbcAdd4(&b, iv, (*[64]byte)(dst), (*[64]byte)(src))
		return
	}
	n := beginNeon(len(src))
	last := [16]byte(src[len(src)-16:])
	if len(src) > n {
		xorPlanes(&k.planes, planeSteps*backward, &dst[n], &src[n], &src[n-16], (len(src)-n)/pass)
	}
	var b [pass]byte
	copy(b[:], src[:n])
	k.inPlace(backward, &b, n/16)
	subtle.XORBytes(b[:], b[:16], iv[:])
	subtle.XORBytes(b[16:], b[16:n], src)
	copy(dst, b[:n])
	*iv = last
	clear(b[:])
	runtime.KeepAlive(&b)
}

// XTSNeon encrypts or decrypts whole blocks, at least one, from the encrypted tweak on.
// tweak becomes that of the block after them. If gb is set, the bits of each byte of a
// tweak are reversed before it is added.
func XTSNeon(k *KeysNeon, tweak *[16]byte, dst, src []byte, gb, decrypt bool) {
	xtsNeon(k, nil, tweak, dst, src, gb, decrypt)
}

// XTSUnitNeon is XTSNeon from the tweak on that the keys first encrypt.
func XTSUnitNeon(k, first *KeysNeon, tweak *[16]byte, dst, src []byte, gb, decrypt bool) {
	xtsNeon(k, first, tweak, dst, src, gb, decrypt)
}

// xtsNeon encrypts the tweak with the keys first, unless they are nil.
func xtsNeon(k, first *KeysNeon, tweak *[16]byte, dst, src []byte, gb, decrypt bool) {
	if first != nil {
		block1Neon(&first.enc, &tweak[0], &tweak[0])
		if gb {
			reverseBits(tweak[:])
		}
	}
	start := *tweak
	if gb {
		addTweaksGBNeon(tweak, &dst[0], &src[0], len(src))
		k.ecb(direction(decrypt), dst, dst)
		addTweaksGBNeon(&start, &dst[0], &dst[0], len(dst))
	} else {
		addTweaksNeon(tweak, &dst[0], &src[0], len(src))
		k.ecb(direction(decrypt), dst, dst)
		addTweaksNeon(&start, &dst[0], &dst[0], len(dst))
	}
	clear(start[:])
	runtime.KeepAlive(&start)
}

// CFBDecryptNeon decrypts the whole blocks at the beginning of src, at least one, and
// returns their length. iv becomes the last of these ciphertext blocks.
func CFBDecryptNeon(k *KeysNeon, iv *[16]byte, dst, src []byte) int {
	whole := len(src) &^ 15
	if whole == 4*16 {
		var b [64]byte
		cfbInput4(&b, iv, (*[64]byte)(src))
		blocks4Neon(&k.words, forward, &b[0], &b[0])
		addInput4(&b, (*[64]byte)(dst), (*[64]byte)(src))
		return whole
	}
	n := beginNeon(whole)
	last := [16]byte(src[whole-16:])
	if whole > n {
		xorPlanes(&k.planes, planeSteps*forward, &dst[n], &src[n-16], &src[n], (whole-n)/pass)
	}
	var b [pass]byte
	copy(b[:], iv[:])
	copy(b[16:], src[:n-16])
	k.inPlace(forward, &b, n/16)
	subtle.XORBytes(dst, src[:n], b[:])
	*iv = last
	clear(b[:])
	runtime.KeepAlive(&b)
	return whole
}

// CTRNeon adds keystream to src, at least one byte, and advances the 128-bit counter, which
// is public. Unused keystream of the last block goes to the same offsets in rest, which may
// be nil if src is whole blocks.
func CTRNeon(k *KeysNeon, counter *[16]byte, dst, src []byte, rest *[16]byte) {
	for len(src) > 0 {
		toCarry := 16 * (1<<32 - int64(binary.BigEndian.Uint32(counter[12:]))) // bytes
		n := int(min(int64(len(src)), toCarry))
		CTR32Neon(k, counter, dst[:n], src[:n], rest)
		if binary.BigEndian.Uint32(counter[12:]) == 0 {
			for i := 11; i >= 0; i-- {
				if counter[i]++; counter[i] != 0 {
					break
				}
			}
		}
		dst, src = dst[n:], src[n:]
	}
}

// CTR32Neon is like CTRNeon with the counter of GCM: only the last 32 bits count. Its time
// does not depend on the counter.
func CTR32Neon(k *KeysNeon, counter *[16]byte, dst, src []byte, rest *[16]byte) {
	count := binary.BigEndian.Uint32(counter[12:])
	if n := len(src) / pass; n > 0 {
		ctrPlanes(&k.planes, counter, &dst[0], &src[0], n)
		count += uint32(n * pass / 16)
		binary.BigEndian.PutUint32(counter[12:], count)
		dst, src = dst[n*pass:], src[n*pass:]
	}
	blocks := (len(src) + 15) / 16
	if blocks > 0 {
		var b [pass]byte
		var n int
		if blocks > few/16 {
			copy(b[:], src)
			ctrPlanes(&k.planes, counter, &b[0], &b[0], 1)
			n = copy(dst, b[:len(src)])
		} else {
			for i := range blocks {
				*(*[12]byte)(b[16*i:]) = [12]byte(counter[:])
				binary.BigEndian.PutUint32(b[16*i+12:], count+uint32(i))
			}
			k.inPlace(forward, &b, blocks)
			n = subtle.XORBytes(dst, src, b[:])
		}
		if n%16 != 0 {
			copy(rest[n%16:], b[n:16*blocks])
		}
		clear(b[:])
		runtime.KeepAlive(&b)
		binary.BigEndian.PutUint32(counter[12:], count+uint32(blocks))
	}
}
