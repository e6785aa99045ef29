package driver

import (
	"fmt"
	"maps"
	"os"
	"strings"

	"github.com/cipherlane/cipherlane/internal/cpu"
)

// environment is what CIPHERLANE said when the program started. This is the
// only place that reads the variable.
var environment = parse(os.Getenv("CIPHERLANE"))

type settings struct {
	use      map[string]string // package: driver
	without  Features
	warnings []string
}

func parse(s string) settings {
	e := settings{use: map[string]string{}}
	for term := range strings.SplitSeq(s, ",") {
		if term = strings.TrimSpace(term); term != "" && !e.take(term) {
			e.warnings = append(e.warnings, fmt.Sprintf("CIPHERLANE: unknown term %q", term))
		}
	}
	return e
}

// take notes what a term says, and reports whether it says anything.
func (e *settings) take(term string) bool {
	if name, ok := strings.CutPrefix(term, "-"); ok {
		feature := cpu.Parse(name)
		e.without |= feature
		return feature != 0
	}
	pkg, name, _ := strings.Cut(term, ":")
	if pkg == "" || name == "" || strings.Trim(pkg, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
		return false
	}
	e.use[pkg] = name
	return true
}

// Choices returns the drivers that CIPHERLANE names, by package: also those of
// packages that are not linked into this program.
func Choices() map[string]string { return maps.Clone(environment.use) }

// Warnings lists the terms of CIPHERLANE that had no effect: those not
// understood, and those that name a package which is linked into this program
// but has no such driver, or cannot run it here.
func Warnings() []string {
	list := append([]string(nil), environment.warnings...)
	for _, t := range List() {
		if name, ok := environment.use[t.pkg]; ok {
			if _, err := t.On(name); err != nil {
				list = append(list, "CIPHERLANE: "+err.Error())
			}
		}
	}
	return list
}
