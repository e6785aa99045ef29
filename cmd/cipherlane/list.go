package main

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

type listCmd struct {
	Algorithms []string `arg:"" optional:"" name:"alg" help:"Algorithms (sm3, aes-gcm) or packages (sm4); default: all."`
	JSON       bool     `help:"Print JSON."`
}

func (listCmd) Help() string {
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

type listDriver struct {
	Name      string   `json:"name"`
	Priority  int      `json:"priority"`
	Needs     []string `json:"needs"`
	Missing   []string `json:"missing"`
	Available bool     `json:"available"`
	Auto      bool     `json:"auto"` // selected for at least some work
	Timing    string   `json:"timing"`
}

type listAlgorithm struct {
	Name     string       `json:"name"`    // in Linux
	Command  string       `json:"command"` // on the command line
	Package  string       `json:"package"`
	Standard string       `json:"standard"`
	Auto     listPlan     `json:"auto"`
	Drivers  []listDriver `json:"drivers"`
}

type listPlan struct {
	Short   string            `json:"short"` // for inputs below bulk_min bytes
	Bulk    string            `json:"bulk"`
	BulkMin int               `json:"bulk_min"`
	Serial  string            `json:"serial"` // for modes in which each block waits for the one before
	Many    string            `json:"many"`   // for several messages side by side
	Why     string            `json:"why"`
	Rules   map[string]string `json:"rules,omitempty"` // by kind of work: why it has another driver
}

// kinds has the names of the kinds of work in JSON, and how people are told.
var kinds = [...]struct{ name, text string }{
	drivers.Short: {"short", "for short inputs"}, drivers.Bulk: {"bulk", "for long inputs"},
	drivers.Serial: {"serial", "for serial work"}, drivers.Many: {"many", "for many messages"},
}

// automaticPlan returns the plan of Auto.
func automaticPlan(t *drivers.Table) listPlan {
	plan, rows := t.Auto(), t.Drivers()
	l := listPlan{
		Short: rows[plan.Short()].Name, Bulk: rows[plan.Bulk()].Name, BulkMin: plan.BulkMin(),
		Serial: rows[plan.Serial()].Name, Many: rows[plan.Many()].Name, Why: t.Why(),
	}
	for kind, names := range kinds {
		if why := t.Rule(drivers.Kind(kind)); why != "" {
			if l.Rules == nil {
				l.Rules = map[string]string{}
			}
			l.Rules[names.name] = why
		}
	}
	return l
}

type listProfile struct {
	File     string   `json:"file"`
	Packages []string `json:"packages"` // for which it selects a driver
}

// profileInForce returns nil if there is none.
func profileInForce() *listProfile {
	p, file := drivers.ProfileInForce()
	if p == nil {
		return nil
	}
	return &listProfile{file, slices.Sorted(maps.Keys(p.Drivers))}
}

func (l *listProfile) String() string {
	return fmt.Sprintf("%s, for %s", cli.Quote(l.File), cmp.Or(strings.Join(l.Packages, ", "), "no package"))
}

func (c *listCmd) Run(p *cli.Program) error {
	list, err := choose(c.Algorithms)
	if err != nil {
		return err
	}
	if c.JSON {
		return c.json(p, list)
	}
	m := thisMachine()
	p.Say("%s\nfeatures: %s\n", m, cmp.Or(strings.Join(m.Features, " "), "none that this build uses"))
	if profile := profileInForce(); profile != nil {
		p.Say("profile: %s\n", profile)
	}
	tables, members := packages(list)
	for _, t := range tables {
		p.Say("\n")
		entries := cli.Table{Header: []string{"", "algorithm", "in Linux", "standard"}}
		for _, a := range members[t] {
			entries.Add("", shellName(a), linuxName(a), a.Standard)
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
			rows.Add(mark, d.Name, fmt.Sprint(d.Priority), d.Needs.String(), status(t, i, d), d.Timing)
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

// status briefly describes why a driver is or is not selected.
func status(t *drivers.Table, row int, d drivers.Info) string {
	plan := t.Auto()
	split := plan.Short() != plan.Bulk() && plan.BulkMin() > 0
	reason := func(kind drivers.Kind) string { return cmp.Or(t.Rule(kind), t.Why()) }
	var list []string
	switch {
	case int(plan.Bulk()) == row && split:
		list = append(list, fmt.Sprintf(" from %d bytes: %s", plan.BulkMin(), reason(drivers.Bulk)))
	case int(plan.Short()) == row && split:
		text := fmt.Sprintf(" below %d bytes", plan.BulkMin())
		if why := t.Rule(drivers.Short); why != "" {
			text += ": " + why
		}
		list = append(list, text)
	case int(plan.Bulk()) == row:
		list = append(list, ": "+reason(drivers.Bulk))
	}
	if int(plan.Serial()) == row && plan.Serial() != plan.Short() {
		list = append(list, " "+kinds[drivers.Serial].text+": "+reason(drivers.Serial))
	}
	if int(plan.Many()) == row && plan.Many() != plan.Bulk() {
		list = append(list, " "+kinds[drivers.Many].text+": "+reason(drivers.Many))
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

func (c *listCmd) json(p *cli.Program, list []catalog.Algorithm) error {
	doc := struct {
		Schema     int             `json:"schema"`
		Machine    machine         `json:"machine"`
		Profile    *listProfile    `json:"profile"` // null if none is in force
		Algorithms []listAlgorithm `json:"algorithms"`
	}{Schema: 1, Machine: thisMachine(), Profile: profileInForce()}
	for _, a := range list {
		t := a.Table()
		plan, rows := t.Auto(), t.Drivers()
		entry := listAlgorithm{
			Name: a.Name, Command: shellName(a), Package: a.Package, Standard: a.Standard,
			Auto: automaticPlan(t),
		}
		for i, d := range rows {
			entry.Drivers = append(entry.Drivers, listDriver{
				Name: d.Name, Priority: d.Priority,
				Needs: names(d.Needs), Missing: names(d.Missing),
				Available: d.Available(), Auto: plan.Has(uint8(i)), Timing: d.Timing,
			})
		}
		doc.Algorithms = append(doc.Algorithms, entry)
	}
	return p.JSON(doc)
}

// names never returns nil, so that JSON contains [] and not null.
func names(f drivers.Features) []string { return append([]string{}, f.Names()...) }
