// Command riscv64 writes the kernels of internal/keccak/internal/riscv64: the sponge with
// Keccak-f[1600] of one state, with Zbb, and of up to eight states with vectors.
//
// # Algorithm
//
// A round of FIPS 202, section 3, for lanes a[x,y] of 64 bits:
//
//	theta   C[x] = a[x,0] ^ a[x,1] ^ ... ^ a[x,4]       a[x,y] ^= C[x-1] ^ (C[x+1] <<< 1)
//	rho, pi b[y,2x+3y] = a[x,y] <<< r[x,y]
//	chi     a'[x,y] = b[x,y] ^ (^b[x+1,y] & b[x+2,y])
//	iota    a'[0,0] ^= constant of the round
//
// A plane of b has one lane of each column of a. The plane of the result replaces them, each
// lane in its own column: a[x,y] is at the place (x, x+2y) after a round and back after four,
// which are the body of the loop. Column 0 is on the stack. Pi moves the lanes of a plane by one
// cycle, which begins and ends with the lane of column 0, so that no register is copied.
//
// Columns 1 to 4 get theta in place, one after the other: each parity is taken before its
// column changes. Lanes of column 0 get it when they are loaded, and their new parity adds up
// while they are stored.
//
// Of several states, a register has the same lane of as many as it has words (wide.go). All lanes
// are in registers. Rho and pi are a cycle of 24 lanes; chi has a plane of results in the
// registers of C.
//
// # Registers
//
//	lanes     20: columns 1 to 4
//	s         5: C; then the D of column 0, its next C, b[0,y] and two for chi
//
// The address of the next constant and the arguments are on the stack. With vectors:
//
//	a         25: lanes
//	c         5: C; then a plane of chi before it is added
//	t         2: D, and the lane with which the cycle begins
//
// # Bound
//
// A round is 30 instructions for D, 25 to add it, 24 rotations, 50 of chi, and one XOR of the
// constant: 130. Ten more load and store column 0, two load the constant, and one takes back a
// rotation for want of a register: 143. Twenty-four of them and six ends of the loop are 3462
// instructions: 1731 cycles of cores that start two at a time, such as SpacemiT X60 and SiFive
// U74.
//
// With vectors and Zvkb a round is 134 instructions, and 24 of them with loads and stores 3340,
// for two states with registers of 128 bits, four with 256 and eight with 512: 1670, 835 and 420
// for each. Without Zvkb a rotation is three instructions, and an AND with a complement two: 217,
// 5320, and 2660, 1330 and 665. But on the X60, which takes two cycles for each of them, 1330 is
// 2660 cycles, and so it is on a C908 with half the states: the 1731 for one state are better. No
// such CPU was available.
package main

import (
	"encoding/binary"
	"flag"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/riscv64"
	"github.com/cipherlane/cipherlane/_gen/keccak/fips202"
)

//go:generate go run . -kernels zbb -out ../../../internal/keccak/internal/riscv64/sponge_zbb_riscv64.s -declarations ../../../internal/keccak/internal/riscv64/sponge_zbb_riscv64.go
//go:generate go run . -kernels rvv -out ../../../internal/keccak/internal/riscv64/lanes_rvv_riscv64.s -declarations ../../../internal/keccak/internal/riscv64/lanes_rvv_riscv64.go -older ../../../internal/keccak/internal/riscv64/lanes_rvv_older_riscv64.go

func main() {
	kernels := flag.String("kernels", "", "which file")
	out := flag.String("out", "", "assembly `file` to write")
	declarations := flag.String("declarations", "", "Go `file` to write")
	flag.Parse()
	file := &asm.File{Target: Target, Proofs: proofs[*kernels]}
	var data []byte
	for _, c := range fips202.RoundConstants() {
		data = binary.LittleEndian.AppendUint64(data, c)
	}
	table := file.Table("constants", "Iota: FIPS 202, section 3.2.5. Zero is the end.", append(data, make([]byte, 8)...))
	switch *kernels {
	case "zbb":
		absorb(file, table)
		squeeze(file, table)
	case "rvv":
		permuteWide(file, table, "permuteWideZVKB", true)
		permuteWide(file, table, "permuteWideRVV", false)
		blocksWide(file, true)
		blocksWide(file, false)
	default:
		panic("no such kernels: " + *kernels)
	}
	file.Write(*out, *declarations)
}

// sponge is a kernel under construction.
type sponge struct {
	*asm.Func
	table  *asm.Table
	lanes  [5][5]asm.Reg // places of columns 1 to 4
	column asm.Local     // places of column 0
	next   asm.Local     // the address of the next constant
	s      []asm.Reg
}

func begin(file *asm.File, table *asm.Table, name, doc string) *sponge {
	f := file.Func(name, "(a *[25]uint64, p *byte, words, blocks int)")
	f.Doc = doc
	f.Banner = "Columns 1 to 4 of the state are in registers, column 0 is on the stack."
	f.Secret = "a p"
	f.Cases = []string{"words=17|21"}
	k := &sponge{Func: f, table: table, column: f.Local("column", 40), next: f.Local("next", 8)}
	k.s = f.Several(Integer, "s", 5)
	for x := 1; x < 5; x++ {
		for y := range 5 {
			k.lanes[x][y] = f.New(Integer, string([]byte{'a', byte('0' + x), byte('0' + y)}))
		}
	}
	a, t := k.s[0], k.s[1]
	f.LoadArg("a", a)
	for i := range 25 {
		if x, y := i%5, i/5; x == 0 {
			f.Add(MOV(8*i, a, t), SetLocalD(t, k.place(y)))
		} else {
			f.Add(MOV(8*i, a, k.lanes[x][y]))
		}
	}
	return k
}

// place is where lane y of column 0 is on the stack.
func (k *sponge) place(y int) string { return k.column.At(8 * (y % 5)) }

// advance moves p behind the block and branches if there is another one.
func (k *sponge) advance(to string) {
	p, n := k.s[0], k.s[1]
	k.LoadArg("p", p)
	k.LoadArg("words", n)
	k.Add(SLLI(3, n, n), ADD(n, p, p), SetResult(p, k.Result("p")))
	k.LoadArg("blocks", n)
	k.Add(ADDI(-1, n, n), SetResult(n, k.Result("blocks")), BNEZ(n, to))
}

func (k *sponge) end() {
	a, t := k.s[0], k.s[1]
	k.LoadArg("a", a)
	for i := range 25 {
		if x, y := i%5, i/5; x == 0 {
			k.Add(LocalD(k.place(y), t), SD(t, 8*i, a), SetLocalD(ZERO, k.place(y)))
		} else {
			k.Add(SD(k.lanes[x][y], 8*i, a))
		}
	}
	k.Add(RET())
}

func absorb(file *asm.File, table *asm.Table) {
	k := begin(file, table, "absorbZBB", `absorbZBB adds a block to the state and permutes it with Keccak-f[1600], for each block.
words is 17 or 21, blocks is not 0, p is a multiple of 8.`)
	c, p, t, u := k.s[0], k.s[1], k.s[2], k.s[3]
	k.Label("block")
	k.LoadArg("p", p)
	for i := range 25 {
		x, y := i%5, i/5
		if i == 17 {
			k.LoadArg("words", t)
			k.Add(ADDI(-17, t, t), LocalD(k.place(4), u), BEQZ(t, "short"))
		}
		switch {
		case i > 20:
		case x > 0:
			k.Add(MOV(8*i, p, t), XOR(t, k.lanes[x][y], k.lanes[x][y]))
		case y == 0:
			k.Add(MOV(8*i, p, t), LocalD(k.place(y), u), XOR(t, u, c), SetLocalD(c, k.place(y)))
		case y < 4:
			k.Add(MOV(8*i, p, t), LocalD(k.place(y), u), XOR(t, u, u), XOR(u, c, c), SetLocalD(u, k.place(y)))
		default:
			k.Add(MOV(8*i, p, t), XOR(t, u, u), SetLocalD(u, k.place(y)))
		}
	}
	k.Label("short")
	k.Add(XOR(u, c, c))
	k.permute()
	k.advance("block")
	k.end()
}

func squeeze(file *asm.File, table *asm.Table) {
	k := begin(file, table, "squeezeZBB", `squeezeZBB copies a block of the state and permutes it with Keccak-f[1600], for each block.
words is 17 or 21, blocks is not 0, p is a multiple of 8.`)
	c, p, t, u := k.s[0], k.s[1], k.s[2], k.s[3]
	k.Label("block")
	k.LoadArg("p", p)
	for i := range 25 {
		x, y := i%5, i/5
		if i == 17 {
			k.LoadArg("words", t)
			k.Add(ADDI(-17, t, t), LocalD(k.place(4), u), BEQZ(t, "short"))
		}
		switch {
		case i > 20:
		case x > 0:
			k.Add(SD(k.lanes[x][y], 8*i, p))
		case y == 0:
			k.Add(LocalD(k.place(y), c), SD(c, 8*i, p))
		case y < 4:
			k.Add(LocalD(k.place(y), t), SD(t, 8*i, p), XOR(t, c, c))
		default:
			k.Add(SD(u, 8*i, p))
		}
	}
	k.Label("short")
	k.Add(XOR(u, c, c))
	k.permute()
	k.advance("block")
	k.end()
}

// permute is Keccak-f[1600]. s[0] has the parity of column 0.
func (k *sponge) permute() {
	t, u := k.s[1], k.s[2]
	k.Add(Address(k.table, t), SetLocalD(t, k.next.At(0)))
	k.Label("rounds")
	for r := range 4 {
		k.round(r)
	}
	k.Add(
		LocalD(k.next.At(0), t),
		ADDI(32, t, t),
		MOV(0, t, u),
		SetLocalD(t, k.next.At(0)),
		BNEZ(u, "rounds"),
	)
}

// rol rotates to the left.
func rol(n int, a, d asm.Reg) asm.Op { return RORI(64-n, a, d) }

// round is round r of four.
func (k *sponge) round(r int) {
	// at returns the place of lane y of a column.
	at := func(x, y int) int {
		for range r {
			y = (x + 2*y) % 5
		}
		return y
	}
	column := func(x int) []asm.Reg { return k.lanes[x][:] }
	parity := func(x int, d asm.Reg) {
		c := column(x)
		k.Add(XOR(c[0], c[1], d), XOR(c[2], d, d), XOR(c[3], d, d), XOR(c[4], d, d))
	}
	theta := func(x int, d asm.Reg) {
		for _, a := range column(x) {
			k.Add(XOR(d, a, a))
		}
	}
	s := k.s
	parity(2, s[2])
	parity(1, s[1])
	k.Add(rol(1, s[2], s[3]), XOR(s[0], s[3], s[3])) // D[1]
	theta(1, s[3])
	parity(3, s[3])
	parity(4, s[4])
	k.Add(rol(1, s[4], s[4]), XOR(s[4], s[2], s[2])) // D[3]
	theta(3, s[2])
	k.Add(
		RORI(1, s[4], s[4]),
		rol(1, s[1], s[2]), XOR(s[4], s[2], s[2]), // D[0]
		rol(1, s[3], s[4]), XOR(s[1], s[4], s[4]), // D[2]
	)
	theta(2, s[4])
	k.Add(rol(1, s[0], s[0]), XOR(s[3], s[0], s[0])) // D[4]
	theta(4, s[0])

	c, b0, d0, t, u := s[0], s[1], s[2], s[3], s[4]
	for y, plane := range fips202.Plane {
		// Plane has the sources of b[x,y] by x.
		source := func(x int) (column int, place int) {
			lane := plane[x].Lane
			return lane % 5, at(lane%5, lane/5)
		}
		zero, place := 0, 0 // the one that is on the stack
		for x := range 5 {
			if column, y := source(x); column == 0 {
				zero, place = x, y
			}
		}
		k.Add(LocalD(k.place(place), t))
		var b [5]asm.Reg
		b[0] = b0
		for x := 0; x != zero; {
			column, y := source(x)
			lane := k.lanes[column][y]
			k.Add(rol(int(plane[x].Rotate), lane, b[x]))
			x, b[column] = column, lane // free now, and the place of the result of this column
		}
		if zero == 0 { // nothing moves
			k.Add(XOR(d0, t, b0))
			for x := 1; x < 5; x++ {
				column, y := source(x)
				b[column] = k.lanes[column][y]
				k.Add(rol(int(plane[x].Rotate), b[x], b[x]))
			}
		} else {
			k.Add(XOR(d0, t, t), rol(int(plane[zero].Rotate), t, b[zero]))
		}
		if y == 0 {
			k.Add(LocalD(k.next.At(0), u), MOV(8*r, u, u), ANDN(b[1], b[2], c), XOR(u, c, c), XOR(b0, c, c), SetLocalD(c, k.place(place)))
		} else {
			k.Add(ANDN(b[1], b[2], t), XOR(b0, t, t), SetLocalD(t, k.place(place)), XOR(t, c, c))
		}
		k.Add(
			ANDN(b[0], b[1], t),
			ANDN(b[4], b[0], b0),
			ANDN(b[2], b[3], u), XOR(u, b[1], b[1]),
			ANDN(b[3], b[4], u), XOR(u, b[2], b[2]),
			XOR(b0, b[3], b[3]),
			XOR(t, b[4], b[4]),
		)
	}
}
