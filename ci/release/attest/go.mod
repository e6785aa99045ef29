// Checks of a release's provenance. A module of its own, and in no go.work, because neither the
// library nor the command shall depend on what is below.
module github.com/cipherlane/cipherlane/ci/release/attest

go 1.26.0

// The types of statements and of SLSA's provenance, and their rules.
require (
	github.com/in-toto/attestation v1.1.2
	google.golang.org/protobuf v1.36.6
)
