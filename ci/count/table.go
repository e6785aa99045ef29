//go:build linux

package main

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/cipherlane/cipherlane/ci/figures/data"
)

// A report is what -json prints.
type report struct {
	GOARCH   string            `json:"goarch"`
	Date     string            `json:"date"`
	Sizes    []int             `json:"sizes"`
	Machines []string          `json:"machines"` // "NAME: what it has"
	Versions map[string]string `json:"versions"`
	Counts   []count           `json:"counts"`
	Loops    []loop            `json:"loops,omitempty"`
}

// A count is the number of instructions for a message.
type count struct {
	Machine      string  `json:"machine"`
	Operation    string  `json:"operation"`
	Bytes        int     `json:"bytes"` // 0 if there is no size; rounded up to whole blocks, for operations that take no others
	Library      string  `json:"library"`
	Driver       string  `json:"driver,omitempty"`   // of ours
	Selected     bool    `json:"selected,omitempty"` // automatically, for this operation and size
	Instructions float64 `json:"instructions"`
}

// own is the name of our library in the output of peers/count.
const own = "cipherlane"

// add adds the counts in the output of a program: lines "version NAME VERSION", "case TAG
// CALLS BYTES LIBRARY OPERATION" and "mark TAG COUNT". Three marks are a round.
func (r *report) add(m machine, output string) error {
	operations, err := regexp.Compile(m.match)
	if err != nil {
		return err
	}
	marks := map[string][]float64{}
	for line := range strings.Lines(output) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == "mark" {
			n, err := strconv.ParseFloat(f[2], 64)
			if err != nil {
				return fmt.Errorf("unexpected line %q", line)
			}
			marks[f[1]] = append(marks[f[1]], n)
		}
	}
	for line := range strings.Lines(output) {
		f := strings.Fields(line)
		if len(f) == 3 && f[0] == "version" {
			r.Versions[f[1]] = f[2]
		}
		if len(f) == 0 || f[0] != "case" {
			continue
		}
		if len(f) < 6 {
			return fmt.Errorf("unexpected line %q", line)
		}
		calls, err1 := strconv.Atoi(f[2])
		size, err2 := strconv.Atoi(f[3])
		if err1 != nil || err2 != nil || calls < 1 {
			return fmt.Errorf("unexpected line %q", line)
		}
		n, err := perCall(marks[f[1]], calls)
		if err != nil {
			return fmt.Errorf("%s: %w", strings.TrimSpace(line), err)
		}
		c := count{Machine: m.name, Operation: strings.Join(f[5:], " "), Bytes: size, Library: f[4], Instructions: n}
		if name, driver, ok := strings.Cut(f[4], ":"); ok {
			c.Library, c.Driver = own, driver
			c.Selected = strings.HasSuffix(name, "*")
		}
		if operations.MatchString(c.Operation) {
			r.insert(c)
		}
	}
	return nil
}

// insert adds a count. For peers, the least one counts.
func (r *report) insert(c count) {
	for i := range r.Counts {
		o := &r.Counts[i]
		if o.Machine == c.Machine && o.Operation == c.Operation && o.Bytes == c.Bytes && o.Library == c.Library && c.Driver == "" {
			o.Instructions = min(o.Instructions, c.Instructions)
			return
		}
	}
	r.Counts = append(r.Counts, c)
}

// perCall returns the difference between 2N calls and N, the least of all rounds of each. A round
// is a mark before N calls, after them, and after 2N more.
func perCall(marks []float64, calls int) (float64, error) {
	if len(marks) == 0 || len(marks)%3 != 0 {
		return 0, fmt.Errorf("%d marks of the plugin, want three a round", len(marks))
	}
	shortRun, longRun := math.Inf(1), math.Inf(1)
	for ; len(marks) > 0; marks = marks[3:] {
		shortRun, longRun = min(shortRun, marks[1]-marks[0]), min(longRun, marks[2]-marks[1])
	}
	if shortRun >= longRun {
		return 0, fmt.Errorf("%.0f instructions in the shorter run, %.0f in the longer one", shortRun, longRun)
	}
	return math.Round((longRun - shortRun) / float64(calls)), nil
}

// best returns the peer with the fewest instructions. For an operation on many messages
// it is the one with the fewest for one message, if no peer has such an operation.
func (r *report) best(machine, operation string, bytes int) (best count, ok bool) {
	one, _, _ := strings.Cut(operation, ", ")
	for _, c := range r.Counts {
		if c.Machine == machine && (c.Operation == operation || c.Operation == one) && c.Bytes == bytes && c.Library != own &&
			(!ok || c.Instructions < best.Instructions) {
			best, ok = c, true
		}
	}
	return best, ok
}

// check reports operations of peers that ours have no name for: they would be in no table.
func (r *report) check() error {
	for _, c := range r.Counts {
		if !slices.ContainsFunc(r.Counts, func(o count) bool { return o.Library == own && o.Operation == c.Operation }) {
			return fmt.Errorf("%s has %q, but ours has no operation of that name", c.Library, c.Operation)
		}
	}
	return nil
}

// A row of the tables is an operation with one driver of ours, or with those that are
// selected.
type row struct {
	operation, driver string
	selected          bool
	counts            []count // in the order of the sizes
}

// rows returns the rows of a machine. A driver that is selected for all sizes has one row.
// Others have one only if no other machine's table has it: the first that can run the
// driver or, if it is selected on one, that. Portable drivers have none unless selected.
func (r *report) rows(machine string) []row {
	var rows []row
	for _, c := range r.Counts {
		if c.Machine != machine || c.Library != own {
			continue
		}
		name := c.Driver
		if c.Selected {
			name = "*"
		}
		i := slices.IndexFunc(rows, func(x row) bool { return x.operation == c.Operation && x.driver == name })
		if i < 0 {
			i = len(rows)
			rows = append(rows, row{operation: c.Operation, driver: name, selected: c.Selected})
		}
		rows[i].counts = append(rows[i].counts, c)
	}
	selected := map[string]string{}
	for i := range rows {
		if x := &rows[i]; x.selected {
			var names []string
			for _, c := range x.counts {
				if !slices.Contains(names, c.Driver) {
					names = append(names, c.Driver)
				}
			}
			x.driver = strings.Join(names, ", ")
			selected[x.operation] = x.driver
		}
	}
	rows = slices.DeleteFunc(rows, func(x row) bool {
		return !x.selected && (x.driver == "generic" || x.driver == selected[x.operation] ||
			slices.ContainsFunc(r.Counts, func(c count) bool {
				return c.Operation == x.operation && c.Driver == x.driver && c.Machine != machine && (c.Selected || r.before(c.Machine, machine))
			}))
	})
	// Operations in the order of the first driver; in each the selected one first.
	order := map[string]int{}
	for _, x := range rows {
		if _, ok := order[x.operation]; !ok {
			order[x.operation] = len(order)
		}
	}
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(order[a.operation], order[b.operation]) })
	return rows
}

// before reports whether a machine is in the list before another.
func (r *report) before(a, b string) bool {
	index := func(name string) int {
		return slices.IndexFunc(r.Machines, func(m string) bool { return strings.HasPrefix(m, name+": ") })
	}
	return index(a) < index(b)
}

// files returns the report as files of docs/machines, one for each machine: the rows of the tables,
// each with the best peer.
func (r *report) files() []*data.File {
	var files []*data.File
	for _, m := range r.Machines {
		name, what, _ := strings.Cut(m, ": ")
		f := &data.File{
			Name:    "counts-" + r.GOARCH + "-" + strings.ToLower(name),
			Title:   "instructions per call",
			Date:    r.Date,
			Command: "go run ./ci/count -goarch " + r.GOARCH + " -write",
			Machine: data.Machine{Name: r.GOARCH + ", " + name, CPU: strings.ToUpper(what[:1]) + what[1:] + "; qemu-user " + r.emulator(),
				Arch: r.GOARCH, Go: r.Versions["Go"]},
			Versions: map[string]string{},
		}
		for library, version := range r.Versions {
			f.Versions[library] = strings.TrimPrefix(strings.TrimPrefix(version, "v"), "go")
		}
		for _, x := range r.rows(name) {
			for _, c := range x.counts {
				row := data.Row{Operation: c.Operation, Bytes: c.Bytes, Driver: c.Driver, Selected: x.selected, Value: c.Instructions, Unit: "instructions"}
				if p, ok := r.best(name, c.Operation, c.Bytes); ok {
					library := p.Library
					if library == "pion" {
						library = "pion/dtls" // as in the versions
					}
					row.Peers = map[string]float64{library: p.Instructions}
				}
				f.Rows = append(f.Rows, row)
			}
		}
		files = append(files, f)
	}
	return files
}

// emulator returns the version of qemu.
func (r *report) emulator() string {
	if arches[r.GOARCH].built {
		return "10.0"
	}
	return "7.2"
}

// number formats a count, from 1000 bytes on with that per byte.
func number(n float64, bytes int) string {
	if bytes < 1000 {
		return strconv.FormatFloat(n, 'f', 0, 64)
	}
	perByte, digits := n/float64(bytes), 2
	if perByte >= 20 {
		digits = 1
	}
	return fmt.Sprintf("%.0f (%.*f)", n, digits, perByte)
}

// heading is that of the section of an architecture.
func heading(goarch string) string { return "## Instruction counts on " + goarch }

func (r *report) markdown() string {
	var b strings.Builder
	var versions []string
	for _, name := range slices.Sorted(maps.Keys(r.Versions)) {
		versions = append(versions, name+" "+strings.TrimPrefix(strings.TrimPrefix(r.Versions[name], "v"), "go"))
	}
	loops := ""
	if len(r.Loops) > 0 {
		loops = " -loops"
	}
	fmt.Fprintf(&b, `%s

Counts, not times: instructions per call on %s, counted under qemu-user %s by
`+"`go run ./ci/count -goarch %s%s`"+`, %s. A call is
that of the public function with a key that is set: one Update of a stream or chain that goes on, or
a whole message with its nonce, 13 bytes of additional data and tag; the loop around it adds
up to 20 instructions. Botan starts a message for every
call, but not in ECB and CTR. GMAC is GCM with additional data alone. Operations on
several messages are per message; peers process them one at a time. Figures in brackets are per
byte. ECB, CBC and XTS take whole blocks: 1424 bytes rather than 1420. The drivers that are
selected are bold. A peer is the one with the fewest instructions, and a ratio is ours to
it. Some peers without AES instructions look up secrets in tables. SM2 signs and verifies digests, with
random nonces.

Versions: %s.
`, heading(r.GOARCH), r.GOARCH, r.emulator(), r.GOARCH, loops, r.Date, strings.Join(versions, ", "))
	for _, m := range r.Machines {
		name, what, _ := strings.Cut(m, ": ")
		fmt.Fprintf(&b, "\n### %s, %s\n\n%s%s.\n", r.GOARCH, name, strings.ToUpper(what[:1]), what[1:])
		var sized, others []row
		for _, x := range r.rows(name) {
			if x.counts[0].Bytes > 0 {
				sized = append(sized, x)
			} else {
				others = append(others, x)
			}
		}
		if len(sized) > 0 {
			b.WriteString("\n| operation | driver |")
			for _, n := range r.Sizes {
				fmt.Fprintf(&b, " %d B | peer | ratio |", n)
			}
			fmt.Fprintf(&b, "\n|---|---|%s\n", strings.Repeat("--:|--:|--:|", len(r.Sizes)))
		}
		before := ""
		line := func(x row) {
			title := x.operation
			if title == before {
				title = ""
			}
			before = x.operation
			driver := x.driver
			if x.selected {
				driver = "**" + driver + "**"
			}
			fmt.Fprintf(&b, "| %s | %s |", title, driver)
			for _, c := range x.counts {
				fmt.Fprintf(&b, " %s |", number(c.Instructions, c.Bytes))
				if p, ok := r.best(name, c.Operation, c.Bytes); ok {
					fmt.Fprintf(&b, " %.0f %s | %.2f |", p.Instructions, p.Library, c.Instructions/p.Instructions)
				} else {
					b.WriteString(" | |")
				}
			}
			b.WriteString("\n")
		}
		for _, x := range sized {
			line(x)
		}
		if len(others) > 0 {
			b.WriteString("\n| operation | driver | instructions | peer | ratio |\n|---|---|--:|--:|--:|\n")
		}
		for _, x := range others {
			line(x)
		}
	}
	if len(r.Loops) > 0 {
		b.WriteString(r.loopTable())
	}
	return b.String()
}

// slower returns lines about the selected drivers that take over 5 % more instructions than the
// best peer.
func (r *report) slower() []string {
	var lines []string
	for _, c := range r.Counts {
		if p, ok := r.best(c.Machine, c.Operation, c.Bytes); ok && c.Selected && c.Instructions > 1.05*p.Instructions {
			lines = append(lines, fmt.Sprintf("%s: %s, %d bytes, %s: %.0f instructions, %s has %.0f (%.2f)",
				c.Machine, c.Operation, c.Bytes, c.Driver, c.Instructions, p.Library, p.Instructions, c.Instructions/p.Instructions))
		}
	}
	return lines
}
