package main

import "github.com/cipherlane/cipherlane/_gen/asm/amd64"

// A program is instructions that are not written yet.
type program = amd64.Code

// stagger writes programs of the same length side by side, each so many
// instructions behind the one before it.
func stagger(all []program, delay int) {
	for i := range len(all[0]) + delay*(len(all)-1) {
		for j, p := range all {
			if n := i - j*delay; n >= 0 && n < len(p) {
				p[n]()
			}
		}
	}
}
