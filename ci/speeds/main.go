// Speeds makes the section "Speeds by machine" of docs/benchmarks.md from docs/machines,
// which has the output of cipherlane speed --json for each machine that was measured.
//
//	go run ./ci/speeds          as Markdown
//	go run ./ci/speeds -write   into docs/benchmarks.md
//
// Its test checks that the section is what it makes.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cipherlane/cipherlane/ci/section"
)

const heading = "## Speeds by machine"

// A document is what speed --json prints, as far as the tables need it.
type document struct {
	Version string
	Date    string
	Seconds float64
	Machine struct {
		CPU, OS, Arch, Go string
		Cores             int
	}
	Results []result
}

type result struct {
	Algorithm string
	KeyBits   int `json:"key_bits"`
	Driver    string
	Operation string
	Bytes     int
	NS        float64
	MBPerS    float64 `json:"mb_per_s"`
	Auto      bool
}

func main() {
	write := flag.Bool("write", false, "replace the section of docs/benchmarks.md")
	flag.Parse()
	text, err := markdown("docs/machines")
	if err == nil && *write {
		err = section.Replace("docs/benchmarks.md", text)
	} else if err == nil {
		fmt.Print(text)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "speeds:", err)
		os.Exit(1)
	}
}

// markdown returns the section for the files in a folder.
func markdown(dir string) (string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.json")) // sorted
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("no files in %s", dir)
	}
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(heading + "\n\n" + `MB/s (10^6 bytes per second) by bytes per call with the driver that is selected, medians,
from docs/machines by ` + "`go run ./ci/speeds -write`" + ` <!-- not run by CI: writes this section -->. A machine is
added by ` + "`cipherlane speed --json --seconds 60 -o docs/machines/NAME.json`" + ` <!-- not run by CI: takes a minute -->.
` + "`cipherlane speed --compare ONE TWO`" + ` shows two of these files side by side.
`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		var doc document
		if err := json.Unmarshal(text, &doc); err != nil || len(doc.Results) == 0 {
			return "", fmt.Errorf("%s: no results: %v", file, err)
		}
		m := doc.Machine
		fmt.Fprintf(&b, "\n### %s\n\n%s, %d cores, %s/%s, %s; %s, for %v s.\n\n", strings.TrimSuffix(filepath.Base(file), ".json"), m.CPU, m.Cores, m.OS, m.Arch, m.Go, doc.Date, doc.Seconds)
		table(&b, doc.Results)
	}
	return b.String(), nil
}

// sizes are the columns.
var sizes = []int{16, 64, 256, 1420, 8192, 65536}

func table(b *strings.Builder, results []result) {
	b.WriteString("| algorithm | operation | driver |")
	for _, n := range sizes {
		fmt.Fprintf(b, " %d |", n)
	}
	b.WriteString("\n|---|---|---|" + strings.Repeat("--:|", len(sizes)) + "\n")
	done := map[string]bool{}
	for _, first := range results {
		row := first.row()
		if done[row] {
			continue
		}
		done[row] = true
		var drivers, cells []string
		for _, n := range sizes {
			cell := ""
			for _, r := range results {
				// Whole blocks: 1408 bytes are in the column for 1420.
				if r.Auto && r.row() == row && (r.Bytes == n || r.Bytes == n-n%16) {
					cell = digits(r.MBPerS)
					if !slices.Contains(drivers, r.Driver) {
						drivers = append(drivers, r.Driver)
					}
				}
			}
			cells = append(cells, cell)
		}
		if drivers != nil && strings.Join(cells[1:], "") != "" { // more than keys or digests
			fmt.Fprintf(b, "| %s | %s |\n", row+" | "+strings.Join(drivers, ", "), strings.Join(cells, " | "))
		}
	}
	b.WriteString("\n| algorithm | operation | driver | per second |\n|---|---|---|--:|\n")
	for _, r := range results {
		if r.Auto && !slices.Contains(sizes, r.Bytes) && !slices.ContainsFunc(results, func(o result) bool { return o.row() == r.row() && o.Bytes != r.Bytes }) ||
			r.Auto && strings.HasPrefix(r.Algorithm, "sm2") {
			count := 1.0
			if r.Algorithm == "sm2" {
				count = float64(r.Bytes) / 32 // messages
			}
			fmt.Fprintf(b, "| %s | %s | %s |\n", r.row(), r.Driver, digits(1e9*count/r.NS))
		}
	}
}

// row returns the algorithm and the operation.
func (r result) row() string {
	name := r.Algorithm
	if r.KeyBits > 0 {
		name += fmt.Sprintf(", %d bits", r.KeyBits)
	}
	return name + " | " + r.Operation
}

// digits formats a number with three significant digits, or as a whole number.
func digits(x float64) string {
	switch {
	case x < 10:
		return fmt.Sprintf("%.2f", x)
	case x < 100:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.0f", x)
}
