// Package drivers makes the tables of package driver. The algorithms of this module
// use it; programs have no use for it.
package drivers

import (
	"math"

	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/internal/hook"
)

// Register adds the drivers of a package to those that [driver.List] returns. Algorithm
// packages call it once, when they are initialised; rows[0] must run on any machine,
// for inputs of any size. The driver is selected at the first use, not during
// initialisation, because that must not read files such as a profile.
func Register(pkg string, rows []driver.Info) *driver.Table {
	return hook.Register(pkg, rows).(*driver.Table)
}

// New is like [Register], for a component that several algorithms share and that
// has drivers of its own. The drivers of the algorithms select them by name, so there
// is no automatic selection, and CIPHERLANE and driver.List do not include the table.
func New(pkg string, rows []driver.Info) *driver.Table {
	return hook.New(pkg, rows).(*driver.Table)
}

// A Plan is a [driver.Plan] in eight bytes, as objects hold it.
type Plan struct {
	Short, Bulk, Serial, Many uint8
	BulkMin                   uint32
}

// Compact returns a plan in eight bytes. BulkMin is 0 unless there is a choice.
func Compact(p driver.Plan) Plan {
	c := Plan{Short: p.Short, Bulk: p.Bulk, Serial: p.Serial, Many: p.Many}
	if p.Short != p.Bulk {
		c.BulkMin = uint32(min(p.BulkMin, math.MaxInt32))
	}
	return c
}

// Uniform returns the plan that uses one driver for everything.
func Uniform(row uint8) Plan { return Plan{Short: row, Bulk: row, Serial: row, Many: row} }

// IsUniform reports whether one driver is used for everything.
func (p *Plan) IsUniform() bool {
	return p.Short == p.Bulk && p.Short == p.Serial && p.Short == p.Many
}

// Pick returns the driver for an input of n bytes, like that of [driver.Plan].
func (p *Plan) Pick(n int) uint8 {
	if n < int(p.BulkMin) {
		return p.Short
	}
	return p.Bulk
}

// Only returns the plan that uses one driver for everything.
func Only(row uint8) driver.Plan {
	return driver.Plan{Short: row, Bulk: row, Serial: row, Many: row}
}
