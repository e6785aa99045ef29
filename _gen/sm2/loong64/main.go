// Command loong64 writes the kernels of sm2/internal/loong64. Those that read tables have a second
// form with LSX.
//
// # Algorithm
//
// That of package risc, _gen/sm2/risc. ALSLV doubles a limb and adds the bit from the limb below;
// BSTRINSV sets a limb's highest bit from the limb above. MASKEQZ makes what is added to a number that is not below p.
//
// # Registers
//
// As there, and with LSX
//
//	v      sums of entries, two limbs in each
//	x      two limbs of an entry
//	mask   all ones for the entry that is wanted
//
// # Bound
//
// Instructions stay in the order of the algorithm: LA464 and LA664 start four in a cycle, out of
// order. A squaring is 6 instructions shorter than on RV64, the reduction of what is not below p 7: a doubling has 1600. To read a
// row of 32 entries takes 900 instructions, and 400 with LSX: a load and a selection for each two
// limbs, and four for the mask of an entry.
package main

import (
	"flag"
	"fmt"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/loong64"
	"github.com/cipherlane/cipherlane/_gen/sm2/risc"
)

//go:generate go run . -out ../../../sm2/internal/loong64/sm2_loong64.s -declarations ../../../sm2/internal/loong64/sm2_loong64.go

var la64 = &risc.ISA{
	Target: Target, Suffix: "LA64", Zero: ZERO,
	ADD: ADDV, SUB: SUBV, AND: AND, OR: OR, XOR: XOR, SLTU: SGTU, MUL: MULV, MULHU: MULHVU,
	ADDI: ADDVI, ANDI: ANDI, SLLI: SLLVI, SRLI: SRLVI, SRAI: SRAVI,
	NEG:  func(a, d asm.Reg) asm.Op { return SUBV(a, ZERO, d) },
	NOT:  func(a, d asm.Reg) asm.Op { return NOR(a, ZERO, d) },
	SEQZ: func(a, d asm.Reg) asm.Op { return SGTUI(1, a, d) },
	SNEZ: func(a, d asm.Reg) asm.Op { return SGTU(a, ZERO, d) },
	MOVR: MOVR, MOVI: MOVI, MOV: MOVV, SD: SV, LocalD: LocalV, SetLocalD: SetLocalV, SetResult: SetResult,
	BEQ: BEQ, BNE: BNE,
	BEQZ: func(a asm.Reg, to string) asm.Op { return BEQ(a, ZERO, to) },
	BNEZ: func(a asm.Reg, to string) asm.Op { return BNE(a, ZERO, to) },
	JMP:  JMP, RET: RET,
	SH1ADD:    func(a, b, d asm.Reg) asm.Op { return ALSLV(1, b, a, d) },
	InsertTop: func(a, d asm.Reg) asm.Op { return BSTRINSV(63, a, 63, d) },
	MASKEQZ:   MASKEQZ,
}

func main() {
	out := flag.String("out", "", "assembly `file` to write")
	declarations := flag.String("declarations", "", "Go `file` to write")
	flag.Parse()
	file := &asm.File{Target: Target}
	la64.Write(file)
	lsx := *la64
	lsx.Suffix, lsx.Select = "LSX", selectLSX
	lsx.WriteTables(file)
	file.Write(*out, *declarations)
}

// selectLSX keeps the sums in vectors of two limbs.
func selectLSX(f *asm.Func, table, left asm.Reg, count int, sums []asm.Reg) {
	const unroll = 4
	v := f.Several(Vector, "v", len(sums)/2)
	end, size := f.New(Integer, "end"), 8*len(sums)
	f.Add(MOVI(count*size, end), ADDV(table, end, end))
	for _, s := range v {
		f.Add(LSX.REPLICATE(D, ZERO, s))
	}
	label := fmt.Sprint("entries", len(sums))
	f.Label(label)
	for i := range unroll {
		this, mask := f.New(Integer, "mask"), f.New(Vector, "mask")
		f.Add(ADDVI(-1, left, left), SGTUI(1, left, this), SUBV(this, ZERO, this), LSX.REPLICATE(D, this, mask))
		for j, s := range v {
			x := f.New(Vector, "x")
			f.Add(LSX.Load(size*i+16*j, table, x), LSX.BITSEL(mask, x, s, s))
		}
	}
	f.Add(ADDVI(unroll*size, table, table), BNE(table, end, label))
	for j, s := range sums {
		f.Add(LSX.PICK(j%2, v[j/2], s))
	}
}
