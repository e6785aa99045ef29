package main

import (
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/cipherlane/cipherlane/chunked"
)

// streamFlags are the flags that encrypt and decrypt share.
type streamFlags struct {
	transferFlags
	keyFlags
	Context string `empty:"" placeholder:"STRING" help:"Bind the message to a name or purpose: decrypting needs the same context. Not secret."`
	Jobs    int    `short:"j" placeholder:"N" help:"Number of CPU cores to use; default: all."`
	Driver  string `placeholder:"NAME" help:"Use this driver (see \"cipherlane list\")."`
}

type encryptCmd struct {
	streamFlags
	Alg string `short:"a" help:"One of ${encryptions}. Default, by key size: sm4-gcm for 16 bytes, aes-256-gcm for 24 or 32."`
}

type decryptCmd struct {
	streamFlags
	Alg string `short:"a" help:"Accept only messages encrypted with this algorithm: ${encryptions}. Default: any that the key fits."`
}

const keyRule = `If a key file contains only hex digits, apart from white space around them, they are
decoded to the key; any other file is used as the key, byte for byte. SM4-GCM and
AES-128-GCM use keys of 16 bytes, AES-256-GCM keys of 32 bytes. A key of 24 bytes, such
as FrodoKEM-976 produces, is expanded to 32 bytes for AES-256-GCM by HKDF-SHA-256
without a salt and with the info string '` + sharedKeyLabel + `'.`

func (encryptCmd) Help() string {
	return `Encrypts and authenticates the input in chunks of 16 KiB, in the format of
c2sp.org/chunked-encryption. Files and pipes of any length work; the message is 0.1 %
longer than its plaintext. Only holders of the key can read the message or modify it
undetected.

` + keyRule + `

Examples:

    cipherlane keygen -o backup.key
    cipherlane encrypt --key-file backup.key -o photos.tar.enc photos.tar
    tar c photos | cipherlane encrypt --key-file backup.key | ssh host 'cat > photos.tar.enc'`
}

func (decryptCmd) Help() string {
	return `Only authentic data is written. If the message is damaged, truncated or reordered,
decrypt fails (exit code 1) and leaves no output file behind. Standard output may have
received the authentic beginning by then, so check the exit code. A new file is readable
only by you (mode 0600); a file that is replaced keeps its mode. Binary data is not
written to a terminal unless you specify -o -.

` + keyRule + `

Examples:

    cipherlane decrypt --key-file backup.key -o photos.tar photos.tar.enc
    ssh host 'cat photos.tar.enc' | cipherlane decrypt --key-file backup.key | tar x`
}

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

func encryptionNames() string {
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
	err := error(usageError{fmt.Errorf("%s: no such algorithm for files (known: %s)", quote(alg), encryptionNames())})
	for _, e := range encryptions {
		a, _ := find(e.name)
		if alg != "" && !same(a, alg) {
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

// A key of 24 bytes, such as FrodoKEM-976 produces, is expanded to a key for AES-256 by
// HKDF with SHA-256, without a salt.
const (
	sharedKeySize  = 24
	sharedKeyLabel = "cipherlane aes-256-gcm from 24 bytes"
)

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

func (c *encryptCmd) Run(p *program) error {
	if err := c.refuseTerminal(p); err != nil {
		return err
	}
	return c.run(p, c.Alg, "encrypting", c.encrypt)
}

func (c *encryptCmd) encrypt(in *inputFile, out io.Writer, suites []chunked.Suite, key []byte) error {
	w, err := chunked.NewWriter(out, suites[0], key, []byte(c.Context), chunked.WithConcurrency(c.Jobs))
	if err != nil {
		return err
	}
	defer w.Abort()
	if section := in.section(in.size()); section != nil {
		if _, err := w.ReadFrom(section); err != nil {
			return err
		}
		if err := in.follow(section); err != nil {
			return err
		}
	}
	// All of it, or what has been added to the file in the meantime.
	if _, err := w.ReadFrom(in); err != nil {
		return err
	}
	return w.Close()
}

func (c *decryptCmd) Run(p *program) error {
	return c.run(p, c.Alg, decrypting, func(in *inputFile, out io.Writer, suites []chunked.Suite, key []byte) error {
		head := &beginning{Reader: in}
		source := io.Reader(head)
		section := in.section(-1)
		if section != nil {
			source, head.Reader = section, io.NewSectionReader(section, 0, beginningSize)
		}
		r, err := chunked.NewReader(source, suites[0], key, []byte(c.Context), chunked.Accept(suites[1:]...), chunked.WithConcurrency(c.Jobs))
		if err != nil {
			return head.foreign(c.Input, err)
		}
		defer r.Close()
		if _, err = r.WriteTo(out); err == nil && section != nil {
			err = in.follow(section)
		}
		return err
	})
}

// run is the common part of encrypt and decrypt.
func (c *streamFlags) run(p *program, alg, what string, work func(*inputFile, io.Writer, []chunked.Suite, []byte) error) error {
	if c.Jobs < 0 {
		return usagef("-j %d: want a number of cores", c.Jobs)
	}
	if err := refuseFIPS(); err != nil {
		return err
	}
	suites, err := c.suites(alg)
	if err != nil {
		return err
	}
	key, err := c.read(p, c.Input, keySizes(suites)...)
	if err != nil {
		return nameFitting(err, sizedFiles())
	}
	defer func() { clear(key) }()
	if alg == "" && what != decrypting {
		if suites, err = c.suites(encryptionFor(len(key))); err != nil {
			return err
		}
	}
	if len(key) == sharedKeySize {
		long, err := hkdf.Key(sha256.New, key, nil, sharedKeyLabel, 32)
		if err != nil {
			return err
		}
		clear(key)
		key = long
	}
	suites = slices.DeleteFunc(suites, func(s chunked.Suite) bool { return s.KeySize != len(key) })
	return c.transfer(p, what, func(in *inputFile, out *output) error {
		return messageError(in.name, out.parts(func(w io.Writer) error { return work(in, w, suites, key) }))
	})
}

// messageError prefixes errors in the message itself with the name of the input. Errors
// of reading and writing already have a name.
func messageError(name string, err error) error {
	if err == nil {
		return nil
	}
	if s, ok := strings.CutPrefix(err.Error(), "chunked: "); ok {
		return errors.New(name + ": " + s)
	}
	return err
}
