package drivers

import (
	"math"
	"testing"

	"github.com/cipherlane/cipherlane/driver"
)

func TestPlan(t *testing.T) {
	p := Compact(driver.Plan{Short: 1, Bulk: 2, Serial: 3, Many: 4, BulkMin: 101})
	if p.Short() != 1 || p.Bulk() != 2 || p.Serial() != 3 || p.Many() != 4 || p.BulkMin() != 101 || p.IsUniform() {
		t.Errorf("%#x", uint64(p))
	}
	if p.Pick(0) != 1 || p.Pick(100) != 1 || p.Pick(101) != 2 || p.Pick(1<<20) != 2 {
		t.Error("Pick returns the wrong driver")
	}
	for _, other := range []driver.Plan{{Short: 1, Bulk: 5, Serial: 5, Many: 5}, {Short: 5, Bulk: 1, Serial: 5, Many: 5},
		{Short: 5, Bulk: 5, Serial: 1, Many: 5}, {Short: 5, Bulk: 5, Serial: 5, Many: 1}} {
		if p := Compact(other); p.IsUniform() {
			t.Errorf("%v is uniform", other)
		}
	}
	u := Uniform(5)
	if u != Compact(driver.Plan{Short: 5, Bulk: 5, Serial: 5, Many: 5, BulkMin: 7}) || !u.IsUniform() || u.BulkMin() != 0 {
		t.Errorf("%#x", uint64(u))
	}
	far := Compact(driver.Plan{Bulk: 5, BulkMin: math.MaxInt})
	if far.Pick(math.MaxInt32-1) != 0 || *far.Row() == 0xff || *u.Row() == 0xff {
		t.Errorf("%#x", uint64(far))
	}
	w := Wiped
	if *w.Row() != 0xff || w.Short() != 0xff || w.Pick(5) != 0xff || w.Serial() != 0xff || w.Many() != 0xff {
		t.Error("a wiped plan has drivers")
	}
}
