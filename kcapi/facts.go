package kcapi

import "strings"

// facts is what /proc/crypto tells about an algorithm that is open. All is
// zero if it tells nothing.
type facts struct {
	name, driver   string
	blockSize      int
	minKey, maxKey int
	ivSize         int
	maxTag         int
}

func (f *facts) known() bool { return f.name != "" }

// A mode is how the IV of what follows is computed.
type mode uint8

const (
	otherMode mode = iota
	ecbMode        // there is none
	cbcMode        // the last block of ciphertext
	ctrMode        // a counter, big-endian
)

// modeOf tells it from the name of an algorithm or, of drivers, from the
// algorithm that they implement.
func modeOf(f *facts, name string) mode {
	if f.known() {
		name = f.name
	}
	switch template, _, _ := strings.Cut(name, "("); template {
	case "ecb":
		if name == "ecb(arc4)" { // a stream, which every message begins anew
			return otherMode
		}
		return ecbMode
	case "cbc":
		return cbcMode
	case "ctr":
		return ctrMode
	}
	return otherMode
}
