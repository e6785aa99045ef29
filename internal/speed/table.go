package speed

import (
	"math"
	"slices"
)

// A Table holds the results for one algorithm, with a row for every driver and
// operation and a column for every size.
type Table struct {
	Sizes []int // bytes, ascending
	Rows  []Row
}

// A Row has a result for every size of the table. Results that were not measured
// have no slices.
type Row struct {
	Driver, Operation string
	Results           []Result
}

// Tabulate arranges the results for one algorithm. Operations are in the order of
// their first occurrence, and so are the drivers of each operation.
func Tabulate(results []Result) Table {
	var t Table
	var operations []string
	for _, r := range results {
		t.Sizes = append(t.Sizes, r.Bytes)
		if !slices.Contains(operations, r.Operation) {
			operations = append(operations, r.Operation)
		}
	}
	slices.Sort(t.Sizes)
	t.Sizes = slices.Compact(t.Sizes)
	for _, operation := range operations {
		for _, r := range results {
			if r.Operation == operation {
				row := t.row(r.Driver, operation)
				row.Results[slices.Index(t.Sizes, r.Bytes)] = r
			}
		}
	}
	return t
}

func (t *Table) row(driver, operation string) *Row {
	for i := range t.Rows {
		if t.Rows[i].Driver == driver && t.Rows[i].Operation == operation {
			return &t.Rows[i]
		}
	}
	t.Rows = append(t.Rows, Row{driver, operation, make([]Result, len(t.Sizes))})
	return &t.Rows[len(t.Rows)-1]
}

// Last returns the result for the largest size.
func (r Row) Last() Result { return r.Results[len(r.Results)-1] }

// Ratio returns how many times as fast as driver base the row is at the largest
// size. It returns NaN if one of the two varies, and false if one was not measured.
func (t Table) Ratio(r Row, base string) (float64, bool) {
	i := slices.IndexFunc(t.Rows, func(o Row) bool { return o.Driver == base && o.Operation == r.Operation })
	if i < 0 || len(t.Rows[i].Last().Slices) == 0 || len(r.Last().Slices) == 0 {
		return 0, false
	}
	if t.Rows[i].Last().Varies() || r.Last().Varies() {
		return math.NaN(), true
	}
	return t.Rows[i].Last().NS() / r.Last().NS(), true
}

// Spread returns the median of all spreads in the table, and the largest.
func (t Table) Spread() (usual, worst float64) {
	var list []float64
	for _, r := range t.Rows {
		for _, c := range r.Results {
			if len(c.Slices) > 0 {
				list = append(list, c.Spread())
			}
		}
	}
	if len(list) == 0 {
		return 0, 0
	}
	return Median(list), slices.Max(list)
}
