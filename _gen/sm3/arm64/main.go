// Command arm64 writes the SM3 kernel of sm3/internal/arm64 for CPUs with the SM3
// instructions (FEAT_SM3). _gen/README.md explains every line of it.
//
// # Algorithm
//
// GB/T 32905-2016. A round j, with the words A to H of the state, the expanded words W and
// W'[j] = W[j] ^ W[j+4], and T[j] rotated by j bits, is three instructions:
//
//	SS1 = ((A <<< 12) + E + T[j]) <<< 7                                  SM3SS1
//	A, B, C, D = FF(A, B, C) + D + (SS1 ^ (A <<< 12)) + W'[j], A, B <<< 9, C   SM3TT1A or B
//	E, F, G, H = P0(GG(E, F, G) + H + SS1 + W[j]), E, F <<< 19, G        SM3TT2A or B
//
// FF and GG are XORs in the first 16 rounds (A), and bitwise majority and choice in the
// others (B). Two more instructions expand four words of the message:
//
//	X = P1(W[j-16] ^ W[j-9] ^ (W[j-3] <<< 15))                           SM3PARTW1
//	W[j] = X ^ (W[j-13] <<< 7) ^ W[j-6]                                  SM3PARTW2
//
// # Registers
//
// The allocator chooses the numbers; the banner of the function lists them.
//
//	abcd, efgh    the state, A and E in lane 3
//	w             16 words of the message, four in each; those of four rounds become those
//	              of 16 rounds later
//	t             T of four rounds, each in all lanes: VLD4R
//	sum           W' of four rounds
//	ss            SS1 in lane 3
//
// # Bound
//
// The chain of a round is SM3SS1 and SM3TT2, both with a latency of 2 cycles or more on
// Neoverse V1 and N2, where one unit has them all: three instructions take 3 cycles, so a round
// takes at least 4, and a block 256, 4 cycles per byte. It is 300 instructions for 64 bytes, 4.7
// per byte: 208 of the rounds, 81 of the expansion.
package main

import (
	"encoding/binary"
	"flag"
	"math/bits"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm64"
)

//go:generate go run . -out ../../../sm3/internal/arm64/sm3_arm64.s -go ../../../sm3/internal/arm64/sm3_arm64.go

func main() {
	out := flag.String("out", "", "assembly `file` to write")
	declarations := flag.String("go", "", "Go `file` to write")
	flag.Parse()
	file := &asm.File{Target: Target, Proofs: map[string][]string{"blocksSM3": {"sm3.compress n=64,128,192"}}}
	blocks(file)
	file.Write(*out, *declarations)
}

// constants returns T[j] <<< j for all rounds.
func constants() (data []byte) {
	for j := range 64 {
		t := uint32(0x79cc4519)
		if j >= 16 {
			t = 0x7a879d8a
		}
		data = binary.LittleEndian.AppendUint32(data, bits.RotateLeft32(t, j))
	}
	return data
}

func blocks(file *asm.File) {
	table := file.Table("constants", "T[j] <<< j, for each round j.", constants())
	f := file.Func("blocksSM3", "(v *[8]uint32, p *byte, n int)")
	f.Doc = "blocksSM3 compresses n > 0 bytes, whole blocks, into the chaining value v."
	f.Secret = "v p"

	v, p, n := f.Arg("v"), f.Arg("p"), f.Arg("n")
	first, next := f.New(Integer, "first"), f.New(Integer, "next")
	abcd, efgh := f.New(Vector, "abcd"), f.New(Vector, "efgh")
	state := f.Group(Vector, "state", 2, 1)
	w := f.Group(Vector, "w", 4, 1)
	t := f.Group(Vector, "t", 4, 1)
	sum, ss := f.New(Vector, "sum"), f.New(Vector, "ss")
	x, y, z := f.New(Vector, "x"), f.New(Vector, "y"), f.New(Vector, "z")

	// reverse makes A, B, C, D in memory D, C, B, A, and back.
	reverse := func(from, to asm.Reg) {
		f.Add(VREV64(S4, from, to), VEXT(8, to, to, to))
	}
	f.Add(VLD1(S4, At(v, 0), state), MOVD(table, first))
	reverse(state[0], state[0])
	reverse(state[1], state[1])

	f.Label("block")
	f.Add(
		VLD1(B16, Post(p, 64), w),
		MOVD(first, next),
		VMOV(state[0], abcd),
		VMOV(state[1], efgh),
	)
	for _, words := range w {
		f.Add(VREV32(B16, words, words))
	}
	for j := 0; j < 64; j += 4 {
		a, b, c, d := w[j/4%4], w[(j/4+1)%4], w[(j/4+2)%4], w[(j/4+3)%4] // W[j], W[j+4], W[j+8], W[j+12]
		f.Add(VLD4R(S4, Post(next, 16), t), VEOR(b, a, sum))
		tt1, tt2 := SM3TT1A, SM3TT2A
		if j >= 16 {
			tt1, tt2 = SM3TT1B, SM3TT2B
		}
		for i := range 4 {
			f.Add(
				SM3SS1(t[i], efgh, abcd, ss),
				tt1(Lane(S4, sum, i), ss, abcd),
				tt2(Lane(S4, a, i), ss, efgh),
			)
		}
		if j < 52 { // W[67] is the last one
			f.Add(
				VEXT(12, c, b, x), // W[j+7] and so on: 9 before W[j+16]
				VEXT(8, d, c, y),  // W[j+10]: 6 before
				VEXT(12, b, a, z), // W[j+3]: 13 before
				SM3PARTW1(d, x, a),
				SM3PARTW2(z, y, a),
			)
		}
	}
	f.Add(
		VEOR(abcd, state[0], state[0]),
		VEOR(efgh, state[1], state[1]),
		SUBS(64, n, n),
		BNE("block"),
	)
	reverse(state[0], state[0])
	reverse(state[1], state[1])
	f.Add(VST1(S4, state, At(v, 0)), RET())
}
