// Feed makes packages for OpenWrt, and a signed feed of them: for apk (OpenWrt 25.12 and
// later) and for opkg (before). dist/build-feed runs it.
//
//	go run ./dist/openwrt/feed keygen KEYS     makes the keys, apk.key and opkg.key
//	go run ./dist/openwrt/feed KEYS OUT DIR…   packages and indexes in OUT, which is new
//
// A DIR has what is in a package (root), the fields of its control file (control), and the
// names of its configuration files, one on a line (conffiles). The time in packages is
// SOURCE_DATE_EPOCH, all belongs to root, and the same input and keys make the same bytes.
//
// In OUT are packages.adb with the .apk files, Packages, Packages.gz and Packages.sig with the
// .ipk files, and the public keys: cipherlane.pem for /etc/apk/keys, and for opkg one with the
// name that /etc/opkg/keys wants, which opkg-key gives it.
package main

import (
	"bytes"
	"compress/gzip"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "feed:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 2 && args[0] == "keygen" {
		return keygen(args[1])
	}
	if len(args) < 3 {
		return errors.New("want keygen and a directory, or directories: of the keys, for the feed, and of packages")
	}
	seconds, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
	if err != nil || seconds < 0 || seconds >= 1<<32 {
		return errors.New("SOURCE_DATE_EPOCH: want seconds since 1970")
	}
	keys, err := loadKeys(args[0])
	if err != nil {
		return err
	}
	var packages []*pkg
	for _, dir := range args[2:] {
		p, err := load(dir, time.Unix(seconds, 0).UTC())
		if err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
		packages = append(packages, p)
	}
	files, err := feed(packages, keys)
	if err != nil {
		return err
	}
	if err := os.Mkdir(args[1], 0o755); err != nil {
		return err
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(args[1], name), data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// feed makes all files of a feed.
func feed(packages []*pkg, keys keys) (map[string][]byte, error) {
	slices.SortFunc(packages, func(a, b *pkg) int { return strings.Compare(a.name(), b.name()) })
	files := map[string][]byte{}
	var list []indexed
	var paragraphs, names []string
	var ipks [][]byte
	for _, p := range packages {
		file, in, err := p.apk(keys.apk)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.name(), err)
		}
		files[fmt.Sprintf("%s-%s.apk", p.name(), p.version())] = file
		list = append(list, in)
		file, paragraph, err := p.ipk()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.name(), err)
		}
		name := fmt.Sprintf("%s_%s_%s.ipk", p.name(), p.version(), p.field("Architecture"))
		files[name] = file
		paragraphs, names, ipks = append(paragraphs, paragraph), append(names, name), append(ipks, file)
	}
	var err error
	if files["packages.adb"], err = apkIndex(list, keys.apk); err != nil {
		return nil, err
	}
	index := opkgIndex(paragraphs, names, ipks)
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	z.Write(index)
	z.Close() // neither fails: zipped is memory
	public := keys.opkg.Public().(ed25519.PublicKey)
	name := fmt.Sprintf("%x", usignName(public))
	files["Packages"], files["Packages.gz"] = index, zipped.Bytes()
	files["Packages.sig"] = usign("signed by key "+name, public, ed25519.Sign(keys.opkg, index))
	files[name] = usign("public key "+name, public, public)
	der, err := x509.MarshalPKIXPublicKey(&keys.apk.PublicKey)
	if err != nil {
		return nil, err
	}
	files["cipherlane.pem"] = pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
	return files, nil
}

// keys sign a feed.
type keys struct {
	apk  *ecdsa.PrivateKey
	opkg ed25519.PrivateKey
}

func keygen(dir string) error {
	apk, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	_, opkg, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	for name, key := range map[string]any{"apk.key": apk, "opkg.key": opkg} {
		der, err := x509.MarshalPKCS8PrivateKey(key)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), 0o600); err != nil {
			return err
		}
	}
	return nil
}

func loadKeys(dir string) (keys, error) {
	var k keys
	for _, name := range []string{"apk.key", "opkg.key"} {
		file := filepath.Join(dir, name)
		text, err := os.ReadFile(file)
		if err != nil {
			return k, err
		}
		p, _ := pem.Decode(text)
		if p == nil {
			return k, fmt.Errorf("%s: want a private key in PEM, as keygen makes it", file)
		}
		key, err := x509.ParsePKCS8PrivateKey(p.Bytes)
		if err != nil {
			return k, fmt.Errorf("%s: %w", file, err)
		}
		ok := false
		if name == "apk.key" {
			k.apk, ok = key.(*ecdsa.PrivateKey)
			ok = ok && k.apk.Curve == elliptic.P256()
		} else {
			k.opkg, ok = key.(ed25519.PrivateKey)
		}
		if !ok {
			return k, fmt.Errorf("%s: is another kind of key than keygen makes", file)
		}
	}
	return k, nil
}

// pkg is a package before it has a format.
type pkg struct {
	fields    []field
	conffiles []string
	entries   []entry // sorted by name
	time      time.Time
}

type field struct{ name, value string }

// entry is a file or directory; its name has no slash in front.
type entry struct {
	name string
	dir  bool
	mode int64
	data []byte
}

func (p *pkg) field(name string) string {
	for _, f := range p.fields {
		if f.name == name {
			return f.value
		}
	}
	return ""
}

func (p *pkg) name() string    { return p.field("Package") }
func (p *pkg) version() string { return p.field("Version") }

// depends are the names of packages, sorted.
func (p *pkg) depends() []string {
	names := strings.FieldsFunc(p.field("Depends"), func(r rune) bool { return r == ',' || r == ' ' })
	slices.Sort(names)
	return names
}

// What both package managers take: apk's form of versions is stricter.
var (
	goodName    = regexp.MustCompile(`^[a-z0-9][a-z0-9.+-]*$`)
	goodVersion = regexp.MustCompile(`^[0-9]+(\.[0-9]+)*(_(alpha|beta|pre|rc|git|p)[0-9]*)?-r[0-9]+$`)
	goodArch    = regexp.MustCompile(`^[a-z0-9_.+-]+$`)
)

func load(dir string, t time.Time) (*pkg, error) {
	p := &pkg{time: t}
	text, err := os.ReadFile(filepath.Join(dir, "control"))
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		name, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		if !ok || name == "" {
			return nil, fmt.Errorf("control: %q: want a field, a colon, a space and a value", line)
		}
		p.fields = append(p.fields, field{name, strings.TrimSpace(value)})
	}
	switch {
	case !goodName.MatchString(p.name()):
		return nil, fmt.Errorf("control: Package: %q is no name", p.name())
	case !goodVersion.MatchString(p.version()):
		return nil, fmt.Errorf("control: Version: %q: want one like 1.2.3-r1", p.version())
	case !goodArch.MatchString(p.field("Architecture")):
		return nil, fmt.Errorf("control: Architecture: %q is none", p.field("Architecture"))
	case p.field("Description") == "":
		return nil, errors.New("control: there is no Description")
	}
	for _, name := range p.depends() {
		if !goodName.MatchString(name) {
			return nil, fmt.Errorf("control: Depends: %q is no name", name)
		}
	}
	text, err = os.ReadFile(filepath.Join(dir, "conffiles"))
	if err != nil {
		return nil, err
	}
	p.conffiles = strings.Fields(string(text))

	root := filepath.Join(dir, "root")
	err = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == root {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		inside, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		e := entry{name: filepath.ToSlash(inside), dir: d.IsDir(), mode: int64(info.Mode().Perm())}
		switch {
		case info.Mode().IsRegular():
			e.data, err = os.ReadFile(name)
		case !e.dir:
			err = fmt.Errorf("%s: want only files and directories", inside)
		}
		p.entries = append(p.entries, e)
		return err
	})
	slices.SortFunc(p.entries, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	return p, err
}
