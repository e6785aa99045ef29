package main

import (
	"slices"
	"strings"
	"testing"
)

func TestLimits(t *testing.T) {
	for _, l := range limits {
		sizes := map[string]map[string]int64{l.goarch: {}}
		for _, r := range rows {
			sizes[l.goarch][r.program] = 100
		}
		most := l.bytes
		if l.baseline != "" {
			most += 100
		}
		for more, want := range []int{0, 1} {
			sizes[l.goarch][l.program] = most + int64(more)
			if got := exceeded(sizes); len(got) != want || want > 0 && !strings.HasPrefix(got[0], l.program+" on "+l.goarch) {
				t.Errorf("%+v and %d: %q", l, more, got)
			}
		}
		for _, name := range []string{l.program, l.baseline} {
			if name != "" && !slices.ContainsFunc(rows, func(r struct{ program, text string }) bool { return r.program == name }) {
				t.Errorf("%+v: no program %s", l, name)
			}
		}
	}
}

func TestMarkdown(t *testing.T) {
	got := markdown(map[string]map[string]int64{"arm64": {"empty": 1_444_000}, "riscv64": {"empty": 1_305_000}})
	if want := "| program | arm64 | riscv64 |\n|---|--:|--:|\n| nothing | 1.44 | 1.30 |\n"; !strings.Contains(got, want) {
		t.Errorf("%s", got)
	}
}

func TestFile(t *testing.T) {
	f := file(map[string]map[string]int64{"arm64": {"empty": 1_444_000}, "riscv64": {"empty": 1_305_000}})
	if len(f.Rows) != 2 || f.Rows[0].Operation != "nothing" || f.Rows[0].On != "arm64" || f.Rows[0].Value != 1.44 || f.Rows[1].Value != 1.31 {
		t.Errorf("%+v", f.Rows)
	}
}
