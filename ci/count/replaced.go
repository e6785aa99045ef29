//go:build linux

package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/cipherlane/cipherlane/ci/section"
)

// Counts decide which packages "cipherlane go" replaces: those of a program that knows nothing of
// cipherlane (peers/replaced): built by the go command, and with everything replaced. A line of
// countsFile is "GOARCH MACHINE LIBRARY BYTES THEIRS OURS OPERATION"; BYTES is 0 if there is no
// size. From it, writeReplaced makes the table that the command has, and sections of documents.
const (
	countsFile = "ci/count/replaced.txt"
	tableFile  = "cmd/cipherlane/internal/substitute/replaced.txt"

	replacedProgram = "peers/replaced"
	replacedHeading = "## What is replaced, by GOARCH"
)

// replaceAll are the options of "cipherlane go" that replace everything.
var replaceAll = []string{"--std", "--only", "std", "--only", "github.com/emmansun/gmsm", "--only", "github.com/tjfoc/gmsm",
	"--only", "golang.org/x/crypto", "--only", "github.com/tailscale/wireguard-go"}

// atMost is how many times their instructions or time ours may take. Less is not more than the
// placement of code changes.
const atMost = 1.05

// A pair is an operation of a library, by its own code and by ours.
type pair struct {
	goarch, machine, library string
	bytes                    int
	theirs, ours             float64
	operation                string
}

func (p pair) String() string {
	format := func(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }
	return fmt.Sprintf("%s %s %s %d %s %s %s", p.goarch, p.machine, p.library, p.bytes, format(p.theirs), format(p.ours), p.operation)
}

func (p pair) ratio() float64 { return p.ours / p.theirs }

// isTime reports whether a pair is of times on a real CPU, from another document. Such pairs
// decide, and counts do not, where there are any.
func (p pair) isTime() bool { return strings.HasPrefix(p.machine, "times") }

// same reports whether two pairs are of the same thing.
func (p pair) same(q pair) bool {
	return p.goarch == q.goarch && p.machine == q.machine && p.library == q.library && p.bytes == q.bytes && p.operation == q.operation
}

// A unit is what is replaced or not: an algorithm of a module.
type unit struct{ module, algorithm string }

var modules = map[string]string{
	"std":       "std",
	"gmsm":      "github.com/emmansun/gmsm",
	"tjfoc":     "github.com/tjfoc/gmsm",
	"x/crypto":  "golang.org/x/crypto",
	"tailscale": "github.com/tailscale/wireguard-go",
}

func (p pair) unit() unit {
	algorithm, _, _ := strings.Cut(p.operation, " ")
	if !strings.HasPrefix(algorithm, "ChaCha20") {
		algorithm, _, _ = strings.Cut(algorithm, "-")
	}
	return unit{modules[p.library], algorithm}
}

// tables reports whether their code looks up secrets in tables, for whole messages.
func (u unit) tables(goarch string) bool {
	own := "" // architectures for which they have code without
	switch u {
	case unit{"std", "AES"}:
		own = "amd64 arm64 ppc64 ppc64le s390x"
	case unit{modules["gmsm"], "SM4"}:
		own = "amd64 arm64 loong64 ppc64 ppc64le"
	case unit{modules["tjfoc"], "SM4"}, unit{modules["tjfoc"], "SM2"}:
	default:
		return false
	}
	return !slices.Contains(strings.Fields(own), goarch)
}

// decide returns "yes"; "tables" if it takes more, but theirs looks up secrets in tables; "none"
// if theirs has no code of its own; or "no". It also returns the least and the greatest ratio, of
// the pairs that decide.
func (u unit) decide(list []pair, goarch string) (word string, least, most float64) {
	var counts, times []float64
	for _, p := range list {
		if p.unit() == u && p.goarch == goarch {
			if p.isTime() {
				times = append(times, p.ratio())
			} else {
				counts = append(counts, p.ratio())
			}
		}
	}
	if times != nil {
		counts = times
	}
	if counts == nil {
		if u.module == modules["tailscale"] {
			return "none", math.NaN(), math.NaN()
		}
		return "no", math.NaN(), math.NaN()
	}
	least, most = slices.Min(counts), slices.Max(counts)
	switch {
	case most <= atMost:
		return "yes", least, most
	case u.tables(goarch):
		return "tables", least, most
	}
	return "no", least, most
}

func readPairs() (list []pair, comments string, err error) {
	f, err := os.Open(countsFile)
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	for s.Scan() {
		if strings.HasPrefix(s.Text(), "#") {
			comments += s.Text() + "\n"
			continue
		}
		field := strings.SplitN(s.Text(), " ", 7)
		if len(field) < 7 || modules[field[2]] == "" {
			return nil, "", fmt.Errorf("%s: unexpected line %q", countsFile, s.Text())
		}
		size, err1 := strconv.Atoi(field[3])
		theirs, err2 := strconv.ParseFloat(field[4], 64)
		ours, err3 := strconv.ParseFloat(field[5], 64)
		if err := errors.Join(err1, err2, err3); err != nil {
			return nil, "", fmt.Errorf("%s: %w in line %q", countsFile, err, s.Text())
		}
		list = append(list, pair{field[0], field[1], field[2], size, theirs, ours, field[6]})
	}
	return list, comments, s.Err()
}

// countReplaced counts the operations that match, on the machines of an architecture.
func countReplaced(goarch string, a arch, match string, sizes []int) ([]pair, error) {
	t, err := newTools(goarch, a, false, false)
	if err != nil {
		return nil, err
	}
	defer t.close()
	arguments := []string{match}
	for _, n := range sizes {
		arguments = append(arguments, strconv.Itoa(n))
	}
	var programs [2]string
	for i, options := range [][]string{nil, replaceAll} {
		if programs[i], err = t.build(replacedProgram, options...); err != nil {
			return nil, err
		}
	}
	var list []pair
	for _, m := range a.machines {
		var reports [2]report
		for i, program := range programs {
			output, err := t.run("", program, m.environment, arguments...)
			if err != nil {
				return nil, err
			}
			reports[i].Versions = map[string]string{}
			if err := reports[i].add(machine{name: m.name}, output); err != nil {
				return nil, err
			}
		}
		for _, c := range reports[0].Counts {
			p := pair{goarch, m.name, c.Library, c.Bytes, c.Instructions, 0, c.Operation}
			if p.library == "std" && p.unit().algorithm == "AES" && goAES[goarch] {
				continue
			}
			i := slices.IndexFunc(reports[1].Counts, func(o count) bool {
				return o.Operation == c.Operation && o.Library == c.Library && o.Bytes == c.Bytes
			})
			if i < 0 {
				return nil, fmt.Errorf("%s %s: not counted with cipherlane", c.Library, c.Operation)
			}
			p.ours = reports[1].Counts[i].Instructions
			list = append(list, p)
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("-match %s: no operation", match)
	}
	return list, nil
}

// goAES has the architectures where AES of the standard library cannot be replaced.
var goAES = map[string]bool{"ppc64": true, "ppc64le": true, "s390x": true}

// compareReplaced compares counts with the file, and prints them. The counts of other compilers and
// of changed code differ; what counts is on which side of atMost they are.
func compareReplaced(list []pair) error {
	recorded, _, err := readPairs()
	if err != nil {
		return err
	}
	for _, p := range list {
		i := slices.IndexFunc(recorded, p.same)
		if i < 0 {
			return fmt.Errorf("%s has no line for %q: use -write", countsFile, p)
		}
		fmt.Printf("%s: %.2f, in the file %.2f\n", p, p.ratio(), recorded[i].ratio())
		if (p.ratio() <= atMost) != (recorded[i].ratio() <= atMost) {
			return fmt.Errorf("%s, %s, %s, %d bytes: ours takes %.2f times theirs, but %.2f in %s: use -write",
				p.goarch, p.library, p.operation, p.bytes, p.ratio(), recorded[i].ratio(), countsFile)
		}
	}
	return nil
}

// writeReplaced puts counts of an architecture into the file and makes what depends on it.
func writeReplaced(goarch string, counted []pair) error {
	list, comments, err := readPairs()
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(p pair) bool { return p.goarch == goarch && !p.isTime() })
	list = append(list, counted...)
	slices.SortStableFunc(list, func(a, b pair) int { return cmp.Compare(a.goarch, b.goarch) })
	var b strings.Builder
	b.WriteString(comments)
	for _, p := range list {
		fmt.Fprintln(&b, p)
	}
	if err := os.WriteFile(countsFile, []byte(b.String()), 0o644); err != nil {
		return err
	}
	if err := os.WriteFile(tableFile, []byte(choices(list)), 0o644); err != nil {
		return err
	}
	for file, text := range replacedSections(list) {
		if err := section.Replace(file, text); err != nil {
			return err
		}
	}
	return nil
}

var units = []unit{
	{"std", "AES"}, {"std", "ChaCha20-Poly1305"},
	{"golang.org/x/crypto", "ChaCha20"}, {"golang.org/x/crypto", "ChaCha20-Poly1305"},
	{"github.com/tailscale/wireguard-go", "ChaCha20-Poly1305"},
	{"github.com/emmansun/gmsm", "SM2"}, {"github.com/emmansun/gmsm", "SM3"}, {"github.com/emmansun/gmsm", "SM4"},
	{"github.com/tjfoc/gmsm", "SM2"}, {"github.com/tjfoc/gmsm", "SM3"}, {"github.com/tjfoc/gmsm", "SM4"},
}

func goarches(list []pair) []string {
	names := map[string]bool{}
	for _, p := range list {
		names[p.goarch] = true
	}
	return slices.Sorted(maps.Keys(names))
}

// choices is the table for the command.
func choices(list []pair) string {
	var b strings.Builder
	b.WriteString("# What \"cipherlane go\" replaces: MODULE ALGORITHM GOARCH yes, tables, no or none. Written by\n# go run ./ci/count -replaced -write, from " + countsFile + ".\n")
	for _, u := range units {
		for _, goarch := range goarches(list) {
			word, _, _ := u.decide(list, goarch)
			fmt.Fprintln(&b, u.module, u.algorithm, goarch, word)
		}
	}
	return b.String()
}

// replacedSections returns the section of each document.
func replacedSections(list []pair) map[string]string {
	var standard, sm strings.Builder
	fmt.Fprintf(&standard, `%s

An algorithm of a module is replaced only where ours takes no more instructions or time than theirs, for short
messages and for long ones, or where theirs looks up secrets in tables. `+"`--only`"+` replaces more, and `+"`--except`"+` less. For a GOARCH
that is not in the table, nothing is replaced.

`, replacedHeading)
	summary(&standard, list, units)
	standard.WriteString(`
A cell has the least and the greatest ratio of ours to theirs, for 64 bytes and 16 KiB, over all operations and CPUs
below and in [gmsm.md](gmsm.md). In **bold** is what is not replaced, because ours takes more than 1.05 times theirs.
"Tables": theirs looks up secrets in tables, ours does not, and therefore takes more in some operations.
"–": theirs has no code of its own there. AES on ppc64, ppc64le and s390x cannot be replaced: Go has AES
instructions there, and we have no kernels. In the standard library, both algorithms are replaced or none.

Counts are instructions under qemu-user, theirs / ours, for the same program built by the go command and by
cipherlane: per call for 64 bytes, and per byte for 16 KiB. They are not times. A call of ChaCha20 begins a stream with a new nonce, as SSH
does: on arm, arm64 and riscv64 its first 64 bytes take more, so package chacha20 is not replaced there, although long messages take
0.06 to 1.0 times as much. ChaCha20-Poly1305 of the standard library is counted in HPKE. Where times are known, they
decide instead: on amd64 (Sapphire Rapids, from the tables in this document, [gmsm.md](gmsm.md), [tailscale.md](tailscale.md) and
[benchmarks.md](benchmarks.md); of chacha20 Zen 5). Tailscale's assembly for amd64 is faster below
100 bytes. On amd64 CPUs without AVX2, SM2, SM3 and SM4 are slower than theirs where their rows are bold.
`)
	details(&standard, list, units[:5])
	fmt.Fprintf(&sm, `%s

Theirs / ours, in instructions under qemu-user: per call for SM2 and for 64 bytes, and per byte for 16 KiB; [go.md](go.md)
explains the table. Where it is **bold**, ours takes more than 1.05 times theirs. SM2 signs, verifies and encrypts messages of 32 bytes.

`, replacedHeading)
	summary(&sm, list, units[5:])
	sm.WriteString(`
"Tables": theirs looks up secrets in tables, ours does not, and therefore takes more in some operations. One stream
of CBC encryption takes 2.7 to 7.5 times theirs there, unless the CPU has instructions for SM4. On ppc64 and ppc64le
gmsm has vector code for many blocks, and is not replaced; but it looks up single blocks, and with them CBC encryption, in
tables there as well. If that matters more, use ` + "`--only SM4`" + `.

On amd64, the times in the tables above decide.
`)
	details(&sm, list, units[5:])
	fmt.Fprintf(&sm, "\n<!-- not run by CI: takes minutes -->\n```\ngo run ./ci/count -replaced -write -goarch ppc64le\n```\n")
	fmt.Fprintf(&standard, "\n<!-- not run by CI: takes minutes -->\n```\ngo run ./ci/count -replaced -write -goarch ppc64le\n```\n")
	return map[string]string{"docs/go.md": standard.String(), "docs/gmsm.md": sm.String()}
}

// summary writes the table of decisions.
func summary(b *strings.Builder, list []pair, units []unit) {
	b.WriteString("| GOARCH |")
	for _, u := range units {
		fmt.Fprintf(b, " %s: %s |", short(u.module), u.algorithm)
	}
	fmt.Fprintf(b, "\n|---|%s\n", strings.Repeat("--:|", len(units)))
	for _, goarch := range goarches(list) {
		fmt.Fprintf(b, "| %s |", goarch)
		for _, u := range units {
			word, least, most := u.decide(list, goarch)
			cell := fmt.Sprintf("%.2f to %.2f", least, most)
			if cell[:4] == cell[len(cell)-4:] {
				cell = cell[:4]
			}
			switch {
			case word == "none":
				cell = "–"
			case math.IsNaN(least):
				cell = "no"
			case word == "no":
				cell = "**no: " + cell + "**"
			case word == "tables":
				cell = "yes, tables: " + cell
			default:
				cell = "yes: " + cell
			}
			fmt.Fprintf(b, " %s |", cell)
		}
		b.WriteString("\n")
	}
}

// short returns the name of a module in tables.
func short(module string) string {
	switch module {
	case "std":
		return module
	case "golang.org/x/crypto":
		return "x/crypto"
	case "github.com/tailscale/wireguard-go":
		return "Tailscale"
	}
	return strings.TrimPrefix(module, "github.com/")
}

// details writes a table for each unit.
func details(b *strings.Builder, list []pair, units []unit) {
	for _, u := range units {
		var columns []pair // of which only the operation and size count
		type row struct{ goarch, machine string }
		var rows []row
		for _, p := range list {
			if p.unit() != u || p.isTime() {
				continue
			}
			if !slices.ContainsFunc(columns, func(c pair) bool { return c.operation == p.operation && c.bytes == p.bytes }) {
				columns = append(columns, p)
			}
			if r := (row{p.goarch, p.machine}); !slices.Contains(rows, r) {
				rows = append(rows, r)
			}
		}
		slices.SortStableFunc(columns, func(a, b pair) int { return cmp.Compare(a.bytes, b.bytes) })
		fmt.Fprintf(b, "\n### %s of %s\n\n| |", u.algorithm, strings.Replace(u.module, "std", "the standard library", 1))
		for _, c := range columns {
			name := strings.TrimPrefix(strings.TrimPrefix(c.operation, "AES-128-"), u.algorithm)
			name = strings.TrimLeft(name, " -")
			switch c.bytes {
			case 0:
			case 64:
				name = strings.TrimLeft(name+", 64 B", ", ")
			default:
				name = strings.TrimLeft(name+", 16 KiB", ", ")
			}
			fmt.Fprintf(b, " %s |", name)
		}
		fmt.Fprintf(b, "\n|---|%s\n", strings.Repeat("--:|", len(columns)))
		for _, r := range rows {
			fmt.Fprintf(b, "| %s, %s |", r.goarch, r.machine)
			for _, c := range columns {
				c.goarch, c.machine = r.goarch, r.machine
				i := slices.IndexFunc(list, c.same)
				if i < 0 {
					b.WriteString(" |")
					continue
				}
				p := list[i]
				cell := fmt.Sprintf("%.0f / %.0f", p.theirs, p.ours)
				if n := float64(p.bytes); n >= 1000 {
					cell = perByte(p.theirs/n) + " / " + perByte(p.ours/n)
				}
				if p.ratio() > atMost {
					cell = "**" + cell + "**"
				}
				fmt.Fprintf(b, " %s |", cell)
			}
			b.WriteString("\n")
		}
	}
}

func perByte(n float64) string {
	switch {
	case n < 10:
		return fmt.Sprintf("%.2f", n)
	case n < 100:
		return fmt.Sprintf("%.1f", n)
	}
	return fmt.Sprintf("%.0f", n)
}
