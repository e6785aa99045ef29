module github.com/cipherlane/cipherlane/cmd/cipherlane

go 1.26.0

// The library in this repository: both are released together.
require github.com/cipherlane/cipherlane v0.0.0-00010101000000-000000000000

replace github.com/cipherlane/cipherlane => ../..

// Flags and subcommands from struct tags, with help.
require github.com/alecthomas/kong v1.17.0

// scrypt, for encrypted private keys.
require golang.org/x/crypto v0.58.0

// Is it a terminal, and how wide?
require golang.org/x/term v0.47.0

// Files without a name, on Linux; pledge and unveil, on OpenBSD.
require golang.org/x/sys v0.49.0
