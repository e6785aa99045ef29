//go:build linux

package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
)

var ofKernel = regexp.MustCompile(`^/(proc|sys|dev)(/|$)`)

// readTestLog reads the log of -test.testlogfile. Its files are needed only if there is
// no trace: those of a guest, without what the guest's own kernel makes.
func (s *seen) readTestLog(name, cwd string, untraced bool) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return fmt.Errorf("no test log: %w", err)
	}
	for line := range strings.Lines(string(text)) {
		line, whole := strings.CutSuffix(line, "\n")
		op, what, ok := strings.Cut(line, " ")
		switch {
		case strings.HasPrefix(line, "#") && whole:
			continue
		case !ok || !whole:
			return fmt.Errorf("the test log has the line %q", line)
		}
		path := join(cwd, what)
		switch op {
		case "getenv":
			s.variables[what] = true
		case "chdir":
			cwd = path
		case "open", "stat":
			if !untraced || ofKernel.MatchString(path) {
				continue
			}
			k := contents
			if _, err := os.Stat(path); err != nil {
				k = absent
			}
			s.add(path, k)
		default:
			return fmt.Errorf("the test log has the line %q", line)
		}
	}
	return nil
}
