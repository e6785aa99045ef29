// Package arm has the kernels of ChaCha20-Poly1305 for 32-bit ARM: in the core
// registers of ARMv6 and with NEON.
package arm
