//go:build !purego

package cpu

import "syscall"

// systemFeatures returns what golang.org/x/sys/cpu may not detect. The constraint darwin
// includes ios.
func systemFeatures() Set { return apple(syscall.SysctlUint32) }
