package encoding

import (
	"fmt"
	"strconv"
	"strings"
)

// Source: LoongArch Reference Manual, volume 2 (vectors), and volume 1 for alsl.d, which Go 1.24 lacks.

// loongVectors are the instructions of LSX and LASX behind the kinds of their operands, in the
// manual's order: v a vector, r an integer register, a digit the bits of a constant, which is in
// words for loads, and s a distance from 1 to 4. Those of LASX that are not there have bit 26 besides.
const loongVectors = `
vvv: vadd.b=700a0000 vadd.h=700a8000 vadd.w=700b0000 vadd.d=700b8000 vsub.b=700c0000 vsub.h=700c8000 vsub.w=700d0000
vvv: vsub.d=700d8000 vilvl.b=711a0000 vilvl.h=711a8000 vilvl.w=711b0000 vilvl.d=711b8000 vilvh.b=711c0000
vvv: vilvh.h=711c8000 vilvh.w=711d0000 vilvh.d=711d8000 vpackev.b=71160000 vpackev.h=71168000 vpackev.w=71170000
vvv: vpackev.d=71178000 vpackod.b=71180000 vpackod.h=71188000 vpackod.w=71190000 vpackod.d=71198000 vpickev.b=711e0000
vvv: vpickev.h=711e8000 vpickev.w=711f0000 vpickev.d=711f8000 vpickod.b=71200000 vpickod.h=71208000 vpickod.w=71210000
vvv: vpickod.d=71218000 vand.v=71260000 vor.v=71268000 vxor.v=71270000 vnor.v=71278000 vandn.v=71280000
vvv: vorn.v=71288000 vmulwev.d.wu=70990000 vmulwod.d.wu=709b0000 vmaddwev.d.wu=70b50000 vmaddwod.d.wu=70b70000
vvv: vmul.h=70848000 vmul.w=70850000 vmadd.h=70a88000
vv3: vrotri.b=72a02000 vslli.b=732c2000 vsrli.b=73302000
vv4: vrotri.h=72a04000 vslli.h=732c4000 vsrli.h=73304000
vv5: vrotri.w=72a08000 vslli.w=732c8000 vsrli.w=73308000 vbsll.v=728e0000 vbsrl.v=728e8000
vv6: vrotri.d=72a10000 vslli.d=732d0000 vsrli.d=73310000
vv8: vshuf4i.b=73900000 vshuf4i.h=73940000 vshuf4i.w=73980000 vandi.b=73d00000 xvpermi.q=77ec0000 xvpermi.d=77e80000
vvvv: vshuf.b=0d500000 vbitsel.v=0d100000 xvshuf.b=0d600000 xvbitsel.v=0d200000
vr: vreplgr2vr.b=729f0000 vreplgr2vr.h=729f0400 vreplgr2vr.w=729f0800 vreplgr2vr.d=729f0c00
vr9: vldrepl.w=30200000 xvldrepl.w=32200000
rv1: vpickve2gr.d=72eff000
vr1: vinsgr2vr.d=72ebf000
rv2: xvpickve2gr.d=76efe000
vr2: xvinsgr2vr.d=76ebe000
rrrs: alsl.d=002c0000
`

// A loongVector is an instruction of LSX or LASX.
type loongVector struct {
	mnemonic string
	code     uint32
	kinds    string
}

// loong has them by the names of [LoongVector].
var loong = map[string]loongVector{}

func init() {
	add := func(i loongVector) {
		base, types, _ := strings.Cut(i.mnemonic, ".")
		loong[strings.ToUpper(base+strings.NewReplacer("d", "v", ".", "").Replace(types))] = i
	}
	for line := range strings.Lines(strings.TrimSpace(loongVectors)) {
		kinds, list, _ := strings.Cut(line, ":")
		for _, one := range strings.Fields(list) {
			mnemonic, code, _ := strings.Cut(one, "=")
			n, err := strconv.ParseUint(code, 16, 32)
			if err != nil {
				panic(err)
			}
			add(loongVector{mnemonic, uint32(n), kinds})
			if mnemonic[0] == 'v' && !strings.Contains(kinds, "1") {
				add(loongVector{"x" + mnemonic, uint32(n) | 1<<26, kinds})
			}
		}
	}
}

// LoongVector encodes an instruction of the table. The name is the manual's without dots, and
// with V for elements of 64 bits, as Go has it. The operands are in the opposite order of the manual's.
func LoongVector(name string, n ...int) uint32 {
	i, ok := loong[name]
	if !ok || len(n) != len(i.kinds) {
		panic(fmt.Sprintf("encoding: %s with %d operands", name, len(n)))
	}
	w := i.code
	for at, kind := range i.kinds {
		value, limit := n[len(n)-1-at], 32
		switch kind {
		case 'v', 'r':
		case 's':
			value, limit = value-1, 4
		default:
			limit = 1 << (kind - '0')
		}
		w |= uint32(limited(value, limit)) << (5 * at)
	}
	return w
}
