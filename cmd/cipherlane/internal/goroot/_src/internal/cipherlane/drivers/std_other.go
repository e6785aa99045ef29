//go:build !linux

package drivers

func privileged() bool { return differentIDs() }
