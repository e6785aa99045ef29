package machine

var armMacros = map[string]Macro{
	"VADDQ_I32":   {"qqq", "rrw", "vadd.i32 2 1 0"},
	"VADDD_I32":   {"ddd", "rrw", "vadd.i32 2 1 0"},
	"VADDD_I64":   {"ddd", "rrw", "vadd.i64 2 1 0"},
	"VEORQ":       {"qqq", "rrw", "veor 2 1 0"},
	"VANDQ":       {"qqq", "rrw", "vand 2 1 0"},
	"VANDD":       {"ddd", "rrw", "vand 2 1 0"},
	"VBICQ":       {"qqq", "rrw", "vbic 2 1 0"},
	"VMOVD":       {"dd", "rw", "vorr 1 0 0"},
	"VSHLQ_I32":   {"iqq", "irw", "vshl.i32 2 1 0"},
	"VSHLD_I32":   {"idd", "irw", "vshl.i32 2 1 0"},
	"VSHRQ_U32":   {"iqq", "irw", "vshr.u32 2 1 0"},
	"VSHRD_U32":   {"idd", "irw", "vshr.u32 2 1 0"},
	"VSHRQ_U64":   {"iqq", "irw", "vshr.u64 2 1 0"},
	"VSRIQ_32":    {"iqq", "irm", "vsri.32 2 1 0"},
	"VSRID_32":    {"idd", "irm", "vsri.32 2 1 0"},
	"VSRID_64":    {"idd", "irm", "vsri.64 2 1 0"},
	"VSRAQ_U64":   {"iqq", "irm", "vsra.u64 2 1 0"},
	"VREV32Q_16":  {"qq", "rw", "vrev32.16 1 0"},
	"VTRNQ_32":    {"qq", "mm", "vtrn.32 1 0"},
	"VSWPD":       {"dd", "mm", "vswp 1 0"},
	"VEXTQ_32":    {"iqqq", "irrw", "vext.32 3 2 1 0"},
	"VTBLD":       {"ddd", "rrw", "vtbl.8 2 {1} 0"},
	"VMULL_U32":   {"ddq", "rrw", "vmull.u32 2 1 0"},
	"VMLAL_U32":   {"ddq", "rrm", "vmlal.u32 2 1 0"},
	"VMULLX_U32":  {"iddq", "irrw", "vmull.u32 3 2 1[0]"},
	"VMLALX_U32":  {"iddq", "irrm", "vmlal.u32 3 2 1[0]"},
	"VMOVND_I64":  {"qd", "rw", "vmovn.i64 1 0"},
	"VMOVLQ_U32":  {"dq", "rw", "vmovl.u32 1 0"},
	"VBICQ_TOP":   {"iq", "im", "vbic.i32 1 0<<24"},
	"VBICD_TOP":   {"id", "im", "vbic.i32 1 0<<24"},
	"VORRQ_TOP":   {"iq", "im", "vorr.i32 1 0<<24"},
	"VORRD_TOP":   {"id", "im", "vorr.i32 1 0<<24"},
	"VMOVQ_LOW32": {"q", "w", "vmov.i64 0 #4294967295"},
	"VMOVD_LOW32": {"d", "w", "vmov.i64 0 #4294967295"},
	"UMAAL":       {"rrrr", "rrmm", "umaal 2 3 1 0"},
	"LDRD":        {"irr", "", "ldrd"},
	"STRD":        {"rir", "", "strd"},
	"VLD1Q":       {"rq", "", "vld1"}, "VLD1QP": {"rq", "", "vld1"}, "VLD1QX": {"rrq", "", "vld1"}, "VLD1Q_A": {"rq", "", "vld1"},
	"VST1Q": {"qr", "", "vst1"}, "VST1QP": {"qr", "", "vst1"}, "VST1Q_A": {"qr", "", "vst1"},
	"VLD1QQ": {"rq", "", "vld1"}, "VLD1QQP": {"rq", "", "vld1"}, "VLD1QQX": {"rrq", "", "vld1"},
	"VST1QQP": {"qr", "", "vst1"}, "VST1QQX": {"qrr", "", "vst1"},
	"VLD1D": {"rd", "", "vld1"}, "VST1D": {"dr", "", "vst1"}, "VST1D_LANE0": {"dr", "", "vst1"},
	"VLD1Q_DUP32P": {"rq", "", "vld1"}, "VLD1D_DUP32": {"rd", "", "vld1"},
	"VLD4D_32P": {"rd", "", "vld4"}, "VLD4D_DUP32": {"rd", "", "vld4"},
}

// An Access is what a macro of arm for memory does.
type Access struct {
	Bytes, Count, Every int   // bytes in memory, D registers, and the distance between these
	After               int64 // how the address changes: by so many bytes, or -1 by a register
	Width               int64 // of the elements, if it loads one into all lanes
}

// Accesses are the macros of arm for memory.
var Accesses = map[string]Access{
	"VLD1Q": {16, 2, 1, 0, 0}, "VLD1QP": {16, 2, 1, 16, 0}, "VLD1QX": {16, 2, 1, -1, 0}, "VLD1Q_A": {16, 2, 1, 0, 0},
	"VST1Q": {16, 2, 1, 0, 0}, "VST1QP": {16, 2, 1, 16, 0}, "VST1Q_A": {16, 2, 1, 0, 0},
	"VLD1QQ": {32, 4, 1, 0, 0}, "VLD1QQP": {32, 4, 1, 32, 0}, "VLD1QQX": {32, 4, 1, -1, 0},
	"VST1QQP": {32, 4, 1, 32, 0}, "VST1QQX": {32, 4, 1, -1, 0},
	"VLD1D": {8, 1, 1, 0, 0}, "VST1D": {8, 1, 1, 0, 0}, "VST1D_LANE0": {4, 1, 1, 0, 0},
	"VLD1Q_DUP32P": {4, 2, 1, 4, 4}, "VLD1D_DUP32": {4, 1, 1, 0, 4},
	"VLD4D_32P": {32, 4, 2, 32, 32}, "VLD4D_DUP32": {16, 4, 2, 0, 16},
}

// ArmHalves returns which D registers an operand is: one, those of a Q register, or one of
// them, such as Q1.D[0].
func ArmHalves(o *Operand) (first, n int) {
	switch {
	case o.Shape == 'd':
		return o.Reg, 1
	case o.Lane:
		return 2*o.Reg + o.LaneIndex, 1
	}
	return 2 * o.Reg, 2
}
