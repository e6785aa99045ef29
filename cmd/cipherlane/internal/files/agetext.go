//go:build !(mips || mipsle || mips64 || mips64le)

package files

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	"filippo.io/age/armor"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/payload"
)

// Age files that are armored, and what programs that take a file for text do to it.

// maxArmorLine is more than any line of an armored file has: 64 characters, or 1024 of white
// space in front of the first line.
const maxArmorLine = 1100

var errLongLine = errors.New("a line has more than 64 characters")

// newArmorReader decodes an armored file. Its lines are limited: package armor would keep a line
// of any length in memory, and print it.
func newArmorReader(r io.Reader) io.Reader { return armor.NewReader(&lineLimiter{r: r}) }

// A lineLimiter returns an error in place of a line that is too long.
type lineLimiter struct {
	r   io.Reader
	n   int // bytes of the present line so far
	err error
}

func (l *lineLimiter) Read(p []byte) (int, error) {
	if l.err != nil {
		return 0, l.err
	}
	n, err := l.r.Read(p)
	for i, c := range p[:n] {
		if l.n++; c == '\n' {
			l.n = 0
		}
		if l.n > maxArmorLine {
			l.err = errLongLine
			return max(i+1-l.n, 0), l.err // without what belongs to the line
		}
	}
	return n, err
}

// armorText describes an error in an armored file. It has at most a short piece of the file.
func armorText(err error) string {
	illegal := new(base64.CorruptInputError)
	text := err.Error()
	switch {
	case errors.Is(err, errLongLine):
		return "invalid armor: " + errLongLine.Error()
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "truncated: the line " + armor.Footer + " is missing"
	case errors.As(err, illegal):
		return "invalid armor: a line is damaged or cut short"
	case strings.Contains(text, "invalid closing line"):
		return "invalid armor: truncated, or its last line is damaged"
	}
	return piece(text)
}

// maxPiece is the longest text of others in an error.
const maxPiece = 160

// piece returns the beginning of a text that may quote a part of a file.
func piece(text string) string {
	if len(text) <= maxPiece {
		return text
	}
	return strings.ToValidUTF8(text[:maxPiece], "") + "…"
}

// failedHeader begins the errors of package age in the header.
const failedHeader = "failed to read header: "

// headerText describes an error in the header of an age file, from package age.
func headerText(err error) string {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return "truncated: it ends in its header"
	}
	text := err.Error()
	for stripped := true; stripped; {
		stripped = false
		for _, prefix := range []string{failedHeader, "failed to parse header: ", "parsing age header: ", "failed to read line: "} {
			if rest, ok := strings.CutPrefix(text, prefix); ok {
				text, stripped = rest, true
			}
		}
	}
	// Its lines are quoted whole, and one may have 2 MiB.
	text, _, _ = strings.Cut(text, "\n")
	if strings.HasPrefix(text, "unexpected EOF reading intro") || text == "file is empty" {
		return "truncated: it ends in its header"
	}
	return "not a valid age file: " + piece(text)
}

// ageText returns a reader for an armored age file that is UTF-16 or has a byte order mark, as
// PowerShell and Notepad write it, and r itself for anything else.
func ageText(r *bufio.Reader) *bufio.Reader {
	head, _ := r.Peek(2*1024 + 2*len(armor.Header) + 2)
	head = bytes.TrimSpace(cli.DecodeText(head))
	order, marked := cli.UTF16Order(peek(r, 8))
	switch {
	case !bytes.HasPrefix(head, []byte(armor.Header)):
		return r
	case bytes.HasPrefix(peek(r, 3), cli.UTF8BOM):
		r.Discard(len(cli.UTF8BOM))
		return r
	case order == nil:
		return r
	}
	if marked {
		r.Discard(2)
	}
	return bufio.NewReaderSize(&utf16Reader{r, order}, 64<<10)
}

func peek(r *bufio.Reader, n int) []byte {
	b, _ := r.Peek(n)
	return b
}

// A utf16Reader reads ASCII in UTF-16. Other characters become question marks.
type utf16Reader struct {
	r     io.Reader
	order binary.ByteOrder
}

func (u *utf16Reader) Read(p []byte) (int, error) {
	units := make([]byte, 2*min(len(p), 16<<10))
	n, err := io.ReadAtLeast(u.r, units, min(2, len(units)))
	if err == io.ErrUnexpectedEOF { // half a unit
		p[0] = '?'
		return 1, nil
	}
	if err == nil && n%2 != 0 {
		_, err = io.ReadFull(u.r, units[n:n+1])
		n++
		if err != nil {
			units[n-1] = 0xff
		}
	}
	for i := 0; i < n/2; i++ {
		p[i] = '?'
		if c := u.order.Uint16(units[2*i:]); c < 0x80 {
			p[i] = byte(c)
		}
	}
	return n / 2, err
}

// converted reports whether a binary age file begins as one that was converted as text.
func converted(head []byte) bool {
	text := cli.DecodeText(head)
	switch {
	case !bytes.HasPrefix(text, []byte(ageIntro)):
		return false
	case len(text) != len(head): // a mark, or UTF-16
		return true
	}
	first, _, _ := bytes.Cut(text, []byte("\n"))
	return bytes.HasSuffix(first, []byte("\r"))
}

// ageError puts the name of an age file in front of an error in it. Errors of reading and writing
// already have a name.
func ageError(name string, err error) error {
	inArmor := new(armor.Error)
	named := new(cli.NamedError)
	switch {
	case err == nil:
		return nil
	case errors.As(err, named):
		return *named
	case errors.As(err, &inArmor):
		return fmt.Errorf("%s: %s", name, armorText(inArmor))
	case strings.HasPrefix(err.Error(), failedHeader):
		return fmt.Errorf("%s: %s", name, headerText(err))
	case err.Error() == "bad header MAC":
		return fmt.Errorf("%s: not a valid age file: its header is damaged", name)
	}
	return cli.AboutFile(name, err)
}

// damage returns the error of a payload that does not authenticate. The part after the header
// tells more if it was converted.
func damage(err error, head []byte) error {
	chunk := new(payload.ChunkError)
	if (errors.As(err, &chunk) || errors.Is(err, payload.ErrTruncated)) && replaced(head) {
		return fmt.Errorf("damaged: %w", errConverted)
	}
	return err
}
