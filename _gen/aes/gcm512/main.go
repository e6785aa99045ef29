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
// where the sums of the halves of two registers fill one register. Rounds (cipher.go) and hash
// (hash.go) are streams, which asm.Weave writes side by side, because the window in which a
// CPU looks for independent instructions is not larger than a group. Sealing weaves the hash of
// the group before into the rounds, opening that of the same group. gcm.go has the groups and the
// ends of messages, 0 to 511 bytes with code for each number of registers; short.go has messages
// of up to 64 bytes, and packet.go whole messages of up to 256 bytes.
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
//	Z24 ... Z31       halves of H^64 ... H^1 added; in the tail Z24 the last powers, Z25 a
//	                  block before its first one
//	K1, K2, K3        bytes and blocks of the last register, the counter's place in a block
//	AX, R9, R10       first and last round key, number of rounds
//	BX, DX            powers H^64 ... H^1, the one for the first block of the tail
//	SI, DI, R8, R11   src, dst, bytes left, message
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
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
	"github.com/cipherlane/cipherlane/_gen/ghash"
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
	constReverse, constPoly, constCount, constStep, constPlace, constSwap, constNext Mem
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
	constSwap = GLOBL("gcmVAES512Swap", attr.RODATA|attr.NOPTR)
	for lane := range 4 {
		DATA(16*lane, U64(0x0706050403020100))
		DATA(16*lane+8, U64(0x0c0d0e0f0b0a0908))
	}
	constNext = GLOBL("gcmVAES512Next", attr.RODATA|attr.NOPTR)
	for lane := range 4 {
		DATA(16*lane, U64(0))
		DATA(16*lane+8, U64(uint64(lane+1)<<32))
	}
	packetConstants()
	kernel(false)
	kernel(true)
	packet(false)
	packet(true)
	amd64.Generate()
}

// Registers, the same in both kernels; describe says what they have.
var (
	keys, powers, own, src, dst = reg.RAX, reg.RBX, reg.RDX, reg.RSI, reg.RDI
	remaining, lastKey          = reg.R8, reg.R9
	rounds, message             = reg.R10, reg.R11

	state             = amd64.ZMM[:8]
	base, round       = amd64.ZMM[8], amd64.ZMM[9]
	low, middle, high = amd64.ZMM[10], amd64.ZMM[11], amd64.ZMM[12]
	tmp               = amd64.ZMM[13:19]
	revert, poly      = amd64.ZMM[19], amd64.ZMM[20]
	counts, hash      = amd64.ZMM[21], amd64.ZMM[22]
	countKey          = amd64.ZMM[23]
	sums              = amd64.ZMM[24:32]
	lastPower         = sums[0]
	waiting           = sums[1]
)

// Fields of the message: Y, Lens, Pending.
var (
	hashed  = Mem{Base: message, Disp: 16}
	lengths = Mem{Base: message, Disp: 32}
	pending = Mem{Base: message, Disp: 48}
)

func describe(k *amd64.Kernel) {
	k.GP(keys, "keys: round keys")
	k.GP(powers, "powers: the table H^64 to H^1")
	k.GP(own, "own: where in it the power for the next block of the tail is")
	k.GP(src, "src")
	k.GP(dst, "dst")
	k.GP(remaining, "remaining: bytes left")
	k.GP(lastKey, "lastKey: where the last round key is")
	k.GP(rounds, "rounds: 10, 12 or 14")
	k.GP(message, "message: the argument m")
	k.GPs([]reg.GPPhysical{reg.RCX, reg.R12}, "temporary")
	k.Vecs(state, "state: counter blocks, then text")
	k.Vec(base, "base: J0 plus the first round key in each lane; in the tail X8 becomes E(J0)")
	k.Vec(round, "round: a round key")
	k.Vec(low, "low: sum of products of low halves")
	k.Vec(middle, "middle: sum of Karatsuba's products, which lacks low and high")
	k.Vec(high, "high: sum of products of high halves")
	k.Vecs(tmp, "tmp: temporary")
	k.Vec(revert, "revert: the shuffle that reverses bytes")
	k.Vec(poly, "poly: GHASH's polynomial")
	k.Vec(counts, "counts: counters of the next 16 blocks; a lane has those of one block of each of four registers")
	k.Vec(hash, "hash: Y so far, bytes reversed, zeros above the lowest lane")
	k.Vec(countKey, "countKey: the first round key's last four bytes, reversed as counts are")
	k.Vecs(sums, "sums: the halves of H^64 to H^1 added, of two powers in each lane")
	k.Note(lastPower.Asm(), "lastPower, in the tail: powers for its last register, zeros behind H")
	k.Note(waiting.Asm(), "waiting, in the tail: what is hashed before it, bytes reversed, or 0")
	k.Note("Z1 Z2 Z3", "up to 64 bytes: the blocks that are hashed, text, powers; Z11 is complete there")
	k.Note("K1 K2", "in the tail: bytes, and bytes of whole blocks, in the last register")
	k.Note("K3", "where the counter is in a block")
}
