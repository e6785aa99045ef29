// Package drivers makes the tables of package driver. The algorithms of this module
// use it; programs have no use for it.
package drivers

import (
	"unsafe"

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

// A Plan is a [driver.Plan] in one word, as objects hold it. Its bytes are Short, Bulk,
// Serial and Many, from the lowest on; the upper half is BulkMin.
type Plan uint64

// Compact returns a plan in one word. BulkMin is 0 unless there is a choice.
func Compact(p driver.Plan) Plan {
	return Plan(hook.Word(p.Short, p.Bulk, p.Serial, p.Many, p.BulkMin))
}

// Uniform returns the plan that uses one driver for everything.
func Uniform(row uint8) Plan { return Plan(row) * 0x01010101 }

// Wiped is the plan of a wiped key. All its bytes are 0xff, which is no driver.
const Wiped = ^Plan(0)

// IsUniform reports whether one driver is used for everything.
func (p Plan) IsUniform() bool { return uint32(p) == uint32(Uniform(p.Short())) }

// Short returns the driver for inputs below BulkMin bytes.
func (p Plan) Short() uint8 { return uint8(p) }

// Bulk returns the driver for the others.
func (p Plan) Bulk() uint8 { return uint8(p >> 8) }

// Serial returns the driver for modes in which each block waits for the one before.
func (p Plan) Serial() uint8 { return uint8(p >> 16) }

// Many returns the driver for several messages side by side.
func (p Plan) Many() uint8 { return uint8(p >> 24) }

// Has reports whether a driver is in the plan, for any kind of work.
func (p Plan) Has(row uint8) bool {
	return p.Short() == row || p.Bulk() == row || p.Serial() == row || p.Many() == row
}

// BulkMin returns the size where bulk begins.
func (p Plan) BulkMin() int { return int(p >> 32) }

// Pick returns the driver for an input of n bytes, like that of [driver.Plan].
func (p Plan) Pick(n int) uint8 {
	if n < p.BulkMin() {
		return p.Short()
	}
	return p.Bulk()
}

// Row returns a pointer to a byte that is 0xff if the key was wiped, and else is not. No
// plan that [Compact] returns begins or ends with 0xff.
func (p *Plan) Row() *uint8 { return (*uint8)(unsafe.Pointer(p)) }

// Only returns the plan that uses one driver for everything.
func Only(row uint8) driver.Plan {
	return driver.Plan{Short: row, Bulk: row, Serial: row, Many: row}
}
