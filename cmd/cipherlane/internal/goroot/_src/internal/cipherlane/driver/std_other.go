//go:build !linux

package driver

func privileged() bool { return differentIDs() }
