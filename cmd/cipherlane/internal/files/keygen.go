package files

import (
	"crypto/rand"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/keys"
)

// KeygenCmd is the verb keygen.
type KeygenCmd struct {
	Output  string `short:"o" placeholder:"FILE" help:"Write to this file instead of standard output, readable only by you (mode 0600)."`
	Force   bool   `short:"f" help:"Replace an existing file. Data encrypted with the old key is lost."`
	Size    int    `default:"16" enum:"16,32" help:"Size of a key file in bytes: 16 for SM4 and AES-128, 32 for AES-256. Default: ${default}."`
	Type    string `short:"t" placeholder:"KIND" help:"Generate an identity instead of a key file: one of ${identities}."`
	Public  string `placeholder:"FILE" help:"With --type: write the recipient (public key) to this file."`
	Encrypt bool   `short:"e" help:"With --type: lock the identity with a passphrase."`
	cli.PassphraseFlags
}

// Help returns the description of the verb, with examples.
func (KeygenCmd) Help() string {
	return `Without --type, the key is random and written as one line of hex digits. Other verbs
read it with --key-file. They also accept files of raw bytes, as made by "head -c 16
/dev/urandom", but a file of hex digits is always decoded. Keep a copy in a safe place:
without the key nobody can decrypt.

An identity is a private key for files that others encrypt for you, and its recipient is
what you give to them; "cipherlane pubkey" prints it. The kinds are

    x25519         what age uses most; a quantum computer could break it
    pq             ML-KEM-768 with X25519, against quantum computers; needs age 1.3 or later
    sm2            SM2; other programs need the plugin age-plugin-sm2
    frodokem-976   FrodoKEM with X25519, the most careful choice against quantum computers,
    frodokem-1344  but recipients have 25 or 35 kB, and add 21 or 29 kB to a file; other
                   programs need the plugin age-plugin-frodokem

"cipherlane --help" describes the plugins.

Examples:

    cipherlane keygen -o backup.key
    cipherlane encrypt --key-file backup.key -o photos.tar.enc photos.tar
    cipherlane keygen -t pq -o my.id --public my.recipient
    cipherlane encrypt -R my.recipient -o photos.tar.age photos.tar`
}

// Run runs the verb.
func (c *KeygenCmd) Run(p *cli.Program) error {
	if c.Type != "" {
		if c.Size != 16 {
			return cli.Usagef("--size: only makes sense without --type")
		}
		return c.identity(p)
	}
	if c.Public != "" || c.Encrypt || c.HasPassphrase() {
		return cli.Usagef("--public, --encrypt, --passphrase-file and --passphrase-fd: only make sense with --type")
	}
	key := make([]byte, c.Size)
	rand.Read(key) // never fails
	line := append(keys.EncodeHex(key), '\n')
	clear(key)
	return p.WriteBoth(c.Force, cli.Part{File: c.Output, Mode: 0o600, Text: line})
}

// PubkeyCmd is the verb pubkey.
type PubkeyCmd struct {
	Input  []string `arg:"" optional:"" name:"file" help:"Files of identities; default: standard input."`
	Output string   `short:"o" placeholder:"FILE" help:"Write to this file; default: standard output."`
	Force  bool     `short:"f" help:"Replace an existing file."`
	cli.PassphraseFlags
}

// Help returns the description of the verb, with examples.
func (PubkeyCmd) Help() string {
	return `Prints the recipient of each identity in the files, one on each line: give it to people
who want to encrypt files for you. For keys of the verbs sm2 and kem, use "cipherlane
sm2 pubkey" and "cipherlane kem pubkey".

Examples:

    cipherlane keygen -t pq -o my.id
    cipherlane pubkey my.id
    cipherlane pubkey -o my.recipient my.id`
}
