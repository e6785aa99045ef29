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
	entry     string // the function that marks rows and calls the switch, or ""
	name      string // of the function with the switch
	base      string // in the names of kernels and portable functions
	signature *types.Signature
	text      string   // of parameters and results, behind the row
	comment   []string // without lines for this program
	params    []string // row is the first

	passes, optional bool
	keys             []string // parameters that ownKeys is for; k is the last
}

// operationOf reads a method.
func (w *writer) operationOf(method *ast.Field, f *types.Func) (*operation, error) {
	o := &operation{name: f.Name(), base: strings.TrimSuffix(f.Name(), "Kernel"), signature: f.Signature(), params: []string{"row"}}
	k := variable(o.signature.Params(), "k")
	for p := range o.signature.Params().Variables() {
		if p.Name() == "" || p.Name() == "_" {
			return nil, errors.New("a parameter has no name")
		}
		o.params = append(o.params, p.Name())
		if k != nil && types.Identical(p.Type(), k.Type()) && w.pkg.Scope().Lookup("ownKeys") != nil {
			o.keys = append(o.keys, p.Name())
		}
	}
	slices.SortFunc(o.keys, func(a, b string) int { return strings.Compare(b, a) })
	if i := slices.Index(o.keys, "k"); i >= 0 {
		o.keys = append(slices.Delete(o.keys, i, i+1), "k")
	}
	o.text = strings.TrimPrefix(types.ExprString(method.Type), "func(")
	if len(o.params) > 1 {
		o.text = ", " + o.text
	}
	if method.Doc != nil {
		for _, c := range method.Doc.List {
			switch {
			case c.Text == "//switches:passes":
				o.passes = true
			case c.Text == "//switches:optional":
				o.optional = true
			case strings.HasPrefix(c.Text, "//switches:"):
				return nil, fmt.Errorf("not a line for switches: %s", c.Text)
			default:
				o.comment = append(o.comment, c.Text)
			}
		}
	}
	for len(o.comment) > 0 && o.comment[len(o.comment)-1] == "//" {
		o.comment = o.comment[:len(o.comment)-1]
	}
	if o.passes && o.name == o.base {
		o.entry, o.base = o.name, lower(o.name)
		o.name = o.base + "Kernel"
	}
	return o, nil
}

// lower returns a name with its first word in lower case: cbcEncrypt for CBCEncrypt.
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

// call returns the call of a function with the same parameters: pairs of a parameter and what it
// gets are exceptions.
func (o *operation) call(function string, exceptions ...string) string {
	list := slices.Clone(o.params)
	for i := 0; i < len(exceptions); i += 2 {
		if at := slices.Index(list, exceptions[i]); at >= 0 {
			list[at] = exceptions[i+1]
		}
	}
	return function + "(" + strings.Join(list, ", ") + ")"
}

// returns returns a statement with a call whose results are those of the operation.
func (o *operation) returns(call string) string {
	if o.signature.Results().Len() > 0 {
		return "return " + call
	}
	return call
}

// result returns the type of the only result, or nil.
func (o *operation) result() types.Type {
	if o.signature.Results().Len() != 1 {
		return nil
	}
	return o.signature.Results().At(0).Type()
}

// ending returns the statements for rows without a kernel and without a mark.
func (w *writer) ending(o *operation) (string, error) {
	if f, err := find(w.pkg, o.base+"Portable"); err != nil || f != nil {
		if err == nil {
			err = o.without(f.Name())
		}
		if err != nil {
			return "", err
		}
		return o.returns(o.call(f.Name())), nil
	}
	if w.portable(o) {
		list := slices.DeleteFunc(slices.Clone(o.params), func(p string) bool { return p == "row" || p == "k" })
		return "mustBeGeneric(row)\n" + o.returns("k.portable()."+o.base+"("+strings.Join(list, ", ")+")"), o.without("k.portable()." + o.base)
	}
	if !o.optional {
		return "panic(noKernel)", nil
	}
	switch o.result() {
	case types.Typ[types.Bool]:
		return "mustExist(row)\nreturn false", nil
	case types.Typ[types.Int]:
		return "mustExist(row)\nreturn 0", nil
	}
	if t := o.result(); t != nil && types.IsInterface(t) {
		return "mustExist(row)\nreturn nil", nil
	}
	return "", errors.New("an optional operation needs a result that is bool, int or an interface")
}

// without returns an error if the operation is optional, because there is a function for it.
func (o *operation) without(function string) error {
	if o.optional {
		return fmt.Errorf("is optional, and there is %s", function)
	}
	return nil
}

// portable reports whether what k.portable() returns has a method for the operation.
func (w *writer) portable(o *operation) bool {
	k := variable(o.signature.Params(), "k")
	if k == nil {
		return false
	}
	f, _, _ := types.LookupFieldOrMethod(k.Type(), true, w.pkg.Package, "portable")
	if f, ok := f.(*types.Func); ok && f.Signature().Results().Len() == 1 {
		m, _, _ := types.LookupFieldOrMethod(f.Signature().Results().At(0).Type(), true, w.pkg.Package, o.base)
		_, ok := m.(*types.Func)
		return ok
	}
	return false
}

// marks writes the entry of an operation and the function for rows that are marked, or have no kernel.
func (w *writer) marks(o *operation) error {
	if o.entry != "" {
		fmt.Fprintf(w, "\n%s\nfunc %s(row uint8%s {\n%s\n}\n", strings.Join(o.comment, "\n"), o.entry, o.text,
			o.returns(o.call(o.name, "row", "markLong(row, len(src))")))
	}
	if !o.marked() {
		return nil
	}
	var cases string
	if o.passes {
		maximum := "maxPass"
		if w.pkg.Scope().Lookup(maximum) == nil {
			maximum = "MaxPass"
		}
		if !slices.Contains(o.params, "dst") || !slices.Contains(o.params, "src") {
			return errors.New("passes need dst and src")
		}
		pass := o.call(o.name, "dst", "dst[:"+maximum+"]", "src", "src[:"+maximum+"]")
		loop := "for row &^= long; len(src) > " + maximum + "; dst, src = dst[" + maximum + ":], src[" + maximum + ":] {\n%s\n}\n%s\n"
		cases = "case row&long != 0:\n"
		switch t := o.result(); {
		case o.signature.Results().Len() == 0:
			cases += fmt.Sprintf(loop, pass, o.call(o.name))
		case t == types.Typ[types.Bool]:
			cases += fmt.Sprintf(loop, "if !"+pass+" {\nreturn false\n}", "return "+o.call(o.name))
		case t == types.Typ[types.Int]:
			cases += "row &^= long\nfor done := 0; ; {\nend := min(len(src), done+" + maximum + ")\n" +
				"n := " + o.call(o.name, "dst", "dst[done:end]", "src", "src[done:end]") + "\n" +
				"if done += n; n == 0 || done == len(src) {\nreturn done\n}\n}\n"
		default:
			return errors.New("another result")
		}
	}
	if o.keys != nil {
		cases += "case row&ownKeys != 0:\n"
		for _, k := range o.keys[:len(o.keys)-1] {
			cases += k + ", _ = " + k + ".keysFor(row)\n"
		}
		cases += "k, row = k.keysFor(row)\n" + o.returns(o.call(o.name)) + "\n"
	}
	ending, err := w.ending(o)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "\n// %sDefault is for rows that are marked or have no kernel.\n", o.base)
	fmt.Fprintf(w, "func %sDefault(row uint8%s {\n", o.base, o.text)
	if o.passes && o.keys != nil {
		fmt.Fprintf(w, "switch {\n%sdefault:\n%s\n}\n}\n", cases, ending)
		return nil
	}
	one := strings.Replace(strings.Replace(cases, "case ", "if ", 1), ":\n", " {\n", 1)
	if o.result() == nil {
		one += "return\n"
	}
	fmt.Fprintf(w, "%s}\n%s\n}\n", one, ending)
	return nil
}
