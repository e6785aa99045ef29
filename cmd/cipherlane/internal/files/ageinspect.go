//go:build !(mips || mipsle || mips64 || mips64le)

package files

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"

	"filippo.io/age"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/payload"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/recipients"
)

// stanzaKinds are the types of stanzas that are known here: what people call them, and whether they
// are safe from quantum computers.
var stanzaKinds = map[string]struct {
	name string
	safe bool
}{
	"X25519":                     {"X25519", false},
	"ssh-ed25519":                {"SSH key (Ed25519)", false},
	"ssh-rsa":                    {"SSH key (RSA)", false},
	"p256tag":                    {"P-256 tag", false},
	"piv-p256":                   {"PIV token (P-256)", false},
	recipients.SM2Stanza:         {"SM2", false},
	"scrypt":                     {"passphrase", true},
	"mlkem768x25519":             {"ML-KEM-768 with X25519", true},
	"mlkem768p256tag":            {"ML-KEM-768 with P-256 tag", true},
	recipients.FrodoKEMStanza:    {"FrodoKEM with X25519", true},
	recipients.FrodoKEMKeyStanza: {"FrodoKEM key", true},
}

// postQuantum reports whether recipients are safe from quantum computers: yes, no or unknown.
func postQuantum(entries []*age.Stanza) string {
	answer := "yes"
	for _, s := range entries {
		known, ok := stanzaKinds[s.Type]
		switch {
		case ok && !known.safe:
			return "no"
		case !ok && !isGrease(s.Type):
			answer = "unknown"
		}
	}
	return answer
}

// A counter counts what is read.
type counter struct {
	io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += int64(n)
	return n, err
}

// inspect reads a file in age's format, to its end if its size is not known otherwise.
func inspect(in *cli.InputFile, path string) (*inspection, error) {
	size := in.Size()
	if size >= 0 {
		at, err := in.Seek(0, io.SeekCurrent) // standard input may have been read
		if err != nil {
			return nil, err
		}
		size -= at
	}
	all := &counter{Reader: in}
	buffered := ageText(bufio.NewReaderSize(all, 64<<10))
	is, armored := isAge(buffered)
	if !is {
		head := &beginning{Reader: buffered}
		return nil, head.foreign(path, cli.AsNamed(fmt.Errorf("%s: not an age file; a file that was encrypted with a key file shows nothing without it", in.DisplayName)))
	}
	r := buffered
	if armored {
		r, size = bufio.NewReaderSize(newArmorReader(buffered), 64<<10), -1
	}
	header, err := age.ExtractHeader(r)
	if err != nil {
		return nil, ageError(in.DisplayName, err)
	}
	entries, err := stanzasOf(header)
	if err != nil {
		return nil, ageError(in.DisplayName, err)
	}
	i := &inspection{Version: "age-encryption.org/v1", PostQuantum: postQuantum(entries), Armor: armored}
	for _, s := range entries {
		i.StanzaTypes = append(i.StanzaTypes, s.Type)
		name := cmp.Or(stanzaKinds[s.Type].name, s.Type)
		if at := slices.IndexFunc(i.Recipients, func(r inspectedKind) bool { return r.Kind == name }); at >= 0 {
			i.Recipients[at].Count++
		} else {
			i.Recipients = append(i.Recipients, inspectedKind{name, 1})
		}
		// Of a key of ssh there are 4 bytes of its fingerprint, and so 5 characters as ssh-keygen prints it.
		if sshName(s) != "" && len(s.Args[0]) > 5 {
			name += " SHA256:" + s.Args[0][:5] + "…"
		}
		i.entries = append(i.entries, name)
	}
	i.Sizes.Header = int64(len(header))
	rest := size - i.Sizes.Header
	if size < 0 {
		if rest, err = io.Copy(io.Discard, r); err != nil {
			return nil, ageError(in.DisplayName, err)
		}
	}
	if armored {
		if _, err := io.Copy(io.Discard, buffered); err != nil {
			return nil, err
		}
		i.Sizes.Armor = all.n - i.Sizes.Header - rest
	}
	plain, ok := payload.PlaintextSize(rest)
	if !ok {
		return nil, ageError(in.DisplayName, payload.ErrTruncated)
	}
	i.Sizes.Overhead, i.Sizes.MinPayload, i.Sizes.MaxPayload = rest-plain, plain, plain
	return i, nil
}
