//go:build !(mips || mipsle || mips64 || mips64le)

package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"strings"

	"filippo.io/age"
	"filippo.io/age/agessh"
	"filippo.io/age/armor"
	"filippo.io/age/plugin"
	"filippo.io/age/tag"
	"golang.org/x/crypto/ssh"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/recipients"
)

// Recipients and identities of age files: how they are written, and read from files.

// maxKeyFile is the size of the longest file of recipients or identities.
const maxKeyFile = 16 << 20

// readKeyFile reads a file of recipients or identities.
func (p *program) readKeyFile(file string) (text []byte, in *inputFile, err error) {
	if in, err = p.open(file); err != nil {
		return nil, nil, err
	}
	if in.File != p.stdin {
		defer in.Close()
	}
	text, err = readWhole(in, maxKeyFile, ", the maximum for a file of keys")
	return text, in, err
}

// abbreviated returns a recipient for a message. Some have 35000 characters.
func abbreviated(s string) string {
	if strings.HasPrefix(s, "AGE-") { // an identity, which is secret
		return "AGE-…"
	}
	if len(s) > 80 {
		s = s[:40] + "…"
	}
	return quote(s)
}

// parseRecipient parses a recipient as people write it.
func (p *program) parseRecipient(s string) (r age.Recipient, err error) {
	if r, err := recipients.ParseRecipient(s); r != nil || err != nil {
		return r, err
	}
	switch {
	case strings.HasPrefix(s, "age1pq1"):
		r, err = age.ParseHybridRecipient(s)
	case strings.HasPrefix(s, "age1tag1"), strings.HasPrefix(s, "age1tagpq1"):
		r, err = tag.ParseRecipient(s)
	case strings.HasPrefix(s, "age1") && strings.Count(s, "1") > 1:
		r, err = plugin.NewRecipient(s, p.pluginUI())
	case strings.HasPrefix(s, "age1"):
		r, err = age.ParseX25519Recipient(s)
	case strings.HasPrefix(s, "ssh-"):
		r, err = agessh.ParseRecipient(s)
	case strings.HasPrefix(s, "AGE-"):
		return nil, errors.New("is an identity, which is secret; \"cipherlane pubkey\" prints its recipient")
	default:
		return nil, errors.New("not a recipient, which begins with age1 or ssh-; --recipients-file reads them from a file")
	}
	if err != nil {
		// age repeats the recipient.
		text := err.Error()
		for _, prefix := range []string{"malformed recipient ", "malformed SSH recipient: "} {
			text = strings.TrimPrefix(text, fmt.Sprintf("%s%q: ", prefix, s))
		}
		return nil, errors.New(text)
	}
	return r, nil
}

// readRecipients reads a file of recipients, one on each line, or with a public key of SM2
// in PEM or DER.
func (p *program) readRecipients(file string) (list []age.Recipient, err error) {
	text, in, err := p.readKeyFile(file)
	if err != nil {
		return nil, err
	}
	defer clear(text) // it may be an identity by mistake
	if kindOfDER(text) != "" || bytes.HasPrefix(bytes.TrimSpace(text), []byte("-----BEGIN ")) {
		key, err := parseSM2Public(text, file)
		if err != nil {
			return nil, err
		}
		return []age.Recipient{recipients.NewSM2Recipient(key)}, nil
	}
	err = eachLine(text, func(line string) error {
		r, err := p.parseRecipient(line)
		list = append(list, r)
		return err
	})
	if err == nil && len(list) == 0 {
		err = errors.New("no recipients in it")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.name, err)
	}
	return list, nil
}

// eachLine calls f with the lines of a file, without empty ones and comments.
func eachLine(text []byte, f func(line string) error) error {
	n := 0
	for line := range bytes.Lines(text) {
		n++
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		if err := f(string(line)); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	return nil
}

// parseIdentity parses an identity as it is written in files. Its errors do not repeat it.
func (p *program) parseIdentity(s string) (age.Identity, error) {
	if i, err := recipients.ParseIdentity(s); i != nil || err != nil {
		return i, err
	}
	switch {
	case strings.HasPrefix(s, "AGE-SECRET-KEY-1"):
		return age.ParseX25519Identity(s)
	case strings.HasPrefix(s, "AGE-SECRET-KEY-PQ-1"):
		return age.ParseHybridIdentity(s)
	case strings.HasPrefix(s, "AGE-PLUGIN-"):
		return plugin.NewIdentity(s, p.pluginUI())
	case strings.HasPrefix(s, "age1"), strings.HasPrefix(s, "ssh-"):
		return nil, errors.New("is a recipient (a public key), want an identity")
	default:
		return nil, errors.New("not an identity, which begins with AGE-")
	}
}

// readIdentities reads files of identities. Passphrases of those that are locked are asked
// for when they are needed.
func (p *program) readIdentities(files []string, passphraseFile string, maxWork int) (list []age.Identity, err error) {
	for _, file := range files {
		more, err := p.readIdentityFile(file, passphraseFile, maxWork)
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
	}
	return list, nil
}

func (p *program) readIdentityFile(file, passphraseFile string, maxWork int) (list []age.Identity, err error) {
	text, in, err := p.readKeyFile(file)
	if err != nil {
		return nil, err
	}
	if is, _ := isAge(bufio.NewReader(bytes.NewReader(text))); is {
		ask := &askingIdentity{p: p, file: passphraseFile, name: in.name, maxWork: maxWork}
		return []age.Identity{&lockedIdentities{ask, text, nil}}, nil
	}
	defer clear(text)
	defer func() {
		if err == nil {
			p.warnOpen(in.name, in.info, "identity")
		}
	}()
	switch {
	case hasPEM(text, "OPENSSH PRIVATE KEY"), hasPEM(text, "RSA PRIVATE KEY"):
		i, err := p.sshIdentity(text, in.name, passphraseFile)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", in.name, err)
		}
		return []age.Identity{i}, nil
	case kindOfDER(text) != "", bytes.HasPrefix(bytes.TrimSpace(text), []byte("-----BEGIN ")):
		key, err := (&privateFlags{Key: file, PassphraseFile: passphraseFile}).parse(p, text)
		if err != nil {
			return nil, err
		}
		return []age.Identity{recipients.NewSM2Identity(key)}, nil
	}
	if list, err = p.parseIdentities(text); err != nil {
		return nil, fmt.Errorf("%s: %w", in.name, err)
	}
	return list, nil
}

func (p *program) parseIdentities(text []byte) (list []age.Identity, err error) {
	err = eachLine(text, func(line string) error {
		i, err := p.parseIdentity(line)
		list = append(list, i)
		return err
	})
	if err == nil && len(list) == 0 {
		err = errors.New("no identities in it")
	}
	return list, err
}

// sshIdentity parses a private key of OpenSSH, which may be locked by a passphrase.
func (p *program) sshIdentity(text []byte, name, passphraseFile string) (age.Identity, error) {
	i, err := agessh.ParseIdentity(text)
	missing := new(ssh.PassphraseMissingError)
	if !errors.As(err, &missing) {
		return i, err
	}
	if missing.PublicKey == nil {
		return nil, errors.New("is locked, in an old format; \"ssh-keygen -p -m RFC4716\" converts it")
	}
	return agessh.NewEncryptedSSHIdentity(missing.PublicKey, bytes.Clone(text), func() ([]byte, error) {
		return p.passphrase(passphraseFile, name)
	})
}

// pluginUI lets plugins ask the user.
func (p *program) pluginUI() *plugin.ClientUI { return plugin.NewTerminalUI(p.warn, p.warn) }

// askingIdentity decrypts files that are encrypted with a passphrase. It asks for it only
// if a file is.
type askingIdentity struct {
	p       *program
	file    string // that contains the passphrase
	name    string // of the encrypted file
	maxWork int
}

func (i *askingIdentity) Unwrap(stanzas []*age.Stanza) ([]byte, error) {
	if len(stanzas) != 1 || stanzas[0].Type != "scrypt" {
		for _, s := range stanzas {
			if s.Type == "scrypt" {
				return nil, fmt.Errorf("%s: not a valid age file: a passphrase and other recipients", i.name)
			}
		}
		return nil, age.ErrIncorrectIdentity
	}
	passphrase, err := i.p.passphrase(i.file, i.name)
	if err != nil {
		return nil, err
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
		return nil, fmt.Errorf("%s: wrong passphrase", i.name)
	case err != nil && strings.HasPrefix(err.Error(), "scrypt work factor too large"):
		return nil, fmt.Errorf("%s: its passphrase takes more work (2^%s) than --max-work allows (2^%d)", i.name, stanzas[0].Args[1], i.maxWork)
	case err != nil:
		return nil, fmt.Errorf("%s: not a valid age file: %w", i.name, err)
	}
	return fileKey, nil
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
			return nil, fmt.Errorf("%s: is encrypted for recipients, not with a passphrase", l.ask.name)
		}
		return nil, errors.New(ageError(l.ask.name, err).Error()) // of another kind than one of the message
	}
	defer clear(text)
	if l.list, err = l.ask.p.parseIdentities(text); err != nil {
		return nil, fmt.Errorf("%s: %w", l.ask.name, err)
	}
	return l.list, nil
}

// decryptSmall decrypts an age file in memory.
func decryptSmall(file []byte, identity age.Identity) ([]byte, error) {
	r := bufio.NewReader(bytes.NewReader(file))
	if _, armored := isAge(r); armored {
		r = bufio.NewReader(armor.NewReader(r))
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
