package substitute

import (
	"slices"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/clitest"
)

func TestUnchangedTLS(t *testing.T) {
	for _, k := range []struct {
		p    goPackage
		want string
	}{
		{goPackage{ImportPath: "crypto/tls", Standard: true, GoFiles: []string{"handshake_client.go", "handshake_server.go"}}, ""},
		{goPackage{ImportPath: "a/tls", GoFiles: []string{"conn.go", "handshake_client.go", "handshake_server.go"}}, "a/tls has TLS of its own, which stays as it is: without SM2, SM3 and SM4"},
		{goPackage{ImportPath: "a/tls", GoFiles: []string{"handshake_client.go"}}, ""},
		{goPackage{ImportPath: "b", CgoLDFLAGS: []string{"-L/lib", "-lssl", "-lcrypto"}}, "b uses ssl by cgo, whose TLS stays as it is: without SM2, SM3 and SM4"},
		{goPackage{ImportPath: "b", CgoLDFLAGS: []string{"/lib/libssl.a"}}, "b uses libssl by cgo, whose TLS stays as it is: without SM2, SM3 and SM4"},
		{goPackage{ImportPath: "b", CgoPkgConfig: []string{"gnutls"}}, "b uses gnutls by cgo, whose TLS stays as it is: without SM2, SM3 and SM4"},
		{goPackage{ImportPath: "b", CgoLDFLAGS: []string{"-lcrypto", "-lsslx"}}, ""},
	} {
		if got := k.p.unchangedTLS(); got != k.want {
			t.Errorf("%+v: %q", k.p, got)
		}
	}
}

func TestListArguments(t *testing.T) {
	for args, want := range map[string]string{
		"build":                                     "list -deps JSON",
		"build -C dir -o x -tags=a -v ./... b":      "list -C dir -deps JSON -tags=a -v ./... b",
		"build -o=x -ldflags y -trimpath .":         "list -deps JSON -ldflags y -trimpath .",
		"install -trimpath a/b@v1 a/c@v1":           "list -deps JSON -trimpath a/b@v1 a/c@v1",
		"run -exec x . -o a":                        "list -deps JSON .",
		"run a.go b.go c":                           "list -deps JSON a.go b.go",
		"run -tags a b.go":                          "list -deps JSON -tags a b.go",
		"build -C=dir -p 1 -gcflags=all=-N -a -- .": "list -C=dir -deps JSON -p 1 -gcflags=all=-N -a .",
	} {
		call, err := parseGo(strings.Fields(args))
		if err != nil {
			t.Fatal(err)
		}
		got := listArguments(strings.Fields(args), call)
		if at := slices.IndexFunc(got, func(s string) bool { return strings.HasPrefix(s, "-json=") }); at > 0 {
			got[at] = "JSON"
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %s, want %s", args, strings.Join(got, " "), want)
		}
	}
}

// A program with a copy of crypto/tls, as the go command lists it.
func TestListedTLS(t *testing.T) {
	c := newGoTest(t, map[string]string{
		"main.go":                 "package main\n\nimport _ \"example.com/program/tls\"\n\nfunc main() {}\n",
		"tls/handshake_client.go": "package tls\n",
		"tls/handshake_server.go": "package tls\n",
	})
	clitest.Write(t, c.Dir+"/go.mod", []byte("module example.com/program\n\ngo 1.26\n"))
	q := goQuery{ctx: t.Context(), path: clitest.Tool(t, "go"), dir: c.Dir, env: c.Env}
	for args, want := range map[string]int{"build -o x .": 1, "run . x": 1, "install": 1, "build ./missing": 0} {
		call, err := parseGo(strings.Fields(args))
		if err != nil {
			t.Fatal(err)
		}
		got := q.unchangedTLS(strings.Fields(args), call)
		if len(got) != want || want == 1 && !strings.HasPrefix(got[0], "example.com/program/tls has TLS of its own") {
			t.Errorf("%s: %q", args, got)
		}
	}
}
