package aescore

import (
	"crypto/subtle"
	"encoding/binary"
	"math/bits"
	"runtime"

	"github.com/cipherlane/cipherlane/internal/ghash"
)

// genericPass is the number of bytes that take hardly longer than one block.
const genericPass = narrowSize

// ctr is counter mode over any number of bytes, with a counter of 128 bits. Unused
// keystream of the last block goes to the same offsets in rest, which may be nil if
// src is whole blocks.
func (k *genericKeys) ctr(counter *[BlockSize]byte, dst, src []byte, rest *[BlockSize]byte) {
	for len(src) > 0 {
		toCarry := BlockSize * (1<<32 - uint64(binary.BigEndian.Uint32(counter[12:]))) // bytes
		n := int(min(uint64(len(src)), toCarry))
		k.counter32(counter, dst[:n], src[:n], rest)
		if binary.BigEndian.Uint32(counter[12:]) == 0 {
			carry(counter)
		}
		dst, src = dst[n:], src[n:]
	}
}

// carry adds 1 to the first 96 bits of a counter.
func carry(counter *[BlockSize]byte) {
	for i := 11; i >= 0; i-- {
		if counter[i]++; counter[i] != 0 {
			break
		}
	}
}

// counter32 is like ctr with the counter of GCM: only the last 32 bits count, and they
// wrap around without a carry into the others (inc_32 in NIST SP 800-38D). Its time
// does not depend on the counter, which in GCM depends on the hash key unless the
// nonce has 12 bytes.
func (k *genericKeys) counter32(counter *[BlockSize]byte, dst, src []byte, rest *[BlockSize]byte) {
	if len(src) < wideMin {
		k.ctrNarrow(counter, dst, src, rest)
	} else {
		k.ctrWide(counter, dst, src, rest)
	}
}

func (k *genericKeys) ctrNarrow(counter *[BlockSize]byte, dst, src []byte, rest *[BlockSize]byte) {
	var stream [narrowSize]byte
	used := 0
	for len(src) > 0 {
		for i := 0; i < narrowSize; i += BlockSize {
			block := (*[BlockSize]byte)(stream[i:])
			*block = *counter
			ghash.Add32(block, i/BlockSize)
		}
		k.encryptNarrow(&stream, &stream)
		used = subtle.XORBytes(dst, src, stream[:])
		ghash.Add32(counter, (used+BlockSize-1)/BlockSize)
		dst, src = dst[used:], src[used:]
	}
	if used%BlockSize != 0 {
		copy(rest[used%BlockSize:], stream[used:])
	}
	clear(stream[:])
	runtime.KeepAlive(&stream)
}

func (k *genericKeys) ctrWide(counter *[BlockSize]byte, dst, src []byte, rest *[BlockSize]byte) {
	var c wideCounter
	c.init(k, counter)
	n := forWide(len(src))
	c.xor(dst[:n], src[:n], rest)
	c.wipe()
	ghash.Add32(counter, (n+BlockSize-1)/BlockSize)
	k.ctrNarrow(counter, dst[n:], src[n:], rest)
}

// A wideCounter is counter mode with wide passes, modulo 2^32. It saves most of
// the first two rounds. As long as only the last byte of the counter changes,
//
//   - the output of the first S-box changes only in that byte, which goes to column 0;
//   - the output of the second S-box changes only in that column, whose bytes go to
//     one column each.
//
// The contribution of the other bytes to the state after two rounds is computed in
// one pass for many values of the counter's next three bytes (base). A group is 256
// blocks, from any counter on. Within it there is at most one carry out of the last
// byte, so each block needs one of two contributions. Since a counter may be secret,
// the right one is selected by masks.
type wideCounter struct {
	wideCipher
	pass    int             // number of the next pass
	counter [BlockSize]byte // of the first block of the next base

	// The last byte of the counters of the next step, and the carry out of it: bit n
	// belongs to block n. A step is as many passes as a word has lanes.
	low, key planes
	carry    word
	first    planes // the bytes after the first S-box

	column     planes    // column 0 after round 1, without the contribution of the last byte
	base       wideState // the state after round 2, without that of column 0; block n is for group n
	this, next wideState // this group's part of base, and its difference from the next group's

	stream [wideSize]byte
}

const (
	stepPasses  = bits.UintSize / lane
	stepBits    = 5 + bits.UintSize/64 // to number the blocks of a step
	groupPasses = 256 / wideBlocks
	groups      = wideBlocks - 1 // per base; the last one also needs the part of the next
)

func (c *wideCounter) init(k *genericKeys, counter *[BlockSize]byte) {
	c.wideCipher.init(k)
	c.counter = *counter
	low, key := word(counter[BlockSize-1]), word(k.words[3]>>24)
	numbers := [...]word{ // bit b of 0, 1, 2, ...
		groups1 << 1, groups2 << 2, groups4 << 4, groups8 << 8, groups16 << 16, lowHalf << half,
	}
	for b := range c.low {
		var n word
		if b < stepBits {
			n = numbers[b]
		}
		c.key[b] = -(key >> b & 1)
		x := -(low >> b & 1)
		c.low[b] = x ^ n ^ c.carry
		c.carry = x&n | (x^n)&c.carry
	}
}

func (c *wideCounter) wipe() {
	*c = wideCounter{}
	runtime.KeepAlive(c)
}

// xor is counter mode. In all calls except the last, src must be whole passes.
func (c *wideCounter) xor(dst, src []byte, rest *[BlockSize]byte) {
	used := 0
	for ; len(src) > 0; dst, src = dst[used:], src[used:] {
		c.keystream()
		used = subtle.XORBytes(dst, src, c.stream[:])
	}
	if used%BlockSize != 0 {
		copy(rest[used%BlockSize:], c.stream[used:])
	}
}

// keystream sets stream to the keystream of the next pass.
func (c *wideCounter) keystream() {
	if c.pass%groupPasses == 0 {
		c.startGroup(c.pass / groupPasses % groups)
	}
	if c.pass%stepPasses == 0 {
		c.first = c.low
		c.first.add(&c.key)
		c.first.substitute()
	}
	shift := uint(c.pass) % stepPasses * lane % bits.UintSize
	var y planes
	for b, x := range c.first {
		y[b] = x >> shift & lane0
	}
	y.addLast(&c.column)
	y.substitute()
	carry := c.carry >> shift & lane0
	carry |= carry << lane
	carry |= carry << (2 * lane)
	for r := range c.state {
		state, this, next := &c.state[r], &c.this[r], &c.next[r]
		for b := range state {
			state[b] = this[b] ^ next[b]&carry
		}
	}
	c.state.addColumn(&y)
	c.encryptFrom(3)
	c.state.store(&c.stream)
	if c.pass++; c.pass%stepPasses == 0 {
		c.addStep()
	}
	clear(y[:])
	runtime.KeepAlive(&y)
}

// addStep adds the number of blocks of a step to low.
func (c *wideCounter) addStep() {
	carry := ones
	for b := stepBits; b < 8; b++ {
		c.low[b], carry = c.low[b]^carry, c.low[b]&carry
	}
	c.carry ^= carry
	if c.pass%groupPasses == 0 {
		c.carry = ^c.carry // every block has advanced by 256; the next group's number includes that
	}
}

// startGroup prepares for the group whose part of base is block g.
func (c *wideCounter) startGroup(g int) {
	if g == 0 {
		c.startBase()
	}
	for r := range c.base {
		this, next := &c.this[r], &c.next[r]
		for b, x := range c.base[r] {
			x >>= uint(g) % lane
			t, n := x&lowBits, (x^x>>1)&lowBits
			this[b], next[b] = t<<lane-t, n<<lane-n
		}
	}
}

// startBase computes base for the next groups. It does two rounds with last bytes of
// zero, and then subtracts their contribution.
func (c *wideCounter) startBase() {
	for n := range wideBlocks {
		block := (*[BlockSize]byte)(c.stream[BlockSize*n:])
		*block = c.counter
		ghash.Add32(block, n<<8)
		block[BlockSize-1] = 0
	}
	ghash.Add32(&c.counter, groups<<8)
	s := &c.base
	s.load(&c.stream)
	s.add(&c.keys[0])
	s.substitute()
	var zero planes // the last byte after the first S-box
	for b := range zero {
		zero[b] = s[3][b] >> (3 * lane)
	}
	s.mix(&c.keys[1])
	y := &c.column // in the order of addLast
	for b := range y {
		y[b] = s[0][b]&lane0 | s[3][b]&lane0<<lane | s[2][b]&lane0<<(2*lane) | s[1][b]&lane0<<(3*lane)
	}
	s.substitute()
	s.mix(&c.keys[2])
	column := *y
	y.substitute()
	s.addColumn(y)
	zero.addLast(&column)
	*y = zero
	clear(zero[:])
	clear(column[:])
	runtime.KeepAlive(&zero)
	runtime.KeepAlive(&column)
}

// addLast turns the last byte after the first S-box into its contribution to column 0
// of the state, and adds column. Lane c of the result is the row that ShiftRows will
// move to column c: 0, 3, 2, 1. The byte is in row 3.
func (p *planes) addLast(column *planes) {
	double := p.double()
	for b, x := range p {
		p[b] = x ^ x<<(2*lane) ^ x<<(3*lane) ^ double[b]<<lane ^ double[b]<<(2*lane) ^ column[b]
	}
}

// addColumn adds the contribution of column 0 to the state in round 2. y is the column
// after the second S-box, with its bytes in the columns where ShiftRows moves them.
func (s *wideState) addColumn(y *planes) {
	double := y.double()
	for b, x := range y {
		d := double[b]
		s[0][b] ^= x&^lane0 ^ d&(lane0|lane3)
		s[1][b] ^= x&^lane3 ^ d&(lane3|lane2)
		s[2][b] ^= x&^lane2 ^ d&(lane2|lane1)
		s[3][b] ^= x&^lane1 ^ d&(lane1|lane0)
	}
}
