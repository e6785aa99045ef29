package main

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
)

// keyFlags say where a key comes from.
type keyFlags struct {
	KeyFile string `placeholder:"FILE" xor:"key" help:"Read the key from a file: hex digits, or as many raw bytes as a key has."`
	KeyFD   *int   `name:"key-fd" placeholder:"N" xor:"key" help:"Read the key from an open file descriptor, for keys that are in no file."`
}

var errNoKey = usageError{errors.New("no key: name one with --key-file FILE or --key-fd N; \"cipherlane keygen -o FILE\" makes one")}

// read returns the key, which has one of the sizes if there are any. The message comes from the
// named input.
func (k keyFlags) read(p *program, input string, sizes ...int) ([]byte, error) {
	switch {
	case k.KeyFile != "":
		f, err := os.Open(k.KeyFile)
		if err != nil {
			return nil, named(k.KeyFile, err)
		}
		defer f.Close()
		if info, err := f.Stat(); err == nil && readableByOthers(info) {
			p.warn("%s: warning: other users can read this key file (mode %04o); \"chmod 600\" stops them", quote(k.KeyFile), info.Mode().Perm())
		}
		return readKey(f, quote(k.KeyFile), sizes)
	case k.KeyFD != nil:
		if *k.KeyFD < 0 {
			return nil, usagef("--key-fd %d: not a file descriptor", *k.KeyFD)
		}
		if *k.KeyFD == 0 && (input == "" || input == "-") {
			return nil, usagef("--key-fd 0: standard input cannot have both the key and the message")
		}
		f := os.NewFile(uintptr(*k.KeyFD), fmt.Sprintf("descriptor %d", *k.KeyFD))
		return readKey(f, f.Name(), sizes)
	default:
		return nil, errNoKey
	}
}

// readAny returns a key of HMAC, which may have any size. The messages come from the
// named files.
func (k keyFlags) readAny(p *program, files []string) ([]byte, error) {
	input := files[0]
	if slices.Contains(files, "-") {
		input = "-"
	}
	key, err := k.read(p, input)
	if err == nil && fips140.Enforced() && len(key) < 14 {
		return nil, unavailableError{errors.New("GODEBUG=fips140=only: allows no key of HMAC of less than 14 bytes")}
	}
	return key, err
}

// readableByOthers reports whether the mode of a file lets anybody read it but
// its owner. Pipes and the like are not kept.
func readableByOthers(info os.FileInfo) bool {
	return info.Mode().IsRegular() && info.Mode().Perm()&0o044 != 0
}

// readKey reads a key of one of the sizes: twice as many hex digits, with or
// without a line end, or that many bytes. Without sizes, any number of hex digits or
// else any bytes are a key.
func readKey(r io.Reader, name string, sizes []int) ([]byte, error) {
	text := make([]byte, 1024)
	defer clear(text)
	n, err := io.ReadFull(r, text)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, fmt.Errorf("%s: %w", name, reason(err))
	}
	text = text[:n]
	digits := bytes.TrimSuffix(bytes.TrimSuffix(text, []byte("\n")), []byte("\r"))
	if len(sizes) == 0 {
		return anyKey(text, digits, name)
	}
	for _, size := range sizes {
		if key := make([]byte, size); len(digits) == 2*size && decodeHex(key, digits) {
			return key, nil
		}
	}
	for _, size := range sizes {
		if len(text) == size {
			return append([]byte(nil), text...), nil
		}
	}
	var want []string
	for _, size := range sizes {
		want = append(want, fmt.Sprintf("%d hex digits or %d bytes", 2*size, size))
	}
	got := fmt.Sprint(len(text))
	if len(text) == cap(text) {
		got += " or more"
	}
	return nil, wrongSize(fmt.Errorf("%s: not a key: want %s, got %s bytes", name, strings.Join(want, ", or "), got), name, text, digits)
}

// anyKey returns the key that a file of this text has, with these digits before
// the line end.
func anyKey(text, digits []byte, name string) ([]byte, error) {
	switch key := make([]byte, len(digits)/2); {
	case len(digits) == 0 && len(text) < 3:
		return nil, fmt.Errorf("%s: not a key: is empty", name)
	case len(text) == cap(text):
		return nil, fmt.Errorf("%s: not a key: has %d bytes or more", name, cap(text))
	case decodeHex(key, digits):
		return key, nil
	case len(digits) < len(text) && utf8.Valid(text) && !bytes.ContainsFunc(bytes.TrimRight(text, "\r\n"), unicode.IsControl):
		// Mostly a word from an editor or echo, of which other programs do not take the line end.
		return nil, fmt.Errorf("%s: not a key: text with a line end, which would be part of the key (\"printf %%s\" writes none)", name)
	}
	return append([]byte(nil), text...), nil
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
