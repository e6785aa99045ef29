package encoding

import (
	"fmt"
	"regexp"
	"testing"
)

func TestRISCV64(t *testing.T) {
	encoders := map[string]func(n []int) uint32{
		"zext.h x_, x_":       func(n []int) uint32 { return PACKW(0, n[1], n[0]) },
		"sm4ed x_, x_, x_, _": func(n []int) uint32 { return SM4ED(n[3], n[2], n[1], n[0]) },
		"sm4ks x_, x_, x_, _": func(n []int) uint32 { return SM4KS(n[3], n[2], n[1], n[0]) },
	}
	for name, f := range map[string]func(a, b, d int) uint32{
		"andn": ANDN, "orn": ORN, "xnor": XNOR, "rol": ROL, "ror": ROR, "rolw": ROLW,
		"rorw": RORW, "min": MIN, "minu": MINU, "max": MAX, "maxu": MAXU, "pack": PACK,
		"packh": PACKH, "packw": PACKW, "xperm4": XPERM4, "xperm8": XPERM8, "clmul": CLMUL,
		"clmulh": CLMULH, "clmulr": CLMULR, "aes64es": AES64ES, "aes64esm": AES64ESM,
		"aes64ds": AES64DS, "aes64dsm": AES64DSM, "aes64ks2": AES64KS2,
	} {
		encoders[name+" x_, x_, x_"] = func(n []int) uint32 { return f(n[2], n[1], n[0]) }
	}
	for name, f := range map[string]func(a, b, d int) uint32{
		"rori": RORI, "roriw": RORIW, "aes64ks1i": AES64KS1I,
	} {
		encoders[name+" x_, x_, _"] = func(n []int) uint32 { return f(n[2], n[1], n[0]) }
	}
	for name, f := range map[string]func(a, d int) uint32{
		"brev8": BREV8, "aes64im": AES64IM, "sha256sum0": SHA256SUM0, "sha256sum1": SHA256SUM1,
		"sha256sig0": SHA256SIG0, "sha256sig1": SHA256SIG1, "sha512sum0": SHA512SUM0,
		"sha512sum1": SHA512SUM1, "sha512sig0": SHA512SIG0, "sha512sig1": SHA512SIG1,
		"sm3p0": SM3P0, "sm3p1": SM3P1,
	} {
		encoders[name+" x_, x_"] = func(n []int) uint32 { return f(n[1], n[0]) }
	}
	for name, f := range map[string]func(a, b, d int) uint32{
		"vandn.vv": VANDNVV, "vrol.vv": VROLVV, "vror.vv": VRORVV, "vclmul.vv": VCLMULVV,
		"vclmulh.vv": VCLMULHVV, "vghsh.vv": VGHSHVV, "vsm3me.vv": VSM3MEVV,
	} {
		encoders[name+" v_, v_, v_"] = func(n []int) uint32 { return f(n[2], n[1], n[0]) }
	}
	for name, f := range map[string]func(a, b, d int) uint32{
		"vandn.vx": VANDNVX, "vrol.vx": VROLVX, "vror.vx": VRORVX, "vclmul.vx": VCLMULVX,
		"vclmulh.vx": VCLMULHVX,
	} {
		encoders[name+" v_, v_, x_"] = func(n []int) uint32 { return f(n[2], n[1], n[0]) }
	}
	for name, f := range map[string]func(a, d int) uint32{
		"vrev8.v": VREV8V, "vbrev8.v": VBREV8V, "vaesem.vv": VAESEMVV, "vaesem.vs": VAESEMVS,
		"vaesef.vv": VAESEFVV, "vaesef.vs": VAESEFVS, "vaesdm.vv": VAESDMVV,
		"vaesdm.vs": VAESDMVS, "vaesdf.vv": VAESDFVV, "vaesdf.vs": VAESDFVS,
		"vaesz.vs": VAESZVS, "vgmul.vv": VGMULVV, "vsm4r.vv": VSM4RVV, "vsm4r.vs": VSM4RVS,
	} {
		encoders[name+" v_, v_"] = func(n []int) uint32 { return f(n[1], n[0]) }
	}
	for name, f := range map[string]func(a, b, d int) uint32{
		"vror.vi": VRORVI, "vaeskf1.vi": VAESKF1VI, "vaeskf2.vi": VAESKF2VI,
		"vsm4k.vi": VSM4KVI, "vsm3c.vi": VSM3CVI,
	} {
		encoders[name+" v_, v_, _"] = func(n []int) uint32 { return f(n[2], n[1], n[0]) }
	}
	for fields := 2; fields <= 8; fields++ {
		for bits := 8; bits <= 64; bits *= 2 {
			suffix := fmt.Sprintf("seg%de%d.v v_, (x_)", fields, bits)
			encoders["vl"+suffix] = func(n []int) uint32 { return VLSEG(fields, bits, n[1], n[0]) }
			encoders["vs"+suffix] = func(n []int) uint32 { return VSSEG(fields, bits, n[0], n[1]) }
			encoders["vls"+suffix+", x_"] = func(n []int) uint32 { return VLSSEG(fields, bits, n[1], n[2], n[0]) }
			encoders["vss"+suffix+", x_"] = func(n []int) uint32 { return VSSSEG(fields, bits, n[0], n[2], n[1]) }
		}
	}
	compare(t, "riscv64", regexp.MustCompile(`(?:\b[vx]|, )(0x[0-9a-f]+|\d+)`), encoders)
}
