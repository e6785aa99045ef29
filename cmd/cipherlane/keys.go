package main

import (
	"bytes"
	"crypto/fips140"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// keyFlags say where a key comes from.
type keyFlags struct {
	KeyFile string `placeholder:"FILE" xor:"key" help:"Read the key from a file, - for standard input: hex digits, or as many raw bytes as a key has. A file of hex digits is never taken for raw bytes."`
	KeyFD   *int   `name:"key-fd" placeholder:"N" xor:"key" help:"Read the key from an open file descriptor, for keys that are in no file."`
}

var errNoKey = usageError{errors.New("no key: name one with --key-file FILE or --key-fd N; \"cipherlane keygen -o FILE\" makes one")}

// read returns the key, which has one of the sizes if there are any. The message
// comes from the named input.
func (k keyFlags) read(p *program, input string, sizes ...int) ([]byte, error) {
	var in *inputFile
	var err error
	switch {
	case (isStdin(k.KeyFile) && k.KeyFile != "" || k.KeyFD != nil && *k.KeyFD == 0) && isStdin(input):
		return nil, usagef("standard input cannot have both the key and the message")
	case k.KeyFile != "":
		in, err = p.open(k.KeyFile)
	case k.KeyFD == nil:
		return nil, errNoKey
	case *k.KeyFD < 0:
		return nil, usagef("--key-fd %d: not a file descriptor", *k.KeyFD)
	default:
		if in, err = newInput(p.descriptor(*k.KeyFD), fmt.Sprintf("descriptor %d", *k.KeyFD)); err == nil {
			p.inputs = append(p.inputs, in)
		}
	}
	if err != nil {
		return nil, err
	}
	if in.File != p.stdin {
		defer in.Close()
	}
	p.warnOpen(in.name, in.info, "key file")
	return readKey(in, in.name, sizes)
}

// readAny returns a key of HMAC, which may have any size. The messages come from the
// named files.
func (k keyFlags) readAny(p *program, files []string) ([]byte, error) {
	input := files[0]
	if i := slices.IndexFunc(files, isStdin); i >= 0 {
		input = files[i]
	}
	key, err := k.read(p, input)
	if err == nil && fips140.Enforced() && len(key) < 14 {
		return nil, unavailableError{errors.New("GODEBUG=fips140=only: allows no key of HMAC of less than 14 bytes")}
	}
	return key, err
}

// warnOpen warns of a file with something secret in it that other users can read
// or change. Pipes and the like are not kept.
func (p *program) warnOpen(name string, info fs.FileInfo, what string) {
	if can := othersCan(info); can != "" {
		p.warn("%s: warning: other users can %s this %s (mode %04o); \"chmod 600\" stops them", name, can, what, info.Mode().Perm())
	}
}

// warnKey is warnOpen for the file of a private key.
func (p *program) warnKey(path string) {
	info, err := os.Stat(path)
	if path == "-" {
		info, err = p.stdin.Stat()
	}
	if err == nil {
		p.warnOpen(quote(path), info, "key file")
	}
}

// othersCan says what the mode of a file lets anybody do with it but its owner.
func othersCan(info fs.FileInfo) string {
	if !info.Mode().IsRegular() || runtime.GOOS == "windows" { // where modes do not say it
		return ""
	}
	var can []string
	for _, right := range []struct {
		bits fs.FileMode
		what string
	}{{0o044, "read"}, {0o022, "change"}} {
		if info.Mode()&right.bits != 0 {
			can = append(can, right.what)
		}
	}
	return strings.Join(can, " and ")
}

// A keySizeError is about a file that has no key of a size that is wanted.
type keySizeError struct {
	name string
	want []int
	got  string
	size int // of the key that it has; 0 if none
}

func (e *keySizeError) Error() string {
	var want []string
	for _, size := range e.want {
		want = append(want, fmt.Sprintf("%d hex digits or %d bytes", 2*size, size))
	}
	return fmt.Sprintf("%s: not a key: want %s, got %s", e.name, strings.Join(want, ", or "), e.got)
}

// readKey reads a key of one of the sizes or, if there are none, of any. If a file
// has nothing but hex digits, white space around them aside, the key is what they
// spell, and never the digits themselves. Any other file is the key, byte for byte.
func readKey(r io.Reader, name string, sizes []int) ([]byte, error) {
	text := make([]byte, 1024)
	defer clear(text)
	n, err := io.ReadFull(r, text)
	if err == nil {
		return nil, fmt.Errorf("%s: not a key: has %d bytes or more", name, n)
	}
	if err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, err
	}
	text = text[:n]
	digits := trimSpace(text)
	key, isHex := hexKey(digits)
	if !isHex {
		clear(key)
		key = bytes.Clone(text)
	}
	if slices.Contains(sizes, len(key)) {
		return key, nil
	}
	if len(sizes) == 0 {
		if err := checkAny(text, key, isHex); err != nil {
			clear(key)
			return nil, fmt.Errorf("%s: not a key: %w", name, err)
		}
		return key, nil
	}
	clear(key)
	e := &keySizeError{name: name, want: sizes, got: fmt.Sprintf("%d bytes", n), size: len(key)}
	if isHex {
		e.got = fmt.Sprintf("%d hex digits", len(digits))
	}
	return nil, e
}

// hexKey returns what digits spell, which is nothing if their number is odd, and
// whether they are digits.
func hexKey(digits []byte) ([]byte, bool) {
	if len(digits)%2 != 0 {
		even := append([]byte("0"), digits...)
		key, ok := hexKey(even)
		clear(key)
		clear(even)
		return nil, ok
	}
	key := make([]byte, len(digits)/2)
	ok := len(digits) > 0 && decodeHex(key, digits)
	return key, ok
}

// checkAny returns an error if a file of this text hardly has the key that somebody
// wanted.
func checkAny(text, key []byte, isHex bool) error {
	line := bytes.TrimRight(text, "\r\n")
	switch {
	case isHex && len(key) == 0:
		return errors.New("an odd number of hex digits")
	case isHex:
		return nil
	case len(line) == 0 && len(text) < 3:
		return errors.New("is empty")
	case len(line) < len(text) && utf8.Valid(text) && !bytes.ContainsFunc(line, unicode.IsControl):
		// Mostly a word from an editor or echo, of which other programs do not take the line end.
		return errors.New("text with a line end, which would be part of the key (\"printf %s\" writes none)")
	}
	return nil
}

// trimSpace removes white space at both ends. Unlike bytes.TrimSpace, it does not
// index a table by the key.
func trimSpace(b []byte) []byte {
	space := func(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }
	for len(b) > 0 && space(b[0]) {
		b = b[1:]
	}
	for len(b) > 0 && space(b[len(b)-1]) {
		b = b[:len(b)-1]
	}
	return b
}

// decodeHex writes the bytes that src spells to dst and reports whether all of
// it is hex digits. Unlike encoding/hex, it does not index a table by the key.
func decodeHex(dst, src []byte) bool {
	if len(src) != 2*len(dst) {
		return false
	}
	bad := 0
	nibble := func(c byte) int {
		digit, letter := int(c)-'0', int(c|0x20)-'a'
		isDigit, isLetter := within(digit, 10), within(letter, 6)
		bad |= ^(isDigit | isLetter)
		return isDigit&digit | isLetter&(letter+10)
	}
	for i := range dst {
		dst[i] = byte(nibble(src[2*i])<<4 | nibble(src[2*i+1]))
	}
	return bad == 0
}

// within returns -1 if 0 <= x < n, and 0 otherwise.
func within(x, n int) int { return int(^(int64(x) | int64(n-1-x)) >> 63) }

// encodeHex spells src in lower case, without a table either.
func encodeHex(src []byte) []byte {
	dst := make([]byte, 0, 2*len(src))
	digit := func(v int) byte { return byte('0' + v + ('a'-'0'-10)&^within(v, 10)) }
	for _, b := range src {
		dst = append(dst, digit(int(b>>4)), digit(int(b&15)))
	}
	return dst
}
