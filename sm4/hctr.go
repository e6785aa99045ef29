package sm4

import (
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"runtime"
	"strconv"

	"github.com/cipherlane/cipherlane/internal/ghash"
	"github.com/cipherlane/cipherlane/internal/modes"
)

// An HCTR is SM4 in the mode HCTR (GB/T 17964-2021, section 11; Wang, Feng and
// Wu, "HCTR: a variable-input-length enciphering mode", 2005), which encrypts a
// message like one large block. The ciphertext is as long as the message, and every
// bit of it depends on every bit of the message and the tweak. HCTR is for storage
// without room for a tag; unlike XTS, it does not reveal which blocks of a sector
// have changed. It is safe for concurrent use.
//
// HCTR does not authenticate: a modified ciphertext decrypts to noise, without an
// error. Equal messages with equal tweaks have equal ciphertexts. The message is
// hashed twice.
type HCTR struct {
	private
	c    *Cipher
	hash ghash.Key
}

// NewHCTR returns HCTR for a key of 32 bytes: the SM4 key followed by the hash key.
func NewHCTR(key []byte) (*HCTR, error) { return automatic().NewHCTR(key) }

// NewHCTR is like the package's [NewHCTR], with this driver.
func (d Driver) NewHCTR(key []byte) (*HCTR, error) {
	if len(key) != KeySize+BlockSize {
		return nil, errors.New("sm4: invalid HCTR key size " + strconv.Itoa(len(key)) + ", want " + strconv.Itoa(KeySize+BlockSize))
	}
	c, err := d.New(key[:KeySize])
	if err != nil {
		return nil, err
	}
	c.widen()
	h := &HCTR{c: c}
	h.hash.Init((*[BlockSize]byte)(key[KeySize:]), traitOf(c.plan.Bulk()).ghash)
	return h, nil
}

// Wipe overwrites the round keys and the hash key. Afterwards other methods panic.
func (h *HCTR) Wipe() {
	h.c.Wipe()
	h.hash.Wipe()
}

// Encrypt encrypts a message of at least 16 bytes, not necessarily whole blocks.
// The tweak, such as a sector number, need not be secret. It panics if src is
// shorter than 16 bytes, dst is shorter than src, or they overlap other than
// exactly.
func (h *HCTR) Encrypt(dst, src []byte, tweak *[BlockSize]byte) { h.crypt(dst, src, tweak, false) }

// Decrypt reverses [HCTR.Encrypt], under the same conditions.
func (h *HCTR) Decrypt(dst, src []byte, tweak *[BlockSize]byte) { h.crypt(dst, src, tweak, true) }

// crypt encrypts or decrypts. The hash of the other blocks is added to the first
// block, which then goes through the cipher. The sum of the cipher's input and
// output starts the counters for the other blocks.
func (h *HCTR) crypt(dst, src []byte, tweak *[BlockSize]byte, decrypt bool) {
	h.c.check()
	if len(src) < BlockSize {
		panic("sm4: input shorter than a block")
	}
	checkBuffers(dst, src)
	dst = dst[:len(src)]
	end := *tweak // dst may overlap it
	var in, out [BlockSize]byte
	h.sum(&in, src[BlockSize:], &end)
	subtle.XORBytes(in[:], in[:], src[:BlockSize])
	if decrypt {
		decryptBlock(h.c.plan.Short(), &h.c.keys, out[:], in[:])
	} else {
		encryptBlock(h.c.plan.Short(), &h.c.keys, out[:], in[:])
	}
	subtle.XORBytes(in[:], in[:], out[:])
	hctrStream(h.c.plan.Pick(len(src)), &h.c.keys, &in, dst, src)
	clear(in[:])
	h.sum(&in, dst[BlockSize:], &end)
	subtle.XORBytes(dst, in[:], out[:])
	clear(in[:])
	clear(out[:])
	runtime.KeepAlive(&in)
	runtime.KeepAlive(&out)
}

// hctrGather is the maximum length of a message that is copied, to be hashed in one
// call.
const hctrGather = 15 * BlockSize

// sum continues the hash y over p, the tweak, zeros to fill the block, and a block
// with the length of p and the tweak in bits.
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
	hctrPass   = modes.CounterBatch   // bytes of keystream in one call
	hctrBlocks = hctrPass / BlockSize // the same in blocks
	hctrShort  = 16 * BlockSize       // bytes, for short messages
)

// hctrStream adds keystream to all blocks except the first one: the encryptions of
// start ^ i for i = 1, 2, .... The first block of dst is undefined afterwards: a
// kernel processes it as i = 0, so that the number of a block in its batch equals the
// lowest bits of i.
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

// hctrStreamBlocks adds the keystream from i on to src, in passes of len(stream)
// bytes. The caller must clear stream.
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
