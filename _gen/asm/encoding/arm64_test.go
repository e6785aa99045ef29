package encoding

import (
	"regexp"
	"strings"
	"testing"
)

func TestARM64(t *testing.T) {
	encoders := map[string]func(n []int) uint32{
		"sm3ss1 v_.4s, v_.4s, v_.4s, v_.4s": func(n []int) uint32 { return SM3SS1(n[3], n[2], n[1], n[0]) },
		"sm3tt1a v_.4s, v_.4s, v_.s[_]":     func(n []int) uint32 { return SM3TT1A(n[3], n[2], n[1], n[0]) },
		"sm3tt1b v_.4s, v_.4s, v_.s[_]":     func(n []int) uint32 { return SM3TT1B(n[3], n[2], n[1], n[0]) },
		"sm3tt2a v_.4s, v_.4s, v_.s[_]":     func(n []int) uint32 { return SM3TT2A(n[3], n[2], n[1], n[0]) },
		"sm3tt2b v_.4s, v_.4s, v_.s[_]":     func(n []int) uint32 { return SM3TT2B(n[3], n[2], n[1], n[0]) },
		"sm3partw1 v_.4s, v_.4s, v_.4s":     func(n []int) uint32 { return SM3PARTW1(n[2], n[1], n[0]) },
		"sm3partw2 v_.4s, v_.4s, v_.4s":     func(n []int) uint32 { return SM3PARTW2(n[2], n[1], n[0]) },
		"sm4e v_.4s, v_.4s":                 func(n []int) uint32 { return SM4E(n[1], n[0]) },
		"sm4ekey v_.4s, v_.4s, v_.4s":       func(n []int) uint32 { return SM4EKEY(n[2], n[1], n[0]) },
		"bic v_.16b, v_.16b, v_.16b":        func(n []int) uint32 { return VBIC(n[2], n[1], n[0]) },
		"orn v_.16b, v_.16b, v_.16b":        func(n []int) uint32 { return VORN(n[2], n[1], n[0]) },
		"mvn v_.16b, v_.16b":                func(n []int) uint32 { return VNOT(n[1], n[0]) },
	}
	wide := map[string]string{"B8": "H8", "B16": "H8", "H4": "S4", "H8": "S4", "S2": "D2", "S4": "D2", "D2": "Q1"}
	for _, s := range []string{"B8", "B16", "H4", "H8", "S2", "S4", "D2"} {
		high := ""
		if s == "B16" || s == "H8" || s == "S4" {
			high = "2"
		}
		// Forms have t for the arrangement s, w for the one that is twice as wide, and e for
		// its elements.
		arm := func(s string) string { return "." + strings.ToLower(s[1:]+s[:1]) }
		add := func(form string, encode func(n []int) uint32) {
			encoders[strings.NewReplacer("2?", high, ".t", arm(s), ".w", arm(wide[s]), ".e", arm(s[:1])).Replace(form)] = encode
		}
		for name, f := range map[string]func(t string, m, n, d int) uint32{
			"mul": VMUL, "mla": VMLA, "mls": VMLS, "cmhi": VCMHI, "cmhs": VCMHS, "cmgt": VCMGT, "cmge": VCMGE,
		} {
			if s != "D2" || name[0] == 'c' {
				add(name+" v_.t, v_.t, v_.t", func(n []int) uint32 { return f(s, n[2], n[1], n[0]) })
			}
		}
		add("sshr v_.t, v_.t, #_", func(n []int) uint32 { return VSSHR(s, n[2], n[1], n[0]) })
		add("neg v_.t, v_.t", func(n []int) uint32 { return VNEG(s, n[1], n[0]) })
		if s == "D2" {
			continue
		}
		add("umull2? v_.w, v_.t, v_.t", func(n []int) uint32 { return VUMULL(s, n[2], n[1], n[0]) })
		add("umlal2? v_.w, v_.t, v_.t", func(n []int) uint32 { return VUMLAL(s, n[2], n[1], n[0]) })
		add("xtn2? v_.t, v_.w", func(n []int) uint32 { return VXTN(s, n[1], n[0]) })
		add("shrn2? v_.t, v_.w, #_", func(n []int) uint32 { return VSHRN(s, n[2], n[1], n[0]) })
		if s[0] != 'B' {
			add("mul v_.t, v_.t, v_.e[_]", func(n []int) uint32 { return VMULElement(s, n[3], n[2], n[1], n[0]) })
			add("mla v_.t, v_.t, v_.e[_]", func(n []int) uint32 { return VMLAElement(s, n[3], n[2], n[1], n[0]) })
		}
	}
	compare(t, "arm64", regexp.MustCompile(`(?:\bv|#|\[)(\d+)`), encoders)
}
