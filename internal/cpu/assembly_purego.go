//go:build purego

package cpu

const assembly = false
