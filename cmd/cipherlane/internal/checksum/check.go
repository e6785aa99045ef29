package checksum

import (
	"bufio"
	"bytes"
	"crypto/hmac"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
)

// A tally counts the results for the lines of one file of checksums.
type tally struct {
	matched, mismatched, unreadable, malformed, formed int

	sha256 int    // mismatches for SM3 that match for SHA-256
	like   string // what the first malformed line may be
}

// maxSums is the longest file of checksums in UTF-16, which is read as a whole.
const maxSums = 16 << 20

// maxCheckLine is longer than a line with a checksum and an escaped path can be.
const maxCheckLine = 64 << 10

// nextLine returns the next line, with its newline if it has one. tooLong reports that the
// line is longer than the buffer; then it has only a part of it.
func nextLine(r *bufio.Reader) (line []byte, tooLong bool, err error) {
	line, err = r.ReadSlice('\n')
	if err != bufio.ErrBufferFull {
		return line, false, err
	}
	line = bytes.Clone(line)
	for err == bufio.ErrBufferFull {
		_, err = r.ReadSlice('\n')
	}
	return line, true, err
}

// checkText returns a reader for a file of checksums. PowerShell writes UTF-16.
func checkText(in *cli.InputFile) (*bufio.Reader, error) {
	r := bufio.NewReaderSize(in, maxCheckLine)
	head, _ := r.Peek(8)
	switch {
	case cli.IsUTF16(head):
		text, err := io.ReadAll(io.LimitReader(r, maxSums+1))
		if err != nil {
			return nil, err
		}
		if len(text) > maxSums {
			return nil, fmt.Errorf("%s: is UTF-16 and longer than %d bytes; save it as UTF-8", in.DisplayName, maxSums)
		}
		return bufio.NewReaderSize(bytes.NewReader(cli.DecodeText(text)), maxCheckLine), nil
	case bytes.HasPrefix(head, cli.UTF8BOM):
		r.Discard(len(cli.UTF8BOM))
	}
	return r, nil
}

// digestNames has the hash functions by the number of their hex digits, for hints.
var digestNames = map[int]string{
	32: "MD5, which md5sum verifies", 40: "SHA-1, which sha1sum verifies", 56: "SHA-224 (-a sha224)",
	64: "SHA-256 or SM3 (-a sha256, -a sm3)", 96: "SHA-384 (-a sha384)", 128: "SHA-512 (-a sha512)",
}

// likeChecksum returns the hash function whose checksum begins a line, or "".
func likeChecksum(line []byte) string {
	line = bytes.TrimPrefix(line, []byte(`\`))
	digits := 0
	for digits < len(line) && strings.IndexByte("0123456789abcdefABCDEF", line[digits]) >= 0 {
		digits++
	}
	if digits == len(line) || line[digits] != ' ' {
		return ""
	}
	return digestNames[digits]
}

// check reads checksums from all files and verifies them, with the messages and exit
// codes of sha256sum.
func (c *Cmd) check(p *cli.Program, list []sum) error {
	ok := true
	results := []hashResult{}
	for _, name := range c.Files {
		if !c.checkFile(p, list, name, &results) {
			ok = false
		}
		if err := p.Flush(); err != nil {
			return err
		}
	}
	if c.JSON {
		if err := p.JSON(hashDocument{1, results}); err != nil {
			return err
		}
	}
	if !ok {
		return cli.ErrReported
	}
	return nil
}

func (c *Cmd) checkFile(p *cli.Program, list []sum, name string, results *[]hashResult) bool {
	in, err := p.Open(name)
	if err != nil {
		p.Warn("%v", err)
		return false
	}
	if in.File != p.Stdin {
		defer in.Close()
	}
	var t tally
	lines, err := checkText(in)
	if err != nil {
		p.Warn("%v", err)
		return false
	}
	for number := 1; ; number++ {
		line, tooLong, err := nextLine(lines)
		if len(line) > 0 {
			c.checkLine(p, list, in, line, tooLong, number, &t, results)
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			p.Warn("%v", err)
			return false
		}
	}
	if t.formed == 0 {
		like := ""
		if t.like != "" {
			like = fmt.Sprintf(" for %s; they look like those of %s", list[0].tag, t.like)
		}
		p.Warn("%s: no properly formatted checksum lines found%s", in.DisplayName, like)
		return false
	}
	if !c.Status {
		warnCount(p, t.malformed, "line is improperly formatted", "lines are improperly formatted")
		warnCount(p, t.unreadable, "listed file could not be read", "listed files could not be read")
		warnCount(p, t.mismatched, "computed checksum did NOT match", "computed checksums did NOT match")
		if t.sha256 > 0 {
			p.Warn("%s: %s SHA-256, not of SM3, and right: use \"cipherlane hash -a sha256 --check\"", in.DisplayName, cli.Plural(t.sha256, "1 of them is of", fmt.Sprint(t.sha256, " of them are of")))
		}
		if c.IgnoreMissing && t.matched == 0 {
			p.Warn("%s: no file was verified", in.DisplayName)
		}
	}
	return t.matched > 0 && t.mismatched == 0 && t.unreadable == 0 && !(c.Strict && t.malformed > 0)
}

func warnCount(p *cli.Program, n int, one, many string) {
	if n == 1 {
		p.Warn("WARNING: %d %s", n, one)
	} else if n > 1 {
		p.Warn("WARNING: %d %s", n, many)
	}
}

func (c *Cmd) checkLine(p *cli.Program, list []sum, in *cli.InputFile, line []byte, tooLong bool, number int, t *tally, results *[]hashResult) {
	line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
	if len(line) == 0 || line[0] == '#' {
		return
	}
	s, name, want, ok := parseLine(list, string(line))
	if !ok || tooLong || in.File == p.Stdin && name == "-" {
		if t.malformed++; t.like == "" {
			t.like = likeChecksum(line)
		}
		if c.Warn {
			p.Warn("%s: %d: improperly formatted %s checksum line", in.DisplayName, number, list[0].tag)
		}
		return
	}
	t.formed++
	r := newHashResult(name, s.name)
	got, err := c.hashFile(p, s, name)
	switch {
	case c.IgnoreMissing && errors.Is(err, fs.ErrNotExist):
		return
	case err != nil:
		t.unreadable++
		p.Warn("%v", err)
		r.Status, r.Error = "unreadable", err.Error()
	case !hmac.Equal(got, want): // in constant time
		t.mismatched++
		r.Status = "failed"
		if c.isSHA256(p, list, s, name, want) {
			t.sha256++
		}
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
	fmt.Fprintf(p.Stdout, "%s: %s\n", name, words[r.Status])
}

// isSHA256 reports whether a checksum that does not match for SM3 does for SHA-256, which has the
// same size: lists of sha256sum do not name it.
func (c *Cmd) isSHA256(p *cli.Program, list []sum, used sum, name string, want []byte) bool {
	if len(list) < 2 || used.tag != list[0].tag || cli.IsStdin(name) {
		return false
	}
	i := slices.IndexFunc(list, func(s sum) bool { return strings.HasSuffix(s.tag, "SHA256") })
	if i < 0 {
		return false
	}
	got, err := c.hashFile(p, list[i], name)
	return err == nil && hmac.Equal(got, want)
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
		if !ok && s.opensslTag != "" {
			rest, ok = strings.CutPrefix(line, s.opensslTag)
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
