//go:build purego || !amd64

package cpu

func brand() string { return "" }
