//go:build linux

package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A snippet is Go: a whole file, declarations, or statements.
type snippet struct{ at, code string }

const module = "github.com/cipherlane/cipherlane/"

// imports are the packages that statements may use by name.
var imports = map[string]string{
	"errors": "errors", "fmt": "fmt", "hash": "hash", "io": "io", "log": "log", "os": "os", "bytes": "bytes", "slog": "log/slog",
	"cipher": "crypto/cipher", "hmac": "crypto/hmac", "rand": "crypto/rand", "hex": "encoding/hex", "pem": "encoding/pem",
	"sm2": module + "sm2", "sm3": module + "sm3", "sm4": module + "sm4", "aes": module + "aes", "chacha20": module + "chacha20",
	"chacha20poly1305": module + "chacha20poly1305", "frodokem": module + "frodokem", "chunked": module + "chunked",
	"kcapi": module + "kcapi", "linux": module + "linux", "driver": module + "driver",
}

// variables are those that statements may use without having declared them.
var variables = map[string]string{
	"key":            "make([]byte, 16)",
	"iv":             "make([]byte, 16)",
	"nonce":          "make([]byte, 12)",
	"plaintext":      `[]byte("attack at dawn")`,
	"message":        `[]byte("attack at dawn")`,
	"additionalData": `[]byte("message 1")`,
}

// runSnippets runs those of a text: statements in one program, whole files each alone.
func (p *place) runSnippets(list []snippet, compileOnly bool) ([]byte, error) {
	command := "go run ."
	if compileOnly {
		command = "go vet ."
	}
	dir := filepath.Join(p.folder(), "snippets") // in a workspace with peers, which has the libraries to compare with
	var statements []snippet
	for _, s := range list {
		if isStatements(s.code) {
			statements = append(statements, s)
			continue
		}
		if output, err := p.runGo(dir, wholeFile(s), command); err != nil {
			return output, fmt.Errorf("%s: %w", s.at, err)
		}
	}
	if len(statements) == 0 {
		return nil, nil
	}
	program, err := statementsFile(statements)
	if err != nil {
		return nil, err
	}
	return p.runGo(dir, program, command)
}

func (p *place) runGo(dir, program, command string) ([]byte, error) {
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(program), 0o666); err != nil {
		return nil, err
	}
	return p.bash(dir, command)
}

func isStatements(code string) bool {
	_, err := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc _() error {\n"+code+"\nreturn nil }", 0)
	return err == nil
}

// wholeFile completes declarations to a program.
func wholeFile(s snippet) string {
	code := fmt.Sprintf("//line %s\n%s\n", s.at, s.code)
	if !strings.HasPrefix(strings.TrimSpace(s.code), "package ") {
		code = "package main\n" + code
	}
	if !strings.Contains(code, "\nfunc main()") {
		code += "func main() {}\n"
	}
	return code
}

// statementsFile makes one program of all that are statements.
func statementsFile(list []snippet) (string, error) {
	var head, body strings.Builder
	used := map[string]bool{}
	body.WriteString("func main() {\n")
	for i := range list {
		fmt.Fprintf(&body, "\tif err := snippet%d(); err != nil { panic(err) }\n", i)
	}
	body.WriteString("}\n")
	for i, s := range list {
		file, err := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc _() error {\n"+s.code+"\nreturn nil }", 0)
		if err != nil {
			return "", fmt.Errorf("%s: %w", s.at, err)
		}
		function := file.Decls[0].(*ast.FuncDecl)
		ast.Inspect(function, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				used[id.Name] = true
			}
			return true
		})
		fmt.Fprintf(&body, "func snippet%d() error {\n//line %s\n%s\n", i, s.at, s.code)
		for _, name := range defined(function.Body.List) {
			fmt.Fprintf(&body, "_ = %s\n", name)
		}
		body.WriteString("return nil\n}\n")
	}
	head.WriteString("package main\n")
	for _, name := range sortedKeysOf(imports) {
		if used[name] {
			fmt.Fprintf(&head, "import %q\n", imports[name])
		}
	}
	for _, name := range sortedKeysOf(variables) {
		if used[name] {
			fmt.Fprintf(&head, "var %s = %s\n", name, variables[name])
		}
	}
	return head.String() + body.String(), nil
}

// defined returns the variables that statements define, which a snippet need not use.
func defined(list []ast.Stmt) []string {
	var names []string
	for _, s := range list {
		if a, ok := s.(*ast.AssignStmt); ok && a.Tok == token.DEFINE {
			for _, e := range a.Lhs {
				if id := e.(*ast.Ident); id.Name != "_" && !slices.Contains(names, id.Name) {
					names = append(names, id.Name)
				}
			}
		}
	}
	return names
}

func sortedKeysOf(m map[string]string) []string {
	n := map[string]int{}
	for k := range m {
		n[k] = 0
	}
	return sortedKeys(n)
}

// packageDocs returns the Go in the documentation of the public packages: code that
// parses as Go, or has := and ought to.
func packageDocs(top string) (*text, error) {
	t := &text{name: docsName, docs: true}
	root := os.DirFS(top)
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if base := path.Base(name); d.IsDir() && name != "." && (strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") || slices.Contains([]string{"internal", "testdata", "cmd", "ci", "peers"}, base)) {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		source, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, source, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			return err
		}
		for _, block := range new(comment.Parser).Parse(file.Doc.Text()).Content {
			code, ok := block.(*comment.Code)
			if !ok {
				continue
			}
			_, asFile := parser.ParseFile(token.NewFileSet(), "", "package p\n"+code.Text, 0)
			if asFile == nil || isStatements(code.Text) || strings.Contains(code.Text, ":=") {
				t.snippets = append(t.snippets, snippet{name + ":1", code.Text})
			}
		}
		return nil
	})
	if err == nil && len(t.snippets) == 0 {
		err = errors.New("no Go in the documentation of any package")
	}
	return t, err
}
