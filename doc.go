// Package cipherlane is an overview of a cryptography library in which every
// algorithm has several implementations, and the best one for the machine is
// selected at run time. The library does not use cgo. This package contains no
// code: import the algorithm you need.
//
//	sm2               signatures, encryption and key exchange on the curve SM2; many at once
//	sm3               the hash function SM3, HMAC, key derivation; many at once
//	sm4               the block cipher SM4 with all of its usual modes
//	aes               the block cipher AES with all of its usual modes
//	chacha20poly1305  ChaCha20-Poly1305 and XChaCha20-Poly1305
//	chacha20          the stream ciphers under them
//	frodokem          the key encapsulation mechanism FrodoKEM
//	linux             lets aes, sm4 and sm3 use the Linux crypto API
//	kcapi             the Linux crypto API (AF_ALG), as a client
//	chunked           encryption of files and streams of any size
//	driver            which implementations exist, which one is selected, and why
//
// The command cipherlane (in cmd/cipherlane) lists, measures and uses all of
// them.
package cipherlane
