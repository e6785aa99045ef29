// Macro mnemonics for RISC-V instructions that Go's assembler does not know
// (VRORVI), or writes as three others unless GORISCV64 promises them (RORIW).
// Operands are in Go's order, immediate first and destination last, registers
// by number. encoding_test.go holds the bytes against those of other assemblers.

// roriw, Zbb: the lower half of rs rotated right, sign-extended.
#define RORIW(n, rs, rd) WORD $(0x6000501b | (n)<<20 | (rs)<<15 | (rd)<<7)

// vror.vi, Zvkb: elements rotated right by n < 32.
#define VRORVI(n, vs2, vd) WORD $(0x52003057 | (vs2)<<20 | (n)<<15 | (vd)<<7)
