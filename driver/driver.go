// Package driver selects among the implementations ("drivers") of the algorithms
// in cipherlane.
//
// Every algorithm package describes its drivers in a [Table]. The selection depends on
// the features of the CPU, the priorities and the size floors of the drivers, and on
// rules of the table: for one kind of work, on some CPUs or on all, another driver is
// faster. A profile, if there is one, overrides it, and the
// environment variable CIPHERLANE overrides both. The result is a [Plan]: a few
// integers with which an object calls its kernels directly. This package contains no
// code of any algorithm and imports none.
//
// # The variable CIPHERLANE
//
// CIPHERLANE is a list of terms separated by commas:
//
//	sm4:gfni-avx2   package sm4 uses this driver
//	-avx512         never use this CPU feature, nor what builds on it
//	linux=engine    use crypto engines through Linux, or with linux=any whatever
//	                driver Linux selects; the default is linux=off. See package
//	                linux.
//
// If terms conflict, the last one applies. Unknown terms have no effect; [Warnings]
// lists them. An unknown value of linux= means linux=off.
//
// A program that is setuid or setgid or has file capabilities ignores this variable
// and CIPHERLANE_PROFILE, because its caller controls them.
//
// # Profiles
//
// The command "cipherlane tune" measures all drivers and writes a [Profile] with the
// best ones for this machine. [LoadProfile] activates it. So does the variable
// CIPHERLANE_PROFILE, which contains the name of the file and is read when the first
// driver is selected. A profile of another machine or version has no effect; Warnings
// returns the reason.
package driver

import (
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/hook"
)

// Features is a set of CPU features. String returns their names in lower case,
// separated by spaces, such as "avx2 gfni", and Names returns them as a slice; Has
// reports whether the set contains another set. The zero value is the empty set.
// Programs get sets from [Info] and cannot construct others.
type Features = cpu.Set

// Info describes one driver.
type Info struct {
	Name     string   // named after the features it needs: "generic", "gfni-avx512"
	Priority int      // the highest wins: generic 100, SIMD 200-300, full width 400-500
	Needs    Features // what the CPU must have
	Slow     Features // not selected on CPUs with any of these, where another driver is faster
	MinBytes int      // minimum input size for which it is selected; 0: any size
	Timing   string   // what its running time depends on, in a few words

	Missing Features // the part of Needs that this machine lacks or CIPHERLANE disables
}

// Available reports whether this machine can run the driver.
func (i Info) Available() bool { return i.Missing == 0 }

// A Plan contains the drivers that an object uses, by kind of work, as indices into
// their [Table]. It is fixed when the object is made.
type Plan struct {
	Short   uint8 // for inputs below BulkMin bytes
	Bulk    uint8 // for the others
	Serial  uint8 // for modes in which each block of a message waits for the one before
	Many    uint8 // for several messages side by side
	BulkMin int
}

// Pick returns the index of the driver for an input of n bytes, for work that is
// neither serial nor on many messages.
func (p Plan) Pick(n int) uint8 {
	if n < p.BulkMin {
		return p.Short
	}
	return p.Bulk
}

// Uses reports whether the plan uses the driver with this index for anything.
func (p Plan) Uses(row int) bool {
	return int(p.Bulk) == row || int(p.Short) == row && p.BulkMin > 0 || int(p.Serial) == row || int(p.Many) == row
}

// A Kind is a kind of work, for which a [Plan] has a driver.
type Kind = hook.Kind

// The kinds of work, named after the fields of Plan.
const (
	Short Kind = iota
	Bulk
	Serial
	Many
	kinds
)

// only returns the plan that uses one driver for everything.
func only(row int) Plan { return newPlan(row, row, 0) }

// newPlan returns the plan of a table that has no drivers of their own for serial work
// and for many messages. A driver with a size floor is for bulk only.
func newPlan(short, bulk, bulkMin int) Plan {
	return Plan{Short: uint8(short), Bulk: uint8(bulk), Serial: uint8(short), Many: uint8(bulk), BulkMin: bulkMin}
}
