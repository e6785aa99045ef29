//go:build arm.6 && !purego

package cpu

const builtForARMv6 = true
