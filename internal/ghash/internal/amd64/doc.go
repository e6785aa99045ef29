// Package amd64 has the GHASH kernels for amd64.
package amd64
