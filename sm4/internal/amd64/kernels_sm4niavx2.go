//go:build amd64 && !purego

package amd64

import "crypto/subtle"

// The family SM4NIAVX2 needs AVX2, the SM4 instructions and VPCLMULQDQ (VEX).

// ExpandSM4NIAVX2 computes the round keys.
func ExpandSM4NIAVX2(k *Keys, key *[16]byte) { expandSM4NIAVX2(k, key) }

// EncryptBlocksSM4NIAVX2 encrypts whole blocks, at least one.
func EncryptBlocksSM4NIAVX2(k *Keys, dst, src []byte) {
	blocksSM4NIAVX2(k, forward, &dst[0], &src[0], len(src)/16)
}

// DecryptBlocksSM4NIAVX2 decrypts whole blocks, at least one.
func DecryptBlocksSM4NIAVX2(k *Keys, dst, src []byte) {
	blocksSM4NIAVX2(k, backward, &dst[0], &src[0], len(src)/16)
}

// CBCEncryptSM4NIAVX2 encrypts whole blocks, at least one; iv becomes the last
// ciphertext block.
func CBCEncryptSM4NIAVX2(k *Keys, iv *[16]byte, dst, src []byte) {
	cbcEncryptSM4NIAVX2(k, iv, &dst[0], &src[0], len(src)/16)
}

// CBCDecryptSM4NIAVX2 decrypts whole blocks, at least one; iv becomes the last
// ciphertext block.
func CBCDecryptSM4NIAVX2(k *Keys, iv *[16]byte, dst, src []byte) {
	cbcDecryptSM4NIAVX2(k, iv, &dst[0], &src[0], len(src)/16)
}

// CTRSM4NIAVX2 adds keystream to src, at least one byte, and advances the
// 128-bit counter. Unused keystream of the last block goes to the same offsets in
// rest.
func CTRSM4NIAVX2(k *Keys, counter *[16]byte, dst, src []byte, rest *[16]byte) {
	sm4niAVX2.ctr(k, counter, dst, src, rest)
}

// SealSM4NIAVX2 encrypts src and sets m.Y to the tag. The last entries of h are H^16
// to H^1.
func SealSM4NIAVX2(k *Keys, h *[64][16]byte, m *Message, dst, src []byte) {
	gcmSM4NIAVX2(k, h, m, dst, src, false)
}

// OpenSM4NIAVX2 is like SealSM4NIAVX2, with the ciphertext in src.
func OpenSM4NIAVX2(k *Keys, h *[64][16]byte, m *Message, dst, src []byte) {
	gcmSM4NIAVX2(k, h, m, dst, src, true)
}

// gcmSM4NIAVX2 replaces the method gcm for kernels that accept any number of blocks:
// only an incomplete last block of a long text goes through a buffer. Its keystream
// and that of the tag together take no longer than one of them.
func gcmSM4NIAVX2(k *Keys, h *[64][16]byte, m *Message, dst, src []byte, open bool) {
	if len(src) <= 7*16 {
		sm4niAVX2.gcm(k, h, m, dst, src, open)
		return
	}
	n := len(src) &^ 15
	ctr := m.J0
	count32(&ctr, 1+n/16)
	var buf [32]byte
	copy(buf[:], m.J0[:])
	copy(buf[16:], ctr[:])
	blocksSM4NIAVX2(k, forward, &buf[0], &buf[0], 2)

	ctr = m.J0
	count32(&ctr, 1)
	sm4niAVX2.gcmWide(k, h, &ctr, &m.Y, dst[:n], src[:n], open)
	var end [32]byte // of the ciphertext, and lens
	padded := 0
	if dst, src := dst[n:], src[n:]; len(src) > 0 {
		padded = 16
		if open {
			copy(end[:], src)
		}
		subtle.XORBytes(dst, src, buf[16:])
		if !open {
			copy(end[:], dst)
		}
	}
	copy(end[padded:], m.Lens[:])
	sm4niAVX2.hash(h, &m.Y, end[:padded+16])
	subtle.XORBytes(m.Y[:], m.Y[:], buf[:16])
	clear(buf[:])
	clear(end[:])
}

// CBCEncryptSM4NIAVX2 encrypts n blocks, at least one, of each of the first eight
// lanes. Src and Dst do not change. If store is not set, the lanes need no Dst: only
// the last ciphertext blocks, in Chain, are stored.
func (l *Lanes) CBCEncryptSM4NIAVX2(n int, store bool) { cbcLanesSM4NIAVX2(l, 16*n, store) }

// The kernels accept any number of blocks, at least one.

//go:noescape
//ct:secret k key
//prove:sm4.expand
func expandSM4NIAVX2(k *Keys, key *[16]byte)

//go:noescape
//ct:secret k dst src
//prove:ecb.encrypt keys=sm4-keys step=1,-1 blocks=1,2,3,5,7,9,11,13,15,64
func blocksSM4NIAVX2(k *Keys, step int, dst, src *byte, blocks int)

//go:noescape
//ct:secret k iv dst src
//prove:cbc.encrypt keys=sm4-keys blocks=1,2
func cbcEncryptSM4NIAVX2(k *Keys, iv *[16]byte, dst, src *byte, blocks int)

//go:noescape
//ct:secret k dst
//ct:public iv src
//prove:cbc.decrypt keys=sm4-keys blocks=1,2,3,5,7,9,11,13,15,64
func cbcDecryptSM4NIAVX2(k *Keys, iv *[16]byte, dst, src *byte, blocks int)

//go:noescape
//ct:secret k ctr dst src
//prove:ctr keys=sm4-keys counter=ctr inc=32 blocks=1,2,3,5,7,9,11,13,15
//prove:ctr keys=sm4-keys counter=ctr inc=32 pass=16 blocks=48
func ctrSM4NIAVX2(k *Keys, ctr *[16]byte, dst, src *byte, blocks int)

//go:noescape
//ct:secret l
//prove:cbc.lanes lanes=8 at=8 store=0,1 blocks=2
func cbcLanesSM4NIAVX2(l *Lanes, n int, store bool)
