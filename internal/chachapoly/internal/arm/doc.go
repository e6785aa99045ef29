// Package arm contains the ChaCha20-Poly1305 kernels for 32-bit ARM: for the core
// registers of ARMv6 and for NEON.
package arm
