//go:build linux

package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// texts returns the changed parts of a text after every change of a kind.
func texts(t *testing.T, name, src, kind string) (list []string) {
	t.Helper()
	all, err := changesOf(name, []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		if c.kind == kind {
			list = append(list, src[c.start:c.end]+" -> "+c.text)
		}
	}
	return list
}

func same(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n\t%s\nwant\n\t%s", what, strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

func TestGo(t *testing.T) {
	for _, c := range []struct {
		kind, body string
		want       []string
	}{
		{"operator", "x = a + b*c", []string{"+ -> -", "* -> +"}},
		{"operator", "x = a &^ b << 1 >> 2", []string{">> -> <<", "<< -> >>", "&^ -> &"}},
		{"operator", "x = a ^ b | c & d", []string{"| -> &", "^ -> |", "& -> |"}},
		{"operator", "x ^= -a", []string{"^= -> |=", "- -> "}},
		{"operator", "ok = !p && q || r", []string{"|| -> &&", "&& -> ||", "! -> "}},
		{"operator", "ok = a < b", []string{"< -> <=", "< -> >="}},
		{"operator", "ok = a >= b", []string{">= -> >", ">= -> <"}},
		{"operator", "ok = a == b", []string{"== -> !="}},
		{"operator", "x++", []string{"++ -> --"}},
		{"operator", "x += a", []string{"+= -> -="}},
		{"operator", "x, ok = f(a)", nil},
		{"negation", "if a < b { f() } else if c { g() }", []string{"a < b -> !(a < b)", "c -> !(c)"}},
		{"negation", "for i := 0; i < n; i++ {}", []string{"i < n -> !(i < n)"}},
		{"always", "if a < b { f() }", []string{"a < b -> true || (a < b)"}},
		{"never", "if a < b { f() }", []string{"a < b -> false && (a < b)"}},
		{"number", "x = 7 + 0", []string{"7 -> 8", "7 -> 6", "0 -> 1"}},
		{"number", "x = 0x80 + 0b11 + 0o17", []string{"0x80 -> 0x81", "0x80 -> 0x7f", "0b11 -> 0b100", "0b11 -> 0b10", "0o17 -> 020", "0o17 -> 016"}},
		{"number", "x = 0xffffffffffffffff", []string{"0xffffffffffffffff -> 0xfffffffffffffffe"}},
		{"number", "ok = true", []string{"true -> false"}},
		{"number", `b := make([]byte, 5, 9); s = "12"`, []string{"5 -> 6", "5 -> 4"}},
		{"number", "var b [16]byte", nil},
		{"statement", "x = 1; y := 2; f(y); x++; defer g(); if ok { return }; for { break }", []string{"x = 1 -> ", "f(y) -> ", "x++ -> ", "defer g() -> ", "for { break } -> ", "break -> "}},
		{"statement", "switch x { case 1: f() }", []string{"f() -> "}},
	} {
		src := "package p\n\nfunc f() {\n\t" + c.body + "\n}\n"
		same(t, c.kind+" in "+c.body, texts(t, "p.go", src, c.kind), c.want...)
	}
}

func TestAssembly(t *testing.T) {
	for _, c := range []struct {
		kind, line string
		want       []string
	}{
		{"instruction", "\tADDQ $1, AX // adds", []string{"ADDQ $1, AX -> "}},
		{"instruction", "\tVZEROUPPER", nil},
		{"instruction", "\tPREFETCHT0 64(SI)", nil},
		{"instruction", "loop:", nil},
		{"instruction", "// ADDQ $1, AX", nil},
		{"instruction", "TEXT ·f(SB), NOSPLIT, $0-16", nil},
		{"instruction", "DATA x<>+0(SB)/8, $1", nil},
		{"instruction", "\tADD R1, R2; SUB R3, R4; \\", []string{"ADD R1, R2 -> ", "SUB R3, R4 -> "}},
		{"instruction", "#define X 1", nil},
		{"mnemonic", "\tADDQ $1, AX", []string{"ADDQ -> SUBQ"}},
		{"mnemonic", "\tVPADDD Y1, Y2, Y3", []string{"VPADDD -> VPSUBD"}},
		{"mnemonic", "\tVPXORD Z1, Z2, Z3", []string{"VPXORD -> VPORD"}},
		{"mnemonic", "\tVEOR V1.B16, V2.B16, V3.B16", []string{"VEOR -> VORR"}},
		{"mnemonic", "\tJNE loop", []string{"JNE -> JEQ"}},
		{"mnemonic", "\tBLTU X5, X6, loop", []string{"BLTU -> BGEU"}},
		{"mnemonic", "\tCMOVQCS AX, BX", []string{"CMOVQCS -> CMOVQCC"}},
		{"mnemonic", "\tADCXQ AX, BX", []string{"ADCXQ -> ADDXQ", "ADCXQ -> ADOXQ"}},
		{"number", "\tVPSHUFD $0x4e, Y1, Y2", []string{"0x4e -> 0x4f"}},
		{"number", "\tMOVQ $7, AX", []string{"7 -> 6"}},
		{"number", "\tMOVQ $-8, AX", []string{"8 -> 9"}},
		{"number", "\tMOVQ 16(SI)(AX*8), BX", []string{"16 -> 17"}},
		{"number", "\tMOVQ x<>+64(SB), BX", []string{"64 -> 65"}},
		{"number", "\tMOVQ dst_base+0(FP), BX", nil},
		{"number", "DATA x<>+0(SB)/8, $0x0001020304050607", []string{"0x0001020304050607 -> 0x0001020304050606", "0x0001020304050607 -> 0x8001020304050607"}},
		{"number", "\tRORIW(16, 20, 21)", []string{"16 -> 17", "20 -> 21", "21 -> 20"}},
		{"register", "\tVPXORD Z1, Z30, K2, Z3", []string{"1 -> 0", "30 -> 31", "2 -> 3", "3 -> 2"}},
		{"register", "\tMOVQ (SI)(AX*8), R9", []string{"9 -> 8", "SI -> DI", "AX -> DX"}},
		{"register", "\tVADD V16.S4, V17.S4, V16.S4", []string{"16 -> 17", "17 -> 16", "16 -> 17"}},
		{"register", "DATA R1<>+0(SB)/8, $1", nil},
	} {
		got := texts(t, "f_amd64.s", c.line+"\n", c.kind)
		if c.kind == "register" {
			for i := range got { // some have a part of a line in common
				got[i] = strings.TrimSpace(got[i])
			}
		}
		same(t, c.kind+" in "+c.line, got, c.want...)
	}
}

// A mutant is described by whole lines, and its function.
func TestDiff(t *testing.T) {
	src := []byte("package p\n\nfunc (t *T) first(x int) int {\n\tfor x < 3 {\n\t\tx++\n\t}\n\treturn x\n}\n\nvar y = 1\n")
	s := &source{name: "a/p.go", text: src}
	for old, want := range map[string]string{
		"x < 3":                "a/p.go first\n-\tfor x < 3 {\n+\tfor 9 {\n",
		"x++":                  "a/p.go first\n-\t\tx++\n+\t\t9\n",
		"{\n\t\tx++\n\t}":      "a/p.go first\n-\tfor x < 3 {\n-\t\tx++\n-\t}\n+\tfor x < 3 9\n",
		"\tfor x < 3 {\n\t\tx": "a/p.go first\n-\tfor x < 3 {\n-\t\tx++\n+9++\n",
		"1\n":                  "a/p.go y\n-var y = 1\n-\n+var y = 9\n",
	} {
		i := bytes.Index(src, []byte(old))
		if got := s.mutant("a", change{i, i + len(old), "9", ""}).diff(); got != want {
			t.Errorf("%q:\n%s\nwant\n%s", old, got, want)
		}
	}
	i := bytes.Index(src, []byte("x++"))
	if m := s.mutant("a", change{i, i + 3, "", ""}); m.Line != 5 || m.New != nil {
		t.Errorf("a statement that is left out: %+v", m)
	}
	repeating := &source{name: "p.go", text: []byte("package p\n\nfunc f() {\n\tg()\n}\n\nfunc h() {\n\tg()\n\tg()\n\tg()\n}\n")}
	for at, want := range map[int]string{23: "p.go f\n-\tg()\n", 42: "p.go h\n-\tg()\n", 47: "p.go h #2\n-\tg()\n", 52: "p.go h #3\n-\tg()\n"} {
		m := repeating.mutant("p", change{at, at + 3, "", ""})
		if e, err := parseEntry(m.diff() + "reason"); m.diff() != want || err != nil || e.key() != m.key() {
			t.Errorf("%d: %s, want %s; read as %+v, %v", at, m.diff(), want, e, err)
		}
	}
	kernel := &source{name: "k_amd64.s", text: []byte("DATA t<>+0(SB)/8, $1\n\nTEXT ·f(SB), NOSPLIT, $0\n\tRET\n")}
	if m := kernel.mutant("a", change{19, 20, "2", ""}); m.Func != "t<>" {
		t.Errorf("data of %s", m.Func)
	}
	if m := kernel.mutant("a", change{49, 52, "NOP", ""}); m.Func != "·f" || m.New[0] != "\tNOP" {
		t.Errorf("an instruction: %+v", m)
	}
}

func TestTrap(t *testing.T) {
	src := "package p\n\nvar y = 1\n\nfunc f(x int) {\n\tif x > 5 {\n\t\tx++\n\t}\n\tswitch x {\n\tcase 7:\n\t\tx = 8\n\t}\n}\n"
	for old, want := range map[string]string{
		"x > 5": "func f(x int) { panic(`reached`);", "x++": "if x > 5 { panic(`reached`);", "= 8": "case 7: panic(`reached`);", "switch": "func f(x int) { panic(`reached`);", "7:": "func f(x int) { panic(`reached`);",
	} {
		if got, ok := trap("p.go", []byte(src), strings.Index(src, old)); !ok || !bytes.Contains(got, []byte(want)) {
			t.Errorf("%q: %s", old, got)
		}
	}
	if _, ok := trap("p.go", []byte(src), strings.Index(src, "= 1")); ok {
		t.Error("a variable has no code")
	}
	asm := "#include \"textflag.h\"\n\nTEXT ·f(SB), NOSPLIT, $0\n\tRET\n\nTEXT ·g(SB), NOSPLIT, $0\n\tADDQ AX, BX\n\tRET\n"
	want := strings.Replace(asm, "$0\n\tADDQ", "$0\n\tUNDEF\n\tADDQ", 1)
	if got, ok := trap("f_amd64.s", []byte(asm), strings.Index(asm, "AX")); !ok || string(got) != want {
		t.Errorf("%s", got)
	}
	if _, ok := trap("f_amd64.s", []byte(asm), 3); ok {
		t.Error("before the first function")
	}
	// Data is reached by the functions that use it.
	asm = "DATA xt<>+0(SB)/8, $1\nDATA t<>+0(SB)/8, $2\nGLOBL t<>(SB), 8, $8\nDATA u<>+0(SB)/8, $3\n\nTEXT ·f(SB), NOSPLIT, $0\n\tMOVQ t<>+0(SB), AX\n\tRET\n\nTEXT ·g(SB), NOSPLIT, $0\n\tMOVQ xt<>+0(SB), AX\n\tRET\n\nTEXT ·h(SB), NOSPLIT, $0\n\tADDQ t<>(SB), AX\n\tRET\n"
	want = strings.NewReplacer("$0\n\tMOVQ t", "$0\n\tUNDEF\n\tMOVQ t", "$0\n\tADDQ", "$0\n\tUNDEF\n\tADDQ").Replace(asm)
	if got, ok := trap("f_amd64.s", []byte(asm), strings.Index(asm, "$2")); !ok || string(got) != want {
		t.Errorf("%s", got)
	}
	if _, ok := trap("f_amd64.s", []byte(asm), strings.Index(asm, "$3")); ok {
		t.Error("no function uses the data")
	}
}

// Code that differs only in positions is the same.
func TestSameCode(t *testing.T) {
	const base = "p.f STEXT nosplit size=20 args=0x8 locals=0x0\n" +
		"\t0x0000 00000 (/tmp/p.go:3)\tTEXT\tp.f(SB), NOSPLIT|ABIInternal, $0-8\n" +
		"\t0x0000 00000 (/tmp/p.go:3)\tFUNCDATA\t$0, gclocals·x(SB)\n" +
		"\t0x0000 00000 (/tmp/p.go:4)\tTESTQ\tAX, AX\n" +
		"\t0x0003 00003 (/tmp/p.go:4)\tJNE\t9\n" +
		"\t0x0005 00005 (/tmp/p.go:5)\tINCQ\tAX\n" +
		"\t0x0008 00008 (/tmp/p.go:6)\tXCHGL\tAX, AX\n" +
		"\t0x0009 00009 (/tmp/p.go:7)\tRET\n" +
		"\t0x0000 48 85 c0 75 04                                    H..u.\n" +
		"\trel 3+4 t=R_CALL p.g+0\n" +
		"gclocals·x SRODATA dupok size=8\n\t0x0000 01 00 00 00 00 00 00 00                          ........\n" +
		"p.table SRODATA size=2\n\t0x0000 01 02                                            ..\n"
	shifted := strings.NewReplacer("\t0x0008 00008 (/tmp/p.go:6)\tXCHGL\tAX, AX\n", "", "JNE\t9", "JNE\t8", "0x0009 00009", "0x0008 00008", "size=20", "size=19", "75 04", "75 03", "p.go:5", "q.go:55", "$0, gclocals·x", "$0, gclocals·y").Replace(base)
	if got, want := code([]byte(shifted)), code([]byte(base)); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	for _, c := range [][2]string{{"JNE\t9", "JNE\t5"}, {"JNE", "JEQ"}, {"INCQ", "DECQ"}, {"01 02", "01 03"}, {"TESTQ\tAX, AX", "TESTQ\tAX, BX"}} {
		if other := strings.Replace(base, c[0], c[1], 1); code([]byte(other)) == code([]byte(base)) {
			t.Errorf("%s instead of %s is the same", c[1], c[0])
		}
	}
}

func TestShare(t *testing.T) {
	withDrawn := func(n int) *stratum { return &stratum{sources: []*source{{drawn: make([]change, n)}}} }
	strata := []*stratum{withDrawn(100), withDrawn(400), withDrawn(10000), withDrawn(1)}
	for n := range 200 {
		share(strata, n)
		sum := 0
		for _, s := range strata {
			sum += s.quota
		}
		if list := order(strata); sum != n || len(list) != n {
			t.Fatalf("%d shared as %d", n, sum)
		}
	}
	share(strata, 131)
	if strata[0].quota != 10 || strata[1].quota != 20 || strata[2].quota != 100 || strata[3].quota != 1 {
		t.Errorf("%d, %d, %d, %d", strata[0].quota, strata[1].quota, strata[2].quota, strata[3].quota)
	}
}

func TestEquivalents(t *testing.T) {
	if _, err := readEquivalents("../.."); err != nil {
		t.Error(err)
	}
	e, err := parseEntry("a.go f\n-\tx := 1\n-\ty := 2\n+\tx := 2\nIt is so.\n- And so.")
	if err != nil || e.reason != "It is so.\n- And so." {
		t.Fatalf("%+v, %v", e, err)
	}
	m := mutant{File: "a.go", Func: "f", Old: []string{"  x := 1  ", "y := 2"}, New: []string{"", "x := 2"}}
	list := equivalents{e.key(): e}
	if !list.has(m) {
		t.Error("spaces matter")
	}
	for _, other := range []mutant{
		{File: "b.go", Func: "f", Old: m.Old, New: m.New}, {File: "a.go", Func: "g", Old: m.Old, New: m.New},
		{File: "a.go", Func: "f", Old: m.Old[:1], New: m.New}, {File: "a.go", Func: "f", Old: m.Old, New: nil},
	} {
		if list.has(other) {
			t.Errorf("%+v is in the list", other)
		}
	}
	for _, bad := range []string{"a.go f\n-x\n+y", "a.go f\n+y\nreason", "a.go f\nreason"} {
		if _, err := parseEntry(bad); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}

// planted is a package with lines that its test does not test.
var planted = map[string]string{
	"go.mod":      "module example.com/planted\n\ngo 1.26\n",
	listed:        "# A list.\n\np/p.go Double\n-\tif x == 0 {\n+\tif false && (x == 0) {\nTwice 0 is 0.\n\np/p.go gone\n-\tx\nIt is gone.\n",
	"p/p.go":      "package p\n\n// Double returns 2 x.\nfunc Double(x int) int {\n\tif x == 0 {\n\t\treturn 0\n\t}\n\treturn 2 * x\n}\n\n// Limit is not tested at its end.\nfunc Limit(x int) bool {\n\tfor x < 0 {\n\t\tx++\n\t}\n\treturn x <= 100\n}\n",
	"p/p_test.go": "package p\n\nimport \"testing\"\n\nfunc TestP(t *testing.T) {\n\tif Double(3) != 6 || Double(0) != 0 || Double(1) != 2 || !Limit(5) || Limit(500) || !Limit(-3) {\n\t\tt.Error(\"wrong\")\n\t}\n}\n",
	"k/k.go":      "package k\n\n// Add adds.\nfunc Add(x, y uint64) uint64\n\nfunc unused(x uint64) uint64\n",
	"k/k_amd64.s": "#include \"textflag.h\"\n\n// func Add(x, y uint64) uint64\nTEXT ·Add(SB), NOSPLIT, $0-24\n\tMOVQ x+0(FP), AX\n\tMOVQ y+8(FP), BX\n\tADDQ BX, AX\n\tADDQ $0, BX\n\tMOVQ AX, ret+16(FP)\n\tRET\n\n// func unused(x uint64) uint64\nTEXT ·unused(SB), NOSPLIT, $0-16\n\tMOVQ x+0(FP), AX\n\tMOVQ AX, ret+8(FP)\n\tRET\n",
	"k/k_test.go": "package k\n\nimport \"testing\"\n\nfunc TestAdd(t *testing.T) {\n\tif Add(3, 4) != 7 {\n\t\tt.Error(\"wrong\")\n\t}\n}\n",
}

// Planted lines that are not tested are found, and all others are not.
func TestPlanted(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles programs for a minute")
	}
	top := t.TempDir()
	write(t, top, planted)
	t.Setenv("GOWORK", "off")
	o := options{n: 1000, seed: 1, parallel: 2, memory: 1 << 10, timeout: 3e9, json: filepath.Join(top, "results")}
	var out bytes.Buffer
	n, err := run(context.Background(), top, o, nil, &out)
	if err != nil {
		t.Fatalf("%v\n%s", err, out.Bytes())
	}
	diffs := regexp.MustCompile(`(?m)^[pk]/.*\n(?:[-+].*\n)+`).FindAllString(out.String(), -1)
	slices.Sort(diffs)
	if got := slices.Compact(diffs); n != len(got)-1 { // the entry that is gone is printed, too
		t.Errorf("%d survivors, and %d diffs", n, len(got))
	}
	found := []string{
		"p/p.go Limit\n-\treturn x <= 100\n+\treturn x < 100\n",
		"p/p.go Limit\n-\treturn x <= 100\n+\treturn x <= 101\n",
		"no such line any more:\n\np/p.go gone\n-\tx\nIt is gone.\n",
	}
	if runtime.GOARCH == "amd64" { // the planted kernels are for it
		found = append(found,
			"k/k_amd64.s ·Add\n-\tADDQ $0, BX\n",
			"k/k_amd64.s ·Add\n-\tADDQ $0, BX\n+\tADDQ $1, BX\n",
			"not run on this CPU, or by no test: k/k_amd64.s ·unused\n")
	}
	for _, want := range found {
		if !strings.Contains(out.String(), want) {
			t.Errorf("not found:\n%s", want)
		}
	}
	for _, not := range []string{"return 2", "-\tADDQ BX, AX", "false && (x == 0)", "·unused\n-"} {
		if strings.Contains(out.String(), not) {
			t.Errorf("survived: %s", not)
		}
	}
	for _, column := range []string{"equivalent", "timed out"} {
		if !regexp.MustCompile(`(?m)^\d+/\d+ ` + column).Match(out.Bytes()) {
			t.Errorf("nothing is %s", column)
		}
	}
	if t.Failed() {
		t.Logf("%s", out.Bytes())
	}
	// Results in the file are not computed again.
	before := len(must(os.ReadFile(o.json)))
	if survivors, err := run(context.Background(), top, o, []string{"./p"}, &out); err != nil || len(must(os.ReadFile(o.json))) != before {
		t.Errorf("again: %d, %v", survivors, err)
	}
}

// The limit of time counts what a process and its children took of CPUs, not what it waited.
func TestCPUTime(t *testing.T) {
	stat := "7 (a) 1 (b) S 1 2 3 4 5 6 7 8 9 10 150 25 40 10 20 0 1 0 12345 1 1\n"
	if got := cpuTime([]byte(stat)); got != 2250*time.Millisecond {
		t.Errorf("%v", got)
	}
	for _, bad := range []string{"", "7 (a) S", "7"} {
		if got := cpuTime([]byte(bad)); got != 0 {
			t.Errorf("%q: %v", bad, got)
		}
	}
	run := func(script string) bool {
		cmd := exec.Command("bash", "-c", script)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended, exceeded := make(chan struct{}), make(chan bool, 1)
		go func() {
			exceeded <- watch(cmd.Process.Pid, 1<<30, 300*time.Millisecond, ended, func() { cmd.Process.Kill() })
		}()
		cmd.Wait()
		close(ended)
		return <-exceeded
	}
	if run("sleep 1") {
		t.Error("a process that waited was ended")
	}
	if !run("while :; do :; done") {
		t.Error("a process that was busy was not ended")
	}
}

// write writes files in a folder. Those without a text are removed.
func write(t *testing.T, top string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		name = filepath.Join(top, name)
		err := os.MkdirAll(filepath.Dir(name), 0o755)
		if text == "" {
			err = os.Remove(name)
		} else if err == nil {
			err = os.WriteFile(name, []byte(text), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func must(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}
