// Command rvv writes the AES kernels of internal/aescore/internal/riscv64 for CPUs with
// vectors (V) and without AES instructions.
//
// A register has the same byte of many blocks, one block in each lane: 16 registers are
// the state of 16 blocks if they have 128 bits, of 32 blocks if they have 256. The code is
// the same for all sizes. A round of a column with the bytes s_0 to s_3:
//
//	x_j = s_j + key byte                        vxor.vx
//	u_j, v_j from 1/x_j, by look-ups            package permute
//	c_j = 3 S(x_j) + 2 S(x_{j+1})               four look-ups, by u_j, v_j, u_{j+1}, v_{j+1}
//	s_j = c_j + (c_0 + c_1 + c_2 + c_3)         MixColumns: 2, 3, 1, 1
//
// The state is in the basis of the tower, so that only counters or plaintext, round keys
// and the output of the last round change the basis. The constant of the S-box is in the
// round keys. ShiftRows is the choice of registers: after round n, byte (r, c) is in
// register 4 (c + (n-10) r mod 4) + r. Four rounds are a loop, and a last one with four
// times that many before it ends with byte (r, c) in 4c + r for 10 and 14 rounds. With 12
// rounds, odd rows begin two columns apart and the loop begins in its middle.
//
//	registers   what
//	16          state
//	6           look-ups: 1/n, A/n, and 3 S and 2 S by u and by v
//	4 + 4       temporary ones of two S-boxes: one is done while the other waits
//	2           c_j with one of its two parts; in the last round, S by u and by v
//
// Bound: a round takes 91 instructions for a column: four times a load, an addition and
// two shifts or masks for a key byte and its nibbles, nine look-ups and eight additions,
// and seven additions more. That is 364 for a round, 3580 for 10 rounds with the last one,
// and 3700 with counters and output: 14.4 instructions for a byte with 128 bits, half as
// many with 256.
//
// A look-up is vrgather.vv, with secrets as indices. See SECURITY.md.
package main

import (
	"flag"

	"github.com/cipherlane/cipherlane/_gen/aes/permute"
	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/riscv64"
)

//go:generate go run . -out ../../../internal/aescore/internal/riscv64/aes_rvv_riscv64.s -declarations ../../../internal/aescore/internal/riscv64/aes_rvv_riscv64.go

func main() {
	out := flag.String("out", "", "assembly `file` to write")
	declarations := flag.String("declarations", "", "Go `file` to write")
	flag.Parse()
	file := &asm.File{Target: Target}
	tables := file.Table("tables", "Look-ups of nibbles: see _gen/aes/permute.", constants())
	ctr(file, tables)
	encrypt(file, tables)
	expand(file, tables)
	file.Write(*out, *declarations)
}

// constants returns the tables that stay in registers, and then those that are
// loaded when they are needed.
func constants() []byte {
	field := permute.NewTower()
	s := permute.Linear(permute.SBoxLinear).After(field.FromTower)
	u3, v3 := field.Output(field.ToTower.After(permute.Times(3)).After(s))
	u2, v2 := field.Output(field.ToTower.After(permute.Times(2)).After(s))
	low, high := permute.Nibbles(field.ToTower)
	u, v := field.Output(s)
	var all []byte
	for _, t := range []permute.Table{permute.Inverses(1), permute.Inverses(field.A), u3, v3, u2, v2, low, high, u, v} {
		all = append(all, t[:]...)
	}
	return all
}
