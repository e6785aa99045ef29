//go:build amd64 && !purego

package amd64

import (
	"runtime"
	"unsafe"
)

// The family BMI2AVX512 is for CPUs on which vector instructions take one cycle. It needs what
// the family AVX512 needs, whose kernels have the longer messages.

// SealBMI2AVX512 writes the encryption of src to dst, followed by the tag.
func SealBMI2AVX512(dst, src, ad []byte, key *[8]uint32, nonce *[3]uint32) {
	if len(src) <= BMI2PacketMax && len(ad) <= dataMax {
		packetBMI2AVX512(unsafe.SliceData(dst), unsafe.SliceData(src), len(src), unsafe.SliceData(ad), len(ad),
			key, nonce, (*[16]byte)(dst[len(src):]), false)
		return
	}
	SealAVX512(dst, src, ad, key, nonce)
}

// OpenBMI2AVX512 is the inverse, and reports whether the tag is right.
func OpenBMI2AVX512(dst, src, ad []byte, key *[8]uint32, nonce *[3]uint32) bool {
	if len(dst) > BMI2PacketMax || len(ad) > dataMax {
		return OpenAVX512(dst, src, ad, key, nonce)
	}
	var tag [16]byte
	packetBMI2AVX512(unsafe.SliceData(dst), unsafe.SliceData(src), len(dst), unsafe.SliceData(ad), len(ad),
		key, nonce, &tag, true)
	ok := equalTag(&tag, src[len(dst):])
	clear(tag[:])
	runtime.KeepAlive(&tag)
	return ok
}

// BMI2PacketMax is the length of text up to which this family has a kernel: the others of AVX512 are
// faster from there on.
const BMI2PacketMax = 384

//go:noescape
//ct:secret dst src ad key tag
//ct:public nonce
//ct:cases n=0|1..192|193..384 open=0|1
func packetBMI2AVX512(dst, src *byte, n int, ad *byte, adLen int, key *[8]uint32, nonce *[3]uint32, tag *[16]byte, open bool)

// HChaChaBMI2AVX512 derives the key of XChaCha20 from a key and the first 16 bytes of the nonce.
//
//go:noescape
//ct:secret out key
//ct:public nonce
func HChaChaBMI2AVX512(out, key *[8]uint32, nonce *[4]uint32)
