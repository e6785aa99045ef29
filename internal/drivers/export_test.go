package drivers

import (
	"fmt"
	"slices"

	"github.com/cipherlane/cipherlane/internal/cpu"
)

// Known reports whether a package is in the list of packages with drivers.
func Known(pkg string) bool { return slices.Contains(packages, pkg) }

// Microarchitectures returns those that rules of a table are for, and 0.
func (t *Table) Microarchitectures() []cpu.Uarch {
	list := []cpu.Uarch{0}
	for _, r := range t.rules {
		for rest := r.On; rest != 0; rest &= rest - 1 {
			list = append(list, rest&-rest)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// Changed returns copies of a table in which one thing differs, by what that is. A driver that
// only rules select keeps its priority.
func (t *Table) Changed() map[string]*Table {
	list := map[string]*Table{}
	add := func(what string, change func(c *Table)) {
		c := &Table{pkg: t.pkg, rows: slices.Clone(t.rows), rules: slices.Clone(t.rules)}
		change(c)
		list[what] = c
	}
	byRule := make([]bool, len(t.rows))
	for i, r := range t.rules {
		byRule[r.Use] = true
		rule := fmt.Sprintf("rule %d: ", i)
		add(rule+"without it", func(c *Table) { c.rules = slices.Delete(c.rules, i, i+1) })
		if r.For == Short {
			add(rule+"Below", func(c *Table) { c.rules[i].Below++ })
			add(rule+"From", func(c *Table) { c.rules[i].From++ })
		}
		for use := range t.rows {
			if uint8(use) != r.Use && t.rows[use].Needs&^With(t.rows[r.Use].Needs) == 0 {
				add(rule+"Use "+t.rows[use].Name, func(c *Table) { c.rules[i].Use = uint8(use) })
			}
		}
		for rest := r.On; rest != 0; rest &= rest - 1 {
			add(rule+"On without "+(rest&-rest).String(), func(c *Table) { c.rules[i].On &^= rest & -rest })
		}
		if r.On != 0 {
			add(rule+"On all", func(c *Table) { c.rules[i].On = 0 })
		}
	}
	for i, r := range t.rows[1:] {
		row := &r
		if !byRule[i+1] {
			add(r.Name+": Priority", func(c *Table) { c.rows[i+1].Priority = -1 })
		}
		for rest := row.Needs; rest != 0; rest &= rest - 1 {
			if bit := rest & -rest; !With(row.Needs &^ bit).Has(bit) { // not implied by others
				add(r.Name+": without "+bit.String(), func(c *Table) { c.rows[i+1].Needs &^= bit })
			}
		}
	}
	return list
}

// DescribeOn describes the plan that a table would have on a CPU.
func (t *Table) DescribeOn(features Features, uarch cpu.Uarch) string {
	rows, p := t.rows, t.PlanOn(features, uarch)
	text := rows[p.Bulk()].Name
	if p.BulkMin() > 0 {
		short := rows[p.Short()].Name
		if n := p.ShortMin(); n > 0 {
			short = fmt.Sprintf("%s below %d, %s", text, n, short)
		}
		text = fmt.Sprintf("%s below %d, %s", short, p.BulkMin(), text)
	}
	if p.Serial() != p.Pick(0) {
		text += ", serial " + rows[p.Serial()].Name
	}
	if p.Many() != p.Bulk() {
		text += ", many " + rows[p.Many()].Name
	}
	return text
}

// With returns a set of features with those that they depend on.
func With(needs Features) Features {
	all, set := ^Features(0), needs
	for bit := Features(1); bit != 0; bit <<= 1 {
		if !all.Without(bit).Has(needs) {
			set |= bit
		}
	}
	return set
}
