// Command lanes writes the SM3 kernels of sm3/internal/amd64 that work on many messages side
// by side: hashes, PBKDF2 and KDF.
//
// # Algorithm
//
// A register has the same word of 8 (AVX2) or 16 (AVX-512) messages, and the rounds are those of
// GB/T 32905-2016, section 5.3.3, word for word. With AVX-512 VPROLD rotates, and VPTERNLOGD is
// three-way exclusive or, majority (FF) and choice (GG). Two groups of 16 messages take turns,
// a round each.
//
//	load      transpose blocks, so that register j has W[j] of all messages
//	round     W[j+4] from W[j-12], W[j-5], W[j+1], W[j-9], W[j-2]; then the compression
//	Iterate   PBKDF2: words 0 to 7 of W are the digest before, and stay where they are
//	KDF       the message expansion is linear: W of each lane is W of the first lane plus a
//	          table of differences between counters, both added when they are used: 20
//	          instructions for a round instead of 26, and no transposition
//
// # Registers
//
// There are two groups of 16 lanes with AVX-512, or one; eight lanes with AVX2.
//
//	Z0 ... Z7, Z8 ... Z15     A ... H of the groups; their names move by one in each round
//	Z16 ... Z23, Z24 ... Z31  temporary of the groups
//	Z8 ... Z24                the last 16 words and a spare, if there is only one group
//	Y0 ... Y7, Y8 ... Y15     with AVX2: A ... H, temporary
//	AX, BX, CX, DI            chaining values v, memory w, messages src, constants
//	DX, SI, R12               blocks left, bytes done, bytes before the next block
//	w, rows 0 ... 15          the last 16 words, a row of 32 lanes each
//	w, rows 16 ... 31         the next block of each lane, for AVX-512
//
// # Bound
//
// The vector units. With AVX-512 a block of 32 messages has 3340 vector operations, 1184 of which
// are rotations. Zen 5, with four units of which two rotate: 835 cycles, 0.41 cycles per byte.
// Zen 4, with units half as wide: 1670 cycles, 0.82. The chain from E to E takes ten cycles on
// Zen 5, 640 for a block, which is why a group alone takes 870 cycles there and two take 1120.
// With AVX2 a rotation is three operations, and a block of 8 messages has 3330: 832 cycles on
// both, 1.63 cycles per byte; 972 and 1.90 by llvm-mca for Zen 4, where two units shift. Measured
// for 32 messages of 16 KiB: on Zen 4 1.01 cycles per byte with AVX-512 and 1.98 with AVX2; on
// Zen 5 0.55 with AVX-512 in the kernel. KDF of 16 KiB takes 1.57 and 3.12 on Zen 4.
package main

import (
	"flag"
	"fmt"
	"math/bits"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
)

//go:generate go run . -isa avx2 -out ../../../sm3/internal/amd64/lanes_avx2_amd64.s
//go:generate go run . -isa avx512 -out ../../../sm3/internal/amd64/lanes_avx512_amd64.s

func main() {
	isa := flag.String("isa", "", "avx2 or avx512")
	flag.Parse()
	ConstraintExpr("!purego")
	switch *isa {
	case "avx2":
		constants, reverse := table("laneConstants256"), reversal("laneReverse256", 32)
		compressAVX2(constants, reverse)
		iterateAVX2(constants, padding("lanePadding256"))
		kdfAVX2(constants, reverse)
	case "avx512":
		constants, reverse := table("laneConstants512"), reversal("laneReverse512", 64)
		compressAVX512(1, constants, reverse)
		compressAVX512(2, constants, reverse)
		digests512(reverse)
		end := padding("lanePadding512")
		iterateAVX512(1, constants, end)
		iterateAVX512(2, constants, end)
		kdf512(constants, reverse)
	default:
		panic("no such instruction set: " + *isa)
	}
	amd64.Generate()
}

const (
	row       = 4 * 32 // bytes of a word of 32 lanes
	blockSize = 64
	sliceSize = 24 // bytes of a slice header
)

// lanes are the common parts of all kernels: the places of chaining values, words of messages and
// constants.
type lanes struct {
	*amd64.Kernel
	chainingValues, messageWords, constants reg.GPPhysical
}

// chaining is where word i of all chaining values is.
func (k *lanes) chaining(i int) Mem { return Mem{Base: k.chainingValues, Disp: row * i} }

// word is where W_j is.
func (k *lanes) word(j int) Mem { return Mem{Base: k.messageWords, Disp: row * (j % 16)} }

// constant is where that of round j is.
func (k *lanes) constant(j int) Mem { return Mem{Base: k.constants, Disp: 4 * j} }

// A compress is a kernel that compresses blocks.
type compress struct {
	lanes
	src, left, at reg.GPPhysical
	pointers      []reg.GPPhysical
}

func newCompress(name string, n int) *compress {
	f := amd64.Begin(name, "(v *[8][32]uint32, w *[32][32]uint32, src *[32][]byte, n int)",
		fmt.Sprintf("%s compresses n blocks, at least one, of each of %d messages into their", name, n),
		"chaining values: v[i][l] is word i of that of lane l, src[l] its blocks. W is for w.")
	return &compress{
		lanes: lanes{
			Kernel:         f,
			chainingValues: f.GP(reg.RAX, "v: chaining values"),
			messageWords:   f.GP(reg.RBX, "w: words of the messages"),
			constants:      f.GP(reg.RDI, "constants"),
		},
		src:      f.GP(reg.RCX, "src"),
		left:     f.GP(reg.RDX, "blocks left"),
		at:       f.GP(reg.RSI, "bytes done"),
		pointers: f.GPs([]reg.GPPhysical{reg.R8, reg.R9, reg.R10, reg.R11}, "pointers to messages"),
	}
}

// start loads the arguments.
func (k *compress) start(constants Mem) {
	Load(Param("v"), k.chainingValues)
	Load(Param("w"), k.messageWords)
	Load(Param("src"), k.src)
	Load(Param("n"), k.left)
	XORL(k.at.As32(), k.at.As32())
	LEAQ(constants, k.constants)
}

// block loads a pointer, and returns the memory of a lane's block that has the offset at. The
// registers of pointers change, so that loads do not wait for each other.
func (k *compress) block(lane, offset int, at reg.Register) Mem {
	p := k.pointers[lane%len(k.pointers)]
	MOVQ(Mem{Base: k.src, Disp: sliceSize * lane}, p)
	return Mem{Base: p, Index: at, Scale: 1, Disp: offset}
}

// finish ends the loop that begins at the label "block".
func (k *compress) finish() {
	ADDQ(Imm(blockSize), k.at)
	DECQ(k.left)
	JNZ(LabelRef("block"))
	VZEROUPPER()
	RET()
}

// An iterate is a kernel for PBKDF2. In it chainingValues is the inner or the outer half of keys.
type iterate struct {
	lanes
	total, left, outer reg.GPPhysical
}

func newIterate(name string, n int) *iterate {
	f := amd64.Begin(name, "(keys *[2][8][32]uint32, t *[8][32]uint32, w *[32][32]uint32, n int)",
		fmt.Sprintf("%s does n iterations, at least one, of PBKDF2 with HMAC in %d lanes. Rows 0 ... 7", name, n),
		"of w have U, one word of all lanes in each; every iteration replaces U by the HMAC of U and",
		"adds it to t with xor. keys has the chaining values after the key, of the inner hash and",
		"then of the outer one. Digests are blocks of the next hash as they are: nothing is",
		"transposed.")
	return &iterate{
		lanes: lanes{
			Kernel:         f,
			chainingValues: f.GP(reg.RAX, "inner or outer half of keys"),
			messageWords:   f.GP(reg.RBX, "w: words of the messages"),
			constants:      f.GP(reg.RDI, "constants"),
		},
		total: f.GP(reg.RCX, "t, the sum of all U"),
		left:  f.GP(reg.RDX, "iterations left"),
		outer: f.GP(reg.RSI, "1 in the outer hash"),
	}
}

// start loads the arguments.
func (k *iterate) start(constants Mem) {
	Load(Param("keys"), k.chainingValues)
	Load(Param("w"), k.messageWords)
	Load(Param("t"), k.total)
	Load(Param("n"), k.left)
	XORL(k.outer.As32(), k.outer.As32())
	LEAQ(constants, k.constants)
}

// finish ends the loop over hashes that begins at the label "hash". Every second one ends an
// iteration, for which it does what add writes.
func (k *iterate) finish(add func()) {
	XORL(Imm(1), k.outer.As32())
	JZ(LabelRef("iteration"))
	ADDQ(U32(8*row), k.chainingValues)
	JMP(LabelRef("hash"))
	Label("iteration")
	SUBQ(U32(8*row), k.chainingValues)
	add()
	DECQ(k.left)
	JNZ(LabelRef("hash"))
	VZEROUPPER()
	RET()
}

// A kdf is a kernel for KDF. It has no chaining values and words of lanes.
type kdf struct {
	lanes
	from        Mem // the chaining value
	base        Mem // W and W' of the first lane
	delta       Mem // what makes them those of the next call, by xor
	to          Mem // the digests
	differences Mem // between the words of the first lane and of each
}

func newKDF(name string, n int) *kdf {
	f := amd64.Begin(name, fmt.Sprintf("(dst *[%d]byte, v *[8]uint32, base, delta *[2][64]uint32, differences *[2][64][32]uint32)", 32*n),
		fmt.Sprintf("%s hashes, in %d lanes, blocks that differ in a counter only, from one chaining value v, and", name, n),
		"writes the digests to dst. The expansion of the message is linear over GF(2): word j of",
		"lane l is base[0][j] ^ differences[0][j][l], and W'_j has the same with index 1. Only the",
		"base changes from call to call: it becomes base ^ delta.")
	return &kdf{
		lanes:       lanes{Kernel: f, constants: f.GP(reg.RDI, "constants")},
		from:        Mem{Base: f.GP(reg.RAX, "v")},
		base:        Mem{Base: f.GP(reg.RBX, "base")},
		delta:       Mem{Base: f.GP(reg.RCX, "delta")},
		to:          Mem{Base: f.GP(reg.RDX, "dst")},
		differences: Mem{Base: f.GP(reg.RSI, "differences")},
	}
}

// start loads the arguments.
func (k *kdf) start(constants Mem) {
	Load(Param("v"), k.from.Base)
	Load(Param("base"), k.base.Base)
	Load(Param("delta"), k.delta.Base)
	Load(Param("dst"), k.to.Base)
	Load(Param("differences"), k.differences.Base)
	LEAQ(constants, k.constants)
}

// padding is words 8 ... 15 of a block that ends a message of 96 bytes with its
// first 32: the one bit and the length (GB/T 32905-2016, section 5.2).
func padding(name string) Mem {
	m := GLOBL(name, attr.RODATA|attr.NOPTR)
	for j := range 8 {
		DATA(4*j, U32(map[int]uint32{0: 0x80000000, 7: 8 * 96}[j]))
	}
	return m
}

// table has T_j <<< j of GB/T 32905-2016, section 4.2.
func table(name string) Mem {
	m := GLOBL(name, attr.RODATA|attr.NOPTR)
	for j := range 64 {
		t := uint32(0x7a879d8a)
		if j < 16 {
			t = 0x79cc4519
		}
		DATA(4*j, U32(bits.RotateLeft32(t, j)))
	}
	return m
}

// reversal has the order of bytes by which VPSHUFB turns words round.
func reversal(name string, size int) Mem {
	m := GLOBL(name, attr.RODATA|attr.NOPTR)
	for i := 0; i < size; i += 16 {
		DATA(i, U64(0x0405060700010203))
		DATA(i+8, U64(0x0c0d0e0f08090a0b))
	}
	return m
}

// inRound returns where A ... H are in round j if they are in state in round
// 0: a round leaves A in the place of D, E in that of H, and everything else
// where it is.
func inRound[T any](state []T, j int) (s [8]T) {
	for i := range s {
		s[i] = state[(i-j%4+4)%4+i/4*4]
	}
	return s
}

// The unpacking instructions as functions of operands.
func lowWords(a, b, out Op)      { VPUNPCKLDQ(a, b, out) }
func highWords(a, b, out Op)     { VPUNPCKHDQ(a, b, out) }
func lowQuadwords(a, b, out Op)  { VPUNPCKLQDQ(a, b, out) }
func highQuadwords(a, b, out Op) { VPUNPCKHQDQ(a, b, out) }

// pair puts into the places of two registers what two instructions make of
// them. Which registers those are changes with it.
func pair(r []reg.VecPhysical, spare *reg.VecPhysical, i, k int, low, high func(a, b, out Op)) {
	low(r[k], r[i], *spare)
	high(r[k], r[i], r[k])
	r[i], *spare = *spare, r[i]
}

// unpack transposes 4 by 4 words, of every four registers in each 16 bytes. The
// two in the middle of the four change places.
func unpack(r []reg.VecPhysical, spare *reg.VecPhysical) {
	for i := 0; i < len(r); i += 2 {
		pair(r, spare, i, i+1, lowWords, highWords)
	}
	for i := 0; i < len(r); i += 4 {
		pair(r, spare, i, i+2, lowQuadwords, highQuadwords)
		pair(r, spare, i+1, i+3, lowQuadwords, highQuadwords)
	}
}
