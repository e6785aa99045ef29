package kcapi

import "strings"

// facts are the properties of an open algorithm in /proc/crypto. They are zero if the
// algorithm is not listed.
type facts struct {
	name, driver   string
	blockSize      int
	minKey, maxKey int
	ivSize         int
	maxTag         int
	sync           bool // computes in the system call and does not wait for an engine
}

func (f *facts) isKnown() bool { return f.name != "" }

// A mode determines how the IV for the next part of a message is computed.
type mode uint8

const (
	otherMode   mode = iota
	ecbMode          // no IV
	cbcMode          // the last block of ciphertext
	ctrMode          // a counter, big-endian
	chachaMode       // the first four bytes are a counter, little-endian
	xchachaMode      // bytes 24 to 27 are that counter
)

// chachaBlock is the size of ChaCha's blocks; Linux lists a block size of one byte.
const chachaBlock = 64

// modeOf returns the mode of an algorithm, given its name. For the name of a
// driver, it uses the name of the algorithm in f.
func modeOf(f *facts, name string) mode {
	if f.isKnown() {
		name = f.name
	}
	switch template, _, _ := strings.Cut(name, "("); template {
	case "ecb":
		if name == "ecb(arc4)" { // a stream cipher, which restarts with every message
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
