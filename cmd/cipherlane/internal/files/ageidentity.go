//go:build !(mips || mipsle || mips64 || mips64le)

package files

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"filippo.io/age"
	"filippo.io/age/armor"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/inventory"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/recipients"
	"github.com/cipherlane/cipherlane/frodokem"
	"github.com/cipherlane/cipherlane/sm2"
)

// An identityKind is a kind of identities that keygen makes.
type identityKind struct {
	name     string
	generate func() (identity, recipient fmt.Stringer, err error)
}

var identityKinds = []identityKind{
	{"x25519", func() (identity, recipient fmt.Stringer, err error) {
		i, err := age.GenerateX25519Identity()
		if err != nil {
			return nil, nil, err
		}
		return i, i.Recipient(), nil
	}},
	{"pq", func() (identity, recipient fmt.Stringer, err error) {
		i, err := age.GenerateHybridIdentity()
		if err != nil {
			return nil, nil, err
		}
		return i, i.Recipient(), nil
	}},
	{"sm2", func() (identity, recipient fmt.Stringer, err error) {
		key, err := sm2.GenerateKey()
		if err != nil {
			return nil, nil, err
		}
		i := recipients.NewSM2Identity(key)
		return i, i.Recipient().(fmt.Stringer), nil
	}},
	{"frodokem-976", frodoKEMIdentity(frodokem.FrodoKEM976AES)},
	{"frodokem-1344", frodoKEMIdentity(frodokem.FrodoKEM1344AES)},
}

func frodoKEMIdentity(set frodokem.Set) func() (identity, recipient fmt.Stringer, err error) {
	return func() (identity, recipient fmt.Stringer, err error) {
		i, err := recipients.GenerateFrodoKEM(set)
		if err != nil {
			return nil, nil, err
		}
		return i, i.Recipient().(fmt.Stringer), nil
	}
}

// IdentityNames returns the names of the kinds of identities.
func IdentityNames() string {
	var names []string
	for _, k := range identityKinds {
		names = append(names, k.name)
	}
	return strings.Join(names, ", ")
}

// identity generates an identity.
func (c *KeygenCmd) identity(p *cli.Program) error {
	if err := inventory.RefuseFIPS(); err != nil {
		return err
	}
	if c.HasPassphrase() && !c.Encrypt {
		return cli.Usagef("--passphrase-file and --passphrase-fd: only make sense with --encrypt")
	}
	p.Reads(c.PassphraseFile)
	if err := p.CheckPair(c.Force, c.Output, c.Public); err != nil { // before asking for a passphrase
		return err
	}
	at := slices.IndexFunc(identityKinds, func(k identityKind) bool { return k.name == c.Type })
	if at < 0 {
		return cli.Usagef("--type %s: no such kind (known: %s)", cli.Quote(c.Type), IdentityNames())
	}
	identity, recipient, err := identityKinds[at].generate()
	if err != nil {
		return err
	}
	text := fmt.Appendf(nil, "# created: %s\n", time.Now().Format(time.RFC3339))
	if public := recipient.String(); len(public) < 4096 {
		text = fmt.Appendf(text, "# public key: %s\n", public)
	} else {
		text = fmt.Appendf(text, "# %s; \"cipherlane pubkey\" prints the public key\n", c.Type)
	}
	text = fmt.Appendf(text, "%s\n", identity)
	defer clear(text)
	if c.Encrypt {
		locked, err := c.lock(p, text)
		if err != nil {
			return err
		}
		text = locked
	}
	parts := []cli.Part{{File: c.Output, Mode: 0o600, Text: text}}
	if c.Public != "" {
		parts = append(parts, cli.Part{File: c.Public, Mode: 0o666, Text: []byte(recipient.String() + "\n")})
	}
	return p.WriteBoth(c.Force, parts...)
}

// lock encrypts the text of an identity file with a passphrase, as "age -p -a" does.
func (c *KeygenCmd) lock(p *cli.Program, text []byte) ([]byte, error) {
	passphrase, err := p.NewPassphrase(c.PassphraseFlags, c.Output)
	if err != nil {
		return nil, err
	}
	defer clear(passphrase)
	r, err := age.NewScryptRecipient(string(passphrase))
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	outer := armor.NewWriter(&b)
	inner, err := age.Encrypt(outer, r)
	if err != nil {
		return nil, err
	}
	_, err = inner.Write(text)
	err = errors.Join(err, inner.Close(), outer.Close())
	return b.Bytes(), err
}

// Run runs the verb.
func (c *PubkeyCmd) Run(p *cli.Program) error {
	if err := inventory.RefuseFIPS(); err != nil {
		return err
	}
	files := c.Input
	if len(files) == 0 {
		files = []string{"-"}
	}
	for _, path := range append(files, c.PassphrasePath()) {
		if !cli.IsStdin(path) {
			p.Reads(path)
		}
	}
	if _, err := p.Check(c.Force, cli.Target{Path: c.Output}); err != nil {
		return err
	}
	list, err := readIdentities(p, files, c.PassphraseFlags, defaultMaxWork)
	if err != nil {
		return err
	}
	var text []byte
	for _, i := range list {
		all := []age.Identity{i}
		if locked, ok := i.(unlocker); ok {
			if all, err = locked.unlock(); err != nil {
				return err
			}
		}
		for _, i := range all {
			r, err := recipientOf(i)
			if err != nil {
				return err
			}
			text = fmt.Appendf(text, "%s\n", r)
		}
	}
	return p.WriteBoth(c.Force, cli.Part{File: c.Output, Mode: 0o666, Text: text})
}

// recipientOf returns the recipient of an identity.
func recipientOf(i age.Identity) (fmt.Stringer, error) {
	switch i := i.(type) {
	case *age.X25519Identity:
		return i.Recipient(), nil
	case *age.HybridIdentity:
		return i.Recipient(), nil
	case *recipients.FrodoKEMKeyIdentity:
		return i.Recipient(), nil
	case recipients.Identity:
		return i.Recipient().(fmt.Stringer), nil
	}
	return nil, errors.New("the public key of this kind of identity is not known here; for ssh, it is in the file that ends in .pub")
}
