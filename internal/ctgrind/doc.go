// Package ctgrind marks memory as secret for tests that run under valgrind.
//
// Valgrind's memcheck tracks undefined bits through all computations and reports
// every branch and every address that depends on one. If memory with a key or
// a plaintext is declared undefined, it is tracked in the same way, so every
// report in our code is a possible timing leak. ci/secrets.sh runs the tests named
// TestSecret… of all packages like this. The idea is Adam Langley's ctgrind.
//
// Outside of tests, package modes declares values public that a message shows to everybody.
// Without the build tag valgrind, and on architectures other than amd64, the
// functions do nothing, and the tests run without this check.
package ctgrind
