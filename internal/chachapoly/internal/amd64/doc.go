// Package amd64 holds the kernels of ChaCha20 and Poly1305 for x86-64.
package amd64
