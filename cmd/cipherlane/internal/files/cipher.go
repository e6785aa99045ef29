package files

import (
	"bytes"
	"crypto/cipher"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/inventory"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/keys"
	"github.com/cipherlane/cipherlane/internal/catalog"
)

// CipherCmd is the verb cipher.
type CipherCmd struct {
	Mode string `arg:"" help:"One of ${modes}."`
	cli.TransferFlags
	Key string `short:"K" placeholder:"HEX" xor:"key" help:"Key in hex digits. Other users of this machine can see it; --key-file is safer."`
	keys.KeyFlags
	Decrypt   bool   `short:"d" help:"Decrypt."`
	IV        string `name:"iv" placeholder:"HEX" help:"IV, initial counter or tweak, as 32 hex digits. Never use one twice with the same key."`
	NoPadding bool   `help:"For ECB, CBC, BC and OFBNLF: do not use PKCS #7 padding; the input must be whole blocks."`
	Quiet     bool   `short:"q" help:"Do not print warnings."`
	Driver    string `placeholder:"NAME" help:"Use this driver (see \"cipherlane list\")."`
}

// Help returns the description of the verb, with examples.
func (CipherCmd) Help() string {
	return `For exchanging data with programs that support nothing better, and for experiments. These
modes do not detect tampering: modified data decrypts without an error. For anything
else use "cipherlane encrypt".

The options mean the same as those of "openssl enc", which supports most of these modes,
but not XTS, HCTR, BC and OFBNLF. Its cbc-cts is CBC-CS1; the cbc-cs3 here is CBC-CS3,
which Linux calls cts(cbc(…)). XTS, HCTR and CBC-CS3 need the whole message at once; it
must be 16 bytes to 16 MiB long.

Example: encrypt a file, and decrypt it with OpenSSL.

    cipherlane cipher sm4-cbc --key-file k --iv 000102030405060708090a0b0c0d0e0f -o x.enc x
    openssl enc -d -sm4-cbc -K $(cat k) -iv 000102030405060708090a0b0c0d0e0f -in x.enc`
}

// raw reports whether an algorithm encrypts without authentication.
func raw(a catalog.Algorithm) bool {
	return a.ECB != nil || a.BlockMode != nil || a.Stream != nil || a.Whole != nil
}

// rawModes returns the algorithms for which raw is true.
func rawModes() []catalog.Algorithm {
	return slices.DeleteFunc(catalog.All(), func(a catalog.Algorithm) bool {
		return !raw(a)
	})
}

// insteadOfCipher says which verb uses an algorithm that is no raw mode.
func insteadOfCipher(a catalog.Algorithm) string {
	switch {
	case a.AEAD != nil:
		return "authenticates, and its messages are not raw; \"cipherlane encrypt --key-file FILE\" encrypts and authenticates, in a format of its own"
	case a.Hash != nil, a.MAC != nil:
		return "does not encrypt; \"cipherlane hash\" computes checksums and, with --hmac, HMACs"
	case a.Signer != nil:
		return "\"cipherlane sm2 encrypt\" encrypts short messages, and \"cipherlane encrypt -r\" files"
	case a.KEM != nil:
		return "\"cipherlane kem\" establishes keys, and \"cipherlane encrypt -r\" encrypts files"
	}
	return "is not for messages; no verb uses it but list, speed and selftest"
}

// Run runs the verb.
func (c *CipherCmd) Run(p *cli.Program) error {
	a, ok := inventory.Find(c.Mode)
	if ok && !raw(a) {
		return cli.Usagef("%s: %s", cli.Quote(c.Mode), insteadOfCipher(a))
	}
	if !ok {
		return inventory.UnknownAlgorithm(c.Mode, rawModes())
	}
	if _, err := a.Table().On(c.Driver); c.Driver != "" && err != nil {
		return err
	}
	if !c.Decrypt {
		if err := c.RefuseTerminal(p); err != nil {
			return err
		}
	}
	if err := inventory.RefuseFIPS(); err != nil {
		return err
	}
	key, err := c.key(p, a)
	if err != nil {
		return err
	}
	defer clear(key)
	iv, err := c.iv(a)
	if err != nil {
		return err
	}
	if c.NoPadding && !inventory.WholeBlocks(a) {
		return cli.Usagef("--no-padding: %s never pads", inventory.ShellName(a))
	}
	transform, err := c.transform(a, key, iv)
	if err != nil {
		return err
	}
	if !c.Quiet {
		p.Warn("%s: warning: no authentication, tampering is not detected; \"cipherlane encrypt\" authenticates (-q silences this)", inventory.ShellName(a))
	}
	what := "encrypting"
	if c.Decrypt {
		what = cli.Decrypting
	}
	return c.Transfer(p, what, func(in *cli.InputFile, out *cli.Output) error {
		var err error
		switch {
		case a.Whole != nil:
			err = whole(in, out, transform)
		case a.Stream != nil || c.NoPadding:
			err = plain(in, out, transform, inventory.WholeBlocks(a))
		case c.Decrypt:
			err = unpad(in, out, transform)
		default:
			err = pad(in, out, transform)
		}
		if e := new(dataError); errors.As(err, e) {
			err = fmt.Errorf("%s: %w", in.DisplayName, err)
		}
		return err
	})
}

// A dataError describes a problem with the content of the input, not with reading it.
type dataError string

func (e dataError) Error() string { return string(e) }

const (
	errPadding = dataError("wrong padding: wrong key, IV or mode, damaged, or not padded (--no-padding)")
	errEnd     = dataError("does not end with a whole block: not encrypted in this mode, or truncated")
	errBlocks  = dataError("length is not a multiple of 16 bytes, as --no-padding requires")
	errShort   = dataError("is shorter than 16 bytes, the minimum for this mode")
	errLong    = dataError("is longer than 16 MiB, the maximum for this mode, which needs the whole message at once")
)

func (c *CipherCmd) key(p *cli.Program, a catalog.Algorithm) ([]byte, error) {
	if c.Key == "" {
		key, err := c.Read(p, c.Input, a.KeySizes...)
		return key, nameFitting(err, sizedModes(a))
	}
	if !c.Quiet {
		p.Warn("-K: warning: other users of this machine can see the key in the list of processes; --key-file hides it")
	}
	var want []string
	for _, n := range a.KeySizes {
		if key := make([]byte, n); keys.DecodeHex(key, []byte(c.Key)) {
			return key, nil
		}
		want = append(want, fmt.Sprint(2*n))
	}
	return nil, cli.Usagef("-K: want a key of %s hex digits", strings.Join(want, " or "))
}

func (c *CipherCmd) iv(a catalog.Algorithm) ([]byte, error) {
	iv := make([]byte, a.IVSize)
	switch {
	case a.IVSize == 0 && c.IV != "":
		return nil, cli.Usagef("--iv: %s does not use one", inventory.ShellName(a))
	case a.IVSize > 0 && c.IV == "":
		return nil, cli.Usagef("--iv: %s needs one of %d hex digits", inventory.ShellName(a), 2*a.IVSize)
	case !keys.DecodeHex(iv, []byte(c.IV)):
		return nil, cli.Usagef("--iv %s: want %d hex digits", cli.Quote(c.IV), 2*a.IVSize)
	}
	return iv, nil
}

// transform returns a function that encrypts or decrypts in place. Each call continues
// where the previous one ended.
func (c *CipherCmd) transform(a catalog.Algorithm, key, iv []byte) (func([]byte), error) {
	switch {
	case a.ECB != nil:
		b, err := a.ECB(c.Driver, key)
		if err != nil {
			return nil, err
		}
		if c.Decrypt {
			return func(p []byte) { b.DecryptBlocks(p, p) }, nil
		}
		return func(p []byte) { b.EncryptBlocks(p, p) }, nil
	case a.BlockMode != nil:
		var m cipher.BlockMode
		m, err := a.BlockMode(c.Driver, key, iv, !c.Decrypt)
		if err != nil {
			return nil, err
		}
		return func(p []byte) { m.CryptBlocks(p, p) }, nil
	case a.Stream != nil:
		s, err := a.Stream(c.Driver, key, iv, !c.Decrypt)
		if err != nil {
			return nil, err
		}
		return func(p []byte) { s.XORKeyStream(p, p) }, nil
	default:
		f, err := a.Whole(c.Driver, key, iv, !c.Decrypt)
		if err != nil {
			return nil, err
		}
		return func(p []byte) { f(p, p) }, nil
	}
}

// maxWhole is the longest message for XTS, which is the limit of IEEE 1619 for one data
// unit, and for the other modes that need the whole message in memory.
const maxWhole = 16 << 20

// whole transforms a message in one piece.
func whole(in io.Reader, out io.Writer, transform func([]byte)) error {
	b, err := io.ReadAll(io.LimitReader(in, maxWhole+1))
	switch {
	case err != nil:
		return err
	case len(b) < inventory.BlockSize:
		return errShort
	case len(b) > maxWhole:
		return errLong
	}
	transform(b)
	_, err = out.Write(b)
	return err
}

// plain transforms a message without changing its length.
func plain(in io.Reader, out io.Writer, transform func([]byte), whole bool) error {
	b := make([]byte, cli.BufferSize)
	for {
		n, end := cli.Fill(in, b)
		if err := cli.NotEOF(end); err != nil {
			return err
		}
		if whole && n%inventory.BlockSize != 0 {
			return errBlocks
		}
		transform(b[:n])
		if _, err := out.Write(b[:n]); err != nil {
			return err
		}
		if end != nil {
			return nil
		}
	}
}

// pad encrypts a message with the padding of PKCS #7: 1 to 16 bytes, each of which is
// their number.
func pad(in io.Reader, out io.Writer, transform func([]byte)) error {
	b := make([]byte, cli.BufferSize+inventory.BlockSize)
	for {
		n, end := cli.Fill(in, b[:cli.BufferSize])
		if err := cli.NotEOF(end); err != nil {
			return err
		}
		if end != nil {
			more := inventory.BlockSize - n%inventory.BlockSize
			copy(b[n:], bytes.Repeat([]byte{byte(more)}, more))
			n += more
		}
		transform(b[:n])
		if _, err := out.Write(b[:n]); err != nil {
			return err
		}
		if end != nil {
			return nil
		}
	}
}

// unpad decrypts the output of pad. It holds back one block, which may turn out to be
// the last one.
func unpad(in io.Reader, out io.Writer, transform func([]byte)) error {
	b := make([]byte, inventory.BlockSize+cli.BufferSize)
	kept := 0 // decrypted, at the beginning of b
	for {
		n, end := cli.Fill(in, b[kept:kept+cli.BufferSize])
		if err := cli.NotEOF(end); err != nil {
			return err
		}
		if n%inventory.BlockSize != 0 {
			return errEnd
		}
		transform(b[kept : kept+n])
		n += kept
		if end == nil {
			kept = inventory.BlockSize
			if _, err := out.Write(b[:n-kept]); err != nil {
				return err
			}
			copy(b, b[n-kept:n])
			continue
		}
		if n == 0 {
			return errEnd
		}
		more := int(b[n-1])
		if more < 1 || more > inventory.BlockSize || !bytes.Equal(b[n-more:n], bytes.Repeat([]byte{byte(more)}, more)) {
			return errPadding
		}
		_, err := out.Write(b[:n-more])
		return err
	}
}

// ModeNames returns the names of the raw modes, separated by commas.
func ModeNames() string {
	var list []string
	for _, a := range rawModes() {
		list = append(list, inventory.ShellName(a))
	}
	return strings.Join(list, ", ")
}
