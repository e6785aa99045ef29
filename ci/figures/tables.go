package main

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/cipherlane/cipherlane/ci/figures/data"
)

// tables has what can be in a document, by name. Arguments are mostly names of files.
var tables map[string]func(all *set, arguments []string) string

func init() {
	tables = map[string]func(*set, []string) string{
		"readme":     readme,
		"sources":    sources,
		"notes":      notes,
		"families":   families,
		"speeds":     speeds,
		"native":     native,
		"many":       many,
		"purego":     purego,
		"lengths":    lengths,
		"drivers":    drivers,
		"operations": operations,
		"sm2":        sm2,
		"frodo":      frodo,
		"models":     models,
		"on":         on,
		"ppc64le":    ppc64le,
		"counts":     counts,
		"emulators":  emulators,
		"others":     others,
		"list":       list,
		"programs":   programs,
		"sizes":      sizes,
	}
}

// A grid is a table. Rows and columns are in the order in which they are added.
type gridTable struct {
	corner        string
	rows, columns []string
	cells         map[[2]string]string
}

func newGrid(corner string) *gridTable {
	return &gridTable{corner: corner, cells: map[[2]string]string{}}
}

// add sets a cell. The first value counts, so that figures come before older ones.
func (g *gridTable) add(row, column, text string) {
	if !slices.Contains(g.rows, row) {
		g.rows = append(g.rows, row)
	}
	if !slices.Contains(g.columns, column) {
		g.columns = append(g.columns, column)
	}
	if key := [2]string{row, column}; g.cells[key] == "" {
		g.cells[key] = text
	}
}

// String returns Markdown. A row is a text of cells, "SM4 | gfni-avx512"; so is the corner.
func (g *gridTable) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "| %s |", g.corner)
	for _, c := range g.columns {
		b.WriteString(strings.TrimRight(" "+c, " ") + " |")
	}
	b.WriteString("\n|" + strings.Repeat("---|", strings.Count(g.corner, "|")+1) + strings.Repeat("--:|", len(g.columns)) + "\n")
	for _, r := range g.rows {
		fmt.Fprintf(&b, "| %s |", r)
		for _, c := range g.columns {
			if text := g.cells[[2]string{r, c}]; text != "" {
				b.WriteString(" " + text + " |")
			} else {
				b.WriteString(" |")
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

// digits formats a number with three significant digits, or as a whole number.
func digits(x float64) string {
	switch {
	case x == 0:
		return "0"
	case x < 10:
		return fmt.Sprintf("%.2f", x)
	case x < 100:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.0f", x)
}

// plain formats a number with all of its digits.
func plain(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// times formats a ratio.
func times(x float64) string {
	if x < 10 {
		return fmt.Sprintf("%.2f", x)
	}
	return fmt.Sprintf("%.1f", x)
}

// size formats a length. Modes for whole blocks have 1408 or 1424 bytes in the column for 1420.
func size(bytes int) string {
	switch {
	case bytes == 0:
		return "in all"
	case bytes == 1408 || bytes == 1424:
		return "1420 B"
	case bytes%1024 == 0 && bytes >= 4096:
		return strconv.Itoa(bytes/1024) + " KiB"
	}
	return strconv.Itoa(bytes) + " B"
}

// goPeers are what Go programs use today, the first first.
var goPeers = []string{"Go", "x/crypto", "pion/dtls", "gmsm", "crypto/tls", "unmodified", "cp"}

// goPeer returns the first of them that a row is compared with, or "".
func goPeer(r data.Row) string {
	i := slices.IndexFunc(goPeers, func(name string) bool { return r.Peers[name] > 0 })
	if i < 0 {
		return ""
	}
	return goPeers[i]
}

// find returns the row of an operation and a size, preferring the selected driver.
func find(f *data.File, operation string, bytes int) (data.Row, bool) {
	best := -1
	for i, r := range f.Rows {
		same := r.Bytes == bytes || size(r.Bytes) == size(bytes)
		if r.Operation == operation && same && (best < 0 || r.Selected && !f.Rows[best].Selected) {
			best = i
		}
	}
	if best < 0 {
		return data.Row{}, false
	}
	return f.Rows[best], true
}

// must is find for what has to be there.
func must(f *data.File, operation string, bytes int) data.Row {
	r, ok := find(f, operation, bytes)
	if !ok {
		panic(mistake(fmt.Sprintf("docs/machines/%s.json has no %s, %s", f.Name, operation, size(bytes))))
	}
	return r
}

// emulated returns the row of a CPU and a driver.
func emulated(f *data.File, cpu, driver string, bytes int) data.Row {
	i := slices.IndexFunc(f.Rows, func(r data.Row) bool { return r.On == cpu && r.Driver == driver && r.Bytes == bytes })
	if i < 0 {
		panic(mistake("docs/machines/" + f.Name + ".json has no " + cpu + ", " + driver))
	}
	return f.Rows[i]
}

// rate returns MB/s or, if an operation has no size, operations per second.
func rate(r data.Row) float64 {
	unit := map[string]float64{"ns": 1, "µs": 1e3, "s": 1e9}[r.Unit]
	switch {
	case unit == 0:
		return r.Value
	case r.Bytes == 0:
		text := strconv.FormatFloat(1e9/(r.Value*unit), 'g', 3, 64) // no more digits than were measured
		x, _ := strconv.ParseFloat(text, 64)
		return x
	}
	return 1e3 * float64(r.Bytes) / (r.Value * unit)
}

// compared returns a rate and, in brackets, the ratio to what Go programs use.
func compared(r data.Row) string {
	text := digits(rate(r))
	if peer := goPeer(r); peer != "" {
		text += " (" + times(r.Ratio(peer)) + "x)"
	}
	return text
}

// version returns the name of a peer with its version.
func version(f *data.File, peer string) string {
	return strings.TrimSpace(peer + " " + strings.TrimPrefix(f.Versions[peer], "v"))
}

// readme is the table of README.
func readme(all *set, _ []string) string {
	g := newGrid("| instead of | CPU | date")
	for _, x := range []struct {
		text, file, operation string
		bytes                 int
		cpu                   string
	}{
		{"SM4-GCM, 1420 bytes", "zen5-native", "SM4-GCM seal", 1420, ""},
		{"AES-128-GCM, 1420 bytes", "zen5-native", "AES-128-GCM seal", 1420, ""},
		{"ChaCha20-Poly1305, 1420 bytes", "zen5-native", "ChaCha20-Poly1305 seal", 1420, ""},
		{"the same, in instructions", "counts-chacha20poly1305", "ChaCha20-Poly1305 seal", 1420, "ARMv7 with NEON"},
		{"SM2, a signature", "zen4-sm2", "SM2 sign", 0, ""},
		{"TLS 1.3 with AES-128-GCM, in memory", "sapphire-rapids-tls", "TLS 1.3 with AES-128-GCM, in memory", 0, ""},
	} {
		f := all.file(x.file)
		r := must(f, x.operation, x.bytes)
		if x.cpu != "" {
			r = emulated(f, "arm, cortex-a7", "neon", x.bytes)
		}
		peer := goPeer(r)
		name := map[string]string{"Go": "crypto/aes", "gmsm": version(f, "gmsm")}[peer]
		g.add(strings.Join([]string{x.text, cmp.Or(name, peer), cmp.Or(x.cpu, f.Machine.Name), f.Date}, " | "), "", fmt.Sprintf("%.1f", r.Ratio(peer)))
	}
	return g.String()
}

// sources is a list of files: on what machine, and what was measured, when and how. What was imported
// is in one line.
func sources(all *set, names []string) string {
	var b strings.Builder
	machine := ""
	var imported []string
	for _, name := range names {
		f := all.file(name)
		m := f.Machine
		if machine == "" {
			machine = strings.Join(slices.DeleteFunc([]string{m.CPU, m.Family, m.Clock}, func(s string) bool { return s == "" }), ", ")
			fmt.Fprintf(&b, "- %s, %s.\n", machine, strings.Replace(m.Go, "go", "Go ", 1))
		}
		text := fmt.Sprintf("[%s](machines/%s.json), %s", f.Title, name, f.Date)
		if f.Imported && f.Peers() == nil || f.Imported && len(f.Peers()) < 3 {
			imported = append(imported, text)
			continue
		}
		if f.Commit != "" {
			text += ", commit " + f.Commit
		}
		if f.Conditions != "" {
			text += ", " + f.Conditions
		}
		if f.Imported {
			text += ", imported"
		}
		text += fmt.Sprintf(": `%s` <!-- not run by CI: for a quiet machine -->", f.Command)
		if peers := f.Peers(); peers != nil {
			for i, peer := range peers {
				peers[i] = version(f, peer)
			}
			text += "; " + strings.Join(peers, ", ")
		}
		b.WriteString("- " + text + ".\n")
	}
	if imported != nil {
		b.WriteString("- Imported: " + strings.Join(imported, "; ") + ".\n")
	}
	return b.String()
}

// notes are what files say in words, a paragraph for each.
func notes(all *set, names []string) string {
	var b strings.Builder
	for _, name := range names {
		if list := all.file(name).Notes; list != nil {
			b.WriteString("- " + strings.Join(list, " ") + "\n")
		}
	}
	return b.String()
}

// A family is what a table of speeds has.
type family struct {
	name       string
	operations []string
	driver     string // an operation, whose driver is that of all
}

var allFamilies = map[string]family{
	"AES": {"AES", []string{"AES-128-GCM seal", "AES-256-GCM seal", "AES-128-CTR", "AES-128-CBC encrypt", "AES-128-CBC decrypt",
		"AES-128-XTS encrypt", "AES-128-CCM seal"}, "AES-128-GCM seal"},
	"SM4": {"SM4", []string{"SM4-GCM seal", "SM4-CTR", "SM4-CBC encrypt", "SM4-CBC decrypt",
		"SM4-XTS encrypt", "SM4-CCM seal", "SM3"}, "SM4-GCM seal"},
	"ChaCha": {"ChaCha20-Poly1305", []string{"ChaCha20-Poly1305 seal", "ChaCha20-Poly1305 open"}, "ChaCha20-Poly1305 seal"},
}

var columns = []int{64, 1420, 16384}

// families is a table of one family: our MB/s and, in brackets, how many times as fast that is as what
// Go programs use; and the ratios to libraries in C. Arguments are the family, the file with peers
// and the file that names drivers.
func families(all *set, arguments []string) string {
	f, fast := all.file(arguments[1]), all.file(arguments[2])
	x := allFamilies[arguments[0]]
	var names []string
	for _, bytes := range []int{64, 1420, 65536} {
		if name := must(fast, x.driver, bytes).Driver; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	g := newGrid(x.name + " with `" + strings.Join(names, "`, `") + "`, MB/s | next to")
	for _, operation := range x.operations {
		title := operation + " | " + goPeer(must(f, operation, 64))
		for _, bytes := range columns {
			g.add(title, size(bytes), compared(must(f, operation, bytes)))
		}
		for _, peer := range f.Peers() {
			if slices.Contains(goPeers, peer) {
				continue
			}
			var list []string
			for _, bytes := range columns {
				if ratio := must(f, operation, bytes).Ratio(peer); ratio > 0 {
					list = append(list, times(ratio))
				}
			}
			g.add(title, version(f, peer), strings.Join(list, " / "))
		}
	}
	return g.String()
}

// speeds is a table like that of a family, for people: only the ratio to what Go programs use.
func speeds(all *set, arguments []string) string {
	f := all.file(arguments[1])
	g := newGrid(f.Machine.Name + ", " + f.Date)
	for _, operation := range allFamilies[arguments[0]].operations {
		list := []string{operation}
		if operation == "AES-128-GCM seal" || operation == "SM4-GCM seal" {
			list = append(list, strings.Replace(operation, "seal", "open", 1))
		}
		for _, o := range list {
			for _, bytes := range columns {
				g.add(o, size(bytes), compared(must(f, o, bytes)))
			}
		}
	}
	return g.String()
}

// native is a table of ratios to libraries in C, for people.
func native(all *set, arguments []string) string {
	f := all.file(arguments[0])
	g := newGrid(f.Machine.Name + ", " + f.Date + " | bytes")
	for _, x := range []struct {
		operation string
		sizes     []int
	}{{"AES-128-GCM seal", columns}, {"ChaCha20-Poly1305 seal", columns}, {"SM4-CTR", columns[2:]}, {"SM4-GCM seal", columns[2:]}, {"SM3", columns[2:]}} {
		for _, bytes := range x.sizes {
			r := must(f, x.operation, bytes)
			title := x.operation + " | " + strings.TrimSuffix(size(bytes), " B")
			g.add(title, "here, ns", digits(r.Value))
			for _, peer := range f.Peers() {
				if ratio := r.Ratio(peer); !slices.Contains(goPeers, peer) {
					text := ""
					if ratio > 0 {
						text = times(ratio) + "x"
					}
					g.add(title, version(f, peer), text)
				}
			}
		}
	}
	return g.String()
}

// many is a table of what natives do not have: streams, and several messages in one call. Arguments
// are the files.
func many(all *set, names []string) string {
	g := newGrid("| date | next to")
	add := func(f *data.File, r data.Row, column string) {
		g.add(strings.Join([]string{r.Operation, f.Date, goPeer(r)}, " | "), column, compared(r))
	}
	operation := regexp.MustCompile(`^(ChaCha20 (stream|message)|[^,]*(seal|encrypt|SM3), [0-9]+ messages)$`)
	for _, name := range names {
		f := all.file(name)
		for _, r := range f.Rows {
			if !operation.MatchString(r.Operation) {
				continue
			}
			switch column := size(r.Bytes); column {
			case "64 B", "1420 B", "16 KiB":
				add(f, r, column)
			case "1024 B": // where there is no other
				if _, ok := find(f, r.Operation, 1420); !ok {
					add(f, r, "1 KiB")
				}
			}
		}
	}
	return ordered(g, []string{"64 B", "1 KiB", "1420 B", "16 KiB"}).String()
}

// purego is a line for each algorithm of portable code with packets, of ours and of others.
func purego(all *set, names []string) string {
	var b strings.Builder
	for _, name := range names {
		f := all.file(name)
		for _, algorithm := range []string{"AES-128", "SM4", "SM3"} {
			var list []string
			for _, mode := range []string{"-GCM seal", "-CTR message", "-CBC decrypt", "-CBC encrypt", ""} {
				if r, ok := find(f, algorithm+mode, 1420); ok {
					list = append(list, strings.TrimPrefix(mode, "-")+" "+compared(r))
				}
			}
			if list != nil {
				fmt.Fprintf(&b, "- %s next to %s: %s.\n", algorithm, version(f, f.Peers()[0]), strings.TrimSpace(strings.Join(list, ", ")))
			}
		}
	}
	return b.String()
}

// lengths is a table of drivers by size: nanoseconds and the ratio to what Go programs use.
func lengths(all *set, names []string) string {
	g := newGrid("ns | driver")
	for _, name := range names {
		for _, r := range all.file(name).Rows {
			if !strings.HasSuffix(r.Operation, "empty") && r.Bytes <= 4096 && r.Bytes != 80 && r.Bytes != 448 {
				g.add(r.Operation+" | `"+r.Driver+"`", strconv.Itoa(r.Bytes), digits(r.Value)+" ("+times(r.Ratio(goPeer(r)))+"x)")
			}
		}
	}
	return g.String()
}

// ordered puts columns into an order.
func ordered(g *gridTable, order []string) *gridTable {
	slices.SortStableFunc(g.columns, func(a, b string) int { return cmp.Compare(slices.Index(order, a), slices.Index(order, b)) })
	return g
}

// drivers is a table of drivers: what they reach on two machines, MB/s or, without a size,
// operations per second. The figures of selected drivers are bold. Arguments are the beginning of
// operations and the files.
func drivers(all *set, arguments []string) string {
	g := newGrid(arguments[0])
	shown := map[string][]int{
		"SM3": {64, 1420, 65536}, "SM3, 32 messages": {64, 1420}, "SM3 KDF": {1024},
		"SM4-CTR": {64, 1420, 65536}, "SM4-GCM seal": {64, 1420, 65536}, "SM4-CBC encrypt": {1408}, "SM4-CBC decrypt": {1408, 65536},
		"AES-128-CTR": {64, 1420, 65536}, "AES-128-GCM seal": {64, 1420, 65536}, "AES-128-CBC encrypt": {1408}, "AES-128-CBC decrypt": {1408, 65536},
		"ChaCha20": {16, 64, 1420, 65536}, "ChaCha20-Poly1305 seal": {16, 64, 256, 1420, 65536},
	}
	first := all.file(arguments[1])
	for _, r := range first.Rows {
		if !strings.HasPrefix(r.Operation, arguments[0]) || r.Bytes > 0 && !slices.Contains(shown[r.Operation], r.Bytes) {
			continue
		}
		column := r.Operation
		if r.Bytes > 0 {
			column += ", " + size(r.Bytes)
		}
		var values []string
		for _, name := range arguments[1:] {
			f := all.file(name)
			i := slices.IndexFunc(f.Rows, func(o data.Row) bool { return o.Operation == r.Operation && o.Bytes == r.Bytes && o.Driver == r.Driver })
			if i < 0 {
				panic(mistake("docs/machines/" + name + ".json lacks " + column + " with " + r.Driver))
			}
			text := digits(rate(f.Rows[i]))
			if f.Rows[i].Selected {
				text = "**" + text + "**"
			}
			values = append(values, text)
		}
		g.add("`"+r.Driver+"`", short(column), strings.Join(values, " / "))
	}
	return g.String()
}

// short removes from a heading what all columns have in common.
func short(column string) string {
	for _, prefix := range []string{"SM4-", "AES-128-", "SM2 ", "FrodoKEM-"} {
		column = strings.TrimPrefix(column, prefix)
	}
	return column
}

// operations is a table of the operations of files, by size: MB/s, or operations per second. The
// first argument is a regular expression for operations, the second are sizes.
func operations(all *set, arguments []string) string {
	match := regexp.MustCompile(arguments[0])
	var g *gridTable
	for _, name := range arguments[2:] {
		f := all.file(name)
		if g == nil {
			g = newGrid(f.Machine.Name + " | next to")
		}
		for _, text := range strings.Split(arguments[1], ",") {
			bytes, _ := strconv.Atoi(text)
			for _, r := range f.Rows {
				if match.MatchString(r.Operation) && size(r.Bytes) == size(bytes) && r.Driver != "generic" {
					g.add(r.Operation+" | "+goPeer(r), size(bytes), compared(r))
				}
			}
		}
	}
	return g.String()
}

// sm2 is a table of SM2 next to gmsm, from two files: single operations, by driver, and many at once.
func sm2(all *set, names []string) string {
	g := newGrid(all.file(names[0]).Machine.Name + ", per second")
	for _, name := range names {
		for _, r := range all.file(name).Rows {
			operation, n, many := strings.Cut(r.Operation, ", ")
			if n == "8 messages" {
				continue
			}
			row := "`" + r.Driver + "`"
			if many {
				row += ", " + n
			}
			g.add(row, short(operation), compared(r))
		}
	}
	return g.String()
}

// frodo is a table of FrodoKEM: a row for each set.
func frodo(all *set, names []string) string {
	f := all.file(names[0])
	g := newGrid(f.Machine.Name + ", per second")
	for _, r := range f.Rows {
		set, operation, _ := strings.Cut(short(r.Operation), " ")
		g.add(set, operation, digits(rate(r)))
	}
	return g.String()
}

// models is a table of models of CPUs, for drivers that match.
func models(all *set, arguments []string) string {
	g := newGrid("driver | cycles/B of")
	match := regexp.MustCompile(arguments[0])
	for _, r := range all.file(arguments[1]).Rows {
		if match.MatchString(r.Driver + " " + r.Operation) {
			g.add("`"+r.Driver+"` | "+strings.TrimSuffix(r.Operation, " at once"), cmp.Or(r.On, "instructions/B"), plain(r.Value))
		}
	}
	return g.String()
}

// on is a line of counts on other CPUs, for those that match.
func on(all *set, arguments []string) string {
	match := regexp.MustCompile(arguments[0])
	var order []string
	items := map[string]string{}
	for _, r := range all.file(arguments[1]).Rows {
		if title := r.On + " `" + r.Driver + "`"; match.MatchString(r.On) && r.Driver != "generic" {
			if items[title] == "" {
				order = append(order, title)
			} else {
				items[title] += ", "
			}
			items[title] += count(r) + " (" + column(r) + ")"
		}
	}
	for i, title := range order {
		order[i] = title + " " + items[title]
	}
	return "- " + strings.Join(order, "; ") + ".\n"
}

// column is the heading for counts of a size: those of long messages are per byte.
func column(r data.Row) string {
	if r.Bytes > 1000 {
		return size(r.Bytes) + ", per byte"
	}
	return size(r.Bytes)
}

// ppc64le is a table of a driver that calls another library.
func ppc64le(all *set, names []string) string {
	g := newGrid("`std` / Go")
	for _, r := range all.file(names[0]).Rows {
		if r.Selected && r.Peers != nil && r.Bytes >= 64 {
			g.add(r.Operation, column(r), count(r))
		}
	}
	return ordered(g, []string{"64 B", "1420 B, per byte", "16 KiB, per byte"}).String()
}

// counts is a table of instructions: of the selected driver, and of the library that takes the fewest.
// Arguments are the files.
func counts(all *set, names []string) string {
	g := newGrid("CPU")
	for _, x := range []struct {
		operation string
		bytes     int
	}{
		{"AES-128-CTR", 16384}, {"AES-128-GCM seal", 64}, {"AES-128-GCM seal", 16384}, {"AES-128-CBC encrypt", 16384},
		{"SM4-GCM seal", 16384}, {"SM4-CBC encrypt", 16384}, {"SM3", 16384}, {"ChaCha20-Poly1305 seal", 1420},
		{"SM2 sign", 0}, {"FrodoKEM-640-AES encapsulate", 0}, {"FrodoKEM-640-SHAKE encapsulate", 0},
	} {
		title := x.operation + ", " + column(data.Row{Bytes: x.bytes})
		for _, name := range names {
			f := all.file(name)
			row := "[" + f.Machine.Name + "](machines/" + name + ".json)"
			if r, ok := find(f, x.operation, x.bytes); ok {
				g.add(row, title, "`"+r.Driver+"` "+count(r))
			} else {
				g.add(row, title, "")
			}
		}
	}
	return g.String()
}

// emulators is a list of the commands that count, with the versions of peers, and of the CPUs.
func emulators(all *set, names []string) string {
	var b strings.Builder
	command := ""
	for _, name := range names {
		f := all.file(name)
		if f.Command != command {
			if command != "" {
				b.WriteString(".\n")
			}
			command = f.Command
			var versions []string
			for _, peer := range slices.Sorted(maps.Keys(f.Versions)) {
				versions = append(versions, version(f, peer))
			}
			fmt.Fprintf(&b, "- `%s` <!-- not run by CI: takes minutes -->, %s; %s", command, f.Date, strings.Join(versions, ", "))
		}
		_, short, _ := strings.Cut(f.Machine.Name, ", ")
		b.WriteString("; " + short + ": " + f.Machine.CPU)
	}
	return b.String() + ".\n"
}

// count formats instructions and those of the best peer.
func count(r data.Row) string {
	format := func(n float64) string {
		switch {
		case r.Bytes > 1000:
			return digits(n / float64(r.Bytes))
		case n >= 1e6:
			return digits(n/1e6) + " M"
		case n >= 1e4:
			return digits(n/1e3) + " k"
		}
		return plain(n)
	}
	text := format(r.Value)
	for _, n := range slices.Sorted(maps.Values(r.Peers)) {
		return text + " / " + format(n)
	}
	return text
}

// others is the table of docs/speed.md of CPUs other than amd64: instructions per byte.
func others(all *set, _ []string) string {
	g := newGrid("CPU")
	for _, m := range []struct{ cpu, file string }{
		{"arm64 with AES", "counts-arm64-aes"},
		{"arm64 with AES, SM3 and SM4", "counts-arm64-sm4"},
		{"arm64 with NEON alone (Raspberry Pi 4)", "counts-arm64-neon"},
		{"ARMv7 with NEON", "counts-arm-neon"},
		{"ARMv6 (Raspberry Pi Zero)", "counts-arm-armv6"},
		{"riscv64 with vectors of 256 bits (SpacemiT K1)", "counts-riscv64-v-256"},
		{"the same with vector cryptography", "counts-riscv64-zvk-256"},
		{"riscv64 without vectors (Milk-V Mars)", "counts-riscv64-scalar"},
		{"MIPS32 release 2", "counts-mipsle-mips32"},
	} {
		f := all.file(m.file)
		for _, x := range []struct {
			operation string
			bytes     int
		}{{"AES-128-CTR", 16384}, {"AES-128-GCM seal", 16384}, {"SM4-GCM seal", 16384}, {"SM3", 16384}, {"ChaCha20-Poly1305 seal", 1420}} {
			text := ""
			if r, ok := find(f, x.operation, x.bytes); ok {
				text = count(r)
			} else if x.bytes == 1420 && m.file == "counts-riscv64-v-256" {
				text = count(emulated(all.file("counts-chacha20poly1305"), "riscv64, VLEN 256", "rvv", x.bytes))
			}
			g.add(m.cpu, strings.TrimSuffix(x.operation, " seal"), text)
		}
	}
	return g.String()
}

// list is a list of the figures of a file, for few of a kind: a line for an algorithm.
func list(all *set, names []string) string {
	g := newGrid("") // a row for an algorithm, a column for an operation
	for _, r := range all.file(names[0]).Rows {
		algorithm, operation, _ := strings.Cut(r.Operation, " ")
		if i := strings.LastIndex(algorithm, "-"); strings.HasPrefix(r.Operation, "AES-128-") || strings.HasPrefix(r.Operation, "SM4-") {
			algorithm, operation = r.Operation[:i], r.Operation[i+1:]
		}
		algorithm = strings.TrimSuffix(algorithm, ",")
		text := plain(r.Value)
		switch {
		case r.On != "":
			text = r.On + " " + text
		case r.Driver != "":
			text = "`" + r.Driver + "` " + text
		}
		if points, ok := strings.CutPrefix(r.Unit, "slower points "); ok {
			algorithm, operation = r.Operation, ""
			text += " slower " + points
		}
		if r.Unit == "ns" {
			algorithm += ", ns"
			if r.Bytes > 0 {
				operation = size(r.Bytes)
			}
		}
		if !slices.Contains(g.columns, operation) {
			g.columns = append(g.columns, operation)
		}
		if !slices.Contains(g.rows, algorithm) {
			g.rows = append(g.rows, algorithm)
		}
		key := [2]string{algorithm, operation}
		if g.cells[key] != "" {
			g.cells[key] += ", "
		}
		g.cells[key] += text
	}
	var b strings.Builder
	for _, row := range g.rows {
		var items []string
		for _, c := range g.columns {
			if text := g.cells[[2]string{row, c}]; text != "" {
				items = append(items, strings.TrimSpace(c+" "+text))
			}
		}
		b.WriteString("- " + row + ": " + strings.Join(items, "; ") + ".\n")
	}
	return b.String()
}

// programs is a table of programs with and without ours.
func programs(all *set, names []string) string {
	g := newGrid("| unit")
	for _, name := range names {
		for _, r := range all.file(name).Rows {
			if r.Operation == "sender" || r.Operation == "receiver" || r.Unit == "s" && r.Peers == nil || strings.Contains(r.Operation, "-j 1") || strings.HasPrefix(r.Operation, "TLS 1.2 with AES") {
				continue
			}
			title := r.Operation + " | " + r.Unit
			g.add(title, "with cipherlane", plain(r.Value))
			if peer := goPeer(r); peer != "" {
				g.add(title, "without", plain(r.Peers[peer])+" ("+times(r.Ratio(peer))+"x)")
			}
		}
	}
	return g.String()
}

// sizes is the table of docs/sizes.md.
func sizes(all *set, _ []string) string {
	g := newGrid("program")
	for _, r := range all.file("sizes").Rows {
		g.add(r.Operation, r.On, fmt.Sprintf("%.2f", r.Value))
	}
	return g.String()
}
