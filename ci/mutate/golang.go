//go:build linux

package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
)

// opposites are replacements of operators.
var opposites = map[token.Token][]token.Token{
	token.ADD: {token.SUB}, token.SUB: {token.ADD}, token.MUL: {token.ADD}, token.QUO: {token.MUL}, token.REM: {token.QUO},
	token.AND: {token.OR}, token.OR: {token.AND}, token.XOR: {token.OR}, token.AND_NOT: {token.AND},
	token.SHL: {token.SHR}, token.SHR: {token.SHL},
	token.LAND: {token.LOR}, token.LOR: {token.LAND},
	token.EQL: {token.NEQ}, token.NEQ: {token.EQL},
	token.LSS: {token.LEQ, token.GEQ}, token.LEQ: {token.LSS, token.GTR},
	token.GTR: {token.GEQ, token.LEQ}, token.GEQ: {token.GTR, token.LSS},
	token.ADD_ASSIGN: {token.SUB_ASSIGN}, token.SUB_ASSIGN: {token.ADD_ASSIGN}, token.MUL_ASSIGN: {token.ADD_ASSIGN}, token.QUO_ASSIGN: {token.MUL_ASSIGN},
	token.AND_ASSIGN: {token.OR_ASSIGN}, token.OR_ASSIGN: {token.AND_ASSIGN}, token.XOR_ASSIGN: {token.OR_ASSIGN}, token.AND_NOT_ASSIGN: {token.AND_ASSIGN},
	token.SHL_ASSIGN: {token.SHR_ASSIGN}, token.SHR_ASSIGN: {token.SHL_ASSIGN},
	token.INC: {token.DEC}, token.DEC: {token.INC},
}

// goChanges returns the possible changes of a Go file.
func goChanges(name string, src []byte) ([]change, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var list []change
	offset := func(p token.Pos) int { return fset.Position(p).Offset }
	replace := func(from, to token.Pos, text, kind string) {
		list = append(list, change{offset(from), offset(to), text, kind})
	}
	operator := func(at token.Pos, op token.Token) {
		for _, other := range opposites[op] {
			replace(at, at+token.Pos(len(op.String())), other.String(), "operator")
		}
	}
	condition := func(x ast.Expr) {
		s := string(src[offset(x.Pos()):offset(x.End())])
		replace(x.Pos(), x.End(), "!("+s+")", "negation")
		replace(x.Pos(), x.End(), "true || ("+s+")", "always")
		replace(x.Pos(), x.End(), "false && ("+s+")", "never")
	}
	statements := func(body []ast.Stmt) {
		for _, s := range body {
			switch s := s.(type) {
			case *ast.AssignStmt:
				if s.Tok != token.DEFINE {
					replace(s.Pos(), s.End(), "", "statement")
				}
			case *ast.ExprStmt, *ast.IncDecStmt, *ast.DeferStmt, *ast.GoStmt, *ast.BranchStmt, *ast.ForStmt, *ast.RangeStmt:
				replace(s.Pos(), s.End(), "", "statement")
			}
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.ArrayType:
			return false // other sizes do not compile, or change nothing
		case *ast.BinaryExpr:
			operator(n.OpPos, n.Op)
		case *ast.UnaryExpr:
			if n.Op == token.SUB || n.Op == token.XOR || n.Op == token.NOT {
				replace(n.OpPos, n.OpPos+1, "", "operator")
			}
		case *ast.AssignStmt:
			operator(n.TokPos, n.Tok)
		case *ast.IncDecStmt:
			operator(n.TokPos, n.Tok)
		case *ast.IfStmt:
			condition(n.Cond)
		case *ast.ForStmt:
			if n.Cond != nil {
				replace(n.Cond.Pos(), n.Cond.End(), "!("+string(src[offset(n.Cond.Pos()):offset(n.Cond.End())])+")", "negation")
			}
		case *ast.BlockStmt:
			statements(n.List)
		case *ast.CaseClause:
			statements(n.Body)
		case *ast.CommClause:
			statements(n.Body)
		case *ast.BasicLit:
			if n.Kind == token.INT {
				for _, text := range otherNumbers(n.Value) {
					replace(n.Pos(), n.End(), text, "number")
				}
			}
		case *ast.Ident:
			if n.Name == "true" {
				replace(n.Pos(), n.End(), "false", "number")
			} else if n.Name == "false" {
				replace(n.Pos(), n.End(), "true", "number")
			}
		case *ast.CallExpr:
			// The capacity of a slice changes nothing.
			if f, ok := n.Fun.(*ast.Ident); ok && f.Name == "make" && len(n.Args) == 3 {
				n.Args = n.Args[:2]
			}
		}
		return true
	})
	return list, nil
}

// otherNumbers returns the numbers that are tried instead of one: the next one, and the
// one before.
func otherNumbers(literal string) []string {
	n, err := strconv.ParseUint(strings.ReplaceAll(literal, "_", ""), 0, 64)
	if err != nil {
		return nil
	}
	format := "%d"
	if len(literal) > 1 && literal[0] == '0' {
		switch literal[1] {
		case 'x', 'X':
			format = fmt.Sprintf("0x%%0%dx", len(literal)-2)
		case 'b', 'B':
			format = "%#b"
		default:
			format = "%#o"
		}
	}
	var list []string
	if n+1 != 0 {
		list = append(list, fmt.Sprintf(format, n+1))
	}
	if n > 0 {
		list = append(list, fmt.Sprintf(format, n-1))
	}
	return list
}

// goTrap returns a file that panics at the start of the innermost block around an
// offset, or false if that is not in a function.
func goTrap(src []byte, offset int) ([]byte, bool) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", src, parser.SkipObjectResolution)
	if err != nil {
		return nil, false
	}
	at := -1
	ast.Inspect(f, func(n ast.Node) bool {
		if n == nil || offset < fset.Position(n.Pos()).Offset || offset >= fset.Position(n.End()).Offset {
			return false
		}
		start := token.NoPos
		switch n := n.(type) {
		case *ast.FuncDecl:
			return n.Body != nil && offset > fset.Position(n.Body.Lbrace).Offset
		case *ast.BlockStmt:
			if len(n.List) > 0 {
				switch n.List[0].(type) {
				case *ast.CaseClause, *ast.CommClause:
					return true // the block of a switch has no statements of its own
				}
			}
			start = n.Lbrace
		case *ast.CaseClause:
			start = n.Colon
		case *ast.CommClause:
			start = n.Colon
		}
		if start.IsValid() && fset.Position(start).Offset < offset {
			at = fset.Position(start).Offset + 1
		}
		return true
	})
	if at < 0 {
		return nil, false
	}
	return apply(src, change{at, at, " panic(`reached`);", ""}), true
}
