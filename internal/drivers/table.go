package drivers

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/wrap"
)

// Errors of [Table.On].
var (
	ErrUnknown     = errors.New("no such driver")
	ErrUnavailable = errors.New("driver not available on this machine")
)

// A Table contains the drivers of one package and the plan for new objects.
type Table struct {
	// choice is nil until first used, and then all that a lookup loads. It must be the first field,
	// or the compiler does not inline Auto.
	choice atomic.Pointer[choice]
	pkg    string
	rows   []Info
	rules  []Rule
}

// A choice is a plan with the reason for it, and the reasons of the rules that changed
// it.
type choice struct {
	plan  Plan
	why   string
	rules [kinds]string
}

// linked has the tables of this program.
var linked struct {
	sync.Mutex
	tables     []*Table // of algorithms
	components []*Table // from New
}

func init() { assert() }

// Register adds the drivers of a package to those that [List] returns. Algorithm
// packages call it once, when they are initialised; rows[0] must run on any machine,
// for inputs of any size. The driver is selected at the first use, not during
// initialisation, because that must not read files such as a profile.
//
// Rules are exceptions from the priorities of the drivers. For each kind of work, the
// first rule for this CPU applies whose driver can run here, and is not slow here.
// CIPHERLANE and profiles take precedence.
//
// Rows describe drivers and do not refer to their code. If they were constructors, a program would
// be linked with all kernels of every package that it imports.
func Register(pkg string, rows []Info, rules ...Rule) *Table {
	t := newTable(pkg, rows)
	for _, r := range rules {
		// A size floor is for CPUs of which no more is known.
		floor := r.For == Short && r.On == 0 || r.For == Serial
		if int(r.Use) >= len(rows) || r.For >= kinds || r.Why == "" || (r.Below > 0) != (r.For == Short) || r.From < 0 || r.From > MaxShortMin || r.From > 0 && r.From >= r.Below || rows[r.Use].MinBytes > 0 && floor {
			panic("drivers: a rule of " + pkg + " is not valid")
		}
	}
	t.rules = rules
	t.choice.Store(nil)
	linked.Lock()
	defer linked.Unlock()
	linked.tables = append(linked.tables, t)
	return t
}

// New is like [Register], for a component that several algorithms share and that
// has drivers of its own. The drivers of the algorithms select them by name, so there
// is no automatic selection, and CIPHERLANE and List do not include the table.
func New(pkg string, rows []Info) *Table {
	t := newTable(pkg, rows)
	linked.Lock()
	defer linked.Unlock()
	linked.components = append(linked.components, t)
	return t
}

func newTable(pkg string, rows []Info) *Table {
	if len(rows) == 0 || rows[0].Needs|rows[0].Slow != 0 || rows[0].MinBytes != 0 {
		panic("drivers: the first driver of " + pkg + " is not for all machines and sizes")
	}
	t := &Table{pkg: pkg, rows: rows}
	t.choice.Store(new(choice))
	missing := ^features()
	for i := range rows {
		rows[i].Missing = rows[i].Needs & missing
	}
	return t
}

// first makes the choice at the first use.
func (t *Table) first() *choice {
	linked.Lock()
	defer linked.Unlock()
	if t.choice.Load() == nil {
		ask()
		t.decide()
	}
	return t.choice.Load()
}

// decide makes the choice: a driver that CIPHERLANE names takes precedence over the
// profile, and that over the priorities and rules. The mutex of linked must be held.
func (t *Table) decide() {
	wanted := environment.use[t.pkg]
	c := choose(t.rows, t.rules, features(), cpu.Microarchitecture(), wanted)
	if i := index(t.rows, wanted); i < 0 || !t.rows[i].Available() {
		if p, ok := inForce.profile.plan(t); ok {
			c = choice{plan: p, why: "the profile names it"}
		}
	}
	t.choice.Store(&c)
}

// features returns the features of the CPU without those that CIPHERLANE disables.
func features() Features { return cpu.Features().Without(environment.disabled) }

// choose makes the choice for a table: the best driver for long inputs and, if that has
// a size floor, the best driver without a floor for shorter ones, except where a rule
// says otherwise.
func choose(rows []Info, rules []Rule, features Features, uarch cpu.Uarch, wanted string) choice {
	if i := index(rows, wanted); i >= 0 && rows[i].Available() {
		return choice{plan: Uniform(uint8(i)), why: "CIPHERLANE names it"}
	}
	var bulk, short, runnable, slow int
	for i, r := range rows {
		if !r.Available() {
			continue
		}
		runnable++
		if r.Slow&features != 0 {
			slow = max(slow, r.Priority)
			continue
		}
		if r.Priority > rows[bulk].Priority {
			bulk = i
		}
		if r.MinBytes == 0 && r.Priority > rows[short].Priority {
			short = i
		}
	}
	c := choice{why: "highest priority of those that can run here"}
	c.plan = newPlan(short, bulk, rows[bulk].MinBytes)
	switch {
	case len(rows) == 1:
		c.why = "the only driver in this build"
	case runnable == 1:
		c.why = "no other can run here"
	case slow > rows[bulk].Priority:
		c.why += " and are not slow on this CPU"
	}
	c.apply(rows, rules, features, uarch)
	return c
}

// apply applies the rules for this CPU to a choice.
func (c *choice) apply(rows []Info, rules []Rule, features Features, uarch cpu.Uarch) {
	var first [kinds]*Rule // by kind of work
	for i := range rules {
		r := &rules[i]
		if d := rows[r.Use]; first[r.For] == nil && d.Available() && d.Slow&features == 0 && (r.On == 0 || r.On&uarch != 0) {
			first[r.For] = r
		}
	}
	before := c.plan
	short, bulk, bulkMin, shortMin := before.Short(), before.Bulk(), before.BulkMin(), 0
	if r := first[Bulk]; r != nil {
		bulk, bulkMin = r.Use, rows[r.Use].MinBytes
		if bulkMin == 0 {
			short = bulk
		}
	}
	serial, many := short, bulk
	if r := first[Short]; r != nil && r.Use != bulk {
		short, bulkMin, shortMin = r.Use, max(bulkMin, r.Below), r.From
		if shortMin == 0 {
			serial = short
		}
	}
	if r := first[Serial]; r != nil {
		serial = r.Use
	}
	if r := first[Many]; r != nil {
		many = r.Use
	}
	c.plan = NewPlan(short, bulk, serial, many, bulkMin).From(shortMin)
	for kind, r := range first {
		if r != nil && c.plan.For(Kind(kind)) != before.For(Kind(kind)) {
			c.rules[kind] = r.Why
		}
	}
}

// newPlan returns the plan of a table that has no drivers of their own for serial work
// and for many messages. A driver with a size floor is for bulk only.
func newPlan(short, bulk, bulkMin int) Plan {
	return NewPlan(uint8(short), uint8(bulk), uint8(short), uint8(bulk), bulkMin)
}

func index(rows []Info, name string) int {
	return slices.IndexFunc(rows, func(r Info) bool { return r.Name == name })
}

// Package returns the name of the package, as used in CIPHERLANE.
func (t *Table) Package() string { return t.pkg }

// Auto returns the plan for new objects. Loading a profile can change it.
func (t *Table) Auto() Plan {
	if c := t.choice.Load(); c != nil {
		return c.plan
	}
	return t.first().plan
}

// Why returns the reason for the plan of Auto, in a few words.
func (t *Table) Why() string {
	t.Auto()
	return t.choice.Load().why
}

// Rule returns the reason, in a few words, for which a rule of the table selected another
// driver for one kind of work than priorities and size floors would, or "" if none did.
func (t *Table) Rule(kind Kind) string {
	t.Auto()
	return t.choice.Load().rules[kind]
}

// Default returns the plan according to priorities and rules alone, without drivers
// named by CIPHERLANE or a profile.
func (t *Table) Default() Plan {
	return choose(t.rows, t.rules, features(), cpu.Microarchitecture(), "").plan
}

// PlanOn returns the plan that new objects would have on a CPU with these features, by priorities and
// rules alone.
func (t *Table) PlanOn(features Features, uarch cpu.Uarch) Plan {
	rows := slices.Clone(t.rows)
	for i := range rows {
		rows[i].Missing, rows[i].Slow = rows[i].Needs&^features, 0 // Slow may depend on this CPU
	}
	return choose(rows, t.rules, features, uarch, "").plan
}

// Rules returns a copy of the list of rules.
func (t *Table) Rules() []Rule { return slices.Clone(t.rules) }

// Splits reports whether inputs of different sizes may have different drivers, here or on another
// CPU: some driver has a size floor, or some rule is for short inputs.
func (t *Table) Splits() bool {
	return slices.ContainsFunc(t.rows, func(r Info) bool { return r.MinBytes > 0 }) ||
		slices.ContainsFunc(t.rules, func(r Rule) bool { return r.For == Short })
}

// Drivers returns a copy of the list of drivers.
func (t *Table) Drivers() []Info { return slices.Clone(t.rows) }

// On returns the plan for one named driver, or an error that wraps
// [ErrUnknown] or [ErrUnavailable].
func (t *Table) On(name string) (Plan, error) {
	i := index(t.rows, name)
	if i < 0 {
		return 0, t.unknown(name)
	}
	if !t.rows[i].Available() {
		return 0, t.lacks(name, t.rows[i].Missing)
	}
	return Uniform(uint8(i)), nil
}

func (t *Table) unknown(name string) error {
	return wrap.Error(t.pkg+": ", ErrUnknown, ": "+wrap.Quote(name)+" (known here: "+t.names()+")")
}

func (t *Table) lacks(name string, missing Features) error {
	return wrap.Error(t.pkg+": ", ErrUnavailable, ": "+name+" lacks "+missing.String())
}

func (t *Table) names() string {
	list := ""
	for i, r := range t.rows {
		if i > 0 {
			list += ", "
		}
		list += r.Name
	}
	return list
}

// List returns the tables of all algorithm packages linked into this program,
// sorted by name.
func List() []*Table {
	linked.Lock()
	defer linked.Unlock()
	list := slices.Clone(linked.tables)
	slices.SortFunc(list, func(a, b *Table) int { return strings.Compare(a.pkg, b.pkg) })
	return list
}

// Find returns the table of an algorithm package or component that is linked into this
// program, or nil.
func Find(pkg string) *Table {
	linked.Lock()
	defer linked.Unlock()
	for _, t := range slices.Concat(linked.tables, linked.components) {
		if t.pkg == pkg {
			return t
		}
	}
	return nil
}
