package ctcheck

import (
	"strings"

	"github.com/cipherlane/cipherlane/internal/machine"
)

// The times: Intel, "Data Operand Independent Timing Instruction Set Architecture
// Guidance", lists the instructions whose time does not depend on operands with DOITM
// set; AMD's optimization guides give one latency for each of them. The list has
// integer multiplications, AES, carry-less multiplication, SHA and shuffles. It does not
// have divisions. PDEP and PEXT are microcode before Zen 3. SM3, SM4 and GFNI
// instructions have one latency in both manufacturers' tables.
const x86Source = "Intel's list of instructions with data operand independent timing; AMD's optimization guides"

const x86Table = `
# General registers.
# MOVD is Go's other name of MOVQ.
mov w 8 -: MOVQ MOVD
mov w 4 -: MOVL
movpart w 2 -: MOVW
movpart w 1 -: MOVB
movx1 w 1 -: MOVBLZX MOVBQZX
movx2 w 2 -: MOVWLZX MOVWQZX
lea w 8 -: LEAQ
lea w 4 -: LEAL
add m 8 w: ADDQ
add m 4 w: ADDL
part m 1 w: XORB
sub m 8 w: SUBQ
sub m 4 w: SUBL
and m 8 w: ANDQ
and m 4 w: ANDL
or m 8 w: ORQ
or m 4 w: ORL
xor m 8 w: XORQ
xor m 4 w: XORL
inc m 8 z: INCQ
inc m 4 z: INCL
dec m 8 z: DECQ
dec m 4 z: DECL
neg m 8 w: NEGQ
neg m 4 w: NEGL
alu m 8 -: NOTQ BSWAPQ
alu m 4 -: NOTL BSWAPL
shl m 8 w: SHLQ
shl m 4 w: SHLL
shr m 8 w: SHRQ
shr m 4 w: SHRL
rotate m 8 w: SARQ
rotate m 4 w: SARL
rotate m 8 co: ROLQ RORQ
rotate m 4 co: ROLL RORL
rotate m 8 Cco: RCRQ
adc m 8 Cw: ADCQ
adc m 4 Cw: ADCL
sbb m 8 Cw: SBBQ
sbb m 4 Cw: SBBL
alu m 8 Cc: ADCXQ
alu m 8 Oo: ADOXQ
cmp rr 8 w: CMPQ
cmp rr 4 w: CMPL
cmp rr 1 w: CMPB
test rr 8 w: TESTQ
test rr 4 w: TESTL
test rr 1 w: TESTB
alu rm 8 c: BTRQ
xchg mm 8 -: XCHGQ
alu w 8 -: RORXQ SHLXQ SHRXQ SARXQ
alu w 4 -: RORXL SHLXL SHRXL SARXL
alu w 8 w: ANDNQ BZHIQ
alu w 4 w: ANDNL
mulx rww 8 -: MULXQ
mul1 r 8 w: MULQ
imul m 8 w: IMULQ
imul m 4 w: IMULL
div r 8 w: DIVQ IDIVQ
div r 4 w: DIVL IDIVL
cpuid r| 4 -: CPUID XGETBV
nop r| 8 -: VZEROUPPER PREFETCHT0 PREFETCHNTA SFENCE MFENCE LFENCE PAUSE
zeroall r| 8 -: VZEROALL
jump r 8 -: JMP
call r 8 -: CALL
ret r 8 -: RET
# Vectors: moves.
vmov w v -: MOVOU MOVO MOVOA VMOVDQU VMOVDQA VMOVDQU8 VMOVDQU16 VMOVDQU32 VMOVDQU64 VMOVDQA32 VMOVDQA64
vec w 4 -: VMOVD
movss w 4 -: MOVSS
vec m 8 -: MOVHPS
vmovq w 8 -: VMOVQ
vec w 8 -: VPINSRQ
vec w 4 -: VPINSRD
vec w 8 -: VPEXTRQ VPBROADCASTQ
vec w 4 -: VPBROADCASTD
vec w 2 -: VPBROADCASTW
vec w 1 -: VPBROADCASTB
vec w 16 -: VBROADCASTI128 VBROADCASTI32X4 VBROADCASTI64X2 VEXTRACTI128 VEXTRACTI32X4 VEXTRACTI64X2 VINSERTI128 VINSERTI32X4 VINSERTI64X2
vec w 32 -: VEXTRACTI64X4 VINSERTI64X4
# Two operands of SSE, the second is read as well.
vec m v -: PADDB PADDW PALIGNR PHADDW PSUBW PMULLW PCMPGTW PSLLW PSRAW PUNPCKLWL PUNPCKHWL PCMPEQB PMAXUB PXOR PAND POR PADDL PADDD PADDQ PSLLL PSLLQ PSRLL PSRLQ PSRLW PSRAL PSLLO PSLLDQ PSRLDQ PSHUFB PUNPCKLBW PUNPCKHBW PUNPCKLLQ PUNPCKHLQ PUNPCKLQDQ PUNPCKHQDQ SHUFPD AESENC AESENCLAST AESDEC AESDECLAST PMULULQ PCLMULQDQ
vec w v -: PSHUFL PSHUFD PSHUFLW PSHUFHW AESIMC
# VEX and EVEX: only sources are read.
vec w v -: PMOVMSKB VPXOR VPXORD VPXORQ VPAND VPANDD VPANDQ VPOR VPORD VPORQ VPANDN VPADDB VPADDW VPADDD VPADDQ VPSUBB VPSUBW VPSUBD VPSUBQ VPHADDD
vec w v -: VPSLLD VPSLLQ VPSLLW VPSRLD VPSRLQ VPSRLW VPSRAD VPSRAQ VPSRAW VPSLLDQ VPSRLDQ VPSLLVD VPSLLVQ VPSRLVD VPSRLVQ VPROLD VPROLQ VPROLVD VPROLVQ VPSHRDQ
vec w v -: VPSHUFB VPSHUFD VPUNPCKLBW VPUNPCKHBW VPUNPCKLWD VPUNPCKHWD VPUNPCKLDQ VPUNPCKHDQ VPUNPCKLQDQ VPUNPCKHQDQ VPALIGNR VALIGNQ VPERMD VPERMQ VPERMILPD VPERM2I128 VSHUFI32X4 VSHUFI64X2 VSHUFPS VPBLENDW VPBLENDVB VPBLENDMQ VPACKUSDW VPMAXUB
vec w v -: VPCMPEQB VPCMPEQW VPCMPEQD VPCMPEQQ VPCMPGTW VPCMPUB VPCMPUD VPTESTMB VPTESTMW VPTESTMD VPTESTMQ VPTESTNMW VPTESTNMD VPTESTNMQ VPMOVB2M
vec w v -: VAESENC VAESENCLAST VAESDEC VAESDECLAST VPCLMULQDQ VGF2P8AFFINEQB VGF2P8AFFINEINVQB VPMULLW VPMULHUW VPMADDWD VPEXPANDQ VPCOMPRESSQ VSM4KEY4 VSM4RNDS4
# The destination is read as well.
vec m v -: VPTERNLOGD VPTERNLOGQ VPMADD52LUQ VPMADD52HUQ VPDPWSSD VPERMT2W VSM3RNDS2 VSM3MSG1 VSM3MSG2
# Masks.
kmov w 1 -: KMOVB
kmov w 2 -: KMOVW
kmov w 4 -: KMOVD
kmov w 8 -: KMOVQ
mask w 8 -: KXORB KXORW KXNORB KXNORW
mask rr 8 w: KORTESTW
`

var x86Conditions = map[string]string{
	"EQ": "eq", "Z": "eq", "E": "eq", "NE": "ne", "NZ": "ne", "CS": "lo", "B": "lo", "CC": "hs", "AE": "hs",
	"HI": "hi", "A": "hi", "LS": "ls", "BE": "ls", "LT": "lt", "L": "lt", "GE": "ge", "GT": "gt", "G": "gt",
	"LE": "le", "MI": "mi", "S": "mi", "PL": "pl", "OS": "vs",
}

func init() {
	for _, name := range []string{"amd64", "386"} {
		a := &arch{Arch: machine.Arches[name], source: x86Source}
		a.table = table(x86Table)
		for suffix, cond := range x86Conditions {
			flags := conditionFlags(cond)
			a.table["J"+suffix] = &spec{op: "branch", roles: "r", width: 8, flags: flags}
			for _, w := range []struct {
				name  string
				width int64
			}{{"Q", 8}, {"L", 4}} {
				a.table["CMOV"+w.name+suffix] = &spec{op: "cmov", roles: "rm", width: w.width, flags: flags}
			}
		}
		for _, n := range strings.Fields("DIVQ IDIVQ DIVL IDIVL") {
			a.table[n].time = timeOperands
		}
		a.exec, a.branch, a.readVector, a.writeVector, a.vectorWidth = x86Exec, x86Branch, x86ReadVector, x86WriteVector, x86Width
		a.refuse = x86Refuse
		arches[name] = a
	}
}

// x86Refuse knows the suffixes Z and BCST of vectors.
func x86Refuse(in *instruction) string {
	for _, suffix := range in.Suffix {
		switch {
		case in.spec.op != "vec" && in.spec.op != "vmov", suffix != "Z" && suffix != "BCST":
			return "this suffix is not known"
		case suffix == "BCST" && x86Broadcast(in.Op) == 0:
			return "how much memory is read is not known"
		}
	}
	memory := 0
	for i := range in.Args {
		if in.Args[i].Kind == machine.KindMem {
			memory++
		}
	}
	if memory > 1 {
		return "two operands in memory"
	}
	if strings.HasPrefix(in.Op, "BT") && memory > 0 && in.Args[0].Kind != machine.KindImm {
		return "the register is a part of the address"
	}
	return plain(in)
}

// x86Broadcast returns how many bytes an instruction reads for all elements, or 0.
func x86Broadcast(op string) int64 {
	switch {
	case strings.HasSuffix(op, "PD"), strings.HasSuffix(op, "PS"), strings.HasPrefix(op, "VSHUF"):
		return 0
	case strings.HasSuffix(op, "Q"), strings.HasSuffix(op, "QB"):
		return 8
	case strings.HasSuffix(op, "D"), op == "VPACKUSDW", op == "VPACKSSDW":
		return 4
	}
	return 0
}

// x86Kept returns the flags that an instruction writes and yet may leave as they were, as bits
// by index: a shift by 0 leaves all, and flags that are undefined may be anything that a CPU has.
// same is whether it may leave all of them.
func x86Kept(in *instruction) (kept uint8, same bool) {
	const overflow, zero, all = 1 << flagOverflow, 1 << flagZero, 1<<flagCount - 1
	switch in.spec.op {
	case "shl", "shr", "rotate":
		a := &in.Args[0]
		switch {
		case len(in.Args) == 1 || a.Kind != machine.KindImm || a.Imm <= 0 || a.Imm >= 8*in.spec.width:
			return all, true
		case a.Imm > 1:
			return overflow, false
		}
	case "mul1", "imul":
		return zero, false
	case "div":
		return all, false
	case "alu":
		switch in.Op[:3] {
		case "AND", "BEX", "BZH", "TZC", "LZC":
			return overflow | zero, false
		}
	}
	return 0, false
}

func x86Branch(x *run, s *state, in *instruction) {
	if o := s.readFlags(in.spec.flags); o != 0 {
		x.report(kindBranch, "the branch depends on a secret (%s)", x.source(o))
	}
	x.fork(s, x86Conditions[in.Op[1:]], true)
}

func x86ReadVector(s *state, o *machine.Operand) origin {
	v := s.regs[firstVector+o.Reg].secret
	if o.Shape != 'x' {
		v = joinOrigin(v, s.regs[firstHigh+o.Reg].secret)
	}
	return v
}

// x86WriteVector knows that instructions with V clear what is above the destination and
// that others leave it.
func x86WriteVector(s *state, o *machine.Operand, v origin, merge bool, in *instruction) {
	delete(s.words, o.Reg)
	low, high := &s.regs[firstVector+o.Reg], &s.regs[firstHigh+o.Reg]
	if merge {
		v = joinOrigin(v, low.secret)
		if o.Shape != 'x' {
			v = joinOrigin(v, high.secret)
		}
	}
	*low = value{secret: v, m: 1}
	switch {
	case o.Shape != 'x':
		*high = *low
	case in.Op[0] == 'V':
		*high = anything
	}
}

// x86Width is the number of bytes of an operand in memory of a vector instruction.
func x86Width(in *instruction) int64 {
	for _, s := range in.Suffix {
		if s == "BCST" {
			return x86Broadcast(in.Op)
		}
	}
	width := int64(16)
	for i := range in.Args {
		switch in.Args[i].Shape {
		case 'y':
			width = max(width, 32)
		case 'z':
			width = max(width, 64)
		}
	}
	return width
}

// x86Mask returns the index of the mask of an EVEX instruction, or -1.
func x86Mask(in *instruction) int {
	if in.Op[0] == 'V' && len(in.Args) >= 3 {
		if i := len(in.Args) - 2; in.Args[i].Kind == machine.KindReg && in.Args[i].Shape == 'k' {
			return i
		}
	}
	return -1
}

func x86Exec(x *run, s *state, in *instruction) {
	before := s.flags
	x86Do(x, s, in)
	kept, same := x86Kept(in)
	for flag, writes := range [flagCount]uint8{writesCarry, writesOverflow, writesZero} {
		if in.spec.flags&writes != 0 && kept>>flag&1 != 0 {
			s.flags[flag] = joinOrigin(s.flags[flag], before[flag])
		}
	}
	if same {
		s.last = compared{}
	}
}

func x86Do(x *run, s *state, in *instruction) {
	sp := in.spec
	n := len(in.Args)
	var last *machine.Operand
	if n > 0 {
		last = &in.Args[n-1]
	}
	ptr := x.arch.Ptr
	simple := n == 2 && last.Kind != machine.KindImm
	switch sp.op {
	case "mov", "vmovq":
		if in.Args[0].Kind == machine.KindReg && in.Args[0].Shape != 'r' || last.Kind == machine.KindReg && last.Shape != 'r' {
			x86Single(x, s, in)
			return
		}
		v := x.read(s, &in.Args[0], sp.width)
		x.write(s, last, sp.width, truncate(v, sp.width, ptr), false)
		return
	case "movpart":
		v := x.read(s, &in.Args[0], sp.width)
		x.write(s, last, sp.width, v, last.Kind == machine.KindReg)
		return
	case "movx1", "movx2":
		v := x.read(s, &in.Args[0], sp.width)
		if !v.isConstant() || strings.HasSuffix(in.Op, "SX") {
			v = value{secret: v.secret, m: 1}
		}
		x.write(s, last, ptr, v, false)
		return
	case "lea":
		v := x.address(s, &in.Args[0])
		x.write(s, last, sp.width, truncate(v, sp.width, ptr), false)
		return
	case "add", "sub", "and", "or", "xor", "shl", "shr":
		if !simple {
			break
		}
		a := x.read(s, &in.Args[0], sp.width)
		b := x.read(s, last, sp.width)
		if (sp.op == "xor" || sp.op == "sub") && sameRegister(&in.Args[0], last) {
			a, b = value{}, value{}
		}
		v := compute(sp.op, a, b)
		if sp.op == "shl" || sp.op == "shr" {
			v = shift(sp.op, a, b, sp.width)
		}
		if sp.op == "and" && v.object != nil && a.isConstant() {
			x.align = max(x.align, -a.c)
		}
		v = truncate(v, sp.width, ptr)
		c := compared{kind: 'l', a: v, width: sp.width}
		switch sp.op {
		case "sub":
			c = compared{kind: 's', a: b, b: a, width: sp.width}
		case "add":
			c.kind = 'a'
		}
		x.write(s, last, sp.width, v, false)
		x.setFlags(s, sp, v.secret, c)
		return
	case "inc", "dec":
		d := int64(1)
		if sp.op == "dec" {
			d = -1
		}
		v := truncate(add(x.read(s, last, sp.width), constant(d)), sp.width, ptr)
		x.write(s, last, sp.width, v, false)
		x.setFlags(s, sp, v.secret, compared{kind: 'd', a: v, width: sp.width})
		return
	case "neg":
		v := truncate(sub(value{}, x.read(s, last, sp.width)), sp.width, ptr)
		x.write(s, last, sp.width, v, false)
		x.setFlags(s, sp, v.secret, compared{kind: 'l', a: v, width: sp.width})
		return
	case "cmp":
		a, b := x.read(s, &in.Args[0], sp.width), x.read(s, &in.Args[1], sp.width)
		x.setFlags(s, sp, joinOrigin(a.secret, b.secret), compared{kind: 's', a: a, b: b, width: sp.width, reg: x86Whole(x, in)})
		return
	case "test":
		a, b := x.read(s, &in.Args[0], sp.width), x.read(s, &in.Args[1], sp.width)
		v := compute("and", a, b)
		if sameRegister(&in.Args[0], &in.Args[1]) {
			// As if compared with 0.
			x.setFlags(s, sp, a.secret, compared{kind: 's', a: a, width: sp.width, reg: x86Whole(x, in)})
			return
		}
		x.setFlags(s, sp, v.secret, compared{kind: 'l', a: v, width: sp.width})
		return
	case "sbb":
		if simple && sameRegister(&in.Args[0], last) {
			o := s.readFlags(sp.flags)
			x.write(s, last, sp.width, value{secret: o, m: 1}, false)
			x.setFlags(s, sp, o, compared{})
			return
		}
	case "cmov":
		a, b := x.read(s, &in.Args[0], sp.width), x.read(s, last, sp.width)
		o := s.readFlags(sp.flags)
		v := join(a, b)
		if holds, ok := x.decide(s.last, x86Conditions[in.Op[5:]]); ok {
			if v = b; holds {
				v = a
			}
		}
		v.secret = joinOrigin(v.secret, o)
		x.write(s, last, sp.width, v, false)
		return
	case "xchg":
		a, b := x.read(s, &in.Args[0], sp.width), x.read(s, last, sp.width)
		x.write(s, &in.Args[0], sp.width, b, false)
		x.write(s, last, sp.width, a, false)
		return
	case "imul":
		if n == 2 || n == 3 {
			a, b := x.read(s, &in.Args[0], sp.width), x.read(s, &in.Args[1], sp.width)
			v := truncate(compute("mul", a, b), sp.width, ptr)
			x.write(s, last, sp.width, v, false)
			x.setFlags(s, sp, v.secret, compared{})
			return
		}
		fallthrough
	case "mul1", "div":
		const ax, dx = 0, 3
		o := joinOrigin(x.read(s, last, sp.width).secret, s.regs[ax].secret)
		if sp.op == "div" {
			o = joinOrigin(o, s.regs[dx].secret)
		}
		x.checkTime(sp, o)
		s.regs[ax], s.regs[dx] = value{secret: o, m: 1}, value{secret: o, m: 1}
		x.setFlags(s, sp, o, compared{})
		return
	case "mulx":
		const dx = 3
		o := joinOrigin(x.read(s, &in.Args[0], sp.width).secret, s.regs[dx].secret)
		for i := 1; i < n; i++ {
			x.write(s, &in.Args[i], sp.width, value{secret: o, m: 1}, false)
		}
		return
	case "cpuid":
		o := joinOrigin(s.regs[0].secret, s.regs[2].secret)
		for i := range 4 {
			if in.Op == "CPUID" || i == 0 || i == 3 {
				s.regs[i] = value{secret: o, m: 1}
			}
		}
		return
	case "nop":
		if in.Op == "VZEROUPPER" {
			for i := range 16 {
				s.regs[firstHigh+i] = anything
				delete(s.words, i)
			}
		} else if n > 0 {
			x.checkAddress(x.address(s, &in.Args[0]))
		}
		return
	case "zeroall":
		for i := range 16 {
			s.regs[firstHigh+i], s.regs[firstVector+i] = anything, anything
			delete(s.words, i)
		}
		return
	case "vmov":
		if n == 2 {
			x86Move(x, s, in)
			return
		}
		x86Vector(x, s, in)
		return
	case "vec":
		x86Vector(x, s, in)
		return
	case "movss":
		// To memory or from it; between registers the rest stays.
		v := x.read(s, &in.Args[0], sp.width)
		x.write(s, last, sp.width, v, last.Kind == machine.KindReg && in.Args[0].Kind == machine.KindReg)
		return
	case "kmov":
		v := x.read(s, &in.Args[0], sp.width)
		x.write(s, last, sp.width, value{secret: v.secret, m: 1}, false)
		return
	case "mask":
		if n == 3 && strings.HasPrefix(in.Op, "KX") && sameRegister(&in.Args[0], &in.Args[1]) {
			x.write(s, last, sp.width, anything, false)
			return
		}
	}
	x.operate(s, in)
}

// x86Whole returns the first operand, if it is a whole register, + 1.
func x86Whole(x *run, in *instruction) int {
	if a := &in.Args[0]; a.Kind == machine.KindReg && in.spec.width == x.arch.Ptr {
		return a.Reg + 1
	}
	return 0
}

func sameRegister(a, b *machine.Operand) bool {
	return a.Kind == machine.KindReg && b.Kind == machine.KindReg && a.Reg == b.Reg && a.Shape == b.Shape && a.Shift == "" && b.Shift == ""
}

// x86Single moves a word between a vector and a general register or memory. Addresses
// go along.
func x86Single(x *run, s *state, in *instruction) {
	from, to := &in.Args[0], &in.Args[len(in.Args)-1]
	width := in.spec.width
	v := value{m: 1}
	if from.Kind == machine.KindReg && from.Shape != 'r' && from.Shape != 'k' {
		v.secret = s.regs[firstVector+from.Reg].secret
		if w := s.words[from.Reg]; len(w) > 0 && width == x.arch.Ptr {
			v = w[0]
		}
	} else {
		v = x.read(s, from, width)
	}
	x.write(s, to, width, v, false)
	if to.Kind == machine.KindReg && to.Shape != 'r' && width == x.arch.Ptr && (v.object != nil || v.m == 0) {
		s.setWords(to.Reg, []value{v})
	}
}

func (s *state) setWords(reg int, w []value) {
	if s.words == nil {
		s.words = map[int][]value{}
	}
	s.words[reg] = w
}

// x86Move copies a vector. If there are addresses in it, they are copied one by one.
func x86Move(x *run, s *state, in *instruction) {
	from, to := &in.Args[0], &in.Args[1]
	width := x86Width(in)
	ptr := x.arch.Ptr
	var words []value
	var v value
	switch {
	case from.Kind == machine.KindMem:
		a := x.address(s, from)
		v = x.load(s, a, width)
		if x.hasAddresses(s, a, width) {
			for i := int64(0); i < width; i += ptr {
				words = append(words, x.load(s, add(a, constant(i)), ptr))
			}
		}
	default:
		v = x.read(s, from, width)
		words = s.words[from.Reg]
	}
	if to.Kind == machine.KindMem && len(words) > 0 && int64(len(words))*ptr >= width {
		a := x.address(s, to)
		for i := int64(0); i < width; i += ptr {
			x.store(s, add(a, constant(i)), ptr, words[i/ptr], false)
		}
		return
	}
	x.write(s, to, width, v, false)
	if to.Kind == machine.KindReg && len(words) > 0 {
		s.setWords(to.Reg, words)
	}
}

// hasAddresses reports whether there are addresses in memory at a known place.
func (x *run) hasAddresses(s *state, a value, width int64) bool {
	if a.object == nil || len(a.others) > 0 {
		return false
	}
	found := false
	switch a.object.kind {
	case objectMemory:
		a.object.overlaps(a.c, a.m, width, func(l *leaf, _ bool) { found = found || l.pointer != nil })
	case objectStack:
		if a.m != 0 {
			return false
		}
		for i := s.stack.find(a.c); i < len(s.stack.cells) && s.stack.cells[i].at < a.c+width; i++ {
			c := &s.stack.cells[i].value
			found = found || c.object != nil || len(c.others) > 0
		}
	}
	return found
}

// x86Vector executes vector instructions that need no more than the taint.
func x86Vector(x *run, s *state, in *instruction) {
	sp := in.spec
	n := len(in.Args)
	last := &in.Args[n-1]
	mask := x86Mask(in)
	zeroing := false
	for _, suffix := range in.Suffix {
		if suffix == "Z" {
			zeroing = true
		}
	}
	var o origin
	sources := n - 1
	if mask >= 0 {
		m := s.regs[firstMask+in.Args[mask].Reg].secret
		if m != 0 && last.Kind == machine.KindMem {
			x.report(kindAddress, "which bytes are written depends on a secret (%s)", x.source(m))
		}
		for i := range mask {
			// The address is the same. Bytes that the mask leaves out are read as others.
			if in.Args[i].Kind != machine.KindMem || m == 0 {
				continue
			}
			x.masked = true
			if strings.HasPrefix(in.Op, "VPEXPAND") {
				x.report(kindAddress, "how much is read depends on a secret (%s)", x.source(m))
			}
		}
		o = m
		sources = mask
	}
	if !x86Zero(in, sources, sp) {
		for i := range sources {
			o = joinOrigin(o, x.read(s, &in.Args[i], x.width(in, &in.Args[i])).secret)
		}
		if sp.role(n-1, n) == 'm' || sp.roles == "rr" {
			o = joinOrigin(o, x.read(s, last, x.width(in, last)).secret)
		}
	}
	x.checkTime(sp, o)
	x.setFlags(s, sp, o, compared{})
	if sp.roles == "rr" {
		return
	}
	width := x.width(in, last)
	x.write(s, last, width, value{secret: o, m: 1}, mask >= 0 && !zeroing && last.Shape != 'k' && !strings.HasPrefix(in.Op, "VPBLENDM"))
}

// x86Zero reports whether the result does not depend on operands: zeros or ones.
func x86Zero(in *instruction, sources int, sp *spec) bool {
	op := strings.TrimPrefix(in.Op, "V")
	if in.Args[1].Kind == machine.KindMem {
		return false // its address counts
	}
	if strings.HasPrefix(op, "PTERNLOG") && in.Args[0].Kind == machine.KindImm && (in.Args[0].Imm&0xff == 0 || in.Args[0].Imm&0xff == 0xff) {
		return true
	}
	a := &in.Args[0]
	b := &in.Args[1]
	if in.Op[0] == 'V' && sources != 2 || !sameRegister(a, b) {
		return false
	}
	switch {
	case op == "PXOR" || op == "PXORD" || op == "PXORQ" || strings.HasPrefix(op, "PSUB") || strings.HasPrefix(op, "PCMPEQ") || strings.HasPrefix(op, "PCMPGT") || strings.HasPrefix(op, "PANDN"):
		return true
	}
	return false
}
