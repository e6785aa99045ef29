//go:build linux

package main

import (
	"reflect"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/ci/figures/data"
)

const sample = `version gmsm v1.2.3
case 2 10 64 cipherlane*:fast AES-128-GCM seal
case 3 10 64 cipherlane:fast AES-128-GCM seal
case 4 10 64 cipherlane:slow AES-128-GCM seal
case 5 10 64 gmsm AES-128-GCM seal
case 6 160 64 cipherlane*:slow AES-128-GCM seal, 16 messages
case 7 10 64 cipherlane*:generic SM3
case 8 1 0 cipherlane*:fast FrodoKEM
mark 2 1000
mark 2 2001
mark 2 4000
mark 2 5000
mark 2 6000
mark 2 8000
mark 3 0
mark 3 1000
mark 3 3000
mark 4 0
mark 4 3000
mark 4 9000
mark 5 0
mark 5 2000
mark 5 6000
mark 6 0
mark 6 1600
mark 6 4800
mark 7 0
mark 7 10
mark 7 30
mark 8 0
mark 8 500
mark 8 1500
`

func sampleReport(t *testing.T) *report {
	t.Helper()
	r := &report{GOARCH: "arm64", Date: "2026-01-02", Sizes: []int{64}, Machines: []string{"m: all"}, Versions: map[string]string{}}
	if err := r.add(machine{name: "m"}, sample); err != nil {
		t.Fatal(err)
	}
	// Another method of the same library: the better one counts.
	for _, line := range []string{"case 2 10 64 gmsm AES-128-GCM seal\nmark 2 0\nmark 2 1100\nmark 2 3300\n", "case 2 10 64 gmsm AES-128-GCM seal\nmark 2 0\nmark 2 9000\nmark 2 27000\n"} {
		if err := r.add(machine{name: "m"}, line); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

func TestAdd(t *testing.T) {
	r := sampleReport(t)
	want := []count{
		{"m", "AES-128-GCM seal", 64, own, "fast", true, 100},
		{"m", "AES-128-GCM seal", 64, own, "fast", false, 100},
		{"m", "AES-128-GCM seal", 64, own, "slow", false, 300},
		{"m", "AES-128-GCM seal", 64, "gmsm", "", false, 110},
		{"m", "AES-128-GCM seal, 16 messages", 64, own, "slow", true, 10},
		{"m", "SM3", 64, own, "generic", true, 1},
		{"m", "FrodoKEM", 0, own, "fast", true, 500},
	}
	if !reflect.DeepEqual(r.Counts, want) {
		t.Errorf("counts:\n%v\nwant:\n%v", r.Counts, want)
	}
	if r.Versions["gmsm"] != "v1.2.3" {
		t.Errorf("versions: %v", r.Versions)
	}
	if err := r.check(); err != nil {
		t.Error(err)
	}
	if err := r.add(machine{name: "m"}, "case 2 1 64 gmsm SM5\nmark 2 0\nmark 2 1\nmark 2 3\n"); err != nil {
		t.Fatal(err)
	}
	if err := r.check(); err == nil || !strings.Contains(err.Error(), "SM5") {
		t.Errorf("an operation without one of ours: %v", err)
	}
}

func TestAddErrors(t *testing.T) {
	for _, bad := range []string{
		"case 2 10 64 gmsm\n",
		"case 2 x 64 gmsm SM3\n",
		"case 2 0 64 gmsm SM3\nmark 2 0\nmark 2 1\nmark 2 3\n",
		"case 2 10 64 gmsm SM3\n",
		"case 2 10 64 gmsm SM3\nmark 2 0\nmark 2 1\n",
		"case 2 10 64 gmsm SM3\nmark 2 0\nmark 2 5\nmark 2 9\n",
		"case 2 10 64 gmsm SM3\nmark 2 0\nmark 2 x\nmark 2 9\n",
	} {
		if err := (&report{Versions: map[string]string{}}).add(machine{name: "m"}, bad); err == nil {
			t.Errorf("no error for %q", bad)
		}
	}
}

func TestBest(t *testing.T) {
	r := sampleReport(t)
	if p, ok := r.best("m", "AES-128-GCM seal, 16 messages", 64); !ok || p.Library != "gmsm" || p.Instructions != 110 {
		t.Errorf("of several messages: %v, %v", p, ok)
	}
	for _, none := range []count{{Machine: "other", Operation: "AES-128-GCM seal", Bytes: 64}, {Machine: "m", Operation: "SM3", Bytes: 64}, {Machine: "m", Operation: "AES-128-GCM seal", Bytes: 65}} {
		if p, ok := r.best(none.Machine, none.Operation, none.Bytes); ok {
			t.Errorf("%v: %v", none, p)
		}
	}
}

func TestMarkdown(t *testing.T) {
	r := sampleReport(t)
	text := r.markdown()
	for _, line := range []string{
		"Versions: gmsm 1.2.3.",
		"| AES-128-GCM seal | **fast** | 100 | 110 gmsm | 0.91 |",
		"|  | slow | 300 | 110 gmsm | 2.73 |",
		"| AES-128-GCM seal, 16 messages | **slow** | 10 | 110 gmsm | 0.09 |",
		"| SM3 | **generic** | 1 | | |",
		"\n| operation | driver | instructions | peer | ratio |\n|---|---|--:|--:|--:|\n| FrodoKEM | **fast** | 500 | | |",
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("no line %s in\n%s", line, text)
		}
	}
	if strings.Count(text, "fast") != 2 {
		t.Errorf("a selected driver is there twice:\n%s", text)
	}
	if lines := r.slower(); len(lines) != 0 {
		t.Errorf("slower: %q", lines)
	}
	r.Counts[0].Instructions = 116
	if lines := r.slower(); len(lines) != 1 || !strings.Contains(lines[0], "116 instructions, gmsm has 110 (1.05)") {
		t.Errorf("slower: %q", lines)
	}
}

func TestFiles(t *testing.T) {
	r := sampleReport(t)
	files := r.files()
	if len(files) != 1 || files[0].Name != "counts-arm64-m" || files[0].Machine.CPU != "All; qemu-user 7.2" || files[0].Versions["gmsm"] != "1.2.3" {
		t.Fatalf("%+v", files)
	}
	if got := files[0].Rows[1]; got.Operation != "AES-128-GCM seal" || got.Driver != "slow" || got.Selected || got.Value != 300 || got.Peers["gmsm"] != 110 {
		t.Errorf("%+v", got)
	}
	dir := t.TempDir()
	if err := files[0].Write(dir); err != nil {
		t.Fatal(err)
	}
	if f, err := data.Read(dir + "/counts-arm64-m.json"); err != nil || !reflect.DeepEqual(f, files[0]) {
		t.Errorf("%+v, %v", f, err)
	}
}

// A driver that is not selected is in the table of the machine where it is, or else in the first
// one.
func TestRows(t *testing.T) {
	r := &report{Sizes: []int{64}, Machines: []string{"a: A", "b: B"}, Counts: []count{
		{"a", "SM3", 64, own, "x", true, 1}, {"a", "SM3", 64, own, "x", false, 1}, {"a", "SM3", 64, own, "y", false, 2},
		{"a", "SM3", 64, own, "z", false, 3}, {"a", "SM3", 64, own, "generic", false, 4},
		{"b", "SM3", 64, own, "y", true, 1}, {"b", "SM3", 64, own, "x", false, 1}, {"b", "SM3", 64, own, "y", false, 1}, {"b", "SM3", 64, own, "z", false, 3},
	}}
	for machine, want := range map[string]string{"a": "x z", "b": "y"} {
		var got []string
		for _, x := range r.rows(machine) {
			got = append(got, x.driver)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %s", machine, got, want)
		}
	}
	// Only some operations are of interest on a machine.
	if err := r.add(machine{name: "c", match: "^AES"}, "case 2 10 64 gmsm SM3\nmark 2 0\nmark 2 1100\nmark 2 3300\n"); err != nil || len(r.Counts) != 9 {
		t.Errorf("%v, %d counts", err, len(r.Counts))
	}
}

func TestNumber(t *testing.T) {
	for _, c := range []struct {
		n     float64
		bytes int
		want  string
	}{{763, 64, "763"}, {3828, 1420, "3828 (2.70)"}, {554225, 16384, "554225 (33.8)"}} {
		if got := number(c.n, c.bytes); got != c.want {
			t.Errorf("number(%v, %d) = %q, want %q", c.n, c.bytes, got, c.want)
		}
	}
}

func TestParseSizes(t *testing.T) {
	if got, err := parseSizes("1420,64,64"); err != nil || !reflect.DeepEqual(got, []int{64, 1420}) {
		t.Errorf("%v, %v", got, err)
	}
	for _, bad := range []string{"", "x", "64,", "15", "1000000"} {
		if _, err := parseSizes(bad); err == nil {
			t.Errorf("no error for %q", bad)
		}
	}
}

// An outer loop, with an inner one; then a loop that skips an instruction.
const listing = `
/tmp/x:	file format elf64-littleaarch64

Disassembly of section .text:

0000000000001000 <f>:
    1000:      	mov	x0, x1
    1004:      	aese	v0.16b, v1.16b
    1008:      	subs	x2, x2, #0x1     // =1
    100c:      	b.ne	0x1004 <f+0x4>
    1010:      	cbnz	x3, 0x1000 <f>
    1014:      	ldr	q0, [x1], #0x10
    1018:      	tbz	w4, #0x3, 0x1020 <f+0x20>
    101c:      	aesmc	v0.16b, v0.16b
    1020:      	b.ne	0x1014 <f+0x14>
    1024:      	bl	0x1000 <f>
    1028:      	ret
`

func TestLoops(t *testing.T) {
	code := disassembly(listing)
	if len(code) != 11 || code[2].text != "subs\tx2, x2, #0x1" || code[3].target != 0x1004 || code[9].target != 0 {
		t.Fatalf("%v", code)
	}
	times, err := parseBlocks("1000 4 5\n1004 3 45\n1010 1 5\n1014 2 100\n101c 1 3\n1020 1 100\n1024 2 1\n")
	if err != nil {
		t.Fatal(err)
	}
	loops, iterations := findLoops(code, times)
	want := []loop{
		{Instructions: 3, text: []string{"aese\tv0.16b, v1.16b", "subs\tx2, x2, #0x1", "b.ne\t."}},
		{Instructions: 3, text: []string{"ldr\tq0, [x1], #0x10", "tbz\tw4, #0x3, .", "b.ne\t."}},
	}
	if !reflect.DeepEqual(loops, want) || !reflect.DeepEqual(iterations, []float64{50, 100}) {
		t.Errorf("%v, %v, want %v", loops, iterations, want)
	}
	if _, err := parseBlocks("1000 x 5\n"); err == nil {
		t.Error("no error for a bad line")
	}
	if n, err := totalCycles("Iterations:        100\nTotal Cycles:      250\n"); err != nil || n != 250 {
		t.Errorf("%v, %v", n, err)
	}
	if _, err := totalCycles("error"); err == nil {
		t.Error("no error without a total")
	}
}

func TestSymbols(t *testing.T) {
	list := parseSymbols("  2000 16 T b\n  1000 32 t a.abi0\n  3000 8 D data\n  4000 U\n")
	for address, want := range map[uint64]int{0xfff: -1, 0x1000: 0, 0x101f: 0, 0x1020: -1, 0x2000: 1, 0x2010: -1, 0x3000: -1} {
		if got := find(list, address); got != want {
			t.Errorf("find(%#x) = %d, want %d", address, got, want)
		}
	}
}

func TestMarksOf(t *testing.T) {
	if got := marksOf("qemu: warning\nmark 1 2\nx mark 3 4\n"); got != "mark 1 2\n" {
		t.Errorf("%q", got)
	}
}
