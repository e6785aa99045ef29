package substitute

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
)

// replacedText is the table of what is replaced for each GOARCH: lines "MODULE ALGORITHM GOARCH
// WORD". The word is "yes" if ours takes no more than theirs, "tables" if it does but theirs
// looks up secrets in tables, "no", or "none" if theirs has no code of its own for the GOARCH.
// The tables in docs/go.md and docs/gmsm.md have the counts.
//
//go:embed replaced.txt
var replacedText string

// stdModule stands for the standard library among modules.
const stdModule = "std"

// A choice says what is replaced: according to the table, but for what the user named.
type choice struct {
	goarch                 string
	onlyNames, exceptNames []string // modules and algorithms
}

// replacedLines returns the fields of the lines of the table.
func replacedLines() (lines [][]string) {
	for line := range strings.Lines(replacedText) {
		if f := strings.Fields(line); len(f) == 4 && f[0] != "#" {
			lines = append(lines, f)
		}
	}
	return lines
}

// wordKinds returns the words that --only and --except accept: modules, and algorithms.
func wordKinds() (modules, algorithms []string) {
	for _, f := range replacedLines() {
		if !slices.Contains(modules, f[0]) {
			modules = append(modules, f[0])
		}
		if !slices.Contains(algorithms, f[1]) {
			algorithms = append(algorithms, f[1])
		}
	}
	return modules, algorithms
}

// Words returns all words that --only and --except accept.
func Words() []string {
	modules, algorithms := wordKinds()
	return append(modules, algorithms...)
}

// algorithmsOf returns the algorithms of a module in the table.
func algorithmsOf(module string) (list []string) {
	for _, f := range replacedLines() {
		if f[0] == module && !slices.Contains(list, f[1]) {
			list = append(list, f[1])
		}
	}
	return list
}

// check returns an error if a word is none of those that the options accept, and changes the case
// of algorithms to that of the table.
func (c choice) check() (choice, error) {
	all := Words()
	for _, option := range []struct {
		name string
		list *[]string
	}{{"only", &c.onlyNames}, {"except", &c.exceptNames}} {
		*option.list = slices.Clone(*option.list)
		for i, word := range *option.list {
			at := slices.IndexFunc(all, func(w string) bool { return strings.EqualFold(w, word) })
			if at < 0 {
				return c, cli.Usagef("go --%s %s: this is never replaced; want one of %s", option.name, cli.Quote(word), strings.Join(all, ", "))
			}
			(*option.list)[i] = all[at]
		}
	}
	return c, nil
}

// decidedByUser reports whether --only and --except leave an algorithm of a module, and whether
// --only decides that it is replaced.
func (c choice) decidedByUser(module, algorithm string) (left, forced bool) {
	if slices.Contains(c.exceptNames, module) || slices.Contains(c.exceptNames, algorithm) {
		return false, false
	}
	if len(c.onlyNames) == 0 {
		return true, false
	}
	_, algorithms := wordKinds()
	anyModule, anyAlgorithm := true, true
	for _, word := range c.onlyNames {
		if slices.Contains(algorithms, word) {
			anyAlgorithm = false
		} else {
			anyModule = false
		}
	}
	left = (anyModule || slices.Contains(c.onlyNames, module)) && (anyAlgorithm || slices.Contains(c.onlyNames, algorithm))
	return left, left
}

// inTable returns the word of the table, or "" for a GOARCH that is not in it.
func (c choice) inTable(module, algorithm string) string {
	for _, f := range replacedLines() {
		if f[0] == module && f[1] == algorithm && f[2] == c.goarch {
			return f[3]
		}
	}
	return ""
}

// split returns the algorithms of a module that are replaced, and those that stay because of the
// table.
func (c choice) split(module string) (replaced, stay []string) {
	for _, algorithm := range algorithmsOf(module) {
		left, forced := c.decidedByUser(module, algorithm)
		word := c.inTable(module, algorithm)
		switch {
		case !left:
		case forced || word == "yes" || word == "tables":
			replaced = append(replaced, algorithm)
		case word == "none":
		default:
			stay = append(stay, algorithm)
		}
	}
	return replaced, stay
}

// A keptError says what of a module stays as it is because of the table. It is no failure: the go
// command runs without replacing it.
type keptError struct {
	module, goarch string
	algorithms     []string
	hasGOARCH      bool // the table has the GOARCH
}

// keptErrorFor returns the error for a module.
func (c choice) keptErrorFor(module string, stay []string) keptError {
	return keptError{module, c.goarch, stay, slices.ContainsFunc(replacedLines(), func(f []string) bool { return f[2] == c.goarch })}
}

func (e keptError) Error() string {
	why := fmt.Sprintf("on %s cipherlane's would take more instructions or time", e.goarch)
	if !e.hasGOARCH {
		why = fmt.Sprintf("cipherlane's was not measured for GOARCH=%s", e.goarch)
	}
	module := e.module
	if module == stdModule {
		module = "the standard library"
	}
	return fmt.Sprintf("go: %s of %s: not replaced, because %s; --only %s replaces it anyway", sentence(e.algorithms), module, why, e.module)
}

// keptIn returns the errors of this kind among errors, each of which may join several.
func keptIn(list ...error) (kept []error) {
	for _, err := range list {
		switch e := err.(type) {
		case keptError:
			kept = append(kept, e)
		case interface{ Unwrap() []error }:
			kept = append(kept, keptIn(e.Unwrap()...)...)
		}
	}
	return kept
}

// sentence joins words by commas and "and".
func sentence(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// replacesStd reports whether the standard library is replaced. All of it is, or nothing.
func (c choice) replacesStd() (bool, error) {
	replaced, stay := c.split(stdModule)
	switch {
	case len(replaced) == len(algorithmsOf(stdModule)):
		return true, nil
	case len(stay) == len(algorithmsOf(stdModule)):
		return false, c.keptErrorFor(stdModule, stay)
	case replaced == nil && stay == nil:
		return false, cli.Usagef("go --std: --only and --except leave nothing of the standard library: add --only std, or leave out --std and --sm")
	}
	return false, cli.Usagef("go --std: %s of the standard library are replaced together: name both, or std, or leave out --std and --sm", sentence(algorithmsOf(stdModule)))
}

// otherGOARCHs returns the other GOARCHs of the table for which the same is replaced in modules,
// and those for which it is not.
func (c choice) otherGOARCHs(modules []string) (same, others []string) {
	for _, f := range replacedLines() {
		o := c
		o.goarch = f[2]
		if o.goarch == c.goarch || slices.Contains(same, o.goarch) || slices.Contains(others, o.goarch) {
			continue
		}
		differs := slices.ContainsFunc(modules, func(module string) bool {
			current, _ := c.split(module)
			other, _ := o.split(module)
			return !slices.Equal(current, other)
		})
		if differs {
			others = append(others, o.goarch)
		} else {
			same = append(same, o.goarch)
		}
	}
	return same, others
}
