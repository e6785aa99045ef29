package sm4

import (
	"crypto/subtle"
	"encoding/binary"
	"fmt"
	"runtime"

	"github.com/cipherlane/cipherlane/internal/ghash"
	"github.com/cipherlane/cipherlane/internal/modes"
)

// An HCTR is SM4 in the mode HCTR (GB/T 17964-2021, section 11; Wang, Feng and
// Wu, "HCTR: a variable-input-length enciphering mode", 2005), which makes one
// large block of a message: nothing grows, and every bit of the result depends
// on every bit of the message and of the tweak. It is for storage without room
// for a tag, where XTS shows which blocks of a sector have changed. It is safe
// for concurrent use.
//
// HCTR does not authenticate: what somebody has changed decrypts to noise, and
// only the reader can tell. Equal messages under equal tweaks are equal when
// encrypted. The message goes through the hash twice.
type HCTR struct {
	private
	c    *Cipher
	hash ghash.Key
}

// NewHCTR returns HCTR for a key of 32 bytes: that of SM4, and behind it that of
// the hash.
func NewHCTR(key []byte) (*HCTR, error) { return automatic().NewHCTR(key) }

// NewHCTR is the package's [NewHCTR] with this driver.
func (d Driver) NewHCTR(key []byte) (*HCTR, error) {
	if len(key) != KeySize+BlockSize {
		return nil, fmt.Errorf("sm4: invalid HCTR key size %d, want %d", len(key), KeySize+BlockSize)
	}
	c, err := d.New(key[:KeySize])
	if err != nil {
		return nil, err
	}
	c.keys.widen(c.row)
	h := &HCTR{c: c}
	h.hash.Init((*[BlockSize]byte)(key[KeySize:]), ghashRow(c.row))
	return h, nil
}

// Wipe overwrites the round keys and the hash key. Afterwards the object panics.
func (h *HCTR) Wipe() {
	h.c.Wipe()
	h.hash.Wipe()
}

// Encrypt encrypts a message of at least 16 bytes, not necessarily whole blocks,
// with a tweak, such as the number of a sector, that need not be secret. It
// panics if src has fewer bytes, dst is shorter than src, or they overlap other
// than exactly.
func (h *HCTR) Encrypt(dst, src []byte, tweak *[BlockSize]byte) { h.crypt(dst, src, tweak, false) }

// Decrypt undoes [HCTR.Encrypt], with the same conditions.
func (h *HCTR) Decrypt(dst, src []byte, tweak *[BlockSize]byte) { h.crypt(dst, src, tweak, true) }

// crypt does both directions: the first block, to which the hash of the others
// is added, goes through the cipher, and what went in plus what came out starts
// the counters for the others.
func (h *HCTR) crypt(dst, src []byte, tweak *[BlockSize]byte, decrypt bool) {
	h.c.check()
	if len(src) < BlockSize {
		panic("sm4: input shorter than a block")
	}
	checkBuffers(dst, src)
	dst = dst[:len(src)]
	end := *tweak // dst may be where it is
	var in, out [BlockSize]byte
	h.sum(&in, src[BlockSize:], &end)
	subtle.XORBytes(in[:], in[:], src[:BlockSize])
	if decrypt {
		decryptBlocks(h.c.row, &h.c.keys, out[:], in[:])
	} else {
		encryptBlocks(h.c.row, &h.c.keys, out[:], in[:])
	}
	subtle.XORBytes(in[:], in[:], out[:])
	hctrStream(h.c.row, &h.c.keys, &in, dst, src)
	clear(in[:])
	h.sum(&in, dst[BlockSize:], &end)
	subtle.XORBytes(dst, in[:], out[:])
	clear(in[:])
	clear(out[:])
	runtime.KeepAlive(&in)
	runtime.KeepAlive(&out)
}

// hctrGather is up to how many bytes a message is hashed in one piece: each call of
// the hash costs something.
const hctrGather = 15 * BlockSize

// sum continues the hash y over p, the tweak, zeros up to the end of the block,
// and a block with the length of p and tweak in bits.
func (h *HCTR) sum(y *[BlockSize]byte, p []byte, tweak *[BlockSize]byte) {
	var end [hctrGather + 2*BlockSize]byte
	rest := p
	if len(p) > hctrGather {
		whole := len(p) &^ (BlockSize - 1)
		h.hash.Update(y, p[:whole])
		rest = p[whole:]
	}
	n := copy(end[:], rest)
	n = (n + copy(end[n:], tweak[:]) + BlockSize - 1) &^ (BlockSize - 1)
	binary.BigEndian.PutUint64(end[n+BlockSize/2:], uint64(len(p)+BlockSize)*8)
	h.hash.Update(y, end[:n+BlockSize])
	clear(end[:n])
	runtime.KeepAlive(&end)
}

const (
	hctrPass   = modes.CounterBatch   // bytes of keystream that are made at once
	hctrBlocks = hctrPass / BlockSize // how many blocks that is
	hctrShort  = 16 * BlockSize       // bytes, for short messages
)

// hctrStream adds keystream to the blocks behind the first one: the encryptions of
// start + i for i = 1, 2, ..., where + is that of bits. What dst has for the first
// block means nothing afterwards: a kernel takes it for i = 0, because that makes
// the number of a block in a batch the lowest bits of i.
func hctrStream(row uint8, k *keys, start *[BlockSize]byte, dst, src []byte) {
	if len(src) <= hctrShort {
		var stream [hctrShort]byte
		hctrStreamBlocks(row, k, start, 1, dst[BlockSize:], src[BlockSize:], stream[:])
		clear(stream[:])
		runtime.KeepAlive(&stream)
		return
	}
	i := uint64(0)
	if len(src) >= hctrPass && counters(row, k, nil, 0, 0, nil, nil) {
		var starts [maxPass / hctrPass][BlockSize]byte
		for len(src) >= hctrPass {
			part := starts[:min(len(src)/hctrPass, len(starts))]
			for j := range part {
				part[j] = *start
				low := part[j][BlockSize/2:]
				binary.BigEndian.PutUint64(low, binary.BigEndian.Uint64(low)^i)
				i += hctrBlocks
			}
			n := len(part) * hctrPass
			counters(row, k, part, 0, BlockSize-1, dst[:n], src[:n])
			dst, src = dst[n:], src[n:]
		}
		clear(starts[:])
		runtime.KeepAlive(&starts)
	} else {
		dst, src, i = dst[BlockSize:], src[BlockSize:], 1
	}
	if len(src) > 0 {
		var stream [hctrPass]byte
		hctrStreamBlocks(row, k, start, i, dst, src, stream[:])
		clear(stream[:])
		runtime.KeepAlive(&stream)
	}
}

// hctrStreamBlocks adds the keystream from i on to src, in passes of stream, where it
// leaves some.
func hctrStreamBlocks(row uint8, k *keys, start *[BlockSize]byte, i uint64, dst, src, stream []byte) {
	high, low := binary.BigEndian.Uint64(start[:]), binary.BigEndian.Uint64(start[8:])
	for len(src) > 0 {
		n := min(len(src), len(stream))
		blocks := stream[:(n+BlockSize-1)&^(BlockSize-1)]
		for p := blocks; len(p) >= BlockSize; p = p[BlockSize:] {
			binary.BigEndian.PutUint64(p, high)
			binary.BigEndian.PutUint64(p[8:], low^i)
			i++
		}
		encryptBlocks(row, k, blocks, blocks)
		subtle.XORBytes(dst, src[:n], blocks)
		dst, src = dst[n:], src[n:]
	}
}
