//go:build race

package frodokem

// The race detector's instructions make the compiler keep words on the stack.
func init() { underRace = true }
