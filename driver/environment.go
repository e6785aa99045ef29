package driver

import (
	"fmt"
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
	linux    string
	warnings []string
}

func parse(s string) settings {
	e := settings{use: map[string]string{}, linux: "off"}
	for term := range strings.SplitSeq(s, ",") {
		term = strings.TrimSpace(term)
		pkg, name, isChoice := strings.Cut(term, ":")
		value, isLinux := strings.CutPrefix(term, "linux=")
		feature, isFeature := strings.CutPrefix(term, "-")
		switch {
		case term == "":
		case isLinux && (value == "off" || value == "engine" || value == "any"):
			e.linux = value
		case isFeature && cpu.Parse(feature) != 0:
			e.without |= cpu.Parse(feature)
		case isChoice && pkg != "" && name != "":
			e.use[pkg] = name
		default:
			e.warnings = append(e.warnings, fmt.Sprintf("CIPHERLANE: unknown term %q", term))
		}
	}
	return e
}

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
