// Package ctgrind marks memory as secret for tests that run under valgrind.
//
// Valgrind's memcheck follows undefined bits through all computation and
// reports each branch and each address that depends on one. Memory that is
// declared undefined though it holds a key or a plaintext is followed in the
// same way, so every report in our code is a way in which secrets could reach
// the clock. ci/secrets.sh runs the tests named TestSecret… of all packages
// like this. The idea is Adam Langley's ctgrind.
//
// Without the build tag valgrind, and on other architectures than amd64, the
// functions do nothing, and the tests only compute.
package ctgrind
