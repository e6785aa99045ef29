// Package driver selects among the implementations ("drivers") of the algorithms
// in cipherlane.
//
// Every algorithm package has a [Table] of its drivers. The selection depends on the
// features of the CPU, the priorities and the size floors of the drivers, and on rules of
// the table: for one kind of work, on some CPUs or on all, another driver is faster. A
// profile, if there is one, overrides it, and the environment variable CIPHERLANE
// overrides both. The result is a [Plan]. It is fixed when an object is made. This
// package contains no code of any algorithm and imports none.
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
// The command "cipherlane tune" measures all drivers and writes a profile: a file
// with the best ones for this machine. [LoadProfile] activates it. So does the variable
// CIPHERLANE_PROFILE, which contains the name of the file and is read when the first
// driver is selected. A profile of another machine or version has no effect; Warnings
// returns the reason.
package driver

import "github.com/cipherlane/cipherlane/internal/drivers"

// Errors of the On functions of the algorithm packages, for use with errors.Is.
var (
	ErrUnknown     = drivers.ErrUnknown     // the package has no driver of this name
	ErrUnavailable = drivers.ErrUnavailable // this machine cannot run the driver
)

// Info describes one driver.
type Info struct {
	Name     string   // named after the features it needs: "generic", "gfni-avx512"
	Priority int      // the highest wins: generic 100, SIMD 200-300, full width 400-500
	Needs    []string // CPU features, such as "avx2"
	Missing  []string // those that this machine lacks or CIPHERLANE disables
	MinBytes int      // the size floor: the minimum input size for which it is selected; 0: none
	Timing   string   // what its running time depends on, in a few words
}

// Available reports whether this machine can run the driver.
func (i Info) Available() bool { return len(i.Missing) == 0 }

// A Plan has the names of the drivers that an object uses, by kind of work.
type Plan struct {
	Short   string // for inputs from ShortMin to BulkMin-1 bytes
	Bulk    string // for the others
	Serial  string // for modes in which each block of a message waits for the one before
	Many    string // for several messages side by side
	BulkMin int    // 0 if Short is Bulk

	ShortMin int // 0 unless inputs below that size, too, have the driver Bulk
}

// A Table contains the drivers of one package and the plan for new objects. Its methods are
// safe for concurrent use.
type Table struct{ table *drivers.Table }

// List returns the tables of all algorithm packages linked into this program,
// sorted by name.
func List() []Table {
	var list []Table
	for _, t := range drivers.List() {
		list = append(list, Table{t})
	}
	return list
}

// Find returns the table of an algorithm package, such as "sm4", or false if it is not
// linked into this program.
func Find(pkg string) (Table, bool) {
	for _, t := range drivers.List() { // drivers.Find also knows components, such as GHASH
		if t.Package() == pkg {
			return Table{t}, true
		}
	}
	return Table{}, false
}

// Package returns the name of the package, as used in CIPHERLANE.
func (t Table) Package() string { return t.table.Package() }

// Drivers returns the drivers of the package, from the portable one on.
func (t Table) Drivers() []Info {
	var list []Info
	for _, i := range t.table.Drivers() {
		list = append(list, Info{i.Name, i.Priority, i.Needs.Names(), i.Missing.Names(), i.MinBytes, i.Timing})
	}
	return list
}

// Auto returns the plan for new objects. Loading a profile can change it.
func (t Table) Auto() Plan {
	p, rows := t.table.Auto(), t.table.Drivers()
	return Plan{rows[p.Short()].Name, rows[p.Bulk()].Name, rows[p.Serial()].Name, rows[p.Many()].Name, p.BulkMin(), p.ShortMin()}
}

// Why returns the reason for the plan of Auto, in a few words.
func (t Table) Why() string { return t.table.Why() }
