module github.com/cipherlane/cipherlane/peers

go 1.26.0

require github.com/cipherlane/cipherlane v0.0.0

// The Go library for SM algorithms that ours is measured and checked against.
require github.com/emmansun/gmsm v0.44.1

require golang.org/x/sys v0.49.0 // indirect

replace github.com/cipherlane/cipherlane => ..
