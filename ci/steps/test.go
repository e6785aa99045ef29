//go:build linux

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// readmeTest returns the test command that README tells its readers.
func readmeTest(top string) ([]string, error) {
	text, err := os.ReadFile(filepath.Join(top, "README.md"))
	if err != nil {
		return nil, err
	}
	m := regexp.MustCompile(`(?m)^go test work$`).Find(text)
	if m == nil {
		return nil, fmt.Errorf("README.md has no test command")
	}
	return strings.Fields(string(m)), nil
}

// test runs all tests. The drivers that this CPU can run, according to Linux and what
// cipherlane list says that they need, must run: a detection that fails would otherwise
// leave them untested without a word. The tables of ghash and keccak are not in the list.
func test(r *runner) ([]task, error) {
	command, err := readmeTest(r.top)
	if err != nil {
		return nil, err
	}
	require, err := required()
	if err != nil {
		return nil, err
	}
	fmt.Fprintln(r.out, "required:", strings.Join(require, " "))
	t := r.gotest("work", "", command[2:]...)
	if r.tier == quick {
		t = r.gotest("work", "", append([]string{"-short", "-vet=off"}, command[2:]...)...)
	}
	t.env = []string{"CIPHERLANE_REQUIRE=" + strings.Join(require, ",")}
	return []task{t}, nil
}

// required returns the drivers that this CPU can run.
func required() ([]string, error) {
	cmd := exec.Command("go", "run", "./cmd/cipherlane", "list", "--json")
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("cipherlane list: %w", err)
	}
	var list struct {
		Algorithms []struct {
			Package string
			Drivers []struct {
				Name  string
				Needs []string
			}
		}
	}
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, err
	}
	has := flags()
	able := func(needs ...string) bool {
		return !slices.ContainsFunc(needs, func(f string) bool { return !has[f] })
	}
	var require []string
	for _, a := range list.Algorithms {
		for _, d := range a.Drivers {
			if name := a.Package + ":" + d.Name; able(d.Needs...) && !slices.Contains(require, name) {
				require = append(require, name)
			}
		}
	}
	if len(require) == 0 {
		return nil, fmt.Errorf("no driver in the list")
	}
	for _, d := range []struct{ name, needs string }{
		{"ghash:generic", ""}, {"keccak:generic", ""},
		{"ghash:pclmulqdq", "ssse3 pclmulqdq"},
		{"ghash:vpclmulqdq-avx2", "avx2 vpclmulqdq"},
		{"ghash:vpclmulqdq-avx512", "avx512 vpclmulqdq"},
		{"keccak:bmi2", "bmi1 bmi2"},
		{"keccak:avx2", "avx2 bmi1 bmi2"},
		{"keccak:avx512", "avx512 bmi1 bmi2"},
	} {
		if able(strings.Fields(d.needs)...) {
			require = append(require, d.name)
		}
	}
	slices.Sort(require)
	return require, nil
}

// flags returns the features of this CPU, according to Linux, by Linux's names and ours.
func flags() map[string]bool {
	text, _ := os.ReadFile("/proc/cpuinfo")
	has := map[string]bool{}
	if m := regexp.MustCompile(`(?m)^flags\s*:(.*)$`).FindSubmatch(text); m != nil {
		for _, f := range strings.Fields(string(m[1])) {
			has[f] = true
			has[strings.ReplaceAll(strings.ReplaceAll(f, "avx512_", "avx512"), "sse4_1", "sse41")] = true
		}
	}
	has["avx512"] = has["avx512f"] && has["avx512cd"] && has["avx512bw"] && has["avx512dq"] && has["avx512vl"]
	return has
}
