// Command gfni512 writes the SM4 kernels of sm4/internal/amd64 for CPUs with GFNI, VPCLMULQDQ
// and AVX-512 with VBMI2.
//
// # Algorithm
//
// A round of SM4 (GB/T 32907-2016) is X4 = X0 + L(S(X1 + X2 + X3 + rk)). All kernels keep the
// state in the basis T of package matrices, in which the S-box begins with the inversion in
// GF(2^8) that VGF2P8AFFINEINVQB computes. The matrix behind it is that of the S-box, of one
// part of L and of the way back to the basis:
//
//	t = X1 + X2 + X3 + rk
//	X4 = X0 + U0(1/t) + U1(1/t)<<<8 + U1(1/t)<<<16 + U3(1/t)<<<24      U0 + U1 + U3 = 0
//
// There are six arrangements of blocks in registers:
//
//	one block       a word in each of four XMM registers     serial
//	up to 16        a word of 16 blocks in each of four ZMM  words16
//	up to 32        two bytes of 32 blocks in each of 8 ZMM  paired
//	up to 64        a byte of 64 blocks in each of 16 ZMM    single
//	up to 96        single and paired, interleaved           dual with a paired half
//	up to 128       single twice, interleaved                dual
//
// With a byte in a register, the rotations are a matter of naming. Every mode has a kernel for
// each arrangement it can use; kernels_gfni512.go chooses among them by the length. GCM hashes
// in the gaps of the rounds of dual: see hashing in gcm.go.
//
// formulas.go reads the rounds, which are texts in rounds.go, and package ssa chooses the
// registers. blocks.go, cbc.go, ctr.go, xts.go, gcm.go and lanes.go have the modes, planes.go
// the way from blocks to bytes in registers, paired.go the same for pairs, expand.go the round
// keys.
//
// # Registers
//
//	Z0 ... Z3       words of up to 16 blocks; Z4 the input of the S-box
//	Z0 ... Z15      single: byte j of word w in Z(4w+j); dual: the last two words of both halves,
//	                of a paired one in Z8 to Z11
//	Z16 ... Z25     temporary, with words and single up to Z28
//	Z26 ... Z29     GCM: sums of products and the hash
//	Z29, Z30, Z31   matrices U3, U1, U0; dual needs no U3
//	BX, R11         words on the stack, and where the rounds read them
//	R8, R13         the next and the first round key
//	R9, R10         from a round key to the next, and three times that
//	DX, R14         powers of the hash key, what is hashed
//	SI, DI, R12     src, dst, bytes left
//	CX              count
//	K1 ... K6       bytes of the last register; lanes that wrap around, the last lane; even lanes
//
// # Bound
//
// Zen 5 has four vector units, two of which invert. A round of dual has 28 operations for a half,
// 7 cycles; it takes 8.4, and 640 to 690 cycles for 128 blocks: 0.32 cycles per byte. A round of
// single has 12 inversions in a row with 20 other operations, bound by their latency: 11
// cycles, 410 to 440 for 64 blocks. Hashing adds 100 cycles to 128 blocks, where it would take
// 256 by itself.
//
// On Sapphire Rapids there are two vector units, one of which inverts and one unpacks. A round of
// dual has 56 operations, 28 cycles: 960 cycles for all, 1320 with GHASH and what else a message
// needs. With a paired half it has 46, and GCM of 1420 bytes takes 1150 instead of 1350. A round of
// paired alone takes 14 cycles, and GCM of 241 to 496 bytes 620 where it takes 720 with single.
//
// One block is a chain of an inversion, a rotation and two sums. On Sapphire Rapids that is 8
// cycles for a round; it takes 9.7, and 310 for a block. Up to 16 blocks take 10.2 for a round:
// there are two ports for ZMM registers, and one for inversions.
package main

import (
	"encoding/binary"
	"flag"

	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
	"github.com/cipherlane/cipherlane/_gen/sm4/matrices"
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

//go:generate go run . -kernel expand -out ../../../sm4/internal/amd64/expand_gfni512_amd64.s
//go:generate go run . -kernel blocks -out ../../../sm4/internal/amd64/blocks_gfni512_amd64.s
//go:generate go run . -kernel cbc -out ../../../sm4/internal/amd64/cbc_gfni512_amd64.s
//go:generate go run . -kernel ctr -out ../../../sm4/internal/amd64/ctr_gfni512_amd64.s
//go:generate go run . -kernel lanes -out ../../../sm4/internal/amd64/lanes_gfni512_amd64.s
//go:generate go run . -kernel xts -out ../../../sm4/internal/amd64/xts_gfni512_amd64.s
//go:generate go run . -kernel gcm -out ../../../sm4/internal/amd64/gcm_gfni512_amd64.s

var set = matrices.Derive()

func main() {
	kernel := flag.String("kernel", "", "which `file` to write")
	flag.Parse()
	ConstraintExpr("!purego")
	constants(*kernel)
	switch *kernel {
	case "expand":
		expand()
	case "blocks":
		blocks1()
		blocks16()
		blocks64()
		blocks128()
	case "cbc":
		cbcEncrypt()
		cbcDecrypt16()
		cbcDecrypt64()
		cbcDecrypt128()
		cfbDecrypt128()
	case "ctr":
		ctr16()
		ctr64()
		ctr128()
		counters128()
	case "lanes":
		laneKeys()
		cbcLanes()
		keyedBlocks()
	case "xts":
		xtsConstants()
		xts16()
		xts64()
		xts128()
	case "gcm":
		for _, open := range []bool{false, true} {
			gcm128(open)
			gcm16(open)
			gcmTail16(open)
			gcmTail64(open, 32)
			gcmTail64(open, 64)
			gcmTail128(open, 96)
			gcmTail128(open, 128)
		}
	default:
		panic("unknown kernel")
	}
	amd64.Generate()
}

// Offsets in the table of constants.
const (
	constU0      = 0               // matrices
	constU1      = 8               //
	constU3      = 16              //
	constT       = 24              //
	constTI      = 32              //
	constV       = 40              // four of the key schedule
	constPoly    = 72              // upper half of the polynomial of GHASH
	constOne     = 80              //
	constBlock   = 128             // 0 to 15 in words, for the lanes of words
	constSwap    = constBlock + 64 // bytes of words reversed
	constReverse = constSwap + 64  // bytes of blocks reversed
	constSpread  = constReverse + 64
	constLane    = constSpread + 64 // number of the block in each byte of a plane
	constReduce  = constLane + 64   // the polynomial of GHASH in the upper halves
	constSplat   = constReduce + 64 // the words of a block, see splat
	constJoin    = constSplat + 64  // and back
	constPaired  = constJoin + 64   // number of the block in each byte of a register of pairs
	constSize    = constPaired + 64
)

var constantBase Mem

func constant(offset int) Mem { return constantBase.Offset(offset) }

// constants writes the table.
func constants(kernel string) {
	var t [constSize]byte
	put := func(offset int, q uint64) { binary.LittleEndian.PutUint64(t[offset:], q) }
	put(constU0, set.U0.M.GFNI())
	put(constU1, set.U1.M.GFNI())
	put(constU3, set.U3.M.GFNI())
	put(constT, set.T.GFNI())
	put(constTI, set.TInverse.GFNI())
	for i, v := range set.V {
		put(constV+8*i, v.M.GFNI())
	}
	for i := range 4 {
		put(constReduce+16*i+8, 0xc2<<56)
	}
	binary.LittleEndian.PutUint32(t[constOne:], 1)
	for i := range 16 {
		binary.LittleEndian.PutUint32(t[constBlock+4*i:], uint32(i%4*4+i/4)) // see toWords
	}
	for i := range 4 {
		for j := range 16 {
			t[constSplat+16*i+j] = byte(plane(i, j/4))
			t[constJoin+16*i+j] = 0x80 // none
		}
		for j := range 4 {
			t[constJoin+16*i+plane(i, j)] = byte(4 * j)
		}
	}
	for i := range 64 {
		t[constSwap+i] = byte(i%16 ^ 3)
		t[constReverse+i] = byte(15 - i%16)
		t[constSpread+i] = byte(i / 4)
		// Four stages of unpacking put byte b of block 4r+l at 16l+r of plane b.
		t[constLane+i] = byte(i%16*4 + i/16)
		t[constPaired+pairedByte(i/2, i%2)] = byte(i / 2)
	}
	constantBase = GLOBL(kernel+"Constants", attr.RODATA|attr.NOPTR)
	for i := 0; i < len(t); i += 8 {
		DATA(i, U64(binary.LittleEndian.Uint64(t[i:])))
	}
}
