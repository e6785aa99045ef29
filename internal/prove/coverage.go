package prove

import (
	"fmt"
	"slices"

	"github.com/cipherlane/cipherlane/internal/machine"
)

// Coverage is which instructions of a kernel proofs have visited, and where they went then.
type Coverage struct {
	code []machine.Instruction
	next []map[int]bool // by instruction; nil if it was not visited
	last int
	// chosen has what conditions of CSEL and the like were: Zero, One, or others, which are both.
	chosen map[int]map[machine.Bit]bool
}

// NewCoverage returns that of no proofs.
func NewCoverage(k *Kernel) *Coverage {
	code := k.function().Code
	return &Coverage{code: code, next: make([]map[int]bool, len(code)), last: -1, chosen: map[int]map[machine.Bit]bool{}}
}

func (c *Coverage) visit(pc int) {
	if c.last >= 0 {
		c.next[c.last][pc] = true
	}
	if c.next[pc] == nil {
		c.next[pc] = map[int]bool{}
	}
	c.last = pc
}

func (c *Coverage) choose(pc int, b machine.Bit) {
	if c.chosen[pc] == nil {
		c.chosen[pc] = map[machine.Bit]bool{}
	}
	c.chosen[pc][min(b, 2)] = true
}

func (c *Coverage) end() { c.last = -1 }

// Count returns how many instructions were visited, and how many sides of branches.
func (c *Coverage) Count() (n int) {
	for _, next := range c.next {
		n += len(next)
	}
	return n
}

// Problems returns instructions that were not visited, and branches of which one side was not.
// A branch back that was taken is a loop that ran twice. A CSEL and the like must have chosen either source.
func (c *Coverage) Problems() []string {
	var list []string
	for i := 0; i < len(c.code); i++ {
		in := &c.code[i]
		if c.next[i] == nil {
			j := i
			for j+1 < len(c.code) && c.next[j+1] == nil {
				j++
			}
			list = append(list, fmt.Sprintf("%d instructions from line %d on are not visited: %s", j-i+1, in.Line, in.Text))
			i = j
			continue
		}
		if m := c.chosen[i]; len(m) == 1 && !m[2] {
			list = append(list, fmt.Sprintf("line %d, %s, has always the same condition", in.Line, in.Text))
		}
		if in.Label == "" || slices.Contains([]string{"B", "JMP"}, in.Op) {
			continue
		}
		for _, to := range []int{i + 1, in.Target} {
			if !c.next[i][to] {
				list = append(list, fmt.Sprintf("line %d, %s, never goes to line %d", in.Line, in.Text, c.code[to].Line))
			}
		}
	}
	return list
}
