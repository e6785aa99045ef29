package encoding

import (
	"bytes"
	"encoding/hex"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestAMD64 compares the encoders with a listing of objdump. There must be an encoder for
// each line of the listing, a line for each encoder, and an encoder for each exported
// function of amd64.go.
func TestAMD64(t *testing.T) {
	encoders := map[string]func(immediate, size int, rm Operand, v, r int) []byte{
		"VSM4KEY4":  func(_, size int, rm Operand, v, r int) []byte { return VSM4KEY4(size, rm, v, r) },
		"VSM4RNDS4": func(_, size int, rm Operand, v, r int) []byte { return VSM4RNDS4(size, rm, v, r) },
		"VSM3MSG1":  func(_, _ int, rm Operand, v, r int) []byte { return VSM3MSG1(rm, v, r) },
		"VSM3MSG2":  func(_, _ int, rm Operand, v, r int) []byte { return VSM3MSG2(rm, v, r) },
		"VSM3RNDS2": func(j, _ int, rm Operand, v, r int) []byte { return VSM3RNDS2(j, rm, v, r) },
	}
	text, err := os.ReadFile("testdata/amd64.txt")
	if err != nil {
		t.Fatal(err)
	}
	sizes := map[string]int{"x": 16, "y": 32, "z": 64}
	bases := []string{"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"}
	// address, code, mnemonic, immediate, distance and base or register, register, register
	form := regexp.MustCompile(`:\t([0-9a-f ]+)\t(\w+) +(?:\$(\w+),)?(?:(-?\w+)?\(%(\w+)\)|%[xyz]mm(\d+)),%[xyz]mm(\d+),%([xyz])mm(\d+)$`)
	number := func(s string) int {
		if s == "" {
			return 0
		}
		n, err := strconv.ParseInt(s, 0, 32)
		if err != nil {
			t.Fatal(err)
		}
		return int(n)
	}
	used := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "#") {
			continue
		}
		m := form.FindStringSubmatch(line)
		if m == nil {
			t.Errorf("cannot read %q", line)
			continue
		}
		name := strings.ToUpper(m[2])
		encode, ok := encoders[name]
		if !ok {
			t.Errorf("no encoder of %q", line)
			continue
		}
		used[name] = true
		want, err := hex.DecodeString(strings.ReplaceAll(m[1], " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		rm := Operand{N: number(m[6])}
		if m[5] != "" {
			rm = Operand{Memory: true, N: slices.Index(bases, m[5]), Disp: number(m[4])}
		}
		if got := encode(number(m[3]), sizes[m[8]], rm, number(m[7]), number(m[9])); !bytes.Equal(got, want) {
			t.Errorf("%s: % x", line, got)
		}
	}
	source, err := os.ReadFile("amd64.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range regexp.MustCompile(`(?m)^func ([A-Z]\w*)`).FindAllSubmatch(source, -1) {
		if name := string(f[1]); encoders[name] == nil || !used[name] {
			t.Errorf("%s is not compared with the listing", name)
		}
	}
}
