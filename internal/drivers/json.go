package drivers

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/cipherlane/cipherlane/internal/wrap"
)

// A scanner parses JSON (RFC 8259). encoding/json would make every program that uses
// an algorithm larger by a third (half a megabyte), for a file that few of them have. What asks for
// a profile is in all of them and takes 50 kB, with files read by package rawfile, little of other
// packages and no loop over a map. The scanner is stricter: it rejects duplicate names in an
// object, names in the wrong case, and invalid UTF-8.
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

// maxDepth bounds recursion; a profile has a depth of 3. maxNames bounds the search for
// duplicate names.
const (
	maxDepth = 20
	maxNames = 1000
)

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
		s.fail("want '" + string(rune(c)) + "'")
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
	var seen []string // a map would bring the code that makes maps grow
	s.list('{', '}', func() {
		name := s.string()
		if slices.Contains(seen, name) {
			s.fail(wrap.Quote(name) + " for the second time")
		}
		if seen = append(seen, name); len(seen) > maxNames {
			s.fail("too many names")
		}
		s.want(':')
		if s.err == nil {
			field(name)
		}
	})
}

// A field is a name of an object, and where its value goes: a *string, *int, *bool or
// *float64, or a function that reads it.
type field struct {
	name string
	to   any
}

// fields reads an object that has no other names than these. It is not inlined, because of
// its size.
//
//go:noinline
func (s *scanner) fields(list ...field) {
	s.object(func(name string) {
		i := slices.IndexFunc(list, func(f field) bool { return f.name == name })
		if i < 0 {
			s.fail("unknown field " + wrap.Quote(name))
			return
		}
		switch to := list[i].to.(type) {
		case *string:
			*to = s.string()
		case *int:
			*to = s.int()
		case *bool:
			*to = s.bool()
		case *float64:
			*to = s.decimal()
		case func():
			to()
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
	var b []byte
	for s.err == nil {
		r, n := utf8.DecodeRuneInString(s.text[s.at:])
		switch {
		case n == 0:
			s.fail("want the end of a string")
		case r == utf8.RuneError && n == 1 || r < ' ':
			s.fail("not for strings: byte " + strconv.Itoa(int(s.text[s.at])))
		case r == '"':
			s.at++
			return string(b)
		case r == '\\':
			s.at++
			b = utf8.AppendRune(b, s.escape())
		default:
			b = append(b, s.text[s.at:s.at+n]...)
			s.at += n
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
	const digits = "0123456789abcdefABCDEF"
	n := 0
	for range 4 {
		s.at++
		i := -1
		if s.at < len(s.text) {
			i = strings.IndexByte(digits, s.text[s.at])
		}
		if i < 0 {
			s.fail("want four hex digits")
			return 0
		}
		if i > 15 {
			i -= 6
		}
		n = n<<4 | i
	}
	s.at++
	return rune(n)
}

// accept skips the next byte if it is in the set.
func (s *scanner) accept(set string) bool {
	if s.err == nil && s.at < len(s.text) && strings.IndexByte(set, s.text[s.at]) >= 0 {
		s.at++
		return true
	}
	return false
}

// digits reads one digit or more, and returns how many.
func (s *scanner) digits() int {
	start := s.at
	for s.accept("0123456789") {
	}
	if s.at == start {
		s.fail("want a value of another kind")
	}
	return s.at - start
}

// number reads a number, and returns its text, how many digits before a point or an
// exponent it has, and how many digits its exponent has.
func (s *scanner) number() (text string, whole, exponent int) {
	s.peek()
	start := s.at
	s.accept("-")
	first := s.at
	if !s.accept("0") {
		s.digits()
	}
	whole = s.at - first
	if s.accept(".") {
		s.digits()
	}
	if s.accept("eE") {
		s.accept("+-")
		exponent = s.digits()
	}
	return s.text[start:s.at], whole, exponent
}

// int reads a whole number of at most 32 bits.
func (s *scanner) int() int {
	text, whole, _ := s.number()
	digits := strings.TrimPrefix(text, "-")
	n := int64(0)
	for i := range len(digits) {
		n = 10*n + int64(digits[i]-'0')
		if i >= whole || n > math.MaxInt32 {
			s.fail("want a whole number of 32 bits")
			return 0
		}
	}
	if digits != text {
		n = -n
	}
	return int(n)
}

// decimal reads a number of at most 99 characters, and with an exponent of at most two
// digits, so that none is out of range whether it is converted or not.
func (s *scanner) decimal() float64 {
	text, _, exponent := s.number()
	if len(text) > 99 || exponent > 2 {
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
