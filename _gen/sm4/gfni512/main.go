// Command gfni512 writes the SM4 kernels of sm4/internal/amd64 for CPUs with
// GFNI, VPCLMULQDQ and AVX-512.
//
// All kernels keep the state in the basis T of package matrices, in which the
// S-box begins with the inversion, and the linear layer is part of the
// matrices behind it. There are four arrangements of blocks in registers:
//
//	one block       a word in each of four XMM registers     serial
//	up to 16        a word of 16 blocks in each of four ZMM  words16
//	up to 64        a byte of 64 blocks in each of 16 ZMM    single
//	up to 128       twice that, interleaved                  dual
//
// Every mode has a kernel for each arrangement it can use; kernels_gfni512.go
// chooses among them by the length.
package main

import (
	"encoding/binary"
	"flag"

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
			gcmTail64(open)
			gcmTail128(open)
		}
	default:
		panic("unknown kernel")
	}
	Generate()
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
	constSize    = constJoin + 64
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
	}
	constantBase = GLOBL(kernel+"Constants", attr.RODATA|attr.NOPTR)
	for i := 0; i < len(t); i += 8 {
		DATA(i, U64(binary.LittleEndian.Uint64(t[i:])))
	}
}
