package ctcheck

import (
	"fmt"
	"io"
	"strings"
)

// Print writes a report: a line for each kernel, with what was found in it and what was
// permitted.
func (r *Report) Print(w io.Writer) {
	instructions, steps, exceptions := 0, 0, 0
	seen := map[string]bool{}
	for _, k := range r.Kernels {
		verdict := "ok"
		if len(k.Findings) > 0 {
			verdict = "FAILED"
		}
		if k.Multiplies {
			verdict += " (multiplies secrets)"
		}
		if k.Masks {
			verdict += " (loads under secret masks)"
		}
		if k.Gathers {
			verdict += " (looks up by secrets inside registers)"
		}
		if len(k.Unlisted) > 0 {
			verdict += fmt.Sprintf(" (not on the list: %s)", strings.ToLower(strings.Join(k.Unlisted, " ")))
		}
		if k.Unreached > 0 {
			verdict += fmt.Sprintf(" (%d not reached)", k.Unreached)
		}
		fmt.Fprintf(w, "%-7s %-44s %-24s %6d instructions  %s\n", k.Arch, k.Package, k.Name, k.Instructions, verdict)
		for _, f := range k.Findings {
			fmt.Fprintf(w, "\t%v\n", f)
		}
		for _, e := range k.Exceptions {
			exceptions++
			fmt.Fprintf(w, "\tpermitted: %s:%d: %v [%s]: %s\n", e.File, e.Line, e.Kinds, e.Text, e.Reason)
		}
		if a := arches[k.Arch]; !seen[k.Arch] {
			seen[k.Arch] = true
			defer fmt.Fprintf(w, "%s: which times are constant is from: %s\n", k.Arch, a.source)
		}
		instructions += k.Instructions
		steps += k.Steps
	}
	for _, f := range r.Findings {
		fmt.Fprintf(w, "%v\n", f)
	}
	fmt.Fprintf(w, "%d kernels, %d instructions (%d steps), %d exceptions, %d findings\n", len(r.Kernels), instructions, steps, exceptions, r.Count())
	if r.Encoded > 0 {
		fmt.Fprintf(w, "%d instructions are written as data, %d of them compared with a disassembler\n", r.Encoded, r.Checked)
		if r.Checked < r.Encoded {
			fmt.Fprintln(w, "there is no llvm-mc, or it does not know the others")
		}
	}
}
