module github.com/cipherlane/cipherlane/_gen

go 1.26.0

// Writes the amd64 assembly: registers by name, loops in Go.
require github.com/mmcloughlin/avo v0.6.0

// The analyzers of go vet, for other platforms. avo needs it, too, and its own requirement (0.16.1)
// does not compile with this Go version.
require golang.org/x/tools v0.52.0

require (
	golang.org/x/mod v0.42.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
)
