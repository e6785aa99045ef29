//go:build linux

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// install makes the task of the step install, and runs it before all others: what they need
// is known only when all of them are.
func (r *runner) install(ctx context.Context, states []*state) {
	i := slices.IndexFunc(states, func(s *state) bool { return s.name == "install" })
	if i < 0 {
		return
	}
	var packages []string
	for _, s := range states {
		for _, need := range s.needs {
			program, pkg, ok := strings.Cut(need, ":")
			if !ok {
				pkg = program
			}
			_, err := exec.LookPath(program)
			if strings.HasPrefix(program, "/") {
				_, err = os.Stat(program)
			}
			if err != nil && !slices.Contains(packages, pkg) {
				packages = append(packages, pkg)
			}
		}
	}
	s := states[i]
	s.tasks = []*taskState{{step: s, task: task{name: "packages", do: func(ctx context.Context, out *bytes.Buffer) error {
		cmd := exec.CommandContext(ctx, "ci/install", packages...)
		cmd.Stdout, cmd.Stderr = out, out
		err := cmd.Run()
		if err == nil {
			fmt.Fprintln(out, "installed:", len(packages), strings.Join(packages, " "))
		}
		return err
	}}}}
	r.schedule(ctx, states[i:i+1])
}
