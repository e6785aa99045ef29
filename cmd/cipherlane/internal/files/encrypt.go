// Package files has the verbs that encrypt and decrypt files and streams: encrypt and decrypt, for
// people in the format of age or with a key, inspect and recipients for whom a file is, keygen and
// pubkey for their keys and identities, age's plugins, and cipher for raw modes. Builds for MIPS have
// no format of age.
package files

import (
	"bufio"
	"cmp"
	"crypto/cipher"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/cipherlane/cipherlane/chunked"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/inventory"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/keys"
	"golang.org/x/term"
)

// streamFlags are the flags that encrypt and decrypt share.
type streamFlags struct {
	cli.TransferFlags
	keys.KeyFlags
	Context string `empty:"" placeholder:"STRING" help:"Bind the message to a name or purpose: decrypting needs the same context. Not secret."`
	Jobs    int    `short:"j" placeholder:"N" help:"Number of CPU cores to use; default: all, or one less when the input is a pipe."`
	Driver  string `placeholder:"NAME" help:"Use this driver (see \"cipherlane list\")."`
}

// EncryptCmd is the verb encrypt.
type EncryptCmd struct {
	streamFlags
	Recipient      []string `short:"r" sep:"none" placeholder:"RECIPIENT" help:"Encrypt for the owner of this public key (age1… or ssh-…). Repeat it for several people."`
	RecipientsFile []string `short:"R" sep:"none" placeholder:"FILE" help:"Encrypt for the recipients in this file: one on each line, a public key of SM2 or FrodoKEM, or a certificate of SM2. May be repeated."`
	Passphrase     bool     `short:"p" help:"Encrypt with a passphrase."`
	cli.PassphraseFlags
	Armor bool   `short:"a" help:"Write text instead of binary data, a third longer. Not with a key file."`
	Mixed bool   `help:"Allow recipients that a quantum computer could break, together with others that it could not."`
	Alg   string `help:"With a key file: one of ${encryptions}. Default, by key size: sm4-gcm for 16 bytes, aes-256-gcm for 24 or 32."`
}

// DecryptCmd is the verb decrypt.
type DecryptCmd struct {
	streamFlags
	Identity []string `short:"i" sep:"none" placeholder:"FILE" help:"Decrypt with the identities (private keys) in this file. May be repeated."`
	cli.PassphraseFlags
	MaxWork int    `default:"20" placeholder:"N" help:"Refuse passphrases that take more than 2^N steps of scrypt, which are 2^N KiB of memory. Default: ${default}."`
	Alg     string `help:"With a key file: accept only messages encrypted with this algorithm, one of ${encryptions}. Default: any that the key fits."`
}

const keyRule = `If a key file contains only hex digits, apart from white space around them, they are
decoded to the key; any other file is used as the key, byte for byte. SM4-GCM and
AES-128-GCM use keys of 16 bytes, AES-256-GCM keys of 32 bytes. A key of 24 bytes, such
as FrodoKEM-976 produces, is expanded to 32 bytes for AES-256-GCM by HKDF-SHA-256
without a salt and with the info string 'cipherlane aes-256-gcm from 24 bytes'.`

// Help returns the description of the verb, with examples.
func (EncryptCmd) Help() string {
	return `Encrypts and authenticates the input for people (-r, -R), with a passphrase (-p) or with a
key file (--key-file). Files and pipes of any length work. Only those who have the key
can read the result, and nobody else can change it undetected.

Files for people and files with a passphrase are in the format of age
(age-encryption.org/v1): programs such as age and rage read them. A recipient is a
public key, made by "cipherlane keygen -t pq", by age-keygen or ssh-keygen (ssh-ed25519,
ssh-rsa); -R also reads public keys of SM2 and FrodoKEM and certificates of SM2 in PEM, and skips other keys of
ssh with a warning. Each of several recipients can decrypt the file. A file for an age1pq1 or age1frodokem1 recipient is safe
from quantum computers. Others would spoil that, so that they are not mixed without --mixed. Who made
the file, it does not show; a passphrase shows that somebody did who knew it.

With a key file, the format is c2sp.org/chunked-encryption, in chunks of 16 KiB.

` + keyRule + `

Examples:

    cipherlane keygen -t pq -o my.id --public my.recipient
    cipherlane encrypt -R my.recipient -o photos.tar.age photos.tar
    cipherlane encrypt -R my.recipient --armor < report.pdf > report.txt
    cipherlane encrypt -p -o photos.tar.age photos.tar
    cipherlane keygen -o backup.key
    cipherlane encrypt --key-file backup.key -o photos.tar.enc photos.tar
    tar c photos | cipherlane encrypt --key-file backup.key | ssh host 'cat > photos.tar.enc'`
}

// Help returns the description of the verb, with examples.
func (DecryptCmd) Help() string {
	return `Decrypts files that encrypt, age or rage made, armored or not: it recognises what they
are. Name your identities with -i: files made by "cipherlane keygen -t pq" or
age-keygen, private keys of ssh in any of its formats, or private keys of SM2 or FrodoKEM in PEM. If
the file or an identity is locked by a passphrase, decrypt asks for it. For files
encrypted with a key file, name it with --key-file.

Only authentic data is written. If the file is damaged, truncated or reordered,
decrypt fails (exit code 1) and leaves no output file behind. Standard output may have
received the authentic beginning by then, so check the exit code. A new file is readable
only by you (mode 0600); a file that is replaced keeps its mode. Binary data is not
written to a terminal unless you specify -o -.

` + keyRule + `

Examples:

    cipherlane decrypt -i my.id -o photos.tar photos.tar.age
    cipherlane decrypt --key-file backup.key -o photos.tar photos.tar.enc
    ssh host 'cat photos.tar.enc' | cipherlane decrypt --key-file backup.key | tar x`
}

var (
	errNoRecipient = cli.AsUsage(errors.New("no key: name recipients with -r or -R, use a passphrase with -p, or name a key file with --key-file FILE or --key-fd N"))
	errNotAge      = errors.New("not an age file, or its first line is damaged; if it was encrypted with a key file, name that with --key-file FILE")
	errNoIdentity  = cli.AsUsage(errors.New("no key: name one with -i FILE, --key-file FILE or --key-fd N"))
)

// defaultMaxWork limits the memory that scrypt takes to 1 GiB.
const defaultMaxWork = 20

// encryptions are the algorithms of encrypted files. Encrypting uses the first suite of
// an algorithm; decrypting tries all of them.
var encryptions = []struct {
	name   string
	suites []chunked.Suite
}{
	{"sm4-gcm", []chunked.Suite{chunked.SM4GCM()}},
	{"aes-128-gcm", []chunked.Suite{chunked.Cobblestone128(), chunked.AES128GCM()}},
	{"aes-256-gcm", []chunked.Suite{chunked.Cobblestone256()}},
}

// EncryptionNames returns the names of the algorithms for files, separated by commas.
func EncryptionNames() string {
	var list []string
	for _, e := range encryptions {
		list = append(list, e.name)
	}
	return strings.Join(list, ", ")
}

// encryptionFor returns the first algorithm that accepts keys of a size, or "".
func encryptionFor(size int) string {
	for _, e := range encryptions {
		if slices.Contains(keySizes(e.suites), size) {
			return e.name
		}
	}
	return ""
}

// suites returns the suites of an algorithm, or of all algorithms if the name is empty.
// With --driver, it omits the suites of packages without that driver.
func (c *streamFlags) suites(alg string) ([]chunked.Suite, error) {
	var list []chunked.Suite
	err := cli.AsUsage(fmt.Errorf("%s: no such algorithm for files (known: %s)", cli.Quote(alg), EncryptionNames()))
	for _, e := range encryptions {
		a, _ := inventory.Find(e.name)
		if alg != "" && !inventory.Same(a, alg) {
			continue
		}
		if _, err = a.Table().On(c.Driver); c.Driver != "" && err != nil {
			continue
		}
		for _, suite := range e.suites {
			if c.Driver != "" {
				suite.AEAD = func(key []byte) (cipher.AEAD, error) { return a.AEAD(c.Driver, key) }
			}
			list = append(list, suite)
		}
	}
	if list == nil {
		return nil, err
	}
	return list, nil
}

// sharedKeySize is the size of keys, such as FrodoKEM-976 produces, from which one for AES-256
// is derived, by [chunked.Suite.DeriveKey].
const sharedKeySize = 24

func keySizes(suites []chunked.Suite) []int {
	var sizes []int
	for _, s := range suites {
		sizes = append(sizes, s.KeySize)
		if s.KeySize == 32 {
			sizes = append(sizes, sharedKeySize)
		}
	}
	slices.Sort(sizes)
	return slices.Compact(sizes)
}

// Run runs the verb.
func (c *EncryptCmd) Run(p *cli.Program) error {
	if people := len(c.Recipient)+len(c.RecipientsFile) > 0; people || c.Passphrase {
		switch {
		case people && c.Passphrase:
			return cli.Usagef("--passphrase and recipients can't be used together: a passphrase also proves that the sender knew it; with recipients, anyone could be the sender")
		case c.HasKey():
			return cli.Usagef("--key-file and --key-fd can't be used together with recipients or a passphrase")
		case c.Alg != "" || c.Context != "":
			return cli.Usagef("--alg and --context: only make sense with a key file")
		case c.HasPassphrase() && !c.Passphrase:
			return cli.Usagef("--passphrase-file and --passphrase-fd: only make sense with --passphrase")
		}
		if err := c.check(); err != nil {
			return err
		}
		return c.encryptAge(p)
	}
	if c.Armor || c.Mixed || c.HasPassphrase() {
		return cli.Usagef("--armor, --mixed, --passphrase-file and --passphrase-fd: only make sense with recipients or a passphrase")
	}
	if !c.HasKey() {
		return errNoRecipient
	}
	if err := c.RefuseTerminal(p); err != nil {
		return err
	}
	if err := c.check(); err != nil {
		return err
	}
	suites, key, err := c.key(p, c.Alg, false)
	if err != nil {
		return err
	}
	defer clear(key)
	return c.Transfer(p, "encrypting", func(in *cli.InputFile, out *cli.Output) error {
		return messageError(in.DisplayName, out.Parts(func(w io.Writer) error { return c.encrypt(in, w, suites[0], key) }))
	})
}

func (c *EncryptCmd) encrypt(in *cli.InputFile, out io.Writer, suite chunked.Suite, key []byte) error {
	if in.CanStop() {
		out = stoppingWriter{out, in}
	}
	w, err := chunked.NewWriter(out, suite, key, []byte(c.Context), chunked.WithConcurrency(c.jobs(in)))
	if err != nil {
		return err
	}
	defer w.Abort()
	if section := in.Section(in.Size()); section != nil {
		defer c.spareProcessor(in)()
		if _, err := w.ReadFrom(section); err != nil {
			return err
		}
		if err := in.Follow(section); err != nil {
			return err
		}
	}
	// All of it, or what has been added to the file in the meantime.
	if _, err := w.ReadFrom(in); err != nil {
		return err
	}
	return w.Close()
}

// Run runs the verb.
func (c *DecryptCmd) Run(p *cli.Program) error {
	if c.MaxWork < 1 || c.MaxWork > 30 {
		return cli.Usagef("--max-work %d: want a number from 1 to 30", c.MaxWork)
	}
	if err := c.check(); err != nil {
		return err
	}
	if !c.HasKey() && cli.IsStdin(c.Input) && term.IsTerminal(int(p.Stdin.Fd())) && c.Input == "" {
		return errNoIdentity
	}
	if err := onlyInput(c.Input, append(c.Identity, c.PassphrasePath())...); err != nil {
		return err
	}
	for _, path := range append(c.Identity, c.PassphrasePath()) {
		if !cli.IsStdin(path) {
			p.Reads(path)
		}
	}
	var key []byte
	var suites []chunked.Suite
	if c.HasKey() {
		var err error
		if suites, key, err = c.key(p, c.Alg, true); err != nil {
			return err
		}
		defer clear(key)
	}
	return c.TransferAfter(p, cli.Decrypting, func(in *cli.InputFile) (func(in *cli.InputFile, out *cli.Output) error, error) {
		section := in.Section(-1) // of all that follows, before it is looked at
		buffered := ageText(bufio.NewReaderSize(in, 64<<10))
		if is, armored := isAge(buffered); is {
			return c.decryptAge(p, in.DisplayName, buffered, armored)
		}
		head := &beginning{Reader: buffered}
		source := io.Reader(head)
		if section != nil {
			in.Progress.Add(-buffered.Buffered()) // it is read again
			source, head.Reader = section, io.NewSectionReader(section, 0, beginningSize)
		}
		if key == nil {
			err := error(errNoIdentity)
			if len(c.Identity) > 0 || c.HasPassphrase() {
				err = cli.AsNamed(fmt.Errorf("%s: %w", in.DisplayName, errNotAge))
			}
			return nil, head.foreign(c.Input, err)
		}
		return func(in *cli.InputFile, out *cli.Output) error {
			return messageError(in.DisplayName, out.Parts(func(w io.Writer) error {
				if in.CanStop() {
					w = stoppingWriter{w, in}
					for i, suite := range suites {
						suites[i].AEAD = func(key []byte) (cipher.AEAD, error) {
							aead, err := suite.AEAD(key)
							return stoppingAEAD{aead, in}, err
						}
					}
				}
				r, err := chunked.NewReader(source, suites[0], key, []byte(c.Context), chunked.Accept(suites[1:]...), chunked.WithConcurrency(c.jobs(in)))
				if err != nil {
					return head.foreign(c.Input, err)
				}
				defer r.Close()
				if section != nil {
					defer c.spareProcessor(in)()
				}
				if _, err = r.WriteTo(w); err == nil && section != nil {
					err = in.Follow(section)
				}
				return err
			}))
		}, nil
	})
}

// onlyInput returns an error if standard input would be read twice.
func onlyInput(input string, others ...string) error {
	n := 0
	for i, path := range append([]string{input}, others...) {
		if (path != "" || i == 0) && cli.IsStdin(path) {
			n++
		}
	}
	if n > 1 {
		return cli.Usagef("standard input cannot have more than one of message, keys and passphrase")
	}
	return nil
}

// check returns an error for flags that are wrong for every kind of file.
func (c *streamFlags) check() error {
	if c.Jobs < 0 {
		return cli.Usagef("-j %d: want a number of cores", c.Jobs)
	}
	return inventory.RefuseFIPS()
}

// jobs returns the number of goroutines. On the cores that the process may use, more of them
// would only wait for each other. The program that writes to a pipe needs a core, too.
func (c *streamFlags) jobs(in *cli.InputFile) int {
	cores := runtime.GOMAXPROCS(0)
	if c.Jobs == 0 && in.Info.Mode()&(fs.ModeNamedPipe|fs.ModeSocket) != 0 {
		return max(cores-1, 1)
	}
	return min(cmp.Or(c.Jobs, cores), cores)
}

// spareProcessor gives the Go runtime a processor (P) more than there are goroutines. If none is
// idle, the runtime takes one away from every system call that lasts 20 µs, as those for a part
// of a file do, and starts a thread to look for other work, on a core that is needed.
func (c *streamFlags) spareProcessor(in *cli.InputFile) (restore func()) {
	before := runtime.GOMAXPROCS(c.jobs(in) + 1)
	return func() { runtime.GOMAXPROCS(before) }
}

// key reads the key of the key file, and returns it with the suites that it fits.
func (c *streamFlags) key(p *cli.Program, alg string, decrypt bool) ([]chunked.Suite, []byte, error) {
	suites, err := c.suites(alg)
	if err != nil {
		return nil, nil, err
	}
	key, err := c.Read(p, c.Input, keySizes(suites)...)
	if err != nil {
		return nil, nil, nameFitting(err, sizedFiles())
	}
	if alg == "" && !decrypt {
		if suites, err = c.suites(encryptionFor(len(key))); err != nil {
			clear(key)
			return nil, nil, err
		}
	}
	if len(key) == sharedKeySize {
		derived, err := chunked.AES256GCM().DeriveKey(key)
		clear(key)
		if err != nil {
			return nil, nil, err
		}
		key = derived
	}
	return slices.DeleteFunc(suites, func(s chunked.Suite) bool { return s.KeySize != len(key) }), key, nil
}

// messageError prefixes errors in the message itself with the name of the input. Errors
// of reading and writing already have a name.
func messageError(name string, err error) error {
	switch {
	case err == nil:
		return nil
	case strings.HasPrefix(err.Error(), "chunked: "):
		return errors.New(name + ": " + strings.TrimPrefix(err.Error(), "chunked: "))
	}
	return cli.AboutFile(name, err)
}

// A stoppingWriter stops reading an input after an error.
type stoppingWriter struct {
	io.Writer
	in *cli.InputFile
}

func (w stoppingWriter) Write(b []byte) (int, error) {
	n, err := w.Writer.Write(b)
	if err != nil {
		w.in.Stop()
	}
	return n, err
}

// A stoppingAEAD stops reading an input after a message that is not authentic.
type stoppingAEAD struct {
	cipher.AEAD
	in *cli.InputFile
}

func (a stoppingAEAD) Open(dst, nonce, ciphertext, data []byte) ([]byte, error) {
	out, err := a.AEAD.Open(dst, nonce, ciphertext, data)
	if err != nil {
		a.in.Stop()
	}
	return out, err
}

// pluginPrefix begins the names under which age starts the program as a plugin.
const pluginPrefix = "age-plugin-"

// RunAsPlugin runs the program as a plugin of age, if its name or its argument says that it is one.
func RunAsPlugin(p *cli.Program, args []string) (code int, isPlugin bool) {
	base := strings.TrimSuffix(filepath.Base(args[0]), ".exe")
	if name, ok := strings.CutPrefix(base, pluginPrefix); ok {
		p.Name = base
		return runPlugin(p, name, args[1:], p.Stdin), true
	}
	if len(args) == 2 && strings.HasPrefix(args[1], "--age-plugin=") {
		return runUnnamedPlugin(p, args[1:]), true
	}
	return 0, false
}

// Variables returns the variables in the help texts of this package's verbs.
func Variables() kong.Vars {
	return kong.Vars{"encryptions": EncryptionNames(), "modes": ModeNames(), "identities": IdentityNames()}
}
