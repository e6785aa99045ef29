package substitute

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
)

// With --sm, TLS of the standard library changes, and no other. This file finds what else of a
// program is TLS, to say so.

// A goPackage is the output of "go list -json" about a package.
type goPackage struct {
	ImportPath   string
	Standard     bool
	GoFiles      []string
	CgoLDFLAGS   []string
	CgoPkgConfig []string
}

// cTLS are the libraries of C that have TLS, by what follows -l, and the names that pkg-config has
// for them.
var cTLS = []string{"ssl", "libssl", "openssl", "gnutls", "mbedtls", "wolfssl", "s2n"}

// unchangedTLS says of a package that it has TLS that stays as it is, or returns "". A copy of
// crypto/tls, like utls, has files of the same names.
func (p goPackage) unchangedTLS() string {
	if p.Standard {
		return ""
	}
	if slices.Contains(p.GoFiles, "handshake_client.go") && slices.Contains(p.GoFiles, "handshake_server.go") {
		return p.ImportPath + " has TLS of its own, which stays as it is: without SM2, SM3 and SM4"
	}
	for _, flag := range append(slices.Clone(p.CgoLDFLAGS), p.CgoPkgConfig...) {
		name, _, _ := strings.Cut(strings.TrimPrefix(path.Base(flag), "-l"), ".") // or libssl.a
		if slices.Contains(cTLS, name) {
			return fmt.Sprintf("%s uses %s by cgo, whose TLS stays as it is: without SM2, SM3 and SM4", p.ImportPath, name)
		}
	}
	return ""
}

// unchangedTLS returns what it says of the packages that a call of the go command builds. It returns nothing if
// there are errors: the go command will print them.
func (q goQuery) unchangedTLS(args []string, call goCall) (list []string) {
	out, err := q.run(listArguments(args, call)...)
	if err != nil {
		return nil
	}
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var p goPackage
		if d.Decode(&p) != nil {
			return nil
		}
		if text := p.unchangedTLS(); text != "" {
			list = append(list, text)
		}
	}
	return list
}

// listArguments returns arguments of the go command with which "go list" lists the packages that "go
// build", "go install" or "go run" builds.
func listArguments(args []string, call goCall) []string {
	verb, flags, packages := args[0], args[call.first:len(args)-call.behind], args[len(args)-call.behind:]
	if verb == "run" { // behind the package, or files, are arguments of the program
		n := max(min(1, len(packages)), slices.IndexFunc(append(slices.Clone(packages), ""), func(s string) bool { return !strings.HasSuffix(s, ".go") }))
		packages = packages[:n]
	}
	list := append(slices.Concat([]string{"list"}, args[1:call.first]), "-deps", "-json=ImportPath,Standard,GoFiles,CgoLDFLAGS,CgoPkgConfig")
	for i := 0; i < len(flags); i++ {
		name, _, joined, _ := cutFlag(flags[i])
		exists, takes := flagKind(verb, name)
		known, _ := flagKind("list", name)
		n := 1
		if takes && !joined {
			n = 2
		}
		if exists && known {
			list = append(list, flags[i:min(i+n, len(flags))]...)
		}
		i += n - 1
	}
	return append(list, packages...)
}
