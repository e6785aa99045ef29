package ctcheck

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const root = "../.."

func check(t *testing.T, arch string) *Report {
	t.Helper()
	report, err := Check(root, map[string][]string{arch: {planted(arch)}})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func planted(arch string) string {
	return "internal/ctcheck/testdata/" + arch + "/planted_" + arch + ".s"
}

func all(r *Report) (list []string) {
	for _, f := range r.Findings {
		list = append(list, fmt.Sprint(f.Line, " ", f.Kind))
	}
	for _, k := range r.Kernels {
		for _, f := range k.Findings {
			list = append(list, fmt.Sprint(f.Line, " ", f.Kind))
		}
	}
	slices.Sort(list)
	return list
}

// The mistakes are found where comments say, and nothing else is.
func TestPlanted(t *testing.T) {
	for arch := range arches {
		t.Run(arch, func(t *testing.T) {
			text, err := os.ReadFile(root + "/" + planted(arch))
			if err != nil {
				t.Fatal(err)
			}
			var want []string
			for i, line := range strings.Split(string(text), "\n") {
				if m := regexp.MustCompile(`// want (\w+)$`).FindStringSubmatch(line); m != nil {
					want = append(want, fmt.Sprint(i+1, " ", m[1]))
				}
			}
			slices.Sort(want)
			if len(want) < 8 {
				t.Fatal("mistakes are missing:", want)
			}
			report := check(t, arch)
			if got := all(report); !slices.Equal(got, want) {
				t.Errorf("found %q, want %q", got, want)
				for _, k := range report.Kernels {
					for _, f := range k.Findings {
						t.Log(f)
					}
				}
				for _, f := range report.Findings {
					t.Log(f)
				}
			}
			if len(report.Kernels) != 14 {
				t.Errorf("%d functions", len(report.Kernels))
			}
		})
	}
}

// An instruction that is not in the table is an error.
func TestUnknownInstruction(t *testing.T) {
	for arch, op := range map[string]string{"amd64": "SBBQ", "386": "SBBL", "arm64": "EOR", "arm": "EOR", "riscv64": "SEQZ"} {
		a := arches[arch]
		s := a.table[op]
		delete(a.table, op)
		report := check(t, arch)
		a.table[op] = s
		found := false
		for _, k := range report.Kernels {
			for _, f := range k.Findings {
				found = found || f.Kind == kindUnknown && strings.HasPrefix(f.Instruction, op)
			}
		}
		if !found {
			t.Errorf("%s: nothing says that %s is not known", arch, op)
		}
	}
}
