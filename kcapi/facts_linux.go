//go:build linux && !nokernel

package kcapi

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// remembered is lookUp, once for each algorithm: what it is used for is the
// same for all drivers of an algorithm.
func remembered(typ, name string) facts {
	key := typ + " " + name
	if f, ok := factsSeen.Load(key); ok {
		return f.(facts)
	}
	f := lookUp(typ, name)
	if f.known() {
		factsSeen.Store(key, f)
	}
	return f
}

var factsSeen sync.Map

// lookUp finds the driver that Linux gives for a name: the one of that name,
// or else the one of the highest priority.
func lookUp(typ, name string) facts {
	text, err := os.ReadFile("/proc/crypto")
	if err != nil {
		return facts{}
	}
	masked := masksEngines()
	var best facts
	highest := -1
	for len(text) > 0 {
		var entry []byte
		entry, text, _ = bytes.Cut(text, []byte("\n\n"))
		var f facts
		priority, usable := 0, true
		for line := range strings.Lines(string(entry)) {
			field, value, _ := strings.Cut(line, ":")
			value = strings.TrimSpace(value)
			number, _ := strconv.Atoi(value)
			switch strings.TrimSpace(field) {
			case "name":
				f.name = value
			case "driver":
				f.driver = value
			case "priority":
				priority = number
			case "selftest":
				usable = usable && value == "passed"
			case "internal":
				usable = usable && value == "no"
			case "async":
				usable = usable && !(masked && value == "yes")
			case "type":
				usable = usable && ofType(value, typ)
			case "blocksize":
				f.blockSize = number
			case "min keysize":
				f.minKey = number
			case "max keysize":
				f.maxKey = number
			case "ivsize":
				f.ivSize = number
			case "maxauthsize":
				f.maxTag = number
			}
		}
		if !usable {
			continue
		}
		if f.driver == name {
			return f
		}
		if f.name == name && priority > highest {
			best, highest = f, priority
		}
	}
	return best
}

// ofType tells whether sockets of a type give what /proc/crypto lists under
// another name.
func ofType(listed, typ string) bool {
	switch typ {
	case "hash":
		return listed == "shash" || listed == "ahash"
	case "skcipher":
		return listed == "skcipher" || listed == "lskcipher"
	}
	return listed == typ
}

// masksEngines tells whether Linux is 7.2 or later, which gives no asynchronous
// driver to sockets.
var masksEngines = sync.OnceValue(func() bool {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return false
	}
	major, rest, _ := strings.Cut(unix.ByteSliceToString(u.Release[:]), ".")
	minor := rest
	for i, c := range rest {
		if c < '0' || c > '9' {
			minor = rest[:i]
			break
		}
	}
	a, _ := strconv.Atoi(major)
	b, _ := strconv.Atoi(minor)
	return a > 7 || a == 7 && b >= 2
})
