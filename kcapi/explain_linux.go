//go:build linux && !nokernel

package kcapi

import "syscall"

// explain refines the reason why Linux refused to open an algorithm, using what
// the system reveals. Linux's errors are ambiguous: ENOENT stands for an algorithm
// that is unknown, hidden or forbidden. explain reads files, which is acceptable
// because it runs only after a failure.
func explain(typ, name, call string, _ syscall.Errno, r Reason) (Reason, string) {
	return ReadEnvironment().diagnose(typ, name, call, r)
}
