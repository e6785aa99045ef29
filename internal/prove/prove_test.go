package prove

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/internal/machine"
	"github.com/cipherlane/cipherlane/internal/prove/forms"
	"github.com/cipherlane/cipherlane/internal/prove/spec"
)

const root = "../.."

func kernel(t *testing.T, folder, name string) *Kernel {
	t.Helper()
	list, err := Load(root, folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range list {
		if k.Name == name {
			return k
		}
	}
	t.Fatalf("%s has no %s", folder, name)
	return nil
}

// mostUnproven may only become less.
var mostUnproven = map[string]int{"amd64": 6, "arm64": 1, "riscv64": 2}

// A kernel has a directive or a reason. No reason is for a kernel that is gone or has a directive.
func TestEveryKernel(t *testing.T) {
	reasons, err := Unproven(root)
	if err != nil {
		t.Fatal(err)
	}
	for arch, most := range mostUnproven {
		n := 0
		for name := range reasons {
			if strings.Contains(name, "/"+arch+" ") {
				n++
			}
		}
		if n > most {
			t.Errorf("%s: %d kernels are not proven, want at most %d", arch, n, most)
		}
	}
	for _, dir := range Folders {
		list, err := Load(root, dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range list {
			name := dir + " " + k.Name
			switch reason, listed := reasons[name]; {
			case listed && len(k.directives) > 0:
				t.Errorf("unproven.txt has %s, which has a directive", name)
			case !listed && len(k.directives) == 0:
				t.Errorf("%s has neither a directive nor a line in unproven.txt", name)
			case listed && len(reason) < 10:
				t.Errorf("%s: %q is no reason", name, reason)
			}
			delete(reasons, name)
		}
	}
	for name := range reasons {
		t.Errorf("unproven.txt has %s, which is not there", name)
	}
}

// docs/proofs.md is what ci/prove writes.
func TestDocument(t *testing.T) {
	want, err := Document(root)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(root, "docs", "proofs.md"))
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("docs/proofs.md is not current: go run ./ci/prove -docs")
	}
}

// What was measured is of kernels that are proven, and the tables name what they need.
func TestMeasured(t *testing.T) {
	all, err := ReadMeasured(root)
	if err != nil || len(all.Comments) == 0 {
		t.Fatal(err)
	}
	for name, found := range all.Faults {
		part, _, _ := strings.Cut(name, " ")
		if found[Missed] > 0 || !slices.ContainsFunc(Parts(), func(p Part) bool { return p.String() == part }) {
			t.Errorf("faults %s: %v", name, found)
		}
	}
	for name, m := range all.Proofs {
		folder, kernelName, _ := strings.Cut(name, " ")
		if k := kernel(t, folder, kernelName); len(k.Cases()) == 0 || m.Cases == 0 {
			t.Errorf("%s: %+v", name, m)
		}
	}
	for name, want := range map[string]string{
		"blocks128GFNI512": "GFNI512", "CTRVAES512": "VAES512", "KDF8AVX2": "AVX2", "cbcMACCE": "CE", "xtsGBSM4": "SM4",
		"UpdateVPCLMUL256": "VPCLMUL256", "block1Neon": "Neon", "BlocksBMI2AVX": "BMI2AVX", "sponge": "others",
	} {
		if got := (&Kernel{Name: name}).driver(); got != want {
			t.Errorf("%s needs %s, want %s", name, got, want)
		}
	}
}

// small has a kernel for each contract whose proof takes little time.
var small = map[string]struct{ folder, name string }{
	"aes.affine":       {"internal/aescore/internal/arm64", "expandNEON"},
	"aes.expand":       {"internal/aescore/internal/amd64", "ExpandAESNI"},
	"aes.planes":       {"internal/aescore/internal/arm64", "expandBitslice"},
	"aes.ssse3":        {"internal/aescore/internal/amd64", "ExpandSSSE3"},
	"bytes.affine":     {"internal/aescore/internal/riscv64", "expandRVV"},
	"cbc.decrypt":      {"internal/aescore/internal/amd64", "CBCDecryptVAES512"},
	"cbc.encrypt":      {"internal/aescore/internal/amd64", "CBCEncryptAESNI"},
	"cbc.encrypt.many": {"internal/aescore/internal/arm64", "cbcEncrypt4CE"},
	"cbc.lanes":        {"sm4/internal/amd64", "cbcLanesSM4NIAVX2"},
	"cbc.mac":          {"internal/aescore/internal/arm64", "cbcMACCE"},
	"ccm.open":         {"internal/aescore/internal/arm64", "ccmOpenCE"},
	"ccm.seal":         {"internal/aescore/internal/arm64", "ccmSealCE"},
	"cfb.decrypt":      {"internal/aescore/internal/arm64", "cfbDecryptCE"},
	"cfb.encrypt":      {"internal/aescore/internal/arm64", "cfbEncryptCE"},
	"counters":         {"sm4/internal/arm64", "countersSM4"},
	"counters.ranges":  {"sm4/internal/amd64", "counters128GFNI512"},
	"ctr.blocks":       {"sm4/internal/riscv64", "ctrRVV"},
	"ctr":              {"internal/aescore/internal/amd64", "CTRVAES512"},
	"ecb.decrypt":      {"internal/aescore/internal/amd64", "DecryptBlocksVAES512"},
	"ecb.encrypt":      {"internal/aescore/internal/amd64", "EncryptBlocksVAES512"},
	"ecb.keyed":        {"sm4/internal/amd64", "keyedBlocksGFNI512"},
	"ecb.xor":          {"sm4/internal/arm64", "xor16AES"},
	"field.multiply":   {"sm2/internal/amd64", "MulADX"},
	"field.squares":    {"sm2/internal/arm64", "SquaresARM64"},
	"points.add":       {"sm2/internal/arm64", "AddAffineARM64"},
	"points.get":       {"sm2/internal/amd64", "GetADX"},
	"points.pairs":     {"sm2/internal/arm64", "AddPairsARM64"},
	"points.products":  {"sm2/internal/arm64", "ProductsARM64"},
	"points.rows":      {"sm2/internal/arm64", "BasePointsARM64"},
	"points.base":      {"sm2/internal/amd64", "SumBaseADX"},
	"points.double":    {"sm2/internal/amd64", "DoubleADX"},
	"frodo.add":        {"frodokem/internal/amd64", "AddAVX512"},
	"frodo.as":         {"frodokem/internal/amd64", "MulASAESNIAVX2"},
	"frodo.cipher":     {"frodokem/internal/amd64", "FourRowsSSSE3"},
	"frodo.columns":    {"frodokem/internal/amd64", "ColumnsAVX512"},
	"frodo.difference": {"frodokem/internal/amd64", "DifferenceAVX2"},
	"frodo.dots":       {"frodokem/internal/amd64", "DotsSSSE3"},
	"frodo.generate":   {"frodokem/internal/amd64", "EightRowsAESNI"},
	"frodo.pack":       {"frodokem/internal/amd64", "Pack15AVX2"},
	"frodo.pairs":      {"frodokem/internal/amd64", "PairsAVX2"},
	"frodo.prepare":    {"frodokem/internal/amd64", "PrepareAESNI"},
	"frodo.rows":       {"frodokem/internal/amd64", "AddEightRowsAVX2"},
	"frodo.sa":         {"frodokem/internal/amd64", "MulSAAESNIAVX2"},
	"frodo.sample":     {"frodokem/internal/amd64", "SampleAVX2"},
	"frodo.planes":     {"frodokem/internal/arm64", "rowsBitslice"},
	"frodo.transpose":  {"frodokem/internal/arm64", "planesBitslice"},
	"frodo.two":        {"frodokem/internal/arm64", "twoCE"},
	"frodo.sb":         {"frodokem/internal/amd64", "MulSBAVX2"},
	"frodo.swap":       {"frodokem/internal/amd64", "SwapAVX2"},
	"frodo.unpack":     {"frodokem/internal/amd64", "Unpack15AVX2"},
	"gcm.open":         {"internal/aescore/internal/amd64", "openTailAESNI"},
	"gcm.packet.open":  {"internal/aescore/internal/amd64", "OpenPacketVAES512"},
	"gcm.packet.seal":  {"internal/aescore/internal/amd64", "SealPacketVAES512"},
	"gcm.seal":         {"internal/aescore/internal/arm64", "sealCE"},
	"ghash.init":       {"internal/ghash/internal/amd64", "InitPCLMUL"},
	"ghash.update":     {"internal/ghash/internal/amd64", "UpdatePCLMUL"},
	"lanes.keys":       {"sm4/internal/amd64", "laneKeysGFNI512"},
	"keccak.absorb":    {"internal/keccak/internal/amd64", "AbsorbWideAVX2"},
	"keccak.permute":   {"internal/keccak/internal/arm64", "permuteWideNEON"},
	"keccak.sponge":    {"internal/keccak/internal/amd64", "SqueezeBMI2"},
	"keccak.squeeze":   {"internal/keccak/internal/amd64", "SqueezeWideAVX2"},
	"sm3.compress":     {"sm3/internal/amd64", "BlocksSM3NI"},
	"sm3.digests":      {"sm3/internal/amd64", "Digests32AVX512"},
	"sm3.iterate":      {"sm3/internal/arm64", "Iterate4SM3"},
	"sm3.kdf":          {"sm3/internal/amd64", "KDF8AVX2"},
	"sm3.lanes":        {"sm3/internal/arm64", "Compress4SM3"},
	"sm4.affine":       {"sm4/internal/amd64", "ExpandGFNI512"},
	"sm4.expand":       {"sm4/internal/arm64", "expandSM4"},
	"sm4.forms":        {"sm4/internal/arm64", "expandNeon"},
	"xts.decrypt":      {"internal/aescore/internal/arm64", "xtsDecryptCE"},
	"xts.encrypt":      {"internal/aescore/internal/arm64", "xtsEncryptCE"},
	"xts.transposed":   {"sm4/internal/arm64", "xts16AES"},
	"xts.tweaks":       {"sm4/internal/arm64", "addTweaksNeon"},
}

// Every contract is proven of a kernel. The step prove has all kernels and all their cases.
func TestProofs(t *testing.T) {
	if want := slices.Sorted(maps.Keys(contracts)); !slices.Equal(slices.Sorted(maps.Keys(small)), want) {
		t.Errorf("the contracts are %v", want)
	}
	for contract, k := range small {
		all := kernel(t, k.folder, k.name).Cases()
		i := slices.IndexFunc(all, func(c *Case) bool { return c.Contract == contract })
		if i < 0 {
			t.Errorf("%s has not the contract %s", k.name, contract)
		} else if r := all[i].Prove(nil, nil); r.Err != nil || r.Steps == 0 {
			t.Errorf("%s %s: %v", k.name, r.Case, r.Err)
		}
	}
}

// Faults in cheap kernels are found: all but those that change nothing.
// The step prove plants more.
func TestFaults(t *testing.T) {
	kinds := map[string]bool{}
	for _, contract := range []string{
		"aes.expand", "cbc.encrypt", "cbc.lanes", "cbc.mac", "frodo.dots", "frodo.pack", "frodo.sample", "frodo.sb", "keccak.absorb", "sm3.compress",
		"sm4.expand", "sm4.forms", "xts.tweaks",
	} {
		k := kernel(t, small[contract].folder, small[contract].name)
		for _, f := range Faults(k, 4) {
			v, err := f.Judge()
			if v == Missed {
				t.Errorf("%s, line %d: not found: %s: %v", k.Name, f.Fault.Line, f.Fault.Text, err)
			}
			kinds[f.Fault.Kind] = true
		}
	}
	if len(kinds) < 9 {
		t.Errorf("only %d kinds", len(kinds))
	}
}

// A carry that random numbers do not have is not forgotten: without it, the product is not proven.
func TestRareCarries(t *testing.T) {
	k := kernel(t, "sm2/internal/amd64", "MulADX")
	for _, text := range []string{"ADCQ $ 0x00 , R8", "XORL BP , BP"} { // this clears both carries
		n := 0
		for pc, in := range k.function().Code {
			if in.Text != text {
				continue
			}
			drop := dropped(k, pc)
			f := Planted{k, &Fault{Kind: "dropped", instructions: map[int]*machine.Instruction{pc: &drop}}}
			switch v, err := f.Judge(); v {
			case NotProven:
				n++
			case Counterexample, Stopped:
			default:
				t.Errorf("line %d, %s is left out: %s, %v", in.Line, text, v, err)
			}
		}
		if n == 0 {
			t.Errorf("%s: no carry is rare", text)
		}
	}
}

// Faults in kernels of points are found: another operand or operation is another polynomial, a carry that random
// numbers do not have is not proven, and what infinity and equal points are is compared.
func TestPoints(t *testing.T) {
	for _, name := range []string{"DoubleADX", "AddAffineADX"} {
		k, rare := kernel(t, "sm2/internal/amd64", name), 0
		for pc, in := range k.function().Code {
			if in.Text != "ADCQ $ 0x00 , R8" {
				continue
			}
			drop := dropped(k, pc)
			f := Planted{k, &Fault{Kind: "dropped", instructions: map[int]*machine.Instruction{pc: &drop}}}
			if v, err := f.Judge(); v == NotProven {
				rare++
			} else if v != Counterexample {
				t.Errorf("%s, line %d, a carry is left out: %s, %v", name, in.Line, v, err)
			}
		}
		if rare == 0 {
			t.Errorf("%s: no carry is rare", name)
		}
	}
}

// A fault that the proofs would not find is seen when the kernel is executed.
func TestExecuted(t *testing.T) {
	k := kernel(t, "sm4/internal/arm64", "block1AES")
	c := k.Cases()[0]
	if err := c.executed(nil); err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, f := range Faults(k, 8) {
		err, proved := c.executed(f.Fault), c.Prove(f.Fault, nil).Err
		if err != nil && proved == nil {
			t.Errorf("%s: %v", f.Fault.Text, err)
		}
		if err != nil {
			found++
		}
	}
	if found < 5 {
		t.Errorf("%d of 8 faults", found)
	}
}

// A specification that is wrong is not proven, and there is a counterexample.
func TestWrong(t *testing.T) {
	contracts["test"] = func(p *proof) {
		sm3Compress(p)
		p.wanted[0].word[77] ^= 1
	}
	defer delete(contracts, "test")
	k := kernel(t, "sm3/internal/arm64", "blocksSM3")
	c := k.Cases()[0]
	c.Contract = "test"
	if r := c.Prove(nil, nil); r.Err == nil || !strings.Contains(r.Err.Error(), "WRONG: bit 77 of v+0") {
		t.Errorf("%v", r.Err)
	}
}

// What a kernel does beside what is wanted is found.
func TestMemory(t *testing.T) {
	k := kernel(t, "sm3/internal/arm64", "blocksSM3")
	for _, c := range []struct {
		change func(p *proof)
		want   string
	}{
		{func(p *proof) { p.wanted[0].word = p.wanted[0].word[:128] }, "v+16 was written"},
		{func(p *proof) { p.wanted = nil }, "read-only"},
		{func(p *proof) { p.machine.Arguments["p"].Object.High = 48 }, "outside"},
		{func(p *proof) { delete(p.given, "v") }, "no argument v"},
		{func(p *proof) { p.number("x", 1) }, "no argument x"},
		{func(p *proof) { delete(p.used, "n") }, "no key n"},
		{func(p *proof) { p.argument("n", machine.Value{Bits: p.unknown("n", 64)}) }, "secret"},
	} {
		contracts["test"] = func(p *proof) {
			sm3Compress(p)
			c.change(p)
		}
		one := k.Cases()[0]
		one.Contract = "test"
		if r := one.Prove(nil, nil); r.Err == nil || !strings.Contains(r.Err.Error(), c.want) {
			t.Errorf("%v, want %s", r.Err, c.want)
		}
	}
	delete(contracts, "test")
}

// Proofs of one block do not visit the branch back of a loop.
func TestCoverage(t *testing.T) {
	k := kernel(t, "sm3/internal/arm64", "blocksSM3")
	seen := NewCoverage(k)
	if len(seen.Problems()) == 0 {
		t.Error("no proofs visit everything")
	}
	list := k.Cases()
	if r := list[0].Prove(nil, seen); r.Err != nil {
		t.Fatal(r.Err)
	}
	if p := seen.Problems(); len(p) != 1 || !strings.Contains(p[0], "never goes to") {
		t.Errorf("one block: %q", p)
	}
	if r := list[1].Prove(nil, seen); r.Err != nil {
		t.Fatal(r.Err)
	}
	if p := seen.Problems(); len(p) > 0 {
		t.Errorf("two blocks: %q", p)
	}
}

// planted returns a fault in the first instruction that change accepts.
func planted(t *testing.T, k *Kernel, change func(in *machine.Instruction) bool) *Fault {
	t.Helper()
	for pc, in := range k.function().Code {
		in.Args = slices.Clone(in.Args)
		if change(&in) {
			return &Fault{instructions: map[int]*machine.Instruction{pc: &in}}
		}
	}
	t.Fatal("there is no such instruction")
	return nil
}

// A kernel that counts on as many elements as a vector has is wrong on a CPU that processes half of them.
func TestHalves(t *testing.T) {
	k := kernel(t, "sm4/internal/riscv64", "ctrRVV")
	f := planted(t, k, func(in *machine.Instruction) bool {
		if in.Text != "ADD X16 , X8 , X8" {
			return false
		}
		in.Op = "ADDI"
		in.Args[0] = machine.Operand{Kind: machine.KindImm, Imm: 16}
		return true
	})
	v, err := (&Planted{k, f}).Judge()
	if v != Counterexample || !strings.Contains(err.Error(), "a CPU that processes half of the elements") {
		t.Errorf("%s, %v", v, err)
	}
}

// A kernel that takes one pointer instead of the other is wrong, though not if dst = src; and one that reads
// src after dst was written is wrong if dst = src only.
func TestPointers(t *testing.T) {
	k := kernel(t, "sm4/internal/arm64", "block1AES")
	var dst machine.Operand
	f := planted(t, k, func(in *machine.Instruction) bool {
		switch in.Args[0].Sym {
		case "dst":
			dst = in.Args[0]
		case "src":
			in.Args[0] = dst
			return true
		}
		return false
	})
	if v, err := (&Planted{k, f}).Judge(); v != Counterexample && v != Stopped {
		t.Errorf("data of dst are encrypted, not of src: %s, %v", v, err)
	}
	k = kernel(t, "internal/aescore/internal/arm64", "encryptBlocksCE")
	c := k.Cases()[1] // two passes of 8 blocks
	contracts["test"] = func(p *proof) {
		n := p.length()
		dst, src := p.data(n)
		p.cipher("k")
		src.Overlap, src.OverlapAt = dst, 16 // the kernel has another order of blocks
		p.wanted = []wanted{{object: dst}}
	}
	defer delete(contracts, "test")
	one := *c
	one.Contract = "test"
	if r := one.Prove(nil, nil); r.Err == nil || strings.Contains(r.Err.Error(), "read after") {
		t.Errorf("%v", r.Err)
	}
	contracts["test"] = func(p *proof) {
		n := p.length()
		dst, src := p.data(n)
		p.cipher("k")
		src.OverlapAt, p.wanted = -128, []wanted{{object: dst}} // the second pass reads what the first one wrote
	}
	if r := one.Prove(nil, nil); r.Err == nil || !strings.Contains(r.Err.Error(), "read after") {
		t.Errorf("%v", r.Err)
	}
}

// Numbers have the bits, and memory the bytes, of the declaration.
func TestTypes(t *testing.T) {
	k := kernel(t, "sm3/internal/arm64", "blocksSM3")
	for _, c := range []struct {
		change func(p *proof)
		want   string
	}{
		{func(p *proof) { p.argument("n", machine.Number(64, 32)) }, "32 bits for 64"},
		{func(p *proof) { p.machine.Arguments["v"].Object.High = 40 }, "40 bytes for 32"},
		{func(p *proof) { p.argument("v", machine.Number(1, 64)) }, "a number for a pointer"},
		{func(p *proof) { p.pointer("n", p.object("n", 8)) }, "bits for 64"},
		{func(p *proof) { p.machine.Results["r"] = machine.Number(0, 64) }, "the result r"},
	} {
		contracts["test"] = func(p *proof) {
			sm3Compress(p)
			c.change(p)
		}
		one := k.Cases()[0]
		one.Contract = "test"
		if r := one.Prove(nil, nil); r.Err == nil || !strings.Contains(r.Err.Error(), c.want) {
			t.Errorf("%v, want %s", r.Err, c.want)
		}
	}
	delete(contracts, "test")
}

// What a kernel returns is compared: it has the name and the bits of the declaration, and is
// written.
func TestResults(t *testing.T) {
	k := kernel(t, "internal/aescore/internal/amd64", "OpenPacketVAES512")
	one := k.Cases()[1] // the first path of the code
	unwritten := planted(t, k, func(in *machine.Instruction) bool {
		if len(in.Args) != 2 || in.Args[1].Sym != "ok" {
			return false
		}
		in.Args[1] = in.Args[0]
		return true
	})
	for _, c := range []struct {
		change func(p *proof)
		fault  *Fault
		want   string
	}{
		{func(p *proof) {}, unwritten, "the result ok was not written"},
		{func(p *proof) { delete(p.results, "ok") }, nil, "no result ok"},
		{func(p *proof) { p.result("x", machine.Constant(0, 8)) }, nil, "no result x"},
		{func(p *proof) { p.result("ok", machine.Constant(0, 64)) }, nil, "64 bits for 8"},
		{func(p *proof) { p.result("ok", p.results["ok"].Not()) }, nil, "of the result ok is another bit"},
	} {
		contracts["test"] = func(p *proof) {
			packet(p, true)
			c.change(p)
		}
		other := *one
		other.Contract = "test"
		if r := other.Prove(c.fault, nil); r.Err == nil || !strings.Contains(r.Err.Error(), c.want) {
			t.Errorf("%v, want %s", r.Err, c.want)
		}
	}
	delete(contracts, "test")
	// Memory with addresses does not hide that nothing was changed. For random inputs, the tag is
	// wrong.
	if err := one.executed(nil); err != nil {
		t.Error(err)
	}
	right := planted(t, k, func(in *machine.Instruction) bool {
		equal := in.Op == "CMOVQEQ" && in.Text != "" && strings.Contains(in.Text, "R13")
		if equal {
			in.Op = "CMOVQNE"
		}
		return equal
	})
	if err := one.executed(right); err == nil || !strings.Contains(err.Error(), "ok is another result") {
		t.Errorf("a wrong tag is accepted: %v", err)
	}
}

// Counters of lanes are those of the standard.
func TestInLanes(t *testing.T) {
	e := forms.New(limits)
	p := &proof{Calculator: spec.Calculator{Engine: e}}
	block := p.unknown("counter", 128)
	for i, c := range []machine.Word{block[96:], machine.Join(machine.Constant(0xf3ffff, 24), block[96:104])} {
		block := machine.Join(block[:96], c)
		base := spec.Reverse(c, 32)
		carries := 0
		for j := range 128 {
			lanes := 16 << (j / 64 * 2) // 16, and for more blocks 64
			got := spec.Reverse(p.inLanes(base, lanes, j), 32)
			for b := range got {
				if d := e.Values(got[b]) ^ e.Values(block[96+b]); d != 0 {
					t.Fatalf("counter %d, block %d, bit %d: another value for inputs %#x", i, j, b, d)
				}
			}
			if e.Values(e.Xor(block[96+16], c[16])) != 0 {
				carries++
			}
			block = p.Inc(32, block)
		}
		if carries < 50 {
			t.Errorf("only %d counters have a carry", carries)
		}
	}
}

// All blocks have places of their own in a vector, which they fill.
func TestSlicings(t *testing.T) {
	for name, s := range slicings {
		parts := map[int]bool{}
		for _, part := range s.parts {
			places := map[int]bool{}
			for k, b := range part {
				parts[b] = true
				for i := range s.count {
					places[s.place(i, k)] = true
				}
			}
			if len(places) != 64 || !places[0] || !places[63] {
				t.Errorf("%s: %v are in %d places", name, part, len(places))
			}
		}
		if len(parts) != 16 {
			t.Errorf("%s: %d bytes", name, len(parts))
		}
	}
}

// A proof in passes takes the memory of one of them, and finds what is wrong in any of them, or not
// stored.
func TestPasses(t *testing.T) {
	k := kernel(t, "sm4/internal/amd64", "ctrSM4NIAVX2")
	all := k.Cases()
	c := *all[len(all)-1]
	c.values = maps.Clone(c.values)
	c.values["blocks"] = "32"
	contracts["test"] = func(p *proof) {
		ctr(p)
		final := p.final
		p.final = func() {
			final()
			p.wanted[25].word[5] ^= 1
		}
	}
	defer delete(contracts, "test")
	c.Contract = "test"
	r := c.Prove(nil, nil)
	if r.Err == nil || !strings.Contains(r.Err.Error(), "WRONG: bit 5 of dst+400") {
		t.Errorf("%v", r.Err)
	}
	if r.Bytes > 110<<20 { // without passes, 160
		t.Errorf("%d MB", r.Bytes>>20)
	}
	contracts["test"] = func(p *proof) {
		ctr(p)
		p.machine.Store = nil
	}
	if r := c.Prove(nil, nil); r.Err == nil || !strings.Contains(r.Err.Error(), "has not stored 16 blocks") {
		t.Errorf("%v", r.Err)
	}
}

// Which cases execute a fault is known without a proof.
func TestVisits(t *testing.T) {
	for name, want := range map[string]string{"text0": "0", "text3": "150", "text4": "250,256"} {
		k := kernel(t, "internal/aescore/internal/amd64", "SealPacketVAES512")
		pc := k.function().Labels[name]
		f := &Fault{instructions: map[int]*machine.Instruction{pc: &k.function().Code[pc]}}
		for _, c := range k.Cases() {
			n := c.values["n"]
			if c.values["rounds"] != "10" {
				continue
			}
			if got := c.visits(f); got != slices.Contains(strings.Split(want, ","), n) {
				t.Errorf("%s, %s bytes: %t", name, n, got)
			}
		}
	}
	// The contract decides whether there is a carry.
	k := kernel(t, "internal/aescore/internal/arm64", "ctrCE")
	all := len(k.Cases())
	at := func(pc int) *Fault { return &Fault{instructions: map[int]*machine.Instruction{pc: nil}} }
	for _, f := range []*Planted{{k, &Fault{symbol: "x"}}, {k, at(-1)}, {k, at(0)}} {
		if n := len(slices.Collect(f.cases)); n != all {
			t.Errorf("%d of %d cases", n, all)
		}
	}
}

// A CSEL must have chosen either source, unless a secret chooses.
func TestChoices(t *testing.T) {
	for _, c := range []struct {
		seen []machine.Bit
		want int
	}{{[]machine.Bit{0}, 1}, {[]machine.Bit{1, 1}, 1}, {[]machine.Bit{0, 1}, 0}, {[]machine.Bit{77}, 0}} {
		seen := &Coverage{code: []machine.Instruction{{Op: "CSEL"}}, next: []map[int]bool{{1: true}}, chosen: map[int]map[machine.Bit]bool{}}
		for _, b := range c.seen {
			seen.choose(0, b)
		}
		if p := seen.Problems(); len(p) != c.want {
			t.Errorf("%v: %q", c.seen, p)
		}
	}
}

// The longer hash takes powers that initNEON does not make.
func TestPowers(t *testing.T) {
	k := kernel(t, "internal/ghash/internal/arm64", "updateNEON")
	contracts["test"] = func(p *proof) {
		ghashUpdate(p)
		o := p.machine.Arguments["t"].Object
		for at := int64(576); at < 1152; at += 8 {
			o.Set(at, machine.Address(o, 0)) // reading it is an error
		}
	}
	defer delete(contracts, "test")
	for _, c := range k.Cases() {
		c.Contract = "test"
		switch n := c.values["n"]; n {
		case "16", "112":
			if r := c.Prove(nil, nil); r.Err != nil {
				t.Errorf("%s bytes: %v", n, r.Err)
			}
		case "128":
			if r := c.Prove(nil, nil); r.Err == nil {
				t.Errorf("%s bytes need no more", n)
			}
		}
	}
}

// Each kernel is in one part.
func TestParts(t *testing.T) {
	for _, dir := range Folders {
		list, err := Load(root, dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range list {
			n := 0
			for _, p := range Parts() {
				if p.Folder == dir && p.Has(k.Name) {
					n++
				}
			}
			if n != 1 {
				t.Errorf("%s %s is in %d parts", dir, k.Name, n)
			}
		}
	}
}

// What takes long is proven if a file of its kernels changed and the time suffices; what does not, always.
func TestDue(t *testing.T) {
	folder := "sm4/internal/arm64"
	file := folder + "/sm4_neon_arm64.s"
	short := 0
	for _, p := range Parts() {
		if p.Long == 0 {
			short++
		}
	}
	for _, c := range []struct {
		changed    []string
		seconds    int
		more, left int
	}{
		{nil, 1000, 0, 0},
		{[]string{"", "sm4/sm4.go", folder + "/sm4_test.go", folder + "/testdata/x"}, 1000, 0, 0},
		{[]string{file, folder + "/removed_arm64.s"}, 1000, 1, 0},
		{[]string{folder + "/sm4_neon_arm64.go"}, 1000, 1, 0}, // the cases
		{[]string{file}, 59, 0, 1},
	} {
		due, left, err := Due("../..", c.changed, c.seconds)
		if err != nil || len(due) != short+c.more || len(left) != c.left {
			t.Errorf("%q in %d s: %d of %d parts, %v left, %v", c.changed, c.seconds, len(due), short, left, err)
		}
	}
}

// What parts take that may be left out is about what was measured, where all kernels were.
func TestLong(t *testing.T) {
	all, err := ReadMeasured(root)
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, p := range Parts() {
		if p.Long == 0 {
			continue
		}
		kernels, err := Load(root, p.Folder)
		if err != nil {
			t.Fatal(err)
		}
		seconds, measured := 0.0, true
		for _, k := range kernels {
			if p.Has(k.Name) && len(k.Cases()) > 0 {
				took, ok := all.Proofs[k.Folder+" "+k.Name]
				seconds, measured = seconds+took.Seconds, measured && ok
			}
		}
		if !measured {
			continue
		}
		compared++
		if long := float64(p.Long); long < seconds/2 || long > 2*seconds {
			t.Errorf("%s: %v seconds, and %.0f were measured", p, long, seconds)
		}
	}
	if compared == 0 {
		t.Error("no part was measured")
	}
}

func TestDirectives(t *testing.T) {
	for _, bad := range []string{"", "nothing n=1", "ecb.encrypt n", "ecb.encrypt n=", "ecb.encrypt n=1 n=2", "ecb.encrypt n=5..4", "ecb.encrypt n=1..x", "ecb.encrypt n=1..4/0"} {
		if _, err := parseDirective(bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
	d, err := parseDirective("ecb.encrypt keys=aes n=16,32..64/16")
	if err != nil {
		t.Fatal(err)
	}
	k := &Kernel{directives: []directive{d}}
	var got []string
	for _, c := range k.Cases() {
		got = append(got, c.String())
	}
	if want := []string{"ecb.encrypt keys=aes n=16", "ecb.encrypt keys=aes n=32", "ecb.encrypt keys=aes n=48", "ecb.encrypt keys=aes n=64"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// What is proven is what Go's assembler makes.
func TestAssembled(t *testing.T) {
	for _, dir := range Folders {
		if err := Assembled(root, dir); err != nil {
			t.Error(err)
		}
	}
}

// Something that was read wrong is found: a register, a distance, an offset, a constant in memory.
func TestAssembledOtherwise(t *testing.T) {
	for _, f := range []struct{ arch, file, xor, and, shift, load, data string }{
		{"arm64", "sm4/internal/arm64/sm4_aes_arm64.s", "VEOR", "VAND", "VUSHR", "MOVD", "bytes"},
		{"amd64", "sm4/internal/amd64/sm4_gfniavx2_amd64.s", "VPXOR", "VPAND", "VGF2P8AFFINEINVQB", "MOVQ", ""},
	} {
		for name, change := range map[string]func(s *machine.Source, in *machine.Instruction) bool{
			"register": func(s *machine.Source, in *machine.Instruction) bool {
				in.Args[0].Reg ^= 1
				return in.Op == f.xor && in.Args[0].Kind == machine.KindReg
			},
			"number": func(s *machine.Source, in *machine.Instruction) bool { in.Args[0].Imm++; return in.Op == f.shift },
			"offset": func(s *machine.Source, in *machine.Instruction) bool {
				in.Args[0].Imm += 8
				return in.Op == f.load && in.Args[0].Pseudo == "FP"
			},
			"data": func(s *machine.Source, in *machine.Instruction) bool {
				for symbol, data := range s.Data {
					if f.data == "" || symbol == f.data {
						data[5]++
						return true
					}
				}
				return false
			},
			"operation": func(s *machine.Source, in *machine.Instruction) bool {
				op := in.Op
				in.Op = f.and
				return op == f.xor
			},
		} {
			arch := machine.Arches[f.arch]
			source, err := machine.Parse(arch, filepath.Join(root, filepath.Dir(f.file)), f.file)
			if err != nil {
				t.Fatal(err)
			}
			changed := false
			for j := range source.Functions {
				code := source.Functions[j].Code
				for i := 0; i < len(code) && !changed; i++ {
					in := &code[i]
					old := *in
					old.Args = slices.Clone(in.Args)
					if changed = len(in.Args) > 1 && change(source, in); !changed {
						*in = old
					}
				}
			}
			if !changed {
				t.Errorf("%s: there is nothing to change for another %s", f.file, name)
			}
			if err := sameBytes(arch, filepath.Join(root, f.file), source); err == nil {
				t.Errorf("%s: another %s is not noticed", f.file, name)
			}
		}
	}
}

// A table may have an unknown byte added to all of its bytes. What is outside of it is 0, or what was
// there.
func TestLookUp(t *testing.T) {
	file := filepath.Join(t.TempDir(), "f_arm64.s")
	text := "TEXT ·f(SB), $0-8\n\tMOVD p+0(FP), R0\n\tVLD1.P 16(R0), [V0.B16]\n\tVLD1.P 16(R0), [V1.B16]\n\tVLD1 (R0), [V2.B16]\n" +
		"\tVORR V2.B16, V2.B16, V3.B16\n\tVTBX V1.B16, [V0.B16], V2.B16\n\tVTBL V1.B16, [V0.B16], V3.B16\n\tVST1.P [V2.B16], 16(R0)\n\tVST1 [V3.B16], (R0)\n\tRET\n"
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	arch := machine.Arches["arm64"]
	source, err := machine.Parse(arch, filepath.Dir(file), file)
	if err != nil || len(source.Problems) > 0 {
		t.Fatal(err, source.Problems)
	}
	e := forms.New(limits)
	m, err := machine.New(arch, source, "f", e)
	if err != nil {
		t.Fatal(err)
	}
	unknown := func(name string) (w word) {
		for i := range 8 {
			w = append(w, e.Unknown(fmt.Sprint(name, i)))
		}
		return w
	}
	added := unknown("added")
	o := machine.NewObject("p", 64)
	m.Arguments["p"] = machine.Address(o, 0)
	var index, old [16]word
	for i := range index {
		table := machine.Constant(uint64(i*i*7+i)&255, 8)
		for j := range table {
			table[j] = e.Xor(table[j], added[j])
		}
		index[i], old[i] = unknown(fmt.Sprint("index", i)), unknown(fmt.Sprint("old", i))
		o.Set(int64(i), machine.Value{Bits: table})
		o.Set(int64(16+i), machine.Value{Bits: index[i]})
		o.Set(int64(32+i), machine.Value{Bits: old[i]})
	}
	if err := e.Do(func() error { return m.Run(100) }); err != nil {
		t.Fatal(err)
	}
	inside := 0
	for assignment := range 64 {
		sample := func(w word) byte { return e.Sample(w, assignment)[0] }
		for i := range index {
			vtbx, vtbl := sample(old[i]), byte(0)
			if at := int(sample(index[i])); at < 16 {
				vtbx = byte(at*at*7+at) ^ sample(added)
				vtbl = vtbx
				inside++
			}
			for from, want := range map[int64]byte{32: vtbx, 48: vtbl} {
				if got := sample(o.Bits(e, from+int64(i), 1)); got != want {
					t.Errorf("assignment %d, byte %d: %#x, want %#x", assignment, from+int64(i), got, want)
				}
			}
		}
	}
	if inside == 0 {
		t.Error("no index is in the table")
	}
}

// Of a table in a vector of riscv64, elements that may be anything do not matter where the known bits of the number exclude them.
func TestLookUpRISCV(t *testing.T) {
	for text, want := range map[string]string{
		"\tVANDVI $15, V1, V1\n": "",
		"\tVSRLVI $4, V1, V1\n":  "",
		"\tVSRLVI $3, V1, V1\n":  "neither the table nor the number of an element is constant",
		"":                       "neither the table nor the number of an element is constant",
	} {
		file := filepath.Join(t.TempDir(), "f_riscv64.s")
		text = "TEXT ·f(SB), $0-8\n\tMOV p+0(FP), X5\n\tADDI $16, X5, X6\n\tVSETIVLI $16, E8, M1, TA, MA, X0\n" +
			"\tVLE8V (X5), V2\n\tVLE8V (X6), V1\n" + text + "\tVRGATHERVV V1, V2, V3\n\tVSE8V V3, (X5)\n\tRET\n"
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		arch := machine.Arches["riscv64"]
		source, err := machine.Parse(arch, filepath.Dir(file), file)
		if err != nil || len(source.Problems) > 0 {
			t.Fatal(err, source.Problems)
		}
		e := forms.New(limits)
		m, err := machine.New(arch, source, "f", e)
		if err != nil {
			t.Fatal(err)
		}
		m.VLEN = 256
		o := machine.NewObject("p", 32)
		o.Align = 8
		m.Arguments["p"] = machine.Address(o, 0)
		for i := range 16 {
			o.SetBytes(int64(i), []byte{byte(i*i*7 + i)})
		}
		number := o.Bits(e, 16, 1)
		err = e.Do(func() error { return m.Run(100) })
		if want != "" {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%q: %v, want %s", text, err, want)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		for assignment := range 64 {
			at := int(e.Sample(number, assignment)[0])
			if at &= 15; strings.Contains(text, "VSRLVI") {
				at = int(e.Sample(number, assignment)[0]) >> 4
			}
			if got := e.Sample(o.Bits(e, 0, 1), assignment)[0]; got != byte(at*at*7+at) {
				t.Errorf("%q, assignment %d: %#x, want %#x", text, assignment, got, byte(at*at*7+at))
			}
		}
	}
}

// Kernels that align a pointer into their frame are executed, too.
func TestExecutedAligned(t *testing.T) {
	for _, c := range []struct{ folder, name string }{
		{"sm4/internal/amd64", "ctrAESNIAVX2"},
		{"internal/aescore/internal/amd64", "XTSEncryptAESNI"},
	} {
		if err := kernel(t, c.folder, c.name).Cases()[0].executed(nil); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
