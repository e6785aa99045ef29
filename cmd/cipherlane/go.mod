module github.com/cipherlane/cipherlane/cmd/cipherlane

go 1.26.0

// The library in this repository: both are released together.
require github.com/cipherlane/cipherlane v0.0.0-00010101000000-000000000000

replace github.com/cipherlane/cipherlane => ../..

// Flags and subcommands from struct tags, with help.
require github.com/alecthomas/kong v1.17.0

// The age format: its header, recipients and plugin protocol, which age and rage must agree
// with byte for byte.
require filippo.io/age v1.3.2

// age's test kit, for tests.
require c2sp.org/CCTV/age v0.0.0-20260829155415-4448f2097b2d

// scrypt, for encrypted private keys, and keys of ssh, which age uses.
require golang.org/x/crypto v0.58.0

// Is it a terminal, and how wide?
require golang.org/x/term v0.47.0

// Files without a name, on Linux; pledge and unveil, on OpenBSD.
require golang.org/x/sys v0.49.0

require (
	filippo.io/edwards25519 v1.2.0 // indirect
	filippo.io/hpke v0.4.0 // indirect
	filippo.io/nistec v0.0.4 // indirect
)
