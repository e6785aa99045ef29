package main

import (
	"fmt"
	"strings"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
)

// The offsets of the fields of amd64.Keys and amd64.Lane.
const (
	encOffset    = 0
	decOffset    = 240
	roundsOffset = 480

	laneKeys = 0
	laneIV   = 8
	laneDst  = 16
	laneSrc  = 24
	laneSize = 32
)

var untyped = strings.NewReplacer("*Keys", "*byte", "[]Lane", "[]byte")

// Registers that mean the same in all functions.
var (
	keys      = reg.RAX
	dst       = reg.RDI
	src       = reg.RSI
	remaining = reg.RDX
	rounds    = reg.R11
)

var zmm = amd64.ZMM

// amd64.X returns the lower quarter of a ZMM register.

// Round keys in registers, each four times. The last ten are always in the same
// ones; with 12 and 14 rounds there are two and four in front of them.
var (
	firstKey  = zmm[16]
	extraKeys = zmm[17:21]
	innerKeys = zmm[21:30]
	lastKey   = zmm[30]
)

const registersNote = `AX the keys, R11 the number of rounds, DI and SI destination and source, DX the bytes left;
Z16 to Z30 the round keys, the last ten from Z21 on; K1 the bytes of the last register.
Z0 to Z7 hold 32 blocks: with a latency of 4 cycles and two instructions per cycle on Zen 5 eight
registers keep the AES units busy, and a round of 512 bytes takes 4 cycles.`

var labels int

// label returns a new label.
func label(name string) string {
	labels++
	return fmt.Sprintf("%s%d", name, labels)
}

// A direction is encryption or decryption.
type direction struct {
	name   string
	offset int // of the round keys in Keys
	round  func(key, in, out Op)
	last   func(key, in, out Op)
}

var (
	encryption = direction{"Encrypt", encOffset, VAESENC, VAESENCLAST}
	decryption = direction{"Decrypt", decOffset, VAESDEC, VAESDECLAST}
)

// loadKeys loads the round keys. It changes R8.
func (d direction) loadKeys() {
	at := func(i int) Mem { // counted from the last
		return Mem{Base: keys, Index: reg.R8, Scale: 1, Disp: d.offset - 16*i}
	}
	done := label("keys")
	MOVQ(Mem{Base: keys, Disp: roundsOffset}, rounds)
	VBROADCASTI32X4(Mem{Base: keys, Disp: d.offset}, firstKey)
	MOVL(rounds.As32(), reg.R8L)
	SHLL(Imm(4), reg.R8L)
	for i, z := range innerKeys {
		VBROADCASTI32X4(at(9-i), z)
	}
	VBROADCASTI32X4(at(0), lastKey)
	CMPL(rounds.As32(), Imm(12))
	JB(LabelRef(done))
	VBROADCASTI32X4(at(11), extraKeys[2])
	VBROADCASTI32X4(at(10), extraKeys[3])
	JEQ(LabelRef(done))
	VBROADCASTI32X4(at(13), extraKeys[0])
	VBROADCASTI32X4(at(12), extraKeys[1])
	Label(done)
}

// rounds emits all rounds on the registers z but the first key and the last round.
func (d direction) rounds(z []reg.VecPhysical) {
	each := func(keys []reg.VecPhysical) {
		for _, k := range keys {
			for _, s := range z {
				d.round(k, s, s)
			}
		}
	}
	twelve, ten := label("twelve"), label("ten")
	CMPL(rounds.As32(), Imm(12))
	JB(LabelRef(ten))
	JEQ(LabelRef(twelve))
	each(extraKeys[:2])
	Label(twelve)
	each(extraKeys[2:])
	Label(ten)
	each(innerKeys)
}

// A pass processes n registers; the last one is masked with K1 if it is the tail.
type pass struct {
	n    int
	tail bool
}

// load loads register i of the source, or of disp bytes further on.
func (p pass) load(i, disp int, z reg.VecPhysical) {
	m := Mem{Base: src, Disp: 64*i + disp}
	if p.masked(i) {
		VMOVDQU8_Z(m, reg.K1, z)
	} else {
		VMOVDQU64(m, z)
	}
}

func (p pass) store(i int, z reg.VecPhysical) {
	m := Mem{Base: dst, Disp: 64 * i}
	if p.masked(i) {
		VMOVDQU8(z, reg.K1, m)
	} else {
		VMOVDQU64(z, m)
	}
}

func (p pass) masked(i int) bool { return p.tail && i == p.n-1 }

// advance moves on behind a pass that is not the tail.
func (p pass) advance() {
	ADDQ(I32(int32(64*p.n)), src)
	ADDQ(I32(int32(64*p.n)), dst)
}

// passes emits a loop of passes of 8 registers and tails of up to most registers, 4 or 8. With 4,
// there is a pass of 4 before them. This is everything for data of any length. Tails jump to the
// label done, with the length of the tail in remaining; it is zero where there is none.
func passes(done string, most int, begin func(), emit func(p pass)) {
	bulk, short, tail := label("bulk"), label("short"), label("tail")
	CMPQ(remaining, U32(512))
	JB(LabelRef(short))
	if begin != nil {
		begin()
	}
	Label(bulk)
	p := pass{n: 8}
	emit(p)
	p.advance()
	SUBQ(U32(512), remaining)
	CMPQ(remaining, U32(512))
	JAE(LabelRef(bulk))
	Label(short)
	if most == 4 {
		CMPQ(remaining, U32(256))
		JB(LabelRef(tail))
		p = pass{n: 4}
		emit(p)
		p.advance()
		SUBQ(U32(256), remaining)
		Label(tail)
	}
	TESTQ(remaining, remaining)
	JZ(LabelRef(done))
	// A tail of n bytes has n%64 in its last register, or 64.
	MOVL(remaining.As32(), reg.ECX)
	NEGL(reg.ECX)
	MOVQ(I32(-1), reg.R8)
	SHRQ(reg.CL, reg.R8)
	KMOVQ(reg.R8, reg.K1)
	// tails emits those of so many registers.
	var tails func(from, to int)
	tails = func(from, to int) {
		if from == to {
			emit(pass{from, true})
			if to < most {
				JMP(LabelRef(done))
			}
			return
		}
		middle, more := (from+to)/2, label("tail")
		CMPQ(remaining, U32(uint64(64*middle)))
		JA(LabelRef(more))
		tails(from, middle)
		Label(more)
		tails(middle+1, to)
	}
	tails(1, most)
}

func finish() {
	VZEROUPPER()
	RET()
}
