package goroot

import "strings"

// A Step is a call of the go command that must succeed on a copy.
type Step struct{ Env, Args []string }

// String returns the step as a command line.
func (s Step) String() string {
	return strings.Join(append(append([]string(nil), s.Env...), append([]string{"go"}, s.Args...)...), " ")
}

// Checks are Go's own tests of what is replaced and of what uses it, on this machine, with and
// without FIPS 140-3 mode, and whether everything compiles for other architectures. A test that
// downloads a test suite is left out.
var Checks = []Step{
	{Args: []string{"vet", "crypto/internal/fips140/aes/...", "crypto/internal/cipherlane/...", "crypto/cipherlane/...", "internal/cipherlane/..."}},
	{Args: []string{"test", "-short", "crypto/aes", "crypto/cipher", "crypto/internal/fips140/aes/...", "crypto/hpke", "crypto/tls"}},
	{Args: []string{"test", "-short", "-skip", "^TestACVP$", "crypto/internal/fips140test"}},
	{Env: []string{"GODEBUG=fips140=on"}, Args: []string{"test", "-short", "crypto/aes", "crypto/cipher", "crypto/internal/fips140/aes/..."}},
	{Args: []string{"test", "-short", "-tags", "purego", "crypto/aes", "crypto/cipher"}},
	{Env: []string{"GOARCH=arm64"}, Args: []string{"build", "crypto/tls"}},
	{Env: []string{"GOARCH=arm"}, Args: []string{"build", "crypto/tls"}},
	{Env: []string{"GOARCH=riscv64"}, Args: []string{"build", "crypto/tls"}},
	{Env: []string{"GOARCH=mipsle", "GOMIPS=softfloat"}, Args: []string{"build", "crypto/tls"}},
	{Env: []string{"GOARCH=mips64"}, Args: []string{"build", "crypto/tls"}},
	{Env: []string{"GOARCH=ppc64le"}, Args: []string{"build", "crypto/tls"}},
	{Env: []string{"GOARCH=s390x"}, Args: []string{"build", "crypto/tls"}},
	{Env: []string{"GOOS=windows"}, Args: []string{"build", "crypto/tls"}},
}

// ChecksSM are those for a copy with SM: Go's own tests, and those in _sm, with and without FIPS 140-3
// mode.
var ChecksSM = []Step{
	{Args: []string{"vet", "crypto/cipherlane/...", "internal/cipherlane/..."}},
	{Args: []string{"test", "-short", "crypto/cipherlane/sm3", "crypto/tls", "crypto/x509", "net/http"}},
	{Env: []string{"GODEBUG=fips140=on"}, Args: []string{"test", "-short", "-run", "^TestSM", "crypto/tls", "crypto/x509"}},
	{Env: []string{"GOARCH=arm64"}, Args: []string{"build", "crypto/tls"}},
	{Env: []string{"GOARCH=mipsle", "GOMIPS=softfloat"}, Args: []string{"build", "crypto/tls"}},
	{Env: []string{"GOARCH=s390x"}, Args: []string{"build", "crypto/tls"}},
	{Env: []string{"GOOS=windows"}, Args: []string{"build", "crypto/tls"}},
}
