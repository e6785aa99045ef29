//go:build !valgrind || !amd64

package ctgrind

// Secret marks b as secret.
func Secret(b []byte) {}

// Public marks b as public: after this it may be compared and printed.
func Public(b []byte) {}
