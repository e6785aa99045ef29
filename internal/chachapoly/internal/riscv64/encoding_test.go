package riscv64

import (
	"errors"
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestEncodings compares the macros of the header with the encodings of the same
// instructions by clang 22.1.8 (riscv64, zbb and zvkb) and, for roriw, by GNU as
// 2.40. It does not need a RISC-V machine.
func TestEncodings(t *testing.T) {
	text, err := os.ReadFile("chacha_riscv64.h")
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("run away from the source text")
	} else if err != nil {
		t.Fatal(err)
	}
	macros := map[string][]string{} // parameters, then the expression
	for _, m := range regexp.MustCompile(`(?m)^#define (\w+)\(([^)]*)\)\s+WORD \$\((.*)\)$`).FindAllStringSubmatch(string(text), -1) {
		macros[m[1]] = append(strings.Split(m[2], ", "), m[3])
	}
	tested := map[string]bool{}
	for _, c := range []struct {
		macro string
		args  []int
		want  uint64
		text  string
	}{
		{"RORIW", []int{16, 5, 5}, 0x6102d29b, "roriw x5, x5, 16"},
		{"RORIW", []int{20, 20, 8}, 0x614a541b, "roriw x8, x20, 20"},
		{"RORIW", []int{24, 13, 20}, 0x6186da1b, "roriw x20, x13, 24"},
		{"RORIW", []int{25, 1, 30}, 0x6190df1b, "roriw x30, x1, 25"},
		{"VRORVI", []int{16, 0, 0}, 0x52083057, "vror.vi v0, v0, 16"},
		{"VRORVI", []int{20, 4, 15}, 0x524a37d7, "vror.vi v15, v4, 20"},
		{"VRORVI", []int{24, 31, 12}, 0x53fc3657, "vror.vi v12, v31, 24"},
		{"VRORVI", []int{25, 17, 31}, 0x531cbfd7, "vror.vi v31, v17, 25"},
	} {
		tested[c.macro] = true
		m := macros[c.macro]
		if len(m) != len(c.args)+1 {
			t.Errorf("%s: no macro with %d operands", c.macro, len(c.args))
			continue
		}
		expression := m[len(c.args)]
		for i, a := range c.args {
			expression = strings.ReplaceAll(expression, "("+m[i]+")", strconv.Itoa(a))
		}
		v, err := types.Eval(token.NewFileSet(), nil, token.NoPos, expression)
		if err != nil {
			t.Errorf("%s: %v", c.macro, err)
			continue
		}
		if got, _ := constant.Uint64Val(v.Value); got != c.want {
			t.Errorf("%s(%s) is %#08x, want %#08x: %s", c.macro, strings.Trim(fmt.Sprint(c.args), "[]"), got, c.want, c.text)
		}
	}
	for name := range macros {
		if !tested[name] {
			t.Errorf("%s has no known encoding", name)
		}
	}
}
