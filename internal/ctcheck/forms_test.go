package ctcheck

import (
	"slices"
	"strings"
	"testing"
)

// TestForms has forms of instructions that leak, or that the analysis must refuse: the kind of
// finding in the first column, or nothing if there must be none.
func TestForms(t *testing.T) {
	const words = "//ct:secret p x v\n//ct:public q\nfunc f(p *[8]uint, x, n uint, q *[8]uint) (v uint)"
	for arch, list := range map[string][]string{
		"arm": {
			// R0 is secret, R3 an address, R4 public, and so are R5 to R7.
			"unknown| MOVW R0<<2(R3), R1",
			"unknown| MOVW R4<<2(R3), R1",
			"unknown| MOVW R1, R0<<2(R3)",
			"unknown| MOVW R0, R15",
			"unknown| ADD R0, R15, R15",
			"unknown| ADD R0<<2, R15",
			"unknown| SUB R15, R4, R5",
			"unknown| MOVW 4(R15), R1",
			"unknown| MOVW (R3), R15",
			"unknown| MOVM.IA (R3), [R1,R15]",
			"unknown| MOVM.IA.W (R3), [R1,R15]",
			"unknown| CMP $0, R0; MOVW.EQ R14, R15",
			"unknown| CMP $0, R0; RET.EQ",
			"unknown| RET.NE",
			"unknown| CMP $0, R0; B.EQ done",
			"unknown| BEQ.S done",
			"unknown| CMP $0, R0; BL.EQ done",
			"address| CMP $0, R0; MOVW.EQ R4, (R3)",
			"address| CMP $0, R0; MOVW.EQ.P 4(R3), R4",
			"address| CMP $0, R0; MOVM.EQ.IA (R3), [R4,R5]",
			"address| CMP $0, R0; MOVM.IA.EQ [R4,R5], (R3)",
			"time| CMP $0, R0; MUL.EQ R4, R5, R6",
			"unknown| MOVW.U (R3), R4",
			"unknown| MOVM (R3), [R4,R5]",
			"unknown| MOVM.IA.S (R3), [R4,R5]",
			"unknown| MOVM.IA.W [R3,R4], (R3)",
			"unknown| MOVW R4@>0, R5",
			"unknown| MOVW.EQ.NE R4, R5",
			// The second source of a short form is the destination.
			"branch| MOVW R0, R5; ADC R4, R5; CMP $0, R5; BEQ done",
			"branch| MOVW R0, R5; SLL $1, R5; CMP $0, R5; BEQ done",
			"branch| MOVW R0, R5; MUL R4, R5; CMP $0, R5; BEQ done",
			"branch| MOVW R0, R5; EOR R4, R5; CMP $0, R5; BEQ done",
			"branch| MOVW R4, R5; EOR R0, R5; CMP $0, R5; BEQ done",
			"| MOVW R0, R5; EOR R5, R5; CMP $0, R5; BEQ done",
			"| MOVW R0, R5; EOR R5, R5, R5; CMP $0, R5; BEQ done",
			// Logic leaves the carry and the overflow.
			"branch| ADD.S R0, R0, R5; TST $1, R4; BCS done",
			"branch| ADD.S R0, R0, R5; AND.S $1, R4, R4; BVS done",
			"branch| ADD.S R0, R0, R5; MOVW.S R4, R5; BCS done",
			"| ADD.S R0, R0, R5; TST $1, R4; BEQ done",
			"| ADD.S R0, R0, R5; CMP $1, R4; BCS done",
			"branch| TST R0>>1, R4; BCS done",
			// The lowest register is at the lowest address.
			"branch| MOVW R0, 4(R13); MOVW R4, 8(R13); ADD $4, R13, R5; MOVM.IA (R5), [R7,R6]; CMP $0, R6; BEQ done",
			"stack| MOVW R0, 4(R13); MOVW R4, 8(R13); ADD $8, R13, R5; MOVM.DA (R5), [R6,R7]; CMP $0, R7; BEQ done",
		},
		"amd64": {
			// AX is secret, BX an address, CX public, and so is DX.
			"unknown| BTQ AX, (BX)",
			"unknown| BTQ CX, (BX)",
			"unknown| BTSQ AX, (BX)",
			"unknown| BTRQ AX, (BX)",
			"unknown| BTQ AX, DX",
			"unknown| LOOP done",
			"unknown| JCXZQ done",
			"unknown| REP; MOVSQ",
			"unknown| JMP AX",
			"unknown| JMP (BX)",
			"unknown| CALL AX",
			"unknown| XLAT",
			"unknown| RET $8",
			"unknown| VPGATHERDD X1, (BX)(X0*4), X2",
			"unknown| VMOVDQU (BX)(X0*1), X2",
			"unknown| KMOVQ AX, K1; VPEXPANDQ.Z (BX), K1, Z0",
			"unknown| VPERMILPD.BCST $1, (BX), X0",
			// Parts of registers.
			"unknown| MOVB $1, DL",
			"unknown| ADDW $1, DX",
			"unknown| MOVBWZX CX, DX",
			// MOVD stores 8 bytes.
			"branch| XORL DX, DX; MOVQ DX, 0(SP); MOVQ AX, X2; MOVD X2, 0(SP); MOVL 4(SP), DX; TESTL DX, DX; JEQ done",
			// A shift by more than 1 may leave the overflow, and a product the zero flag.
			"branch| TESTQ AX, AX; ADDQ AX, AX; RORQ $13, DX; JOS done",
			"branch| ADDQ AX, AX; SHLQ $2, DX; JLT done",
			"| ADDQ AX, AX; SHLQ $1, DX; JLT done",
			"branch| ADDQ AX, AX; IMULQ CX, DX; JEQ done",
			"| ADDQ AX, AX; IMULQ CX, DX; JCS done",
			// All ones do not depend on memory, but its address counts.
			"address| VPTERNLOGD $255, (BX)(AX*4), Z3, Z4",
			// A shift by 0 leaves the flags.
			"branch| TESTQ AX, AX; SHLQ CX, DX; JEQ done",
			"branch| TESTQ AX, AX; SHLQ $0, DX; JEQ done",
			"branch| TESTQ AX, AX; SARQ $64, DX; JEQ done",
			"unknown| SHLQ CX, DX, R8",
			"| TESTQ AX, AX; SHLQ $1, DX; JEQ done",
			"branch| ADDQ AX, AX; ROLQ $0, DX; JCS done",
			"| ADDQ AX, AX; SHRQ $1, DX; JCS done",
		},
		"arm64": {
			// R0 is secret, R3 an address, R4 public.
			"unknown| PRFM (R0), $0",
			// The assembler makes other instructions of these.
			"unknown| VSHL $-1, V4.B16, V5.B16",
			"unknown| VSHL $8, V4.B16, V5.B16",
			"unknown| VUSHR $0, V4.S4, V5.S4",
			"unknown| VSRI $33, V4.S4, V5.S4",
			"| VUSHR $32, V4.S4, V5.S4",
			"| VSHL $31, V4.S4, V5.S4",
			"branch| TBNZ $3, R0, done",
			"branch| CBNZW R0, done",
			"unknown| MRS NZCV, R1",
			"unknown| MSR R0, NZCV",
			"unknown| CCMP EQ, R0, R4, $3",
			"unknown| RET (R0)",
			"unknown| B (R0)",
			"unknown| MOVD.P.W 8(R3), R1",
			"address| ADD R0, R3, R5; LDP.P 16(R5), (R6, R7)",
			"address| ADD R0, R3, R5; STP.W (R6, R7), 16(R5)",
			"branch| MOVD R0, R5; ADC R4, R5; CBZ R5, done",
			"branch| MOVD R0, R5; MUL R4, R5; CBZ R5, done",
			"branch| MOVD R0, R5; ASR $1, R5; CBZ R5, done",
			"unknown| VMOV R0, V1.D[0]; VLD1 (R3), V1.D[1]; VMOV V1.D[0], R5; CBZ R5, done",
			// What CBZ compares says nothing of the flags.
			"branch| MOVD $0, R5; CMP $5, R4; CBNZ R5, done; BEQ leak; B done; leak: CBZ R0, done",
			"unknown| MOVD R4, R27",
			// The assembler takes lists of any length.
			"unknown| VLD4R (R3), [V0.B16]",
			"unknown| VLD2 (R3), [V0.B16, V1.B16, V2.B16]",
			"unknown| VST4 [V0.D2, V1.D2, V2.D2], (R3)",
			"unknown| VLD1 (R3), [V31.B16, V0.B16]",
		},
		"riscv64": {
			// X5 is secret, X6 an address, X7 public, V1 secret, V2 and others public, with E8 and M1.
			"branch| VLE32V (X8), V4; VMVXS V7, X9; BNEZ X9, done",
			"unknown| XORI X5, X5, X9",
			"unknown| SRLI X7, X9, X9",
			"branch| VLE8V (X8), V0, V1; VMVXS V1, X9; BNEZ X9, done",
			"branch| VLE8V (X6), V0, V1; VMVXS V1, X9; BNEZ X9, done",
			"branch| VREV8V V2, V0, V1; VMVXS V1, X9; BNEZ X9, done",
			"store| VMV1RV V1, V7; VSE32V V4, (X6)",
			"address| VMV1RV V1, V11; VLUXEI64V (X6), V4, V20",
			"unknown| VLE64V (X6), V4; VSETVLI X0, E8, M2, TA, MA, X9; VLE64V (X6), V0",
			"time| VSLIDEUPVX X5, V2, V4",
			"time| VCOMPRESSVM V1, V2, V4",
			"time| VCOMPRESSVM V0, V1, V4",
			"time| VFIRSTM V1, X9",
			"time| VCPOPM V1, X9",
			"time| VIOTAM V1, V4",
			"branch| VMVVI $0, V0; VCOMPRESSVM V0, V2, V1; VMVXS V1, X9; BNEZ X9, done",
			"branch| VMVVI $0, V0; VADDVV V2, V2, V0, V1; VMVXS V1, X9; BNEZ X9, done",
			"time| VMINUVV V1, V2, V4",
			"time| VSLLVV V1, V2, V4",
			"time| VSLLVX X5, V2, V4",
			"| VSLLVX X7, V1, V4",
			"time| CPOP X5, X9",
			"time| CLZ X5, X9",
			"time| CTZW X5, X9",
			"time| MAX X5, X7, X9",
			"time| ORCB X5, X9",
			"time| CLMULR X5, X7, X9",
			"| CLMULH X5, X7, X9",
			"branch| MOV X5, X9; SRA $1, X9; BNEZ X9, done",
			"branch| MOV X5, X9; MUL X7, X9; BNEZ X9, done",
			// Elements behind the length stay, if it is not the largest.
			"store| VSETIVLI $4, E8, M1, TA, MA, X0; VMVVI $0, V1; VSETVLI X0, E8, M1, TA, MA, X9; VSE8V V1, (X6)",
			"| VMVVI $0, V1; VSETIVLI $4, E8, M1, TA, MA, X0; VSE8V V1, (X6)",
			"| VSETIVLI $4, E32, M1, TA, MA, X0; VMVVI $0, V1; VSETIVLI $16, E8, M1, TA, MA, X0; VSE8V V1, (X6)",
			"store| VSETVLI X0, E8, MF2, TA, MA, X9; VMVVI $0, V1; VSETVLI X0, E8, M1, TA, MA, X9; VSE8V V1, (X6)",
			"unknown| VSETVL X7, X7, X9; VADDVV V2, V2, V2",
			"unknown| CSRRS X7, VLENB, X9",
			"unknown| JMP (X5)",
			"unknown| RET X5",
			"unknown| MOV X7, X31",
		},
		"mips": {
			// R1 is secret, R2 an address, R3 public.
			"branch| MOVW R1, R4; NOR R3, R4; BNE R4, R0, done",
			"branch| MOVW R1, R4; SRA $1, R4; BNE R4, R0, done",
			"branch| MUL R1, R3, R4; MOVW LO, R5; BNE R5, R0, done",
			"branch| MULU R1, R3; MUL R3, R3, R4; MOVW LO, R5; BNE R5, R0, done",
			"unknown| JMP (R1)",
			"unknown| BLTZAL R1, done",
		},
	} {
		begin := map[string]string{
			"arm":     "MOVW x+4(FP), R0; MOVW q+12(FP), R3; MOVW n+8(FP), R4; MOVW R4, R5; MOVW R4, R6; MOVW R4, R7",
			"amd64":   "MOVQ x+8(FP), AX; MOVQ q+24(FP), BX; MOVQ n+16(FP), CX; MOVQ CX, DX; MOVQ CX, R8",
			"arm64":   "MOVD x+8(FP), R0; MOVD q+24(FP), R3; MOVD n+16(FP), R4",
			"riscv64": "MOV x+8(FP), X5; MOV q+24(FP), X6; MOV n+16(FP), X7; MOV p+0(FP), X8; VSETVLI X0, E8, M1, TA, MA, X9; VMVVX X5, V1",
			"mips":    "MOVW x+4(FP), R1; MOVW q+12(FP), R2; MOVW n+8(FP), R3",
		}[arch]
		for _, c := range list {
			want, text, _ := strings.Cut(c, "| ")
			text = strings.ReplaceAll(begin+"; "+text+"; done: RET", "; ", "\n\t")
			report := checkText(t, arch, words, "#include \"textflag.h\"\n\nTEXT ·f(SB), NOSPLIT, $64-40\n\t"+text+"\n")
			found := append([]Finding(nil), report.Findings...)
			for _, k := range report.Kernels {
				found = append(found, k.Findings...)
			}
			if want == "" && len(found) > 0 || want != "" && !slices.ContainsFunc(found, func(f Finding) bool { return f.Kind == want }) {
				t.Errorf("%s: %s\nfound %v, want %q", arch, c, found, want)
			}
		}
	}
}

// The tables have no instructions that internal/machine lacks: none of them would be accepted.
func TestTablesAreExecuted(t *testing.T) {
	// The table of amd64 is that of 386, whose kernels have these.
	of386 := strings.Fields("CMOVLEQ MOVHPS PMULULQ PSHUFHW PSHUFL PSHUFLW PSLLO XORB")
	for _, name := range []string{"amd64", "arm64"} {
		a := arches[name]
		for op, sp := range a.table {
			switch {
			case sp.op == "jump", sp.op == "call", sp.op == "ret", sp.op == "cmov", withoutSemantics[sp.op], a.HasMnemonic(op):
			case name == "amd64" && slices.Contains(of386, op):
			default:
				t.Errorf("%s: internal/machine has no semantics for %s", name, op)
			}
		}
	}
}
