package bench

import (
	"math"
	"runtime"
	"testing"

	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/speed"
)

// TestTuneFromFigures: with the figures of docs/machines, tune finds on a CPU without rules what the
// rules say for it, or what takes at most 3 % more time. Nothing is measured.
func TestTuneFromFigures(t *testing.T) {
	if runtime.GOARCH != "amd64" || len(drivers.Find("sm4").Drivers()) == 1 {
		t.Skip("the figures are of drivers that this build lacks")
	}
	for name, uarch := range map[string]cpu.Uarch{"zen5": cpu.Zen5, "sapphire-rapids": cpu.SapphireRapids} {
		doc, err := readSpeed("../../../../docs/machines/" + name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		var features cpu.Set
		for _, name := range doc.Machine.Features {
			features |= cpu.Parse(name)
		}
		measured := map[string]bool{}
		for _, r := range doc.Results {
			measured[r.Driver] = true
		}
		for _, table := range realTables() {
			// The same drivers, as if this machine had those that were measured, without the rules.
			rows := table.Drivers()
			for i := range rows {
				rows[i].Missing = 0
				if !measured[rows[i].Name] {
					rows[i].Missing = 1
				}
			}
			byOperation := map[string]*tuneFit{}
			var fits []tuneFit
			for _, r := range doc.Results {
				if !belongsTo(table, r.Algorithm) || r.Operation == "hash-x32" || r.Operation == "kdf" {
					continue
				}
				key := r.Algorithm + r.Operation + r.Driver
				if byOperation[key] == nil {
					byOperation[key] = &tuneFit{Algorithm: r.Algorithm, KeyBits: r.KeyBits, Operation: r.Operation, Driver: r.Driver, samples: map[int]sample{}}
				}
				byOperation[key].samples[r.Bytes] = sample{ns: r.NS}
			}
			for _, f := range byOperation {
				var points []speed.Point
				for n, s := range f.samples {
					points = append(points, speed.Point{Bytes: n, NS: s.ns})
				}
				for _, s := range speed.Fit(points, tuneLimit) {
					f.Segments = append(f.Segments, tuneSegment(s))
				}
				fits = append(fits, *f)
			}
			if len(fits) == 0 {
				continue
			}
			work := workloads(fits)
			tuned := refine(best(rows, work, table.Splits()), drivers.Choice{}, work, fits)
			ruled := choiceOf(rows, table.PlanOn(features, uarch))
			ratio := math.Exp(mean(work, tuned) - mean(work, ruled))
			t.Logf("%s, %s: tune %+v, rules %+v: %.3f", name, table.Package(), tuned, ruled, ratio)
			if !(ratio <= 1.03) {
				t.Errorf("%s, %s: tune finds %+v, which takes %.3f times as long as %+v", name, table.Package(), tuned, ratio, ruled)
			}
		}
	}
}
