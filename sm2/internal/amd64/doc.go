// Package amd64 contains the SM2 kernels for amd64.
package amd64
