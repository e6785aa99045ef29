package main

import (
	"bufio"
	"bytes"
	"crypto/hmac"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// A tally counts the results for the lines of one file of checksums.
type tally struct {
	matched, mismatched, unreadable, malformed, formed int
}

// check reads checksums from all files and verifies them, with the messages and exit
// codes of sha256sum.
func (c *hashCmd) check(p *program, list []sum) error {
	ok := true
	results := []hashResult{}
	for _, name := range c.Files {
		if !c.checkFile(p, list, name, &results) {
			ok = false
		}
		if err := p.flush(); err != nil {
			return err
		}
	}
	if c.JSON {
		if err := p.json(hashDocument{1, results}); err != nil {
			return err
		}
	}
	if !ok {
		return errReported
	}
	return nil
}

func (c *hashCmd) checkFile(p *program, list []sum, name string, results *[]hashResult) bool {
	in, err := p.open(name)
	if err != nil {
		p.warn("%v", err)
		return false
	}
	if in.File != p.stdin {
		defer in.Close()
	}
	var t tally
	lines := bufio.NewReader(in)
	for number := 1; ; number++ {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			c.checkLine(p, list, in, line, number, &t, results)
		}
		if err = notEOF(err); err != nil {
			p.warn("%v", err)
			return false
		}
		if len(line) == 0 || line[len(line)-1] != '\n' {
			break
		}
	}
	if t.formed == 0 {
		p.warn("%s: no properly formatted checksum lines found", in.name)
		return false
	}
	if !c.Status {
		p.warnCount(t.malformed, "line is improperly formatted", "lines are improperly formatted")
		p.warnCount(t.unreadable, "listed file could not be read", "listed files could not be read")
		p.warnCount(t.mismatched, "computed checksum did NOT match", "computed checksums did NOT match")
		if c.IgnoreMissing && t.matched == 0 {
			p.warn("%s: no file was verified", in.name)
		}
	}
	return t.matched > 0 && t.mismatched == 0 && t.unreadable == 0 && !(c.Strict && t.malformed > 0)
}

func (p *program) warnCount(n int, one, many string) {
	if n == 1 {
		p.warn("WARNING: %d %s", n, one)
	} else if n > 1 {
		p.warn("WARNING: %d %s", n, many)
	}
}

func (c *hashCmd) checkLine(p *program, list []sum, in *inputFile, line []byte, number int, t *tally, results *[]hashResult) {
	line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
	if len(line) == 0 || line[0] == '#' {
		return
	}
	s, name, want, ok := parseLine(list, string(line))
	if !ok || in.File == p.stdin && name == "-" {
		t.malformed++
		if c.Warn {
			p.warn("%s: %d: improperly formatted %s checksum line", in.name, number, list[0].tag)
		}
		return
	}
	t.formed++
	r := newHashResult(name, s.name)
	got, err := p.hashFile(s, name)
	switch {
	case c.IgnoreMissing && errors.Is(err, fs.ErrNotExist):
		return
	case err != nil:
		t.unreadable++
		p.warn("%v", err)
		r.Status, r.Error = "unreadable", err.Error()
	case !hmac.Equal(got, want): // in constant time
		t.mismatched++
		r.Status = "failed"
		if !c.HMAC { // the correct HMAC must not be revealed
			r.Digest = hex.EncodeToString(got)
		}
	default:
		t.matched++
		r.Digest = hex.EncodeToString(got)
	}
	*results = append(*results, r)
	if c.Status || c.JSON || c.Quiet && r.Status == "ok" {
		return
	}
	// A name with a backslash but no newline needs no escaping here.
	if strings.Contains(name, "\n") {
		name = `\` + strings.NewReplacer(`\`, `\\`, "\n", `\n`).Replace(name)
	}
	words := map[string]string{"ok": "OK", "failed": "FAILED", "unreadable": "FAILED open or read"}
	fmt.Fprintf(p.stdout, "%s: %s\n", name, words[r.Status])
}

// parseLine parses the lines
//
//	HEX  name       GNU; also with one space, or with a space and an asterisk
//	ALG (name) = HEX BSD; spaces are optional
//
// Both begin with a backslash if the name is escaped. Lines in GNU style use the first
// hash function in the list.
func parseLine(list []sum, line string) (s sum, name string, digest []byte, ok bool) {
	line = strings.TrimLeft(line, " \t")
	line, escaped := strings.CutPrefix(line, `\`)
	if s, name, digest, ok = parseTagged(list, line); !ok {
		s = list[0]
		name, digest, ok = parseUntagged(s, line)
	}
	if ok && escaped {
		name, ok = unescape(name)
	}
	return s, name, digest, ok && name != "" && !strings.Contains(name, "\x00")
}

func parseTagged(list []sum, line string) (sum, string, []byte, bool) {
	for _, s := range list {
		rest, ok := strings.CutPrefix(line, s.tag)
		if !ok && s.also != "" {
			rest, ok = strings.CutPrefix(line, s.also)
		}
		if !ok {
			continue
		}
		rest, ok = strings.CutPrefix(strings.TrimPrefix(rest, " "), "(")
		end := strings.LastIndexByte(rest, ')') // names may contain parentheses, too
		if !ok || end < 0 {
			continue
		}
		value, ok := strings.CutPrefix(strings.TrimLeft(rest[end+1:], " \t"), "=")
		digest, valid := parseDigest(s, strings.TrimLeft(value, " \t"))
		if ok && valid {
			return s, rest[:end], digest, true
		}
	}
	return sum{}, "", nil, false
}

func parseUntagged(s sum, line string) (string, []byte, bool) {
	size := 2 * s.new().Size()
	if len(line) < size+2 || line[size] != ' ' && line[size] != '\t' {
		return "", nil, false
	}
	digest, ok := parseDigest(s, line[:size])
	name := line[size+1:]
	if len(name) > 1 && (name[0] == ' ' || name[0] == '*') {
		name = name[1:]
	}
	return name, digest, ok
}

func parseDigest(s sum, text string) ([]byte, bool) {
	digest, err := hex.DecodeString(text)
	return digest, err == nil && len(digest) == s.new().Size()
}
