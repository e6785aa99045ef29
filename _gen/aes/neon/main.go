// Command neon writes the AES kernels for AArch64 without AES instructions that look up nibbles in
// registers: for few blocks, and for modes in which a block waits for the one before it.
//
// # Algorithm
//
// TBL looks up 16 nibbles in a table of 16 bytes. In GF(2^8) = GF(2^4)[τ], τ² = Aτ + A, the
// byte k + iτ with j = i + k is inverted by look-ups of nibbles alone:
//
//	1/u = 1/(1/i + A/k) + j      1/v = 1/(1/j + A/k) + i      F(1/x) = F_u[1/u] + F_v[1/v]
//
// for any linear map F: the one of the S-box, times the coefficients of MixColumns, and back to
// the basis of the tower (see package permute). With s the output of the S-box and X the rotation
// of columns by a row, MixColumns and the key are
//
//	encryption   s + k + w + Xw,  w = 3s + X²s
//	decryption   14s + X²13s + k + Xw,  w = 11s + X²9s
//
// ShiftRows comes before the S-box: that of the next round is in the permutations that end a
// round, one for Xw and one for the rest. rounds.go has the rounds, modes.go the functions,
// expand.go the key schedule, whose keys are in the basis of the tower and have the constant of
// the S-box.
//
// # Registers
//
//	mask, inverse, inverseA       low nibbles; 1/x and A/x
//	times...                      pairs of tables: multiples of the S-box's output
//	shift, shiftX                 ShiftRows, and with a rotation of columns before it
//	form, last                    pairs of tables: to the basis of the tower; the last S-box
//	x                             states of up to four blocks
//	k, a, u, v                    temporary, for two blocks by turns
//	key                           round key
//
// # Bound
//
// A round of a block has 11 TBL and 14 other instructions when encrypting, 15 and 18 when
// decrypting: 15.6 and 20 per byte for 10 rounds. On Cortex-A72, where TBL takes both vector
// units for 1.5 cycles, that is 23.5 and 31.5 cycles for a round. llvm-mca has 24 and 31.5 with
// four blocks, 32 and 38 with two. For a block alone the chain counts: 12 instructions in a
// round, of which 4 are TBL with a latency of 6 cycles, and the others of 3: 48 cycles; llvm-mca
// has 52 and 56.
//
// With the S-box in 16 registers, which TBL and TBX of four registers look up, a round is 18
// instructions, but they take 28 cycles on Cortex-A72, and 61 to 87 for a block alone.
package main

import (
	"flag"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm64"
)

//go:generate go run . -out ../../../internal/aescore/internal/arm64/aes_neon_arm64.s -go ../../../internal/aescore/internal/arm64/declarations_neon_arm64.go

func main() {
	out := flag.String("out", "", "assembly `file` to write")
	declarations := flag.String("go", "", "Go `file` to write")
	flag.Parse()
	file := &asm.File{Target: Target, Proofs: proofs}
	expand(file)
	blocks(file, encryption)
	blocks(file, decryption)
	cbcDecrypt(file)
	ctr(file)
	xts(file, encryption)
	xts(file, decryption)
	cbcEncrypt(file)
	for _, width := range []int{4, 2, 1} {
		cbcLanes(file, width)
	}
	file.Write(*out, *declarations)
}
