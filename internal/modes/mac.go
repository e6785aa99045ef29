package modes

import (
	"crypto/subtle"
	"encoding/binary"
	"hash"
)

// A MAC is a message authentication code that chains blocks as CBC does: a
// [hash.Hash] and [hash.Cloner] with a key. Compare its results in constant
// time. It is not safe for concurrent use; clones of one MAC are independent of
// each other.
type MAC struct {
	private
	c       Cipher
	whole   [blockSize]byte // added to the last block if that is full,
	partial [blockSize]byte // and if it had to be padded
	pad     byte            // what padding begins with; zeros follow
	wiped   bool

	chain [blockSize]byte
	last  [blockSize]byte // the last block so far: no other may end the message
	held  int             // bytes in it; 0 for the empty message only

	scratch [1024]byte // takes what CBC writes; zero between calls
}

var _ hash.Cloner = (*MAC)(nil)

// NewCMAC returns CMAC (NIST SP 800-38B, RFC 4493).
func NewCMAC(c Cipher) *MAC {
	m := &MAC{c: c, pad: 0x80}
	c.EncryptBlocks(m.whole[:], m.whole[:])
	double(&m.whole)
	m.partial = m.whole
	double(&m.partial)
	return m
}

// NewXCBC returns AES-XCBC-MAC (RFC 3566) from its three keys: the cipher has
// the first, k2 is for messages of whole blocks and k3 for others.
func NewXCBC(k1 Cipher, k2, k3 *[16]byte) *MAC {
	return &MAC{c: k1, whole: *k2, partial: *k3, pad: 0x80}
}

// NewCBCMAC returns the plain CBC-MAC: the last block of CBC with an IV of
// zeros. The last block of a message is padded with zeros, and the empty message
// has a MAC of zeros. It is a part of other constructions. By itself it is safe
// only if all messages under a key have the same length; whoever sees the MACs
// of messages of several lengths can forge others.
func NewCBCMAC(c Cipher) *MAC { return &MAC{c: c} }

// double multiplies by x in GF(2^128), as SP 800-38B writes its elements, in
// time that does not depend on them.
func double(t *[blockSize]byte) {
	high, low := binary.BigEndian.Uint64(t[:]), binary.BigEndian.Uint64(t[8:])
	binary.BigEndian.PutUint64(t[:], high<<1|low>>63)
	binary.BigEndian.PutUint64(t[8:], low<<1^uint64(int64(high)>>63)&0x87)
}

// CMACLast makes what CMAC encrypts last of the last n bytes of a message, which
// block begins with: 1 to 16, or none if the message is empty. The encryption
// of zeros is l.
func CMACLast(block, l *[blockSize]byte, n int) {
	subkey := *l
	double(&subkey)
	if n < blockSize {
		double(&subkey)
		clear(block[n:])
		block[n] = 0x80
	}
	subtle.XORBytes(block[:], block[:], subkey[:])
	clear(subkey[:])
}

// Size returns 16.
func (m *MAC) Size() int { return blockSize }

// BlockSize returns 16.
func (m *MAC) BlockSize() int { return blockSize }

// Reset begins a new message.
func (m *MAC) Reset() {
	clear(m.chain[:])
	clear(m.last[:])
	m.held = 0
}

// Write adds p to the message. It never fails.
func (m *MAC) Write(p []byte) (int, error) {
	m.check()
	written := len(p)
	n := copy(m.last[m.held:], p)
	m.held += n
	p = p[n:]
	if len(p) == 0 {
		return written, nil
	}
	m.blocks(m.last[:])
	n = (len(p) - 1) &^ (blockSize - 1)
	m.blocks(p[:n])
	m.held = copy(m.last[:], p[n:])
	return written, nil
}

// blocks chains whole blocks.
func (m *MAC) blocks(p []byte) {
	size := min(len(p), len(m.scratch))
	for len(p) > 0 {
		n := min(len(p), size)
		m.c.CBCEncrypt(&m.chain, m.scratch[:n], p[:n])
		p = p[n:]
	}
	clear(m.scratch[:size])
}

// Sum appends the MAC of the message so far to dst.
func (m *MAC) Sum(dst []byte) []byte {
	m.check()
	sum := m.scratch[:blockSize]
	copy(sum, m.last[:m.held])
	key := &m.whole
	if m.held < blockSize {
		sum[m.held] = m.pad
		key = &m.partial
	}
	subtle.XORBytes(sum, sum, key[:])
	subtle.XORBytes(sum, sum, m.chain[:])
	if m.held > 0 || m.pad != 0 {
		m.c.EncryptBlocks(sum, sum)
	} else {
		check(m.c)
	}
	dst = append(dst, sum...)
	clear(sum)
	return dst
}

// Clone returns a MAC that goes on from the same state.
func (m *MAC) Clone() (hash.Cloner, error) {
	c := *m
	return &c, nil
}

// Wipe overwrites the message's traces and the keys that the MAC itself holds,
// not those of the cipher. Afterwards the MAC panics.
func (m *MAC) Wipe() {
	m.wiped = true
	m.Reset()
	clear(m.whole[:])
	clear(m.partial[:])
}

// check panics if the MAC was wiped. The cipher checks its own key.
func (m *MAC) check() {
	if m.wiped {
		panic(errWiped(m.c).Error())
	}
}
