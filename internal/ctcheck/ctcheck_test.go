package ctcheck

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/internal/machine"
)

const root = "../.."

func check(t *testing.T, arch string) *Report {
	t.Helper()
	report, err := Check(root, map[string][]string{arch: {planted(arch)}})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func planted(arch string) string {
	arch = arches[arch].Name
	return "internal/ctcheck/testdata/" + arch + "/planted_" + arch + ".s"
}

func all(r *Report) (list []string) {
	for _, f := range r.Findings {
		list = append(list, fmt.Sprint(f.Line, " ", f.Kind))
	}
	for _, k := range r.Kernels {
		for _, f := range k.Findings {
			list = append(list, fmt.Sprint(f.Line, " ", f.Kind))
		}
	}
	slices.Sort(list)
	return list
}

// The mistakes are found where comments say, and nothing else is.
func TestPlanted(t *testing.T) {
	for arch := range arches {
		t.Run(arch, func(t *testing.T) {
			text, err := os.ReadFile(root + "/" + planted(arch))
			if err != nil {
				t.Fatal(err)
			}
			var want []string
			for i, line := range strings.Split(string(text), "\n") {
				if m := regexp.MustCompile(`// want (\w+)$`).FindStringSubmatch(line); m != nil {
					want = append(want, fmt.Sprint(i+1, " ", m[1]))
				}
			}
			slices.Sort(want)
			if len(want) < 8 {
				t.Fatal("mistakes are missing:", want)
			}
			report := check(t, arch)
			if got := all(report); !slices.Equal(got, want) {
				t.Errorf("found %q, want %q", got, want)
				for _, k := range report.Kernels {
					for _, f := range k.Findings {
						t.Log(f)
					}
				}
				for _, f := range report.Findings {
					t.Log(f)
				}
			}
			if len(report.Kernels) < 14 {
				t.Errorf("%d functions", len(report.Kernels))
			}
		})
	}
}

// An instruction that is not in the table is an error.
func TestUnknownInstruction(t *testing.T) {
	for arch, op := range map[string]string{"amd64": "SBBQ", "386": "SBBL", "arm64": "EOR", "arm": "EOR", "riscv64": "SEQZ", "mips": "SUBU", "mips64": "SUBVU"} {
		a := arches[arch]
		s := a.table[op]
		delete(a.table, op)
		report := check(t, arch)
		a.table[op] = s
		found := false
		for _, k := range report.Kernels {
			for _, f := range k.Findings {
				found = found || f.Kind == kindUnknown && strings.HasPrefix(f.Instruction, op)
			}
		}
		if !found {
			t.Errorf("%s: nothing says that %s is not known", arch, op)
		}
	}
}

// checkText checks a function f.
func checkText(t *testing.T, arch, declaration, text string) *Report {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{
		"go.mod":           "module example.org/x\n",
		"f.go":             "package x\n\n" + declaration + "\n",
		"f_" + arch + ".s": text,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	report, err := Check(dir, map[string][]string{arch: {"f_" + arch + ".s"}})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// TestSmall has the findings in small functions: the word in the first column. Words before a
// bar in the text are the architecture.
func TestSmall(t *testing.T) {
	const words = "//ct:secret p x v\nfunc f(p *[8]uint, x, n uint) (v uint)"
	const all = "//ct:secret p x v\nfunc f(p *[8]uint64, x, n uint64) (v uint64)"
	for _, c := range []struct {
		want, declaration, text string
	}{
		{"", all, "MOVQ p+0(FP), AX; MOVQ (AX), BX; MOVQ BX, 8(AX); RET"},
		{"declaration", "func f(p *[8]uint64)", "RET"},
		{"declaration", "//ct:public\nfunc f(p *[8]uint64)", "RET"},
		{"declaration", "//ct:public p q\nfunc f(p *[8]uint64)", "RET"},
		{"declaration", "//ct:secret p\nfunc g(p *[8]uint64)", "RET"},
		{"unknown", all, "NOSUCH AX, BX; RET"},
		{"unknown", all, "MOVQ AX, Q3; RET"},
		{"unknown", all, "MOVQ n+16(FP), AX; MOVQ (AX), BX; RET"},
		{"unknown", all, "CALL ·g(SB); RET"},
		{"unknown", all, "JMP nowhere; RET"},
		{"unknown", all, "BYTE $0x90; RET"},
		{"unknown", all, "// ct:allow branch: there is none\nRET"},
		{"unknown", all, "// ct:allow branch\nRET"},
		{"", all, "MOVQ x+8(FP), AX; TESTQ AX, AX; JEQ done // ct:allow branch: it is a test\ndone: RET"},
		{"branch", all, "MOVQ x+8(FP), AX; TESTQ AX, AX; JEQ done // ct:allow address: another kind\ndone: RET"},
		{"", all, "MOVQ x+8(FP), AX; TESTQ AX, AX\n// ct:allow branch x2: both\nJEQ done;JMI done\ndone: RET"},
		{"branch", all, "MOVQ x+8(FP), AX; TESTQ AX, AX\n// ct:allow branch: the first of the line\nJEQ done;JMI done\ndone: RET"},
		// Flags one by one: DECQ keeps the carry, which alone is secret.
		{"", all, "MOVQ x+8(FP), AX; MOVQ $9, CX; ADDQ AX, AX; DECQ CX; JEQ done; done: RET"},
		{"branch", all, "MOVQ x+8(FP), AX; MOVQ $9, CX; ADDQ AX, AX; DECQ CX; JCS done; done: RET"},
		{"branch", all, "MOVQ x+8(FP), AX; MOVQ n+16(FP), CX; CMPQ CX, $5; JHI other; TESTQ AX, AX; JMP both; other: CMPQ CX, $9; both: JNE done; done: RET"},
		{"branch", all, "MOVQ x+8(FP), AX; MOVQ n+16(FP), CX; CMPQ CX, $5; JLS other; TESTQ AX, AX; JMP both; other: CMPQ CX, $9; both: JNE done; done: RET"},
		// Parts of registers.
		{"branch", all, "MOVQ x+8(FP), X0; PXOR X1, X1; VINSERTI128 $1, X0, Y1, Y1; PXOR X1, X1; VEXTRACTI128 $1, Y1, X2; VMOVD X2, AX; TESTL AX, AX; JEQ done; done: RET"},
		{"", all, "MOVQ x+8(FP), X0; VPXOR X0, X0, X1; VMOVD X1, AX; TESTL AX, AX; JEQ done; done: RET"},
		// Masks of stores, and of loads.
		{"address", all, "MOVQ x+8(FP), AX; KMOVQ AX, K1; MOVQ p+0(FP), BX; VMOVDQU8 Z0, K1, (BX); RET"},
		{"", all, "MOVQ x+8(FP), AX; KMOVQ AX, K1; MOVQ p+0(FP), BX; VMOVDQU8.Z (BX), K1, Z0; RET"},
		// Stores whose place is not exact, and a loop that overwrites all.
		{"stack", all, "MOVQ x+8(FP), AX; MOVQ n+16(FP), CX; ANDQ $7, CX; MOVQ AX, (SP)(CX*8); MOVQ $0, (SP); RET"},
		{"", all, "MOVQ x+8(FP), AX; MOVQ n+16(FP), CX; ANDQ $7, CX; MOVQ AX, (SP)(CX*8); XORL CX, CX; next: MOVQ $0, (SP)(CX*8); INCQ CX; CMPQ CX, $8; JNE next; RET"},
		{"stack", all, "MOVQ x+8(FP), AX; MOVQ n+16(FP), CX; ANDQ $7, CX; MOVQ AX, (SP)(CX*8); XORL CX, CX; next: MOVQ $0, (SP)(CX*8); INCQ CX; CMPQ CX, $7; JNE next; RET"},
		// One path out of two.
		{"stack", all, "MOVQ x+8(FP), AX; MOVQ AX, (SP); MOVQ n+16(FP), CX; TESTQ CX, CX; JEQ done; MOVQ $0, (SP); done: RET"},
		{"", strings.Replace(all, "func", "//ct:cases n=1..\nfunc", 1), "MOVQ x+8(FP), AX; MOVQ AX, (SP); MOVQ n+16(FP), CX; TESTQ CX, CX; JEQ done; MOVQ $0, (SP); done: RET"},
		{"stack", strings.Replace(all, "func", "//ct:cases n=0|1..\nfunc", 1), "MOVQ x+8(FP), AX; MOVQ AX, (SP); MOVQ n+16(FP), CX; TESTQ CX, CX; JEQ done; MOVQ $0, (SP); done: RET"},
		// A secret that gets around a loop once before it is in an address.
		{"address", all, "MOVQ p+0(FP), AX; XORL BX, BX; XORL CX, CX; next: MOVQ (AX)(CX*8), DX; ANDQ $7, BX; MOVQ BX, CX; MOVQ DX, BX; DECQ n+16(FP); JNE next; RET"},
		{"address", all, "MOVQ p+0(FP), AX; MOVQ n+16(FP), BX; MOVQ n+16(FP), CX; next: MOVQ (AX)(BX*8), DX; MOVQ DX, BX; DECQ CX; JNE next; RET"},
		{"", all, "MOVQ x+8(FP), AX; MOVQ n+16(FP), CX; CMPQ CX, $3; JHI done; MOVQ AX, (SP)(CX*8); XORL CX, CX; next: MOVQ $0, (SP)(CX*8); INCQ CX; CMPQ CX, $4; JNE next; done: RET"},
		{"stack", all, "MOVQ x+8(FP), AX; MOVQ n+16(FP), CX; CMPQ CX, $3; JHI done; MOVQ AX, (SP)(CX*8); XORL CX, CX; next: MOVQ $0, (SP)(CX*8); INCQ CX; CMPQ CX, $3; JNE next; done: RET"},
		// Other architectures.
		{"stack", words, "arm| MOVW p+0(FP), R0; MOVM.IA (R0), [R1-R3]; ADD $4, R13, R4; MOVM.IA [R1-R3], (R4); MOVW $0, R5; MOVW R5, 4(R13); MOVW R5, 8(R13); RET"},
		{"", words, "arm| MOVW p+0(FP), R0; MOVM.IA (R0), [R1-R3]; ADD $4, R13, R4; MOVM.IA.W [R1-R3], (R4); MOVW $0, R5; MOVW R5, -4(R4); MOVW R5, -8(R4); MOVW R5, -12(R4); RET"},
		{"", words, "arm| MOVW x+4(FP), R0; MOVW $0, R1; CMP $0, R0; MOVW.EQ $1, R1; MOVW R1, v+12(FP); RET"},
		{"address", words, "arm| MOVW p+0(FP), R3; MOVW x+4(FP), R0; MOVW $0, R1; CMP $0, R0; MOVW.EQ (R3), R1; MOVW R1, v+12(FP); RET"},
		{"branch", words, "arm| MOVW x+4(FP), R0; MOVW $0, R1; CMP $0, R0; MOVW.EQ $1, R1; CMP $0, R1; BEQ done; done: RET"},
		{"stack", words, "arm| MOVW p+0(FP), R0; WORD $0xf4200a0f // VLD1 (R0), [Q0]; ADD $4, R13, R1; WORD $0xf4010a0d // VST1.P [Q0], (R1); RET"},
		{"", words, "arm| MOVW p+0(FP), R0; WORD $0xf4200a0d // VLD1.P (R0), [Q0]; ADD $4, R13, R1; WORD $0xf4010a0f // VST1 [Q0], (R1); WORD $0xf3000150 // VEOR Q0, Q0, Q0; WORD $0xf4010a0f // VST1 [Q0], (R1); RET"},
		{"stack", words, "arm| MOVW p+0(FP), R0; WORD $0xf4200a0d // VLD1.P (R0), [Q0]; ADD $4, R13, R1; WORD $0xf3000111 // VEOR Q0.D[1], Q0.D[0], Q0.D[0]; WORD $0xf4010a0f // VST1 [Q0], (R1); RET"},
		{"stack", words, "arm| MOVW p+0(FP), R0; WORD $0xf420018f // VLD4 (R0), [Q0.D[0], Q1.D[0], Q2.D[0], Q3.D[0]]; ADD $4, R13, R1; WORD $0xf401018f // VST4 [Q0.D[0], Q1.D[0], Q2.D[0], Q3.D[0]], (R1); RET"},
		{"stack", words, "arm64| MOVD p+0(FP), R0; VLD1 (R0), [V0.B16, V1.B16]; ADD $8, RSP, R1; VST1.P [V0.B16, V1.B16], 32(R1); VEOR V0.B16, V0.B16, V0.B16; VST1 [V0.B16], (R1); RET"},
		{"", words, "arm64| MOVD p+0(FP), R0; VLD1 (R0), [V0.B16, V1.B16]; ADD $8, RSP, R1; VST1.P [V0.B16, V1.B16], 32(R1); VEOR V0.B16, V0.B16, V0.B16; STP.W (ZR, ZR), -16(R1); STP.W (ZR, ZR), -16(R1); RET"},
		{"branch", words, "arm64| MOVD p+0(FP), R0; LDP.P 16(R0), (R1, R2); CBZ R2, done; done: RET"},
		{"", "//ct:secret p\n//ct:public p[4:8]\nfunc f(p *[64]byte)", "arm64| MOVD p+0(FP), R0; VLD4R.P 4(R0), [V0.B16, V1.B16, V2.B16, V3.B16]; VLD4R (R0), [V0.B16, V1.B16, V2.B16, V3.B16]; VMOV V3.D[0], R1; CBZ R1, done; done: RET"},
		{"branch", "//ct:secret p\n//ct:public p[4:8]\nfunc f(p *[64]byte)", "arm64| MOVD p+0(FP), R0; VLD4R.P 4(R0), [V0.B16, V1.B16, V2.B16, V3.B16]; VLD4R (R0), [V4.B16, V5.B16, V6.B16, V7.B16]; VMOV V3.D[0], R1; CBZ R1, done; done: RET"},
		{"branch", words, "arm64| MOVD x+8(FP), R0; VMOV R0, V1.D[0]; VMOVI $0, V2.B16; WORD $0x6e619422 // VMLS V1.H8, V1.H8, V2.H8; VMOV V2.D[0], R1; CBZ R1, done; done: RET"},
		{"branch", words, "arm64| MOVD x+8(FP), R0; VMOV R0, V2.D[0]; VMOVI $0, V1.B16; WORD $0xcec08422 // SM4E V1.S4, V2.S4; VMOV V2.D[0], R1; CBZ R1, done; done: RET"},
		{"", words, "arm64| MOVD x+8(FP), R0; VMOV R0, V2.D[0]; VMOVI $0, V1.B16; WORD $0xce61c822 // SM4EKEY V1.S4, V1.S4, V2.S4; VMOV V2.D[0], R1; CBZ R1, done; done: RET"},
		{"branch", words, "arm64| MOVD x+8(FP), R0; CMP $0, R0; CSEL EQ, R1, R2, R3; TBZ $3, R3, done; done: RET"},
		{"stack", words, "riscv64| MOV p+0(FP), X5; VSETVLI X0, E8, M2, TA, MA, X6; VLE8V (X5), V0; MOV $x-64(SP), X7; VADDVV V1, V1, V3; VSE8V V3, (X7); RET"},
		{"", words, "riscv64| MOV p+0(FP), X5; VSETVLI X0, E8, M1, TA, MA, X6; VLE8V (X5), V0; MOV $x-64(SP), X7; VADDVV V1, V1, V3; VSE8V V3, (X7); RET"},
		{"time", words, "riscv64| MOV x+8(FP), X5; VSETVLI X5, E8, M1, TA, MA, X6; RET"},
		{"time", words, "riscv64| MOV x+8(FP), X5; MOV $0, X7; VSETVL X7, X5, X6; RET"},
		{"time", words, "riscv64| MOV x+8(FP), X5; MOV $0, X7; VSETVL X5, X7, X6; RET"},
		{"unknown", words, "riscv64| MOV p+0(FP), X5; MOV n+16(FP), X6; VSETVL X6, X6, X6; VLE8V (X5), V0; VSETVLI X0, E8, M1, TA, MA, X6; MOV $x-64(SP), X7; VSE8V V7, (X7); RET"},
		{"address", words, "riscv64| MOV p+0(FP), X5; MOV x+8(FP), X6; VSETVLI X0, E8, M1, TA, MA, X7; VLSSEG4E8V (X5), X6, V0; RET"},
		{"stack", words, "riscv64| MOV p+0(FP), X5; MOV $16, X6; VSETVLI X0, E8, M1, TA, MA, X7; VLSSEG4E8V (X5), X6, V0; MOV $x-64(SP), X7; VSE8V V3, (X7); RET"},
		{"", words, "riscv64| MOV p+0(FP), X5; MOV $16, X6; VSETVLI X0, E8, M1, TA, MA, X7; VLSSEG4E8V (X5), X6, V0; MOV $x-64(SP), X7; VMVVI $0, V4; VSE8V V4, (X7); RET"},
		{"address", words, "riscv64| MOV p+0(FP), X5; MOV x+8(FP), X6; VSETVLI X0, E8, M1, TA, MA, X7; VMVVX X6, V4; VLUXEI8V (X5), V4, V0; RET"},
		{"time", words, "riscv64| MOV x+8(FP), X6; VSETVLI X0, E8, M1, TA, MA, X7; VMVSX X6, V0; VADDVV V1, V2, V0, V3; RET"},
		{"branch", words, "riscv64| MOV x+8(FP), X6; VSETVLI X0, E8, M1, TA, MA, X7; VMVVX X6, V8; VMVVI $0, V4; WORD $0xa643a477 // VAESZVS V4, V8; VMVXS V8, X8; BNEZ X8, done; done: RET"},
		{"", words, "riscv64| MOV x+8(FP), X6; VSETVLI X0, E8, M4, TA, MA, X7; VMVVX X6, V8; VMVVI $0, V4; VMSEQVV V4, V4, V12; VMSEQVV V8, V8, V15; VMVXS V12, X8; BNEZ X8, done; done: RET"},
		{"branch", words, "riscv64| MOV x+8(FP), X6; VSETVLI X0, E8, M4, TA, MA, X7; VMVVX X6, V12; VMVVI $0, V4; VMSEQVV V4, V4, V12; VMVXS V13, X8; BNEZ X8, done; done: RET"},
		{"branch", words, "riscv64| MOV x+8(FP), X6; VSETVLI X0, E8, M1, TA, MA, X7; VMVVX X6, V8; VMV2RV V8, V12; VMVXS V12, X8; BNEZ X8, done; done: RET"},
		{"", words, "riscv64| CSRRS X0, VLENB, X8; BNEZ X8, done; done: RET"},
		{"branch", words, "386| MOVL p+0(FP), AX; MOVL (AX), CX; MOVL CX, (SP); MOVL $0, (SP); MOVL 4(AX), DX; SHLL $1, DX; JCS done; done: RET"},
		// Public fields and bytes.
		{"", "type t struct { Key [4]uint64; Rounds int }\n//ct:secret k\n//ct:public k.Rounds\nfunc f(k *t)", "MOVQ k+0(FP), AX; MOVQ 32(AX), CX; next: DECQ CX; JNE next; RET"},
		{"branch", "type t struct { Key [4]uint64; Rounds int }\n//ct:secret k\n//ct:public k.Rounds\nfunc f(k *t)", "MOVQ k+0(FP), AX; MOVQ 24(AX), CX; next: DECQ CX; JNE next; RET"},
		{"store", "type t struct { Key [4]uint64; Rounds int }\n//ct:secret k\n//ct:public k.Rounds\nfunc f(k *t)", "MOVQ k+0(FP), AX; MOVQ 24(AX), CX; MOVQ CX, 32(AX); RET"},
		{"branch", "type t struct { Key *[4]uint64; N int }\n//ct:secret k.Key\n//ct:public k.N\nfunc f(k []t)", "MOVQ k+0(FP), AX; MOVQ k+8(FP), BX; next: MOVQ (AX), CX; ADDQ $16, AX; CMPQ (CX), $7; JEQ done; DECQ BX; JNE next; done: RET"},
		{"", "type t struct { Key *[4]uint64; N int }\n//ct:secret k.Key\n//ct:public k.N\nfunc f(k []t)", "MOVQ k+0(FP), AX; MOVQ k+8(FP), BX; next: MOVQ 8(AX), CX; ADDQ $16, AX; CMPQ CX, $7; JEQ done; DECQ BX; JNE next; done: RET"},
	} {
		arch := "amd64"
		if a, rest, ok := strings.Cut(c.text, "| "); ok {
			arch, c.text = a, rest
		}
		text := strings.NewReplacer("; ", "\n\t").Replace(c.text)
		report := checkText(t, arch, c.declaration, "#include \"textflag.h\"\n\nTEXT ·f(SB), NOSPLIT, $64-32\n\t"+text+"\n")
		kinds := map[string]bool{}
		for _, f := range report.Findings {
			kinds[f.Kind] = true
		}
		for _, k := range report.Kernels {
			for _, f := range k.Findings {
				kinds[f.Kind] = true
			}
		}
		if c.want != kindUnknown {
			delete(kinds, kindUnknown) // of the exception for something else
		}
		if c.want == "" && len(report.Kernels[0].Findings)+len(report.Findings) > 0 || c.want != "" && (!kinds[c.want] || len(kinds) > 1) {
			t.Errorf("%s\n%s\nfound %v, want %q\n%v", c.declaration, c.text, kinds, c.want, report)
		}
	}
}

// Look-ups inside registers are noted if the index is secret, in any register of its group.
func TestGathers(t *testing.T) {
	for text, want := range map[string]bool{
		"VRGATHERVV V1, V0, V2":                       false,
		"VRGATHERVV V0, V1, V2":                       true,
		"VRGATHERVX X7, V1, V2":                       true,
		"VRGATHERVX X8, V0, V2":                       false,
		"VRGATHERVI $3, V0, V2":                       false,
		"VRGATHEREI16VV V0, V1, V4":                   true,
		"VMV1RV V0, V7\n\tVRGATHEREI16VV V6, V1, V10": true, // in the second register of the indices
		"VRGATHEREI16VV V4, V1, V10":                  false,
	} {
		report := checkText(t, "riscv64", "//ct:secret p\nfunc f(p *[4]uint64)",
			"#include \"textflag.h\"\n\nTEXT ·f(SB), NOSPLIT, $0-8\n\tMOV p+0(FP), X5\n\tVSETVLI X0, E8, M1, TA, MA, X6\n\tVLE8V (X5), V0\n\tMOV (X5), X7\n\tMOV $5, X8\n\tVMVVI $0, V1\n\t"+text+"\n\tRET\n")
		if k := report.Kernels[0]; k.Gathers != want || len(k.Findings) > 0 {
			t.Errorf("%s: %v, want %v; %v", text, k.Gathers, want, k.Findings)
		}
	}
}

// A comment that names another instruction than the bytes is found.
func TestEncoding(t *testing.T) {
	texts := map[string]int{
		"// VSM4RNDS4 Y8, Y0, Y1\n\tLONG $0xda7fc2c4\n\tBYTE $0xc8\n":                   0,
		"// VSM4RNDS4 Y0, Y8, Y1\n\tLONG $0xda7fc2c4\n\tBYTE $0xc8\n":                   1,
		"// VSM4KEY4 16(AX), X0, X0\n\tLONG $0xda7ae2c4\n\tBYTE $0x40\n\tBYTE $0x10\n":  0,
		"// VSM4KEY4 32(AX), X0, X0\n\tLONG $0xda7ae2c4\n\tBYTE $0x40\n\tBYTE $0x10\n":  1,
		"// VSM3RNDS2 $2, X9, X6, X5\n\tLONG $0xde49c3c4\n\tBYTE $0xe9\n\tBYTE $0x02\n": 0,
		"// VSM3MSG2 X10, X11, X4\n\tLONG $0xda21c2c4\n\tBYTE $0xe2\n":                  0,
		"// VSM3MSG1 X10, X11, X4\n\tLONG $0xda21c2c4\n\tBYTE $0xe2\n":                  1,
	}
	for text, want := range map[string]int{
		"// VPADDD X1, X2, X3\n\tLONG $0xd9fee9c5\n":                                       0,
		"// VPADDD X2, X1, X3\n\tLONG $0xd9fee9c5\n":                                       1,
		"// VPADDQ X1, X2, X3\n\tLONG $0xd9fee9c5\n":                                       1,
		"// VPADDD 16(AX)(CX*4), X2, X3\n\tLONG $0x5cfee9c5\n\tBYTE $0x88\n\tBYTE $0x10\n": 0,
		"// VPADDD 32(AX)(CX*4), X2, X3\n\tLONG $0x5cfee9c5\n\tBYTE $0x88\n\tBYTE $0x10\n": 1,
	} {
		if machine.HasDisassembler() {
			texts[text] = want
		}
	}
	for text, want := range texts {
		report := checkText(t, "amd64", "//ct:public p\nfunc f(p *byte)", "TEXT ·f(SB), 4, $0-8\n\tMOVQ p+0(FP), AX\n\tXORL CX, CX\n\t"+text+"\tRET\n")
		if report.Encoded != 1 || report.Checked != 1 || report.Count() != want {
			t.Errorf("%s: %d encoded, %d checked, %v; want %d findings", text, report.Encoded, report.Checked, all(report), want)
		}
	}
}

// The same for arm64, by llvm-mc.
func TestEncodingARM64(t *testing.T) {
	if !machine.HasDisassembler() {
		t.Skip("no llvm-mc")
	}
	for text, want := range map[string]int{
		"WORD $0xce420464 // SM3SS1 V1.S4, V2.S4, V3.S4, V4.S4": 0,
		"WORD $0xce420464 // SM3SS1 V2.S4, V1.S4, V3.S4, V4.S4": 1,
		"WORD $0xce41a843 // SM3TT2A V1.S[2], V2.S4, V3.S4":     0,
		"WORD $0xce41a843 // SM3TT2A V1.S[3], V2.S4, V3.S4":     1,
		"WORD $0xcec08422 // SM4E V1.S4, V2.S4":                 0,
		"WORD $0xcec08422 // SM4E V2.S4, V1.S4":                 1,
		"WORD $0xce61c843 // SM4EKEY V1.S4, V2.S4, V3.S4":       0,
		"WORD $0x6e205822 // VNOT V1.B16, V2.B16":               0,
		"WORD $0x4e619c43 // VMUL V1.H8, V2.H8, V3.H8":          0,
		"WORD $0x4e619c43 // VMUL V1.S4, V2.S4, V3.S4":          1,
		"WORD $0x4e619c43 // VMLA V1.H8, V2.H8, V3.H8":          1,
		"WORD $0x4f618843 // VMUL V1.H[6], V2.H8, V3.H8":        1, // no semantics
		"WORD $0x6ea1c043 // VUMULL2 V1.S4, V2.S4, V3.D2":       0,
		"WORD $0x0f268422 // VSHRN $26, V1.D2, V2.S2":           0,
		"WORD $0x0f268422 // VSHRN $27, V1.D2, V2.S2":           1,
	} {
		report := checkText(t, "arm64", "//ct:public p\nfunc f(p *byte)", "TEXT ·f(SB), 4, $0-8\n\t"+text+"\n\tRET\n")
		if report.Encoded != 1 || report.Checked != 1 || report.Count() != want {
			t.Errorf("%s: %d encoded, %d checked, %v; want %d findings", text, report.Encoded, report.Checked, all(report), want)
		}
	}
}

// The same for arm.
func TestEncodingARM(t *testing.T) {
	if !machine.HasDisassembler() {
		t.Skip("no llvm-mc")
	}
	for text, want := range map[string]int{
		"WORD $0xf3046152 // VEOR Q1, Q2, Q3":                                   0,
		"WORD $0xf3046152 // VEOR Q2, Q1, Q3":                                   1,
		"WORD $0xf3047113 // VEOR Q1.D[1], Q2.D[0], Q3.D[1]":                    0,
		"WORD $0xf3047113 // VEOR Q1.D[1], Q2.D[0], Q3.D[0]":                    1,
		"WORD $0xf2226152 // VMOV Q1, Q3":                                       0,
		"WORD $0xf2856e55 // VMOVI $85, Q3":                                     0,
		"WORD $0xf2856e55 // VMOVI $86, Q3":                                     1,
		"WORD $0xf2246842 // VADD.32 Q1, Q2, Q3":                                0,
		"WORD $0xf28b6552 // VSHL.8 $3, Q1, Q3":                                 0,
		"WORD $0xf38d6052 // VSHR.8 $3, Q1, Q3":                                 0,
		"WORD $0xf38d6052 // VSSHR.8 $3, Q1, Q3":                                1,
		"WORD $0xf28160d2 // VSSHR.64 $63, Q1, Q3":                              0,
		"WORD $0xf3b060c2 // VREV32.8 Q1, Q3":                                   0,
		"WORD $0xf3b26003 // VSWP Q1.D[1], Q3.D[0]":                             0,
		"WORD $0xf2b46542 // VEXT $5, Q1, Q2, Q3":                               0,
		"WORD $0xf2b46442 // VEXT $4, Q1, Q2, Q3":                               0,
		"WORD $0xf2b46442 // VEXT $8, Q1, Q2, Q3":                               1,
		"WORD $0xf3b46903 // VTBL Q1.D[1], Q2, Q3.D[0]":                         0,
		"WORD $0xf2846e03 // VMULL.P8 Q1.D[1], Q2.D[0], Q3":                     0,
		"WORD $0xf3b06302 // AESE Q1, Q3":                                       0,
		"WORD $0xf3b06302 // AESD Q1, Q3":                                       1,
		"WORD $0xf4201202 // VLD1.P (R0)(R2), [Q0, Q1]":                         1,
		"WORD $0xf4200202 // VLD1.P (R0)(R2), [Q0, Q1]":                         0,
		"WORD $0xf4200a0d // VLD1.P (R0), [Q0]":                                 0,
		"WORD $0xf420018d // VLD4.P (R0), [Q0.D[0], Q1.D[0], Q2.D[0], Q3.D[0]]": 0,
		"WORD $0xf420018d // VLD4.P (R0), [Q0.D[1], Q1.D[1], Q2.D[1], Q3.D[1]]": 1,
		"WORD $0xf420018f // VLD4 (R0), [Q0.D[0], Q1.D[0], Q2.D[0], Q3.D[0]]":   0,
	} {
		report := checkText(t, "arm", "//ct:public p\nfunc f(p *[64]byte)", "TEXT ·f(SB), 4, $0-4\n\tMOVW p+0(FP), R0\n\tMOVW $16, R2\n\t"+text+"\n\tRET\n")
		if report.Encoded != 1 || report.Checked != 1 || report.Count() != want {
			t.Errorf("%s: %d encoded, %d checked, %v; want %d findings", text, report.Encoded, report.Checked, all(report), want)
		}
	}
}

// The same for riscv64. Versions below 18 do not know vector cryptography.
func TestEncodingRISCV64(t *testing.T) {
	if !machine.HasDisassembler() {
		t.Skip("no llvm-mc")
	}
	for text, want := range map[string]int{
		"WORD $0x6082d31b // RORIW $8, X5, X6":      0,
		"WORD $0x6082d31b // RORIW $9, X5, X6":      1,
		"WORD $0x6082d31b // RORI $8, X5, X6":       1,
		"WORD $0x0a5333b3 // CLMULH X5, X6, X7":     0,
		"WORD $0x0a5333b3 // CLMULH X6, X5, X7":     1,
		"WORD $0x285343b3 // XPERM8 X5, X6, X7":     0,
		"WORD $0x365303b3 // AES64ESM X5, X6, X7":   0,
		"WORD $0x31829313 // AES64KS1I $8, X5, X6":  0,
		"WORD $0xf05303b3 // SM4ED $3, X5, X6, X7":  0,
		"WORD $0xf05303b3 // SM4ED $2, X5, X6, X7":  1,
		"WORD $0x10829313 // SM3P0 X5, X6":          0,
		"WORD $0x52443457 // VRORVI $8, V4, V8":     0,
		"WORD $0x52443457 // VRORVI $40, V4, V8":    1,
		"WORD $0x06820657 // VANDNVV V4, V8, V12":   0,
		"WORD $0x4a44a457 // VREV8V V4, V8":         0,
		"WORD $0x4a44a457 // VBREV8V V4, V8":        1,
		"WORD $0x36822657 // VCLMULHVV V4, V8, V12": 0,
		"WORD $0x3642e457 // VCLMULHVX X5, V4, V8":  0,
		"WORD $0xa2412477 // VAESEMVV V4, V8":       0,
		"WORD $0xa6412477 // VAESEMVV V4, V8":       1,
		"WORD $0x8a442477 // VAESKF1VI $8, V4, V8":  0,
		"WORD $0xb2822677 // VGHSHVV V4, V8, V12":   0,
		"WORD $0xb2822677 // VGHSHVV V8, V4, V12":   1,
		"WORD $0xa6482477 // VSM4RVS V4, V8":        0,
		"WORD $0xae442477 // VSM3CVI $8, V4, V8":    0,

		"WORD $0x2202f407 // VLSEG2E64V (X5), V8":     0,
		"WORD $0x2202f407 // VLSEG2E64V (X6), V8":     1,
		"WORD $0x2202f407 // VLSEG2E32V (X5), V8":     1,
		"WORD $0x2202f427 // VSSEG2E64V V8, (X5)":     0,
		"WORD $0x2202f427 // VSSEG2E64V V9, (X5)":     1,
		"WORD $0x6a628407 // VLSSEG4E8V (X5), X6, V8": 0,
		"WORD $0x6a628407 // VLSSEG4E8V (X5), X7, V8": 1,
		"WORD $0x6a628427 // VSSSEG4E8V V8, X6, (X5)": 0,
		"WORD $0x6a628427 // VSSSEG4E8V V8, X5, (X5)": 1,
	} {
		report := checkText(t, "riscv64", "//ct:public p\nfunc f(p *[256]byte)", "TEXT ·f(SB), 4, $0-8\n\tMOV p+0(FP), X5; MOV $4, X6\n\tVSETVLI X0, E32, M1, TA, MA, X9\n\t"+text+"\n\tRET\n")
		if report.Checked == 0 && strings.Contains(text, "// V") {
			t.Logf("the disassembler does not know %s", text)
			continue
		}
		if report.Encoded != 1 || report.Checked != 1 || report.Count() != want {
			t.Errorf("%s: %d encoded, %d checked, %v; want %d findings", text, report.Encoded, report.Checked, all(report), want)
		}
	}
}
