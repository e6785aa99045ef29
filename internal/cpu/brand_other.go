//go:build (purego || !amd64) && !(dragonfly || freebsd || netbsd || openbsd)

package cpu

func brand() string { return "" }
