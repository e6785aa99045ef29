package goroot

import _ "embed"

// Hello is a test in one file. It writes what crypto/tls sends first to the file that the variable
// CIPHERLANE_HELLO names. With a copy with SM, it must be the same as with Go's.
//
//go:embed hello/hello_test.go
var Hello []byte
