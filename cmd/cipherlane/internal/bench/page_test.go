package bench

import (
	"encoding/json"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/clitest"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/inventory"
)

// testDocument has two drivers of a hash, and a signature, on an odd machine.
func testDocument(factor float64) *Document {
	doc := &Document{Schema: 1, Version: "v1", Date: "2026-01-02", Seconds: 3, Machine: inventory.Machine{CPU: "<CPU> & 'co'", OS: "linux", Arch: "amd64", Cores: 7}}
	for i, driver := range []string{"generic", "fast"} {
		for _, n := range []int{65536, 16, 1024, 1420} {
			ns := float64(n) / float64(1+i*9) / factor
			doc.Results = append(doc.Results, speedResult{Algorithm: "sm3", Driver: driver, Operation: "hash", Bytes: n, NS: ns, MBPerS: float64(n) * 1e3 / ns, Auto: i == 1})
		}
		doc.Results = append(doc.Results, speedResult{Algorithm: "sm2", Driver: driver, Operation: "sign", Bytes: 32, NS: 12345, MBPerS: 2.6, Auto: i == 1})
		doc.Results = append(doc.Results, speedResult{Algorithm: "sm2", Driver: driver, Operation: "sign-many", Bytes: 512, NS: 160000, MBPerS: 3, Auto: i == 1})
	}
	doc.Unavailable = []speedUnavailable{{Algorithm: "sm3", Driver: "other", Missing: []string{"this", "that"}}}
	return doc
}

// checkPage checks that a page needs no other file, and that all that it opens is closed.
func checkPage(t *testing.T, page string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(page, w) {
			t.Errorf("no %q", w)
		}
	}
	if found := regexp.MustCompile(`(?i)<script|<link|<img|src=|href=|url\(|@import|//|%!|NaN|Inf|<CPU>`).FindString(page); found != "" {
		t.Errorf("the page contains %q", found)
	}
	var open []string
	for _, m := range regexp.MustCompile(`<(/?)([a-z0-9]+)[^>]*?(/?)>`).FindAllStringSubmatch(page, -1) {
		switch n := len(open); {
		case m[3] != "" || slices.Contains([]string{"html", "meta", "li", "dt", "dd", "tr", "td", "th"}, m[2]): // closed, or not to be
		case m[1] == "":
			open = append(open, m[2])
		case n == 0 || open[n-1] != m[2]:
			t.Fatalf("</%s> within %q", m[2], open)
		default:
			open = open[:n-1]
		}
	}
	if len(open) > 0 {
		t.Errorf("not closed: %q", open)
	}
}

func TestSpeedPage(t *testing.T) {
	doc := testDocument(1)
	doc.Results[4].Spread, doc.Results[9].Spread = 0.11, 0.11 // sign with generic, 1420 bytes with fast
	page := speedPage(doc)
	checkPage(t, page, "&lt;CPU&gt; &amp; &#39;co&#39;, 7 cores", "prefers-color-scheme:dark", "<h2>sm3</h2>", "<td class=auto>10000", "<td>10.0\n", "<td>~\n", "<td class=auto>10000~",
		"<title>fast: 1420 bytes, 10000 MB/s ±11.0 %</title>", ">10 GB/s</text>", "<td class=auto>12.3 µs", "<td class=auto>10.0 µs", "<td class=auto>100000", "Not on this machine: other (lacks this that).", "2026-01-02, for 3 s")
	// A curve goes from left to right and the faster one is above.
	lines := regexp.MustCompile(`<path class=l d='M([0-9.]+) ([0-9.]+)L([0-9.]+) `).FindAllStringSubmatch(page, -1)
	if len(lines) != 2 {
		t.Fatalf("curves %q", lines)
	}
	number := func(curve, i int) float64 { n, _ := strconv.ParseFloat(lines[curve][i], 64); return n }
	if number(0, 1) != number(1, 1) || number(0, 1) >= number(0, 3) || number(0, 2) <= number(1, 2) {
		t.Errorf("curves %q", lines)
	}
}

func TestSpeedCompare(t *testing.T) {
	dir := t.TempDir()
	c := clitest.Call{Dir: dir}
	for name, factor := range map[string]float64{"a": 1, "b": 2} {
		doc := testDocument(factor)
		doc.Machine.Features = []string{"aes", name + "only"}
		if name == "b" {
			doc.Cipherlane, doc.Load = "-vaes", 1.5
			for i := range doc.Results {
				doc.Results[i].Spread = 0.02
			}
			doc.Results[4].Auto, doc.Results[10].Auto = true, false // generic is selected for sign
			doc.Results[6].Spread = 1.2                             // fast, 65536 bytes
		}
		text, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		clitest.Write(t, filepath.Join(dir, name), text)
	}
	out := c.OK(t, "speed", "--compare", "a", "b")
	for _, want := range []string{`(?m)^fast \(selected\) +hash +×2.00 +×2.00 +×2.00 +×2.00$`, `(?m)^generic +hash`, `(?m)^fast +sign +×1.00$`,
		`(?m)^fast → generic \(selected\) +sign +×1.00$`, `(?m)^CPU features of A only: aonly$`, `(?m)^CPU features of B only: bonly$`,
		`(?m)^B was measured with CIPHERLANE=-vaes$`, `noise ±2.0 %, at worst ±120.0 %; measured under load: 1.5 other`} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("nothing like %s:\n%s", want, out)
		}
	}
	c.OK(t, "speed", "--compare", "a", "b", "--format", "html", "-o", "page")
	checkPage(t, string(clitest.Read(t, filepath.Join(dir, "page"))), "A: a", "B: b", "<td class=up>2.00", "<td>2.00\n",
		"<title>B (fast): 16 bytes, 20000 MB/s ±2.0 %</title>", "<path class=n ", "<li>CPU features of A only: aonly", "<dt>CIPHERLANE<dd>-vaes", "measured under load")
	c.Fails(t, 1, "page: exists already", "speed", "--compare", "a", "b", "-o", "page")
	c.Fails(t, 2, "same file", "speed", "--compare", "a", "b", "-f", "-o", "a")
	c.Fails(t, 2, "want two files", "speed", "--compare", "a")
	c.Fails(t, 2, "--format table or html", "speed", "--compare", "a", "b", "--json")
	clitest.Write(t, filepath.Join(dir, "bad"), []byte("{}"))
	c.Fails(t, 1, "bad: is not from", "speed", "--compare", "a", "bad")
	clitest.Write(t, filepath.Join(dir, "zero"), []byte(`{"schema":1,"results":[{"algorithm":"x","ns":0}]}`))
	c.Fails(t, 1, "zero: impossible result for x", "speed", "--compare", "a", "zero")
}

// Measurements of this machine make a page, too.
func TestSpeedFormats(t *testing.T) {
	dir := t.TempDir()
	c := clitest.Call{Dir: dir}
	if out := c.OK(t, "speed", "sm3", "sm2", "--seconds", "0.1", "--size", "64,1000", "--format", "html", "-o", "page"); out != "" {
		t.Errorf("%q", out)
	}
	checkPage(t, string(clitest.Read(t, filepath.Join(dir, "page"))), "<h2>sm2", "<h2>sm3</h2>")
	c.OK(t, "speed", "sm3", "--seconds", "0.1", "--size", "64,1000", "--json", "-o", "json")
	if out := c.OK(t, "speed", "--compare", "json", "json"); strings.Count(out, "×1.00") < 4 {
		t.Errorf("compared with itself:\n%s", out)
	}
	c.OK(t, "speed", "sm3", "--seconds", "0.1", "--size", "64", "-o", "table")
	if text := string(clitest.Read(t, filepath.Join(dir, "table"))); !strings.Contains(text, "driver") || strings.Contains(text, "\x1b") {
		t.Errorf("%q", text)
	}
	c.Fails(t, 1, "table: exists already", "speed", "sm3", "-o", "table")
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		low, high, first, last float64
		n                      int
	}{
		{12, 3300, 10, 5000, 9},
		{10, 100, 10, 100, 4},
		{0.3, 0.4, 0.2, 0.5, 2},
		{5, 5, 5, 5, 1},
		{1, 1e5, 1, 1e5, 6},
	} {
		got := ticks(c.low, c.high)
		if len(got) != c.n || math.Abs(got[0]/c.first-1) > 1e-9 || math.Abs(got[len(got)-1]/c.last-1) > 1e-9 {
			t.Errorf("%v to %v: %v", c.low, c.high, got)
		}
	}
}
