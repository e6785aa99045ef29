// Package aescore implements AES (FIPS 197) with its drivers: the key schedule, the
// portable code and the kernels for blocks, CBC, counter mode, XTS and GCM. Package aes
// is built on it, and package frodokem uses its key schedule. It imports neither
// crypto/cipher nor a source of random numbers, which frodokem does not need, except for the
// driver std.
//
// Callers check lengths and overlaps.
package aescore

// BlockSize is the number of bytes in a block.
const BlockSize = 16
