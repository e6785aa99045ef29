package main

import (
	"fmt"
	"go/build/constraint"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

var (
	buildLine = regexp.MustCompile(`(?m)^//go:build .*\n`)
	system    = `(?:_(darwin|dragonfly|freebsd|linux|netbsd|openbsd|windows))?`
	processor = `(?:_(386|amd64|arm|arm64|loong64|ppc64le|riscv64|s390x))?`
	ending    = regexp.MustCompile(`^.*?` + system + processor + `(?:_test)?\.go$`)
)

// constraints returns the files X_none.go of a folder with their build constraints: each is for the
// platforms for which there is no other file X_*.go.
func constraints(dir string) (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, test := range []string{"", "_test"} {
		list, err := filepath.Glob(filepath.Join(dir, "*_none"+test+".go"))
		if err != nil {
			return nil, err
		}
		for _, none := range list {
			prefix := strings.TrimSuffix(none, "none"+test+".go")
			if strings.HasSuffix(prefix, "switch_") {
				continue // has the constraint of drivers_none.go
			}
			others, err := filepath.Glob(prefix + "*.go")
			if err != nil {
				return nil, err
			}
			others = slices.DeleteFunc(others, func(name string) bool {
				return name == none || strings.HasSuffix(name, "_test.go") != (test != "")
			})
			if files[none], err = withConstraint(none, others); err != nil {
				return nil, err
			}
		}
	}
	return files, nil
}

// withConstraint returns the text of a file that is for all platforms that no other file is for.
func withConstraint(name string, others []string) ([]byte, error) {
	var alternatives [][]constraint.Expr // conditions that must all hold
	assembly := true                     // none is for the tag purego
	notPurego := func(x constraint.Expr) bool { return x.String() == "!purego" }
	for _, other := range others {
		text, err := os.ReadFile(other)
		if err != nil {
			return nil, err
		}
		var all []constraint.Expr
		for _, tag := range ending.FindStringSubmatch(filepath.Base(other))[1:] {
			if tag != "" {
				all = append(all, &constraint.TagExpr{Tag: tag})
			}
		}
		if line := buildLine.Find(text); line != nil {
			x, err := constraint.Parse(strings.TrimSpace(string(line)))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", other, err)
			}
			all = append(all, parts(x)...)
		}
		assembly = assembly && slices.ContainsFunc(all, notPurego)
		alternatives = append(alternatives, all)
	}
	var either constraint.Expr
	for i, all := range alternatives {
		if assembly {
			all = slices.DeleteFunc(all, notPurego)
		}
		if len(all) == 0 {
			return nil, fmt.Errorf("%s leaves no platform for %s", others[i], name)
		}
		both := all[0]
		for _, x := range all[1:] {
			both = &constraint.AndExpr{X: both, Y: x}
		}
		if i == 0 {
			either = both
		} else {
			either = &constraint.OrExpr{X: either, Y: both}
		}
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	if either == nil || !buildLine.Match(text) {
		return nil, fmt.Errorf("%s has no line //go:build, or is the only file with this name", name)
	}
	line := (&constraint.NotExpr{X: either}).String()
	if assembly {
		line = "purego || " + line
	}
	return buildLine.ReplaceAllLiteral(text, []byte("//go:build "+line+"\n")), nil
}

// parts returns the conditions of which an expression is the conjunction.
func parts(x constraint.Expr) []constraint.Expr {
	if and, ok := x.(*constraint.AndExpr); ok {
		return append(parts(and.X), parts(and.Y)...)
	}
	return []constraint.Expr{x}
}
