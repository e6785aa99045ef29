// Command rvv writes the SM4 kernels of sm4/internal/riscv64, for CPUs with vectors (V) and
// without SM4 instructions: blocks, counter mode and the form of the round keys. Package
// byteslice has what is around the rounds.
//
// # Algorithm
//
// A register has the same byte of many blocks, one block in each lane: 16 registers are the
// state. GB/T 32907-2016: a round adds L(S(X1 ^ X2 ^ X3 ^ key)) to X0, and the words move on.
// S(x) = A(1/(A(x) + d3)) + d3, with a linear map A, in a field of another polynomial than
// that of AES. Its inverse is five look-ups of nibbles: see package permute. The state is in
// the basis in which A and the map to the tower field vanish, and the round keys have the
// constants. L rotates by 0, 2, 10, 18 and 24 bits, so that with the bytes s_0 to s_3 of S,
// the lowest last, and those of X0, x_0 to x_3:
//
//	b_j = s_j + (s_j >> 6)    e_j = s_j + (s_j << 2)    y_j = b_j + e_(j-1)
//	x_j = x_j + y_j + (y_0 + y_1 + y_2 + y_3)
//
// b and e are look-ups with 1/u and 1/v, as the linear map A is.
//
// # Registers
//
//	16   state
//	6    look-ups: 1/n, A/n, and b and e by u and by v
//	1    the sum of y
//	9    temporary, five for an S-box: the next one begins before the last one ends
//
// # Bound
//
// A round is 103 vector instructions (36 look-ups, 67 of logic) and four loads. With counters,
// basis and output a pass is 3640, 14.2 a byte with registers of 128 bits, 7.1 with 256 and 3.6
// with 512.
//
// On the SpacemiT X60 each takes a cycle in half a register of 256 bits: 12.9 cycles per byte. In
// the scheduler's order the rounds take 15.3: a round ends with a chain that nothing can be done
// beside. In code order they take 31. These are cycles of a model; no such CPU was available.
package main

import (
	"flag"

	"github.com/cipherlane/cipherlane/_gen/aes/permute"
	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/riscv64"
	"github.com/cipherlane/cipherlane/_gen/byteslice"
	"github.com/cipherlane/cipherlane/_gen/sm4/nibbles"
)

//go:generate go run . -out ../../../sm4/internal/riscv64/sm4_rvv_riscv64.s -declarations ../../../sm4/internal/riscv64/sm4_rvv_riscv64.go -older ../../../sm4/internal/riscv64/sm4_rvv_older_riscv64.go

func main() {
	out := flag.String("out", "", "assembly `file` to write")
	declarations := flag.String("declarations", "", "Go `file` to write")
	flag.Parse()
	file := &asm.File{Target: Target, Proofs: proofs}
	tables := file.Table("tables", "Look-ups of nibbles: see _gen/aes/permute.", nibbles.Tables(permute.Inverses(1), permute.Inverses(nibbles.Field.A)))
	byteslice.CTR(file, tables, "ctrRVV", cipher, "k.Half")
	byteslice.Blocks(file, tables, "cryptBlocksRVV", "encrypts", cipher, "k.Half")
	byteslice.Expand(file, tables, "expandRVV", cipher)
	file.Write(*out, *declarations)
}

// halfOffset is an offset in riscv64.Keys.
const halfOffset = 32 * 4

// cipher is SM4 for package byteslice.
var cipher = byteslice.Cipher{
	In:  func(r, c int) int { return 4*c + r },
	Out: func(r, c int) int { return 4*(3-c) + r },
	Fixed: func(k *byteslice.Kernel) []asm.Reg {
		lookups = k.Several(Vector, "lookup", 4)
		return lookups
	},
	Rounds: rounds,
	Basis:  nibbles.Basis,
	Half:   halfOffset,
}

// lookups are b by u and v and e by u and v, in the function that is under construction.
var lookups []asm.Reg

// rounds encrypts the state.
func rounds(k *byteslice.Kernel) {
	temporary, keys := k.Several(Vector, "temporary", 9), k.Several(Integer, "key", 4)
	used := 0
	take := func() asm.Reg {
		used++
		return temporary[used%len(temporary)]
	}
	sum := k.New(Vector, "sum")
	k.Add(MOVR(k.Keys, k.Next), MOVI(8, k.Loops))
	k.Label("rounds")
	var s asm.Stream
	for n := range 4 {
		// word returns byte j of X(i): the lowest of the standard is the last.
		word := func(i, j int) asm.Reg { return k.State[4*((n+i)%4)+j] }
		for j := range 4 {
			// Which of the five registers is which decides what the next S-box waits for. In
			// this order the model takes 491 cycles, in others up to 600.
			five := []asm.Reg{take(), take(), take(), take(), take()}
			x, t := five[1], []asm.Reg{five[2], five[0], five[4], five[3]}
			s.Add(VXORVV(word(1, j), word(2, j), x), VXORVV(word(3, j), x, x))
			u, v := k.Invert(&s, x, 4*n+j, keys[j], t)
			for i, to := range []asm.Reg{word(0, j), word(0, (j+1)%4)} {
				y, other := t[0], t[3]
				if i == 1 {
					y = x
				}
				s.Add(VRGATHERVV(u, lookups[2*i], y), VRGATHERVV(v, lookups[2*i+1], other))
				if j == 0 && i == 0 {
					s.Add(VXORVV(other, y, sum), VXORVV(sum, to, to))
				} else {
					s.Add(VXORVV(other, y, y), VXORVV(y, to, to), VXORVV(y, sum, sum))
				}
			}
		}
		for j := range 4 {
			s.Add(VXORVV(sum, word(0, j), word(0, j)))
		}
	}
	k.Add(asm.Schedule(s, byteslice.HalfX60)...)
	k.Add(ADDI(16, k.Next, k.Next), ADDI(-1, k.Loops, k.Loops), BNEZ(k.Loops, "rounds"))
	back := [2]asm.Reg(temporary[:2])
	k.LoadPair(nibbles.Back, back)
	k.SetLanes()
	for _, x := range k.State {
		k.Change(x, x, back)
	}
}
