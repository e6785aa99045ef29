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
	sync           bool // computes in the call and does not wait for an engine
}

func (f *facts) known() bool { return f.name != "" }

// A mode is how the IV of what follows is computed.
type mode uint8

const (
	otherMode   mode = iota
	ecbMode          // there is none
	cbcMode          // the last block of ciphertext
	ctrMode          // a counter, big-endian
	chachaMode       // the first four bytes are a counter, little-endian
	xchachaMode      // bytes 24 to 27 are
)

// chachaBlock is the size of ChaCha's blocks: to Linux it is a cipher of blocks of
// one byte.
const chachaBlock = 64

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
	case "chacha20":
		return chachaMode
	case "xchacha20", "xchacha12":
		return xchachaMode
	}
	return otherMode
}
