//go:build !(linux || darwin || dragonfly || freebsd || netbsd || openbsd)

package drivers

// privileged reports whether this program is setuid or setgid, on systems that
// support it.
func privileged() bool { return differentIDs() }
