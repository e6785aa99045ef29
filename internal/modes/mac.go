package modes

import (
	"crypto/subtle"
	"encoding/binary"

	"github.com/cipherlane/cipherlane/internal/clone"
)

// A MAC is a message authentication code based on CBC chaining. It implements
// [hash.Hash] and [hash.Cloner]. Compare its results in constant time. It is not
// safe for concurrent use; clones of a MAC are independent of each other.
type MAC struct {
	private
	c       Cipher
	chains  Chains // of c
	row     *uint8 // of c, or wipedRow if the MAC was wiped
	whole   words  // XORed into the last block if it is full
	partial words  // XORed into the last block if it is padded
	pad     byte   // first byte of the padding; zeros follow
	owner   bool   // of c, which nobody else can wipe

	chain words
	last  words // the last block so far, held back because it may end the message
	held  int   // bytes in last; 0 only for the empty message

	sum     words      // zero between calls
	scratch [1024]byte // the output of CBC; zero between calls
}

var _ clone.Cloner = (*MAC)(nil)

// NewCMAC returns CMAC (NIST SP 800-38B, RFC 4493).
func NewCMAC(c Cipher) *MAC {
	m := &MAC{c: c, chains: chainsOf(c), row: c.Row(), pad: 0x80}
	c.EncryptBlocks(m.whole.bytes()[:], m.whole.bytes()[:])
	double(m.whole.bytes())
	m.partial = m.whole
	double(m.partial.bytes())
	return m
}

// NewXCBC returns AES-XCBC-MAC (RFC 3566) for its three keys: k1 is a cipher with
// the first, k2 is for messages of whole blocks and k3 for all others.
func NewXCBC(k1 Cipher, k2, k3 *[16]byte) *MAC {
	m := &MAC{c: k1, chains: chainsOf(k1), row: k1.Row(), pad: 0x80, owner: true}
	*m.whole.bytes() = *k2
	*m.partial.bytes() = *k3
	return m
}

// NewCBCMAC returns plain CBC-MAC: the last ciphertext block of CBC with a zero IV.
// The last block of a message is padded with zeros, and the MAC of the empty message
// is all zeros. CBC-MAC is a building block of other constructions. On its own it is
// secure only if all messages under a key have the same length: an attacker with the
// MACs of messages of different lengths can forge others.
func NewCBCMAC(c Cipher) *MAC { return &MAC{c: c, chains: chainsOf(c), row: c.Row()} }

var wipedRow uint8 = Wiped

// double multiplies t by x in GF(2^128), in the representation of SP 800-38B and in
// constant time.
func double(t *[blockSize]byte) {
	high, low := binary.BigEndian.Uint64(t[:]), binary.BigEndian.Uint64(t[8:])
	binary.BigEndian.PutUint64(t[:], high<<1|low>>63)
	binary.BigEndian.PutUint64(t[8:], low<<1^uint64(int64(high)>>63)&0x87)
}

// CMACLast replaces block with the input of CMAC's last encryption. block begins with
// the last n bytes of the message: 1 to 16, or 0 if the message is empty. l is the
// encryption of the zero block.
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
	m.chain, m.last = words{}, words{}
	m.held = 0
}

// Write adds p to the message. It never fails.
func (m *MAC) Write(p []byte) (int, error) {
	written := len(p)
	last := m.last.bytes()
	if m.held > 0 && m.held < blockSize {
		n := copy(last[m.held:], p)
		m.held += n
		p = p[n:]
	}
	if len(p) == 0 {
		return written, nil
	}
	if m.held > 0 {
		m.blocks(last[:])
	}
	n := (len(p) - 1) &^ (blockSize - 1)
	m.blocks(p[:n])
	m.held = copy(last[:], p[n:])
	return written, nil
}

// blocks continues the chain over whole blocks.
func (m *MAC) blocks(p []byte) {
	chain := m.chain.bytes()
	if m.chains != nil {
		for len(p) > 0 {
			n := m.chains.CBCMAC(chain, p)
			if p = p[n:]; n == 0 {
				break
			}
		}
	}
	if len(p) == 0 {
		return
	}
	size := min(len(p), len(m.scratch))
	for len(p) > 0 {
		n := min(len(p), size)
		m.c.CBCEncrypt(chain, m.scratch[:n], p[:n])
		p = p[n:]
	}
	clear(m.scratch[:size])
}

// Sum appends the MAC of the message so far to dst.
func (m *MAC) Sum(dst []byte) []byte {
	check(m.c, m.row)
	sum := m.sum.bytes()
	key := &m.whole
	if m.held < blockSize {
		key = &m.partial
		copy(sum[:], m.last.bytes()[:m.held])
		sum[m.held] = m.pad
	} else {
		m.sum = m.last
	}
	m.sum.add(key)
	m.sum.add(&m.chain)
	if m.held > 0 || m.pad != 0 {
		m.c.EncryptBlocks(sum[:], sum[:])
	}
	dst = append(dst, sum[:]...)
	m.sum = words{}
	return dst
}

// Clone returns a copy of m with the same state.
func (m *MAC) Clone() (clone.Cloner, error) {
	c := *m
	return &c, nil
}

// Wipe overwrites the state of the message and the keys that the MAC itself holds,
// and those of the cipher of XCBC, which its clones have, too. Afterwards Sum panics.
func (m *MAC) Wipe() {
	if m.owner {
		wipe(m.c)
	}
	m.row = &wipedRow
	m.Reset()
	m.whole, m.partial = words{}, words{}
}
