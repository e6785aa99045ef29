// Package drivers makes the tables of package driver. The algorithms of this module
// use it; programs have no use for it.
package drivers

import (
	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/internal/hook"
)

// Register adds the drivers of a package to those that [driver.List] returns. Algorithm
// packages call it once, when they are initialised; rows[0] must run on any machine,
// for inputs of any size. The driver is selected at the first use, not during
// initialisation, because that must not read files such as a profile.
//
// Rules are exceptions from the priorities of the drivers. For each kind of work, the
// first rule for this CPU applies whose driver can run here, and is not slow here.
// CIPHERLANE and profiles take precedence.
func Register(pkg string, rows []driver.Info, rules ...Rule) *driver.Table {
	return hook.Register(pkg, rows, rules).(*driver.Table)
}

// A Rule selects a driver for one kind of work, on some CPUs or on all. A rule for short
// inputs has the size below which it applies. A rule for bulk also applies to short
// inputs, unless its driver has a size floor. As always, serial work uses the driver for
// short inputs and many messages use that for bulk if no rule says otherwise.
type Rule = hook.Rule

// New is like [Register], for a component that several algorithms share and that
// has drivers of its own. The drivers of the algorithms select them by name, so there
// is no automatic selection, and CIPHERLANE and driver.List do not include the table.
func New(pkg string, rows []driver.Info) *driver.Table {
	return hook.New(pkg, rows).(*driver.Table)
}

// Only returns the plan that uses one driver for everything.
func Only(row uint8) driver.Plan {
	return driver.Plan{Short: row, Bulk: row, Serial: row, Many: row}
}
