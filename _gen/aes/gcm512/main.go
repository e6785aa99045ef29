// Command gcm512 writes the AES-GCM kernels of internal/aescore/internal/amd64 for CPUs with
// VAES, VPCLMULQDQ and AVX-512.
//
// # Algorithm
//
// A group is 32 blocks in eight ZMM registers. A counter block is J0 + k[0] in all bytes but
// the last four, which one masked VPSHUFB takes from a register of 16 counters. The hash of a
// group is
//
//	y = (y + c[0])·H^n + c[1]·H^(n-1) + ... + c[n-1]·H      n = 64: two groups share a reduction
//
// Karatsuba's method multiplies two registers of blocks b by powers h in six instructions:
//
//	low += lo(b)·lo(h)    high += hi(b)·hi(h)    middle += (lo(b) + hi(b))·(lo(h) + hi(h))
//
// where the sums of the halves of two registers fill one register. Both are sequences of
// instructions (type code), and weave emits them side by side. Sealing weaves the hash of the
// group before into the rounds, opening that of the same group. gcm.go has the cipher and the
// ends of messages, 0 to 511 bytes with code for each number of registers; hash.go the hash.
//
// # Registers
//
//	Z0 ... Z7         counter blocks, then text
//	Z8                J0 + k[0] in each lane; in the tail X8 becomes E(J0)
//	Z9                round key
//	Z10, Z11, Z12     sums of products: low, middle, high
//	Z13 ... Z18       temporary, of the hash
//	Z19, Z20          reversal of bytes, polynomial
//	Z21, Z23          counters of the next 16 blocks, last word of k[0]
//	Z22               hash
//	Z24 ... Z31       halves of H^64 ... H^1 added; in the tail Z24 the last powers
//	K1, K2, K3        bytes and blocks of the last register, the counter's place in a block
//	AX, R9, R10       first and last round key, number of rounds
//	BX, DX            powers H^64 ... H^1, the one for the first block of the tail
//	SI, DI, R8, R11   src, dst, bytes left, lens
//
// # Bound
//
// 1024 bytes with AES-128 have 160 AES instructions and 50 carry-less multiplications. On Zen 5
// two of the former begin in a cycle, 80 cycles, and one of the latter in two cycles, 100
// cycles. A multiplication takes three slots of the four vector units, all other instructions
// one: about 430 slots, 108 cycles, 0.105 cycles per byte. Measured in the loop: 130 cycles, and
// 0.14 cycles per byte with calls of 16 KiB. On Zen 4, which begins one AES instruction of 512
// bits in a cycle, these take 160 of the 266 cycles that are measured: 0.26 cycles per byte.
package main

import (
	"github.com/cipherlane/cipherlane/_gen/ghash"
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

//go:generate go run . -out ../../../internal/aescore/internal/amd64/gcm_vaes512_amd64.s

const (
	groupRegisters = 8                   // registers in a group
	groupSize      = 64 * groupRegisters // bytes in a group
	batchSize      = 2 * groupSize       // bytes that share a reduction
)

// Constants: reversal of bytes, polynomial, 1 to 16 for the counters, what these
// are increased by for four registers and for eight, and the places of the
// counters of each of four registers in their blocks.
var (
	constReverse, constPoly, constCount, constStep, constPlace Mem
)

func main() {
	ConstraintExpr("!purego")
	constReverse, constPoly = ghash.Constants("gcmVAES512", 64)
	constCount = GLOBL("gcmVAES512Count", attr.RODATA|attr.NOPTR)
	for lane := range 4 {
		for z := range 4 {
			DATA(16*lane+4*z, U32(uint32(4*z+lane+1)))
		}
	}
	constStep = GLOBL("gcmVAES512Step", attr.RODATA|attr.NOPTR)
	DATA(0, U32(16))
	DATA(4, U32(32))
	constPlace = GLOBL("gcmVAES512Place", attr.RODATA|attr.NOPTR)
	for z := range 4 {
		for lane := range 4 {
			at := 64*z + 16*lane
			DATA(at, U64(0))
			DATA(at+8, U32(0))
			DATA(at+12, U32(uint32(4*z+3)|uint32(4*z+2)<<8|uint32(4*z+1)<<16|uint32(4*z)<<24))
		}
	}
	kernel(false)
	kernel(true)
	Generate()
}

// Registers.
var (
	keys      = reg.RAX // round keys
	powers    = reg.RBX // the table
	own       = reg.RDX // in the table, the power for the next block of the tail
	src       = reg.RSI
	dst       = reg.RDI
	remaining = reg.R8  // bytes
	lastKey   = reg.R9  // the last round key
	rounds    = reg.R10 //
	lengths   = reg.R11 // the argument lens

	state     = []reg.VecPhysical{reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z5, reg.Z6, reg.Z7}
	base      = reg.Z8 // J0 plus the first round key in each lane; in the tail X8 becomes E(J0)
	round     = reg.Z9 // round key
	low       = reg.Z10
	middle    = reg.Z11 // Karatsuba's: lacks low and high
	high      = reg.Z12
	tmp       = []reg.VecPhysical{reg.Z13, reg.Z14, reg.Z15, reg.Z16, reg.Z17, reg.Z18}
	revert    = reg.Z19 // constReverse
	poly      = reg.Z20 // constPoly
	counts    = reg.Z21 // of the next 16 blocks; in each lane for one block of each of four registers
	hash      = reg.Z22 // bytes reversed, zeros above the lowest lane
	countKey  = reg.Z23 // the first round key's last four bytes, reversed as counts are
	lastPower = reg.Z24 // sums[0]: for the last register of the tail, zeros behind H
	sums      = []reg.VecPhysical{reg.Z24, reg.Z25, reg.Z26, reg.Z27, reg.Z28, reg.Z29, reg.Z30, reg.Z31}
)

// A code is a sequence of instructions that are yet to be written.
type code []func()

func (c *code) add(f func()) { *c = append(*c, f) }

// weave writes the sequences side by side, each spread evenly: the window in
// which the CPU looks for independent instructions is not larger than a group.
func weave(codes ...code) {
	most := 0
	for _, c := range codes {
		most = max(most, len(c))
	}
	at := make([]int, len(codes))
	for i := range most {
		for j, c := range codes {
			for ; at[j]*most < (i+1)*len(c) && at[j] < len(c); at[j]++ {
				c[at[j]]()
			}
		}
	}
}
