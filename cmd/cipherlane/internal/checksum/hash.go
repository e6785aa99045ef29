// Package checksum has the verb hash, which prints and checks checksums as sha256sum does.
package checksum

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/kong"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/inventory"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/keys"
	"github.com/cipherlane/cipherlane/internal/catalog"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/linux"
)

// Names are the names of all hash functions.
const Names = "sm3, sha224, sha256, sha384, sha512"

// Cmd is the verb hash.
type Cmd struct {
	Files     []string `arg:"" optional:"" name:"file" help:"Files; - or none: standard input."`
	Algorithm string   `short:"a" aliases:"alg" placeholder:"ALG" help:"One of ${hashes}; default: sm3."`
	Check     bool     `short:"c" help:"Read checksums from the files and verify them."`
	Tag       bool     `help:"Print checksums in BSD style, which includes the algorithm."`
	Binary    bool     `short:"b" xor:"mode" help:"Mark files as read in binary mode (*). Does not affect the checksum."`
	Text      bool     `short:"t" xor:"mode" help:"Mark files as read in text mode (space), the default. Does not affect the checksum."`
	Zero      bool     `short:"z" help:"End lines with NUL instead of a newline, and do not escape file names."`

	IgnoreMissing bool `help:"With --check: ignore missing files."`
	Quiet         bool `help:"With --check: do not print OK for each file that matches."`
	Status        bool `help:"With --check: print nothing; the exit code shows the result."`
	Strict        bool `help:"With --check: fail if any line is not a checksum."`
	Warn          bool `short:"w" help:"With --check: warn about each line that is not a checksum."`

	HMAC bool `name:"hmac" help:"Print or check HMACs instead, with a key from --key-file or --key-fd."`
	keys.KeyFlags

	Driver string `placeholder:"NAME" help:"Use this driver for SM3 (see \"cipherlane list sm3\")."`
	JSON   bool   `help:"Print JSON."`
	cli.ProgressFlag
}

// Help returns the description of the verb, with examples.
func (Cmd) Help() string {
	return `Prints and reads checksum lines in the format of sha256sum and cksum from GNU
coreutils. Called as sm3sum (through a link to this program), it works like sha256sum.
Without -a, --check uses the algorithm that a line names, and SM3 for lines without
one. The exit code is 1 if a file cannot be read or a checksum does not match. With
--json, a file name that is not valid UTF-8 is also given in base64, as "name_bytes".

With --hmac, only holders of the key can compute a checksum that matches. The HMACs are
the same as those of "openssl dgst -hmac", whose output --check also reads. If the key
file contains only hex digits, apart from white space around them, they are decoded to
the key; any other file is used as the key, byte for byte.

Examples:

    cipherlane hash photos.tar > SM3SUMS
    cipherlane hash --check SM3SUMS
    cipherlane hash -a sha256 --tag *.deb
    cipherlane hash --hmac --key-file my.key photos.tar > photos.hmac
    cipherlane hash --hmac --key-file my.key --check photos.hmac`
}

// A sum is a hash function with its names.
type sum struct {
	name       string // for -a
	tag        string // in lines of BSD style
	opensslTag string // what openssl writes there, if that differs
	new        func() hash.Hash
	file       func(f *os.File) ([]byte, error) // nil: read it
}

// sums returns the hash functions, SM3 with the given driver first.
func sums(driver string) ([]sum, error) {
	sm3, _ := catalog.Find("sm3")
	newSM3, err := sm3.Hash(driver)
	if err != nil {
		return nil, err
	}
	list := []sum{
		{name: "sm3", tag: "SM3", new: newSM3},
		{name: "sha224", tag: "SHA224", new: sha256.New224},
		{name: "sha256", tag: "SHA256", new: sha256.New},
		{name: "sha384", tag: "SHA384", new: sha512.New384},
		{name: "sha512", tag: "SHA512", new: sha512.New},
	}
	if mode, _ := drivers.Linux(); driver == "" && mode != drivers.LinuxOff {
		list[0].file = sumInLinux
	}
	return list, nil
}

// sumInLinux hashes a file in Linux if that is faster. For a large file, it is worth
// finding that out first.
func sumInLinux(f *os.File) ([]byte, error) {
	if info, err := f.Stat(); err == nil && info.Size() >= 64<<20 {
		linux.Prepare("sm3")
	}
	sum, err := linux.SumSM3File(f)
	return sum[:], err
}

// keyed returns HMAC with a hash function.
func (s sum) keyed(driver string, key []byte) (sum, error) {
	mac, err := hash.Hash(nil), error(nil)
	if s.name == "sm3" {
		a, _ := catalog.Find("hmac(sm3)")
		mac, err = a.MAC(driver, key)
	} else {
		mac = hmac.New(s.new, key)
	}
	opensslTag := ""
	if size, ok := strings.CutPrefix(s.tag, "SHA"); ok {
		opensslTag = "HMAC-SHA2-" + size
	}
	return sum{name: "hmac(" + s.name + ")", tag: "HMAC-" + s.tag, opensslTag: opensslTag, new: func() hash.Hash {
		mac.Reset()
		return mac
	}}, err
}

func sumNames(list []sum) string {
	var names []string
	for _, s := range list {
		names = append(names, s.name)
	}
	return strings.Join(names, ", ")
}

// Run runs the verb.
func (c *Cmd) Run(p *cli.Program) error {
	if err := c.usage(p); err != nil {
		return err
	}
	list, err := sums(c.Driver)
	if err != nil {
		return err
	}
	if c.Algorithm == "" && (c.Driver != "" || p.Name == "sm3sum") {
		c.Algorithm = "sm3"
	}
	if c.Algorithm != "" {
		var chosen []sum
		for _, s := range list {
			if s.name == strings.ToLower(c.Algorithm) {
				chosen = []sum{s}
			}
		}
		switch {
		case chosen == nil:
			return cli.AsUsage(fmt.Errorf("%s: no such hash function (known: %s)", cli.Quote(c.Algorithm), sumNames(list)))
		case c.Driver != "" && chosen[0].name != "sm3":
			return cli.AsUsage(fmt.Errorf("--driver %s: %s comes from Go's standard library and has no drivers; leave out --driver", cli.Quote(c.Driver), chosen[0].name))
		}
		list = chosen
	}
	if list[0].name == "sm3" {
		if err := inventory.RefuseFIPS(); err != nil {
			return err
		}
	}
	if len(c.Files) == 0 {
		c.Files = []string{"-"}
	}
	if c.HMAC {
		key, err := c.ReadAny(p, c.Files)
		if err != nil {
			return err
		}
		defer clear(key)
		for i, s := range list {
			if list[i], err = s.keyed(c.Driver, key); err != nil {
				return err
			}
		}
	}
	if c.Check {
		return c.check(p, list)
	}
	return c.print(p, list[0])
}

// usage rejects the same combinations of options as coreutils.
func (c *Cmd) usage(p *cli.Program) error {
	const verifying = "only makes sense with --check"
	switch {
	case !c.HMAC && c.KeyFile != "":
		return cli.Usagef("--key-file: only makes sense with --hmac")
	case !c.HMAC && c.KeyFD != nil:
		return cli.Usagef("--key-fd: only makes sense with --hmac")
	case c.Tag && c.Text:
		return cli.Usagef("--tag does not go together with --text")
	case c.Check && c.Tag:
		return cli.Usagef("--tag: makes no sense with --check, which reads both styles")
	case c.Check && (c.Binary || c.Text):
		return cli.Usagef("--binary and --text: make no sense with --check")
	case c.Check && c.Zero:
		return cli.Usagef("--zero: does not go together with --check")
	case c.Check:
		return nil
	case c.IgnoreMissing:
		return cli.Usagef("--ignore-missing: %s", verifying)
	case c.Quiet:
		return cli.Usagef("--quiet: %s", verifying)
	case c.Status:
		return cli.Usagef("--status: %s", verifying)
	case c.Strict:
		return cli.Usagef("--strict: %s", verifying)
	case c.Warn:
		return cli.Usagef("--warn: %s", verifying)
	}
	return nil
}

type hashResult struct {
	Name      string `json:"name"`
	NameBytes []byte `json:"name_bytes,omitempty"` // if the name is not UTF-8
	Algorithm string `json:"algorithm"`
	Digest    string `json:"digest,omitempty"`
	Status    string `json:"status"` // ok or unreadable; with --check also failed
	Error     string `json:"error,omitempty"`
}

func newHashResult(name, algorithm string) hashResult {
	r := hashResult{Name: name, Algorithm: algorithm, Status: "ok"}
	if !utf8.ValidString(name) {
		r.NameBytes = []byte(name)
	}
	return r
}

func (c *Cmd) print(p *cli.Program, s sum) error {
	failed := false
	results := []hashResult{}
	for _, name := range c.Files {
		digest, err := c.hashFile(p, s, name)
		r := newHashResult(name, s.name)
		if err != nil {
			failed = true
			p.Warn("%v", err)
			r.Status, r.Error = "unreadable", err.Error()
		} else {
			r.Digest = hex.EncodeToString(digest)
			if !c.JSON {
				p.Stdout.WriteString(c.line(s, name, r.Digest))
				if err := p.Flush(); err != nil { // each file may take long
					return err
				}
			}
		}
		results = append(results, r)
	}
	if c.JSON {
		if err := p.JSON(hashDocument{1, results}); err != nil {
			return err
		}
	}
	if failed {
		return cli.ErrReported
	}
	return nil
}

type hashDocument struct {
	Schema  int          `json:"schema"`
	Results []hashResult `json:"results"`
}

// line formats a checksum as coreutils does.
func (c *Cmd) line(s sum, name, digest string) string {
	escaped, end := "", "\n"
	if c.Zero {
		end = "\x00"
	} else if e := escape(name); e != name {
		escaped, name = `\`, e
	}
	if c.Tag {
		return escaped + s.tag + " (" + name + ") = " + digest + end
	}
	mark := " "
	if c.Binary {
		mark = "*"
	}
	return escaped + digest + " " + mark + name + end
}

var escaper = strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`)

// escape escapes a name so that it fits on a line. A line with an escaped name begins
// with a backslash.
func escape(name string) string { return escaper.Replace(name) }

// unescape reverses escape. It returns false if escape cannot have written the name.
func unescape(name string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(name); i++ {
		if name[i] != '\\' {
			b.WriteByte(name[i])
			continue
		}
		i++
		if i == len(name) {
			return "", false
		}
		switch name[i] {
		case '\\':
			b.WriteByte('\\')
		case 'n':
			b.WriteByte('\n')
		case 'r':
			b.WriteByte('\r')
		default:
			return "", false
		}
	}
	return b.String(), true
}

// hashFile returns the hash of a file; - stands for standard input.
func (c *Cmd) hashFile(p *cli.Program, s sum, name string) ([]byte, error) {
	in, err := p.OpenInput(name)
	if err != nil {
		return nil, err
	}
	if in.File != p.Stdin {
		defer in.Close()
	}
	if s.file != nil {
		return s.file(in.File)
	}
	if c.showsProgress(in) {
		in.Progress = p.Progress(c.Progress, "hashing", in.Size(), true)
		defer in.Progress.Stop()
	}
	h := s.new()
	if err := readInto(h, in, &hashBuffers); err != nil {
		return nil, err
	}
	return h.Sum(nil), nil
}

// showsProgress reports whether a file may take long: with many small ones, even the preparation
// would count. What is typed takes as long as its writer does.
func (c *Cmd) showsProgress(in *cli.InputFile) bool {
	size := in.Size()
	return c.Progress == "on" || size >= 1<<20 || size < 0 && in.Info.Mode()&fs.ModeCharDevice == 0
}

const bufferCount = 3 // one being filled, one being hashed, one waiting

// hashBuffers are those of all files, which are hashed one by one.
var hashBuffers [bufferCount][]byte

// readInto writes everything from r to h. If the input is longer than one buffer,
// another goroutine reads while this one hashes: reading takes a considerable part of
// the time that a fast hash function needs.
func readInto(h hash.Hash, r io.Reader, buffers *[bufferCount][]byte) error {
	if buffers[0] == nil {
		buffers[0] = make([]byte, cli.BufferSize)
	}
	n, err := cli.Fill(r, buffers[0])
	h.Write(buffers[0][:n])
	if err != nil {
		return cli.NotEOF(err)
	}
	type part struct {
		data []byte
		err  error
	}
	full := make(chan part, bufferCount)
	empty := make(chan []byte, bufferCount)
	for i := range buffers {
		if buffers[i] == nil {
			buffers[i] = make([]byte, cli.BufferSize)
		}
		empty <- buffers[i]
	}
	go func() {
		for b := range empty {
			n, err := cli.Fill(r, b)
			full <- part{b[:n], err}
			if err != nil {
				return
			}
		}
	}()
	for p := range full {
		h.Write(p.data)
		if p.err != nil {
			return cli.NotEOF(p.err)
		}
		empty <- p.data[:cli.BufferSize]
	}
	return nil
}

// Variables returns the variables in the help text of the verb.
func Variables() kong.Vars { return kong.Vars{"hashes": Names} }
