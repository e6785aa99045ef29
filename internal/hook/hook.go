// Package hook is how internal/drivers reaches the part of package driver that it does
// not export. The types are any because this package cannot import driver.
package hook

import (
	"math"

	"github.com/cipherlane/cipherlane/internal/cpu"
)

// Functions of package driver, which sets them when it is initialised.
var (
	Register func(pkg string, rows any, rules []Rule) any // rows: []driver.Info; returns a *driver.Table
	New      func(pkg string, rows any) any               // likewise
)

// A Kind is driver.Kind.
type Kind uint8

// A Rule is drivers.Rule.
type Rule struct {
	For   Kind      // the work for which the rule selects a driver
	Below int       // for short inputs: the size that is no longer short
	On    cpu.Uarch // the CPUs on which the rule applies; 0: all
	Use   uint8     // index of the driver
	Why   string    // the reason, in a few words
}

// Word packs the fields of a driver.Plan into a drivers.Plan.
func Word(short, bulk, serial, many uint8, bulkMin int) uint64 {
	w := uint64(short) | uint64(bulk)<<8 | uint64(serial)<<16 | uint64(many)<<24
	if short != bulk {
		w |= uint64(min(bulkMin, math.MaxInt32)) << 32
	}
	return w
}
