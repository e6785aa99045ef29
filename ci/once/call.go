//go:build linux

package main

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
)

// A call is a system call in strace's output.
type call struct {
	name      string
	arguments []string
	result    int    // -1 after an error, and if it is not known
	err       string // ENOENT
	opened    string // the path of the file descriptor that is the result
}

var (
	noError = regexp.MustCompile(`\s+= -1 \(errno 18446744073709\d+\)$`)
	word    = regexp.MustCompile(`^[a-z_][a-z0-9_]*$`)
	ending  = regexp.MustCompile(`^\s+= (?:-1 (E[A-Z0-9]+) \([^()]*\)(?: \(INJECTED\))?|\?(?: ERESTART\w+ \([^()]*\))?|(\d+)(<[^>]*>(?:\(deleted\))?)?)$`)
)

// parseCall parses a line such as openat(AT_FDCWD</a>, "b", O_RDONLY) = 3</a/b>. It
// refuses what it does not know, so that no file is overlooked.
func parseCall(text string) (c call, err error) {
	name, rest, ok := strings.Cut(text, "(")
	if !ok || !word.MatchString(name) {
		return c, errors.New("no system call")
	}
	c.name = name
	if c.arguments, rest, err = split(rest); err != nil {
		return c, err
	}
	if starts(name) { // by a thread that was killed: 2^64 less a small number is no error
		rest = noError.ReplaceAllString(rest, " = ?")
	}
	m := ending.FindStringSubmatch(rest)
	if m == nil {
		return c, errors.New("no result")
	}
	c.err, c.result = m[1], -1
	if m[2] != "" {
		if c.result, err = strconv.Atoi(m[2]); err != nil {
			return c, err
		}
	}
	if m[3] == "" && c.result >= 0 && (strings.HasPrefix(name, "open") || name == "creat") {
		return c, errors.New("no path of the file descriptor")
	}
	c.opened, _ = annotated(m[2] + m[3])
	return c, nil
}

// split splits arguments at the commas that are not within quotes or brackets, and
// returns what follows their closing parenthesis.
func split(text string) (list []string, rest string, err error) {
	var open []byte // the ends of the brackets
	begin := 0
	add := func(i int) {
		if a := strings.TrimSpace(text[begin:i]); a != "" {
			list = append(list, a)
		}
		begin = i + 1
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			if i >= len(text) {
				return nil, "", errors.New("a quote does not end")
			}
		case '<': // the path of a file descriptor, in which strace escapes > and <
			if i+1 < len(text) && text[i+1] == '<' { // a shift
				i++
				continue
			}
			j := strings.IndexByte(text[i:], '>')
			if j < 0 {
				return nil, "", errors.New("a path does not end")
			}
			i += j
		case '(':
			open = append(open, ')')
		case '[':
			open = append(open, ']')
		case '{':
			open = append(open, '}')
		case ')', ']', '}':
			switch n := len(open); {
			case n == 0 && c == ')':
				add(i)
				return list, text[i+1:], nil
			case n == 0 || open[n-1] != c:
				return nil, "", errors.New("a bracket has no beginning")
			default:
				open = open[:n-1]
			}
		case ',':
			if len(open) == 0 {
				add(i)
			}
		}
	}
	return nil, "", errors.New("the arguments do not end")
}

// unquote returns the string that an argument shows, unless strace has shortened it.
func unquote(a string) (string, bool) {
	if len(a) < 2 || a[0] != '"' || a[len(a)-1] != '"' {
		return "", false
	}
	var b strings.Builder
	for a = a[1 : len(a)-1]; a != ""; {
		switch {
		case a[0] == '"':
			return "", false
		case a[0] != '\\':
			b.WriteByte(a[0])
			a = a[1:]
			continue
		case len(a) < 2:
			return "", false
		}
		n := 1
		for n < 4 && n < len(a) && a[n] >= '0' && a[n] <= '7' {
			n++
		}
		if n > 1 {
			v, err := strconv.ParseUint(a[1:n], 8, 8)
			if err != nil {
				return "", false
			}
			b.WriteByte(byte(v))
			a = a[n:]
			continue
		}
		i := strings.IndexByte(`nrtvf"\`, a[1])
		if i < 0 {
			return "", false
		}
		b.WriteByte("\n\r\t\v\f\"\\"[i])
		a = a[2:]
	}
	return b.String(), true
}

var descriptor = regexp.MustCompile(`^(?:AT_FDCWD|\d+)<([^>]*)>$`)

// annotated returns the path that strace adds to a file descriptor: 3</a/b>. Pipes and
// sockets have none, nor have files that are deleted.
func annotated(a string) (string, bool) {
	m := descriptor.FindStringSubmatch(a)
	if m == nil {
		return "", false
	}
	path, ok := unquote(`"` + m[1] + `"`)
	if !ok || !strings.HasPrefix(path, "/") || strings.HasSuffix(path, " (deleted)") {
		return "", false
	}
	return path, true
}
