//go:build !(mips || mipsle || mips64 || mips64le)

package files

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"strings"

	"filippo.io/age"
	"filippo.io/age/plugin"
	"filippo.io/age/tag"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/keys"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/recipients"
)

// Recipients and identities of age files: how they are written, and read from files.

// maxKeyFile is the size of the longest file of recipients or identities.
const maxKeyFile = 16 << 20

// readKeyFile reads a file of recipients or identities.
func readKeyFile(p *cli.Program, file string) (text []byte, in *cli.InputFile, err error) {
	if in, err = p.Open(file); err != nil {
		return nil, nil, err
	}
	if in.File != p.Stdin {
		defer in.Close()
	}
	if text, err = keys.ReadWhole(in, maxKeyFile, ", the maximum for a file of keys"); err != nil {
		return nil, in, err
	}
	return cli.TakeText(text), in, nil
}

// abbreviated returns a recipient for a message. Some have 35000 characters.
func abbreviated(s string) string {
	if strings.HasPrefix(s, "AGE-") { // an identity, which is secret
		return "AGE-…"
	}
	if len(s) > 80 {
		s = s[:40] + "…"
	}
	return cli.Quote(s)
}

// errMistyped is about a recipient or an identity in Bech32, which has a checksum.
var errMistyped = errors.New("is mistyped or cut short: its checksum does not match")

var errNotRecipient = errors.New("not a recipient, which begins with age1 or ssh-")

// parseRecipient parses a recipient as people write it.
func parseRecipient(p *cli.Program, s string) (r age.Recipient, err error) {
	if r, err := recipients.ParseRecipient(s); r != nil || err != nil {
		if err != nil && strings.HasPrefix(err.Error(), "invalid recipient encoding") {
			err = errMistyped
		}
		return r, err
	}
	switch {
	case strings.HasPrefix(s, "age1pq1"):
		r, err = age.ParseHybridRecipient(s)
	case strings.HasPrefix(s, "age1tag1"), strings.HasPrefix(s, "age1tagpq1"):
		r, err = tag.ParseRecipient(s)
	case strings.HasPrefix(s, "age1") && strings.Count(s, "1") > 1:
		r, err = plugin.NewRecipient(s, pluginUI(p))
	case strings.HasPrefix(s, "age1"):
		r, err = age.ParseX25519Recipient(s)
	case strings.HasPrefix(s, "AGE-"):
		return nil, errors.New("is an identity, which is secret; \"cipherlane pubkey\" prints its recipient")
	default:
		r, err, isSSH := parseSSHRecipient(s)
		if !isSSH {
			err = errNotRecipient
		}
		return r, err
	}
	if err != nil {
		return nil, errMistyped
	}
	return r, nil
}

// readRecipients reads a file of recipients, one on each line, or with a public key of SM2 or
// FrodoKEM in PEM or DER. As age does, it skips keys of ssh that cannot be recipients: lists of
// somebody's keys often have one.
func readRecipients(p *cli.Program, file string) (list []age.Recipient, err error) {
	text, in, err := readKeyFile(p, file)
	if err != nil {
		return nil, err
	}
	defer clear(text) // it may be an identity by mistake
	if keys.KindOfDER(text) != "" || bytes.HasPrefix(bytes.TrimSpace(text), []byte("-----BEGIN ")) {
		if key, err := keys.ParseFrodoKEMPublic(text, file); key != nil || err != nil {
			if err != nil {
				return nil, err
			}
			r, err := recipients.NewFrodoKEMKeyRecipient(key)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", in.DisplayName, err)
			}
			return []age.Recipient{r}, nil
		}
		key, err := keys.ParseSM2Public("", text, file)
		if err != nil {
			return nil, err
		}
		return []age.Recipient{recipients.NewSM2Recipient(key)}, nil
	}
	skipped := 0
	err = eachLine(text, func(number int, line string) error {
		r, err := parseRecipient(p, line)
		if e := new(unsupportedKey); errors.As(err, e) {
			p.Warn("%s: line %d: warning: skipped: %v", in.DisplayName, number, err)
			skipped++
			return nil
		}
		list = append(list, r)
		return err
	})
	if err == nil && len(list) == 0 {
		err = errors.New("no recipients in it")
		if skipped > 0 {
			err = errors.New("no recipients in it that could be used")
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.DisplayName, err)
	}
	return list, nil
}

// eachLine calls f with the lines of a file, without empty ones and comments.
func eachLine(text []byte, f func(number int, line string) error) error {
	n := 0
	for line := range bytes.Lines(text) {
		n++
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		if err := f(n, string(line)); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	return nil
}

// parseIdentity parses an identity as it is written in files. Its errors do not repeat it.
func parseIdentity(p *cli.Program, s string) (age.Identity, error) {
	if i, err := recipients.ParseIdentity(s); i != nil || err != nil {
		if err != nil && strings.HasPrefix(err.Error(), "invalid identity encoding") {
			err = errMistyped
		}
		return i, err
	}
	var i age.Identity
	var err error
	switch {
	case strings.HasPrefix(s, "AGE-SECRET-KEY-1"):
		i, err = age.ParseX25519Identity(s)
	case strings.HasPrefix(s, "AGE-SECRET-KEY-PQ-1"):
		i, err = age.ParseHybridIdentity(s)
	case strings.HasPrefix(s, "AGE-PLUGIN-"):
		i, err = plugin.NewIdentity(s, pluginUI(p))
	case strings.HasPrefix(s, "age1"), sshKind(s) != "":
		return nil, errors.New("is a recipient (a public key), want an identity")
	default:
		return nil, errors.New("not an identity, which begins with AGE-")
	}
	if err != nil {
		return nil, errMistyped
	}
	return i, nil
}

// readIdentities reads files of identities. Passphrases of those that are locked are asked
// for when they are needed.
func readIdentities(p *cli.Program, files []string, from cli.PassphraseFlags, maxWork int) (list []age.Identity, err error) {
	for _, file := range files {
		more, err := readIdentityFile(p, file, from, maxWork)
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
	}
	return list, nil
}

func readIdentityFile(p *cli.Program, file string, from cli.PassphraseFlags, maxWork int) (list []age.Identity, err error) {
	text, in, err := readKeyFile(p, file)
	if err != nil {
		return nil, err
	}
	if is, _ := isAge(bufio.NewReader(bytes.NewReader(text))); is {
		ask := &askingIdentity{p: p, from: from, name: in.DisplayName, maxWork: maxWork}
		return []age.Identity{&lockedIdentities{ask, text, nil}}, nil
	}
	defer clear(text)
	defer func() {
		if err == nil {
			p.WarnOpen(in.DisplayName, in.Info, "identity")
		}
	}()
	i, err := pemIdentity(p, text, file, in.DisplayName, from)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", in.DisplayName, err)
	case i != nil:
		return []age.Identity{i}, nil
	case keys.KindOfDER(text) != "", bytes.HasPrefix(bytes.TrimSpace(text), []byte("-----BEGIN ")):
		key, err := (&keys.PrivateFlags{Key: file, PassphraseFlags: from}).Parse(p, text)
		if err != nil {
			return nil, err
		}
		return []age.Identity{recipients.NewSM2Identity(key)}, nil
	}
	if list, err = parseIdentities(p, text); err != nil {
		return nil, fmt.Errorf("%s: %w", in.DisplayName, err)
	}
	return list, nil
}

func parseIdentities(p *cli.Program, text []byte) (list []age.Identity, err error) {
	err = eachLine(text, func(_ int, line string) error {
		i, err := parseIdentity(p, line)
		list = append(list, i)
		return err
	})
	if err == nil && len(list) == 0 {
		err = errors.New("no identities in it")
	}
	return list, err
}

// pluginUI lets plugins ask the user.
func pluginUI(p *cli.Program) *plugin.ClientUI { return plugin.NewTerminalUI(p.Warn, p.Warn) }

// askingIdentity decrypts files that are encrypted with a passphrase. It asks for it only
// if a file is.
type askingIdentity struct {
	p       *cli.Program
	from    cli.PassphraseFlags
	name    string // of the encrypted file
	maxWork int
}

func (i *askingIdentity) Unwrap(stanzas []*age.Stanza) ([]byte, error) {
	if len(stanzas) != 1 || stanzas[0].Type != "scrypt" {
		for _, s := range stanzas {
			if s.Type == "scrypt" {
				return nil, errors.New("not a valid age file: a passphrase and other recipients")
			}
		}
		return nil, age.ErrIncorrectIdentity
	}
	passphrase, err := i.p.Passphrase(i.from, i.name)
	if err != nil {
		return nil, cli.AsNamed(err)
	}
	defer clear(passphrase)
	scrypt, err := age.NewScryptIdentity(string(passphrase))
	if err != nil {
		return nil, err
	}
	scrypt.SetMaxWorkFactor(i.maxWork)
	fileKey, err := scrypt.Unwrap(stanzas)
	switch {
	case errors.Is(err, age.ErrIncorrectIdentity):
		return nil, errors.New("wrong passphrase")
	case err != nil && strings.HasPrefix(err.Error(), "scrypt work factor too large"):
		return nil, fmt.Errorf("its passphrase takes more work (2^%.10s) than --max-work allows (2^%d)", stanzas[0].Args[1], i.maxWork)
	case err != nil:
		return nil, fmt.Errorf("not a valid age file: %w", err)
	}
	return fileKey, nil
}

// An unlocker is an identity, or several, that may need a passphrase. It is asked for once.
type unlocker interface {
	unlock() ([]age.Identity, error)
}

// lockedIdentities are identities in a file that is encrypted with a passphrase.
type lockedIdentities struct {
	ask  *askingIdentity
	file []byte
	list []age.Identity
}

func (l *lockedIdentities) Unwrap(stanzas []*age.Stanza) ([]byte, error) {
	if len(stanzas) == 1 && stanzas[0].Type == "scrypt" {
		return nil, age.ErrIncorrectIdentity // not for any identity
	}
	list, err := l.unlock()
	if err != nil {
		return nil, err
	}
	for _, i := range list {
		fileKey, err := i.Unwrap(stanzas)
		if !errors.Is(err, age.ErrIncorrectIdentity) {
			return fileKey, err
		}
	}
	return nil, age.ErrIncorrectIdentity
}

// unlock decrypts the file, once.
func (l *lockedIdentities) unlock() ([]age.Identity, error) {
	if l.list != nil {
		return l.list, nil
	}
	text, err := decryptSmall(l.file, l.ask)
	if err != nil {
		if e := new(age.NoIdentityMatchError); errors.As(err, &e) {
			return nil, cli.AsNamed(fmt.Errorf("%s: is encrypted for recipients, not with a passphrase", l.ask.name))
		}
		return nil, cli.AsNamed(ageError(l.ask.name, err))
	}
	text = cli.TakeText(text)
	defer clear(text)
	if l.list, err = parseIdentities(l.ask.p, text); err != nil {
		return nil, cli.AsNamed(fmt.Errorf("%s: %w", l.ask.name, err))
	}
	return l.list, nil
}

// decryptSmall decrypts an age file in memory.
func decryptSmall(file []byte, identity age.Identity) ([]byte, error) {
	r := bufio.NewReader(bytes.NewReader(file))
	if _, armored := isAge(r); armored {
		r = bufio.NewReader(newArmorReader(r))
	}
	plain, err := age.Decrypt(r, identity)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	text.Grow(len(file))
	_, err = text.ReadFrom(plain)
	return text.Bytes(), err
}
