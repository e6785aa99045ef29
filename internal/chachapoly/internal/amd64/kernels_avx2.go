//go:build amd64 && !purego

package amd64

// shortTextAVX2 is the longest text that is processed in one call.
const shortTextAVX2 = 4*128 - 64

// The family AVX2 needs AVX2 and BMI2.

// SealAVX2 writes the encryption of src to dst, followed by the tag (RFC 8439,
// section 2.8); len(dst) == len(src) + 16.
func SealAVX2(dst, src, ad []byte, key *[8]uint32, nonce *[3]uint32) {
	if len(src) <= shortTextAVX2 && len(ad) == 0 { // most messages, without two calls in between
		shortAVX2(key, nonce, &dst[0], at(src, 0), len(src), nil, 0, &dst[len(src)], false)
		return
	}
	seal(avx2, dst, src, ad, key, nonce)
}

// OpenAVX2 is the inverse; len(dst) == len(src) - 16. It reports whether the
// tag is right. If it is not, the caller has to wipe dst.
func OpenAVX2(dst, src, ad []byte, key *[8]uint32, nonce *[3]uint32) bool {
	return open(avx2, dst, src, ad, key, nonce)
}

// XORAVX2 is ChaCha20: dst = src ^ keystream, at least one byte. The counter,
// word 12, wraps around without a carry; state is not changed.
func XORAVX2(dst, src []byte, state *[16]uint32) { xor(avx2, dst, src, state) }

// BlocksAVX2 continues Poly1305 over whole blocks, at least one: for each
// h = (h + block + 2^128) r modulo 2^130-5, where h[2] <= 4 before and after and
// r is clamped.
//
//go:noescape
//ct:secret h r p
func BlocksAVX2(h *[3]uint64, r *[2]uint64, p []byte)

// passAVX2 generates 8 blocks of keystream: see work.pass.
//
//go:noescape
//ct:secret w dst src hash
//ct:public w.first
func passAVX2(w *work, dst, src *byte, n int, hash *byte, blocks int)

// smallAVX2 is passAVX2 for up to 384 bytes, or 320 if it makes the key, and takes less time.
//
//go:noescape
//ct:secret w dst src hash
//ct:public w.first
//ct:cases n=0..64|65..128|129..192|193..256|257..320|321..384
func smallAVX2(w *work, dst, src *byte, n int, hash *byte, blocks int)

// streamAVX2 encrypts 1600 bytes a number of times, at least once, and hashes nothing.
//
//go:noescape
//ct:secret w dst src
//ct:public w.first
func streamAVX2(w *work, dst, src *byte, passes int)

// hashAVX2 continues the hash over blocks in two places, if any. There must be a key.
//
//go:noescape
//ct:secret w hash end
//ct:public w.first
func hashAVX2(w *work, hash *byte, blocks int, end *byte, endBlocks int)

// shortAVX2 seals or opens up to 448 bytes and writes the right tag. The additional
// data has zeros behind it up to a whole block.
//
//go:noescape
//ct:secret key dst src ad tag
//ct:public nonce
//ct:cases n=0..64|65..192|193..320|321..448
func shortAVX2(key *[8]uint32, nonce *[3]uint32, dst, src *byte, n int, ad *byte, adLen int, tag *byte, open bool)
