//go:build amd64 && !purego

package amd64

// shortTextSSSE3 is the longest text that is processed in one call.
const shortTextSSSE3 = 6 * 64

// The family SSSE3 needs only SSSE3.

// SealSSSE3 writes the encryption of src to dst, followed by the tag (RFC 8439,
// section 2.8); len(dst) == len(src) + 16.
func SealSSSE3(dst, src, ad []byte, key *[8]uint32, nonce *[3]uint32) {
	if len(src) <= shortTextSSSE3 && len(ad) == 0 { // most messages, without two calls in between
		shortSSSE3(key, nonce, &dst[0], at(src, 0), len(src), nil, 0, &dst[len(src)], false)
		return
	}
	seal(ssse3, dst, src, ad, key, nonce)
}

// OpenSSSE3 is the inverse; len(dst) == len(src) - 16. It reports whether the
// tag is right. If it is not, the caller has to wipe dst.
func OpenSSSE3(dst, src, ad []byte, key *[8]uint32, nonce *[3]uint32) bool {
	return open(ssse3, dst, src, ad, key, nonce)
}

// XORSSSE3 is ChaCha20: dst = src ^ keystream, at least one byte. The counter,
// word 12, wraps around without a carry; state is not changed.
func XORSSSE3(dst, src []byte, state *[16]uint32) { xor(ssse3, dst, src, state) }

// BlocksSSSE3 continues Poly1305 over whole blocks, at least one: for each
// h = (h + block + 2^128) r modulo 2^130-5, where h[2] <= 4 before and after and
// r is clamped.
//
//go:noescape
//ct:secret h r p
func BlocksSSSE3(h *[3]uint64, r *[2]uint64, p []byte)

// pass1SSSE3 generates 4 blocks of keystream and pass2SSSE3 8: see work.pass.
//
//go:noescape
//ct:secret w dst src hash
//ct:public w.first
func pass1SSSE3(w *work, dst, src *byte, n int, hash *byte, blocks int)

//go:noescape
//ct:secret w dst src hash
//ct:public w.first
func pass2SSSE3(w *work, dst, src *byte, n int, hash *byte, blocks int)

// streamSSSE3 encrypts 832 bytes a number of times, at least once, and hashes nothing.
//
//go:noescape
//ct:secret w dst src
//ct:public w.first
func streamSSSE3(w *work, dst, src *byte, passes int)

// hashSSSE3 continues the hash over blocks, if any. There must be a key.
//
//go:noescape
//ct:secret w p
//ct:public w.first
func hashSSSE3(w *work, p *byte, blocks int)

// shortSSSE3 seals or opens up to 384 bytes and writes the right tag. The additional
// data has zeros behind it up to a whole block.
//
//go:noescape
//ct:secret key dst src ad tag
//ct:public nonce
//ct:cases n=0|1..64|65..128|129..192|193..256|257..320|321..384
func shortSSSE3(key *[8]uint32, nonce *[3]uint32, dst, src *byte, n int, ad *byte, adLen int, tag *byte, open bool)
