//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package drivers

import "golang.org/x/sys/unix"

// privileged reports whether this program is setuid or setgid.
func privileged() bool { return unix.Issetugid() || differentIDs() }
