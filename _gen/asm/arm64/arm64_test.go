package arm64

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/_gen/asm"
)

// every has the text of instructions as Go's assembler must accept it.
var every = []struct {
	op   asm.Op
	text string
}{
	{ADD(R(1), R(2), R(3)), "ADD R1, R2, R3"},
	{ADD(Right(R(1), 2), R(2), R(3)), "ADD R1>>2, R2, R3"},
	{EOR(Left(R(1), 2), R(2), R(3)), "EOR R1<<2, R2, R3"},
	{EORW(Rotated(R(1), 2), R(2), R(3)), "EORW R1@>2, R2, R3"},
	{AND(-4, R(2), R(3)), "AND $-4, R2, R3"},
	{AND(uint64(0xfffffffffffffff0), R(2), R(3)), "AND $0xfffffffffffffff0, R2, R3"},
	{ADDS(R(1), R(2), R(3)), "ADDS R1, R2, R3"},
	{ADCS(ZR, R(2), R(3)), "ADCS ZR, R2, R3"},
	{CMP(7, R(2)), "CMP $7, R2"},
	{MUL(R(1), R(2), R(3)), "MUL R1, R2, R3"},
	{MADD(R(1), R(2), R(3), R(4)), "MADD R1, R2, R3, R4"},
	{LSL(3, R(2), R(3)), "LSL $3, R2, R3"},
	{RORW(R(1), R(2), R(3)), "RORW R1, R2, R3"},
	{EXTR(3, R(1), R(2), R(3)), "EXTR $3, R1, R2, R3"},
	{UBFX(3, R(1), 8, R(3)), "UBFX $3, R1, $8, R3"},
	{BFI(3, R(1), 8, R(3)), "BFI $3, R1, $8, R3"},
	{REV(R(1), R(2)), "REV R1, R2"},
	{CSEL(HS, R(1), R(2), R(3)), "CSEL HS, R1, R2, R3"},
	{CSETM(NE, R(1)), "CSETM NE, R1"},
	{MRS("MIDR_EL1", R(1)), "MRS MIDR_EL1, R1"},
	{CBNZ(R(1), "loop"), "CBNZ R1, loop"},
	{TBZ(4, R(1), "loop"), "TBZ $4, R1, loop"},
	{BNE("loop"), "BNE loop"},
	{B("loop"), "B loop"},
	{MOVD(R(1), R(2)), "MOVD R1, R2"},
	{MOVD(1, R(2)), "MOVD $1, R2"},
	{MOVD(At(R(1), 8), R(2)), "MOVD 8(R1), R2"},
	{MOVD(Index(R(1), R(3)), R(2)), "MOVD (R1)(R3), R2"},
	{MOVD(R(2), Post(R(1), 8)), "MOVD.P R2, 8(R1)"},
	{MOVD(ZR, On(asm.Local{Name: "x", Offset: 16, Size: 16}, 8)), "MOVD ZR, x-8(SP)"},
	{MOVD(asm.Local{Name: "x", Offset: 16, Size: 16}, R(1)), "MOVD $x-16(SP), R1"},
	{MOVD((&asm.File{}).Table("table", "", nil), R(1)), "MOVD $table<>(SB), R1"},
	{MOVWU(Post(R(1), 4), R(2)), "MOVWU.P 4(R1), R2"},
	{MOVBU(At(R(1), 0), R(2)), "MOVBU (R1), R2"},
	{MOVB(R(2), Pre(R(1), -1)), "MOVB.W R2, -1(R1)"},
	{LDP(Post(R(1), 16), R(2), R(3)), "LDP.P 16(R1), (R2, R3)"},
	{STP(R(2), R(3), At(R(1), 0)), "STP (R2, R3), (R1)"},
	{FMOVQ(At(R(1), 16), V(2)), "FMOVQ 16(R1), F2"},
	{FMOVQ(V(2), At(R(1), 16)), "FMOVQ F2, 16(R1)"},
	{FMOVD(R(1), V(2)), "FMOVD R1, F2"},
	{FMOVS(V(2), R(1)), "FMOVS F2, R1"},
	{FLDPQ(At(R(1), 32), V(2), V(4)), "FLDPQ 32(R1), (F2, F4)"},
	{FSTPQ(V(2), V(4), Post(R(1), 32)), "FSTPQ.P (F2, F4), 32(R1)"},
	{VADD(S4, V(1), V(2), V(3)), "VADD V1.S4, V2.S4, V3.S4"},
	{VADDP(D2, V(1), V(2), V(3)), "VADDP V1.D2, V2.D2, V3.D2"},
	{VEOR(V(1), V(2), V(3)), "VEOR V1.B16, V2.B16, V3.B16"},
	{VBSL(V(1), V(2), V(3)), "VBSL V1.B16, V2.B16, V3.B16"},
	{VSHL(S4, 7, V(1), V(2)), "VSHL $7, V1.S4, V2.S4"},
	{VSRI(S4, 25, V(1), V(2)), "VSRI $25, V1.S4, V2.S4"},
	{VREV32(H8, V(1), V(2)), "VREV32 V1.H8, V2.H8"},
	{VADDV(S4, V(1), V(2)), "VADDV V1.S4, V2"},
	{VUADDLV(B16, V(1), V(2)), "VUADDLV V1.B16, V2"},
	{VEXT(4, V(1), V(2), V(3)), "VEXT $4, V1.B16, V2.B16, V3.B16"},
	{VTBL(V(1), V(2), V(3)), "VTBL V1.B16, [V2.B16], V3.B16"},
	{VTBL(V(1), []asm.Reg{V(4), V(5), V(6), V(7)}, V(3)), "VTBL V1.B16, [V4.B16, V5.B16, V6.B16, V7.B16], V3.B16"},
	{VTBX(V(1), []asm.Reg{V(4), V(5)}, V(3)), "VTBX V1.B16, [V4.B16, V5.B16], V3.B16"},
	{VMOV(V(1), V(2)), "VMOV V1.B16, V2.B16"},
	{VMOV(R(1), Lane(D2, V(2), 1)), "VMOV R1, V2.D[1]"},
	{VMOV(Lane(S4, V(2), 3), R(1)), "VMOV V2.S[3], R1"},
	{VMOV(Lane(S4, V(2), 3), Lane(S4, V(1), 0)), "VMOV V2.S[3], V1.S[0]"},
	{VDUP(S4, Lane(S4, V(2), 3), V(1)), "VDUP V2.S[3], V1.S4"},
	{VDUP(B16, R(2), V(1)), "VDUP R2, V1.B16"},
	{VMOVI(B16, 15, V(1)), "VMOVI $15, V1.B16"},
	{VPMULL(D1, V(1), V(2), V(3)), "VPMULL V1.D1, V2.D1, V3.Q1"},
	{VPMULL2(B16, V(1), V(2), V(3)), "VPMULL2 V1.B16, V2.B16, V3.H8"},
	{VUSHLL(B8, 3, V(1), V(2)), "VUSHLL $3, V1.B8, V2.H8"},
	{VUSHLL2(S4, 3, V(1), V(2)), "VUSHLL2 $3, V1.S4, V2.D2"},
	{AESE(V(1), V(2)), "AESE V1.B16, V2.B16"},
	{AESMC(V(1), V(2)), "AESMC V1.B16, V2.B16"},
	{VEOR3(V(1), V(2), V(3), V(4)), "VEOR3 V1.B16, V2.B16, V3.B16, V4.B16"},
	{VBCAX(V(1), V(2), V(3), V(4)), "VBCAX V1.B16, V2.B16, V3.B16, V4.B16"},
	{VXAR(63, V(1), V(2), V(3)), "VXAR $63, V1.D2, V2.D2, V3.D2"},
	{VRAX1(V(1), V(2), V(3)), "VRAX1 V1.D2, V2.D2, V3.D2"},
	{SHA256H(V(1), V(2), V(3)), "SHA256H V1.S4, V2, V3"},
	{SHA256SU0(V(1), V(2)), "SHA256SU0 V1.S4, V2.S4"},
	{SHA256SU1(V(1), V(2), V(3)), "SHA256SU1 V1.S4, V2.S4, V3.S4"},
	{SHA512H2(V(1), V(2), V(3)), "SHA512H2 V1.D2, V2, V3"},
	{SHA512SU0(V(1), V(2)), "SHA512SU0 V1.D2, V2.D2"},
	{VLD1(B16, At(R(1), 0), V(2)), "VLD1 (R1), [V2.B16]"},
	{VLD1(B16, Post(R(1), 32), []asm.Reg{V(2), V(3)}), "VLD1.P 32(R1), [V2.B16, V3.B16]"},
	{VLD1R(S4, Post(R(1), 4), V(2)), "VLD1R.P 4(R1), [V2.S4]"},
	{VLD4R(B16, Post(R(1), 4), []asm.Reg{V(2), V(3), V(4), V(5)}), "VLD4R.P 4(R1), [V2.B16, V3.B16, V4.B16, V5.B16]"},
	{VLD3R(B16, At(R(1), 0), []asm.Reg{V(2), V(3), V(4)}), "VLD3R (R1), [V2.B16, V3.B16, V4.B16]"},
	{VLD4(B16, Post(R(1), 64), []asm.Reg{V(2), V(3), V(4), V(5)}), "VLD4.P 64(R1), [V2.B16, V3.B16, V4.B16, V5.B16]"},
	{VST4(B16, []asm.Reg{V(2), V(3), V(4), V(5)}, Post(R(1), 64)), "VST4.P [V2.B16, V3.B16, V4.B16, V5.B16], 64(R1)"},
	{VST1(D2, V(2), At(R(1), 0)), "VST1 [V2.D2], (R1)"},
	{RET(), "RET"},
}

// Each instruction has the text that is expected, and Go's assembler accepts it.
func TestText(t *testing.T) {
	file := &asm.File{Target: Target}
	f := file.Func("all", "()")
	f.Local("x", 16)
	start := asm.Remark("registers of the instructions below")
	for i := range 8 {
		start.Writes = append(start.Writes, R(i), V(i))
	}
	f.Add(start, CMP(0, R(0)))
	f.Label("loop")
	file.Table("table", "is a table.", make([]byte, 16))
	for _, e := range every {
		f.Add(e.op)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "all_arm64.s")
	file.Write(path, "")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
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
	cmd.Env = append(os.Environ(), "GOARCH=arm64")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// What instructions read and write, besides what their text says in order.
func TestUse(t *testing.T) {
	for _, c := range []struct {
		op            asm.Op
		reads, writes []asm.Reg
	}{
		{ADD(R(1), R(2), R(3)), list(R(1), R(2)), list(R(3))},
		{ADCS(ZR, R(2), R(3)), list(R(2), Flags), list(R(3), Flags)},
		{SUBS(1, R(2), ZR), list(R(2)), list(Flags)},
		{CMP(1, R(2)), list(R(2)), list(Flags)},
		{BNE("x"), list(Flags), nil},
		{LDP(Post(R(1), 16), R(2), R(3)), list(R(1)), list(R(2), R(3), R(1))},
		{LDP(At(R(1), 16), R(2), R(3)), list(R(1)), list(R(2), R(3))},
		{STP(ZR, R(3), Post(R(1), 16)), list(R(3), R(1)), list(R(1))},
		{VSRI(S4, 9, V(1), V(2)), list(V(1), V(2)), list(V(2))},
		{VTBX(V(0), V(1), V(2)), list(V(0), V(1), V(2)), list(V(2))},
		{VTBL(V(0), V(1), V(2)), list(V(0), V(1)), list(V(2))},
		{VMOV(R(1), Lane(D2, V(2), 1)), list(R(1), V(2)), list(V(2))},
		{VMOV(Lane(D2, V(2), 1), R(1)), list(V(2)), list(R(1))},
		{AESE(V(1), V(2)), list(V(1), V(2)), list(V(2))},
		{AESMC(V(1), V(2)), list(V(1)), list(V(2))},
		{CSEL(EQ, R(1), R(2), R(3)), list(R(1), R(2), Flags), list(R(3))},
		{VST1(B16, list(V(1), V(2)), Post(R(1), 32)), list(V(1), V(2), R(1)), list(R(1))},
	} {
		if !slices.Equal(c.op.Reads, c.reads) || !slices.Equal(c.op.Writes, c.writes) {
			t.Errorf("%s reads %v and writes %v", c.op.Text, c.op.Reads, c.op.Writes)
		}
	}
}
