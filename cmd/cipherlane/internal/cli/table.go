package cli

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"
)

// A Table consists of rows of text under a header. The first column is for marks and
// is omitted if there are none.
type Table struct {
	Header []string
	Right  []int // columns of numbers
	Tight  bool  // many columns of numbers: use less space between them
	Rows   [][]string
}

// Add adds a row.
func (t *Table) Add(cells ...string) { t.Rows = append(t.Rows, cells) }

// Terminal reports whether standard output is a terminal.
func (p *Program) Terminal() bool { return term.IsTerminal(int(p.Out.Fd())) }

// columns returns the width of a terminal, or 80 if it is unknown, as on a serial line.
func columns(f *os.File) int {
	if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
		return n
	}
	return 80
}

// Width returns the maximum length of lines on standard output. It is unlimited unless
// that is a terminal, because other programs expect whole lines.
func (p *Program) Width() int {
	if !p.Terminal() {
		return math.MaxInt
	}
	return columns(p.Out)
}

// A tableLine is a line of a table. It belongs to the header, to a marked row, or to
// another row.
type tableLine struct {
	text           string
	header, marked bool
}

// Table prints a table. On a terminal, it fits the width, emphasises the header and
// colours marked rows.
func (p *Program) Table(t Table) {
	watched := p.Terminal()
	for _, line := range t.fit(p.Width()) {
		text := strings.TrimRight(line.text, " ")
		switch {
		case watched && line.header:
			text = styled(bold, text)
		case watched && line.marked:
			text = styled(green, text)
		}
		p.Print(text + "\n")
	}
}

// tallest is the number of lines of a row above which blocks are easier to read.
const tallest = 4

// fit lays out a table in lines of at most this width. If it is too wide, cells are
// wrapped between words, tables with many columns of numbers are split, and any other
// table becomes a block for each row. Words are never broken.
func (t *Table) fit(width int) []tableLine {
	all := make([]int, len(t.Header))
	for i := range all {
		all[i] = i
	}
	if !slices.ContainsFunc(t.Rows, func(row []string) bool { return row[0] != "" }) {
		all = all[1:]
	}
	natural := t.widths(utf8.RuneCountInString)
	if t.total(all, natural) <= width {
		return t.lines(all, natural)
	}
	if t.Tight {
		if lines := t.parts(all, natural, width); lines != nil {
			return lines
		}
	}
	if widths := t.shrink(all, natural, width); widths != nil {
		return t.lines(all, widths)
	}
	return t.blocks(width)
}

// widths returns the maximum measure of the cells in each column.
func (t *Table) widths(measure func(string) int) []int {
	widths := make([]int, len(t.Header))
	for i, cell := range t.Header {
		widths[i] = measure(cell)
	}
	for _, row := range t.Rows {
		for i, cell := range row {
			widths[i] = max(widths[i], measure(cell))
		}
	}
	return widths
}

// padding returns the number of spaces on both sides of a column.
func (t *Table) padding(column int) (left, right int) {
	switch {
	case column == 0:
		return 0, 1
	case t.Tight && slices.Contains(t.Right, column):
		return 1, 0
	default:
		return 0, 2
	}
}

// total returns the total width of some columns.
func (t *Table) total(columns, widths []int) int {
	sum, last := 0, 0
	for _, i := range columns {
		left, right := t.padding(i)
		sum += left + widths[i] + right
		last = right
	}
	return sum - last
}

// shrink returns column widths with which the table fits if cells are wrapped, or nil if
// there are none or rows would be too tall.
func (t *Table) shrink(columns, natural []int, width int) []int {
	widths := slices.Clone(natural)
	least := t.widths(func(cell string) int {
		longest := 0
		for word := range strings.FieldsSeq(cell) {
			longest = max(longest, utf8.RuneCountInString(word))
		}
		return longest
	})
	for t.total(columns, widths) > width {
		widest := -1
		for _, i := range columns {
			if widths[i] > least[i] && !slices.Contains(t.Right, i) && (widest < 0 || widths[i] > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			return nil
		}
		widths[widest]--
	}
	for _, row := range t.Rows {
		for i, cell := range row {
			if len(wrap(strings.Fields(cell), " ", "", max(widths[i], 1))) > tallest {
				return nil
			}
		}
	}
	return widths
}

// lines lays out some columns.
func (t *Table) lines(columns, widths []int) []tableLine {
	lines := t.row(t.Header, columns, widths)
	for i := range lines {
		lines[i].header = true
	}
	for _, row := range t.Rows {
		lines = append(lines, t.row(row, columns, widths)...)
	}
	return lines
}

func (t *Table) row(row []string, columns, widths []int) []tableLine {
	height := 1
	cells := map[int][]string{}
	for _, i := range columns {
		if i < len(row) {
			cells[i] = []string{row[i]}
			if utf8.RuneCountInString(row[i]) > widths[i] {
				cells[i] = wrap(strings.Fields(row[i]), " ", "", widths[i])
			}
			height = max(height, len(cells[i]))
		}
	}
	lines := make([]tableLine, height)
	for k := range lines {
		lines[k].marked = row[0] != ""
		var b strings.Builder
		for _, i := range columns {
			text := ""
			if k < len(cells[i]) {
				text = cells[i][k]
			}
			left, right := t.padding(i)
			if blank := widths[i] - utf8.RuneCountInString(text); slices.Contains(t.Right, i) {
				left += blank
			} else {
				right += blank
			}
			b.WriteString(strings.Repeat(" ", left) + text + strings.Repeat(" ", right))
		}
		lines[k].text = b.String()
	}
	return lines
}

// parts lays out the columns of numbers in several tables, each with the columns of
// text. It returns nil if not even one column of numbers fits.
func (t *Table) parts(columns, widths []int, width int) []tableLine {
	first := slices.Index(columns, t.Right[0])
	names, numbers := columns[:first], columns[first:]
	var lines []tableLine
	for len(numbers) > 0 {
		n := len(numbers)
		for n > 0 && t.total(slices.Concat(names, numbers[:n]), widths) > width {
			n--
		}
		if n == 0 {
			return nil
		}
		lines = append(lines, t.lines(slices.Concat(names, numbers[:n]), widths)...)
		numbers = numbers[n:]
	}
	return lines
}

// blocks lays out each row as its first cell and, below it, the name and value of the
// other cells. Rows that differ only in the first cell share a block.
func (t *Table) blocks(width int) []tableLine {
	const indent = "    "
	var lines []tableLine
	for n := 0; n < len(t.Rows); {
		row := t.Rows[n]
		names := []string{row[1]}
		for n++; n < len(t.Rows) && row[1] != "" && row[0] == t.Rows[n][0] && slices.Equal(row[2:], t.Rows[n][2:]); n++ {
			names[len(names)-1] += ","
			names = append(names, t.Rows[n][1])
		}
		if row[0] != "" {
			names[0] = row[0] + " " + names[0]
		}
		marked := row[0] != ""
		if row[1] != "" { // otherwise the row continues the one above
			for _, text := range wrap(names, " ", "", width) {
				lines = append(lines, tableLine{text: text, marked: marked})
			}
		}
		add := func(words []string, sep, hang string) {
			for _, text := range wrap(words, sep, hang, width-len(indent)) {
				lines = append(lines, tableLine{text: indent + text, marked: marked})
			}
		}
		var numbers []string
		for i, cell := range row[2:] {
			switch name := t.Header[i+2]; {
			case cell == "":
			case slices.Contains(t.Right, i+2):
				numbers = append(numbers, name+": "+cell)
			default:
				add(strings.Fields(name+": "+cell), " ", "  ")
			}
		}
		add(numbers, "  ", "")
	}
	return lines
}

// wrap joins words into lines of at most this width. All lines but the first begin with
// hang. A longer word gets a line of its own.
func wrap(words []string, sep, hang string, width int) []string {
	var lines []string
	for i, word := range words {
		n := len(lines) - 1
		switch {
		case i == 0:
			lines = append(lines, word)
		case utf8.RuneCountInString(lines[n]+sep+word) <= width:
			lines[n] += sep + word
		default:
			lines = append(lines, hang+word)
		}
	}
	return lines
}

// Say prints text, wrapped to the width of the terminal.
func (p *Program) Say(format string, args ...any) {
	for line := range strings.Lines(fmt.Sprintf(format, args...)) {
		text, end := strings.CutSuffix(line, "\n")
		if utf8.RuneCountInString(text) > p.Width() {
			text = strings.Join(wrap(strings.Fields(text), " ", "", p.Width()), "\n")
		}
		p.Print(text)
		if end {
			p.Print("\n")
		}
	}
}

// Print prints text, on a terminal at once.
func (p *Program) Print(text string) {
	fmt.Fprint(p.Stdout, text)
	if p.Terminal() {
		p.Stdout.Flush() // an error stays
	}
}

// Title prints a line that begins with a name. Text that does not fit continues on
// indented lines.
func (p *Program) Title(name, rest string) {
	hang := strings.Repeat(" ", min(utf8.RuneCountInString(name)+2, 11))
	text := wrap(append([]string{name + " "}, strings.Fields(rest)...), " ", hang, p.Width())
	if p.Terminal() {
		text[0] = styled(bold, name) + text[0][len(name):]
	}
	for _, line := range text {
		p.Print(strings.TrimRight(line, " ") + "\n")
	}
}
