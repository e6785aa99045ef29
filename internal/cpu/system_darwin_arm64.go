//go:build !purego

package cpu

import "syscall"

// systemFeatures returns what golang.org/x/sys/cpu does not detect in v0.41, the newest version for
// Go 1.24. The constraint darwin
// includes ios.
func systemFeatures() Set { return apple(syscall.SysctlUint32) }
