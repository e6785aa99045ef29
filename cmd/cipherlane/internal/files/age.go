//go:build !(mips || mipsle || mips64 || mips64le)

package files

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/cipher"
	"errors"
	"fmt"
	"io"
	"strings"

	"filippo.io/age"
	"filippo.io/age/armor"
	"filippo.io/age/plugin"
	"github.com/cipherlane/cipherlane/chacha20poly1305"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/payload"
)

// Files in the format of age. filippo.io/age makes and reads the headers, and package
// payload what follows them.

// The longest header that filippo.io/age reads.
const (
	maxAgeHeader  = 2 << 20 // bytes
	maxAgeStanzas = 1024
)

const ageIntro = "age-encryption.org/"

// payloadCipher returns ChaCha20-Poly1305 with the driver of the command line.
func (c *streamFlags) payloadCipher(key []byte) (cipher.AEAD, error) {
	if c.Driver == "" {
		return chacha20poly1305.New(key)
	}
	d, err := chacha20poly1305.On(c.Driver)
	if err != nil {
		return nil, err
	}
	return d.New(key)
}

// encryptAge encrypts for recipients or with a passphrase.
func (c *EncryptCmd) encryptAge(p *cli.Program) error {
	if !c.Armor {
		if err := c.RefuseTerminal(p); err != nil {
			return err
		}
	}
	if err := onlyInput(c.Input, append(c.RecipientsFile, c.PassphrasePath())...); err != nil {
		return err
	}
	for _, path := range append([]string{c.Input, c.PassphrasePath()}, c.RecipientsFile...) {
		if !cli.IsStdin(path) {
			p.Reads(path)
		}
	}
	if _, err := p.Check(c.Force, cli.Target{Path: c.Output}); err != nil { // before asking for a passphrase
		return err
	}
	list, err := namedRecipients(p, c.Recipient, c.RecipientsFile)
	if err != nil {
		return err
	}
	if c.Passphrase {
		passphrase, err := p.NewPassphrase(c.PassphraseFlags, cmp.Or(c.Output, "the file"))
		if err != nil {
			return err
		}
		defer clear(passphrase)
		r, err := age.NewScryptRecipient(string(passphrase))
		if err != nil {
			return err
		}
		list = append(list, r)
	}
	header, key, err := newAgeHeader(list, c.Mixed)
	if err != nil {
		return err
	}
	aead, err := c.payloadCipher(key)
	clear(key)
	if err != nil {
		return err
	}
	return c.Transfer(p, "encrypting", func(in *cli.InputFile, out *cli.Output) error {
		return writeAge(out, c.Armor, func(w io.Writer) error {
			if _, err := w.Write(header); err != nil {
				return err
			}
			return payload.Encrypt(w, in, aead, c.jobs(in))
		})
	})
}

// namedRecipients returns the recipients of the options -r and -R.
func namedRecipients(p *cli.Program, names, files []string) (list []age.Recipient, err error) {
	for _, s := range names {
		r, err := parseRecipient(p, s)
		if errors.Is(err, errNotRecipient) {
			err = fmt.Errorf("%w; -R FILE reads them from a file", err)
		}
		if err != nil {
			return nil, cli.Usagef("--recipient %s: %w", abbreviated(s), err)
		}
		list = append(list, r)
	}
	for _, file := range files {
		more, err := readRecipients(p, file)
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
	}
	return list, nil
}

// writeAge calls write with a writer to a file, armored or not.
func writeAge(out io.Writer, armored bool, write func(w io.Writer) error) error {
	if !armored {
		return write(out)
	}
	buffered := bufio.NewWriterSize(out, 64<<10) // armor writes lines
	text := armor.NewWriter(buffered)
	err := write(text)
	if err == nil {
		err = text.Close()
	}
	if err == nil {
		err = buffered.Flush()
	}
	return err
}

// newAgeHeader returns the header of a new file, with the nonce after it, and the key of
// the payload.
func newAgeHeader(list []age.Recipient, mixed bool) (header, key []byte, err error) {
	first := &keeping{Recipient: list[0]}
	defer func() { clear(first.fileKey) }()
	b, err := ageHeader(append([]age.Recipient{first}, list[1:]...), mixed)
	if err != nil {
		return nil, nil, err
	}
	return b, payload.Key(first.fileKey, b[len(b)-payload.NonceSize:]), nil
}

// ageHeader returns a header for recipients, with a nonce after it. age chooses the file key.
func ageHeader(list []age.Recipient, mixed bool) ([]byte, error) {
	if mixed {
		for i, r := range list {
			list[i] = withoutLabels{r}
		}
	}
	var b bytes.Buffer
	// Only the header is wanted. The writer for the payload is not used.
	_, err := age.Encrypt(&b, list...)
	if e := new(plugin.NotFoundError); errors.As(err, &e) {
		return nil, fmt.Errorf("the program age-plugin-%s, which knows this kind of recipients, is not installed", e.Name)
	}
	if err != nil {
		if strings.HasPrefix(err.Error(), "incompatible recipients") {
			err = fmt.Errorf("%w; --mixed allows it", err)
		}
		return nil, err
	}
	if n := bytes.Count(b.Bytes(), []byte("\n-> ")); n > maxAgeStanzas {
		return nil, fmt.Errorf("too many recipients: %d, and age reads at most %d", n, maxAgeStanzas)
	}
	if size := b.Len() - payload.NonceSize; size > maxAgeHeader {
		return nil, fmt.Errorf("too many recipients: their part of the file would have %d bytes, and age reads at most %d", size, maxAgeHeader)
	}
	return b.Bytes(), nil
}

// keeping is a recipient that keeps the file key, which age chooses.
type keeping struct {
	age.Recipient
	fileKey []byte
}

func (k *keeping) WrapWithLabels(fileKey []byte) ([]*age.Stanza, []string, error) {
	k.fileKey = bytes.Clone(fileKey)
	return wrapWithLabels(k.Recipient, fileKey)
}

// wrapWithLabels encrypts a file key for a recipient with labels or without.
func wrapWithLabels(r age.Recipient, fileKey []byte) ([]*age.Stanza, []string, error) {
	if r, ok := r.(age.RecipientWithLabels); ok {
		return r.WrapWithLabels(fileKey)
	}
	s, err := r.Wrap(fileKey)
	return s, nil, err
}

// withoutLabels is a recipient that age mixes with any other.
type withoutLabels struct{ recipient age.Recipient }

func (r withoutLabels) Wrap(fileKey []byte) ([]*age.Stanza, error) {
	s, _, err := wrapWithLabels(r.recipient, fileKey)
	return s, err
}

// isAge reports whether an input is in the format of age, and whether it is armored.
func isAge(r *bufio.Reader) (is, armored bool) {
	head, _ := r.Peek(len(ageIntro))
	if string(head) == ageIntro || converted(peek(r, 64)) {
		return true, false
	}
	if len(head) == 0 || !strings.Contains(" \t\r\n-", string(head[:1])) {
		return false, false
	}
	head, _ = r.Peek(1024 + len(armor.Header)) // armor may follow as much white space
	armored = bytes.HasPrefix(bytes.TrimSpace(head), []byte(armor.Header))
	return armored, armored
}

// readAgeHeader reads the header of a file, and returns it and a reader for the rest.
func readAgeHeader(name string, r *bufio.Reader, armored bool) (rest *bufio.Reader, header []byte, err error) {
	if armored {
		r = bufio.NewReaderSize(newArmorReader(r), 64<<10)
	} else if converted(peek(r, 64)) {
		return nil, nil, fmt.Errorf("%s: damaged: %w", name, errConverted)
	}
	header, err = age.ExtractHeader(r)
	return r, header, ageError(name, err)
}

// unwrapHeader decrypts the file key in a header.
func unwrapHeader(name string, header []byte, list []age.Identity) ([]byte, error) {
	fileKey, err := age.DecryptHeader(header, list...)
	if e := new(age.NoIdentityMatchError); errors.As(err, &e) {
		if _, ok := list[0].(*askingIdentity); ok {
			return nil, cli.Usagef("%s: is encrypted for recipients (%s); name an identity with -i FILE", name, kindsOf(e.StanzaTypes))
		}
		return nil, fmt.Errorf("%s: none of the identities can decrypt it (it is for %s)", name, kindsOf(e.StanzaTypes))
	}
	if e := new(plugin.NotFoundError); errors.As(err, &e) {
		return nil, fmt.Errorf("the program age-plugin-%s, which knows this kind of identities, is not installed", e.Name)
	}
	return fileKey, ageError(name, err)
}

// decryptAge reads the header of a file, and returns what decrypts the rest.
func (c *DecryptCmd) decryptAge(p *cli.Program, name string, r *bufio.Reader, armored bool) (func(in *cli.InputFile, out *cli.Output) error, error) {
	r, header, err := readAgeHeader(name, r, armored)
	if err != nil {
		return nil, err
	}
	list, err := readIdentities(p, c.Identity, c.PassphraseFlags, c.MaxWork)
	if err != nil {
		return nil, err
	}
	ask := &askingIdentity{p: p, from: c.PassphraseFlags, name: name, maxWork: c.MaxWork}
	fileKey, err := unwrapHeader(name, header, append(list, ask))
	defer clear(fileKey)
	if err != nil {
		return nil, err
	}
	nonce := make([]byte, payload.NonceSize)
	if _, err := io.ReadFull(r, nonce); err != nil {
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			err = payload.ErrTruncated
		}
		return nil, ageError(name, err)
	}
	key := payload.Key(fileKey, nonce)
	aead, err := c.payloadCipher(key)
	clear(key)
	if err != nil {
		return nil, err
	}
	buffered := min(r.Buffered(), beginningSize)
	head := bytes.Clone(append(nonce, peek(r, buffered)...))
	return func(in *cli.InputFile, out *cli.Output) error {
		err := payload.Decrypt(out, stoppableReader{r, in}, aead, c.jobs(in))
		return ageError(name, damage(err, head))
	}, nil
}

// A stoppableReader reads from a file through others.
type stoppableReader struct {
	io.Reader
	in *cli.InputFile
}

// Stop implements [payload.Stopper].
func (r stoppableReader) Stop() { r.in.Stop() }

// kindsOf lists the kinds of stanzas in a header.
func kindsOf(types []string) string {
	var list []string
	count := map[string]int{}
	for _, t := range types {
		if count[t]++; count[t] == 1 {
			list = append(list, t)
		}
	}
	if len(list) > 5 {
		list = append(list[:5], "…")
	}
	for i, t := range list {
		list[i] = cli.Quote(t)
		if count[t] > 1 {
			list[i] = fmt.Sprintf("%d × %s", count[t], cli.Quote(t))
		}
	}
	return strings.Join(list, ", ")
}
