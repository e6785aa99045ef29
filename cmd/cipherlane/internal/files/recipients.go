package files

import "github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"

// RecipientsCmd is the verb recipients.
type RecipientsCmd struct {
	Add    recipientsAddCmd    `cmd:"" help:"Add people who can decrypt a file."`
	Remove recipientsRemoveCmd `cmd:"" help:"Remove people from those who can decrypt a file."`
}

// Help returns the description of the verb, with examples.
func (RecipientsCmd) Help() string {
	return `Changes for whom a file in age's format is encrypted. Only its header is made anew; the
data stays encrypted as it is, with the same key. That takes an identity that can decrypt
the file.

The file is replaced when its new version is complete, which keeps the permissions; after
an error, it is as it was. The data is copied without a check: "cipherlane decrypt" finds
damage. Other names of the file (hard links) keep the old version.

Removing somebody takes nothing away from those who could decrypt the file before. Who has
kept the old version, or only the key in its header, can still decrypt it, and the new
version, too. For data that they must not see, encrypt it again.

Examples: Bob joins a team, and leaves it. Then the owner of my.id replaces it.

    cipherlane recipients add -i my.id -R bob.recipient photos.tar.age
    cipherlane inspect photos.tar.age
    cipherlane recipients remove -i my.id --entry 2 photos.tar.age
    cipherlane keygen -t pq -o new.id --public new.recipient
    cipherlane recipients add -i my.id -R new.recipient photos.tar.age
    cipherlane recipients remove -i new.id --old-identity my.id photos.tar.age`
}

// changeFlags are the flags of verbs that change the recipients of a file.
type changeFlags struct {
	Input    string   `arg:"" name:"file" help:"File to change, made by encrypt or age; with -o, - for standard input."`
	Identity []string `short:"i" sep:"none" required:"" placeholder:"FILE" help:"Your identity (private key), with which the file can be decrypted. May be repeated."`
	cli.PassphraseFlags
	Output string `short:"o" placeholder:"FILE" help:"Write the new version to this file, - for standard output, and leave the old one as it is. Default: replace it."`
	Force  bool   `short:"f" help:"With -o: replace an existing file."`
	cli.ProgressFlag
}

type recipientsAddCmd struct {
	changeFlags
	Recipient      []string `short:"r" sep:"none" placeholder:"RECIPIENT" help:"Add the owner of this public key (age1… or ssh-…). May be repeated."`
	RecipientsFile []string `short:"R" sep:"none" placeholder:"FILE" help:"Add the recipients in this file, as in encrypt. May be repeated."`
	Mixed          bool     `help:"Allow recipients that a quantum computer could break, together with others that it could not."`
}

// Help returns the description of the verb, with examples.
func (recipientsAddCmd) Help() string {
	return `Adds recipients at the end of the list that "cipherlane inspect" shows. From then on, they
can decrypt the file, too. Files do not name their recipients: that somebody is one already
is only noticed of keys of ssh and of yourself. A file with a passphrase can have no
recipients beside it; decrypt it and encrypt it again.

Examples:

    cipherlane recipients add -i my.id -R bob.recipient -o for-bob.age photos.tar.age
    cipherlane recipients add -i my.id -R bob.recipient photos.tar.age`
}

type recipientsRemoveCmd struct {
	changeFlags
	Entry          []int    `short:"n" placeholder:"N" help:"Remove the recipient with this number in the list that inspect shows. May be repeated."`
	OldIdentity    []string `sep:"none" placeholder:"FILE" help:"Remove the recipients of the identities in this file. May be repeated."`
	Recipient      []string `short:"r" sep:"none" placeholder:"RECIPIENT" help:"Remove this public key of ssh. May be repeated."`
	RecipientsFile []string `short:"R" sep:"none" placeholder:"FILE" help:"Remove the public keys of ssh in this file. May be repeated."`
	Others         bool     `help:"Remove everybody but the owners of the identities of -i."`
}

// Help returns the description of the verb, with examples.
func (recipientsRemoveCmd) Help() string {
	return `Files do not name their recipients, apart from keys of ssh, of which they have the beginning
of the fingerprint. So say who is to go by a number in the list that "cipherlane inspect"
shows, which is in the order in which they were added, by an identity, or with --others.

This does not take back what was given: who could decrypt the file can still decrypt it
with the old version, or with the key in its header. See "cipherlane recipients --help".

Examples:

    cipherlane recipients remove -i my.id --entry 3 team.tar.age
    cipherlane recipients remove -i my.id --others team.tar.age`
}
