//go:build linux

// Matrix requests every algorithm of this library from Linux, on every kernel that
// ci/guest can start, as root and as an ordinary user, and prints the results as
// tables for docs/linux.md. It runs "cipherlane doctor --probe" in the guests.
//
//	go run ./ci/matrix                   all machines; missing kernels are built
//	go run ./ci/matrix uml-7.3 arm64     only these
package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// A machine is a machine of ci/guest, with the table that it belongs to.
type machine struct {
	name, goarch, table string
}

const (
	c      = "Algorithms in C (User Mode Linux)"
	simd   = "Algorithms with SIMD drivers (qemu, `-cpu max`)"
	engine = "Debian's kernel"
)

var machines = []machine{
	{"uml-6.12", "amd64", c},
	{"uml-7.2", "amd64", c},
	{"uml-7.3-0", "amd64", c},
	{"uml-7.3", "amd64", c},
	{"uml-7.3-2", "amd64", c},
	{"debian", "amd64", engine},
	{"x86_64", "amd64", simd},
	{"arm64", "arm64", simd},
	{"arm", "arm", simd},
	{"riscv64", "riscv64", simd},
}

// A report is the part of doctor's output that is used here.
type report struct {
	Linux struct {
		Release  string `json:"release"`
		Restrict *int   `json:"af_alg_restrict"`
		Engines  []struct {
			Algorithm, Driver string
			Priority          int
		} `json:"engines"`
		Hides bool `json:"hides_engines"`
	} `json:"linux"`
	Algorithms []struct {
		Name  string `json:"name"`
		Linux *struct {
			Driver *struct {
				Driver string `json:"driver"`
				Async  bool   `json:"async"`
			} `json:"driver"`
			Engine bool `json:"engine"`
			Probe  *struct {
				Opened bool   `json:"opened"`
				Reason string `json:"reason"`
			} `json:"probe"`
		} `json:"linux"`
	} `json:"algorithms"`
}

// A column contains the results of one user on one machine.
type column struct {
	machine machine
	user    bool
	report  *report
	err     error
}

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "matrix:", err)
		os.Exit(1)
	}
}

func run(names []string, w io.Writer) error {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/cipherlane/cipherlane").Output()
	if err != nil {
		return fmt.Errorf("go list: %w", err)
	}
	top := strings.TrimSpace(string(out))
	tmp, err := os.MkdirTemp("", "matrix")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)

	var columns []*column
	built := map[string]error{}
	for _, m := range machines {
		if len(names) > 0 && !slices.Contains(names, m.name) {
			continue
		}
		if _, done := built[m.goarch]; !done {
			cmd := exec.Command("go", "build", "-trimpath", "-o", filepath.Join(tmp, m.goarch, "cipherlane"), "./cmd/cipherlane")
			cmd.Dir = top
			cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH="+m.goarch, "CGO_ENABLED=0")
			out, err := cmd.CombinedOutput()
			if built[m.goarch] = err; err != nil {
				return fmt.Errorf("go build for %s: %w\n%s", m.goarch, err, out)
			}
		}
		columns = append(columns, &column{machine: m}, &column{machine: m, user: true})
	}
	if len(columns) == 0 {
		return fmt.Errorf("no such machine: %s", strings.Join(names, " "))
	}
	var wg sync.WaitGroup
	slots := make(chan bool, 2)
	for _, c := range columns {
		wg.Add(1)
		go func() {
			defer wg.Done()

			slots <- true
			defer func() { <-slots }()
			c.ask(top, filepath.Join(tmp, c.machine.goarch))
		}()
	}
	wg.Wait()
	for _, title := range []string{c, engine, simd} {
		print(w, title, slices.DeleteFunc(slices.Clone(columns), func(c *column) bool { return c.machine.table != title }))
	}
	for _, c := range columns {
		if c.err != nil {
			fmt.Fprintf(os.Stderr, "matrix: %s: %v\n", c.machine.name, c.err)
		}
	}
	return nil
}

// ask runs doctor in the guest.
func (c *column) ask(top, dir string) {
	args := []string{"-exec"}
	if c.user {
		args = append(args, "-user")
	}
	cmd := exec.Command(filepath.Join(top, "ci/guest"), append(args, c.machine.name, filepath.Join(dir, "cipherlane"), "doctor", "--probe", "--json")...)
	cmd.Dir = dir // guests get the files of this directory
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	switch start := bytes.IndexByte(out, '{'); {
	case err != nil:
		c.err = fmt.Errorf("%w\n%s%s", err, out, stderr.Bytes())
	case start < 0: // the machine lacks something, which ci/guest has reported
		c.err = fmt.Errorf("%s", bytes.TrimSpace(stderr.Bytes()))
	default:
		c.report = new(report)
		c.err = json.Unmarshal(out[start:], c.report)
	}
}

// cells returns the result for each algorithm.
func (c *column) cells() []string {
	var list []string
	for _, a := range c.report.Algorithms {
		switch l := a.Linux; {
		case l == nil || l.Probe == nil:
			list = append(list, "")
		case l.Probe.Opened && l.Driver != nil:
			s := "`" + l.Driver.Driver + "`"
			switch {
			case l.Engine:
				s += " (an engine)"
			case l.Driver.Async:
				s += " (asynchronous)"
			}
			list = append(list, s)
		case l.Probe.Opened:
			list = append(list, "opened")
		default:
			list = append(list, short(l.Probe.Reason))
		}
	}
	return list
}

// short shortens a reason to fit into a cell.
func short(reason string) string {
	for from, to := range map[string]string{
		"no such algorithm":                                                    "–",
		"not on the list of crypto.af_alg_restrict":                            "not on the list",
		"not on the list of crypto.af_alg_restrict: AF_ALG is closed":          "closed",
		"not on the list of crypto.af_alg_restrict: only with CAP_NET_ADMIN":   "for CAP_NET_ADMIN",
		"hidden: since 7.2 Linux offers no drivers of hardware beside the CPU": "hidden",
	} {
		if reason == from {
			return to
		}
	}
	return reason
}

func (c *column) title() string {
	l := c.report.Linux
	s := "Linux " + l.Release
	if c.machine.goarch != "amd64" || c.machine.table == simd {
		s = c.machine.name + ", " + s
	}
	if l.Restrict != nil {
		s += fmt.Sprintf(", level %d", *l.Restrict)
	}
	return s
}

// print writes a table. Adjacent columns with the same results are merged.
func print(w io.Writer, title string, columns []*column) {
	type group struct {
		titles []string
		cells  []string
	}
	var groups []group
	var rows []string
	for _, c := range columns {
		if c.report == nil {
			continue
		}
		if rows == nil {
			for _, a := range c.report.Algorithms {
				rows = append(rows, a.Name)
			}
		}
		who := "root"
		if c.user {
			who = "user"
		}
		cells := c.cells()
		if n := len(groups); n > 0 && slices.Equal(groups[n-1].cells, cells) {
			last := &groups[n-1]
			if t := last.titles[len(last.titles)-1]; t == c.title()+", root" {
				last.titles[len(last.titles)-1] = c.title()
			} else {
				last.titles = append(last.titles, c.title()+", "+who)
			}
			continue
		}
		groups = append(groups, group{[]string{c.title() + ", " + who}, cells})
	}
	if rows == nil {
		return
	}
	fmt.Fprintf(w, "### %s\n\n| algorithm |", title)
	for _, g := range groups {
		fmt.Fprintf(w, " %s |", strings.Join(g.titles, "; "))
	}
	fmt.Fprintf(w, "\n|---|%s\n", strings.Repeat("---|", len(groups)))
	var unsupported []string
	for i, name := range rows {
		if !slices.ContainsFunc(groups, func(g group) bool { return g.cells[i] != "–" }) {
			unsupported = append(unsupported, "`"+name+"`")
			continue
		}
		fmt.Fprintf(w, "| `%s` |", name)
		for _, g := range groups {
			fmt.Fprintf(w, " %s |", cmp.Or(g.cells[i], " "))
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintln(w)
	if unsupported != nil {
		fmt.Fprintf(w, "On none of them: %s.\n\n", strings.Join(unsupported, ", "))
	}
	var engines []string
	for _, c := range columns {
		if c.report == nil || c.user {
			continue
		}
		for _, e := range c.report.Linux.Engines {
			s := fmt.Sprintf("`%s` for `%s`, priority %d (%s)", e.Driver, e.Algorithm, e.Priority, c.machine.name)
			if c.report.Linux.Hides {
				s += ", hidden"
			}
			engines = append(engines, s)
		}
	}
	if engines != nil {
		fmt.Fprintf(w, "Engines: %s.\n\n", strings.Join(engines, "; "))
	}
}
