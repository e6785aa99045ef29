//go:build (purego || !amd64) && (dragonfly || freebsd || netbsd || openbsd)

package cpu

import "golang.org/x/sys/unix"

// brand returns the system's name for the CPU: there is no /proc/cpuinfo.
func brand() string {
	name, _ := unix.Sysctl("hw.model")
	return name
}
