package riscv64

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/_gen/asm"
)

type instruction struct {
	op   asm.Op
	text string
}

// every has the text of instructions as Go's assembler must accept it.
var every = []instruction{
	{ADD(X(5), X(6), X(7)), "ADD X5, X6, X7"},
	{ADDW(X(5), X(6), X(7)), "ADDW X5, X6, X7"},
	{SUB(X(5), X(6), X(7)), "SUB X5, X6, X7"},
	{SUBW(X(5), X(6), X(7)), "SUBW X5, X6, X7"},
	{AND(X(5), X(6), X(7)), "AND X5, X6, X7"},
	{OR(X(5), X(6), X(7)), "OR X5, X6, X7"},
	{XOR(X(5), X(6), X(7)), "XOR X5, X6, X7"},
	{SLT(X(5), X(6), X(7)), "SLT X5, X6, X7"},
	{SLTU(X(5), X(6), X(7)), "SLTU X5, X6, X7"},
	{ADDI(8, X(5), X(6)), "ADDI $8, X5, X6"},
	{ADDIW(8, X(5), X(6)), "ADDIW $8, X5, X6"},
	{ANDI(8, X(5), X(6)), "ANDI $8, X5, X6"},
	{ORI(8, X(5), X(6)), "ORI $8, X5, X6"},
	{XORI(8, X(5), X(6)), "XORI $8, X5, X6"},
	{SLTI(8, X(5), X(6)), "SLTI $8, X5, X6"},
	{SLTIU(8, X(5), X(6)), "SLTIU $8, X5, X6"},
	{SLL(X(5), X(6), X(7)), "SLL X5, X6, X7"},
	{SLLW(X(5), X(6), X(7)), "SLLW X5, X6, X7"},
	{SRL(X(5), X(6), X(7)), "SRL X5, X6, X7"},
	{SRLW(X(5), X(6), X(7)), "SRLW X5, X6, X7"},
	{SRA(X(5), X(6), X(7)), "SRA X5, X6, X7"},
	{SRAW(X(5), X(6), X(7)), "SRAW X5, X6, X7"},
	{SLLI(8, X(5), X(6)), "SLLI $8, X5, X6"},
	{SLLIW(8, X(5), X(6)), "SLLIW $8, X5, X6"},
	{SRLI(8, X(5), X(6)), "SRLI $8, X5, X6"},
	{SRLIW(8, X(5), X(6)), "SRLIW $8, X5, X6"},
	{SRAI(8, X(5), X(6)), "SRAI $8, X5, X6"},
	{SRAIW(8, X(5), X(6)), "SRAIW $8, X5, X6"},
	{MUL(X(5), X(6), X(7)), "MUL X5, X6, X7"},
	{MULW(X(5), X(6), X(7)), "MULW X5, X6, X7"},
	{MULH(X(5), X(6), X(7)), "MULH X5, X6, X7"},
	{MULHU(X(5), X(6), X(7)), "MULHU X5, X6, X7"},
	{MULHSU(X(5), X(6), X(7)), "MULHSU X5, X6, X7"},
	{NEG(X(5), X(6)), "NEG X5, X6"},
	{NEGW(X(5), X(6)), "NEGW X5, X6"},
	{NOT(X(5), X(6)), "NOT X5, X6"},
	{SEQZ(X(5), X(6)), "SEQZ X5, X6"},
	{SNEZ(X(5), X(6)), "SNEZ X5, X6"},
	{SH1ADD(X(5), X(6), X(7)), "SH1ADD X5, X6, X7"},
	{SH2ADD(X(5), X(6), X(7)), "SH2ADD X5, X6, X7"},
	{SH3ADD(X(5), X(6), X(7)), "SH3ADD X5, X6, X7"},
	{ADDUW(X(5), X(6), X(7)), "ADDUW X5, X6, X7"},
	{SH1ADDUW(X(5), X(6), X(7)), "SH1ADDUW X5, X6, X7"},
	{SH2ADDUW(X(5), X(6), X(7)), "SH2ADDUW X5, X6, X7"},
	{SH3ADDUW(X(5), X(6), X(7)), "SH3ADDUW X5, X6, X7"},
	{SLLIUW(8, X(5), X(6)), "SLLIUW $8, X5, X6"},
	{CLZ(X(5), X(6)), "CLZ X5, X6"},
	{CLZW(X(5), X(6)), "CLZW X5, X6"},
	{CTZ(X(5), X(6)), "CTZ X5, X6"},
	{CTZW(X(5), X(6)), "CTZW X5, X6"},
	{CPOP(X(5), X(6)), "CPOP X5, X6"},
	{CPOPW(X(5), X(6)), "CPOPW X5, X6"},
	{SEXTB(X(5), X(6)), "SEXTB X5, X6"},
	{SEXTH(X(5), X(6)), "SEXTH X5, X6"},
	{ZEXTH(X(5), X(6)), "ZEXTH X5, X6"},
	{REV8(X(5), X(6)), "REV8 X5, X6"},
	{ORCB(X(5), X(6)), "ORCB X5, X6"},
	{CZEROEQZ(X(5), X(6), X(7)), "CZEROEQZ X5, X6, X7"},
	{CZERONEZ(X(5), X(6), X(7)), "CZERONEZ X5, X6, X7"},
	{MOVR(X(5), X(6)), "MOV X5, X6"},
	{MOVI(1<<30+5, X(5)), "MOV $1073741829, X5"},
	{Address((&asm.File{}).Table("table", "", nil), X(5)), "MOV $table<>(SB), X5"},
	{Address(asm.Local{Name: "x", Offset: 16, Size: 16}, X(5)), "MOV $x-16(SP), X5"},
	{MOV(8, X(5), X(6)), "MOV 8(X5), X6"},
	{MOVWU(8, X(5), X(6)), "MOVWU 8(X5), X6"},
	{MOVW(8, X(5), X(6)), "MOVW 8(X5), X6"},
	{MOVHU(8, X(5), X(6)), "MOVHU 8(X5), X6"},
	{MOVH(8, X(5), X(6)), "MOVH 8(X5), X6"},
	{MOVBU(8, X(5), X(6)), "MOVBU 8(X5), X6"},
	{MOVB(8, X(5), X(6)), "MOVB 8(X5), X6"},
	{SD(X(5), 8, X(6)), "MOV X5, 8(X6)"},
	{SW(X(5), 8, X(6)), "MOVW X5, 8(X6)"},
	{SH(X(5), 8, X(6)), "MOVH X5, 8(X6)"},
	{SB(X(5), 8, X(6)), "MOVB X5, 8(X6)"},
	{BEQ(X(5), X(6), "loop"), "BEQ X5, X6, loop"},
	{BNE(X(5), X(6), "loop"), "BNE X5, X6, loop"},
	{BLT(X(5), X(6), "loop"), "BLT X5, X6, loop"},
	{BLTU(X(5), X(6), "loop"), "BLTU X5, X6, loop"},
	{BGE(X(5), X(6), "loop"), "BGE X5, X6, loop"},
	{BGEU(X(5), X(6), "loop"), "BGEU X5, X6, loop"},
	{BEQZ(X(5), "loop"), "BEQZ X5, loop"},
	{BNEZ(X(5), "loop"), "BNEZ X5, loop"},
	{BLTZ(X(5), "loop"), "BLTZ X5, loop"},
	{BGEZ(X(5), "loop"), "BGEZ X5, loop"},
	{BGTZ(X(5), "loop"), "BGTZ X5, loop"},
	{BLEZ(X(5), "loop"), "BLEZ X5, loop"},
	{JMP("loop"), "JMP loop"},
	{VSETVLI(X(5), E32, M2, TU, X(6)), "VSETVLI X5, E32, M2, TU, MA, X6"},
	{VSETVLI(ZERO, E8, MF2, TA, X(6)), "VSETVLI X0, E8, MF2, TA, MA, X6"},
	{VSETIVLI(16, E64, M8, TA, ZERO), "VSETIVLI $16, E64, M8, TA, MA, X0"},
	{VSETVL(X(5), X(6), X(7)), "VSETVL X5, X6, X7"},
	{VADDVV(V(4), V(8), V(12)), "VADDVV V4, V8, V12"},
	{Masked(V(0), VADDVV(V(4), V(8), V(12))), "VADDVV V4, V8, V0, V12"},
	{VSUBVV(V(4), V(8), V(12)), "VSUBVV V4, V8, V12"},
	{VANDVV(V(4), V(8), V(12)), "VANDVV V4, V8, V12"},
	{VORVV(V(4), V(8), V(12)), "VORVV V4, V8, V12"},
	{VXORVV(V(4), V(8), V(12)), "VXORVV V4, V8, V12"},
	{VSLLVV(V(4), V(8), V(12)), "VSLLVV V4, V8, V12"},
	{VSRLVV(V(4), V(8), V(12)), "VSRLVV V4, V8, V12"},
	{VSRAVV(V(4), V(8), V(12)), "VSRAVV V4, V8, V12"},
	{VMINUVV(V(4), V(8), V(12)), "VMINUVV V4, V8, V12"},
	{VMAXUVV(V(4), V(8), V(12)), "VMAXUVV V4, V8, V12"},
	{VADDVX(X(5), V(4), V(8)), "VADDVX X5, V4, V8"},
	{VSUBVX(X(5), V(4), V(8)), "VSUBVX X5, V4, V8"},
	{VRSUBVX(X(5), V(4), V(8)), "VRSUBVX X5, V4, V8"},
	{VANDVX(X(5), V(4), V(8)), "VANDVX X5, V4, V8"},
	{VORVX(X(5), V(4), V(8)), "VORVX X5, V4, V8"},
	{VXORVX(X(5), V(4), V(8)), "VXORVX X5, V4, V8"},
	{VSLLVX(X(5), V(4), V(8)), "VSLLVX X5, V4, V8"},
	{VSRLVX(X(5), V(4), V(8)), "VSRLVX X5, V4, V8"},
	{VSRAVX(X(5), V(4), V(8)), "VSRAVX X5, V4, V8"},
	{VMINUVX(X(5), V(4), V(8)), "VMINUVX X5, V4, V8"},
	{VMAXUVX(X(5), V(4), V(8)), "VMAXUVX X5, V4, V8"},
	{VADDVI(8, V(4), V(8)), "VADDVI $8, V4, V8"},
	{Masked(V(0), VADDVI(8, V(4), V(8))), "VADDVI $8, V4, V0, V8"},
	{VRSUBVI(8, V(4), V(8)), "VRSUBVI $8, V4, V8"},
	{VANDVI(8, V(4), V(8)), "VANDVI $8, V4, V8"},
	{VORVI(8, V(4), V(8)), "VORVI $8, V4, V8"},
	{VXORVI(8, V(4), V(8)), "VXORVI $8, V4, V8"},
	{VSLLVI(8, V(4), V(8)), "VSLLVI $8, V4, V8"},
	{VSRLVI(8, V(4), V(8)), "VSRLVI $8, V4, V8"},
	{VSRAVI(8, V(4), V(8)), "VSRAVI $8, V4, V8"},
	{VMULVV(V(4), V(8), V(12)), "VMULVV V4, V8, V12"},
	{VMULHVV(V(4), V(8), V(12)), "VMULHVV V4, V8, V12"},
	{VMULHUVV(V(4), V(8), V(12)), "VMULHUVV V4, V8, V12"},
	{VMULVX(X(5), V(4), V(8)), "VMULVX X5, V4, V8"},
	{VMULHVX(X(5), V(4), V(8)), "VMULHVX X5, V4, V8"},
	{VMULHUVX(X(5), V(4), V(8)), "VMULHUVX X5, V4, V8"},
	{VMACCVV(V(4), V(8), V(12)), "VMACCVV V4, V8, V12"},
	{VNMSACVV(V(4), V(8), V(12)), "VNMSACVV V4, V8, V12"},
	{VMADDVV(V(4), V(8), V(12)), "VMADDVV V4, V8, V12"},
	{VNMSUBVV(V(4), V(8), V(12)), "VNMSUBVV V4, V8, V12"},
	{VMACCVX(V(4), X(5), V(8)), "VMACCVX V4, X5, V8"},
	{VNMSACVX(V(4), X(5), V(8)), "VNMSACVX V4, X5, V8"},
	{VMADDVX(V(4), X(5), V(8)), "VMADDVX V4, X5, V8"},
	{VNMSUBVX(V(4), X(5), V(8)), "VNMSUBVX V4, X5, V8"},
	{VWADDUVV(V(4), V(8), list(V(12), V(13))), "VWADDUVV V4, V8, V12"},
	{VWADDVV(V(4), V(8), list(V(12), V(13))), "VWADDVV V4, V8, V12"},
	{VWSUBUVV(V(4), V(8), list(V(12), V(13))), "VWSUBUVV V4, V8, V12"},
	{VWMULUVV(V(4), V(8), list(V(12), V(13))), "VWMULUVV V4, V8, V12"},
	{VWMULVV(V(4), V(8), list(V(12), V(13))), "VWMULVV V4, V8, V12"},
	{VWADDUVX(X(5), V(4), list(V(8), V(9))), "VWADDUVX X5, V4, V8"},
	{VWSUBUVX(X(5), V(4), list(V(8), V(9))), "VWSUBUVX X5, V4, V8"},
	{VWMULUVX(X(5), V(4), list(V(8), V(9))), "VWMULUVX X5, V4, V8"},
	{VWMULVX(X(5), V(4), list(V(8), V(9))), "VWMULVX X5, V4, V8"},
	{VWADDUWV(V(4), list(V(8), V(9)), list(V(12), V(13))), "VWADDUWV V4, V8, V12"},
	{VWADDUWX(X(5), list(V(4), V(5)), list(V(8), V(9))), "VWADDUWX X5, V4, V8"},
	{VWSUBUWV(V(4), list(V(8), V(9)), list(V(12), V(13))), "VWSUBUWV V4, V8, V12"},
	{VWSUBUWX(X(5), list(V(4), V(5)), list(V(8), V(9))), "VWSUBUWX X5, V4, V8"},
	{VWMACCUVV(V(4), V(8), list(V(12), V(13))), "VWMACCUVV V4, V8, V12"},
	{VWMACCUVX(V(4), X(5), list(V(8), V(9))), "VWMACCUVX V4, X5, V8"},
	{VZEXTVF2(V(4), list(V(8), V(9))), "VZEXTVF2 V4, V8"},
	{VZEXTVF4(V(4), list(V(8), V(9))), "VZEXTVF4 V4, V8"},
	{VZEXTVF8(V(4), list(V(8), V(9))), "VZEXTVF8 V4, V8"},
	{VNSRLWV(V(4), list(V(8), V(9)), V(12)), "VNSRLWV V4, V8, V12"},
	{VNSRLWX(X(5), list(V(4), V(5)), V(8)), "VNSRLWX X5, V4, V8"},
	{VNSRLWI(8, list(V(4), V(5)), V(8)), "VNSRLWI $8, V4, V8"},
	{VMVVV(V(4), V(8)), "VMVVV V4, V8"},
	{VMVVX(X(5), V(4)), "VMVVX X5, V4"},
	{VMVVI(8, V(4)), "VMVVI $8, V4"},
	{VMVXS(V(4), X(5)), "VMVXS V4, X5"},
	{VMVSX(X(5), V(4)), "VMVSX X5, V4"},
	{VIDV(V(4)), "VIDV V4"},
	{VMV1RV(V(4), V(8)), "VMV1RV V4, V8"},
	{VMV2RV(list(V(8), V(9)), list(V(24), V(25))), "VMV2RV V8, V24"},
	{VMV4RV(list(V(8), V(9), V(10), V(11)), list(V(24), V(25), V(26), V(27))), "VMV4RV V8, V24"},
	{VMV8RV(list(V(8), V(9), V(10), V(11), V(12), V(13), V(14), V(15)), list(V(24), V(25), V(26), V(27), V(28), V(29), V(30), V(31))), "VMV8RV V8, V24"},
	{VRGATHERVV(V(4), V(8), V(12)), "VRGATHERVV V4, V8, V12"},
	{VRGATHERVX(X(5), V(4), V(8)), "VRGATHERVX X5, V4, V8"},
	{VRGATHERVI(8, V(4), V(8)), "VRGATHERVI $8, V4, V8"},
	{VRGATHEREI16VV(V(4), V(8), V(12)), "VRGATHEREI16VV V4, V8, V12"},
	{VSLIDEUPVX(X(5), V(4), V(8)), "VSLIDEUPVX X5, V4, V8"},
	{VSLIDEUPVI(8, V(4), V(8)), "VSLIDEUPVI $8, V4, V8"},
	{VSLIDEDOWNVX(X(5), V(4), V(8)), "VSLIDEDOWNVX X5, V4, V8"},
	{VSLIDEDOWNVI(8, V(4), V(8)), "VSLIDEDOWNVI $8, V4, V8"},
	{VSLIDE1UPVX(X(5), V(4), V(8)), "VSLIDE1UPVX X5, V4, V8"},
	{VSLIDE1DOWNVX(X(5), V(4), V(8)), "VSLIDE1DOWNVX X5, V4, V8"},
	{VCOMPRESSVM(V(4), V(8), V(12)), "VCOMPRESSVM V4, V8, V12"},
	{VREDSUMVS(V(4), V(8), V(12)), "VREDSUMVS V4, V8, V12"},
	{VREDORVS(V(4), V(8), V(12)), "VREDORVS V4, V8, V12"},
	{VREDXORVS(V(4), V(8), V(12)), "VREDXORVS V4, V8, V12"},
	{VMSEQVV(V(4), V(8), V(12)), "VMSEQVV V4, V8, V12"},
	{VMSNEVV(V(4), V(8), V(12)), "VMSNEVV V4, V8, V12"},
	{VMSLTUVV(V(4), V(8), V(12)), "VMSLTUVV V4, V8, V12"},
	{VMSLEUVV(V(4), V(8), V(12)), "VMSLEUVV V4, V8, V12"},
	{VMSEQVX(X(5), V(4), V(8)), "VMSEQVX X5, V4, V8"},
	{VMSNEVX(X(5), V(4), V(8)), "VMSNEVX X5, V4, V8"},
	{VMSLEUVX(X(5), V(4), V(8)), "VMSLEUVX X5, V4, V8"},
	{VMSGTUVX(X(5), V(4), V(8)), "VMSGTUVX X5, V4, V8"},
	{VMSEQVI(8, V(4), V(8)), "VMSEQVI $8, V4, V8"},
	{VMSNEVI(8, V(4), V(8)), "VMSNEVI $8, V4, V8"},
	{VMSLEUVI(8, V(4), V(8)), "VMSLEUVI $8, V4, V8"},
	{VMSGTUVI(8, V(4), V(8)), "VMSGTUVI $8, V4, V8"},
	{VMANDMM(V(4), V(8), V(12)), "VMANDMM V4, V8, V12"},
	{VMNANDMM(V(4), V(8), V(12)), "VMNANDMM V4, V8, V12"},
	{VMANDNMM(V(4), V(8), V(12)), "VMANDNMM V4, V8, V12"},
	{VMXORMM(V(4), V(8), V(12)), "VMXORMM V4, V8, V12"},
	{VMORMM(V(4), V(8), V(12)), "VMORMM V4, V8, V12"},
	{VMNORMM(V(4), V(8), V(12)), "VMNORMM V4, V8, V12"},
	{VMORNMM(V(4), V(8), V(12)), "VMORNMM V4, V8, V12"},
	{VMXNORMM(V(4), V(8), V(12)), "VMXNORMM V4, V8, V12"},
	{VCPOPM(V(4), X(5)), "VCPOPM V4, X5"},
	{VFIRSTM(V(4), X(5)), "VFIRSTM V4, X5"},
	{VIOTAM(V(4), V(8)), "VIOTAM V4, V8"},
	{VMERGEVVM(V(4), V(8), V(0), V(12)), "VMERGEVVM V4, V8, V0, V12"},
	{VMERGEVXM(X(5), V(4), V(0), V(8)), "VMERGEVXM X5, V4, V0, V8"},
	{VADCVVM(V(4), V(8), V(0), V(12)), "VADCVVM V4, V8, V0, V12"},
	{VADCVXM(X(5), V(4), V(0), V(8)), "VADCVXM X5, V4, V0, V8"},
	{VSBCVVM(V(4), V(8), V(0), V(12)), "VSBCVVM V4, V8, V0, V12"},
	{VSBCVXM(X(5), V(4), V(0), V(8)), "VSBCVXM X5, V4, V0, V8"},
	{VMERGEVIM(8, V(4), V(0), V(8)), "VMERGEVIM $8, V4, V0, V8"},
	{VADCVIM(8, V(4), V(0), V(8)), "VADCVIM $8, V4, V0, V8"},
	{VMADCVVM(V(4), V(8), V(0), V(12)), "VMADCVVM V4, V8, V0, V12"},
	{VMADCVV(V(4), V(8), V(12)), "VMADCVV V4, V8, V12"},
	{VMSBCVVM(V(4), V(8), V(0), V(12)), "VMSBCVVM V4, V8, V0, V12"},
	{VMSBCVV(V(4), V(8), V(12)), "VMSBCVV V4, V8, V12"},
	{VLE8V(X(5), V(4)), "VLE8V (X5), V4"},
	{Masked(V(0), VLE8V(X(5), V(4))), "VLE8V (X5), V0, V4"},
	{VLE16V(X(5), V(4)), "VLE16V (X5), V4"},
	{VLE32V(X(5), V(4)), "VLE32V (X5), V4"},
	{VLE64V(X(5), V(4)), "VLE64V (X5), V4"},
	{VSE8V(V(4), X(5)), "VSE8V V4, (X5)"},
	{Masked(V(0), VSE8V(V(4), X(5))), "VSE8V V4, V0, (X5)"},
	{VSE16V(V(4), X(5)), "VSE16V V4, (X5)"},
	{VSE32V(V(4), X(5)), "VSE32V V4, (X5)"},
	{VSE64V(V(4), X(5)), "VSE64V V4, (X5)"},
	{VLSE8V(X(5), X(6), V(4)), "VLSE8V (X5), X6, V4"},
	{Masked(V(0), VLSE8V(X(5), X(6), V(4))), "VLSE8V (X5), X6, V0, V4"},
	{VLSE16V(X(5), X(6), V(4)), "VLSE16V (X5), X6, V4"},
	{VLSE32V(X(5), X(6), V(4)), "VLSE32V (X5), X6, V4"},
	{VLSE64V(X(5), X(6), V(4)), "VLSE64V (X5), X6, V4"},
	{VSSE8V(V(4), X(5), X(6)), "VSSE8V V4, X5, (X6)"},
	{VSSE16V(V(4), X(5), X(6)), "VSSE16V V4, X5, (X6)"},
	{VSSE32V(V(4), X(5), X(6)), "VSSE32V V4, X5, (X6)"},
	{VSSE64V(V(4), X(5), X(6)), "VSSE64V V4, X5, (X6)"},
	{VLUXEI8V(X(5), V(4), V(8)), "VLUXEI8V (X5), V4, V8"},
	{VLUXEI16V(X(5), V(4), V(8)), "VLUXEI16V (X5), V4, V8"},
	{VLUXEI32V(X(5), V(4), V(8)), "VLUXEI32V (X5), V4, V8"},
	{VLUXEI64V(X(5), V(4), V(8)), "VLUXEI64V (X5), V4, V8"},
	{VSUXEI8V(V(4), V(8), X(5)), "VSUXEI8V V4, V8, (X5)"},
	{VSUXEI16V(V(4), V(8), X(5)), "VSUXEI16V V4, V8, (X5)"},
	{VSUXEI32V(V(4), V(8), X(5)), "VSUXEI32V V4, V8, (X5)"},
	{VSUXEI64V(V(4), V(8), X(5)), "VSUXEI64V V4, V8, (X5)"},
	{VLMV(X(5), V(4)), "VLMV (X5), V4"},
	{VSMV(V(4), X(5)), "VSMV V4, (X5)"},
	{VL1RE8V(X(5), V(4)), "VL1RE8V (X5), V4"},
	{VL2RE8V(X(5), V(4)), "VL2RE8V (X5), V4"},
	{VL4RE8V(X(5), V(4)), "VL4RE8V (X5), V4"},
	{VL8RE8V(X(5), V(4)), "VL8RE8V (X5), V4"},
	{VS1RV(V(4), X(5)), "VS1RV V4, (X5)"},
	{VS2RV(V(4), X(5)), "VS2RV V4, (X5)"},
	{VS4RV(V(4), X(5)), "VS4RV V4, (X5)"},
	{VS8RV(V(4), X(5)), "VS8RV V4, (X5)"},
	{VLSEG2E8V(X(5), list(V(8), V(9))), "WORD $0x22028407 // VLSEG2E8V (X5), V8"},
	{VLSEG2E32V(X(5), list(V(8), V(9))), "WORD $0x2202e407 // VLSEG2E32V (X5), V8"},
	{VLSEG2E64V(X(5), list(V(8), V(9))), "WORD $0x2202f407 // VLSEG2E64V (X5), V8"},
	{VLSEG4E8V(X(5), list(V(8), V(9), V(10), V(11))), "WORD $0x62028407 // VLSEG4E8V (X5), V8"},
	{VLSEG4E32V(X(5), list(V(8), V(9), V(10), V(11))), "WORD $0x6202e407 // VLSEG4E32V (X5), V8"},
	{VLSEG4E64V(X(5), list(V(8), V(9), V(10), V(11))), "WORD $0x6202f407 // VLSEG4E64V (X5), V8"},
	{VLSEG8E8V(X(5), list(V(8), V(9), V(10), V(11), V(12), V(13), V(14), V(15))), "WORD $0xe2028407 // VLSEG8E8V (X5), V8"},
	{VLSEG8E16V(X(5), list(V(8), V(9), V(10), V(11), V(12), V(13), V(14), V(15))), "WORD $0xe202d407 // VLSEG8E16V (X5), V8"},
	{VLSEG8E32V(X(5), list(V(8), V(9), V(10), V(11), V(12), V(13), V(14), V(15))), "WORD $0xe202e407 // VLSEG8E32V (X5), V8"},
	{VLSEG8E64V(X(5), list(V(8), V(9), V(10), V(11), V(12), V(13), V(14), V(15))), "WORD $0xe202f407 // VLSEG8E64V (X5), V8"},
	{VSSEG2E8V(list(V(8), V(9)), X(5)), "WORD $0x22028427 // VSSEG2E8V V8, (X5)"},
	{VSSEG2E32V(list(V(8), V(9)), X(5)), "WORD $0x2202e427 // VSSEG2E32V V8, (X5)"},
	{VSSEG2E64V(list(V(8), V(9)), X(5)), "WORD $0x2202f427 // VSSEG2E64V V8, (X5)"},
	{VSSEG4E8V(list(V(8), V(9), V(10), V(11)), X(5)), "WORD $0x62028427 // VSSEG4E8V V8, (X5)"},
	{VSSEG4E32V(list(V(8), V(9), V(10), V(11)), X(5)), "WORD $0x6202e427 // VSSEG4E32V V8, (X5)"},
	{VSSEG4E64V(list(V(8), V(9), V(10), V(11)), X(5)), "WORD $0x6202f427 // VSSEG4E64V V8, (X5)"},
	{VSSEG8E8V(list(V(8), V(9), V(10), V(11), V(12), V(13), V(14), V(15)), X(5)), "WORD $0xe2028427 // VSSEG8E8V V8, (X5)"},
	{VSSEG8E16V(list(V(8), V(9), V(10), V(11), V(12), V(13), V(14), V(15)), X(5)), "WORD $0xe202d427 // VSSEG8E16V V8, (X5)"},
	{VSSEG8E32V(list(V(8), V(9), V(10), V(11), V(12), V(13), V(14), V(15)), X(5)), "WORD $0xe202e427 // VSSEG8E32V V8, (X5)"},
	{VSSEG8E64V(list(V(8), V(9), V(10), V(11), V(12), V(13), V(14), V(15)), X(5)), "WORD $0xe202f427 // VSSEG8E64V V8, (X5)"},
	{VLSSEG2E8V(X(5), X(6), list(V(8), V(9))), "WORD $0x2a628407 // VLSSEG2E8V (X5), X6, V8"},
	{VLSSEG2E32V(X(5), X(6), list(V(8), V(9))), "WORD $0x2a62e407 // VLSSEG2E32V (X5), X6, V8"},
	{VLSSEG2E64V(X(5), X(6), list(V(8), V(9))), "WORD $0x2a62f407 // VLSSEG2E64V (X5), X6, V8"},
	{VLSSEG4E8V(X(5), X(6), list(V(8), V(9), V(10), V(11))), "WORD $0x6a628407 // VLSSEG4E8V (X5), X6, V8"},
	{VLSSEG4E32V(X(5), X(6), list(V(8), V(9), V(10), V(11))), "WORD $0x6a62e407 // VLSSEG4E32V (X5), X6, V8"},
	{VLSSEG4E64V(X(5), X(6), list(V(8), V(9), V(10), V(11))), "WORD $0x6a62f407 // VLSSEG4E64V (X5), X6, V8"},
	{VLSSEG8E8V(X(5), X(6), list(V(8), V(9), V(10), V(11), V(12), V(13), V(14), V(15))), "WORD $0xea628407 // VLSSEG8E8V (X5), X6, V8"},
	{VLSSEG8E32V(X(5), X(6), list(V(8), V(9), V(10), V(11), V(12), V(13), V(14), V(15))), "WORD $0xea62e407 // VLSSEG8E32V (X5), X6, V8"},
	{VLSSEG8E64V(X(5), X(6), list(V(8), V(9), V(10), V(11), V(12), V(13), V(14), V(15))), "WORD $0xea62f407 // VLSSEG8E64V (X5), X6, V8"},
	{VSSSEG2E8V(list(V(8), V(9)), X(5), X(6)), "WORD $0x2a530427 // VSSSEG2E8V V8, X5, (X6)"},
	{VSSSEG2E32V(list(V(8), V(9)), X(5), X(6)), "WORD $0x2a536427 // VSSSEG2E32V V8, X5, (X6)"},
	{VSSSEG2E64V(list(V(8), V(9)), X(5), X(6)), "WORD $0x2a537427 // VSSSEG2E64V V8, X5, (X6)"},
	{VSSSEG4E8V(list(V(8), V(9), V(10), V(11)), X(5), X(6)), "WORD $0x6a530427 // VSSSEG4E8V V8, X5, (X6)"},
	{VSSSEG4E32V(list(V(8), V(9), V(10), V(11)), X(5), X(6)), "WORD $0x6a536427 // VSSSEG4E32V V8, X5, (X6)"},
	{VSSSEG4E64V(list(V(8), V(9), V(10), V(11)), X(5), X(6)), "WORD $0x6a537427 // VSSSEG4E64V V8, X5, (X6)"},
	{VSSSEG8E8V(list(V(8), V(9), V(10), V(11), V(12), V(13), V(14), V(15)), X(5), X(6)), "WORD $0xea530427 // VSSSEG8E8V V8, X5, (X6)"},
	{VSSSEG8E32V(list(V(8), V(9), V(10), V(11), V(12), V(13), V(14), V(15)), X(5), X(6)), "WORD $0xea536427 // VSSSEG8E32V V8, X5, (X6)"},
	{VSSSEG8E64V(list(V(8), V(9), V(10), V(11), V(12), V(13), V(14), V(15)), X(5), X(6)), "WORD $0xea537427 // VSSSEG8E64V V8, X5, (X6)"},
	{CSRR("VLENB", X(5)), "CSRRS X0, VLENB, X5"},
	{ANDN(X(5), X(6), X(7)), "WORD $0x405373b3 // ANDN X5, X6, X7"},
	{ORN(X(5), X(6), X(7)), "WORD $0x405363b3 // ORN X5, X6, X7"},
	{XNOR(X(5), X(6), X(7)), "WORD $0x405343b3 // XNOR X5, X6, X7"},
	{ROL(X(5), X(6), X(7)), "WORD $0x605313b3 // ROL X5, X6, X7"},
	{ROR(X(5), X(6), X(7)), "WORD $0x605353b3 // ROR X5, X6, X7"},
	{ROLW(X(5), X(6), X(7)), "WORD $0x605313bb // ROLW X5, X6, X7"},
	{RORW(X(5), X(6), X(7)), "WORD $0x605353bb // RORW X5, X6, X7"},
	{MIN(X(5), X(6), X(7)), "WORD $0x0a5343b3 // MIN X5, X6, X7"},
	{MINU(X(5), X(6), X(7)), "WORD $0x0a5353b3 // MINU X5, X6, X7"},
	{MAX(X(5), X(6), X(7)), "WORD $0x0a5363b3 // MAX X5, X6, X7"},
	{MAXU(X(5), X(6), X(7)), "WORD $0x0a5373b3 // MAXU X5, X6, X7"},
	{RORI(8, X(5), X(6)), "WORD $0x6082d313 // RORI $8, X5, X6"},
	{RORIW(8, X(5), X(6)), "WORD $0x6082d31b // RORIW $8, X5, X6"},
	{PACK(X(5), X(6), X(7)), "WORD $0x085343b3 // PACK X5, X6, X7"},
	{PACKH(X(5), X(6), X(7)), "WORD $0x085373b3 // PACKH X5, X6, X7"},
	{PACKW(X(5), X(6), X(7)), "WORD $0x085343bb // PACKW X5, X6, X7"},
	{XPERM4(X(5), X(6), X(7)), "WORD $0x285323b3 // XPERM4 X5, X6, X7"},
	{XPERM8(X(5), X(6), X(7)), "WORD $0x285343b3 // XPERM8 X5, X6, X7"},
	{BREV8(X(5), X(6)), "WORD $0x6872d313 // BREV8 X5, X6"},
	{CLMUL(X(5), X(6), X(7)), "WORD $0x0a5313b3 // CLMUL X5, X6, X7"},
	{CLMULH(X(5), X(6), X(7)), "WORD $0x0a5333b3 // CLMULH X5, X6, X7"},
	{CLMULR(X(5), X(6), X(7)), "WORD $0x0a5323b3 // CLMULR X5, X6, X7"},
	{AES64ES(X(5), X(6), X(7)), "WORD $0x325303b3 // AES64ES X5, X6, X7"},
	{AES64ESM(X(5), X(6), X(7)), "WORD $0x365303b3 // AES64ESM X5, X6, X7"},
	{AES64DS(X(5), X(6), X(7)), "WORD $0x3a5303b3 // AES64DS X5, X6, X7"},
	{AES64DSM(X(5), X(6), X(7)), "WORD $0x3e5303b3 // AES64DSM X5, X6, X7"},
	{AES64KS2(X(5), X(6), X(7)), "WORD $0x7e5303b3 // AES64KS2 X5, X6, X7"},
	{AES64IM(X(5), X(6)), "WORD $0x30029313 // AES64IM X5, X6"},
	{AES64KS1I(8, X(5), X(6)), "WORD $0x31829313 // AES64KS1I $8, X5, X6"},
	{SHA256SUM0(X(5), X(6)), "WORD $0x10029313 // SHA256SUM0 X5, X6"},
	{SHA256SUM1(X(5), X(6)), "WORD $0x10129313 // SHA256SUM1 X5, X6"},
	{SHA256SIG0(X(5), X(6)), "WORD $0x10229313 // SHA256SIG0 X5, X6"},
	{SHA256SIG1(X(5), X(6)), "WORD $0x10329313 // SHA256SIG1 X5, X6"},
	{SHA512SUM0(X(5), X(6)), "WORD $0x10429313 // SHA512SUM0 X5, X6"},
	{SHA512SUM1(X(5), X(6)), "WORD $0x10529313 // SHA512SUM1 X5, X6"},
	{SHA512SIG0(X(5), X(6)), "WORD $0x10629313 // SHA512SIG0 X5, X6"},
	{SHA512SIG1(X(5), X(6)), "WORD $0x10729313 // SHA512SIG1 X5, X6"},
	{SM3P0(X(5), X(6)), "WORD $0x10829313 // SM3P0 X5, X6"},
	{SM3P1(X(5), X(6)), "WORD $0x10929313 // SM3P1 X5, X6"},
	{SM4ED(3, X(5), X(6), X(7)), "WORD $0xf05303b3 // SM4ED $3, X5, X6, X7"},
	{SM4KS(3, X(5), X(6), X(7)), "WORD $0xf45303b3 // SM4KS $3, X5, X6, X7"},
	{VANDNVV(V(4), V(8), V(12)), "WORD $0x06820657 // VANDNVV V4, V8, V12"},
	{VROLVV(V(4), V(8), V(12)), "WORD $0x56820657 // VROLVV V4, V8, V12"},
	{VRORVV(V(4), V(8), V(12)), "WORD $0x52820657 // VRORVV V4, V8, V12"},
	{VANDNVX(X(5), V(4), V(8)), "WORD $0x0642c457 // VANDNVX X5, V4, V8"},
	{VROLVX(X(5), V(4), V(8)), "WORD $0x5642c457 // VROLVX X5, V4, V8"},
	{VRORVX(X(5), V(4), V(8)), "WORD $0x5242c457 // VRORVX X5, V4, V8"},
	{VREV8V(V(4), V(8)), "WORD $0x4a44a457 // VREV8V V4, V8"},
	{VBREV8V(V(4), V(8)), "WORD $0x4a442457 // VBREV8V V4, V8"},
	{VRORVI(8, V(4), V(8)), "WORD $0x52443457 // VRORVI $8, V4, V8"},
	{VCLMULVV(V(4), V(8), V(12)), "WORD $0x32822657 // VCLMULVV V4, V8, V12"},
	{VCLMULHVV(V(4), V(8), V(12)), "WORD $0x36822657 // VCLMULHVV V4, V8, V12"},
	{VCLMULVX(X(5), V(4), V(8)), "WORD $0x3242e457 // VCLMULVX X5, V4, V8"},
	{VCLMULHVX(X(5), V(4), V(8)), "WORD $0x3642e457 // VCLMULHVX X5, V4, V8"},
	{VAESEMVV(V(4), V(8)), "WORD $0xa2412477 // VAESEMVV V4, V8"},
	{VAESEFVV(V(4), V(8)), "WORD $0xa241a477 // VAESEFVV V4, V8"},
	{VAESDMVV(V(4), V(8)), "WORD $0xa2402477 // VAESDMVV V4, V8"},
	{VAESDFVV(V(4), V(8)), "WORD $0xa240a477 // VAESDFVV V4, V8"},
	{VAESEMVS(V(4), V(8)), "WORD $0xa6412477 // VAESEMVS V4, V8"},
	{VAESEFVS(V(4), V(8)), "WORD $0xa641a477 // VAESEFVS V4, V8"},
	{VAESDMVS(V(4), V(8)), "WORD $0xa6402477 // VAESDMVS V4, V8"},
	{VAESDFVS(V(4), V(8)), "WORD $0xa640a477 // VAESDFVS V4, V8"},
	{VAESZVS(V(4), V(8)), "WORD $0xa643a477 // VAESZVS V4, V8"},
	{VAESKF1VI(8, V(4), V(8)), "WORD $0x8a442477 // VAESKF1VI $8, V4, V8"},
	{VAESKF2VI(8, V(4), V(8)), "WORD $0xaa442477 // VAESKF2VI $8, V4, V8"},
	{VGHSHVV(V(4), V(8), V(12)), "WORD $0xb2822677 // VGHSHVV V4, V8, V12"},
	{VGMULVV(V(4), V(8)), "WORD $0xa248a477 // VGMULVV V4, V8"},
	{VSM4RVV(V(4), V(8)), "WORD $0xa2482477 // VSM4RVV V4, V8"},
	{VSM4RVS(V(4), V(8)), "WORD $0xa6482477 // VSM4RVS V4, V8"},
	{VSM4KVI(8, V(4), V(8)), "WORD $0x86442477 // VSM4KVI $8, V4, V8"},
	{VSM3MEVV(V(4), V(8), V(12)), "WORD $0x82822677 // VSM3MEVV V4, V8, V12"},
	{VSM3CVI(8, V(4), V(8)), "WORD $0xae442477 // VSM3CVI $8, V4, V8"},
	{RET(), "RET"},
}

// Each instruction has the text that is expected, and Go's assembler accepts it.
func TestText(t *testing.T) {
	file := &asm.File{Target: Target}
	f := file.Func("all", "()")
	f.Local("x", 16)
	start := asm.Remark("registers of the instructions below")
	start.Writes = list(State)
	for i := range 32 {
		start.Writes = append(start.Writes, X(i), V(i))
	}
	f.Add(start)
	f.Label("loop")
	file.Table("table", "is a table.", make([]byte, 16))
	for _, e := range every {
		f.Add(e.op)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "all_riscv64.s")
	file.Write(path, "")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.ReplaceAll(string(text), "; ", "\n\t"), "\n") // an instruction each
	for _, e := range every {
		if !slices.Contains(lines, "\t"+e.text) {
			t.Errorf("no %q", e.text)
		}
	}
	source, err := os.ReadFile("riscv64_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range exported(t) {
		if !strings.Contains(string(source), name+"(") {
			t.Errorf("no %s", name)
		}
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "tool", "asm", "-p", "x", "-I", strings.TrimSpace(string(root))+"/pkg/include", "-o", filepath.Join(dir, "x.o"), path)
	cmd.Env = append(os.Environ(), "GOARCH=riscv64")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// exported returns the names of the functions that make instructions.
func exported(t *testing.T) (names []string) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Name.Name == strings.ToUpper(f.Name.Name) && len(f.Name.Name) > 1 {
				names = append(names, f.Name.Name)
			}
		}
	}
	return names
}

// TestUse checks the registers that instructions read and write beyond the operands of their text.
func TestUse(t *testing.T) {
	g := list(V(4), V(5), V(6), V(7))
	for _, c := range []struct {
		op            asm.Op
		reads, writes []asm.Reg
	}{
		{ADD(ZERO, X(5), X(6)), list(X(5)), list(X(6))},
		{ADD(X(5), X(6), ZERO), list(X(5), X(6)), nil},
		{BEQ(ZERO, X(6), "x"), list(X(6)), nil},
		{SD(ZERO, 8, X(6)), list(X(6)), nil},
		{MOV(8, X(6), X(5)), list(X(6)), list(X(5))},
		{VSETVLI(ZERO, E8, M1, TA, ZERO), nil, list(State)},
		{VSETVLI(X(5), E8, M1, TA, X(6)), list(X(5)), list(X(6), State)},
		{VADDVX(ZERO, V(1), V(2)), list(V(1), State), list(V(2))},
		{VADDVV(g[:2], g[2:], list(V(8), V(9))), append(g, State), list(V(8), V(9))},
		{VMACCVX(V(1), X(5), V(2)), list(V(1), X(5), State, V(2)), list(V(2))},
		{VSLIDEUPVI(1, V(1), V(2)), list(V(1), State, V(2)), list(V(2))},
		{Keep(VMVVI(0, V(2))), list(State, V(2)), list(V(2))},
		{VWADDUWV(V(1), g[:2], g[:2]), list(V(1), V(4), V(5), State), list(V(4), V(5))},
		{VLSEG4E8V(X(5), g), list(X(5), State), g},
		{VSSSEG4E8V(g, X(6), X(5)), append(g, X(6), State, X(5)), nil},
		{VAESEMVS(V(1), g), append(list(V(1), State), g...), g},
		{VGHSHVV(V(1), V(2), V(3)), list(V(1), V(2), State, V(3)), list(V(3))},
		{VS4RV(g, X(5)), append(g, X(5)), nil},
		{VMV2RV(g[:2], g[2:]), g[:2], g[2:]},
		{Masked(V(0), VADDVI(1, V(1), V(2))), list(V(1), State, V(0)), list(V(2))},
	} {
		if !slices.Equal(c.op.Reads, c.reads) || !slices.Equal(c.op.Writes, c.writes) {
			t.Errorf("%s reads %v and writes %v", c.op.Text, c.op.Reads, c.op.Writes)
		}
	}
}

// Groups of registers, results, and a frame that is too large to go without a check.
func TestFunc(t *testing.T) {
	file := &asm.File{Target: Target}
	f := file.Func("copy", "(src *byte) (n int)")
	src, n := f.Arg("src"), f.New(Integer, "n")
	x, l := f.Group(Vector, "x", 4, 4), f.Local("l", 512)
	f.Add(
		VSETVLI(ZERO, E8, M4, TA, n),
		VLE8V(src, x),
		Address(l, src),
		VSE8V(x, src),
		SetResult(n, f.Result("n")),
		RET(),
	)
	path := filepath.Join(t.TempDir(), "copy_riscv64.s")
	file.Write(path, "")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"V0-V3 x.\n", "TEXT ·copy(SB), 0, $512-16\n", "\tMOV $l-512(SP), X5\n", "\tMOV X6, n+8(FP)\n"} {
		if !strings.Contains(strings.ReplaceAll(string(text), "; ", "\n\t"), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
