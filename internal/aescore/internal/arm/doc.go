// Package arm has the AES kernels for 32-bit Arm.
package arm
