package arm64

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
	{SBFX(3, R(1), 8, R(3)), "SBFX $3, R1, $8, R3"},
	{BFI(3, R(1), 8, R(3)), "BFI $3, R1, $8, R3"},
	{REV(R(1), R(2)), "REV R1, R2"},
	{CSEL(HS, R(1), R(2), R(3)), "CSEL HS, R1, R2, R3"},
	{CSETM(NE, R(1)), "CSETM NE, R1"},
	{CNEG(MI, R(1), R(2)), "CNEG MI, R1, R2"},
	{CINV(MI, R(1), R(2)), "CINV MI, R1, R2"},
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
	{VMOVI(15, V(1)), "VMOVI $15, V1.B16"},
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
	{VLD4R(B16, PostIndex(R(1), R(6)), []asm.Reg{V(2), V(3), V(4), V(5)}), "VLD4R.P (R1)(R6), [V2.B16, V3.B16, V4.B16, V5.B16]"},
	{VLD4(B16, Post(R(1), 64), []asm.Reg{V(2), V(3), V(4), V(5)}), "VLD4.P 64(R1), [V2.B16, V3.B16, V4.B16, V5.B16]"},
	{VST4(B16, []asm.Reg{V(2), V(3), V(4), V(5)}, Post(R(1), 64)), "VST4.P [V2.B16, V3.B16, V4.B16, V5.B16], 64(R1)"},
	{VST1(D2, V(2), At(R(1), 0)), "VST1 [V2.D2], (R1)"},
	{ADDW(R(1), R(2), R(3)), "ADDW R1, R2, R3"},
	{SUB(R(1), R(2), R(3)), "SUB R1, R2, R3"},
	{SUBW(R(1), R(2), R(3)), "SUBW R1, R2, R3"},
	{ANDW(R(1), R(2), R(3)), "ANDW R1, R2, R3"},
	{ORR(R(1), R(2), R(3)), "ORR R1, R2, R3"},
	{ORRW(R(1), R(2), R(3)), "ORRW R1, R2, R3"},
	{BIC(R(1), R(2), R(3)), "BIC R1, R2, R3"},
	{BICW(R(1), R(2), R(3)), "BICW R1, R2, R3"},
	{EON(R(1), R(2), R(3)), "EON R1, R2, R3"},
	{ORN(R(1), R(2), R(3)), "ORN R1, R2, R3"},
	{ADDSW(R(1), R(2), R(3)), "ADDSW R1, R2, R3"},
	{SUBSW(R(1), R(2), R(3)), "SUBSW R1, R2, R3"},
	{SUBS(R(1), R(2), R(3)), "SUBS R1, R2, R3"},
	{ANDS(R(1), R(2), R(3)), "ANDS R1, R2, R3"},
	{ADC(R(1), R(2), R(3)), "ADC R1, R2, R3"},
	{SBC(R(1), R(2), R(3)), "SBC R1, R2, R3"},
	{SBCS(R(1), R(2), R(3)), "SBCS R1, R2, R3"},
	{MULW(R(1), R(2), R(3)), "MULW R1, R2, R3"},
	{UMULH(R(1), R(2), R(3)), "UMULH R1, R2, R3"},
	{SMULH(R(1), R(2), R(3)), "SMULH R1, R2, R3"},
	{UMULL(R(1), R(2), R(3)), "UMULL R1, R2, R3"},
	{LSLW(R(1), R(2), R(3)), "LSLW R1, R2, R3"},
	{LSR(R(1), R(2), R(3)), "LSR R1, R2, R3"},
	{LSRW(R(1), R(2), R(3)), "LSRW R1, R2, R3"},
	{ASR(R(1), R(2), R(3)), "ASR R1, R2, R3"},
	{ROR(R(1), R(2), R(3)), "ROR R1, R2, R3"},
	{CMPW(R(1), R(2)), "CMPW R1, R2"},
	{CMN(R(1), R(2)), "CMN R1, R2"},
	{TST(R(1), R(2)), "TST R1, R2"},
	{MSUB(R(1), R(2), R(3), R(4)), "MSUB R1, R2, R3, R4"},
	{UMADDL(R(1), R(2), R(3), R(4)), "UMADDL R1, R2, R3, R4"},
	{REVW(R(1), R(2)), "REVW R1, R2"},
	{REV16(R(1), R(2)), "REV16 R1, R2"},
	{REV32(R(1), R(2)), "REV32 R1, R2"},
	{RBIT(R(1), R(2)), "RBIT R1, R2"},
	{CLZ(R(1), R(2)), "CLZ R1, R2"},
	{MVN(R(1), R(2)), "MVN R1, R2"},
	{NEG(R(1), R(2)), "NEG R1, R2"},
	{CSET(LO, R(1)), "CSET LO, R1"},
	{CBZ(R(1), "loop"), "CBZ R1, loop"},
	{CBZW(R(1), "loop"), "CBZW R1, loop"},
	{CBNZW(R(1), "loop"), "CBNZW R1, loop"},
	{TBNZ(63, R(1), "loop"), "TBNZ $63, R1, loop"},
	{BEQ("loop"), "BEQ loop"},
	{BHS("loop"), "BHS loop"},
	{BLO("loop"), "BLO loop"},
	{BMI("loop"), "BMI loop"},
	{BPL("loop"), "BPL loop"},
	{BHI("loop"), "BHI loop"},
	{BLS("loop"), "BLS loop"},
	{BGE("loop"), "BGE loop"},
	{BLT("loop"), "BLT loop"},
	{BGT("loop"), "BGT loop"},
	{BLE("loop"), "BLE loop"},
	{MOVW(At(R(1), 4), R(2)), "MOVW 4(R1), R2"},
	{MOVHU(At(R(1), 4), R(2)), "MOVHU 4(R1), R2"},
	{MOVH(At(R(1), 4), R(2)), "MOVH 4(R1), R2"},
	{LDPW(At(R(1), 8), R(2), R(3)), "LDPW 8(R1), (R2, R3)"},
	{STPW(R(2), R(3), At(R(1), 8)), "STPW (R2, R3), 8(R1)"},
	{VSUB(S4, V(1), V(2), V(3)), "VSUB V1.S4, V2.S4, V3.S4"},
	{VUMAX(S4, V(1), V(2), V(3)), "VUMAX V1.S4, V2.S4, V3.S4"},
	{VUMIN(S4, V(1), V(2), V(3)), "VUMIN V1.S4, V2.S4, V3.S4"},
	{VCMEQ(S4, V(1), V(2), V(3)), "VCMEQ V1.S4, V2.S4, V3.S4"},
	{VCMTST(S4, V(1), V(2), V(3)), "VCMTST V1.S4, V2.S4, V3.S4"},
	{VZIP1(S4, V(1), V(2), V(3)), "VZIP1 V1.S4, V2.S4, V3.S4"},
	{VZIP2(S4, V(1), V(2), V(3)), "VZIP2 V1.S4, V2.S4, V3.S4"},
	{VUZP1(S4, V(1), V(2), V(3)), "VUZP1 V1.S4, V2.S4, V3.S4"},
	{VUZP2(S4, V(1), V(2), V(3)), "VUZP2 V1.S4, V2.S4, V3.S4"},
	{VTRN1(S4, V(1), V(2), V(3)), "VTRN1 V1.S4, V2.S4, V3.S4"},
	{VTRN2(S4, V(1), V(2), V(3)), "VTRN2 V1.S4, V2.S4, V3.S4"},
	{VAND(V(1), V(2), V(3)), "VAND V1.B16, V2.B16, V3.B16"},
	{VORR(V(1), V(2), V(3)), "VORR V1.B16, V2.B16, V3.B16"},
	{VBIT(V(1), V(2), V(3)), "VBIT V1.B16, V2.B16, V3.B16"},
	{VBIF(V(1), V(2), V(3)), "VBIF V1.B16, V2.B16, V3.B16"},
	{VUSHR(D2, 9, V(1), V(2)), "VUSHR $9, V1.D2, V2.D2"},
	{VSLI(D2, 9, V(1), V(2)), "VSLI $9, V1.D2, V2.D2"},
	{VUSRA(D2, 9, V(1), V(2)), "VUSRA $9, V1.D2, V2.D2"},
	{VREV16(B16, V(1), V(2)), "VREV16 V1.B16, V2.B16"},
	{VREV64(B16, V(1), V(2)), "VREV64 V1.B16, V2.B16"},
	{VRBIT(B16, V(1), V(2)), "VRBIT V1.B16, V2.B16"},
	{VCNT(B16, V(1), V(2)), "VCNT V1.B16, V2.B16"},
	{AESD(V(1), V(2)), "AESD V1.B16, V2.B16"},
	{AESIMC(V(1), V(2)), "AESIMC V1.B16, V2.B16"},
	{SHA256H2(V(1), V(2), V(3)), "SHA256H2 V1.S4, V2, V3"},
	{SHA512H(V(1), V(2), V(3)), "SHA512H V1.D2, V2, V3"},
	{SHA512SU1(V(1), V(2), V(3)), "SHA512SU1 V1.D2, V2.D2, V3.D2"},
	{VLD2(S4, At(R(1), 0), list(V(2), V(3))), "VLD2 (R1), [V2.S4, V3.S4]"},
	{VLD3(B16, At(R(1), 0), list(V(2), V(3), V(4))), "VLD3 (R1), [V2.B16, V3.B16, V4.B16]"},
	{VLD2R(D2, At(R(1), 0), list(V(2), V(3))), "VLD2R (R1), [V2.D2, V3.D2]"},
	{VST2(S4, list(V(2), V(3)), At(R(1), 0)), "VST2 [V2.S4, V3.S4], (R1)"},
	{VST3(B16, list(V(2), V(3), V(4)), Post(R(1), 48)), "VST3.P [V2.B16, V3.B16, V4.B16], 48(R1)"},
	{VBIC(V(1), V(2), V(3)), "WORD $0x4e611c43 // VBIC V1.B16, V2.B16, V3.B16"},
	{VORN(V(1), V(2), V(3)), "WORD $0x4ee11c43 // VORN V1.B16, V2.B16, V3.B16"},
	{VNOT(V(1), V(2)), "WORD $0x6e205822 // VNOT V1.B16, V2.B16"},
	{VCMHI(H8, V(1), V(2), V(3)), "WORD $0x6e613443 // VCMHI V1.H8, V2.H8, V3.H8"},
	{VCMHS(H8, V(1), V(2), V(3)), "WORD $0x6e613c43 // VCMHS V1.H8, V2.H8, V3.H8"},
	{VCMGT(H8, V(1), V(2), V(3)), "WORD $0x4e613443 // VCMGT V1.H8, V2.H8, V3.H8"},
	{VCMGE(H8, V(1), V(2), V(3)), "WORD $0x4e613c43 // VCMGE V1.H8, V2.H8, V3.H8"},
	{VMUL(H8, V(1), V(2), V(3)), "WORD $0x4e619c43 // VMUL V1.H8, V2.H8, V3.H8"},
	{VMLA(H8, V(1), V(2), V(3)), "WORD $0x4e619443 // VMLA V1.H8, V2.H8, V3.H8"},
	{VMLS(H8, V(1), V(2), V(3)), "WORD $0x6e619443 // VMLS V1.H8, V2.H8, V3.H8"},
	{VNEG(D2, V(1), V(2)), "WORD $0x6ee0b822 // VNEG V1.D2, V2.D2"},
	{VSSHR(S4, 5, V(1), V(2)), "WORD $0x4f3b0422 // VSSHR $5, V1.S4, V2.S4"},
	{VMUL(H8, Lane(H8, V(1), 6), V(2), V(3)), "WORD $0x4f618843 // VMUL V1.H[6], V2.H8, V3.H8"},
	{VMLA(H8, Lane(H8, V(1), 6), V(2), V(3)), "WORD $0x6f610843 // VMLA V1.H[6], V2.H8, V3.H8"},
	{VUMULL(S2, V(1), V(2), V(3)), "WORD $0x2ea1c043 // VUMULL V1.S2, V2.S2, V3.D2"},
	{VUMULL2(S4, V(1), V(2), V(3)), "WORD $0x6ea1c043 // VUMULL2 V1.S4, V2.S4, V3.D2"},
	{VUMLAL(S2, V(1), V(2), V(3)), "WORD $0x2ea18043 // VUMLAL V1.S2, V2.S2, V3.D2"},
	{VUMLAL2(S4, V(1), V(2), V(3)), "WORD $0x6ea18043 // VUMLAL2 V1.S4, V2.S4, V3.D2"},
	{VXTN(S2, V(1), V(2)), "WORD $0x0ea12822 // VXTN V1.D2, V2.S2"},
	{VXTN2(B16, V(1), V(2)), "WORD $0x4e212822 // VXTN2 V1.H8, V2.B16"},
	{VSHRN(S2, 26, V(1), V(2)), "WORD $0x0f268422 // VSHRN $26, V1.D2, V2.S2"},
	{VSHRN2(S4, 26, V(1), V(2)), "WORD $0x4f268422 // VSHRN2 $26, V1.D2, V2.S4"},
	{SM3SS1(V(1), V(2), V(3), V(4)), "WORD $0xce420464 // SM3SS1 V1.S4, V2.S4, V3.S4, V4.S4"},
	{SM3TT1A(Lane(S4, V(1), 2), V(2), V(3)), "WORD $0xce41a043 // SM3TT1A V1.S[2], V2.S4, V3.S4"},
	{SM3TT1B(Lane(S4, V(1), 2), V(2), V(3)), "WORD $0xce41a443 // SM3TT1B V1.S[2], V2.S4, V3.S4"},
	{SM3TT2A(Lane(S4, V(1), 2), V(2), V(3)), "WORD $0xce41a843 // SM3TT2A V1.S[2], V2.S4, V3.S4"},
	{SM3TT2B(Lane(S4, V(1), 2), V(2), V(3)), "WORD $0xce41ac43 // SM3TT2B V1.S[2], V2.S4, V3.S4"},
	{SM3PARTW1(V(1), V(2), V(3)), "WORD $0xce61c043 // SM3PARTW1 V1.S4, V2.S4, V3.S4"},
	{SM3PARTW2(V(1), V(2), V(3)), "WORD $0xce61c443 // SM3PARTW2 V1.S4, V2.S4, V3.S4"},
	{SM4EKEY(V(1), V(2), V(3)), "WORD $0xce61c843 // SM4EKEY V1.S4, V2.S4, V3.S4"},
	{SM4E(V(1), V(2)), "WORD $0xcec08422 // SM4E V1.S4, V2.S4"},
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
	lines := strings.Split(strings.ReplaceAll(string(text), "; ", "\n\t"), "\n") // an instruction each
	for _, e := range every {
		if !slices.Contains(lines, "\t"+e.text) {
			t.Errorf("no %q", e.text)
		}
	}
	for _, name := range exported(t) {
		if !slices.ContainsFunc(every, func(e instruction) bool { return e.op.Name == name }) {
			t.Errorf("no %s", name)
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
		{VLD1(B16, PostIndex(R(1), R(3)), V(2)), list(R(1), R(3)), list(V(2), R(1))},
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

// Instructions of some registers of a list do not change the others.
func TestPartOfList(t *testing.T) {
	x := list(V(1), V(2), V(3))
	VST1(B16, x[:2], At(R(0), 0))
	VLD1(B16, Post(R(0), 32), x[:2])
	VTBL(V(0), x[:2], V(4))
	if !slices.Equal(x, list(V(1), V(2), V(3))) {
		t.Error(x)
	}
}
