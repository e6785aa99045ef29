package bench

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
)

// speedPage returns results of speed as a page in HTML that needs no other files. The page
// is built from strings, escaped where they come from a document: html/template finds methods
// by name and would make the command larger by 1.4 MB.
func speedPage(doc *Document) string {
	var b page
	b.begin("Speed of cipherlane")
	b.machine("", doc)
	b.method("MB/s are 10⁶ bytes per second, by bytes per call; scales are logarithmic. A point with a border and bold figures: " +
		"this driver is selected on the machine. Vertical bars show the noise; ~ varies by more than 10 %.")
	for _, a := range doc.algorithms() {
		b.print("<section>\n<h2>%v</h2>\n", a)
		single := len(a.sizes) == 1
		if !single {
			b.print("<ul class=legend>")
			for i, name := range a.drivers {
				b.print("<li class=c%v><svg viewBox='0 0 28 10' aria-hidden=true><path class=l d='M0 5H28'/><circle class=p cx='14' cy='5' r='3' /></svg>%v</li>", i%colours, name)
			}
			b.raw("</ul>\n<div class=plots>\n")
			for _, op := range a.operations {
				var list []curve
				for i, name := range a.drivers {
					list = append(list, newCurve(name, i, a.row(op, name)))
				}
				b.plot(a.name+", "+op, op, list)
			}
			b.raw("</div>\n")
		}
		b.raw("<div class=table tabindex=0><table>\n<thead><tr><th>operation<th>driver")
		if single {
			b.raw("<th>per second<th>time")
		} else {
			for _, n := range a.sizes {
				b.print("<th>%v", n)
			}
		}
		b.raw("<th>× generic</thead>\n<tbody>\n")
		for _, op := range a.operations {
			first := true
			for _, name := range a.drivers {
				row := a.row(op, name)
				if len(row) == 0 {
					continue
				}
				if first {
					b.raw("<tr class=first>")
				} else {
					b.raw("<tr>")
				}
				first = false
				b.print("<td>%v<td>%v", op, name)
				if single {
					b.cell(digits(1e9/row[0].perMessage())+row[0].mark(), row[0].Auto)
					b.cell(duration(row[0].perMessage()), row[0].Auto)
				} else {
					for _, n := range a.sizes {
						if r := resultAt(row, n); r != nil {
							b.cell(digits(r.MBPerS)+r.mark(), r.Auto)
						} else {
							b.raw("<td>")
						}
					}
				}
				last := row[len(row)-1]
				switch base := resultAt(a.row(op, "generic"), last.Bytes); {
				case base == nil:
					b.raw("<td>")
				case base.varies() || last.varies():
					b.raw("<td>~")
				default:
					b.print("<td>%v", fmt.Sprintf("%.1f", base.NS/last.NS))
				}
				b.raw("\n")
			}
		}
		b.raw("</tbody></table></div>\n")
		if missing := doc.missing(a.id); missing != "" {
			b.print("<p class=note>Not on this machine: %v.</p>\n", missing)
		}
		b.raw("</section>\n")
	}
	return b.end()
}

// comparePage returns a page with the results of two documents.
func comparePage(names [2]string, docs [2]*Document) string {
	var b page
	b.begin("Speed of cipherlane, compared")
	for i, doc := range docs {
		b.machine("AB"[i:i+1]+": "+names[i], doc)
	}
	b.method("Plots show the drivers that are selected, in MB/s (10⁶ bytes per second) by bytes per call; scales are logarithmic, " +
		"and vertical bars show the noise. " +
		"Tables show ratios by bytes per call: above 1, B is faster. Colours mark differences that are larger than the noise.")
	if list := differences(docs); len(list) > 0 {
		b.raw("<ul>\n")
		for _, text := range list {
			b.print("<li>%v\n", text)
		}
		b.raw("</ul>\n")
	}
	for _, a := range common(docs) {
		b.print("<section>\n<h2>%v</h2>\n", a[0])
		if len(a[0].sizes) > 1 {
			b.raw("<ul class=legend>")
			for i := range docs {
				b.print("<li class=c%v><svg viewBox='0 0 28 10' aria-hidden=true><path class=l d='M0 5H28'/><circle class=p cx='14' cy='5' r='3' /></svg>%v</li>", i, "AB"[i:i+1])
			}
			b.raw("</ul>\n<div class=plots>\n")
			for _, op := range a[0].operations {
				b.plot(a[0].name+", "+op, op, []curve{newCurve("A", 0, a[0].row(op, "")), newCurve("B", 1, a[1].row(op, ""))})
			}
			b.raw("</div>\n")
		}
		rows := compareRows(a)
		b.raw("<div class=table tabindex=0><table>\n<thead><tr><th>operation<th>driver")
		for _, n := range a[0].sizes {
			b.print("<th>%v", a[0].column(n))
		}
		b.raw("</thead>\n<tbody>\n")
		last := ""
		for _, row := range rows {
			if row.op != last {
				b.raw("<tr class=first>")
			} else {
				b.raw("<tr>")
			}
			last = row.op
			b.print("<td>%v<td>%v", row.op, row.driver)
			for i, x := range row.ratios {
				switch {
				case math.IsNaN(x):
					b.raw("<td>")
				case x >= 1+row.noise[i]:
					b.print("<td class=up>%v", fmt.Sprintf("%.2f", x))
				case x <= 1/(1+row.noise[i]):
					b.print("<td class=down>%v", fmt.Sprintf("%.2f", x))
				default:
					b.print("<td>%v", fmt.Sprintf("%.2f", x))
				}
			}
			b.raw("\n")
		}
		b.raw("</tbody></table></div>\n</section>\n")
	}
	return b.end()
}

// colours is the number of colours of curves in the style sheet.
const colours = 8

const pageStyle = `
:root{color-scheme:light dark;--bg:#fff;--fg:#1c2024;--soft:#5b636d;--line:#dfe3e8;--head:#f4f6f8;--shade:#0004;--up:#0f7a34;--down:#b42318;
--c0:#64707d;--c1:#1769e0;--c2:#c2500a;--c3:#15803d;--c4:#9333ea;--c5:#be185d;--c6:#0e7490;--c7:#8a6100}
@media(prefers-color-scheme:dark){:root{--bg:#14171a;--fg:#e7eaee;--soft:#9aa4af;--line:#2d333a;--head:#1d2126;--shade:#fff4;--up:#4ade80;--down:#ff8a7a;
--c0:#a3adb8;--c1:#6aa9ff;--c2:#ff9d5c;--c3:#4ade80;--c4:#c79bff;--c5:#ff7eb6;--c6:#38d0e8;--c7:#f0c649}}
*{box-sizing:border-box}
body{margin:0 auto;padding:1rem;max-width:84rem;background:var(--bg);color:var(--fg);font:16px/1.5 system-ui,sans-serif}
h1{font-size:1.6rem;line-height:1.2;margin:.5rem 0 1rem}
h2{font-size:1.2rem;margin:2.5rem 0 .5rem}
h3,figcaption{font-size:1rem;font-weight:600;margin:0}h3{margin-top:1rem}
p{margin:.4rem 0;max-width:46rem}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem .8rem;margin:.4rem 0 1rem;max-width:60rem}
dt,.note,details{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
.legend{display:flex;flex-wrap:wrap;gap:.2rem 1.1rem;list-style:none;margin:.3rem 0;padding:0}
.legend svg{width:28px;height:10px;margin-right:.4rem}
.plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,28rem),1fr));gap:1rem 1.5rem;margin:.6rem 0 1rem}
figure{margin:0;max-width:44rem}figure svg{display:block;width:100%;height:auto}
figure text{fill:var(--soft);font:12.5px system-ui,sans-serif}
@media(max-width:36rem){figure text{font-size:14.5px}}
.g{stroke:var(--line);stroke-width:1;fill:none}
.l{fill:none;stroke:var(--c);stroke-width:2;stroke-linejoin:round}
.n{stroke:var(--c);stroke-width:6;opacity:.35}
.p{fill:var(--c);stroke:var(--bg);stroke-width:1}
.a{stroke:var(--fg);stroke-width:1.6}
.table{overflow-x:auto;background:linear-gradient(90deg,var(--bg) 40%,transparent),linear-gradient(270deg,var(--bg) 40%,transparent) 100% 0,
linear-gradient(90deg,var(--shade),transparent),linear-gradient(270deg,var(--shade),transparent) 100% 0;
background-repeat:no-repeat;background-size:2.5rem 100%,2.5rem 100%,.9rem 100%,.9rem 100%;background-attachment:local,local,scroll,scroll}
table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:.9rem}
th,td{padding:.15rem .7rem;text-align:right;white-space:nowrap}
th:nth-child(-n+2),td:nth-child(-n+2){text-align:left}
thead th{border-bottom:2px solid var(--line);font-weight:600}
.first td{border-top:1px solid var(--line)}
.auto{font-weight:700}.up{color:var(--up)}.down{color:var(--down)}
`

// A page is HTML under construction.
type page struct{ strings.Builder }

func (b *page) raw(text string) { b.WriteString(text) }

// pageEscaper is html.EscapeString without that package's list of all names of characters.
var pageEscaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;")

// print formats with %v only, and escapes the arguments.
func (b *page) print(format string, args ...any) {
	for i, a := range args {
		args[i] = pageEscaper.Replace(fmt.Sprint(a))
	}
	fmt.Fprintf(b, format, args...)
}

func (b *page) begin(title string) {
	b.raw("<!doctype html>\n<html lang=en>\n<meta charset=utf-8>\n<meta name=viewport content='width=device-width'>\n")
	b.print("<title>%v</title>\n<style>", title)
	b.raw(pageStyle)
	for i := range colours {
		b.print(".c%v{--c:var(--c%v)}", i, i)
	}
	b.print("\n</style>\n<h1>%v</h1>\n", title)
}

func (b *page) end() string {
	b.raw("</html>\n")
	return b.String()
}

func (b *page) machine(title string, doc *Document) {
	if title != "" {
		b.print("<h3>%v</h3>\n", title)
	}
	m := doc.Machine
	b.print("<dl><dt>CPU<dd>%v, %v %v<dt>System<dd>%v/%v, %v", m.CPU, m.Cores, cli.Plural(m.Cores, "core", "cores"), m.OS, m.Arch, m.Go)
	if doc.Version != "" {
		b.print("<dt>cipherlane<dd>%v", doc.Version)
	}
	if doc.Date != "" {
		b.print("<dt>Measured<dd>%v, for %v s", doc.Date, doc.Seconds)
	}
	if doc.Cipherlane != "" {
		b.print("<dt>CIPHERLANE<dd>%v", doc.Cipherlane)
	}
	if noise := doc.noise(); noise != "" {
		b.print("<dt>Noise<dd>%v", noise)
	}
	b.print("</dl>\n<details><summary>CPU features</summary><p>%v</p></details>\n", strings.Join(m.Features, " "))
}

func (b *page) method(more string) {
	b.print("<p>Many short slices. The drivers of an algorithm take turns, so that other load affects all of them "+
		"equally. Medians of the faster half; one core, data in memory, keys set up beforehand. %v</p>\n", more)
}

func (b *page) cell(text string, auto bool) {
	if auto {
		b.print("<td class=auto>%v", text)
	} else {
		b.print("<td>%v", text)
	}
}

// A curve is a line of a plot.
type curve struct {
	name   string
	colour int
	points []speedResult // with ascending sizes
}

func newCurve(name string, colour int, points []speedResult) curve {
	return curve{name, colour % colours, points}
}

// plot draws throughput by size.
func (b *page) plot(title, caption string, curves []curve) {
	const width, height, left, right, top, bottom = 480, 300, 74, 12, 10, 34
	var xs []int
	low, high := math.Inf(1), 0.0
	for _, c := range curves {
		for _, r := range c.points {
			xs = append(xs, r.Bytes)
			low, high = min(low, r.MBPerS), max(high, r.MBPerS)
		}
	}
	if len(xs) == 0 || !(low > 0) || math.IsInf(high, 1) {
		return
	}
	slices.Sort(xs)
	xs = slices.Compact(xs)
	steps := ticks(low, high)
	low, high = steps[0], steps[len(steps)-1]
	scale := func(v, lo, hi, from, to float64) float64 {
		if lo == hi {
			return (from + to) / 2
		}
		return from + (to-from)*math.Log(v/lo)/math.Log(hi/lo)
	}
	x := func(n int) float64 {
		return scale(float64(n), float64(xs[0]), float64(xs[len(xs)-1]), left+14, width-right-14)
	}
	y := func(v float64) float64 { return scale(v, low, high, height-bottom, top) }
	b.print("<figure><figcaption>%v</figcaption>\n<svg viewBox='0 0 %v %v' role=img aria-label='%v'>\n", caption, width, height, title+": MB/s by bytes")
	for _, v := range steps {
		b.print("<path class=g d='M%v %vH%v'/><text x='%v' y='%v' text-anchor=end>%v</text>\n", left, px(y(v)), width-right, left-7, px(y(v)+4.5), rate(v))
	}
	end := math.Inf(-1) // of the last label
	for _, n := range xs {
		b.print("<path class=g d='M%v %vV%v'/>", px(x(n)), height-bottom, height-bottom+5)
		if text := bytesText(n); x(n)-end > 8+4*float64(len(text)) {
			b.print("<text x='%v' y='%v' text-anchor=middle>%v</text>\n", px(x(n)), height-bottom+21, text)
			end = x(n) + 4*float64(len(text))
		}
	}
	for _, c := range curves {
		b.print("<g class=c%v><path class=l d='", c.colour)
		for i, r := range c.points {
			b.raw("ML"[min(i, 1):][:1] + px(x(r.Bytes)) + " " + px(y(r.MBPerS)))
		}
		b.raw("'/>")
		for _, r := range c.points {
			class := "p"
			if r.Auto && c.name != "A" && c.name != "B" {
				class = "p a"
			}
			name := c.name
			if name != r.Driver {
				name += " (" + r.Driver + ")"
			}
			text := digits(r.MBPerS) + " MB/s"
			if r.Spread > 0 {
				text += fmt.Sprintf(" ±%.1f %%", r.Spread*100)
			}
			if from, to := y(r.MBPerS/(1+r.Spread)), y(r.MBPerS*(1+r.Spread)); from-to > 1 {
				b.print("<path class=n d='M%v %vV%v'/>", px(x(r.Bytes)), px(from), px(to))
			}
			b.print("<circle class='%v' cx='%v' cy='%v' r='3.4'><title>%v: %v bytes, %v</title></circle>", class, px(x(r.Bytes)), px(y(r.MBPerS)), name, r.Bytes, text)
		}
		b.raw("</g>\n")
	}
	b.raw("</svg></figure>\n")
}

func px(x float64) string { return fmt.Sprintf("%.1f", x) }

// ticks returns values of a logarithmic scale, the first of them at most low and the last at
// least high.
func ticks(low, high float64) (list []float64) {
	factors := []float64{1, 2, 5}
	if high/low > 3e4 {
		factors = factors[:1]
	}
	for e := math.Floor(math.Log10(low)) - 1; ; e++ {
		for _, f := range factors {
			v := f * math.Pow(10, e)
			if v <= low {
				list = list[:0]
			}
			list = append(list, v)
			if v >= high {
				return list
			}
		}
	}
}

// rate formats a round number of MB/s.
func rate(v float64) string {
	if v >= 999 {
		return fmt.Sprintf("%.3g GB/s", v/1000)
	}
	return fmt.Sprintf("%.3g MB/s", v)
}

func bytesText(n int) string {
	switch {
	case n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprint(n>>20, " MiB")
	case n >= 1<<10 && n%(1<<10) == 0:
		return fmt.Sprint(n>>10, " KiB")
	}
	return fmt.Sprint(n)
}

// duration formats nanoseconds.
func duration(ns float64) string {
	switch {
	case ns < 1e3:
		return digits(ns) + " ns"
	case ns < 1e6:
		return digits(ns/1e3) + " µs"
	}
	return digits(ns/1e6) + " ms"
}
