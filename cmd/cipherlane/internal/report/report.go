// Package report has the verb report: one JSON document about this machine, for those who have no
// such machine.
package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"os"
	"regexp"
	"strings"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/bench"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/doctor"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/inventory"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/selftest"
)

// Cmd is the verb report.
type Cmd struct {
	Algorithms []string `arg:"" optional:"" name:"alg" help:"Algorithms (sm3, aes-gcm) or packages (sm4) to test and measure; default: tests all, and measures what speed does."`
	Name       string   `help:"Name of the board or machine; default: what its device tree says, or the CPU's name."`
	Seconds    float64  `default:"60" help:"Total measuring time. Default: ${default}."`
	Output     string   `short:"o" placeholder:"FILE" help:"Write it to this file. Standard output then has all of it but the measurements."`
	Force      bool     `short:"f" help:"Replace an existing file."`
	Progress   string   `enum:"auto,on,off" default:"auto" help:"Show progress on standard error: auto (on a terminal, after a second), on, off."`
}

// Help returns the description of the verb, with examples.
func (Cmd) Help() string {
	return `Tests and measures this machine, and prints one JSON document with what list, doctor,
selftest and speed say of it, and what the CPU says of itself. Those who maintain
cipherlane have few machines: a report of yours, of a board or a server that
docs/speed.md names, corrects what they could only estimate.

Nothing private is in it: no names of hosts, users or files, no addresses, no serial
numbers. It has the version of Linux, with the suffix that its builder chose. Read it before
you send it: with -o, it is shown before it is written. Nothing is sent by this command.

The machine should be idle, and not hot. If most results vary by more than 10 %, the exit
code is 1, and no file is written. If a self-test fails, nothing is measured, the report says what
failed, and the exit code is 4.

Examples:

    cipherlane report -o report.json
    cipherlane report --name "Banana Pi BPI-F3" --seconds 90 -f -o report.json    # on the board
    cipherlane report sm4-gcm --seconds 5`
}

// A document is a file of docs/machines, which "speed --compare" reads, too.
type document struct {
	Title   string `json:"title"`
	Command string `json:"command"`
	*bench.Document
	Machine  machine        `json:"machine"` // in place of the one in bench.Document
	Linux    *doctor.Linux  `json:"linux"`   // null on other systems
	Packages []plan         `json:"packages"`
	Profile  []string       `json:"profile,omitempty"` // packages for which a profile selects drivers
	Selftest selftestResult `json:"selftest"`

	// Last, because they are the longest: drivers that cannot run here, and times.
	Unavailable any `json:"unavailable,omitempty"`
	Results     any `json:"results,omitempty"`
}

type machine struct {
	Name  string `json:"name"`
	Board string `json:"board,omitempty"` // in the device tree
	inventory.Machine
	Family string  `json:"family,omitempty"`
	Clock  string  `json:"clock,omitempty"` // the highest
	CPUs   []cores `json:"cpus,omitempty"`
}

type plan struct {
	Package string         `json:"package"`
	Auto    inventory.Plan `json:"auto"`
	Drivers []string       `json:"drivers"` // that can run here
}

type selftestResult struct {
	selftest.Summary
	Failures []selftest.Result `json:"failures,omitempty"`
}

// Run runs the verb.
func (c *Cmd) Run(p *cli.Program) error {
	if err := inventory.RefuseFIPS(); err != nil {
		return err
	}
	if err := bench.CheckSeconds(c.Seconds); err != nil {
		return err
	}
	list, err := inventory.Choose(c.Algorithms)
	if err != nil {
		return err
	}
	if c.Output == "-" {
		c.Output = ""
	}
	var file *cli.Outputs
	if c.Output != "" { // before minutes of work
		if file, err = p.Create(c.Force, cli.Target{Path: c.Output, Mode: 0o666}); err != nil {
			return err
		}
		defer file.Discard()
	}
	doc := document{Title: "report", Command: strings.Join(append([]string{"cipherlane report"}, c.Algorithms...), " "), Document: bench.NewDocument(c.Seconds), Machine: thisMachine(os.DirFS("/"), c.Name), Linux: public(doctor.Kernel())}
	tables, _ := inventory.Packages(list)
	for _, t := range tables {
		entry := plan{Package: t.Package(), Auto: inventory.AutomaticPlan(t)}
		for _, d := range t.Drivers() {
			if d.Available() {
				entry.Drivers = append(entry.Drivers, d.Name)
			}
		}
		doc.Packages = append(doc.Packages, entry)
	}
	if profile := inventory.ProfileInForce(); profile != nil {
		doc.Profile = profile.Packages
	}
	doc.Selftest.Failures, doc.Selftest.Summary, err = selftest.Failures(p, c.Algorithms, c.Progress)
	if err != nil {
		return cmp.Or(c.print(p, &doc), err)
	}
	measured, err := bench.Measure(p, c.Algorithms, c.Seconds, c.Progress)
	if measured == nil {
		return err
	}
	doc.Document = measured
	if file == nil {
		doc.Unavailable, doc.Results = measured.Unavailable, measured.Results
		return cmp.Or(c.print(p, &doc), err)
	}
	if shown := c.print(p, &doc); shown != nil || err != nil {
		return cmp.Or(shown, err)
	}
	doc.Unavailable, doc.Results = measured.Unavailable, measured.Results
	return file.Commit([]byte(text(&doc)))
}

func (c *Cmd) print(p *cli.Program, doc *document) error {
	p.Print(text(doc))
	return p.Flush()
}

// parts are lists without others, and then objects without others, that are not at the top.
var parts = [...]*regexp.Regexp{
	regexp.MustCompile(`(?m)^ {4,}(?:"\w+": )?\[\n[^{}\[\]]*?\n *\]`),
	regexp.MustCompile(`(?m)^ {4,}(?:"\w+": )?\{\n[^{}]*?\n *\}`),
}

var breaks = regexp.MustCompile(`\n *`)

// text returns the document with a line for each of its smallest parts.
func text(doc *document) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(doc); err != nil {
		panic(err) // the types have nothing that cannot be encoded
	}
	text := b.String()
	for _, p := range parts {
		text = p.ReplaceAllStringFunc(text, func(part string) string { return breaks.ReplaceAllString(part, " ") })
	}
	return text
}

// public removes what could be private: names of profiles and containers, and of files in reasons.
func public(l *doctor.Linux) *doctor.Linux {
	if l == nil {
		return nil
	}
	if l.LSM != "" && l.LSM != "unconfined" {
		l.LSM = "confined"
	}
	if len(l.Container) > 0 {
		l.Container = []string{"container"}
	}
	if strings.Contains(l.AFALG.Why, "/") {
		l.AFALG.Why = ""
	}
	for typ, part := range l.Types {
		if strings.Contains(part.Why, "/") {
			part.Why = ""
			l.Types[typ] = part
		}
	}
	return l
}
