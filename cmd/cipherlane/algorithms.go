package main

import (
	"crypto/fips140"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/internal/catalog"
)

// find returns the algorithm of a name, which may also be written without the
// parentheses that shells take for themselves: sm4-gcm for gcm(sm4).
func find(name string) (catalog.Algorithm, bool) {
	if a, ok := catalog.Find(name); ok {
		return a, true
	}
	if i := strings.LastIndexByte(name, '-'); i > 0 {
		return catalog.Find(name[i+1:] + "(" + name[:i] + ")")
	}
	return catalog.Algorithm{}, false
}

// shellName is the spelling of an algorithm's name that needs no quotes.
func shellName(a catalog.Algorithm) string {
	if mode, rest, ok := strings.Cut(a.Name, "("); ok {
		return strings.TrimSuffix(rest, ")") + "-" + mode
	}
	return a.Name
}

// choose returns the algorithms of these names, each of which may also be that
// of a package, for all that is in it. No names stand for all algorithms.
func choose(names []string) ([]catalog.Algorithm, error) {
	all := catalog.All()
	if len(names) == 0 {
		return all, nil
	}
	var chosen []catalog.Algorithm
	add := func(a catalog.Algorithm) {
		if !slices.ContainsFunc(chosen, func(c catalog.Algorithm) bool { return c.Name == a.Name }) {
			chosen = append(chosen, a)
		}
	}
	for _, name := range names {
		a, known := find(name)
		if known {
			add(a)
		}
		for _, a := range all {
			if a.Package == name {
				add(a)
				known = true
			}
		}
		if !known {
			return nil, unknownAlgorithm(name, all)
		}
	}
	return chosen, nil
}

// unknownAlgorithm is the error for a name that is in none of the algorithms.
func unknownAlgorithm(name string, known []catalog.Algorithm) error {
	var list []string
	for _, a := range known {
		list = append(list, shellName(a))
	}
	return unavailableError{fmt.Errorf("%s: no such algorithm (known: %s)", quote(name), strings.Join(list, ", "))}
}

// refuseFIPS is for verbs that compute: where the library's constructors would
// panic or fail one after the other, the command says once what is the matter.
func refuseFIPS() error {
	if fips140.Enforced() {
		return unavailableError{errors.New("GODEBUG=fips140=only: allows neither SM3 and SM4 nor encrypted files; unset it for this command")}
	}
	return nil
}

// packages returns the tables that the algorithms share, with their algorithms.
func packages(list []catalog.Algorithm) (tables []*driver.Table, members map[*driver.Table][]catalog.Algorithm) {
	members = map[*driver.Table][]catalog.Algorithm{}
	for _, a := range list {
		t := a.Table()
		if members[t] == nil {
			tables = append(tables, t)
		}
		members[t] = append(members[t], a)
	}
	return tables, members
}

// unknownPackages returns the packages that CIPHERLANE names and that are not
// in this program. The library cannot tell them from packages that a program
// does not use; this command uses them all.
func unknownPackages() []string {
	unknown := driver.Choices()
	for _, t := range driver.List() {
		delete(unknown, t.Package())
	}
	return slices.Sorted(maps.Keys(unknown))
}
