// Package mips holds the AES kernels for MIPS32 and MIPS64 of release 2 to 5, big- and
// little-endian.
//
// No kernel has branches or memory addresses that depend on keys or data. None relies on
// misaligned loads and stores, which Linux emulates.
package mips
