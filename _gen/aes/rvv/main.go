// Command rvv writes the AES kernels of internal/aescore/internal/riscv64, for CPUs with
// vectors (V) and without AES instructions: blocks, counter mode and the form of the round
// keys. Package byteslice has what is around the rounds.
//
// # Algorithm
//
// A register has the same byte of many blocks, one block in each lane: 16 registers are
// the state of 16 blocks if they have 128 bits, of 32 blocks if they have 256. The code is
// the same for all sizes. A round of a column with the bytes s_0 to s_3:
//
//	x_j = s_j + key byte
//	S(x_j) = F[u_j] + G[v_j]                     u_j, v_j: five look-ups, package permute
//	c_j = 3 S(x_j) + 2 S(x_(j+1))                four look-ups in F and G times 3 and 2
//	s_j = c_j + (c_0 + c_1 + c_2 + c_3)          MixColumns: 2 3 1 1
//
// The state is in the basis of the tower, so that only counters or plaintext, round keys
// and the output of the last round change the basis. The constant of the S-box is in the
// round keys. ShiftRows is the choice of registers: after n of 10 rounds, byte (r, c) is in
// state[4((c + (n-10)r) mod 4) + r]. Four rounds are a loop, which runs twice or three
// times, and two more follow: 10 or 14. With 12, odd rows begin two columns apart, and
// the loop begins in its middle.
//
// Decryption has the same form, with columns that ShiftRows moves the other way. Its state is
// without the linear map of the S-box, and the round keys have gone through InvMixColumns
// (FIPS 197, 5.3.5). InvMixColumns is 14 11 13 9:
//
//	s_j = c_j + 5 (c_j + c_(j+2)) + (c_(j+1) + c_(j+3))
//
// A look-up is vrgather.vv, with secrets as indices: see SECURITY.md. It gives 0 for an
// index beyond the register, so that the infinity of the tables needs no mask.
//
// # Registers
//
//	16    state
//	6     look-ups: 1/n, A/n, and F and G times 3 and 2
//	4 + 4 temporary, for two S-boxes at a time: one is computed while the other waits
//	2     2 S(x_(j+1)), which is added to c_j; in the last round, F and G. For decryption,
//	      products by 5, and 2 S is in a temporary register
//
// # Bound
//
// A round is 348 vector instructions (144 look-ups, 204 of logic) and 16 loads, the last one
// 272 and 32. That is 3580 for 10 rounds; with counters and output 3700 for a pass, 14.4 a
// byte with registers of 128 bits, 7.2 with 256 and 3.6 with 512. A round of decryption is 392
// vector instructions, and all of it 4200: 16.4, 8.2 and 4.1 a byte.
//
// On the SpacemiT X60, with 256 bits, a look-up takes 4 cycles and logic 2, but 1 cycle
// both in half a register. So half of each is used there: the bound is 13.3 cycles per byte
// against 18.8. In code order the model takes 32.7 (21.6 with whole registers), because each
// instruction waits four cycles for the one before; in the scheduler's order it takes 13.8
// (19.0), and decryption 17.1. These are cycles of a model; no such CPU was available.
package main

import (
	"flag"

	"github.com/cipherlane/cipherlane/_gen/aes/rvv/rounds"
	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/riscv64"
	"github.com/cipherlane/cipherlane/_gen/byteslice"
)

//go:generate go run . -out ../../../internal/aescore/internal/riscv64/aes_rvv_riscv64.s -declarations ../../../internal/aescore/internal/riscv64/aes_rvv_riscv64.go -older ../../../internal/aescore/internal/riscv64/aes_rvv_older_riscv64.go

func main() {
	out := flag.String("out", "", "assembly `file` to write")
	declarations := flag.String("declarations", "", "Go `file` to write")
	flag.Parse()
	file := &asm.File{Target: Target, Proofs: proofs}
	const public = "k.Rounds k.Half"
	forward, backward := rounds.AES(rounds.Forward, rounds.All), rounds.AES(rounds.Backward, rounds.All)
	encryption := file.Table("tables", "Look-ups of nibbles: see _gen/aes/permute.", rounds.Tables())
	byteslice.CTR(file, encryption, "ctrRVV", forward, public)
	byteslice.Blocks(file, encryption, "encryptBlocksRVV", "encrypts", forward, public)
	byteslice.Expand(file, encryption, "expandRVV", forward)
	decryption := file.Table("tablesBack", "The same for decryption.", rounds.TablesBack())
	byteslice.Blocks(file, decryption, "decryptManyRVV", "decrypts", backward, public)
	file.Write(*out, *declarations)
}
