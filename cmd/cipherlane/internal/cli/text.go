package cli

import (
	"bytes"
	"crypto/subtle"
	"encoding/binary"
	"unicode/utf16"
	"unicode/utf8"
)

// UTF8BOM is the byte order mark that editors on Windows write in front of UTF-8.
var UTF8BOM = []byte("\xef\xbb\xbf")

// DecodeText returns text as UTF-8 without a byte order mark. Editors and PowerShell on Windows
// write UTF-16 in either byte order, with a mark or, from some programs, without one: UTF-16
// without a mark is recognised by ASCII, in which every second byte is zero.
// Anything else, and UTF-16 that is damaged, is returned as it is. The result may share memory
// with text or not.
func DecodeText(text []byte) []byte {
	plain, _ := decodeCopy(text)
	return plain
}

// TakeText is DecodeText for a secret: if the result is a copy, it wipes text. Callers only have to
// wipe the result.
func TakeText(text []byte) []byte {
	plain, copied := decodeCopy(text)
	if copied {
		clear(text)
	}
	return plain
}

// decodeCopy is DecodeText, and reports whether the result is a copy.
func decodeCopy(text []byte) (plain []byte, copied bool) {
	if rest, ok := bytes.CutPrefix(text, UTF8BOM); ok {
		return rest, false
	}
	order, marked := UTF16Order(text)
	if order == nil || len(text)%2 != 0 {
		return text, false
	}
	if marked {
		text = text[2:]
	}
	// No code unit is longer than 3 bytes in UTF-8. Growth would leave copies of a secret.
	out := make([]byte, 0, len(text)/2*3)
	for i := 0; i < len(text); i += 2 {
		r := rune(order.Uint16(text[i:]))
		if utf16.IsSurrogate(r) && i+4 <= len(text) {
			if pair := utf16.DecodeRune(r, rune(order.Uint16(text[i+2:]))); pair != utf8.RuneError {
				r = pair
				i += 2
			}
		}
		out = utf8.AppendRune(out, r) // half a pair becomes U+FFFD
	}
	return out, true
}

// IsUTF16 reports whether text looks like UTF-16, from its first bytes.
func IsUTF16(text []byte) bool {
	order, _ := UTF16Order(text)
	return order != nil
}

// UTF16Order returns the byte order of text in UTF-16, nil if it is none, and whether it begins
// with a mark.
func UTF16Order(text []byte) (order binary.ByteOrder, marked bool) {
	if len(text) < 2 {
		return nil, false
	}
	switch {
	case text[0] == 0xff && text[1] == 0xfe:
		return binary.LittleEndian, true
	case text[0] == 0xfe && text[1] == 0xff:
		return binary.BigEndian, true
	}
	// Four ASCII characters. Fewer happen in binary files.
	if len(text) < 8 {
		return nil, false
	}
	little, big := true, true
	for i := 0; i < 8; i += 2 {
		little = little && isTextByte(text[i]) && text[i+1] == 0
		big = big && text[i] == 0 && isTextByte(text[i+1])
	}
	switch {
	case little:
		return binary.LittleEndian, false
	case big:
		return binary.BigEndian, false
	}
	return nil, false
}

// isTextByte reports whether b is an ASCII character of a text.
func isTextByte(b byte) bool { return b >= ' ' && b < 0x7f || b == '\n' || b == '\r' || b == '\t' }

// HasMark reports whether a text has a byte order mark. Of a key, nothing else steers it.
func HasMark(text []byte) bool {
	begins := func(mark string) int {
		return subtle.ConstantTimeCompare(text[:min(len(mark), len(text))], []byte(mark))
	}
	return begins("\xef\xbb\xbf")|begins("\xff\xfe")|begins("\xfe\xff") == 1
}

// Plural returns the first word if n is 1, and otherwise the second.
func Plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}
