// Package rows emits ChaCha20 with the same row of the matrices of four blocks in a ZMM
// register, for kernels in which several such groups, or few, are in a pass.
package rows

import (
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
)

// Vec is a ZMM register.
type Vec = reg.VecPhysical

// Rows are the registers of groups of four blocks: a[g] is the first row of the
// matrices of group g.
type Rows struct{ a, b, c, d []Vec }

// New takes the lowest registers: Z0 to Z23 for six groups.
func New(groups int) Rows { return From(0, groups) }

// From takes the registers from one on.
func From(first, groups int) Rows {
	z := amd64.ZMM[first:]
	return Rows{z[:groups], z[groups : 2*groups], z[2*groups : 3*groups], z[3*groups : 4*groups]}
}

// Double returns a column round and a diagonal round of all groups. For the
// diagonals all rows but b turn: b is the last one that a round makes and the
// first that the next one needs. The steps alternate between the groups, as each
// instruction takes 2 cycles.
func (r Rows) Double() (p amd64.Code) {
	all := func(f func(g int)) {
		for g := range r.a {
			p.Add(func() { f(g) })
		}
	}
	add := func(x, to []Vec) { all(func(g int) { VPADDD(x[g], to[g], to[g]) }) }
	xor := func(x, to []Vec) { all(func(g int) { VPXORD(x[g], to[g], to[g]) }) }
	rotate := func(bits uint64, x []Vec) { all(func(g int) { VPROLD(Imm(bits), x[g], x[g]) }) }
	turn := func(order uint64, x []Vec) { all(func(g int) { VPSHUFD(Imm(order), x[g], x[g]) }) }
	for diagonal := range 2 {
		add(r.b, r.a)
		xor(r.a, r.d)
		rotate(16, r.d)
		add(r.d, r.c)
		xor(r.c, r.b)
		rotate(12, r.b)
		add(r.b, r.a)
		xor(r.a, r.d)
		turn([]uint64{0x93, 0x39}[diagonal], r.a)
		rotate(8, r.d)
		add(r.d, r.c)
		xor(r.c, r.b)
		turn(0x4e, r.d)
		turn([]uint64{0x39, 0x93}[diagonal], r.c)
		rotate(7, r.b)
	}
	return p
}

// Initial are the rows of the initial matrix, the counters those of the first
// group; four more are those of the next.
var Initial = [4]Vec{reg.Z24, reg.Z25, reg.Z26, reg.Z27}

// Block is where the keystream of a group may be after Untangle.
var Block = [4]Vec{reg.Z28, reg.Z29, reg.Z30, reg.Z31}

// Untangle adds the initial matrix to group g and makes it the four blocks. It
// advances the counters in Initial to the next group.
func (r Rows) Untangle(g int) {
	a, b, c, d := r.a[g], r.b[g], r.c[g], r.d[g]
	for i, z := range []Vec{a, b, c, d} {
		VPADDD(Initial[i], z, z)
	}
	Next()
	VSHUFI32X4(Imm(0x44), b, a, Block[0]) // blocks 0, 1 of rows a, b
	VSHUFI32X4(Imm(0x44), d, c, Block[1])
	VSHUFI32X4(Imm(0xee), b, a, Block[2])
	VSHUFI32X4(Imm(0xee), d, c, Block[3])
	VSHUFI32X4(Imm(0x88), Block[1], Block[0], a)
	VSHUFI32X4(Imm(0xdd), Block[1], Block[0], b)
	VSHUFI32X4(Imm(0x88), Block[3], Block[2], c)
	VSHUFI32X4(Imm(0xdd), Block[3], Block[2], d)
}

// Blocks are the four blocks of a group after Untangle.
func (r Rows) Blocks(g int) [4]Vec { return [4]Vec{r.a[g], r.b[g], r.c[g], r.d[g]} }

var counters struct{ zeroToThree, four Mem }

// Constants writes the constants of a file under a name.
func Constants(name string) {
	m := GLOBL(name, attr.RODATA|attr.NOPTR)
	for i, w := range []uint64{
		0, 0, 1, 0, 2, 0, 3, 0,
		4, 0, 4, 0, 4, 0, 4, 0,
	} {
		DATA(8*i, U64(w))
	}
	counters.zeroToThree, counters.four = m, m.Offset(64)
}

// Start copies the initial matrices to the groups.
func (r Rows) Start() {
	for g := range r.a {
		VMOVDQA64(Initial[0], r.a[g])
		VMOVDQA64(Initial[1], r.b[g])
		VMOVDQA64(Initial[2], r.c[g])
		if g == 0 {
			VMOVDQA64(Initial[3], r.d[0])
		} else {
			VPADDD(counters.four, r.d[g-1], r.d[g])
		}
	}
}

// Next advances the counters in Initial to the next group.
func Next() { VPADDD(counters.four, Initial[3], Initial[3]) }

// Count adds the numbers of the blocks of a group to Initial.
func Count() { VPADDD(counters.zeroToThree, Initial[3], Initial[3]) }
