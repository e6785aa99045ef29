//go:build !(mips || mipsle || mips64 || mips64le)

package files

import (
	"bufio"
	"bytes"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"filippo.io/age"
	"filippo.io/age/agessh"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/inventory"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/payload"
)

// Changes of the recipients of a file. Its payload depends on the file key and on the nonce
// after the header, and on nothing else in the header (https://c2sp.org/age, "Payload"). So
// both are copied, and only the entries of the header and its MAC are new.

// An openHeader is the header of a file and what is in it.
type openHeader struct {
	name       string // of the file, for messages
	entries    []*age.Stanza
	fileKey    []byte
	identities []*observed // of the user
}

// An observed identity tells whether it could decrypt a file.
type observed struct {
	age.Identity
	opened bool
}

func (o *observed) Unwrap(stanzas []*age.Stanza) ([]byte, error) {
	fileKey, err := o.Identity.Unwrap(stanzas)
	o.opened = err == nil
	return fileKey, err
}

// A witness is an identity that only keeps what it sees.
type witness struct{ stanzas []*age.Stanza }

func (w *witness) Unwrap(stanzas []*age.Stanza) ([]byte, error) {
	w.stanzas = stanzas
	return nil, age.ErrIncorrectIdentity
}

// stanzasOf returns the stanzas of a header, of which filippo.io/age exports no parser.
func stanzasOf(header []byte) ([]*age.Stanza, error) {
	var w witness
	_, err := age.DecryptHeader(header, &w)
	if e := new(age.NoIdentityMatchError); !errors.As(err, &e) {
		return nil, err
	}
	return w.stanzas, nil
}

// change writes a file with the recipients that revise returns.
func (c *changeFlags) change(p *cli.Program, mixed bool, revise func(h *openHeader) ([]age.Recipient, error), inputs ...string) error {
	if err := inventory.RefuseFIPS(); err != nil {
		return err
	}
	if c.Output == "" && cli.IsStdin(c.Input) {
		return cli.Usagef("standard input cannot be changed: name a file, or write the new version with -o FILE or -o -")
	}
	inputs = slices.Concat(inputs, c.Identity, []string{c.PassphrasePath()})
	if err := onlyInput(c.Input, inputs...); err != nil {
		return err
	}
	for _, path := range inputs {
		if !cli.IsStdin(path) {
			p.Reads(path)
		}
	}
	t := cli.TransferFlags{Input: c.Input, Output: c.Output, Force: c.Force, ProgressFlag: c.ProgressFlag}
	transfer := t.TransferAfter
	if c.Output == "" {
		transfer = t.ReplaceAfter
	}
	return transfer(p, "copying", func(in *cli.InputFile) (func(in *cli.InputFile, out *cli.Output) error, error) {
		r := ageText(bufio.NewReaderSize(in, 64<<10))
		is, armored := isAge(r)
		if !is {
			head := &beginning{Reader: r}
			return nil, head.foreign(c.Input, cli.AsNamed(fmt.Errorf("%s: not an age file; a file that was encrypted with a key file has no recipients", in.DisplayName)))
		}
		r, header, err := readAgeHeader(in.DisplayName, r, armored)
		if err != nil {
			return nil, err
		}
		h, err := c.open(p, in.DisplayName, header)
		if err != nil {
			return nil, err
		}
		defer clear(h.fileKey)
		list, err := revise(h)
		if err != nil {
			return nil, err
		}
		if header, err = h.encode(list, mixed); err != nil {
			return nil, err
		}
		return func(in *cli.InputFile, out *cli.Output) error {
			return ageError(in.DisplayName, writeAge(out, armored, func(w io.Writer) error {
				if _, err := w.Write(header); err != nil {
					return err
				}
				n, err := io.Copy(w, r)
				if _, ok := payload.PlaintextSize(n); !ok && err == nil {
					err = payload.ErrTruncated
				}
				return err
			}))
		}, nil
	})
}

// open decrypts the file key in a header.
func (c *changeFlags) open(p *cli.Program, name string, header []byte) (*openHeader, error) {
	entries, err := stanzasOf(header)
	if err != nil {
		return nil, ageError(name, err)
	}
	if slices.ContainsFunc(entries, func(s *age.Stanza) bool { return s.Type == "scrypt" }) {
		return nil, fmt.Errorf("%s: is encrypted with a passphrase, which can have no recipients beside it; decrypt it and encrypt it again", name)
	}
	h := &openHeader{name: name, entries: entries}
	list, err := readIdentities(p, c.Identity, c.PassphraseFlags, defaultMaxWork)
	if err != nil {
		return nil, err
	}
	for i := range list {
		h.identities = append(h.identities, &observed{Identity: list[i]})
		list[i] = h.identities[i]
	}
	h.fileKey, err = unwrapHeader(name, header, list)
	return h, err
}

// encode returns the header for other recipients.
func (h *openHeader) encode(list []age.Recipient, mixed bool) ([]byte, error) {
	b, err := ageHeader(list, mixed)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", h.name, err)
	}
	b = b[:len(b)-payload.NonceSize]
	b = b[:bytes.LastIndex(b, []byte("\n--- "))+len("\n---")]
	// The key of the MAC is derived from the file key (C2SP, age.md, "Header MAC").
	key, err := hkdf.Key(sha256.New, h.fileKey, nil, "header", 32)
	if err != nil {
		return nil, err
	}
	defer clear(key)
	mac := hmac.New(sha256.New, key)
	mac.Write(b)
	return fmt.Appendf(b, " %s\n", base64.RawStdEncoding.EncodeToString(mac.Sum(nil))), nil
}

// entries are the recipients of a file that stay in it.
type entries []*age.Stanza

func (e entries) Wrap([]byte) ([]*age.Stanza, error) { return e, nil }

// WrapWithLabels implements [age.RecipientWithLabels]: with age's label of recipients that are safe
// from quantum computers, if all of them are.
func (e entries) WrapWithLabels([]byte) ([]*age.Stanza, []string, error) {
	if postQuantum(e) == "yes" {
		return e, []string{"postquantum"}, nil
	}
	return e, nil, nil
}

// forKey is a recipient that encrypts a file key that exists, and not the one that age chooses.
type forKey struct {
	age.Recipient
	fileKey []byte
}

func (f forKey) WrapWithLabels([]byte) ([]*age.Stanza, []string, error) {
	return wrapWithLabels(f.Recipient, f.fileKey)
}

// opens reports whether an entry is for one of the identities.
func (h *openHeader) opens(list []age.Identity, entry *age.Stanza) (bool, error) {
	for _, i := range list {
		fileKey, err := i.Unwrap([]*age.Stanza{entry})
		if errors.Is(err, age.ErrIncorrectIdentity) {
			continue
		}
		if err != nil {
			return false, ageError(h.name, err)
		}
		same := subtle.ConstantTimeCompare(fileKey, h.fileKey) == 1
		clear(fileKey)
		if same {
			return true, nil
		}
	}
	return false, nil
}

// sshName returns a name for the entry of a key of ssh, and "" for other entries.
func sshName(entry *age.Stanza) string {
	if !slices.Contains(sshStanzas, entry.Type) || len(entry.Args) == 0 {
		return ""
	}
	return entry.Type + " " + entry.Args[0]
}

// recipientName returns a name by which a recipient can be told from others, or "".
func recipientName(r age.Recipient) (string, error) {
	switch named := r.(type) {
	case *agessh.Ed25519Recipient, *agessh.RSARecipient:
		// What a file has of a key, agessh only tells in an entry.
		s, err := r.Wrap(make([]byte, payload.FileKeySize))
		if err != nil {
			return "", err
		}
		return sshName(s[0]), nil
	case fmt.Stringer:
		return named.String(), nil
	}
	return "", nil
}

// names returns the names of the recipients that are known: keys of ssh and the user's own.
func (h *openHeader) names() (map[string]bool, error) {
	names := map[string]bool{}
	for _, s := range h.entries {
		names[sshName(s)] = true
	}
	for _, o := range h.identities {
		if !o.opened {
			continue
		}
		all := []age.Identity{o.Identity}
		if locked, ok := o.Identity.(unlocker); ok {
			var err error
			if all, err = locked.unlock(); err != nil {
				return nil, err
			}
		}
		for _, i := range all {
			r, err := recipientOf(i)
			if err != nil {
				continue // it has no name
			}
			for _, s := range h.entries {
				ok, err := h.opens([]age.Identity{i}, s)
				if err != nil {
					return nil, err
				}
				if ok {
					names[r.String()] = true
				}
			}
		}
	}
	delete(names, "")
	return names, nil
}

// Run runs the verb.
func (c *recipientsAddCmd) Run(p *cli.Program) error {
	if len(c.Recipient)+len(c.RecipientsFile) == 0 {
		return cli.Usagef("nobody to add: name recipients with -r or -R")
	}
	return c.change(p, c.Mixed, func(h *openHeader) ([]age.Recipient, error) {
		more, err := namedRecipients(p, c.Recipient, c.RecipientsFile)
		if err != nil {
			return nil, err
		}
		if postQuantum(h.entries) == "unknown" && !c.Mixed {
			return nil, fmt.Errorf("%s: has recipients of a kind that is not known here, and perhaps safe from quantum computers; --mixed allows to add others", h.name)
		}
		known, err := h.names()
		if err != nil {
			return nil, err
		}
		twice := map[string]bool{}
		list := []age.Recipient{entries(h.entries)}
		for _, r := range more {
			name, err := recipientName(r)
			if err != nil {
				return nil, err
			}
			switch {
			case known[name]:
				return nil, fmt.Errorf("%s: %s is among its recipients already", h.name, abbreviated(name))
			case twice[name]:
				return nil, cli.Usagef("%s: is named twice", abbreviated(name))
			}
			twice[name] = name != ""
			list = append(list, forKey{r, h.fileKey})
		}
		return list, nil
	}, c.RecipientsFile...)
}

// Run runs the verb.
func (c *recipientsRemoveCmd) Run(p *cli.Program) error {
	if len(c.Entry)+len(c.OldIdentity)+len(c.Recipient)+len(c.RecipientsFile) == 0 && !c.Others {
		return cli.Usagef("nobody to remove: say who with --entry, --old-identity, --others, or -r and -R for keys of ssh")
	}
	return c.change(p, true, func(h *openHeader) ([]age.Recipient, error) {
		gone, err := c.choose(p, h)
		if err != nil {
			return nil, err
		}
		var stay entries
		for i, s := range h.entries {
			if !gone[i] {
				stay = append(stay, s)
			}
		}
		switch {
		case len(stay) == len(h.entries):
			return nil, fmt.Errorf("%s: is for nobody else", h.name)
		case !slices.ContainsFunc(stay, func(s *age.Stanza) bool { return !isGrease(s.Type) }):
			return nil, fmt.Errorf("%s: nobody could decrypt it then; add another recipient first", h.name)
		}
		return []age.Recipient{stay}, nil
	}, slices.Concat(c.OldIdentity, c.RecipientsFile)...)
}

// choose returns which entries are to be removed.
func (c *recipientsRemoveCmd) choose(p *cli.Program, h *openHeader) (gone []bool, err error) {
	gone = make([]bool, len(h.entries))
	for _, n := range c.Entry {
		if n < 1 || n > len(h.entries) {
			return nil, cli.Usagef("--entry %d: %s has %d %s (\"cipherlane inspect\" shows them)", n, h.name, len(h.entries), cli.Plural(len(h.entries), "recipient", "recipients"))
		}
		gone[n-1] = true
	}
	// mark marks the entries that match, of which there must be one.
	mark := func(what string, match func(*age.Stanza) (bool, error)) error {
		found := false
		for i, s := range h.entries {
			ok, err := match(s)
			if err != nil {
				return err
			}
			gone[i] = gone[i] || ok
			found = found || ok
		}
		if !found {
			return fmt.Errorf("%s: %s is not among its recipients", h.name, what)
		}
		return nil
	}
	for _, file := range c.OldIdentity {
		list, err := readIdentities(p, []string{file}, c.PassphraseFlags, defaultMaxWork)
		if err != nil {
			return nil, err
		}
		if err := mark("the owner of "+cli.Quote(file), func(s *age.Stanza) (bool, error) { return h.opens(list, s) }); err != nil {
			return nil, err
		}
	}
	list, err := namedRecipients(p, c.Recipient, c.RecipientsFile)
	if err != nil {
		return nil, err
	}
	for _, r := range list {
		name, err := recipientName(r)
		if err != nil {
			return nil, err
		}
		if kind := sshKind(name); kind == "" {
			return nil, cli.Usagef("%s: files do not name recipients of this kind; use --entry, --old-identity or --others", abbreviated(name))
		}
		if err := mark(abbreviated(name), func(s *age.Stanza) (bool, error) { return sshName(s) == name, nil }); err != nil {
			return nil, err
		}
	}
	if c.Others {
		var own []age.Identity
		for _, o := range h.identities {
			own = append(own, o.Identity)
		}
		for i, s := range h.entries {
			mine, err := h.opens(own, s)
			if err != nil {
				return nil, err
			}
			gone[i] = gone[i] || !mine
		}
	}
	return gone, nil
}

// isGrease reports whether stanzas of a type are for nobody: programs add some so that others get
// used to types that they do not know.
func isGrease(kind string) bool { return strings.HasSuffix(kind, "-grease") }
