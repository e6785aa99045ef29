package driver

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A scanner parses JSON (RFC 8259). encoding/json would make every program that uses
// an algorithm larger by a third, for a file that few of them have. The scanner is
// stricter: it rejects duplicate names in an object, names in the wrong case, and
// invalid UTF-8.
//
// After the first error, which is stored in err, methods do nothing.
type scanner struct {
	text  string
	float floatParser
	at    int
	depth int
	err   error
}

// A floatParser is [strconv.ParseFloat]. Only crossovers are such numbers, and few programs
// ask for them, so that others do not have that function. They pass nil, and get the sign
// instead of a number.
type floatParser func(text string, bits int) (float64, error)

// maxDepth bounds recursion; a profile has a depth of 3.
const maxDepth = 20

func (s *scanner) fail(why string) {
	if s.err == nil {
		s.err = errors.New("byte " + strconv.Itoa(s.at) + ": " + why)
	}
}

// peek returns the next byte that is not white space, or 0 at the end and after an
// error.
func (s *scanner) peek() byte {
	if s.err != nil {
		return 0
	}
	for s.at < len(s.text) && strings.IndexByte(" \t\r\n", s.text[s.at]) >= 0 {
		s.at++
	}
	if s.at == len(s.text) {
		return 0
	}
	return s.text[s.at]
}

// skip skips c if it is the next byte, and reports whether it was.
func (s *scanner) skip(c byte) bool {
	if s.peek() != c || s.err != nil || s.at == len(s.text) {
		return false
	}
	s.at++
	return true
}

func (s *scanner) want(c byte) {
	if !s.skip(c) {
		s.fail("want " + strconv.QuoteRune(rune(c)))
	}
}

// end fails if anything but white space follows.
func (s *scanner) end() {
	if s.peek(); s.at < len(s.text) {
		s.fail("want the end")
	}
}

// list reads the elements between two brackets.
func (s *scanner) list(open, end byte, element func()) {
	s.want(open)
	if s.depth++; s.depth > maxDepth {
		s.fail("too deep")
	}
	if !s.skip(end) {
		for s.err == nil {
			element()
			if !s.skip(',') {
				s.want(end)
				break
			}
		}
	}
	s.depth--
}

// object calls field for every name; field must read the value.
func (s *scanner) object(field func(name string)) {
	seen := map[string]bool{}
	s.list('{', '}', func() {
		name := s.string()
		if seen[name] {
			s.fail(strconv.Quote(name) + " for the second time")
		}
		seen[name] = true
		s.want(':')
		if s.err == nil {
			field(name)
		}
	})
}

func (s *scanner) array(element func()) { s.list('[', ']', element) }

// any skips a value.
func (s *scanner) any() {
	switch s.peek() {
	case '{':
		s.object(func(string) { s.any() })
	case '[':
		s.array(s.any)
	case '"':
		s.string()
	case 't', 'f':
		s.bool()
	case 'n':
		s.word("null")
	default:
		s.number()
	}
}

func (s *scanner) word(w string) bool {
	s.peek()
	if s.err != nil || !strings.HasPrefix(s.text[s.at:], w) {
		return false
	}
	s.at += len(w)
	return true
}

func (s *scanner) bool() bool {
	if s.word("true") {
		return true
	}
	if !s.word("false") {
		s.fail("want true or false")
	}
	return false
}

func (s *scanner) string() string {
	s.want('"')
	var b strings.Builder
	for s.err == nil {
		r, n := utf8.DecodeRuneInString(s.text[s.at:])
		switch {
		case n == 0:
			s.fail("want the end of a string")
		case r == utf8.RuneError && n == 1 || r < ' ':
			s.fail("not for strings: " + strconv.QuoteRune(rune(s.text[s.at])))
		case r == '"':
			s.at++
			return b.String()
		case r == '\\':
			s.at++
			b.WriteRune(s.escape())
		default:
			s.at += n
			b.WriteRune(r)
		}
	}
	return ""
}

// escape reads what follows a backslash.
func (s *scanner) escape() rune {
	if s.at < len(s.text) {
		c := s.text[s.at]
		if i := strings.IndexByte(`"\/bfnrt`, c); i >= 0 {
			s.at++
			return rune("\"\\/\b\f\n\r\t"[i])
		}
		if c == 'u' {
			r := s.hex()
			if utf16.IsSurrogate(r) {
				low := rune(-1)
				if strings.HasPrefix(s.text[s.at:], `\u`) {
					s.at++
					low = s.hex()
				}
				if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
					s.fail("half a character")
				}
			}
			return r
		}
	}
	s.fail("not an escape")
	return 0
}

// hex reads uXXXX.
func (s *scanner) hex() rune {
	digits := s.text[s.at+1 : min(s.at+5, len(s.text))]
	n, err := strconv.ParseUint(digits, 16, 16)
	if err != nil || len(digits) < 4 {
		s.fail("want four hex digits")
		return 0
	}
	s.at += 5
	return rune(n)
}

// number reads the text of a number.
func (s *scanner) number() string {
	s.peek()
	start := s.at
	accept := func(set string) bool {
		if s.err == nil && s.at < len(s.text) && strings.IndexByte(set, s.text[s.at]) >= 0 {
			s.at++
			return true
		}
		return false
	}
	digits := func() {
		if !accept("0123456789") {
			s.fail("want a value of another kind")
		}
		for accept("0123456789") {
		}
	}
	accept("-")
	if !accept("0") {
		digits()
	}
	if accept(".") {
		digits()
	}
	if accept("eE") {
		accept("+-")
		digits()
	}
	return s.text[start:s.at]
}

func (s *scanner) int() int {
	n, err := strconv.Atoi(s.number())
	if err != nil {
		s.fail("want a whole number")
	}
	return n
}

// decimal reads a number of at most 99 characters, and with an exponent of at most two
// digits, so that none is out of range whether it is converted or not.
func (s *scanner) decimal() float64 {
	text := s.number()
	_, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	if len(text) > 99 || len(strings.TrimLeft(exponent, "+-")) > 2 {
		s.fail("want a number")
		return 0
	}
	if s.float == nil {
		if strings.HasPrefix(text, "-") {
			return -1
		}
		return 0
	}
	x, _ := s.float(text, 64)
	return x
}
