package main

import (
	"archive/tar"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// sample writes a package with files of the sizes at which the encoding changes.
func sample(t *testing.T) string {
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	write("control", "Package: sample\nVersion: 1.2-r3\nDepends: zlib, kmod-tun\nLicense: MIT\nArchitecture: all\nDescription: "+strings.Repeat("long ", 100)+"\n", 0o644)
	write("conffiles", "/etc/config/sample\n/etc/sample/\n", 0o644)
	write("root/etc/config/sample", "secret", 0o600)
	write("root/usr/bin/sample", strings.Repeat("x", 70000), 0o755)
	write("root/usr/bin/empty", "", 0o755)
	write("root/usr.bin", "sorts before usr/", 0o644)
	return dir
}

func testKeys(t *testing.T) (string, keys) {
	dir := filepath.Join(t.TempDir(), "keys")
	if err := keygen(dir); err != nil {
		t.Fatal(err)
	}
	k, err := loadKeys(dir)
	if err != nil {
		t.Fatal(err)
	}
	return dir, k
}

func makeFeed(t *testing.T, k keys) map[string][]byte {
	p, err := load(sample(t), time.Unix(1700000000, 0))
	if err != nil {
		t.Fatal(err)
	}
	files, err := feed([]*pkg{p}, k)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// value reads what a word of a container means: nil, a number, bytes, or a list.
func value(t *testing.T, c []byte, word uint32) any {
	at := word & (1<<28 - 1)
	le := binary.LittleEndian
	switch word &^ (1<<28 - 1) {
	case 0:
		return nil
	case adbInt:
		return int64(at)
	case adbInt32:
		return int64(le.Uint32(c[at:]))
	case adbBlob8:
		return c[at+1:][:c[at]]
	case adbBlob16:
		return c[at+2:][:le.Uint16(c[at:])]
	case adbBlob32:
		return c[at+4:][:le.Uint32(c[at:])]
	case adbArray, adbObject:
		if at%4 != 0 {
			t.Errorf("slots at %d", at)
		}
		var list []any
		for i := uint32(1); i < le.Uint32(c[at:]); i++ {
			list = append(list, value(t, c, le.Uint32(c[at+4*i:])))
		}
		return list
	}
	t.Fatalf("word %08x", word)
	return nil
}

// blocks reads a file of apk, checks its signature, and returns the root and the data blocks.
func blocks(t *testing.T, file []byte, schema string, key *ecdsa.PublicKey) (container []byte, root []any, data [][]byte) {
	if string(file[:4]) != "ADBd" {
		t.Fatalf("file begins with %q", file[:4])
	}
	b, err := io.ReadAll(flate.NewReader(bytes.NewReader(file[4:])))
	if err != nil {
		t.Fatal(err)
	}
	if string(b[:8]) != "ADB."+schema {
		t.Fatalf("schema %q", b[:8])
	}
	verified := false
	for b = b[8:]; len(b) > 0; {
		word := binary.LittleEndian.Uint32(b)
		size := int(word & (1<<30 - 1))
		text := b[4:size]
		b = b[(size+7)&^7:]
		switch word >> 30 {
		case blockADB:
			container = text
		case blockSignature:
			inner := sha512.Sum512(container)
			digest := sha512.Sum512(bytes.Join([][]byte{[]byte(schema), text[:18], inner[:]}, nil))
			verified = ecdsa.VerifyASN1(key, digest[:], text[18:])
		case blockData:
			data = append(data, text)
		}
	}
	if !verified {
		t.Error("the signature is wrong")
	}
	return container, value(t, container, binary.LittleEndian.Uint32(container[4:])).([]any), data
}

func TestPackageForApk(t *testing.T) {
	_, k := testKeys(t)
	files := makeFeed(t, k)
	pack := files["sample-1.2-r3.apk"]
	container, root, data := blocks(t, pack, schemaPackage, &k.apk.PublicKey)
	info := root[0].([]any)
	if got := fmt.Sprintf("%s %s %s %s %d", info[0], info[1], info[4], info[14], info[10]); got != "sample 1.2-r3 noarch [[kmod-tun] [zlib]] 1700000000" {
		t.Errorf("info: %s", got)
	}
	if got := fmt.Sprintf("%s", info[3]); got != strings.TrimSpace(strings.Repeat("long ", 100)) {
		t.Errorf("description: %q", got)
	}
	var names []string
	next := 0
	for i, path := range root[1].([]any) {
		dir := path.([]any)
		if len(dir) < 3 {
			continue
		}
		for j, f := range dir[2].([]any) {
			file := f.([]any)
			names = append(names, fmt.Sprintf("%s/%s %o %d", dir[0], file[0], file[1].([]any)[0], file[2]))
			if file[2].(int64) == 0 {
				continue
			}
			block := data[next]
			next++
			if binary.LittleEndian.Uint32(block) != uint32(i+1) || binary.LittleEndian.Uint32(block[4:]) != uint32(j+1) {
				t.Errorf("%s: the block is for %x", names[len(names)-1], block[:8])
			}
			if sum := sha256.Sum256(block[8:]); !bytes.Equal(sum[:], file[4].([]byte)) {
				t.Errorf("%s: the sum is wrong", names[len(names)-1])
			}
		}
	}
	want := `%!s(<nil>)/usr.bin 644 17
etc/config/sample 600 6
lib/apk/packages/sample.conffiles 644 32
lib/apk/packages/sample.conffiles_static 644 84
lib/apk/packages/sample.list 644 59
usr/bin/empty 755 0
usr/bin/sample 755 70000`
	if got := strings.Join(names, "\n"); got != want || next != len(data) {
		t.Errorf("%d of %d blocks; files:\n%s\nwant\n%s", next, len(data), got, want)
	}

	// The unique name is that of the container without it, and the index has the container's hash.
	hash := sha256.Sum256(container)
	unique := bytes.Clone(info[2].([]byte))
	clear(info[2].([]byte))
	if sum := sha256.Sum256(container); !bytes.Equal(sum[:20], unique) {
		t.Error("the unique name is wrong")
	}
	_, root, _ = blocks(t, files["packages.adb"], schemaIndex, &k.apk.PublicKey)
	entry := root[1].([]any)[0].([]any)
	if !bytes.Equal(entry[2].([]byte), hash[:]) || entry[12].(int64) != int64(len(pack)) {
		t.Errorf("the index has hash %x and size %d", entry[2], entry[12])
	}
}

func TestPackageForOpkg(t *testing.T) {
	_, k := testKeys(t)
	files := makeFeed(t, k)
	outer := untar(t, files["sample_1.2-r3_all.ipk"])
	if got := string(outer["./debian-binary"]); got != "2.0\n" {
		t.Errorf("debian-binary: %q", got)
	}
	control := untar(t, outer["./control.tar.gz"])
	if got := string(control["./conffiles"]); got != "/etc/config/sample\n" {
		t.Errorf("conffiles: %q", got)
	}
	if got := len(untar(t, outer["./data.tar.gz"])["./usr/bin/sample"]); got != 70000 {
		t.Errorf("the program has %d bytes", got)
	}
	index := files["Packages"]
	for _, line := range []string{"Package: sample\n", "Depends: zlib, kmod-tun\n", "Filename: sample_1.2-r3_all.ipk\n",
		fmt.Sprintf("SHA256sum: %x\n", sha256.Sum256(files["sample_1.2-r3_all.ipk"]))} {
		if !bytes.Contains(index, []byte(line)) {
			t.Errorf("Packages has no %q", line)
		}
	}
	_, text, _ := bytes.Cut(files["Packages.sig"], []byte("\n"))
	signature, err := base64.StdEncoding.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || !ed25519.Verify(k.opkg.Public().(ed25519.PublicKey), index, signature[10:]) {
		t.Errorf("the signature is wrong: %v", err)
	}
	if _, ok := files[fmt.Sprintf("%x", signature[2:10])]; !ok {
		t.Error("there is no public key with the name in the signature")
	}
	z, err := gzip.NewReader(bytes.NewReader(files["Packages.gz"]))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(z); err != nil || !bytes.Equal(got, index) {
		t.Errorf("Packages.gz differs: %v", err)
	}
}

func untar(t *testing.T, b []byte) map[string][]byte {
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if files[h.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
}

// The command makes the same feed twice, and apk takes it if it is installed here.
func TestCommand(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "1700000000")
	keyDir, k := testKeys(t)
	out := filepath.Join(t.TempDir(), "feed")
	if err := run([]string{keyDir, out, sample(t)}); err != nil {
		t.Fatal(err)
	}
	for name, want := range makeFeed(t, k) {
		if got, err := os.ReadFile(filepath.Join(out, name)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s differs: %v", name, err)
		}
	}
	apk, err := exec.LookPath("apk")
	if err != nil {
		t.Skip("apk is not installed")
	}
	for _, name := range []string{"sample-1.2-r3.apk", "packages.adb"} {
		if output, err := exec.Command(apk, "verify", "--keys-dir", out, filepath.Join(out, name)).CombinedOutput(); err != nil {
			t.Errorf("apk verify %s: %v\n%s", name, err, output)
		}
	}
}

func TestBadInput(t *testing.T) {
	const good = "Package: a\nVersion: 1-r1\nArchitecture: all\nDescription: d\n"
	for _, tt := range []struct{ old, new, want string }{
		{"Package: a", "Package: ../a", `"../a" is no name`},
		{"1-r1", "1.0~git", `Version: "1.0~git": want one like 1.2.3-r1`},
		{"all", "a/b", `Architecture: "a/b" is none`},
		{"Description: d\n", "", "there is no Description"},
		{"Version: ", "Version:", "want a field, a colon, a space and a value"},
		{"Package: a\n", "Package: a\nDepends: b (>= 1)\n", `Depends: "(>=" is no name`},
	} {
		dir := t.TempDir()
		os.Mkdir(filepath.Join(dir, "root"), 0o755)
		os.WriteFile(filepath.Join(dir, "conffiles"), nil, 0o644)
		os.WriteFile(filepath.Join(dir, "control"), []byte(strings.Replace(good, tt.old, tt.new, 1)), 0o644)
		if _, err := load(dir, time.Now()); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", tt.new, err, tt.want)
		}
	}
	dir := sample(t)
	if err := os.Symlink("x", filepath.Join(dir, "root/link")); err != nil {
		t.Fatal(err)
	}
	if _, err := load(dir, time.Now()); err == nil || !strings.Contains(err.Error(), "want only files and directories") {
		t.Errorf("a symbolic link: %v", err)
	}
	keyDir, _ := testKeys(t)
	os.Rename(filepath.Join(keyDir, "opkg.key"), filepath.Join(keyDir, "apk.key"))
	if _, err := loadKeys(keyDir); err == nil || !strings.Contains(err.Error(), "another kind of key") {
		t.Errorf("the wrong key: %v", err)
	}
	if err := keygen(keyDir); err == nil {
		t.Error("keygen wrote over keys")
	}
}
