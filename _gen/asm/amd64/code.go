package amd64

import "github.com/cipherlane/cipherlane/_gen/asm"

// A Code is instructions that have not been written yet, as calls of avo's package build. It
// is for generators that use more instructions than this package has: nothing is known about
// what they read and write.
type Code []func()

// Add appends an instruction, or a few that stay together.
func (c *Code) Add(f func()) { *c = append(*c, f) }

// Write appends the code to avo's function.
func (c Code) Write() {
	for _, f := range c {
		f()
	}
}

// Weave is [asm.Weave] for code. The parts must use different registers.
func Weave(parts ...Code) Code {
	lists := make([][]func(), len(parts))
	for i, c := range parts {
		lists[i] = c
	}
	return asm.Spread(lists...)
}
