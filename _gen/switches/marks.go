package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// An operation is a method of the interface kernels.
type operation struct {
	name      string // of the function with the switch
	entry     string // the function that marks rows and calls the switch, or ""
	base      string // in the names of kernels and portable functions
	signature *types.Signature
	syntax    *ast.FuncType
	comment   []string // without lines for this program

	passes, optional bool
	keys             []string // parameters that may have to be replaced: see ownKeys
}

// operationOf reads a method.
func (w *writer) operationOf(method *ast.Field) (*operation, error) {
	name := method.Names[0].Name
	o := &operation{name: name, base: strings.TrimSuffix(name, "Kernel")}
	for m := range w.pkg.kernels.Complete().Methods() {
		if m.Name() == name {
			o.signature = m.Signature()
		}
	}
	o.syntax = method.Type.(*ast.FuncType)
	if method.Doc != nil {
		for _, c := range method.Doc.List {
			switch {
			case c.Text == "//switches:passes":
				o.passes = true
			case c.Text == "//switches:optional":
				o.optional = true
			case strings.HasPrefix(c.Text, "//switches:"):
				return nil, fmt.Errorf("%s: not a line for switches: %s", name, c.Text)
			default:
				o.comment = append(o.comment, c.Text)
			}
		}
	}
	for len(o.comment) > 0 && o.comment[len(o.comment)-1] == "//" {
		o.comment = o.comment[:len(o.comment)-1]
	}
	for p := range o.signature.Params().Variables() {
		if p.Name() == "" {
			return nil, fmt.Errorf("%s: a parameter has no name", name)
		}
	}
	if k := variable(o.signature.Params(), "k"); k != nil && w.scope("ownKeys") != nil {
		for p := range o.signature.Params().Variables() {
			if types.Identical(p.Type(), k.Type()) {
				o.keys = append(o.keys, p.Name())
			}
		}
		slices.Reverse(o.keys) // k is the last, because its row loses the mark
	}
	if o.passes && o.name == o.base {
		o.entry = o.name
		o.base = lower(o.base)
		o.name = o.base + "Kernel"
	}
	return o, nil
}

// lower returns a name with its first letters in lower case: cbcEncrypt for CBCEncrypt.
func lower(name string) string {
	n := 0
	for n < len(name) && 'A' <= name[n] && name[n] <= 'Z' {
		n++
	}
	if n > 1 && n < len(name) {
		n--
	}
	return strings.ToLower(name[:n]) + name[n:]
}

// marked reports whether rows may have marks.
func (o *operation) marked() bool { return o.passes || o.keys != nil }

// params returns the arguments for a function with the same parameters.
func (o *operation) params() []string {
	list := []string{"row"}
	for p := range o.signature.Params().Variables() {
		list = append(list, p.Name())
	}
	return list
}

// returns returns a statement that calls a function with the same results.
func (o *operation) returns(call string) string {
	if o.signature.Results().Len() > 0 {
		return "return " + call
	}
	return call
}

// scope returns what the package declares with a name, in upper or lower case.
func (w *writer) scope(name string) types.Object {
	scope := w.pkg.types.Scope()
	for _, n := range scope.Names() {
		if strings.EqualFold(n, name) {
			return scope.Lookup(n)
		}
	}
	return nil
}

// ending returns the statements for rows without a kernel and without a mark.
func (w *writer) ending(o *operation) string {
	if f := w.scope(o.base + "Portable"); f != nil {
		return o.returns(f.Name() + "(" + strings.Join(o.params(), ", ") + ")")
	}
	if k := variable(o.signature.Params(), "k"); k != nil {
		if f, _, _ := types.LookupFieldOrMethod(k.Type(), true, w.pkg.types, "portable"); f != nil {
			if f, ok := f.(*types.Func); ok && f.Signature().Results().Len() == 1 {
				generic := f.Signature().Results().At(0).Type()
				if m, _, _ := types.LookupFieldOrMethod(generic, true, w.pkg.types, o.base); m != nil {
					list := slices.DeleteFunc(o.params(), func(p string) bool { return p == "row" || p == "k" })
					return "mustBeGeneric(row)\n" + o.returns("k.portable()."+o.base+"("+strings.Join(list, ", ")+")")
				}
			}
		}
	}
	if o.optional {
		return "mustExist(row)\nreturn " + zero(o.signature)
	}
	return "panic(noKernel)"
}

func zero(t *types.Signature) string {
	if t.Results().Len() == 1 && t.Results().At(0).Type() == types.Typ[types.Bool] {
		return "false"
	}
	return "0"
}

// marks writes the entry of an operation and the function for rows that are marked, or have no kernel.
func (w *writer) marks(method *ast.Field) error {
	o, err := w.operationOf(method)
	if err != nil || !o.marked() {
		return err
	}
	parameters, results, err := signatureText(o.syntax)
	if err != nil {
		return fmt.Errorf("%s: %w", o.name, err)
	}
	w.note(types.ExprString(o.syntax))
	call := func(replace ...string) string {
		list := o.params()
		for i := 0; i < len(replace); i += 2 {
			if at := slices.Index(list, replace[i]); at >= 0 {
				list[at] = replace[i+1]
			}
		}
		return o.name + "(" + strings.Join(list, ", ") + ")"
	}
	if o.entry != "" {
		fmt.Fprintf(w, "\n%s\n", strings.Join(o.comment, "\n"))
		fmt.Fprintf(w, "func %s(row uint8, %s) %s {\n%s\n}\n", o.entry, parameters, results,
			o.returns(call("row", "markLong(row, len(src))")))
	}
	if o.passes {
		maximum := w.scope("maxPass")
		if maximum == nil || variable(o.signature.Params(), "dst") == nil || variable(o.signature.Params(), "src") == nil {
			return fmt.Errorf("%s: passes need dst, src and maxPass", o.name)
		}
		m := maximum.Name()
		pass := call("dst", "dst[:"+m+"]", "src", "src[:"+m+"]")
		loop := "for row &^= long; len(src) > " + m + "; dst, src = dst[" + m + ":], src[" + m + ":] {\n%s\n}\n%s\n"
		var text string
		switch t := o.signature.Results(); {
		case t.Len() == 0:
			text = fmt.Sprintf(loop, pass, call())
		case t.At(0).Type() == types.Typ[types.Bool]:
			text = fmt.Sprintf(loop, "if !"+pass+" {\nreturn false\n}", "return "+call())
		case t.At(0).Type() == types.Typ[types.Int]:
			results = "(done int)"
			text = "row &^= long\nfor done < len(src) {\nend := min(len(src), done+" + m + ")\n" +
				"n := " + call("dst", "dst[done:end]", "src", "src[done:end]") + "\n" +
				"if n == 0 {\nbreak\n}\ndone += n\n}\nreturn done\n"
		default:
			return errors.New("another result")
		}
		fmt.Fprintf(w, "\nfunc %sDefault(row uint8, %s) %s {\nswitch {\ncase row&long != 0:\n%s", o.base, parameters, results, text)
	} else {
		fmt.Fprintf(w, "\nfunc %sDefault(row uint8, %s) %s {\nswitch {\n", o.base, parameters, results)
	}
	if o.keys != nil {
		fmt.Fprintf(w, "case row&ownKeys != 0:\n")
		for _, k := range o.keys {
			to := "_"
			if k == "k" {
				to = "row"
			}
			fmt.Fprintf(w, "%s, %s = %s.keysFor(row)\n", k, to, k)
		}
		fmt.Fprintf(w, "%s\n", o.returns(call()))
	}
	fmt.Fprintf(w, "default:\n%s\n}\n}\n", w.ending(o))
	return nil
}
