package keys

import (
	"bytes"
	"crypto/fips140"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
)

// KeyFlags specify the source of a key.
type KeyFlags struct {
	KeyFile string `placeholder:"FILE" xor:"key" help:"Read the key from this file, or from standard input if it is -. The file holds hex digits or raw bytes; hex digits are always decoded."`
	KeyFD   *int   `name:"key-fd" placeholder:"N" xor:"key" help:"Read the key from this open file descriptor, for keys that are not stored in a file."`
}

// HasKey reports whether a source is specified.
func (k KeyFlags) HasKey() bool { return k.KeyFile != "" || k.KeyFD != nil }

var errNoKey = cli.AsUsage(errors.New("no key: name one with --key-file FILE or --key-fd N; \"cipherlane keygen -o FILE\" makes one"))

// Read returns the key, which must have one of the sizes if any are given. input is the
// path of the message.
func (k KeyFlags) Read(p *cli.Program, input string, sizes ...int) ([]byte, error) {
	var in *cli.InputFile
	var err error
	switch {
	case (cli.IsStdin(k.KeyFile) && k.KeyFile != "" || k.KeyFD != nil && *k.KeyFD == 0) && cli.IsStdin(input):
		return nil, cli.Usagef("standard input cannot have both the key and the message")
	case k.KeyFile != "":
		in, err = p.Open(k.KeyFile)
	case k.KeyFD == nil:
		return nil, errNoKey
	case *k.KeyFD < 0:
		return nil, cli.Usagef("--key-fd %d: not a file descriptor", *k.KeyFD)
	default:
		in, err = p.OpenDescriptor(*k.KeyFD)
	}
	if err != nil {
		return nil, err
	}
	if in.File != p.Stdin {
		defer in.Close()
	}
	p.WarnOpen(in.DisplayName, in.Info, "key file")
	return readKey(in, in.DisplayName, sizes)
}

// ReadAny returns a key for HMAC, which may have any size. files are the paths of the
// messages.
func (k KeyFlags) ReadAny(p *cli.Program, files []string) ([]byte, error) {
	input := files[0]
	if i := slices.IndexFunc(files, cli.IsStdin); i >= 0 {
		input = files[i]
	}
	key, err := k.Read(p, input)
	if err == nil && fips140.Enforced() && len(key) < 14 {
		return nil, cli.AsUnavailable(errors.New("GODEBUG=fips140=only: does not allow HMAC keys shorter than 14 bytes"))
	}
	return key, err
}

// warnKey is WarnOpen for the file of a private key.
func warnKey(p *cli.Program, path string) {
	info, err := os.Stat(path)
	if path == "-" {
		info, err = p.Stdin.Stat()
	}
	if err == nil {
		p.WarnOpen(cli.Quote(path), info, "key file")
	}
}

// A SizeError reports a file that does not contain a key of a wanted size.
type SizeError struct {
	name string
	want []int
	got  string
	Size int // of the key in the file; 0 if there is none
}

func (e *SizeError) Error() string {
	var want []string
	for _, size := range e.want {
		want = append(want, fmt.Sprintf("%d hex digits or %d bytes", 2*size, size))
	}
	return fmt.Sprintf("%s: not a key: want %s, got %s", e.name, strings.Join(want, ", or "), e.got)
}

// readKey reads a key of one of the sizes, or of any size if none are given. If the
// file contains only hex digits, apart from white space around them, they are decoded
// to the key and never used as raw bytes. Any other file is the key, byte for byte.
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
	if cli.HasMark(text) {
		plain := cli.DecodeText(text)
		defer clear(plain)
		digits = trimSpace(plain)
	}
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
	e := &SizeError{name: name, want: sizes, got: fmt.Sprintf("%d bytes", n), Size: len(key)}
	if isHex {
		e.got = fmt.Sprintf("%d hex digits", len(digits))
	}
	return nil, e
}

// hexKey decodes hex digits, to nil if their number is odd, and reports whether all of
// them are hex digits.
func hexKey(digits []byte) ([]byte, bool) {
	if len(digits)%2 != 0 {
		even := append([]byte("0"), digits...)
		key, ok := hexKey(even)
		clear(key)
		clear(even)
		return nil, ok
	}
	key := make([]byte, len(digits)/2)
	ok := len(digits) > 0 && DecodeHex(key, digits)
	return key, ok
}

// checkAny returns an error if the text of a key file is probably not the intended key.
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
		// Usually a word from an editor or echo. Other programs ignore the line end.
		return errors.New("text that ends with a newline, which would be part of the key (\"printf %s\" writes none)")
	}
	return nil
}

// trimSpace removes white space at both ends. Unlike bytes.TrimSpace, it does not index
// a table by secret bytes.
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

// decodeDigits decodes hex digits as people and programs write them: with white space or
// colons between them, 0x in front, or without a zero in front.
func decodeDigits(text []byte) (decoded []byte, ok bool) {
	text = trimSpace(text)
	if len(text) > 2 && text[1]|0x20 == 'x' && text[0] == '0' {
		text = text[2:]
	}
	digits := append(make([]byte, 0, len(text)+1), '0')
	defer func() { clear(digits[:cap(digits)]) }()
	for _, c := range text {
		if c != ':' && c != ' ' && (c < '\t' || c > '\r') {
			digits = append(digits, c)
		}
	}
	even := digits[len(digits)%2:]
	decoded = make([]byte, len(even)/2)
	if len(digits) == 1 || !DecodeHex(decoded, even) {
		clear(decoded)
		return nil, false
	}
	return decoded, true
}

// DecodeHex decodes src into dst and reports whether src consists of 2*len(dst) hex
// digits. Unlike encoding/hex, it does not index a table by secret bytes.
func DecodeHex(dst, src []byte) bool {
	if len(src) != 2*len(dst) {
		return false
	}
	bad := 0
	nibble := func(c byte) int {
		digit, letter := int(c)-'0', int(c|0x20)-'a'
		isDigit, isLetter := inRange(digit, 10), inRange(letter, 6)
		bad |= ^(isDigit | isLetter)
		return isDigit&digit | isLetter&(letter+10)
	}
	for i := range dst {
		dst[i] = byte(nibble(src[2*i])<<4 | nibble(src[2*i+1]))
	}
	return bad == 0
}

// inRange returns -1 if 0 <= x < n, and 0 otherwise.
func inRange(x, n int) int { return int(^(int64(x) | int64(n-1-x)) >> 63) }

// EncodeHex encodes src in lower case, also without a table.
func EncodeHex(src []byte) []byte {
	dst := make([]byte, 0, 2*len(src))
	digit := func(v int) byte { return byte('0' + v + ('a'-'0'-10)&^inRange(v, 10)) }
	for _, b := range src {
		dst = append(dst, digit(int(b>>4)), digit(int(b&15)))
	}
	return dst
}
