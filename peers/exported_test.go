package peers

import (
	"go/build"
	"go/importer"
	"go/token"
	"go/types"
	"os/exec"
	"strings"
	"testing"
)

// TestExported checks that a program compiles if its import path is changed to ours:
// our package exports everything that the other package does, with the same methods
// and, except for our own types, the same signatures.
func TestExported(t *testing.T) {
	const module = "github.com/cipherlane/cipherlane/"
	if build.Default.GOROOT == "" { // with -trimpath
		build.Default.GOROOT = strings.TrimSpace(string(must(exec.Command("go", "env", "GOROOT").Output())(t)))
	}
	source := importer.ForCompiler(token.NewFileSet(), "source", nil)
	for _, pair := range [][2]string{
		{"crypto/aes", "aes"},
		{"golang.org/x/crypto/chacha20", "chacha20"},
		{"golang.org/x/crypto/chacha20poly1305", "chacha20poly1305"},
	} {
		theirs, ours := must(source.Import(pair[0]))(t), must(source.Import(module+pair[1]))(t)
		// Types are printed with the names of their packages, except for these two
		// packages, and functions without the names of their parameters.
		qualify := func(p *types.Package) string {
			if p == theirs || p == ours {
				return ""
			}
			return p.Path()
		}
		text := func(t types.Type) string {
			f, ok := t.(*types.Signature)
			if !ok {
				return types.TypeString(t, qualify)
			}
			s := "func"
			for _, list := range []*types.Tuple{f.Params(), f.Results()} {
				s += "("
				for v := range list.Variables() {
					s += types.TypeString(v.Type(), qualify) + ","
				}
				s += ")"
			}
			return s
		}
		names := 0
		for _, name := range theirs.Scope().Names() {
			their, our := theirs.Scope().Lookup(name), ours.Scope().Lookup(name)
			if !their.Exported() {
				continue
			}
			names++
			if our == nil {
				t.Errorf("%s has no %s", pair[1], name)
				continue
			}
			named, isType := their.Type().(*types.Named)
			_, ours := our.(*types.TypeName)
			if _, theirs := their.(*types.TypeName); theirs != ours {
				t.Errorf("%s.%s is a %T, want a %T", pair[1], name, our, their)
				continue
			}
			if !ours {
				if text(our.Type()) != text(their.Type()) {
					t.Errorf("%s.%s is %s, want %s", pair[1], name, text(our.Type()), text(their.Type()))
				}
				continue
			}
			if !isType {
				t.Fatalf("%s.%s is no named type", pair[0], name)
			}
			// The method set of a pointer includes the methods of the value.
			want, got := types.NewMethodSet(types.NewPointer(named)), types.NewMethodSet(types.NewPointer(our.Type()))
			for m := range want.Methods() {
				if !m.Obj().Exported() {
					continue
				}
				names++
				own := got.Lookup(nil, m.Obj().Name())
				if own == nil || text(own.Type()) != text(m.Type()) {
					t.Errorf("%s.%s has no method %s%s", pair[1], name, m.Obj().Name(), text(m.Type())[len("func"):])
				}
			}
		}
		if names < 4 {
			t.Errorf("%s: %d names", pair[0], names)
		}
	}
}
