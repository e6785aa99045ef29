//go:build arm && !arm.6 && !purego

package cpu

const builtForARMv6 = false
