// Command neon writes the SM3 kernels of sm3/internal/arm64 for CPUs without SM3 instructions, and
// those for four messages with them.
//
// # Algorithm
//
// A round of GB/T 32905-2016, section 5.3.3:
//
//	SS1 = ((A <<< 12) + E + T[j]) <<< 7                       SS2 = SS1 ^ (A <<< 12)
//	TT1 = FF(A, B, C) + D + SS2 + W'[j]                       TT2 = GG(E, F, G) + H + SS1 + W[j]
//	A, B, C, D = TT1, A, B <<< 9, C                           E, F, G, H = P0(TT2), E, F <<< 19, G
//
// After a round, the names change places, not the registers. From round 16 on FF is the sum
// (B & C) + (A & (B ^ C)), and GG is (E & F) + (G &^ E).
//
// One message: the rounds are integer instructions, 22 for a round from 16 on and 19 before.
// Rotations of P0 are part of exclusive ors. The vector units expand the message (section
// 5.3.2) four words at a time, and write W and W' to the stack, from where one load reads
// four of them.
//
//	W[n] = P1(W[n-16] ^ W[n-9] ^ (W[n-3] <<< 15)) ^ (W[n-13] <<< 7) ^ W[n-6]     W'[n] = W[n] ^ W[n+4]
//
// Four or eight messages: each vector has the same word of four messages. A rotation is two
// instructions, FF and GG are two each (VBSL), and P0(x) is x ^ ((x ^ (x <<< 8)) <<< 9), where a
// rotation by 8 is one (VTBL).
//
// # Registers
//
// The allocator chooses the numbers; the banners of the functions list them.
//
//	state             A ... H
//	one message:
//	w, prime, t       W and W' of four rounds, two in each; T of two rounds
//	words, next       the last 16 words of the message, the next block
//	ring (stack)      W and W' of the next rounds: 8 elements of 32 bytes
//	many messages:
//	words             the last 16 words of four messages; those of eight are in memory, w
//	four messages with the SM3 instructions:
//	abcd, efgh, w     state and words of each, as in ../arm64
//
// # Bound
//
// One message is 1838 instructions for 64 bytes, 28.7 per byte: 1360 for the rounds, 338 for the
// expansion, 96 loads and stores. Cortex-A72 starts three in a cycle: 613 cycles, 9.6 per byte.
// On Neoverse V2 the bound is the chain of a round: 6 cycles from E to E through GG, and from A
// to A through SS1 and SS2, 384 for a block. By llvm-mca a block takes 683 cycles on Cortex-A72,
// 472 on Neoverse N1, 386 on V2. GG of the next round made from TT2 and its rotations, before E,
// would be two instructions more and one cycle less.
//
// Four messages are 2556 instructions for 256 bytes, 10.0 per byte; eight are 5452 for 512, 10.6.
// The chain of a round is nine instructions of two cycles each on Neoverse, which is why eight
// take only a quarter longer than four on V2, with its four vector units. On N1 and Cortex-A72,
// with two, the units are the bound: at least 2400 cycles for a block of eight. By llvm-mca four
// take 1975 cycles on Cortex-A72, 1300 on N1, 1075 on V2, and eight 2876, 2581 and 1338.
//
// With the SM3 instructions, of which one unit executes 218 for a block, four messages are 1163
// instructions, 4.5 per byte, and the bound is 872 cycles for 256 bytes. By llvm-mca they take
// 877 on Neoverse N2, 873 on V2, where one message takes 325 and 327 for 64 bytes, in which each
// round waits for the one before.
package main

import (
	"encoding/binary"
	"flag"
	"math/bits"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm64"
)

//go:generate go run . -out ../../../sm3/internal/arm64/neon_arm64.s -go ../../../sm3/internal/arm64/neon_arm64.go

func main() {
	out := flag.String("out", "", "assembly `file` to write")
	declarations := flag.String("go", "", "Go `file` to write")
	flag.Parse()
	file := &asm.File{Target: Target, Proofs: proofs}
	t := constants()
	table := file.Table("neonConstants", "T[j] <<< j, for each round j.", words(t[:]...))
	blocks(file, table)
	tables := file.Table("neonLanes", "Indices of TBL for a rotation by 8 of each word; words 8 and 15 of a block that ends 96 bytes, four times; words 8 ... 15.", words(
		0x02010003, 0x06050407, 0x0a09080b, 0x0e0d0c0f,
		1<<31, 1<<31, 1<<31, 1<<31,
		8*96, 8*96, 8*96, 8*96,
		1<<31, 0, 0, 0,
		0, 0, 0, 8*96))
	for groups := 1; groups <= 2; groups++ {
		compress(file, table, tables, groups)
		iterate(file, table, tables, groups)
	}
	compressSM3(file, table)
	iterateSM3(file, table, tables)
	file.Write(*out, *declarations)
}

// constants returns T[j] <<< j for all rounds.
func constants() (t [64]uint32) {
	for j := range t {
		t[j] = bits.RotateLeft32(0x7a879d8a, j)
		if j < 16 {
			t[j] = bits.RotateLeft32(0x79cc4519, j)
		}
	}
	return t
}

func words(list ...uint32) (data []byte) {
	for _, w := range list {
		data = binary.LittleEndian.AppendUint32(data, w)
	}
	return data
}

// inRound returns where A ... H are in round j if they are in state in round 0: a round
// leaves A in the place of D, E in that of H, and everything else where it is.
func inRound(state []asm.Reg, j int) (s [8]asm.Reg) {
	for i := range s {
		s[i] = state[(i-j%4+4)%4+i/4*4]
	}
	return s
}
