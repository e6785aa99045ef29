package modes

import (
	"crypto/subtle"
	"encoding/binary"

	"github.com/cipherlane/cipherlane/internal/clone"
)

// A MAC is a message authentication code based on CBC chaining. It implements
// [hash.Hash] and [hash.Cloner]. Compare its results in constant time. It is not
// safe for concurrent use; clones of a MAC are independent of each other, but for the
// key of the cipher.
type MAC struct {
	private
	row     *uint8 // of the cipher, or wipedRow if the MAC was wiped
	own     bool   // whether only this MAC and its clones have the key of the cipher
	pad     byte   // first byte of the padding; zeros follow
	whole   words  // XORed into the last block if it is full
	partial words  // XORed into the last block if it is padded

	last words // the last block so far, held back because it may end the message
	held int   // bytes in last; 0 only for the empty message
	sum  words // zero between calls

	macChain
}

// A macChain is CBC encryption of which only the last block counts.
type macChain struct {
	c       Cipher
	chains  Chains // of c
	chain   words
	scratch [1024]byte // the output of CBC; zero between calls
}

var _ clone.Cloner = (*MAC)(nil)

// NewCMAC returns CMAC (NIST SP 800-38B, RFC 4493).
func NewCMAC(c Cipher) *MAC {
	m := newMAC(c)
	m.pad = 0x80
	cmacSubkeys(c, &m.whole, &m.partial)
	return m
}

// NewXCBC returns AES-XCBC-MAC (RFC 3566) for the key of c, which belongs to the MAC from then on:
// it gets another one.
func NewXCBC(c Rekeyer) *MAC {
	m := newMAC(c)
	m.own, m.pad = true, 0x80
	keys := m.scratch[:3*blockSize] // K1, K2 and K3 of section 4
	for i := range keys {
		keys[i] = byte(i/blockSize + 1)
	}
	c.EncryptBlocks(keys, keys)
	c.Clear()
	c.Rekey(keys[:blockSize])
	copy(m.whole.bytes()[:], keys[blockSize:])
	copy(m.partial.bytes()[:], keys[2*blockSize:])
	clear(keys)
	return m
}

// NewCBCMAC returns plain CBC-MAC: the last ciphertext block of CBC with a zero IV.
// The last block of a message is padded with zeros, and the MAC of the empty message
// is all zeros. CBC-MAC is a building block of other constructions. On its own it is
// secure only if all messages under a key have the same length: an attacker with the
// MACs of messages of different lengths can forge others.
func NewCBCMAC(c Cipher) *MAC { return newMAC(c) }

func newMAC(c Cipher) *MAC {
	return &MAC{row: c.WipeMark(), macChain: macChain{c: c, chains: chainsMAC(c)}}
}

// cmacSubkeys sets the subkeys of CMAC, for last blocks that are full and for those that are padded.
func cmacSubkeys(c Cipher, whole, partial *words) {
	c.EncryptBlocks(whole.bytes()[:], whole.bytes()[:])
	double(whole.bytes())
	*partial = *whole
	double(partial.bytes())
}

var wipedRow uint8 = Wiped

// double multiplies t by x in GF(2^128), in the representation of SP 800-38B and in
// constant time.
func double(t *[blockSize]byte) {
	high, low := doubled(load(t[:]))
	binary.BigEndian.PutUint64(t[:], high)
	binary.BigEndian.PutUint64(t[8:], low)
}

// load returns a block as numbers.
func load(b []byte) (high, low uint64) {
	return binary.BigEndian.Uint64(b), binary.BigEndian.Uint64(b[8:])
}

// doubled is double for a block as numbers.
func doubled(high, low uint64) (uint64, uint64) {
	return high<<1 | low>>63, low<<1 ^ uint64(int64(high)>>63)&0x87
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
func (m *macChain) blocks(p []byte) {
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

// Wipe overwrites the state of the message and the keys that the MAC itself holds. It calls the
// Wipe method of the cipher, if that has one, only after NewXCBC. Afterwards Sum panics.
func (m *MAC) Wipe() {
	if m.own {
		wipe(m.c)
	}
	m.row = &wipedRow
	m.Reset()
	m.whole, m.partial = words{}, words{}
}
