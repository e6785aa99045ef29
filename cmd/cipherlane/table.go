package main

import (
	"fmt"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	grid "charm.land/lipgloss/v2/table"
	"golang.org/x/term"
)

// A table is rows of text under a header. The first column is for marks and
// is left out if there are none.
type table struct {
	header []string
	right  []int // columns of numbers
	tight  bool  // many of them
	rows   [][]string
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// terminal reports whether people are watching standard output.
func (p *program) terminal() bool { return term.IsTerminal(int(p.out.Fd())) }

// table prints a table: plain text, or on a terminal with a header that stands
// out, rows with a mark in the first column coloured, and within its width.
func (p *program) table(t table) {
	watched := p.terminal()
	marked := slices.ContainsFunc(t.rows, func(row []string) bool { return row[0] != "" })
	g := grid.New().Headers(t.header...).Rows(t.rows...).
		BorderTop(false).BorderBottom(false).BorderLeft(false).BorderRight(false).
		BorderHeader(false).BorderColumn(false).
		StyleFunc(func(row, column int) lipgloss.Style {
			s := lipgloss.NewStyle().PaddingRight(2)
			if slices.Contains(t.right, column) {
				s = s.Align(lipgloss.Right)
				if t.tight {
					s = s.PaddingRight(0).PaddingLeft(1)
				}
			}
			if column == 0 && marked {
				s = s.PaddingRight(1)
			} else if column == 0 {
				s = s.PaddingRight(0)
			}
			if watched && row == grid.HeaderRow {
				s = s.Bold(true)
			}
			if watched && row >= 0 && t.rows[row][0] != "" {
				s = s.Foreground(lipgloss.Green)
			}
			return s
		})
	text := g.Render()
	if width, _, err := term.GetSize(int(p.out.Fd())); watched && err == nil && lipgloss.Width(text) > width {
		text = g.Width(width).Render()
	}
	if !watched {
		lines := strings.Split(text, "\n")
		for i := range lines {
			lines[i] = strings.TrimRight(lines[i], " ")
		}
		text = strings.Join(lines, "\n")
	}
	p.print(text + "\n")
}

// print prints text that may be styled.
func (p *program) print(text string) {
	if !p.terminal() {
		fmt.Fprint(p.stdout, text)
		return
	}
	if p.stdout.Flush() == nil {
		lipgloss.Fprint(p.out, text) // leaves out colours as NO_COLOR and TERM ask for
	}
}

// title prints a line that begins with a name.
func (p *program) title(name, rest string) {
	if p.terminal() {
		name = lipgloss.NewStyle().Bold(true).Render(name)
	}
	p.print(strings.TrimRight(name+"  "+rest, " ") + "\n")
}
