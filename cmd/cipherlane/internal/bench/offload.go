package bench

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
	"github.com/cipherlane/cipherlane/internal/catalog"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/kcapi"
	"github.com/cipherlane/cipherlane/linux"
)

// A tuneLinux holds the results of tune for drivers inside Linux.
type tuneLinux struct {
	Mode       string        `json:"mode"`
	Release    string        `json:"release"`
	Operations []tuneOffload `json:"operations"`
}

type tuneOffload struct {
	Algorithm string             `json:"algorithm"`
	KeySize   int                `json:"key_size"`
	Operation string             `json:"operation"`
	Driver    string             `json:"driver"`
	Engine    bool               `json:"engine"`
	State     string             `json:"state"`
	Why       string             `json:"why"`   // why Linux is not used
	From      int                `json:"from"`  // 0: not at all
	Model     *drivers.Crossover `json:"model"` // null if nothing was measured
}

// offload checks and measures Linux's drivers for the algorithms of the list.
func (c *TuneCmd) offload(p *cli.Program, list []catalog.Algorithm) (*tuneLinux, error) {
	mode := linux.Engine
	if c.Linux == "any" {
		mode = linux.Any
	}
	if err := linux.Enable(mode); err != nil {
		return nil, fmt.Errorf("tune: --linux %s: %w", c.Linux, err)
	}
	defer linux.Enable(linux.Off)
	var names []string
	for _, a := range list {
		names = append(names, a.Name)
	}
	bar := p.Progress(c.Progress, "measuring Linux", -1, false)
	linux.Measure(names...)
	bar.Stop()
	k := &tuneLinux{Mode: c.Linux, Release: kcapi.ReadEnvironment().Release, Operations: []tuneOffload{}}
	for _, u := range linux.Status() {
		if !slices.Contains(names, u.Algorithm) {
			continue
		}
		o := tuneOffload{
			Algorithm: u.Algorithm, KeySize: u.KeySize, Operation: u.Operation,
			Driver: u.Driver, Engine: u.Engine, State: u.State.String(), Why: u.Why, From: u.From,
		}
		if m := u.Model; m != (linux.Model{}) {
			o.Model = &drivers.Crossover{Algorithm: u.Algorithm, Driver: u.Driver, KeySize: u.KeySize,
				Decrypt: u.Operation == "decrypt" || u.Operation == "open",
				A:       m.A, B: m.B, SoftA: m.SoftA, SoftB: m.SoftB, From: u.From}
		}
		k.Operations = append(k.Operations, o)
	}
	return k, nil
}

// crossovers returns the results for the profile.
func (k *tuneLinux) crossovers() (release string, list []drivers.Crossover) {
	for _, o := range k.Operations {
		if o.Model != nil {
			release, list = k.Release, append(list, *o.Model)
		}
	}
	return release, list
}

func (k *tuneLinux) print(p *cli.Program) {
	p.Say("\n")
	p.Title("Linux "+k.Release, "--linux "+k.Mode)
	rows := cli.Table{Header: []string{"", "algorithm", "operation", "Linux's driver", "a", "b", "here a", "b", "faster in Linux"}, Right: []int{4, 5, 6, 7}}
	var reasons []string
	notMeasured := map[string][]string{} // by reason
	for _, o := range k.Operations {
		name := o.Algorithm
		if o.KeySize > 0 {
			name += fmt.Sprintf(", %d-bit keys", 8*o.KeySize)
		}
		if m := o.Model; m != nil {
			mark, from := "", "never"
			if o.From > 0 {
				mark, from = "*", fmt.Sprintf("from %d bytes", o.From)
			}
			rows.Add(mark, name, o.Operation, o.Driver, signed(m.A), fmt.Sprintf("%.3g", m.B), signed(m.SoftA), fmt.Sprintf("%.3g", m.SoftB), from)
			continue
		}
		if notMeasured[o.Why] == nil {
			reasons = append(reasons, o.Why)
		}
		if !slices.Contains(notMeasured[o.Why], o.Algorithm) {
			notMeasured[o.Why] = append(notMeasured[o.Why], o.Algorithm)
		}
	}
	if len(rows.Rows) > 0 {
		p.Table(rows)
	}
	for _, why := range reasons {
		p.Say("not measured: %s: %s\n", strings.Join(notMeasured[why], ", "), why)
	}
	if len(k.Operations) == 0 {
		p.Say("none of the algorithms can use Linux\n")
	}
}
