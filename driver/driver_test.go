package driver_test

import (
	"slices"
	"testing"

	"github.com/cipherlane/cipherlane/driver"
	_ "github.com/cipherlane/cipherlane/internal/catalog" // all tables
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/sm4"
)

// Tables show what package drivers has.
func TestTables(t *testing.T) {
	list := driver.List()
	if len(list) != len(drivers.List()) || len(list) == 0 {
		t.Fatalf("%d tables, want %d", len(list), len(drivers.List()))
	}
	for i, inside := range drivers.List() {
		table, rows := list[i], inside.Drivers()
		if found, ok := driver.Find(inside.Package()); !ok || found != table {
			t.Errorf("%s: not found", inside.Package())
		}
		p := inside.Auto()
		want := driver.Plan{
			Short: rows[p.Short()].Name, Bulk: rows[p.Bulk()].Name, Serial: rows[p.Serial()].Name,
			Many: rows[p.Many()].Name, BulkMin: p.BulkMin(), ShortMin: p.ShortMin(),
		}
		if got := table.Auto(); got != want || table.Why() != inside.Why() || table.Package() != inside.Package() {
			t.Errorf("%s: %+v, %s; want %+v, %s", table.Package(), got, table.Why(), want, inside.Why())
		}
		for j, d := range table.Drivers() {
			r := rows[j]
			if d.Name != r.Name || d.Priority != r.Priority || d.MinBytes != r.MinBytes || d.Timing != r.Timing ||
				!slices.Equal(d.Needs, r.Needs.Names()) || !slices.Equal(d.Missing, r.Missing.Names()) || d.Available() != r.Available() {
				t.Errorf("%s: %+v, want %+v", table.Package(), d, r)
			}
		}
	}
	if _, ok := driver.Find("ghash"); ok {
		t.Error("finds a component")
	}
	if _, ok := driver.Find("nosuch"); ok {
		t.Error("finds a package that does not exist")
	}
	if got, _ := driver.Find("sm4"); !slices.EqualFunc(sm4.Drivers(), got.Drivers(), func(a, b driver.Info) bool { return a.Name == b.Name }) {
		t.Error("other drivers in sm4")
	}
}
