package arm

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

var local = asm.Local{Name: "x", Offset: 16, Size: 16}

// every has the text of instructions as the file has it. Words are compared with binutils in
// package encoding.
var every = map[string]struct {
	op   asm.Op
	text string
}{
	"ADD":    {ADD(4, R(2), R(3)), "ADD $4, R2, R3"},
	"ADDL":   {ADDL(R(1), 4, R(2), R(3)), "ADD R1<<4, R2, R3"},
	"ADDS":   {ADDS(4, R(2), R(3)), "ADD.S $4, R2, R3"},
	"SUB":    {SUB(4, R(2), R(3)), "SUB $4, R2, R3"},
	"SUBS":   {SUBS(4, R(2), R(3)), "SUB.S $4, R2, R3"},
	"SUBR":   {SUBR(R(1), R(2), R(3)), "SUB R1, R2, R3"},
	"CMP":    {CMP(R(1), R(2)), "CMP R1, R2"},
	"LDM":    {LDM(R(1), list(R(2), R(3))), "MOVM.IA.W (R1), [R2, R3]"},
	"STM":    {STM(list(R(2), R(3)), R(1)), "MOVM.IA.W [R2, R3], (R1)"},
	"before": {STMBefore(list(R(2), R(3)), R(1)), "MOVM.DB [R2, R3], (R1)"},
	"ORR":    {ORR(Left(R(1), 7), R(2), R(3)), "ORR R1<<7, R2, R3"},
	"right":  {EOR(Right(R(1), 7), R(2), R(3)), "EOR R1>>7, R2, R3"},
	"SUM":    {SUM(Ror(R(1), 7), R(2), R(3)), "ADD R1@>7, R2, R3"},
	"EOR":    {EOR(R(1), R(2), R(3)), "EOR R1, R2, R3"},
	"AND":    {AND(R(1), R(2), R(3)), "AND R1, R2, R3"},
	"ROR":    {ROR(7, R(2), R(3)), "MOVW R2@>7, R3"},
	"REV":    {REV(R(2), R(3)), "REV R2, R3"},
	"MOVW":   {MOVW(local, R(3)), "MOVW $x-16(SP), R3"},
	"LDR":    {LDR(4, R(2), R(3)), "MOVW 4(R2), R3"},
	"LDRP":   {LDRP(R(2), R(3)), "MOVW.P 4(R2), R3"},
	"LDRL":   {LDRL(local, 8, R(3)), "MOVW x-8(SP), R3"},
	"STR":    {STR(R(3), 4, R(2)), "MOVW R3, 4(R2)"},
	"STRL":   {STRL(R(3), local, 8), "MOVW R3, x-8(SP)"},
	"BEQ":    {BEQ("loop"), "BEQ loop"},
	"BNE":    {BNE("loop"), "BNE loop"},
	"BHS":    {BHS("loop"), "BHS loop"},
	"BLO":    {BLO("loop"), "BLO loop"},
	"RET":    {RET(), "RET"},
	"VEOR":   {VEOR(Q(1), Q(2), Q(3)), "WORD $0xf3046152 // VEOR Q1, Q2, Q3"},
	"VAND":   {VAND(Q(1), Q(2), Q(3)), "WORD $0xf2046152 // VAND Q1, Q2, Q3"},
	"VORR":   {VORR(Q(1), Q(2), Q(3)), "WORD $0xf2246152 // VORR Q1, Q2, Q3"},
	"VBIT":   {VBIT(Q(1), Q(2), Q(3)), "WORD $0xf3246152 // VBIT Q1, Q2, Q3"},
	"VBIF":   {VBIF(Q(1), Q(2), Q(3)), "WORD $0xf3346152 // VBIF Q1, Q2, Q3"},
	"VEORH":  {VEORH(High(Q(1)), Low(Q(2)), High(Q(3))), "WORD $0xf3047113 // VEOR Q1.D[1], Q2.D[0], Q3.D[1]"},
	"VMOV":   {VMOV(Q(1), Q(3)), "WORD $0xf2226152 // VMOV Q1, Q3"},
	"VMOVH":  {VMOVH(High(Q(1)), Low(Q(3))), "WORD $0xf2236113 // VMOV Q1.D[1], Q3.D[0]"},
	"VMOVI":  {VMOVI(0x55, Q(3)), "WORD $0xf2856e55 // VMOVI $85, Q3"},
	"VDUP":   {VDUP(R(1), Q(3)), "WORD $0xeea61b10 // VDUP.32 R1, Q3"},
	"VADD":   {VADD(32, Q(1), Q(2), Q(3)), "WORD $0xf2246842 // VADD.32 Q1, Q2, Q3"},
	"VTST":   {VTST(8, Q(1), Q(2), Q(3)), "WORD $0xf2046852 // VTST.8 Q1, Q2, Q3"},
	"VSHL":   {VSHL(8, 3, Q(1), Q(3)), "WORD $0xf28b6552 // VSHL.8 $3, Q1, Q3"},
	"VSHR":   {VSHR(8, 3, Q(1), Q(3)), "WORD $0xf38d6052 // VSHR.8 $3, Q1, Q3"},
	"VSSHR":  {VSSHR(64, 63, Q(1), Q(3)), "WORD $0xf28160d2 // VSSHR.64 $63, Q1, Q3"},
	"VSLI":   {VSLI(8, 3, Q(1), Q(3)), "WORD $0xf38b6552 // VSLI.8 $3, Q1, Q3"},
	"VSRI":   {VSRI(8, 3, Q(1), Q(3)), "WORD $0xf38d6452 // VSRI.8 $3, Q1, Q3"},
	"VREV":   {VREV(32, 8, Q(1), Q(3)), "WORD $0xf3b060c2 // VREV32.8 Q1, Q3"},
	"VTRN":   {VTRN(32, Q(1), Q(3)), "WORD $0xf3ba60c2 // VTRN.32 Q1, Q3"},
	"VSWP":   {VSWP(High(Q(1)), Low(Q(3))), "WORD $0xf3b26003 // VSWP Q1.D[1], Q3.D[0]"},
	"VEXT":   {VEXT(5, Q(1), Q(2), Q(3)), "WORD $0xf2b46542 // VEXT $5, Q1, Q2, Q3"},
	"VTBL":   {VTBL(High(Q(1)), Q(2), Low(Q(3))), "WORD $0xf3b46903 // VTBL Q1.D[1], Q2, Q3.D[0]"},
	"VMULL":  {VMULL(8, High(Q(1)), Low(Q(2)), Q(3)), "WORD $0xf2846e03 // VMULL.P8 Q1.D[1], Q2.D[0], Q3"},
	"AESE":   {AESE(Q(1), Q(3)), "WORD $0xf3b06302 // AESE Q1, Q3"},
	"AESD":   {AESD(Q(1), Q(3)), "WORD $0xf3b06342 // AESD Q1, Q3"},
	"AESMC":  {AESMC(Q(1), Q(3)), "WORD $0xf3b06382 // AESMC Q1, Q3"},
	"AESIMC": {AESIMC(Q(1), Q(3)), "WORD $0xf3b063c2 // AESIMC Q1, Q3"},
	"VLD1":   {VLD1(By(R(1), R(2)), list(Q(4), Q(5))), "WORD $0xf4218202 // VLD1.P (R1)(R2), [Q4, Q5]"},
	"VST1":   {VST1(list(Q(4)), Post(R(1))), "WORD $0xf4018a0d // VST1.P [Q4], (R1)"},
	"VLD4": {VLD4(Post(R(1)), list(Q(4), Q(5), Q(6), Q(7)), 1),
		"WORD $0xf421918d // VLD4.P (R1), [Q4.D[1], Q5.D[1], Q6.D[1], Q7.D[1]]"},
	"VST4": {VST4(list(Q(4), Q(5), Q(6), Q(7)), 0, At(R(1))),
		"WORD $0xf401818f // VST4 [Q4.D[0], Q5.D[0], Q6.D[0], Q7.D[0]], (R1)"},
}

// TestText has every instruction, and what Go's assembler says of them.
func TestText(t *testing.T) {
	file := &asm.File{Target: Target}
	f := file.Func("all", "()")
	f.Local("x", 16)
	start := asm.Remark("registers of the instructions below")
	for i := range 8 {
		start.Writes = append(start.Writes, R(i), Q(i))
	}
	f.Add(start, SUBS(0, R(0), R(0)))
	f.Label("loop")
	for _, e := range every {
		if e.op.Flow != asm.Return {
			f.Add(e.op)
		}
	}
	f.Add(MOVW(1, R(1)), MOVW(R(1), R(2)), MOVW(file.Table("table", "is a table.", make([]byte, 16)), R(1)), RET())
	dir := t.TempDir()
	path := filepath.Join(dir, "all_arm.s")
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
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "tool", "asm", "-p", "x", "-I", strings.TrimSpace(string(root))+"/pkg/include", "-o", filepath.Join(dir, "x.o"), path)
	cmd.Env = append(os.Environ(), "GOARCH=arm")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	source, err := parser.ParseFile(token.NewFileSet(), "arm.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range source.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Name.Name == strings.ToUpper(f.Name.Name) && len(f.Name.Name) > 1 {
			if _, ok := every[f.Name.Name]; !ok {
				t.Errorf("no %s", f.Name.Name)
			}
		}
	}
}

// TestUse checks the registers that instructions read and write beyond the operands of their text.
func TestUse(t *testing.T) {
	x := list(Q(4), Q(5), Q(6), Q(7))
	for _, c := range []struct {
		op            asm.Op
		reads, writes []asm.Reg
	}{
		{SUBS(1, R(2), R(3)), list(R(2)), list(R(3), Flags)},
		{BNE("x"), list(Flags), nil},
		{LDRP(R(1), R(2)), list(R(1)), list(R(2), R(1))},
		{LDM(R(1), list(R(2), R(3))), list(R(1)), list(R(2), R(3), R(1))},
		{STM(list(R(2), R(3)), R(1)), list(R(2), R(3), R(1)), list(R(1))},
		{STMBefore(list(R(2), R(3)), R(1)), list(R(2), R(3), R(1)), nil},
		{VBIT(Q(1), Q(2), Q(3)), list(Q(1), Q(2), Q(3)), list(Q(3))},
		{VSRI(8, 3, Q(1), Q(2)), list(Q(1), Q(2)), list(Q(2))},
		{VTRN(32, Q(1), Q(2)), list(Q(1), Q(2)), list(Q(1), Q(2))},
		{VSWP(Low(Q(1)), High(Q(2))), list(Q(1), Q(2)), list(Q(1), Q(2))},
		{VTBL(Low(Q(1)), Q(2), Low(Q(3))), list(Q(1), Q(2)), list(Q(3))},
		{VTBL(High(Q(1)), Q(2), High(Q(3))), list(Q(1), Q(2), Q(3)), list(Q(3))},
		{VMOVH(Low(Q(1)), High(Q(2))), list(Q(1), Q(2)), list(Q(2))},
		{AESE(Q(1), Q(2)), list(Q(1), Q(2)), list(Q(2))},
		{AESMC(Q(1), Q(2)), list(Q(1)), list(Q(2))},
		{VLD1(At(R(1)), x[:2]), list(R(1)), x[:2]},
		{VLD1(By(R(1), R(2)), x[:1]), list(R(1), R(2)), list(Q(4), R(1))},
		{VST1(x[:2], Post(R(1))), list(Q(4), Q(5), R(1)), list(R(1))},
		{VLD4(Post(R(1)), x, 0), list(R(1)), list(Q(4), Q(5), Q(6), Q(7), R(1))},
		{VLD4(At(R(1)), x, 1), list(R(1), Q(4), Q(5), Q(6), Q(7)), x},
		{VST4(x, 1, Post(R(1))), list(Q(4), Q(5), Q(6), Q(7), R(1)), list(R(1))},
	} {
		if !slices.Equal(c.op.Reads, c.reads) || !slices.Equal(c.op.Writes, c.writes) {
			t.Errorf("%s reads %v and writes %v", c.op.Text, c.op.Reads, c.op.Writes)
		}
	}
	if !slices.Equal(x, list(Q(4), Q(5), Q(6), Q(7))) {
		t.Error("instructions of a part of a list changed the rest")
	}
}
