// Command arm64 writes the kernels of internal/keccak/internal/arm64: the sponge with
// Keccak-f[1600] of one state in integer registers, and the permutation of two states in
// vectors, with the SHA3 instructions and without them.
//
// # Algorithm
//
// A round of FIPS 202, section 3, for lanes a[x,y] of 64 bits:
//
//	theta   C[x] = a[x,0] ^ a[x,1] ^ ... ^ a[x,4]       D[x] = C[x-1] ^ (C[x+1] <<< 1)       a[x,y] ^= D[x]
//	rho, pi b[y,2x+3y] = a[x,y] <<< r[x,y]
//	chi     a'[x,y] = b[x,y] ^ (^b[x+1,y] & b[x+2,y])
//	iota    a'[0,0] ^= constant of the round
//
// Of one state, no lane is rotated by an instruction of its own. The second operand of EOR and
// BIC can be rotated, so a register is a lane rotated to the right by a known number of bits: the
// result of EOR is rotated as its first operand. All 24 rounds are written out, because the
// numbers are others in each. After them each lane, in its orbit, has been rotated by 40 bits,
// which 24 instructions take back, but for lane 0. Pi costs nothing either: registers have other
// names.
//
// There are 26 registers for 25 lanes. So four lanes of column 0 are on the stack. The first
// plane of a round takes the one that is not, and the last plane makes it; their parity adds up
// as they are made. C and D of the other columns are made in an order in which five registers are
// enough.
//
// Of two states, a vector has a lane of each. With SHA3 instructions EOR3 makes C, RAX1 makes D,
// XAR is theta, rho and pi, and BCAX chi. Rounds are written out here, too, so that nothing is
// copied.
//
// # Registers
//
//	r         26: 21 lanes; C and D, or a plane of b and three for chi
//	constants 12 vectors with two constants each
//
// Of two states:
//
//	v         32: 25 lanes; C, D; what a plane has before and after chi
//
// # Bound
//
// Of one state, a round is 25 instructions for D, 25 to add it, 50 of chi, two of iota, and eight
// that load and store column 0: 110. Twenty-four of them, with the last rotations and 26 loads
// and stores, are 2710. Cortex-A72 starts only one instruction with a rotated operand in a cycle.
//
// Of two states, a round with SHA3 instructions is ten EOR3, five RAX1, 24 XAR, an EOR, 25 BCAX
// and two of iota: 67, and 24 with loads and stores 1640. In LLVM's models of Neoverse V1, N2 and
// V2 one vector unit of two or four has them. Apple's cores have four such units and AmpereOne
// two. Without them, a round is 162 instructions, and 24 are 3920, of which 58 in a round are
// shifts, for one vector unit of two.
//
// Cycles of llvm-mca 19 for each state:
//
//	                 A53   A72   N1   N2   V1   V2  Ampere1
//	one             2350  2260  830  640  620  450  1300
//	two, SHA3                        770  770  770   400
//	two, NEON       4490  1000 1070 1070  600  600   980
package main

import (
	"encoding/binary"
	"flag"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm64"
	"github.com/cipherlane/cipherlane/_gen/keccak/fips202"
)

//go:generate go run . -out ../../../internal/keccak/internal/arm64/keccak_arm64.s -go ../../../internal/keccak/internal/arm64/keccak_arm64.go

func main() {
	out := flag.String("out", "", "assembly `file` to write")
	declarations := flag.String("go", "", "Go `file` to write")
	flag.Parse()
	file := &asm.File{Target: Target, Proofs: proofs}
	scalar(file)
	var data []byte
	for _, c := range fips202.RoundConstants() {
		data = binary.LittleEndian.AppendUint64(data, c)
	}
	table := file.Table("rounds", "Iota: FIPS 202, section 3.2.5.", data)
	permuteWideSHA3(file, table)
	permuteWideNEON(file, table)
	blocks(file, true)
	blocks(file, false)
	file.Write(*out, *declarations)
}
