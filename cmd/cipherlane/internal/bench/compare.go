package bench

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/inventory"
	"github.com/cipherlane/cipherlane/internal/speed"
)

// A Document is what speed --json prints, and a part of what report prints.
type Document struct {
	Schema      int                `json:"schema"`
	Version     string             `json:"version,omitempty"` // of the command
	Date        string             `json:"date,omitempty"`
	Seconds     float64            `json:"seconds,omitempty"`
	Cipherlane  string             `json:"cipherlane,omitempty"` // the variable CIPHERLANE
	Load        float64            `json:"load,omitempty"`       // programs running in the minute before, on average
	Machine     inventory.Machine  `json:"machine"`
	Results     []speedResult      `json:"results"`
	Unavailable []speedUnavailable `json:"unavailable"`
}

// otherLoad is the load average from which on a measurement counts as disturbed.
const otherLoad = 0.5

// noise says how far the slices were from the results, and whether other programs ran.
func (doc *Document) noise() string {
	var spreads []float64
	for _, r := range doc.Results {
		spreads = append(spreads, r.Spread)
	}
	text := ""
	if worst := slices.Max(spreads); worst > 0 {
		text = fmt.Sprintf("±%.1f %%, at worst ±%.1f %%", speed.Median(spreads)*100, worst*100)
	}
	if doc.Load >= otherLoad {
		if text != "" {
			text += "; "
		}
		text += fmt.Sprintf("measured under load: %.1f other programs were running in the minute before", doc.Load)
	}
	return text
}

// differences says how the selection may differ: the variable CIPHERLANE and CPU features that
// only one has.
func differences(docs [2]*Document) (list []string) {
	for i, doc := range docs {
		if doc.Cipherlane != docs[1-i].Cipherlane && doc.Cipherlane != "" {
			list = append(list, fmt.Sprintf("%s was measured with CIPHERLANE=%s", "AB"[i:i+1], doc.Cipherlane))
		}
		var own []string
		for _, f := range doc.Machine.Features {
			if !slices.Contains(docs[1-i].Machine.Features, f) {
				own = append(own, f)
			}
		}
		if len(own) > 0 && doc.Machine.Arch == docs[1-i].Machine.Arch {
			list = append(list, fmt.Sprintf("CPU features of %s only: %s", "AB"[i:i+1], strings.Join(own, " ")))
		}
	}
	return list
}

// measured are the results for an algorithm. Their contents are in the order of its first
// occurrence, but sizes are ascending.
type measured struct {
	id         string // in the document
	name       string
	drivers    []string
	operations []string
	sizes      []int
	results    []speedResult
}

func (m measured) String() string { return m.name }

func (doc *Document) algorithms() (list []*measured) {
	for _, r := range doc.Results {
		name := r.Algorithm
		if r.KeyBits > 0 {
			name += fmt.Sprintf(", keys of %d bits", r.KeyBits)
		}
		i := slices.IndexFunc(list, func(m *measured) bool { return m.name == name })
		if i < 0 {
			i = len(list)
			list = append(list, &measured{id: r.Algorithm, name: name})
		}
		m := list[i]
		m.results = append(m.results, r)
		m.drivers = appendNew(m.drivers, r.Driver)
		m.operations = appendNew(m.operations, r.Operation)
		m.sizes = appendNew(m.sizes, r.Bytes)
	}
	for _, m := range list {
		slices.Sort(m.sizes)
		if one := m.results[0].Bytes; !slices.ContainsFunc(m.results, func(r speedResult) bool { return r.Bytes != one && r.Operation == m.results[0].Operation }) {
			m.sizes = []int{one} // of keys and ciphertexts, not of data
		}
	}
	return list
}

func appendNew[T comparable](list []T, x T) []T {
	if slices.Contains(list, x) {
		return list
	}
	return append(list, x)
}

// row returns the results of an operation and a driver by ascending size. The driver ""
// stands for the one that is selected, by size.
func (m *measured) row(operation, driver string) (row []speedResult) {
	for _, n := range m.sizes {
		for _, r := range m.results {
			if r.Operation == operation && (r.Bytes == n || len(m.sizes) == 1) && (r.Driver == driver || driver == "" && r.Auto) {
				row = append(row, r)
				break
			}
		}
	}
	return row
}

// column returns the head of the column for a size.
func (m *measured) column(size int) string {
	if len(m.sizes) == 1 {
		return "ratio"
	}
	return fmt.Sprint(size)
}

// perMessage returns the time of one message: for SM2, all have 32 bytes.
func (r *speedResult) perMessage() float64 {
	if r.Algorithm == "sm2" && r.Bytes > 32 {
		return r.NS * 32 / float64(r.Bytes)
	}
	return r.NS
}

// resultAt returns the result for a size, or the only one, or nil.
func resultAt(row []speedResult, size int) *speedResult {
	for i := range row {
		if row[i].Bytes == size || len(row) == 1 {
			return &row[i]
		}
	}
	return nil
}

// missing lists the drivers that are not available, with what they lack.
func (doc *Document) missing(algorithm string) string {
	var list []string
	for _, u := range doc.Unavailable {
		if u.Algorithm == algorithm {
			why := u.Why
			if why == "" {
				why = "lacks " + strings.Join(u.Missing, " ")
			}
			list = append(list, u.Driver+" ("+why+")")
		}
	}
	return strings.Join(list, ", ")
}

// common returns the algorithms that are in both documents.
func common(docs [2]*Document) (list [][2]*measured) {
	others := docs[1].algorithms()
	for _, a := range docs[0].algorithms() {
		for _, b := range others {
			if a.name == b.name {
				list = append(list, [2]*measured{a, b})
			}
		}
	}
	return list
}

// A compareRow has the ratios of a driver by size: above 1, the second document is faster.
type compareRow struct {
	op, driver string
	ratios     []float64 // NaN: not in both
	noise      []float64 // how far a ratio may be from 1 by noise alone
}

// driverNames lists the drivers of a row, one of them for each range of sizes.
func driverNames(row []speedResult) string {
	var list []string
	for _, r := range row {
		list = appendNew(list, r.Driver)
	}
	return strings.Join(list, "/")
}

// compareRows returns rows for the selected drivers and for each driver in both documents.
func compareRows(m [2]*measured) (rows []compareRow) {
	for _, op := range m[0].operations {
		for _, driver := range append([]string{""}, m[0].drivers...) {
			a, b := m[0].row(op, driver), m[1].row(op, driver)
			row := compareRow{op: op, driver: driver}
			if driver == "" {
				row.driver = driverNames(a)
				if other := driverNames(b); other != row.driver {
					row.driver += " → " + other
				}
				row.driver += " (selected)"
			}
			any := false
			for _, n := range m[0].sizes {
				ratio, noise := math.NaN(), 0.0
				if x, y := resultAt(a, n), resultAt(b, n); x != nil && y != nil && x.Bytes == y.Bytes && y.NS > 0 {
					ratio, noise, any = x.NS/y.NS, max(0.03, x.Spread+y.Spread), true
				}
				row.ratios, row.noise = append(row.ratios, ratio), append(row.noise, noise)
			}
			if any {
				rows = append(rows, row)
			}
		}
	}
	return rows
}

// compare prints a comparison of two files.
func (c *SpeedCmd) compare(p *cli.Program) error {
	if len(c.Algorithms) != 2 {
		return cli.Usagef("--compare: want two files that speed --json has written")
	}
	if c.Format != "table" && c.Format != "html" {
		return cli.Usagef("--compare: want --format table or html")
	}
	var docs [2]*Document
	for i, file := range c.Algorithms {
		var err error
		if docs[i], err = readSpeed(file); err != nil {
			return err
		}
	}
	names := [2]string{c.Algorithms[0], c.Algorithms[1]}
	list := common(docs)
	if len(list) == 0 {
		return errors.New("speed --compare: the files have no algorithm in common")
	}
	if c.Format == "html" {
		p.Print(comparePage(names, docs))
		return p.Flush()
	}
	for i, doc := range docs {
		p.Say("%s: %s: %s, %s\n", "AB"[i:i+1], cli.Quote(names[i]), doc.Machine, doc.Machine.Go)
		if noise := doc.noise(); noise != "" {
			p.Say("   noise %s\n", noise)
		}
	}
	for _, text := range differences(docs) {
		p.Say("%s\n", text)
	}
	p.Say("how many times as fast the drivers of B are\n")
	for _, m := range list {
		p.Say("\n")
		p.Title(m[0].id, strings.TrimPrefix(m[0].name, m[0].id+", "))
		rows := cli.Table{Header: []string{"driver", "operation"}, Tight: true}
		for _, n := range m[0].sizes {
			rows.Header = append(rows.Header, m[0].column(n))
			rows.Right = append(rows.Right, len(rows.Header)-1)
		}
		for _, r := range compareRows(m) {
			row := []string{r.driver, r.op}
			for _, x := range r.ratios {
				if math.IsNaN(x) {
					row = append(row, "")
				} else {
					row = append(row, fmt.Sprintf("×%.2f", x))
				}
			}
			rows.Add(row...)
		}
		p.Table(rows)
	}
	return p.Flush()
}

func readSpeed(file string) (*Document, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, cli.WithFileName(file, err)
	}
	doc := new(Document)
	if err := json.Unmarshal(data, doc); err != nil || doc.Schema != 1 || len(doc.Results) == 0 {
		return nil, fmt.Errorf("%s: is not from \"cipherlane speed --json\"", cli.Quote(file))
	}
	for _, r := range doc.Results {
		if !(r.NS > 0) || !(r.MBPerS > 0) || r.Bytes <= 0 {
			return nil, fmt.Errorf("%s: impossible result for %s", cli.Quote(file), cli.Quote(r.Algorithm))
		}
	}
	return doc, nil
}
