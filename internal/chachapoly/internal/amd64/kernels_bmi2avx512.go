//go:build amd64 && !purego

package amd64

import (
	"runtime"
	"unsafe"
)

// The family BMI2AVX512 is for CPUs on which vector instructions take one cycle. It needs what
// the family AVX512 needs, whose kernels have what is longer than BMI2PacketMax.

// XORBMI2AVX512 adds the keystream of state to src, in vectors even for a single block.
func XORBMI2AVX512(dst, src []byte, state *[16]uint32) {
	s := *state // takes less time than to restore the counter
	xor512(dst, src, &s)
	clear(s[:])
	runtime.KeepAlive(&s)
}

// SealBMI2AVX512 writes the encryption of src to dst, followed by the tag.
func SealBMI2AVX512(dst, src, ad []byte, key *[8]uint32, nonce *[3]uint32) {
	if len(src) > BMI2PacketMax || len(ad) > dataMax {
		SealAVX512(dst, src, ad, key, nonce)
		return
	}
	packet512(dst, src, ad, key, nonce, (*[16]byte)(dst[len(src):]), false)
}

// OpenBMI2AVX512 is the inverse, and reports whether the tag is right.
func OpenBMI2AVX512(dst, src, ad []byte, key *[8]uint32, nonce *[3]uint32) bool {
	if len(dst) > BMI2PacketMax || len(ad) > dataMax {
		return OpenAVX512(dst, src, ad, key, nonce)
	}
	var tag [16]byte
	packet512(dst, src[:len(dst)], ad, key, nonce, &tag, true)
	ok := equalTag(&tag, src[len(dst):])
	clear(tag[:])
	runtime.KeepAlive(&tag)
	return ok
}

// BMI2PacketMax is the length of text up to which this family has kernels.
const BMI2PacketMax = 16384

// BMI2ShortMax is up to how many bytes the kernel with one hash is fastest.
const BMI2ShortMax = 320

// packet512 calls the kernel for a length: from BMI2ShortMax to packetMax bytes that with all blocks
// side by side, beyond that which hashes beside the rounds of the next blocks.
func packet512(dst, src, ad []byte, key *[8]uint32, nonce *[3]uint32, tag *[16]byte, open bool) {
	d, s, a := unsafe.SliceData(dst), unsafe.SliceData(src), unsafe.SliceData(ad)
	switch n := len(src); {
	case n <= BMI2ShortMax:
		packetBMI2AVX512(d, s, n, a, len(ad), key, nonce, tag, open)
	case n <= packetMax:
		wideAVX512(d, s, n, a, len(ad), key, nonce, tag, open)
	default:
		longAVX512(d, s, n, a, len(ad), key, nonce, tag, open)
	}
}

//go:noescape
//ct:secret dst src ad key tag
//ct:public nonce
//ct:cases n=0|1..192|193..320 open=0|1
func packetBMI2AVX512(dst, src *byte, n int, ad *byte, adLen int, key *[8]uint32, nonce *[3]uint32, tag *[16]byte, open bool)

//go:noescape
//ct:secret dst src ad key tag
//ct:public nonce
//ct:cases n=321..512|513..768|769..1024|1025..1280|1281..1536 open=0|1
func wideAVX512(dst, src *byte, n int, ad *byte, adLen int, key *[8]uint32, nonce *[3]uint32, tag *[16]byte, open bool)

//go:noescape
//ct:secret dst src ad key tag
//ct:public nonce
//ct:cases n=1537..16384 open=0|1
func longAVX512(dst, src *byte, n int, ad *byte, adLen int, key *[8]uint32, nonce *[3]uint32, tag *[16]byte, open bool)

// HChaChaBMI2AVX512 derives the key of XChaCha20 from a key and the first 16 bytes of the nonce.
//
//go:noescape
//ct:secret out key
//ct:public nonce
func HChaChaBMI2AVX512(out, key *[8]uint32, nonce *[4]uint32)
