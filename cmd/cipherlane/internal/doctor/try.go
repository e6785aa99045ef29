package doctor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/inventory"
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
)

// doctor --try: features that the system does not tell. Each test is a process of its own,
// "cipherlane selftest" of one driver with a profile that has the features, so that an
// illegal instruction ends only that process.

// tryTimeout ends a test that does not return.
const tryTimeout = 10 * time.Minute

// tryEmulator is in front of the command line of a test, for an emulator that does not run
// the programs which a program starts.
var tryEmulator []string

type tryResult struct {
	Feature string   `json:"feature"`
	Status  string   `json:"status"`  // passed, failed, told or untested
	Drivers []string `json:"drivers"` // that were tested
	Why     string   `json:"why,omitempty"`
}

// A candidate is a driver that needs a feature.
type candidate struct{ pkg, name string }

func (c *Cmd) try(p *cli.Program) error {
	list, err := tryable(c.Try)
	if err != nil {
		return err
	}
	var out *cli.Outputs
	if c.Output != "" {
		if c.JSON && c.Output == "-" {
			return cli.Usagef("--json and -o -: both print to standard output")
		}
		if out, err = p.Create(c.Force, cli.Target{Path: c.Output, Mode: 0o600}); err != nil {
			return err
		}
		defer out.Discard()
	}
	passed, results := tryFeatures(list, candidates, selftestWith)
	if c.JSON {
		err = p.JSON(struct {
			Schema  int               `json:"schema"`
			Machine inventory.Machine `json:"machine"`
			Results []tryResult       `json:"results"`
		}{1, inventory.ThisMachine(), results})
		if err != nil {
			return err
		}
	} else if c.Output != "-" {
		rows := cli.Table{Header: []string{"", "feature", "result", "drivers tested", "why"}}
		for _, r := range results {
			rows.Add("", r.Feature, r.Status, strings.Join(r.Drivers, " "), r.Why)
		}
		p.Table(rows)
	}
	if out == nil {
		return nil
	}
	if passed == 0 {
		return cli.AsUnavailable(errors.New("doctor --try: no feature passed, and no profile was written"))
	}
	profile := drivers.NewProfile()
	profile.Try(passed)
	text, err := json.MarshalIndent(profile, "", "  ")
	if err != nil {
		return err
	}
	return out.Commit(append(text, '\n'))
}

// tryable returns the features with these names, or an error if one cannot be tried.
func tryable(names []string) (list []drivers.Features, err error) {
	for _, name := range names {
		f := cpu.Parse(name)
		switch {
		case name == "zkt" || name == "zvkt":
			return nil, cli.Usagef("--try %s: it is a promise about time, which no test can show", name)
		case name == "v" || strings.HasPrefix(name, "zv"):
			return nil, cli.Usagef("--try %s: the kernel must save the vector registers, and only the kernel can tell that it does", name)
		case f == 0:
			return nil, cli.Usagef("--try %s: no such feature", name)
		case !cpu.Assertable().Has(f):
			return nil, cli.AsUnavailable(fmt.Errorf("--try %s: not available on this machine: on %s only features that the system reports are used", name, inventory.ThisMachine().Arch))
		}
		list = append(list, f)
	}
	return list, nil
}

// candidates returns the drivers that need a feature and, beyond those of the system, only
// features in extra.
func candidates(f, extra drivers.Features) (list []candidate) {
	for _, t := range drivers.List() {
		for _, d := range t.Drivers() {
			if d.Needs.Has(f) && (cpu.Told() | extra).Has(d.Needs) {
				list = append(list, candidate{t.Package(), d.Name})
			}
		}
	}
	return list
}

// tryFeatures tests each feature together with those that have passed. It starts again
// after a success, because some drivers need several features.
func tryFeatures(list []drivers.Features, candidates func(f, extra drivers.Features) []candidate, test func(candidate, drivers.Features) error) (passed drivers.Features, results []tryResult) {
	results = make([]tryResult, len(list))
	for i, f := range list {
		results[i] = tryResult{Feature: f.String(), Status: "untested", Drivers: []string{}, Why: "no driver needs it without others that have not passed"}
		if cpu.Told().Has(f) {
			results[i].Status, results[i].Why = "told", "the system reports it"
		}
	}
	broken := make([]bool, len(list)) // the test itself did not work
	for progressed := true; progressed; {
		progressed = false
		for i, f := range list {
			r := &results[i]
			if r.Status != "untested" || broken[i] {
				continue
			}
			for _, d := range candidates(f, passed|f) {
				r.Drivers = append(r.Drivers, d.pkg+":"+d.name)
				r.Status, r.Why = "passed", ""
				if err := test(d, passed|f); err != nil {
					r.Status, r.Why = "failed", err.Error()
					if errors.As(err, new(untestedError)) { // and not the feature's fault
						r.Drivers = r.Drivers[:len(r.Drivers)-1]
						r.Status = "untested"
						broken[i] = true
					}
					break
				}
			}
			if r.Status == "passed" {
				passed |= f
				progressed = true
			}
		}
	}
	return passed, results
}

// An untestedError tells why a driver was not tested.
type untestedError struct{ error }

func (e untestedError) Unwrap() error { return e.error }

// selftestWith tests a driver in a process that has more features.
func selftestWith(d candidate, features drivers.Features) error {
	dir, err := os.MkdirTemp("", "cipherlane")
	if err != nil {
		return untestedError{err}
	}
	defer os.RemoveAll(dir)
	profile := drivers.NewProfile()
	profile.Try(features)
	text, err := json.Marshal(profile)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, "profile.json")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		return untestedError{err}
	}
	self, err := os.Executable()
	if err != nil {
		return untestedError{err}
	}
	ctx, cancel := context.WithTimeout(context.Background(), tryTimeout)
	defer cancel()
	args := append(slices.Clone(tryEmulator), self, "selftest", d.pkg, "--driver", d.name, "--progress", "off")
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(s string) bool {
		return strings.HasPrefix(s, "CIPHERLANE=") || strings.HasPrefix(s, "CIPHERLANE_PROFILE=")
	}), "CIPHERLANE_PROFILE="+path)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	err = cmd.Run()
	line, _, _ := strings.Cut(stderr.String(), "\n")
	line = strings.TrimPrefix(line, "cipherlane: ")
	exit := new(exec.ExitError)
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &exit): // it did not start
		return untestedError{err}
	case exit.ExitCode() == cli.ExitUnavailable || exit.ExitCode() == cli.ExitUsage: // such as a profile that is not accepted
		return untestedError{errors.New(line)}
	case strings.Contains(stderr.String(), "SIGILL") || strings.Contains(err.Error(), "illegal instruction"):
		return errors.New("illegal instruction")
	default:
		return fmt.Errorf("%w: %s", err, line)
	}
}
