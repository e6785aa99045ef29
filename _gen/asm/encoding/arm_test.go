package encoding

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

func TestARM(t *testing.T) {
	encoders := map[string]func(n []int) uint32{
		"veor q_, q_, q_":      func(n []int) uint32 { return VEORQ(n[2], n[1], n[0]) },
		"vand q_, q_, q_":      func(n []int) uint32 { return VANDQ(n[2], n[1], n[0]) },
		"vorr q_, q_, q_":      func(n []int) uint32 { return VORRQ(n[2], n[1], n[0]) },
		"vbit q_, q_, q_":      func(n []int) uint32 { return VBITQ(n[2], n[1], n[0]) },
		"vbif q_, q_, q_":      func(n []int) uint32 { return VBIFQ(n[2], n[1], n[0]) },
		"veor d_, d_, d_":      func(n []int) uint32 { return VEORD(n[2], n[1], n[0]) },
		"vorr d_, d_, d_":      func(n []int) uint32 { return VORRD(n[2], n[1], n[0]) },
		"vmull.p8 q_, d_, d_":  func(n []int) uint32 { return VMULLP(8, n[2], n[1], n[0]) },
		"vmull.p64 q_, d_, d_": func(n []int) uint32 { return VMULLP(64, n[2], n[1], n[0]) },
		"vmov.i8 q_, #_":       func(n []int) uint32 { return VMOVIQ(n[1], n[0]) },
		"vswp d_, d_":          func(n []int) uint32 { return VSWPD(n[1], n[0]) },
		"vext.8 q_, q_, q_, #_": func(n []int) uint32 {
			return VEXTQ(n[3], n[2], n[1], n[0])
		},
		"vtbl.8 d_, {d_-d_}, d_": func(n []int) uint32 { return VTBL(n[3], n[1], n[0]) },
		"aese.8 q_, q_":          func(n []int) uint32 { return AESE(n[1], n[0]) },
		"aesd.8 q_, q_":          func(n []int) uint32 { return AESD(n[1], n[0]) },
		"aesmc.8 q_, q_":         func(n []int) uint32 { return AESMC(n[1], n[0]) },
		"aesimc.8 q_, q_":        func(n []int) uint32 { return AESIMC(n[1], n[0]) },
		"vdup.32 q_, r_":         func(n []int) uint32 { return VDUPQ(n[1], n[0]) },
	}
	for _, size := range []int{8, 16, 32, 64} {
		add := func(form string, f func(n []int) uint32) {
			encoders[strings.ReplaceAll(form, "SIZE", fmt.Sprint(size))] = f
		}
		add("vadd.iSIZE q_, q_, q_", func(n []int) uint32 { return VADDQ(size, n[2], n[1], n[0]) })
		add("vshl.sSIZE q_, q_, #_", func(n []int) uint32 { return VSHLQ(size, n[2], n[1], n[0]) })
		add("vsli.SIZE q_, q_, #_", func(n []int) uint32 { return VSLIQ(size, n[2], n[1], n[0]) })
		add("vshr.uSIZE q_, q_, #_", func(n []int) uint32 { return VSHRQ(size, n[2], n[1], n[0]) })
		add("vshr.sSIZE q_, q_, #_", func(n []int) uint32 { return VSSHRQ(size, n[2], n[1], n[0]) })
		add("vsri.SIZE q_, q_, #_", func(n []int) uint32 { return VSRIQ(size, n[2], n[1], n[0]) })
		if size == 64 {
			continue
		}
		add("vtst.SIZE q_, q_, q_", func(n []int) uint32 { return VTSTQ(size, n[2], n[1], n[0]) })
		add("vtrn.SIZE q_, q_", func(n []int) uint32 { return VTRNQ(size, n[1], n[0]) })
		for group := 2 * size; group <= 64; group *= 2 {
			add(fmt.Sprintf("vrev%d.SIZE q_, q_", group), func(n []int) uint32 { return VREVQ(group, size, n[1], n[0]) })
		}
	}
	for name, encode := range map[string]func(mode, base, first, count int) uint32{"vld1.8": VLD1, "vst1.8": VST1} {
		for mark, mode := range map[string]int{"": 15, "!": 13} {
			encoders[name+" {d_}, [r_]"+mark] = func(n []int) uint32 { return encode(mode, n[1], n[0], 1) }
			encoders[name+" {d_-d_}, [r_]"+mark] = func(n []int) uint32 { return encode(mode, n[2], n[0], n[1]-n[0]+1) }
		}
		encoders[name+" {d_-d_}, [r_], r_"] = func(n []int) uint32 { return encode(n[3], n[2], n[0], n[1]-n[0]+1) }
	}
	for name, encode := range map[string]func(post bool, base, first int) uint32{"vld4.32": VLD4, "vst4.32": VST4} {
		encoders[name+" {d_,d_,d_,d_}, [r_]"] = func(n []int) uint32 { return encode(false, n[4], n[0]) }
		encoders[name+" {d_,d_,d_,d_}, [r_]!"] = func(n []int) uint32 { return encode(true, n[4], n[0]) }
	}
	compare(t, "arm", regexp.MustCompile(`(?:\b[qdr]|#)(\d+)`), encoders)
}
