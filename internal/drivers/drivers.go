// Package drivers selects among the implementations ("drivers") of the algorithms. It is
// what package driver shows to programs; how to influence the selection is described there.
//
// Every algorithm package has a [Table] of its drivers. The selection depends on the
// features of the CPU, the priorities and the size floors of the drivers, and on the rules of
// the table. A profile overrides it, and the variable CIPHERLANE overrides both. The
// result is a [Plan]: a few integers with which an object calls its kernels directly.
package drivers

import (
	"unsafe"

	"github.com/cipherlane/cipherlane/internal/cpu"
)

// Features is a set of CPU features.
type Features = cpu.Set

// Info describes one driver.
type Info struct {
	Name     string   // named after the features it needs: "generic", "gfni-avx512"
	Priority int      // the highest wins: generic 100, SIMD 200-300, full width 400-500
	Needs    Features // what the CPU must have
	Slow     Features // not selected on CPUs with any of these, where another driver is faster
	MinBytes int      // the size floor: the minimum input size for which it is selected; 0: none
	Timing   string   // what its running time depends on, in a few words

	Missing Features // the part of Needs that this machine lacks or CIPHERLANE disables
}

// Available reports whether this machine can run the driver.
func (i Info) Available() bool { return i.Missing == 0 }

// A Kind is a kind of work, for which a [Plan] has a driver.
type Kind uint8

// The kinds of work.
const (
	Short  Kind = iota // inputs from ShortMin to BulkMin-1 bytes
	Bulk               // the others
	Serial             // modes in which each block of a message waits for the one before
	Many               // several messages side by side
	kinds
)

// A Rule selects a driver for one kind of work, on some CPUs or on all: which driver is faster
// depends on both, and not only on features. "cipherlane list" shows the reason. On an unknown
// CPU only rules for all CPUs apply. A rule for short
// inputs has the size below which it applies, and perhaps one from which on: then inputs that are
// even shorter have the driver for bulk. A rule for bulk also applies to short
// inputs, unless its driver has a size floor. As always, serial work uses the driver for
// short inputs and many messages use that for bulk if no rule says otherwise.
type Rule struct {
	For   Kind      // the work for which the rule selects a driver
	From  int       // for short inputs: the first size for which it applies, if not 0
	Below int       // for short inputs: the size that is no longer short
	On    cpu.Uarch // the CPUs on which the rule applies; 0: all
	Use   uint8     // index of the driver
	Why   string    // the reason, in a few words

	// Data has the files of docs/machines, without .json and separated by spaces, that the rule
	// comes from. "go run ./ci/choice" compares rules with figures.
	Data string
}

// A Plan has the drivers that an object uses, by kind of work, as indices into their
// [Table]. It is fixed when the object is made. Its bytes are Short, Bulk, Serial and Many,
// from the lowest on; then follow 20 bits of BulkMin and 12 of ShortMin.
//
// Usually the drivers are the same, and round keys are in one format. With a mixed plan keys are
// expanded into the formats of all its drivers, and GCM has a hash key for each of two drivers of
// GHASH. Tests run the suites with pairs of drivers.
type Plan uint64

// The largest sizes in a plan. A plan whose BulkMin is larger has this one.
const (
	maxBulkMin  = 1<<20 - 1
	MaxShortMin = 1<<12 - 1
)

// NewPlan returns a plan. Its BulkMin is 0 unless inputs below that size have another driver.
func NewPlan(short, bulk, serial, many uint8, bulkMin int) Plan {
	p := Plan(short) | Plan(bulk)<<8 | Plan(serial)<<16 | Plan(many)<<24
	if short != bulk {
		p |= Plan(min(bulkMin, maxBulkMin)) << 32
	}
	return p
}

// From returns the plan with another ShortMin: inputs below that size have the driver for bulk.
func (p Plan) From(shortMin int) Plan {
	if p.BulkMin() == 0 {
		return p
	}
	return p&^(MaxShortMin<<52) | Plan(min(shortMin, MaxShortMin))<<52
}

// Uniform returns the plan that uses one driver for everything.
func Uniform(row uint8) Plan { return Plan(row) * 0x01010101 }

// Wiped is the plan of a wiped key. All its bytes are 0xff, which is no driver.
const Wiped = ^Plan(0)

// IsUniform reports whether one driver is used for everything.
func (p Plan) IsUniform() bool { return uint32(p) == uint32(Uniform(p.Short())) }

// Short returns the driver for inputs from ShortMin to BulkMin-1 bytes.
func (p Plan) Short() uint8 { return uint8(p) }

// Bulk returns the driver for the others.
func (p Plan) Bulk() uint8 { return uint8(p >> 8) }

// Serial returns the driver for modes in which each block waits for the one before.
func (p Plan) Serial() uint8 { return uint8(p >> 16) }

// Many returns the driver for several messages side by side.
func (p Plan) Many() uint8 { return uint8(p >> 24) }

// For returns the driver for a kind of work.
func (p Plan) For(kind Kind) uint8 { return uint8(p >> (8 * kind)) }

// Has reports whether a driver is in the plan, for any kind of work.
func (p Plan) Has(row uint8) bool {
	return p.Short() == row || p.Bulk() == row || p.Serial() == row || p.Many() == row
}

// BulkMin returns the size where bulk begins.
func (p Plan) BulkMin() int { return int(p >> 32 & maxBulkMin) }

// ShortMin returns the size where short begins. It is 0 unless even shorter inputs have the driver
// for bulk.
func (p Plan) ShortMin() int { return int(p >> 52) }

// IsShort reports whether an input of n bytes has the driver Short.
func (p Plan) IsShort(n int) bool { return n < p.BulkMin() && n >= p.ShortMin() }

// Pick returns the driver for an input of n bytes, for work that is neither serial nor on
// many messages.
func (p Plan) Pick(n int) uint8 {
	if p.IsShort(n) {
		return p.Short()
	}
	return p.Bulk()
}

// WipeMark returns the first byte of the plan, which is 0xff once the key is wiped, and never
// before.
func (p *Plan) WipeMark() *uint8 { return (*uint8)(unsafe.Pointer(p)) }
