package encoding

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// compare compares encoders with a listing of objdump. Their keys are the text of
// instructions with _ for each number that number finds in its first group. The encoders
// get the numbers in this order. There must be an encoder for each line of the listing,
// a line for each encoder, and an encoder for each exported function of the source.
func compare(t *testing.T, arch string, number *regexp.Regexp, encoders map[string]func(n []int) uint32) {
	t.Helper()
	text, err := os.ReadFile("testdata/" + arch + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		// address, code, mnemonic and operands
		fields := strings.Fields(line)
		want, err := strconv.ParseUint(fields[1], 16, 32)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		instruction := strings.Join(fields[2:], " ")
		form, n := "", []int(nil)
		end := 0
		for _, m := range number.FindAllStringSubmatchIndex(instruction, -1) {
			v, err := strconv.ParseInt(instruction[m[2]:m[3]], 0, 32)
			if err != nil {
				t.Fatal(err)
			}
			form, n, end = form+instruction[end:m[2]]+"_", append(n, int(v)), m[3]
		}
		form += instruction[end:]
		encode, ok := encoders[form]
		if !ok {
			t.Errorf("no encoder of %q", form)
			continue
		}
		used[form] = true
		if got := encode(n); got != uint32(want) {
			t.Errorf("%s: %08x, want %08x", instruction, got, want)
		}
	}
	for form := range encoders {
		if !used[form] {
			t.Errorf("%s.txt has no %q", arch, form)
		}
	}

	source, err := parser.ParseFile(token.NewFileSet(), arch+".go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	test, err := os.ReadFile(arch + "_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range source.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Name.IsExported() && !regexp.MustCompile(`\b`+f.Name.Name+`\b`).Match(test) {
			t.Errorf("%s is not compared with the listing", f.Name)
		}
	}
}
