//go:build !purego

package cpu

// assembly reports whether this build has assembly.
const assembly = true
