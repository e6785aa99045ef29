// Package amd64 has the SM2 kernels for amd64.
package amd64
