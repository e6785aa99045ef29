// Package driver knows the implementations ("drivers") that the algorithms of
// cipherlane bring along, and chooses among them.
//
// Every algorithm package describes its drivers in one table and hands it to
// [Register]. Choosing looks at the features of the CPU, the priorities, the
// size floors, a profile if there is one and the environment variable
// CIPHERLANE, of which the last one counts, and the result is a [Plan]: a few
// integers by which an object calls its kernels directly. This package holds no
// code of any algorithm and imports none.
//
// # The variable CIPHERLANE
//
// CIPHERLANE is a list of terms separated by commas:
//
//	sm4:gfni-avx2   package sm4 uses this driver
//	-avx512         never use this CPU feature, nor what builds on it
//	linux=engine    use crypto engines through Linux, or with linux=any whatever
//	                Linux has; the default is linux=off. See package linux.
//
// Of two terms about the same thing the last one counts. Terms that are not
// understood have no effect; [Warnings] lists them.
//
// A program that is setuid or setgid or has file capabilities ignores both this
// variable and CIPHERLANE_PROFILE: they are the caller's.
//
// # Profiles
//
// The command "cipherlane tune" measures all drivers and writes a [Profile]:
// which ones are the best on this machine. [LoadProfile] puts it in force, or
// the variable CIPHERLANE_PROFILE, which names the file and is looked at when
// the first choice is made. A profile of another machine or version has no
// effect; Warnings says why.
package driver

import "github.com/cipherlane/cipherlane/internal/cpu"

// Features is a set of CPU features. Its method String returns their names in
// lower case with blanks in between, such as "avx2 gfni", and Names a slice of
// them; Has reports whether all of another set are in it. The zero value is the
// empty set. Sets come from [Info]: there is nothing else to make one of.
type Features = cpu.Set

// Info describes one driver.
type Info struct {
	Name     string   // after what it needs: "generic", "gfni-avx512"
	Priority int      // the highest wins: generic 100, SIMD 200-300, full width 400-500
	Needs    Features // what the CPU must have
	Slow     Features // CPUs with any of these run the driver slower than the next one; not chosen there
	MinBytes int      // chosen from this input size on only; 0: for any size
	Timing   string   // what its running time depends on, in a word or two

	Missing Features // filled in by the package: what of Needs this machine lacks or CIPHERLANE took away
}

// Available reports whether this machine can run the driver.
func (i Info) Available() bool { return i.Missing == 0 }

// A Plan says which rows of a table an object calls. It is decided when the
// object is made and never changes.
type Plan struct {
	Short   uint8 // for inputs below BulkMin bytes
	Bulk    uint8 // for the others
	BulkMin int
}

// Pick returns the row for an input of n bytes.
func (p Plan) Pick(n int) uint8 {
	if n < p.BulkMin {
		return p.Short
	}
	return p.Bulk
}

// Only returns the plan that takes one driver for everything.
func Only(row int) Plan { return Plan{Short: uint8(row), Bulk: uint8(row)} }
