//go:build linux && !nokernel

package kcapi

import "syscall"

// explain refines the reason for which Linux refuses to open an algorithm, as
// far as the system lets us see it. Linux's answers are ambiguous: ENOENT
// stands for an algorithm that is unknown, hidden or forbidden. It is called
// after a failure, so it may read files.
func explain(typ, name, call string, _ syscall.Errno, r Reason) (Reason, string) {
	return ReadEnvironment().diagnose(typ, name, call, r)
}
