package loong64

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/_gen/asm"
)

// every has the text of instructions as Go's assembler must accept it: those that are not words,
// and a word of each form.
var every = []struct {
	op   asm.Op
	text string
}{
	{ADDV(R(4), R(5), R(6)), "ADDV R4, R5, R6"},
	{SUBV(R(4), R(5), R(6)), "SUBV R4, R5, R6"},
	{ADDVI(-64, R(4), R(5)), "ADDV $-64, R4, R5"},
	{MOVI(1<<26-1, R(4)), "MOVV $67108863, R4"},
	{Address((&asm.File{}).Table("table", "", nil), R(4)), "MOVV $table<>(SB), R4"},
	{MOVV(8, R(4), R(5)), "MOVV 8(R4), R5"},
	{MOVWU(0, R(4), R(5)), "MOVWU (R4), R5"},
	{SV(R(4), 8, R(5)), "MOVV R4, 8(R5)"},
	{SW(R(4), 8, R(5)), "MOVW R4, 8(R5)"},
	{BEQ(R(4), ZERO, "loop"), "BEQ R4, R0, loop"},
	{BNE(R(4), R(5), "loop"), "BNE R4, R5, loop"},
	{BLTU(R(4), R(5), "loop"), "BLTU R4, R5, loop"},
	{BGEU(R(4), R(5), "loop"), "BGEU R4, R5, loop"},
	{LSX.Load(16, R(4), V(5)), "VMOVQ 16(R4), V5"},
	{LASX.Store(V(5), 0, R(4)), "XVMOVQ X5, (R4)"},
	{LASX.LoadWord(8, R(4), V(5)), "WORD $0x32200885 // XVLDREPLW 8(R4), X5"},
	{LSX.SUB(W, V(1), V(2), V(3)), "WORD $0x700d0443 // VSUBW V1, V2, V3"},
	{LASX.ADD(D, V(1), V(2), V(3)), "WORD $0x740b8443 // XVADDV X1, X2, X3"},
	{LASX.SHUFB(V(1), V(2), V(3), V(4)), "WORD $0x0d608864 // XVSHUFB X1, X2, X3, X4"},
	{LSX.BITSEL(V(1), V(2), V(3), V(4)), "WORD $0x0d108864 // VBITSELV V1, V2, V3, V4"},
	{LSX.REPLICATE(D, ZERO, V(3)), "WORD $0x729f0c03 // VREPLGR2VRV R0, V3"},
	{LSX.PICK(1, V(3), R(4)), "WORD $0x72eff464 // VPICKVE2GRV $1, V3, R4"},
	{PERMIQ(0x31, V(1), V(2)), "WORD $0x77ecc422 // XVPERMIQ $49, X1, X2"},
	{NOR(R(4), R(5), R(6)), "NOR R4, R5, R6"},
	{MASKEQZ(R(4), R(5), R(6)), "MASKEQZ R4, R5, R6"},
	{SGTUI(1, R(4), R(5)), "SGTU $1, R4, R5"},
	{SRAVI(63, R(4), R(5)), "SRAV $63, R4, R5"},
	{ALSLV(1, R(4), R(5), R(6)), "WORD $0x002c1486 // ALSLV $1, R4, R5, R6"},
	{BSTRINSV(63, R(4), 62, R(5)), "BSTRINSV $63, R4, $62, R5"},
	{JMP("loop"), "JMP loop"},
	{RET(), "RET"},
}

// Each instruction has the text that is expected, and Go's assembler accepts it.
func TestText(t *testing.T) {
	file := &asm.File{Target: Target}
	f := file.Func("all", "()")
	start := asm.Remark("registers of the instructions below")
	for i := range 32 {
		start.Writes = append(start.Writes, R(i), V(i))
	}
	f.Add(start)
	f.Label("loop")
	file.Table("table", "is a table.", make([]byte, 16))
	for _, e := range every {
		f.Add(e.op)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "all_loong64.s")
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
	cmd.Env = append(os.Environ(), "GOARCH=loong64")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestUse checks the registers that instructions read and write.
func TestUse(t *testing.T) {
	for _, c := range []struct {
		op            asm.Op
		reads, writes []asm.Reg
	}{
		{LASX.ADD(W, V(1), V(2), V(3)), list(V(1), V(2)), list(V(3))},
		{LSX.MADDWEV(V(1), V(2), V(3)), list(V(1), V(2), V(3)), list(V(3))},
		{PERMIQ(2, V(1), V(2)), list(V(1), V(2)), list(V(2))},
		{LASX.MADDH(V(1), V(2), V(3)), list(V(1), V(2), V(3)), list(V(3))},
		{LSX.INSERT(0, R(4), V(2)), list(R(4), V(2)), list(V(2))},
		{LSX.REPLICATE(D, ZERO, V(3)), nil, list(V(3))},
		{BSTRINSV(63, R(4), 63, R(5)), list(R(4), R(5)), list(R(5))},
		{LSX.Store(V(5), 0, R(4)), list(V(5), R(4)), nil},
	} {
		if !slices.Equal(c.op.Reads, c.reads) || !slices.Equal(c.op.Writes, c.writes) {
			t.Errorf("%s reads %v and writes %v", c.op.Text, c.op.Reads, c.op.Writes)
		}
	}
}
