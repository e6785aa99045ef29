// The program that ci/count builds plainly and with "cipherlane go". It has a module of its own
// because it shall depend on what is replaced, and on nothing else.
module github.com/cipherlane/cipherlane/peers/replaced

go 1.26.0

require (
	github.com/emmansun/gmsm v0.44.1
	github.com/tailscale/wireguard-go v0.0.0-20260928213032-417aef361226
	github.com/tjfoc/gmsm v1.4.1
	golang.org/x/crypto v0.58.0
)

require golang.org/x/sys v0.49.0 // indirect
