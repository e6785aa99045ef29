package drivers

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
)

// Strings are those of encoding/json, and what is no string is an error.
func TestStrings(t *testing.T) {
	for _, text := range []string{
		`""`, `"a"`, `"\"\\\/\b\f\n\r\t"`, `"\u0000\u0041\u00e9\u4e2d\uFFFD\uffff"`, `"\ud83d\ude00 \uD83D\uDE00"`, `"é中😀"`, `"a\u0062c"`,
	} {
		var want string
		if err := json.Unmarshal([]byte(text), &want); err != nil {
			t.Fatal(err)
		}
		s := &scanner{text: text + " "}
		if got := s.string(); got != want || s.err != nil || s.at != len(text) {
			t.Errorf("%s: %q, %v, want %q", text, got, s.err, want)
		}
	}
	for _, text := range []string{
		``, `a`, `"`, `"a`, `"\`, `"\"`, `"\x"`, `"\u"`, `"\u1"`, `"\u12"`, `"\u123"`, `"\u123`, `"\u123g"`, `"\u+123"`, `"\u 123"`,
		`"\ud83d"`, `"\ud83d\n"`, `"\ud83d\u0041"`, `"\ude00"`, `"\ude00\ud83d"`, `"\ud83dx"`, `"\ud83d\u12"`,
		"\"\n\"", "\"\x1f\"", "\"\xff\"", "\"\xed\xa0\x80\"",
	} {
		s := &scanner{text: text}
		if got := s.string(); s.err == nil {
			t.Errorf("%q: %q, want an error", text, got)
		} else if strings.Contains(s.err.Error(), "\n") {
			t.Errorf("%q: an error of several lines: %q", text, s.err)
		}
	}
}

// The same for numbers and words.
func TestValues(t *testing.T) {
	for _, text := range []string{
		"0", "-0", "7", "10", "-12", "0.5", "1.25e3", "1e5", "1E+5", "1e-5", "-1.5E-2", "01", "1.", ".5", "-", "1e", "1e+", "+1", "1.e5", "00", "0x1", "--1", "",
		"true", "false", "null", "tru", "True", "nul", "[]", "[1]", "[1,2]", "[1,]", "[,1]", "[1 2]", "[", "]", "{}", `{"a":1}`, `{"a":1,"b":[true,{"c":null}]}`,
		`{"a"}`, `{"a":}`, `{"a" 1}`, `{a:1}`, `{"a":1,}`, `{"a":1`, `{,}`, " 1 ", "\t\r\n1", "1 2", "\v1", "[[[]]]",
	} {
		s := &scanner{text: text}
		s.any()
		s.end()
		if got := s.err == nil; got != json.Valid([]byte(text)) {
			t.Errorf("%q: valid is %v: %v", text, got, s.err)
		}
	}
	for text, want := range map[string]int{"0": 0, "-5": -5, "123": 123} {
		s := &scanner{text: text}
		if got := s.int(); got != want || s.err != nil {
			t.Errorf("%s: %d, %v", text, got, s.err)
		}
	}
	for _, text := range []string{"1.5", "1e3", "99999999999999999999", "x"} {
		if s := (&scanner{text: text}); s.int() >= 0 && s.err == nil {
			t.Errorf("%s is a whole number", text)
		}
	}
	if s := (&scanner{text: "1e999", float: strconv.ParseFloat}); s.decimal() >= 0 && s.err == nil {
		t.Error("1e999 is a number")
	}
	if s := (&scanner{text: "-1.5e1", float: strconv.ParseFloat}); s.decimal() != -15 || s.err != nil {
		t.Error("-1.5e1 is not")
	}
}
