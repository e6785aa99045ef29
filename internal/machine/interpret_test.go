package machine_test

import (
	"bytes"
	"crypto/aes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/internal/machine"
	"github.com/cipherlane/cipherlane/sm3"
	"github.com/cipherlane/cipherlane/sm4"
)

// interpreter loads a kernel.
func interpreter(t testing.TB, path, function string) *machine.Machine {
	t.Helper()
	a := machine.Arches["arm64"]
	if strings.HasSuffix(path, "_amd64.s") {
		a = machine.Arches["amd64"]
	}
	s, err := machine.Parse(a, filepath.Join("..", "..", filepath.Dir(path)), path)
	if err != nil {
		t.Fatal(err)
	}
	m, err := machine.New(a, s, function, machine.Concrete{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// object has bytes, and is an argument.
func object(m *machine.Machine, name string, b []byte) *machine.Object {
	o := machine.NewObject(name, int64(len(b)))
	o.SetBytes(0, b)
	m.Arguments[name] = machine.Address(o, 0)
	return o
}

func content(o *machine.Object) []byte {
	out := make([]byte, o.High)
	for i := range out {
		v, _ := o.Bits(machine.Concrete{}, int64(i), 1).Constant()
		out[i] = byte(v)
	}
	return out
}

// pattern is n bytes of no importance.
func pattern(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*i*29 + i*7 + 3)
	}
	return b
}

func TestInterpretSM3(t *testing.T) {
	iv := []uint32{0x7380166f, 0x4914b2b9, 0x172442d7, 0xda8a0600, 0xa96f30bc, 0x163138aa, 0xe38dee4d, 0xb0fb0e4e}
	message := pattern(200)
	want := sm3.Sum(message)
	padded := append(bytes.Clone(message), 0x80)
	padded = append(padded, make([]byte, 256-2-len(padded))...)
	padded = append(padded, 200*8>>8, 200*8&0xff)
	for path, function := range map[string]string{
		"sm3/internal/arm64/sm3_arm64.s":             "blocksSM3",
		"sm3/internal/arm64/neon_arm64.s":            "blocksNEON",
		"sm3/internal/amd64/blocks_bmi2_avx_amd64.s": "BlocksBMI2AVX",
		"sm3/internal/amd64/blocks_sm3ni_amd64.s":    "BlocksSM3NI",
	} {
		m := interpreter(t, path, function)
		v, p := make([]byte, 32), padded
		for i, x := range iv {
			v[4*i], v[4*i+1], v[4*i+2], v[4*i+3] = byte(x), byte(x>>8), byte(x>>16), byte(x>>24)
		}
		state := object(m, "v", v)
		object(m, "p", p)
		m.Arguments["p_base"] = m.Arguments["p"]
		m.Arguments["n"] = machine.Number(uint64(len(p)), 64)
		m.Arguments["p_len"] = m.Arguments["n"]
		if err := m.Run(1e6); err != nil {
			t.Error(err)
			continue
		}
		got := content(state)
		for i := 0; i < 32; i += 4 {
			got[i], got[i+1], got[i+2], got[i+3] = got[i+3], got[i+2], got[i+1], got[i]
		}
		if !bytes.Equal(got, want[:]) {
			t.Errorf("%s: %x, want %x", function, got, want)
		}
		t.Log(function, m.Steps, "steps")
	}
}

func TestInterpretAES(t *testing.T) {
	const file = "internal/aescore/internal/arm64/aes_ce_arm64.s"
	for _, rounds := range []int{10, 12, 14} {
		key, src := pattern(4*(rounds-6)), pattern(16*13)
		block, err := aes.NewCipher(key)
		if err != nil {
			t.Fatal(err)
		}
		want := bytes.Clone(src)
		for i := 0; i < len(want); i += 16 {
			block.Encrypt(want[i:], want[i:])
		}
		m := interpreter(t, file, "expandCE")
		enc, dec := object(m, "enc", make([]byte, 240)), object(m, "dec", make([]byte, 240))
		object(m, "key", key)
		m.Arguments["rounds"] = machine.Number(uint64(rounds), 64)
		if err := m.Run(1e5); err != nil {
			t.Fatal(err)
		}
		keys := append(make([]byte, 64), content(enc)...)
		keys = append(keys, content(dec)...)
		keys[0] = byte(rounds)
		for _, function := range []string{"encryptBlocksCE", "decryptBlocksCE"} {
			m := interpreter(t, file, function)
			object(m, "k", keys)
			dst := object(m, "dst", make([]byte, len(src)))
			from, to := src, want
			if function == "decryptBlocksCE" {
				from, to = want, src
			}
			object(m, "src", from)
			m.Arguments["n"] = machine.Number(uint64(len(src)), 64)
			if err := m.Run(1e5); err != nil {
				t.Error(err)
			} else if !bytes.Equal(content(dst), to) {
				t.Errorf("%s with %d rounds: %x, want %x", function, rounds, content(dst), to)
			}
		}
	}
}

func TestInterpretSM4(t *testing.T) {
	const file = "sm4/internal/amd64/sm4_sm4niavx2_amd64.s"
	key, src := pattern(16), pattern(16*39)
	block, err := sm4.NewCipher(key)
	if err != nil {
		t.Fatal(err)
	}
	want := bytes.Clone(src)
	for i := 0; i < len(want); i += 16 {
		block.Encrypt(want[i:], want[i:])
	}
	m := interpreter(t, file, "expandSM4NIAVX2")
	keys := object(m, "k", make([]byte, 32*4+32*16))
	object(m, "key", key)
	if err := m.Run(1e5); err != nil {
		t.Fatal(err)
	}
	for _, backward := range []bool{false, true} {
		m := interpreter(t, file, "blocksSM4NIAVX2")
		object(m, "k", content(keys))
		from, to, step := src, want, uint64(1)
		if backward {
			from, to, step = want, src, ^uint64(0)
		}
		object(m, "src", from)
		dst := object(m, "dst", make([]byte, len(src)))
		m.Arguments["step"] = machine.Number(step, 64)
		m.Arguments["blocks"] = machine.Number(uint64(len(src)/16), 64)
		if err := m.Run(1e5); err != nil {
			t.Error(err)
		} else if !bytes.Equal(content(dst), to) {
			t.Errorf("backward %v: %x, want %x", backward, content(dst), to)
		}
	}
}

// kernels parses all kernels of an architecture.
func kernels(t testing.TB, arch string) (list []*machine.Source) {
	t.Helper()
	for _, glob := range []string{"../../[^.]*/internal/", "../*/internal/"} {
		paths, err := filepath.Glob(glob + arch + "/*.s")
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			s, err := machine.Parse(machine.Arches[arch], filepath.Dir(path), path)
			if err != nil || len(s.Problems) > 0 {
				t.Fatal(path, err, s.Problems)
			}
			list = append(list, s)
		}
	}
	if len(list) < 10 {
		t.Fatal("files are missing:", len(list))
	}
	return list
}

// Every instruction of every kernel is in the table.
func TestAllHaveSemantics(t *testing.T) {
	a := machine.Arches["arm64"]
	missing := map[string]bool{}
	for _, s := range kernels(t, "arm64") {
		for _, f := range s.Functions {
			for i := range f.Code {
				if in := &f.Code[i]; !a.Known(in) && !missing[in.Op] {
					missing[in.Op] = true
					t.Errorf("%s:%d: there are no semantics for %s", in.File, in.Line, in.Text)
				}
			}
		}
	}
}

// What a caller relies on, and what another memory may have overwritten.
func TestRefused(t *testing.T) {
	for _, c := range []struct{ arch, text, want string }{
		{"arm64", "MOVD $1, R29", "the frame pointer changes"},
		{"arm64", "MOVD a+0(FP), R0; AND $-8, R0, R0", "bits of an address"},
		{"arm64", "MOVD a+0(FP), R0; MOVD b+8(FP), R1; MOVD ZR, (R1); MOVD (R0), R2", "a+0 is read after it may have been written as b"},
		{"arm64", "MOVD a+0(FP), R0; MOVD b+8(FP), R1; MOVB ZR, 8(R1); MOVD (R0), R2", ""},
		// What is in front of an object has a lower address.
		{"riscv64", "MOV a+0(FP), X5; ADDI $-1, X5, X6; BLTU X6, X5, end; MOVBU (X6), X7\nend:", ""},
		{"riscv64", "MOV a+0(FP), X5; ADDI $-1, X5, X6; BGEU X6, X5, end; MOVBU (X6), X7\nend:", "is outside of the object"},
		{"riscv64", "MOV a+0(FP), X5; MOV b+8(FP), X6; BEQ X5, X6, end\nend:", "an address is compared with another thing"},
		{"riscv64", "MOV a+0(FP), X5; BEQ X5, X0, end\nend:", "an address is compared with another thing"},
		{"riscv64", "MOV a+0(FP), X5; BNEZ X5, end; MOVBU -1(X5), X7\nend:", ""},
		{"riscv64", "VMV1RV V1, V2", "there is no type of vectors"},
		{"riscv64", "VSETVLI X0, E8, M1, TA, MA, X0", "another number of elements"},
		{"riscv64", "VSETVLI X0, E8, M1, TA, MA, X5; VSETVLI X0, E16, M2, TA, MA, X0; VMV1RV V1, V2", ""},
	} {
		dir, arch, text, want := t.TempDir(), machine.Arches[c.arch], c.text, c.want
		name, file := "f_"+c.arch+".s", "TEXT ·f(SB), 0, $0-16\n\t"+text+"\n\tRET\n"
		if err := os.WriteFile(filepath.Join(dir, name), []byte(file), 0o666); err != nil {
			t.Fatal(err)
		}
		source, err := machine.Parse(arch, dir, name)
		if err != nil {
			t.Fatal(err)
		}
		m, err := machine.New(arch, source, "f", machine.Concrete{})
		if err != nil {
			t.Fatal(err)
		}
		m.VLEN = 128
		a, b := machine.NewObject("a", 16), machine.NewObject("b", 16)
		a.Align, a.Overlap = 1, b
		a.SetBytes(0, make([]byte, 16))
		m.Arguments["a"], m.Arguments["b"] = machine.Address(a, 0), machine.Address(b, 0)
		if err := m.Run(10); want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// numbers makes unknown bits that are no constants.
type numbers struct {
	machine.Concrete
	last machine.Bit
}

func (n *numbers) Unknown(string) machine.Bit { n.last += 2; return n.last }

func (n *numbers) Xor(a, b machine.Bit) machine.Bit {
	if a|b <= machine.One {
		return a ^ b
	}
	return n.Unknown("")
}

// A vector may move addresses as they are, and addresses may be compared by XORQ and ORQ.
func TestAddressesInVectors(t *testing.T) {
	const load = "MOVQ a+0(FP), AX; MOVQ b+8(FP), BX; "
	for text, want := range map[string]string{
		load + "VMOVDQU (AX), Y0; VMOVDQU Y0, 32(AX); MOVQ 40(AX), CX; MOVQ (CX), DX":                     "",
		load + "VMOVDQU (AX), Y0; VMOVDQU Y0, 32(AX); MOVQ 32(AX), CX; MOVQ (CX), DX":                     "no address",
		load + "VMOVDQU (AX), X0; VPSLLDQ $1, X0, X0; VMOVDQU X0, 32(AX); MOVQ 40(AX), CX; MOVQ (CX), DX": "no address",
		load + "VMOVDQU (AX), Y0; VMOVDQU Y0, 28(AX); MOVQ 40(AX), CX; MOVQ (CX), DX":                     "part of an address",
		load + "VMOVDQU 4(AX), Y0": "part of an address",
		load + "MOVQ AX, CX; XORQ BX, CX; TESTQ CX, CX; JZ other; RET; other: MOVQ (CX), CX":                                     "",
		load + "MOVQ AX, CX; XORQ BX, CX; MOVL $0, DX; ORQ CX, DX; TESTQ DX, DX; JNZ other; MOVQ (DX), DX; other: MOVQ (BX), CX": "",
		load + "MOVQ 8(AX), CX; XORQ BX, CX; TESTQ CX, CX; JZ same; MOVQ (CX), CX; same: RET":                                    "",
		load + "LEAQ 64(AX), CX; XORQ BX, CX":            "may be the same",
		load + "LEAQ -1(BX), CX; XORQ AX, CX":            "may be the same",
		load + "MOVQ $1, CX; XORQ BX, CX":                "address as a number",
		load + "MOVQ AX, CX; XORQ BX, CX; MOVQ (CX), CX": "no address",
	} {
		dir := t.TempDir()
		file := "TEXT ·f(SB), 4, $0-16\n\t" + strings.ReplaceAll(text, "; ", "\n\t") + "\n\tRET\n"
		if err := os.WriteFile(filepath.Join(dir, "f_amd64.s"), []byte(file), 0o666); err != nil {
			t.Fatal(err)
		}
		source, err := machine.Parse(machine.Arches["amd64"], dir, "f_amd64.s")
		if err != nil || len(source.Problems) > 0 {
			t.Fatal(err, source.Problems)
		}
		m, err := machine.New(machine.Arches["amd64"], source, "f", new(numbers))
		if err != nil {
			t.Fatal(err)
		}
		a, b := machine.NewObject("a", 64), machine.NewObject("b", 8)
		a.SetBytes(0, make([]byte, 32))
		a.Set(8, machine.Address(b, 0))
		m.Arguments["a"], m.Arguments["b"] = machine.Address(a, 0), machine.Address(b, 0)
		if err := m.Run(20); want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
