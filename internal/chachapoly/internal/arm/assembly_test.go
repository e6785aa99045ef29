package arm

import (
	"debug/elf"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// This file checks properties that tests of results cannot: that the assembly keeps the
// registers of the Go runtime and stays within its architecture, and that the words of
// neon_arm.h are the instructions that their names say. It reads the output of Go's assembler
// for GOARCH=arm, on every host with the go command.

var update = flag.Bool("update", false, "write the words in testdata/encodings.txt again")

// kernels has every function in assembly.
var kernels = map[string]struct {
	v6 bool // must run on ARMv6
	// temp has mask and value of the instructions that write R11, the assembler's
	// register for what it expands. The kernel has none that it expands.
	temp [][2]uint32
}{
	"chachaV6": {v6: true, temp: [][2]uint32{
		{^uint32(0), 0xe3a0b005}, // mov r11, #5
		{^uint32(0), 0xe25bb001}, // subs r11, r11, #1
	}},
	"macV6": {v6: true, temp: [][2]uint32{
		{0xfffff000, 0xe59db000}, // ldr r11, [sp, #p]
		{^uint32(0), 0xe49b6010}, // ldr r6, [r11], #16
		{^uint32(0), 0xe1a0b007}, // mov r11, r7
	}},
	"chachaNEON": {},
	"macNEON":    {},
}

// An effect is what an A32 instruction does to the core registers.
type effect struct {
	writes        uint32 // set of registers
	sp            int32  // what is added to R13
	spKnown       bool
	branch        bool
	target        int32 // of a branch, in words from the instruction
	unconditional bool  // not conditional
	returns       bool
	byLR          bool // through R14, not by loading the PC
	v7            bool // not in ARMv6
	bad           string
}

func bit(r uint32) uint32 { return 1 << (r & 15) }

func immediate(w uint32) int32 {
	v, turn := w&255, w>>8&15*2
	return int32(v>>turn | v<<(32-turn))
}

// decode knows the instructions that kernels use, and calls others bad.
func decode(w uint32) (e effect) {
	rn, rd, rm := w>>16&15, w>>12&15, w&15
	e.unconditional = w>>28 >= 14
	if w>>28 == 15 {
		switch {
		case w>>25&7 == 1: // NEON data processing
			e.v7 = true
		case w>>24&15 == 4 && w>>20&1 == 0: // NEON element loads and stores
			e.v7 = true
			if rm != 15 {
				e.writes = bit(rn)
			}
		default:
			e.bad = "unknown, without a condition"
		}
		return e
	}
	switch w >> 25 & 7 {
	case 0, 1:
		imm := w>>25&1 == 1
		switch {
		case !imm && w&0x0fc000f0 == 0x00000090: // MUL, MLA
			e.writes = bit(rn)
		case !imm && w&0x0f8000f0 == 0x00800090 || !imm && w&0x0ff000f0 == 0x00400090: // UMULL and others, UMAAL
			e.writes = bit(rn) | bit(rd)
		case !imm && w&0x90 == 0x90: // transfers of halfwords and two words
			switch load := w>>20&1 == 1; {
			case w>>5&3 == 0:
				e.bad = "swap or exclusive access"
			case load:
				e.writes = bit(rd)
			case w>>5&3 == 2: // LDRD
				e.writes = bit(rd) | bit(rd+1)
			}
			if w>>24&1 == 0 || w>>21&1 == 1 {
				e.writes |= bit(rn)
			}
		case w>>23&3 == 2 && w>>20&1 == 0:
			switch {
			case imm && w>>20&11 == 0: // MOVW, MOVT
				e.writes, e.v7 = bit(rd), true
			case w&0x0ffffff0 == 0x012fff10: // BX
				e.returns, e.byLR = true, rm == 14
			default:
				e.bad = "unknown, among the miscellaneous"
			}
		default:
			op := w >> 21 & 15
			if op >= 8 && op <= 11 {
				return e // comparisons
			}
			e.writes = bit(rd)
			if rd == 13 && rn == 13 && imm && (op == 2 || op == 4) {
				e.spKnown, e.sp = true, immediate(w)
				if op == 2 {
					e.sp = -e.sp
				}
			}
			if rd == 15 { // RET without a frame: ADD $0, R14, R15 or MOVW R14, R15
				e.returns = true
				e.byLR = imm && op == 4 && rn == 14 || !imm && op == 13 && rm == 14
				if !e.byLR {
					e.bad = "computed jump"
				}
			}
		}
	case 2, 3:
		if w>>25&1 == 1 && w>>4&1 == 1 { // media
			e.writes = bit(rd)
			if w>>23&3 == 2 {
				e.writes = bit(rn)
			}
			e.v7 = w>>23&3 == 3
			return e
		}
		load := w>>20&1 == 1
		if load {
			e.writes = bit(rd)
		}
		if w>>21&1 == 1 || w>>24&1 == 0 {
			e.writes |= bit(rn)
			if rn == 13 && w>>25&1 == 0 {
				e.spKnown, e.sp = true, int32(w&4095)
				if w>>23&1 == 0 {
					e.sp = -e.sp
				}
			}
		}
		if load && rd == 15 {
			e.returns = true
			if rn != 13 {
				e.bad = "PC loaded from elsewhere than the stack"
			}
		}
	case 4:
		if w>>20&1 == 1 {
			e.writes = w & 0xffff
			e.returns = w&0x8000 != 0
		}
		if w>>21&1 == 1 {
			e.writes |= bit(rn)
		}
	case 5:
		if w>>24&1 == 1 {
			e.bad = "call"
		} else {
			e.branch, e.target = true, int32(w<<8)>>8+2
		}
	case 6: // VLDM and others, MRRC
		e.v7 = true
		if w&0x0fe00000 == 0x0c400000 {
			if w>>20&1 == 1 {
				e.writes = bit(rd) | bit(rn)
			}
		} else if w>>21&1 == 1 {
			e.writes = bit(rn)
		}
	case 7:
		e.v7 = true
		if w>>24&1 == 1 {
			e.bad = "system call"
		} else if w>>4&1 == 1 && w>>20&1 == 1 {
			e.writes = bit(rd)
		}
	}
	return e
}

// scan follows all paths of a function and returns what is wrong with it.
func scan(code []uint32, v6 bool, temp [][2]uint32) (errs []string) {
	const unseen = -1 << 31
	sp := make([]int32, len(code))  // R13 less what it was at the entry
	lost := make([]bool, len(code)) // R14 may have changed
	for i := range sp {
		sp[i] = unseen
	}
	type place struct {
		i    int
		sp   int32
		lost bool
	}
	for todo := []place{{}}; len(todo) > 0; {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if at.i < 0 || at.i >= len(code) {
			errs = append(errs, "control leaves the function")
			continue
		}
		fail := func(format string, a ...any) {
			errs = append(errs, fmt.Sprintf("%#x: %08x: ", 4*at.i, code[at.i])+fmt.Sprintf(format, a...))
		}
		if sp[at.i] != unseen {
			if sp[at.i] != at.sp {
				fail("R13 is %d or %d", sp[at.i], at.sp)
			}
			if lost[at.i] || !at.lost {
				continue
			}
		}
		sp[at.i], lost[at.i] = at.sp, lost[at.i] || at.lost
		w := code[at.i]
		e := decode(w)
		if e.bad != "" {
			fail("%s", e.bad)
		}
		if e.writes&bit(10) != 0 {
			fail("writes R10, the pointer to g")
		}
		if e.writes&bit(11) != 0 {
			found := false
			for _, t := range temp {
				found = found || w&t[0] == t[1]
			}
			if !found {
				fail("writes R11: is an instruction expanded?")
			}
		}
		if v6 && e.v7 {
			fail("not in ARMv6")
		}
		next := place{at.i + 1, at.sp, at.lost || e.writes&bit(14) != 0}
		if e.writes&bit(13) != 0 {
			if !e.spKnown || !e.unconditional {
				fail("writes R13")
			}
			next.sp += e.sp
		}
		if next.sp > 0 {
			fail("R13 is above what it was at the entry")
		}
		if e.returns {
			if next.sp != 0 {
				fail("returns with R13 off by %d", next.sp)
			}
			if e.byLR && at.lost {
				fail("returns through an R14 that has changed")
			}
		}
		if e.branch {
			todo = append(todo, place{at.i + int(e.target), next.sp, next.lost})
		}
		if !e.unconditional || !e.returns && !e.branch {
			todo = append(todo, next)
		}
	}
	return errs
}

// read returns a file of this folder. The test cache then knows it as an input,
// which on hosts other than ARM the assembly is not otherwise.
func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// build makes a program for ARM of some files and returns its functions.
func build(t *testing.T, goarm string, files map[string]string) map[string][]uint32 {
	t.Helper()
	tool, err := exec.LookPath("go")
	if err != nil || runtime.GOARCH == "arm" {
		t.Skip("for a host with the go command")
	}
	dir := t.TempDir()
	files["go.mod"] = "module program\ngo 1.24\n"
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(tool, "build", "-o", "program", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm", "GOARM="+goarm, "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	f, err := elf.Open(filepath.Join(dir, "program"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	text := f.Section(".text")
	code, err := text.Data()
	if err != nil {
		t.Fatal(err)
	}
	functions := map[string][]uint32{}
	for _, s := range symbols {
		if name, ok := strings.CutPrefix(s.Name, "main."); ok && elf.ST_TYPE(s.Info) == elf.STT_FUNC {
			b := code[s.Value-text.Addr:][:s.Size]
			for ; len(b) > 0; b = b[4:] {
				functions[name] = append(functions[name], f.ByteOrder.Uint32(b))
			}
		}
	}
	return functions
}

var (
	textLine    = regexp.MustCompile(`(?m)^TEXT ·(\w+)\(SB\)`)
	packageLine = regexp.MustCompile(`(?m)^package arm$`)
	buildLine   = regexp.MustCompile(`(?m)^//go:build .*$`)
)

func TestScan(t *testing.T) {
	for _, goarm := range []string{"5", "6", "7"} {
		t.Run("GOARM="+goarm, func(t *testing.T) {
			files := map[string]string{}
			names, _ := filepath.Glob("*_arm.[sh]")
			var found []string
			for _, name := range names {
				files[name] = read(t, name)
				for _, m := range textLine.FindAllStringSubmatch(files[name], -1) {
					if _, ok := kernels[m[1]]; !ok {
						t.Errorf("%s is not in the list of kernels", m[1])
					}
					found = append(found, m[1])
				}
			}
			if len(found) != len(kernels) {
				t.Errorf("found %v", found)
			}
			declarations := packageLine.ReplaceAllString(read(t, "kernels_arm.go"), "package main")
			files["declarations.go"] = buildLine.ReplaceAllString(declarations, "")
			files["main.go"] = "package main\nfunc main() { for _, f := range []any{" + strings.Join(found, ", ") + "} { println(f) } }\n"
			functions := build(t, goarm, files)
			for name, k := range kernels {
				code := functions[name]
				if len(code) == 0 {
					t.Errorf("no code for %s", name)
					continue
				}
				for _, e := range scan(code, k.v6, k.temp) {
					t.Errorf("%s: %s", name, e)
				}
			}
		})
	}
}

// TestScanFinds: the scanner finds what is wrong.
func TestScanFinds(t *testing.T) {
	const bx = 0xe12fff1e
	for name, code := range map[string][]uint32{
		"mov r10":           {0xe3a0a000, bx},
		"moveq r10":         {0x03a0a000, bx},
		"ldr r10":           {0xe591a000, bx},
		"ldm r10":           {0xe8910400, bx},
		"ldr post r10":      {0xe49a0004, bx},
		"umull r10":         {0xe08a0291, bx},
		"umaal r10":         {0xe04a0291, bx},
		"mul r10":           {0xe00a0291, bx},
		"ldrd r10":          {0xe1c1a0d0, bx},
		"ldrh post r10":     {0xe0da00b2, bx},
		"vld1 r10!":         {0xf42a0a8d, bx},
		"vldm r10!":         {0xecba0b02, bx},
		"vmov r10, s":       {0xee10ab10, bx},
		"vmov r10, r0, d":   {0xec5a0b10, bx},
		"rev r10":           {0xe6bfaf31, bx},
		"r11":               {0xe3a0b000, bx},
		"push":              {0xe52de004, bx},
		"sub sp":            {0xe24dd008, bx},
		"mov sp":            {0xe1a0d000, bx},
		"lr":                {0xe3a0e000, bx},
		"paths":             {0xe3500000, 0x0a000000, 0xe52de004, 0xe49df004},
		"call":              {0xebfffffe, bx},
		"svc":               {0xef000000, bx},
		"jump":              {0xe1a0f000},
		"pop pc elsewhere":  {0xe490f004},
		"end":               {0xe3a00000},
		"add sp, then back": {0xe28dd008, 0xe24dd008, bx},
	} {
		if len(scan(code, false, nil)) == 0 {
			t.Errorf("%s: not found", name)
		}
	}
	for name, w := range map[string]uint32{
		"veor": 0xf3000150, "vld1": 0xf4200a8f, "movw": 0xe3000000, "movt": 0xe3400000, "ubfx": 0xe7e00050,
		"vldm": 0xec900b02, "vmov": 0xee100b10,
	} {
		if len(scan([]uint32{w, bx}, true, nil)) == 0 {
			t.Errorf("%s passes for ARMv6", name)
		}
		if errs := scan([]uint32{w, bx}, false, nil); len(errs) != 0 {
			t.Errorf("%s: %v", name, errs)
		}
	}
	for name, code := range map[string][]uint32{
		"leaf":  {0xe3a00000, bx},
		"frame": {0xe52de004, 0xe3a0e000, 0xe49df004},
		"umaal": {0xe0410292, 0xe1c100d0, 0xe8b1000f, bx},
		"r11":   {0xe3a0b005, bx},
	} {
		if errs := scan(code, true, kernels["chachaV6"].temp); len(errs) != 0 {
			t.Errorf("%s: %v", name, errs)
		}
	}
}

// TestEncodings expands every macro of neon_arm.h with Go's assembler and compares
// the words with those of GNU as: with what is in testdata, and where there is
// an assembler, with what it makes now.
func TestEncodings(t *testing.T) {
	header := read(t, "neon_arm.h")
	var macros, gnu []string
	var want []uint32
	tested := map[string]bool{}
	comment, lines, _ := strings.Cut(read(t, "testdata/encodings.txt"), "\n")
	for line := range strings.Lines(lines) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		if len(f) != 3 {
			t.Fatalf("line %q", line)
		}
		word, err := strconv.ParseUint(f[2], 16, 32)
		if err != nil {
			t.Fatal(err)
		}
		name, _, _ := strings.Cut(f[0], "(")
		tested[name] = true
		macros, gnu, want = append(macros, f[0]), append(gnu, f[1]), append(want, uint32(word))
	}
	for _, m := range regexp.MustCompile(`(?m)^#define (\w+)\(.*WORD`).FindAllStringSubmatch(header, -1) {
		if !tested[m[1]] {
			t.Errorf("%s has no line in testdata/encodings.txt", m[1])
		}
	}

	if assembler, err := exec.LookPath("arm-linux-gnueabihf-as"); err == nil {
		fresh := assemble(t, assembler, gnu)
		for i, w := range fresh {
			if *update {
				want[i] = w
			} else if w != want[i] {
				t.Errorf("%s is %08x here and %08x in testdata", gnu[i], w, want[i])
			}
		}
		if *update {
			for i := range want {
				comment += fmt.Sprintf("\n%s\t%s\t%08x", macros[i], gnu[i], want[i])
			}
			if err := os.WriteFile("testdata/encodings.txt", []byte(comment+"\n"), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	} else {
		t.Log("no arm-linux-gnueabihf-as: only what is in testdata")
	}

	got := build(t, "7", map[string]string{
		"neon_arm.h": header,
		"main.go":    "package main\nfunc f()\nfunc main() { f() }\n",
		"f_arm.s":    "#include \"neon_arm.h\"\nTEXT ·f(SB), 4, $0-0\n\t" + strings.Join(macros, "\n\t") + "\n\tRET\n",
	})["f"]
	for i, w := range want {
		if i >= len(got) || got[i] != w {
			t.Errorf("%s is %08x, %s is %08x", macros[i], got[i], gnu[i], w)
		}
	}
}

// assemble returns the words of some instructions.
func assemble(t *testing.T, assembler string, lines []string) (words []uint32) {
	t.Helper()
	cmd := exec.Command(assembler, "-o", filepath.Join(t.TempDir(), "object"))
	cmd.Args = append(cmd.Args, "-")
	cmd.Stdin = strings.NewReader(".syntax unified\n.arch armv7-a\n.fpu neon\n" + strings.Join(lines, "\n") + "\n")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	f, err := elf.Open(cmd.Args[2])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b, err := f.Section(".text").Data()
	if err != nil {
		t.Fatal(err)
	}
	for ; len(b) > 0; b = b[4:] {
		words = append(words, f.ByteOrder.Uint32(b))
	}
	return words
}
