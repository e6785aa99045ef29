// Package amd64 has the SM3 kernel for amd64.
package amd64
