// Package inventory has the verb list and what other verbs need of it: the algorithms by the names
// that people type, the plan of each package, this machine, and whether CIPHERLANE and a profile can
// take effect here.
package inventory

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
	"github.com/cipherlane/cipherlane/internal/catalog"
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
)

// ListCmd is the verb list.
type ListCmd struct {
	Algorithms []string `arg:"" optional:"" name:"alg" help:"Algorithms (sm3, aes-gcm) or packages (sm4); default: all."`
	JSON       bool     `help:"Print JSON."`
}

// Help returns the description of the verb, with examples.
func (ListCmd) Help() string {
	return `Each algorithm has a name for the command line and the name that Linux uses; all
verbs accept both. A driver is one implementation of the algorithms in a package,
named after the CPU features that it needs. Among the drivers that this CPU can run,
the one with the highest priority is selected, unless the environment variable
CIPHERLANE or a profile (see cipherlane tune) says otherwise. The selected driver is
marked with *. A program that is built with Go 1.24 has no drivers with vectors on riscv64.

Example: which driver does SM4 use here, and which CPU features would a faster one need?

    cipherlane list sm4
    CIPHERLANE=-avx512 cipherlane list sm4`
}

// A Driver is what list --json prints of a driver.
type Driver struct {
	Name      string   `json:"name"`
	Priority  int      `json:"priority"`
	Needs     []string `json:"needs"`
	Missing   []string `json:"missing"`
	Available bool     `json:"available"`
	Auto      bool     `json:"auto"` // selected for at least some work
	Timing    string   `json:"timing"`
}

// An Algorithm is what list --json prints of an algorithm.
type Algorithm struct {
	Name     string   `json:"name"`    // in Linux
	Command  string   `json:"command"` // on the command line
	Package  string   `json:"package"`
	Standard string   `json:"standard"`
	Auto     Plan     `json:"auto"`
	Drivers  []Driver `json:"drivers"`
}

// A Plan has the names of the drivers that a package takes by itself, and why.
type Plan struct {
	Short   string            `json:"short"` // for inputs from short_min to bulk_min-1 bytes
	Bulk    string            `json:"bulk"`
	BulkMin int               `json:"bulk_min"`
	Serial  string            `json:"serial"` // for modes in which each block waits for the one before
	Many    string            `json:"many"`   // for several messages side by side
	Why     string            `json:"why"`
	Rules   map[string]string `json:"rules,omitempty"` // by kind of work: why it has another driver

	ShortMin int `json:"short_min,omitempty"`
}

// A Work is a kind of work for which a plan may have a driver of its own.
type Work struct{ Name, Text string }

// Kinds has the names of the kinds of work in JSON, and how people are told.
var Kinds = [...]Work{
	drivers.Short: {"short", "for short inputs"}, drivers.Bulk: {"bulk", "for long inputs"},
	drivers.Serial: {"serial", "for serial work"}, drivers.Many: {"many", "for many messages"},
}

// AutomaticPlan returns the plan of Auto.
func AutomaticPlan(t *drivers.Table) Plan {
	plan, rows := t.Auto(), t.Drivers()
	l := Plan{
		Short: rows[plan.Short()].Name, Bulk: rows[plan.Bulk()].Name, BulkMin: plan.BulkMin(), ShortMin: plan.ShortMin(),
		Serial: rows[plan.Serial()].Name, Many: rows[plan.Many()].Name, Why: t.Why(),
	}
	for kind, names := range Kinds {
		if why := t.Rule(drivers.Kind(kind)); why != "" {
			if l.Rules == nil {
				l.Rules = map[string]string{}
			}
			l.Rules[names.Name] = why
		}
	}
	return l
}

// A Profile is what list --json prints of a profile.
type Profile struct {
	File     string   `json:"file"`
	Packages []string `json:"packages"` // for which it selects a driver
}

// ProfileInForce returns nil if there is none.
func ProfileInForce() *Profile {
	p, file := drivers.ProfileInForce()
	if p == nil {
		return nil
	}
	return &Profile{file, slices.Sorted(maps.Keys(p.Drivers))}
}

func (l *Profile) String() string {
	return fmt.Sprintf("%s, for %s", cli.Quote(l.File), cmp.Or(strings.Join(l.Packages, ", "), "no package"))
}

// Run runs the verb.
func (c *ListCmd) Run(p *cli.Program) error {
	list, err := Choose(c.Algorithms)
	if err != nil {
		return err
	}
	if c.JSON {
		return c.json(p, list)
	}
	m := ThisMachine()
	p.Say("%s\nfeatures: %s\n", m, cmp.Or(strings.Join(m.Features, " "), "none that this build uses"))
	if profile := ProfileInForce(); profile != nil {
		p.Say("profile: %s\n", profile)
	}
	tables, members := Packages(list)
	for _, t := range tables {
		p.Say("\n")
		entries := cli.Table{Header: []string{"", "algorithm", "in Linux", "standard"}}
		for _, a := range members[t] {
			entries.Add("", ShellName(a), linuxName(a), a.Standard)
		}
		p.Table(entries)
		p.Say("\n")
		rows := cli.Table{Header: []string{"", "driver", "priority", "needs", "on this machine", "timing"}, Right: []int{2}}
		plan := t.Auto()
		for i, d := range t.Drivers() {
			mark := ""
			if plan.Has(uint8(i)) {
				mark = "*"
			}
			rows.Add(mark, d.Name, fmt.Sprint(d.Priority), d.Needs.String(), Status(t, i, d), d.Timing)
		}
		p.Table(rows)
	}
	return nil
}

// linuxName returns the name of an algorithm in Linux, or "none" if Linux does not have it: its
// name then only is in the same notation.
func linuxName(a catalog.Algorithm) string {
	template, _, _ := strings.Cut(a.Name, "(")
	if a.PublicKey() || slices.Contains([]string{"bc", "ofbnlf", "hctr", "gcm-siv", "siv", "xchacha20-poly1305"}, template) {
		return "none"
	}
	return a.Name
}

// Status briefly describes why a driver is or is not selected.
func Status(t *drivers.Table, row int, d drivers.Info) string {
	plan := t.Auto()
	split := plan.Short() != plan.Bulk() && plan.BulkMin() > 0
	reason := func(kind drivers.Kind) string { return cmp.Or(t.Rule(kind), t.Why()) }
	var list []string
	switch {
	case int(plan.Bulk()) == row && split:
		text := fmt.Sprintf(" from %d bytes: ", plan.BulkMin())
		if n := plan.ShortMin(); n > 0 {
			text = fmt.Sprintf(" below %d bytes and%s", n, text)
		}
		list = append(list, text+reason(drivers.Bulk))
	case int(plan.Short()) == row && split:
		text := fmt.Sprintf(" below %d bytes", plan.BulkMin())
		if n := plan.ShortMin(); n > 0 {
			text = fmt.Sprintf(" from %d to %d bytes", n, plan.BulkMin()-1)
		}
		if why := t.Rule(drivers.Short); why != "" {
			text += ": " + why
		}
		list = append(list, text)
	case int(plan.Bulk()) == row:
		list = append(list, ": "+reason(drivers.Bulk))
	}
	if int(plan.Serial()) == row && plan.Serial() != plan.Pick(0) {
		list = append(list, " "+Kinds[drivers.Serial].Text+": "+reason(drivers.Serial))
	}
	if int(plan.Many()) == row && plan.Many() != plan.Bulk() {
		list = append(list, " "+Kinds[drivers.Many].Text+": "+reason(drivers.Many))
	}
	switch {
	case !d.Available():
		return "not available: lacks " + d.Missing.String()
	case list != nil:
		return "selected" + strings.Join(list, ";")
	case d.Slow&cpu.Features() != 0:
		return "available, but slow on this CPU"
	default:
		return "available"
	}
}

// A Document is what list --json prints.
type Document struct {
	Schema     int         `json:"schema"`
	Machine    Machine     `json:"machine"`
	Profile    *Profile    `json:"profile"` // null if none is in force
	Algorithms []Algorithm `json:"algorithms"`
}

func (c *ListCmd) json(p *cli.Program, list []catalog.Algorithm) error {
	doc := Document{Schema: 1, Machine: ThisMachine(), Profile: ProfileInForce()}
	for _, a := range list {
		t := a.Table()
		plan, rows := t.Auto(), t.Drivers()
		entry := Algorithm{
			Name: a.Name, Command: ShellName(a), Package: a.Package, Standard: a.Standard,
			Auto: AutomaticPlan(t),
		}
		for i, d := range rows {
			entry.Drivers = append(entry.Drivers, Driver{
				Name: d.Name, Priority: d.Priority,
				Needs: FeatureNames(d.Needs), Missing: FeatureNames(d.Missing),
				Available: d.Available(), Auto: plan.Has(uint8(i)), Timing: d.Timing,
			})
		}
		doc.Algorithms = append(doc.Algorithms, entry)
	}
	return p.JSON(doc)
}

// Taking names the drivers of a plan.
func Taking(plan Plan) string {
	short, text := plan.Bulk, plan.Bulk
	if plan.Short != plan.Bulk && plan.BulkMin > 0 {
		short, text = plan.Short, fmt.Sprintf("%s, from %d bytes %s", plan.Short, plan.BulkMin, plan.Bulk)
		if plan.ShortMin > 0 {
			short, text = plan.Bulk, fmt.Sprintf("%s, from %d bytes %s", plan.Bulk, plan.ShortMin, text)
		}
	}
	if plan.Serial != short {
		text += ", " + Kinds[drivers.Serial].Text + " " + plan.Serial
	}
	if plan.Many != plan.Bulk {
		text += ", " + Kinds[drivers.Many].Text + " " + plan.Many
	}
	return text
}
