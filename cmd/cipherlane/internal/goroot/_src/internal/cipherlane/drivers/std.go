package drivers

import (
	"internal/cipherlane/cpu"
	"strings"
	"syscall"
)

// A program whose standard library has this package reads no profile, and CIPHERLANE can only
// take features of the CPU away, unless the program has more privileges than its caller.

var environment = struct {
	use      map[string]string
	disabled Features
}{disabled: withheld()}

func withheld() (s Features) {
	list, _ := syscall.Getenv("CIPHERLANE")
	if list == "" || privileged() {
		return 0
	}
	for term := range strings.SplitSeq(list, ",") {
		if name, ok := strings.CutPrefix(strings.TrimSpace(term), "-"); ok {
			s |= cpu.Parse(name)
		}
	}
	return s
}

func differentIDs() bool {
	return syscall.Getuid() != syscall.Geteuid() || syscall.Getgid() != syscall.Getegid()
}

var inForce struct{ profile none }

type none struct{}

func (none) plan(*Table) (Plan, bool) { return 0, false }

func ask() {}

func assert() {}
