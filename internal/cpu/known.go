package cpu

import "strings"

// Known returns the features that CPUs of this model name have, according to their
// manuals and device trees, for the models of which systems do not tell all: as Linux
// (uarch) and OpenBSD (hw.model) write it. It says what to try, not what to use.
func Known(model string) Set {
	model = strings.ToLower(model)
	for _, k := range []struct {
		part string
		has  Set
	}{
		{"u74", ZBA | ZBB}, // JH7110, FU740
		{"p550", ZBA | ZBB},
		{"x60", ZBA | ZBB | ZBC | V}, // SpacemiT K1 and M1
		{"c908", ZBA | ZBB | ZBC},
	} {
		if strings.Contains(model, k.part) {
			return k.has
		}
	}
	return 0
}
