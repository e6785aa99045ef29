module github.com/cipherlane/cipherlane/examples/tlcp

go 1.26.0

require github.com/tjfoc/gmsm v1.4.1

require (
	golang.org/x/crypto v0.54.0 // indirect
	golang.org/x/sys v0.47.0 // indirect
)
