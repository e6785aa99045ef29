//go:build amd64 && !purego

package amd64

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// The family AESNI needs SSSE3, AES-NI and PCLMULQDQ. It uses no AVX, which Westmere
// and Gemini Lake lack.

// EncryptBlocksAESNI encrypts whole blocks, at least one.
//
//go:noescape
//ct:secret k dst src
//ct:public k.Rounds
//prove:ecb.encrypt keys=aes rounds=10,12,14 n=208
//prove:ecb.encrypt keys=aes rounds=10 n=64,304
func EncryptBlocksAESNI(k *Keys, dst, src []byte)

// DecryptBlocksAESNI decrypts whole blocks, at least one.
//
//go:noescape
//ct:secret k dst src
//ct:public k.Rounds
//prove:ecb.decrypt keys=aes rounds=10,12,14 n=208
//prove:ecb.decrypt keys=aes rounds=10 n=64,304
func DecryptBlocksAESNI(k *Keys, dst, src []byte)

// CBCDecryptAESNI decrypts whole blocks, at least one; iv becomes the last
// ciphertext block.
//
//go:noescape
//ct:secret k iv dst src
//ct:public k.Rounds
//prove:cbc.decrypt keys=aes rounds=10,12,14 n=208
//prove:cbc.decrypt keys=aes rounds=10 n=64,304
func CBCDecryptAESNI(k *Keys, iv *[16]byte, dst, src []byte)

// CTRAESNI adds keystream to src, at least one byte, and advances the 128-bit
// counter. Unused keystream of the last block goes to the same offsets in rest.
func CTRAESNI(k *Keys, counter *[16]byte, dst, src []byte, rest *[16]byte) {
	hi, lo := binary.BigEndian.Uint64(counter[:]), binary.BigEndian.Uint64(counter[8:])
	next, carry := bits.Add64(lo, uint64(len(src)+15)/16, 0)
	binary.BigEndian.PutUint64(counter[:], hi+carry)
	binary.BigEndian.PutUint64(counter[8:], next)
	if carry != 0 && next != 0 { // next blocks have the higher hi
		n := int(-lo * 16)
		ctrAESNI(k, hi, lo, &dst[0], &src[0], n, rest)
		dst, src = dst[n:], src[n:]
		hi, lo = hi+1, 0
	}
	ctrAESNI(k, hi, lo, &dst[0], &src[0], len(src), rest)
}

//go:noescape
//ct:secret k hi lo dst src rest
//ct:public k.Rounds
//prove:ctr keys=aes rounds=10,12,14 counter=hi:lo carry=0 n=211
//prove:ctr keys=aes rounds=10 counter=hi:lo carry=0 n=64,132,312,318
func ctrAESNI(k *Keys, hi, lo uint64, dst, src *byte, n int, rest *[16]byte)

// A CCMPart is that of package aescore.
type CCMPart struct {
	MAC, Mask               [16]byte
	FirstLow, FirstHigh     uint64
	CounterLow, CounterHigh uint64
	Head                    *byte
	HeadSize                int
	Dst, Src                *byte
	Size                    int
}

// CCMTextAESNI is CCM of a part of a message.
func CCMTextAESNI(k *Keys, m *CCMPart, decrypt bool) {
	if decrypt {
		ccmOpenAESNI(k, m)
	} else {
		ccmSealAESNI(k, m)
	}
}

//go:noescape
//ct:secret k m
//ct:public k.Rounds m.HeadSize m.Size
//prove:ccm.seal keys=aes rounds=10,12,14 head=32 n=48,21
//prove:ccm.seal keys=aes rounds=10 head=0 n=0,1,4,16,31
func ccmSealAESNI(k *Keys, m *CCMPart)

//go:noescape
//ct:secret k m
//ct:public k.Rounds m.HeadSize m.Size
//prove:ccm.open keys=aes rounds=10,12,14 head=32 n=48,21
//prove:ccm.open keys=aes rounds=10 head=0 n=0,1,4,16,31
func ccmOpenAESNI(k *Keys, m *CCMPart)

// XTSEncryptAESNI encrypts whole blocks, at least one, from the encrypted tweak
// on. tweak becomes that of the block after them.
//
//go:noescape
//ct:secret k tweak dst src
//ct:public k.Rounds
//prove:xts.encrypt keys=aes rounds=10,12,14 stack=0 n=208
//prove:xts.encrypt keys=aes rounds=10 stack=8,16,24 n=64,304
func XTSEncryptAESNI(k *Keys, tweak *[16]byte, dst, src []byte)

// XTSDecryptAESNI is the inverse of XTSEncryptAESNI.
//
//go:noescape
//ct:secret k tweak dst src
//ct:public k.Rounds
//prove:xts.decrypt keys=aes rounds=10,12,14 stack=0 n=208
//prove:xts.decrypt keys=aes rounds=10 stack=8,16,24 n=64,304
func XTSDecryptAESNI(k *Keys, tweak *[16]byte, dst, src []byte)

// SealAESNI encrypts src and sets m.Y to the tag. The last entries of h are H^8 to
// H^1, and the eight entries before are the sums of their halves.
func SealAESNI(k *Keys, h *Powers, m *Message, dst, src []byte) {
	gcmAESNI(k, h, m, dst, src, false)
}

// OpenAESNI is like SealAESNI, with the ciphertext in src.
func OpenAESNI(k *Keys, h *Powers, m *Message, dst, src []byte) {
	gcmAESNI(k, h, m, dst, src, true)
}

func gcmAESNI(k *Keys, h *Powers, m *Message, dst, src []byte, open bool) {
	next := 1 // the number of the next counter, from J0 on
	for len(src) >= 8*16 {
		n := min(len(src)&^(8*16-1), 64<<10)
		if open {
			openAESNI(k, h, m, &dst[0], &src[0], n, next)
		} else {
			sealAESNI(k, h, m, &dst[0], &src[0], n, next)
		}
		dst, src, next = dst[n:], src[n:], next+n/16
	}
	if open {
		openTailAESNI(k, h, m, unsafe.SliceData(dst), unsafe.SliceData(src), len(src), next)
	} else {
		sealTailAESNI(k, h, m, unsafe.SliceData(dst), unsafe.SliceData(src), len(src), next)
	}
}

//go:noescape
//ct:secret k h m dst src
//ct:public k.Rounds m.Lens m.Pending
//prove:gcm.seal keys=aes rounds=10,12,14 powers=8 sums=1 batches=8 more=1 next=1 n=256
//prove:gcm.seal keys=aes rounds=10 powers=8 sums=1 batches=8 more=1 next=9 n=128,384
func sealAESNI(k *Keys, h *[64][16]byte, m *Message, dst, src *byte, n, next int)

//go:noescape
//ct:secret k h m dst src
//ct:public k.Rounds m.Lens m.Pending
//prove:gcm.seal keys=aes rounds=10,12,14 powers=8 sums=1 batches=8 more=0 next=3 n=96,79
//prove:gcm.seal keys=aes rounds=10 powers=8 sums=1 batches=8 more=0 next=1 n=0,1,3,7,20,24,112,124
func sealTailAESNI(k *Keys, h *[64][16]byte, m *Message, dst, src *byte, n, next int)

//go:noescape
//ct:secret k h m dst src
//ct:public k.Rounds m.Lens m.Pending
//prove:gcm.open keys=aes rounds=10,12,14 powers=8 sums=1 batches=8 more=1 next=1 n=256
//prove:gcm.open keys=aes rounds=10 powers=8 sums=1 batches=8 more=1 next=9 n=128,384
func openAESNI(k *Keys, h *[64][16]byte, m *Message, dst, src *byte, n, next int)

//go:noescape
//ct:secret k h m dst src
//ct:public k.Rounds m.Lens m.Pending
//prove:gcm.open keys=aes rounds=10,12,14 powers=8 sums=1 batches=8 more=0 next=3 n=96,79
//prove:gcm.open keys=aes rounds=10 powers=8 sums=1 batches=8 more=0 next=1 n=0,1,3,7,20,24,112,124
func openTailAESNI(k *Keys, h *[64][16]byte, m *Message, dst, src *byte, n, next int)

// A Packet is that of package ghash, but for its first field.
type Packet struct {
	Dst, Src, Nonce, Data *byte
	Size, DataSize        int
	TagBits               uint16
}

// SealPacketAESNI is GCM for a packet with a tag of 16 bytes, which goes behind the text at Dst. The last entries of
// h are H^6 to H^1.
//
//go:noescape
//ct:secret k h m
//ct:public k.Rounds m.Size m.DataSize
//prove:gcm.packet.seal keys=aes rounds=10,12,14 powers=6 tag=16 data=13 n=0,5,20,48,250
//prove:gcm.packet.seal keys=aes rounds=10 powers=6 tag=16 data=0 n=16,1,3,64,100
//prove:gcm.packet.seal keys=aes rounds=10 powers=6 tag=16 data=3,6,16,40,80,250 n=9
func SealPacketAESNI(k *Keys, h *Powers, m *Packet)

// OpenPacketAESNI is the inverse of SealPacketAESNI, with the tag behind the text at Src. If it is wrong, the caller
// has to wipe the text at Dst.
//
//go:noescape
//ct:secret k h m ok
//ct:public k.Rounds m.Size m.DataSize
//prove:gcm.packet.open keys=aes rounds=10,12,14 powers=6 wiped=0 tag=16 data=13 n=0,5,20,48,250
//prove:gcm.packet.open keys=aes rounds=10 powers=6 wiped=0 tag=16 data=0 n=16,1,3,64,100
//prove:gcm.packet.open keys=aes rounds=10 powers=6 wiped=0 tag=16 data=3,6,16,40,80,250 n=9
func OpenPacketAESNI(k *Keys, h *Powers, m *Packet) (ok bool)
