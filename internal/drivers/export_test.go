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

// Rules returns the number of rules of a table.
func (t *Table) Rules() int { return len(t.rules) }

// PlanOn describes the plan that a table would have on a CPU, without one of its rules, or with
// all if without is negative.
func (t *Table) PlanOn(features Features, uarch cpu.Uarch, omitted int) string {
	rows := slices.Clone(t.rows)
	for i := range rows {
		rows[i].Missing, rows[i].Slow = rows[i].Needs&^features, 0 // Slow may depend on this CPU
	}
	rules := slices.Clone(t.rules)
	if omitted >= 0 {
		rules = slices.Delete(rules, omitted, omitted+1)
	}
	p := choose(rows, rules, features, uarch, "").plan
	text := rows[p.Bulk()].Name
	if p.BulkMin() > 0 {
		text = fmt.Sprintf("%s below %d, %s", rows[p.Short()].Name, p.BulkMin(), text)
	}
	if p.Serial() != p.Short() {
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
