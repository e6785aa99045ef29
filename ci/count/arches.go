//go:build linux

package main

import (
	"maps"
	"slices"
)

// An arch is an architecture that qemu emulates.
type arch struct {
	qemu     string // the program
	built    bool   // by ci/rig/get, because Debian 12's is too old
	debian   string // the name of the architecture in Debian, or none: without libraries in C
	compiler string // of C; and the package that it is in
	pkg      string
	machines []machine

	triple string // for llvm-mca, as the models
	models []model
}

// A model is a CPU of LLVM, with features that it has or can have.
type model struct{ name, features string }

// A machine is an emulated CPU, and what keeps libraries from using what it lacks.
type machine struct {
	name, what  string
	match       string // only these operations; others are as on another machine
	environment []string
	peers       [][]string // more for the libraries in C: they run once with each
}

// arches has the architectures by GOARCH. qemu 7.2 has no model of a CPU with SM3 and SM4; max has
// all features. Its SVE registers have 2048 bits unless told otherwise, and no CPU with SM4
// instructions has more than 256. OpenSSL selects methods by the model of the CPU as well:
// on a Neoverse N1 SM4 by AES instructions, and with the bits of OPENSSL_armcap above SM4 the
// loops with EOR3 that it has for the Neoverse V1 and later.
var arches = map[string]arch{
	"arm": {
		qemu: "qemu-arm", debian: "armhf", compiler: "arm-linux-gnueabihf-gcc", pkg: "gcc-arm-linux-gnueabihf",
		triple: "armv7",
		machines: []machine{
			{
				name: "ARMv6", what: "ARMv6 (arm1176; the libraries in C need ARMv7)", match: "^(AES|SM3|ChaCha20)",
				environment: []string{"QEMU_CPU=arm1176"},
			},
			{
				name: "NEON", what: "NEON, and no AES instructions (cortex-a7)",
				environment: []string{"QEMU_CPU=cortex-a7"},
				peers:       [][]string{nil},
			},
			{
				name: "AES", what: "AES instructions and PMULL in 32-bit state (max)", match: "^(AES|SM4)",
				environment: []string{"QEMU_CPU=max"},
				peers:       [][]string{nil},
			},
		},
	},
	"arm64": {
		qemu: "qemu-aarch64", debian: "arm64", compiler: "aarch64-linux-gnu-gcc", pkg: "gcc-aarch64-linux-gnu",
		triple: "aarch64", models: []model{{"cortex-a72", "+aes"}, {"neoverse-n1", "+aes"}, {"neoverse-v2", "+aes,+sha3,+sm4"}},
		machines: []machine{
			{
				name: "AES", what: "AES and PMULL, but neither SHA-3 nor SM3 nor SM4 instructions (cortex-a72; OpenSSL also as neoverse-n1)",
				environment: []string{"QEMU_CPU=cortex-a72"},
				peers:       [][]string{nil, {"QEMU_CPU=neoverse-n1"}},
			},
			{
				name: "SHA3", what: "AES, PMULL and SHA-3, but neither SM3 nor SM4 instructions (max without them)", match: "^SM4",
				environment: []string{"QEMU_CPU=max,sve-default-vector-length=16", "CIPHERLANE=-sm3,-sm4", "GODEBUG=cpu.sm3=off,cpu.sm4=off"},
				peers:       [][]string{{"OPENSSL_armcap=0x1f97d", "GCRYPT_DISABLE=arm-sm3,arm-sm4,arm-svesm4", "BOTAN_CLEAR_CPUID=armv8sm3,armv8sm4"}},
			},
			{
				name: "SM4", what: "all instructions, SVE with 128 bits (max)",
				environment: []string{"QEMU_CPU=max,sve-default-vector-length=16"},
				peers:       [][]string{nil, {"OPENSSL_armcap=0x1ff7d"}},
			},
			{
				name: "NEON", what: "neither AES nor PMULL (cortex-a72 without them)",
				environment: []string{"QEMU_CPU=cortex-a72", "CIPHERLANE=-aes,-pmull", "GODEBUG=cpu.aes=off,cpu.pmull=off"},
				peers:       [][]string{{"OPENSSL_armcap=1", "GCRYPT_DISABLE=arm-aes,arm-pmull", "BOTAN_CLEAR_CPUID=armv8aes,armv8pmull"}},
			},
		},
	},
	"riscv64": {
		qemu: "qemu-riscv64", built: true, debian: "riscv64", compiler: "riscv64-linux-gnu-gcc", pkg: "gcc-riscv64-linux-gnu",
		triple: "riscv64",
		machines: []machine{
			{
				name: "scalar", what: "Zba, Zbb and Zbc, no vectors (rv64)",
				environment: []string{"QEMU_CPU=rv64,v=false,zbc=true"},
				peers:       [][]string{{"OPENSSL_riscvcap=rv64gc_zba_zbb_zbc"}},
			},
			{
				name: "Zk", what: "scalar cryptography: Zbb, Zbc, Zbkb, Zkne, Zknd, Zksed and Zksh (rv64)", match: "^(AES|SM4|SM3)",
				environment: []string{"QEMU_CPU=rv64,v=false,zbc=true,zk=true,zks=true"},
				peers:       [][]string{{"OPENSSL_riscvcap=rv64gc_zba_zbb_zbc_zbkb_zbkc_zkne_zknd_zksed_zksh"}},
			},
			{
				name: "V-128", what: "vectors of 128 bits without cryptography, Zbb and Zbc (rv64)", match: "^(AES|SM4|FrodoKEM)",
				environment: []string{"QEMU_CPU=rv64,v=true,vlen=128,zbc=true"},
				peers:       [][]string{{"OPENSSL_riscvcap=rv64gc_v_zba_zbb_zbc"}},
			},
			{
				name: "V-256", what: "vectors of 256 bits without cryptography, Zbb and Zbc (rv64)", match: "^(AES|SM4|FrodoKEM)",
				environment: []string{"QEMU_CPU=rv64,v=true,vlen=256,zbc=true"},
				peers:       [][]string{{"OPENSSL_riscvcap=rv64gc_v_zba_zbb_zbc"}},
			},
			{
				name: "Zvk-128", what: "vector cryptography with 128 bits (Zvkned, Zvkg, Zvkb, Zvbc, Zvksed, Zvksh)", match: "^(AES|SM4|SM3|FrodoKEM)",
				environment: []string{"QEMU_CPU=rv64,v=true,vlen=128,zbc=true,zvbb=true,zvkg=true,zvbc=true,zvkned=true,zvksed=true,zvksh=true"},
				peers:       [][]string{{"OPENSSL_riscvcap=rv64gc_v_zba_zbb_zbc_zvbb_zvbc_zvkb_zvkg_zvkned_zvksed_zvksh"}},
			},
			{
				name: "Zvk-256", what: "vector cryptography with 256 bits (Zvkned, Zvkg, Zvkb, Zvbc, Zvksed, Zvksh)", match: "^(AES|SM4|SM3|FrodoKEM)",
				environment: []string{"QEMU_CPU=rv64,v=true,vlen=256,zbc=true,zvbb=true,zvkg=true,zvbc=true,zvkned=true,zvksed=true,zvksh=true"},
				peers:       [][]string{{"OPENSSL_riscvcap=rv64gc_v_zba_zbb_zbc_zvbb_zvbc_zvkb_zvkg_zvkned_zvksed_zvksh"}},
			},
		},
	},
	"386": {
		qemu: "qemu-i386",
		machines: []machine{
			{name: "SSE2", what: "SSE2 (max)", environment: []string{"QEMU_CPU=max"}},
		},
	},
	"amd64": {
		qemu: "qemu-x86_64",
		machines: []machine{
			{name: "SSSE3", what: "SSE4.2, and neither AES instructions nor AVX (Nehalem)", environment: []string{"QEMU_CPU=Nehalem"}},
			{name: "AES", what: "AES instructions and PCLMULQDQ, no AVX (Westmere)", environment: []string{"QEMU_CPU=Westmere"}},
			{name: "AVX2", what: "AVX2, AES instructions and PCLMULQDQ, neither VAES nor GFNI (max)", environment: []string{"QEMU_CPU=max"}},
		},
	},
	"loong64": {
		qemu: "qemu-loongarch64", built: true,
		machines: []machine{
			{name: "LASX", what: "LSX and LASX (la464)", environment: []string{"QEMU_CPU=la464"}},
		},
	},
	"mips": {
		qemu: "qemu-mips",
		machines: []machine{
			{name: "MIPS32", what: "release 2 (24Kc)", environment: []string{"QEMU_CPU=24Kc"}},
		},
	},
	"mips64": {
		qemu: "qemu-mips64",
		machines: []machine{
			{name: "MIPS64", what: "release 2 (MIPS64R2-generic)", environment: []string{"QEMU_CPU=MIPS64R2-generic"}},
		},
	},
	"ppc64": {
		qemu: "qemu-ppc64",
		machines: []machine{
			{name: "POWER9", what: "POWER9", environment: []string{"QEMU_CPU=power9"}},
		},
	},
	"ppc64le": {
		qemu: "qemu-ppc64le",
		machines: []machine{
			{name: "POWER9", what: "POWER9", environment: []string{"QEMU_CPU=power9"}},
		},
	},
	"s390x": {
		qemu: "qemu-s390x",
		machines: []machine{
			{name: "z14", what: "vector facility, no message-security assist (max)", environment: []string{"QEMU_CPU=max"}},
		},
	},
	"mipsle": {
		qemu: "qemu-mipsel",
		machines: []machine{
			{name: "MIPS32", what: "release 2 (24Kc)", environment: []string{"QEMU_CPU=24Kc"}},
		},
	},
	"mips64le": {
		qemu: "qemu-mips64el",
		machines: []machine{
			{name: "MIPS64", what: "release 2 (MIPS64R2-generic)", environment: []string{"QEMU_CPU=MIPS64R2-generic"}},
		},
	},
}

func archNames() []string { return slices.Sorted(maps.Keys(arches)) }
