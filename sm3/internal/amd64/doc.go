// Package amd64 holds the SM3 kernels for x86-64.
package amd64
