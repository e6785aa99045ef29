package drivers

import (
	"math"
	"testing"
)

func TestPlan(t *testing.T) {
	p := NewPlan(1, 2, 3, 4, 101)
	if p.Short() != 1 || p.Bulk() != 2 || p.Serial() != 3 || p.Many() != 4 || p.BulkMin() != 101 || p.IsUniform() {
		t.Errorf("%#x", uint64(p))
	}
	if p.Pick(0) != 1 || p.Pick(100) != 1 || p.Pick(101) != 2 || p.Pick(1<<20) != 2 {
		t.Error("Pick returns the wrong driver")
	}
	for _, other := range []Plan{NewPlan(1, 5, 5, 5, 0), NewPlan(5, 1, 5, 5, 0), NewPlan(5, 5, 1, 5, 0), NewPlan(5, 5, 5, 1, 0)} {
		if other.IsUniform() {
			t.Errorf("%#x is uniform", other)
		}
	}
	u := Uniform(5)
	if u != NewPlan(5, 5, 5, 5, 7) || !u.IsUniform() || u.BulkMin() != 0 {
		t.Errorf("%#x", uint64(u))
	}
	large := NewPlan(0, 5, 0, 0, math.MaxInt)
	if large.Pick(1<<20-2) != 0 || large.Pick(1<<20) != 5 || *large.WipeMark() == 0xff || *u.WipeMark() == 0xff {
		t.Errorf("%#x", uint64(large))
	}
	middle := NewPlan(1, 2, 2, 2, 101).From(50)
	if middle.ShortMin() != 50 || middle.BulkMin() != 101 || middle.Pick(0) != 2 || middle.Pick(49) != 2 || middle.Pick(50) != 1 ||
		middle.Pick(100) != 1 || middle.Pick(101) != 2 || middle.From(0) != NewPlan(1, 2, 2, 2, 101) || u.From(7) != u {
		t.Errorf("%#x", uint64(middle))
	}
	if p := large.From(math.MaxInt); p.ShortMin() != 4095 || p.BulkMin() != large.BulkMin() {
		t.Errorf("%#x", uint64(p))
	}
	w := Wiped
	if *w.WipeMark() != 0xff || w.Short() != 0xff || w.Pick(5) != 0xff || w.Serial() != 0xff || w.Many() != 0xff {
		t.Error("a wiped plan has drivers")
	}
}
