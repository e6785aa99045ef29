package inventory

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
	"github.com/cipherlane/cipherlane/internal/drivers"
)

// CheckEnvironment returns an error if CIPHERLANE or CIPHERLANE_PROFILE cannot take full
// effect. The library ignores terms that it does not know; a command must not. tune
// accepts an unsuitable profile, because it makes a new one.
//
// The exit codes are the same as for options: an unknown name is a usage error, a
// driver or profile that exists but does not work on this machine is unavailable, and
// a profile that cannot be read is a failure.
func CheckEnvironment(verb string) error {
	var terms, profile []string
	for _, warning := range drivers.Warnings() {
		if term, ok := strings.CutPrefix(warning, "CIPHERLANE: "); ok {
			terms = append(terms, term)
		} else if verb != "tune" {
			profile = append(profile, warning)
		}
	}
	for _, name := range unknownPackages() {
		terms = append(terms, fmt.Sprintf("no package %q", name))
	}
	list := profile
	if len(terms) > 0 {
		list = slices.Insert(profile, 0, "CIPHERLANE: "+strings.Join(terms, "; "))
	}
	err := errors.New(strings.Join(list, "; "))
	switch {
	case len(list) == 0:
		return nil
	case len(terms) > unavailableChoices():
		return cli.AsUsage(err)
	case len(terms) > 0 || errors.Is(drivers.LoadProfile(os.Getenv("CIPHERLANE_PROFILE")), drivers.ErrUnavailable):
		return cli.AsUnavailable(err)
	default:
		return err
	}
}

// unavailableChoices returns the number of drivers named in CIPHERLANE that exist but
// cannot run here.
func unavailableChoices() (n int) {
	choices := drivers.Choices()
	for _, t := range drivers.List() {
		if name, ok := choices[t.Package()]; ok {
			if _, err := t.On(name); errors.Is(err, drivers.ErrUnavailable) {
				n++
			}
		}
	}
	return n
}

// unknownPackages returns the packages named in CIPHERLANE that do not exist. The
// library cannot distinguish them from packages that a program does not use, but this
// command uses all packages.
func unknownPackages() []string {
	unknown := drivers.Choices()
	for _, t := range drivers.List() {
		delete(unknown, t.Package())
	}
	return slices.Sorted(maps.Keys(unknown))
}
