package goroot

import (
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
)

// Programs have a mark that says which cipherlane their standard library has. The build tag says
// it as well, but flags can set it or not.

const markFile = "src/internal/cipherlane/drivers/mark.go"

var mark = regexp.MustCompile(`<cipherlane standard library (v[0-9A-Za-z.+-]{1,100}|devel_[0-9a-f]{12})( SM)? [0-9a-f]{64}>`)

// maxMark is more than a mark has.
const maxMark = 256

// markText returns the file that makes the mark. The call is made when a program starts, so that
// no linker leaves the mark out. It is not a variable, which the linker's -X could set.
func markText(version, sum string, sm bool) string {
	if sm {
		version += " SM"
	}
	return fmt.Sprintf(`package drivers

// mark is for "cipherlane go version", which looks for it in programs.
//
//go:noinline
func mark() string { return "<cipherlane standard library %s %s>" }

var _ = mark()
`, version, sum)
}

// FindMark returns the version in the mark of a program, or "" if it has none, and whether there is
// TLS with SM.
func FindMark(name string) (version string, sm bool, err error) {
	f, err := os.Open(name)
	if err != nil {
		return "", false, err
	}
	defer f.Close()
	buf := make([]byte, 1<<20)
	for kept := 0; ; {
		n, err := io.ReadFull(f, buf[kept:])
		if m := mark.FindSubmatch(buf[:kept+n]); m != nil {
			return string(m[1]), len(m[2]) > 0, nil
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return "", false, nil
		}
		if err != nil {
			return "", false, err
		}
		kept = copy(buf, buf[kept+n-maxMark:kept+n])
	}
}
