package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestCompare(t *testing.T) {
	one := map[string][]byte{"a": {1}, "b": {2}}
	for want, two := range map[string]map[string][]byte{
		"":                         {"a": {1}, "b": {2}},
		"b: not the same bytes":    {"a": {1}, "b": {3}},
		"not the same files":       {"a": {1}},
		"not the same files twice": {"a": {1}, "c": {2}},
	} {
		if err := compare(one, two); want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%v: %v", two, err)
		}
	}
}

func TestRefuses(t *testing.T) {
	dir := t.TempDir()
	if err := run(filepath.Join(dir, "new"), "v1.2.3", []string{"linux/amd64", "plan9/386"}, true); err == nil || !strings.HasPrefix(err.Error(), "there is no target plan9/386; there are: linux/amd64, ") {
		t.Error(err)
	}
	if err := run(dir, "v1.2.3", []string{"linux/amd64"}, true); err == nil || !strings.Contains(err.Error(), "exists") {
		t.Error(err)
	}
}

func TestSetVersion(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "internal/drivers"), 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"internal/drivers/version.go": "package drivers\n\nconst version = \"devel\"\n",
		"CHANGELOG.md":                "# Changelog\n\n## Unreleased\n\n- new\n\n## v1.2.2\n\n- old\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	r := release{version: "v1.2.3"}
	for range 2 { // again, as of a tagged commit
		notes, err := r.setVersion(dir)
		if err != nil || string(notes) != "## v1.2.3\n\n- new\n\n" {
			t.Errorf("%q, %v", notes, err)
		}
	}
	if b, _ := os.ReadFile(filepath.Join(dir, "internal/drivers/version.go")); string(b) != "package drivers\n\nconst version = \"v1.2.3\"\n" {
		t.Errorf("%s", b)
	}
	r.version = "v1.3.0"
	if _, err := r.setVersion(dir); err == nil {
		t.Error("a tagged commit gets another version")
	}
}

func TestSBOM(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	b, err := sbomOf(program, "program.tar.gz", "v1.2.3", []byte("abc"), time.Unix(0, 0).UTC())
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		BOMFormat  string
		Metadata   struct{ Component component }
		Components []component
	}
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	std := got.Components[len(got.Components)-1]
	if got.BOMFormat != "CycloneDX" || std.Name != "std" || std.Pedigree != nil || !strings.HasSuffix(got.Metadata.Component.PURL, "@v1.2.3") ||
		got.Metadata.Component.Hashes[0]["content"] != "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" {
		t.Errorf("%s", b)
	}
}

func TestPack(t *testing.T) {
	files := map[string][]byte{"LICENSE": []byte("free"), "completions/cipherlane": {}, "cipherlane": bytes.Repeat([]byte("x"), 100000)}
	want := []string{"top/LICENSE 4 -rw-r--r--", "top/cipherlane 100000 -rwxr-xr-x", "top/completions/cipherlane 0 -rw-r--r--"}
	check := func(kind string, got []string) {
		t.Helper()
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v", kind, got)
		}
	}
	date := time.Unix(1700000000, 0).UTC()
	b, err := packTar("top", files, "cipherlane", date)
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil || !h.ModTime.Equal(date) || !bytes.Equal(text, files[strings.TrimPrefix(h.Name, "top/")]) {
			t.Fatal(err, h)
		}
		got = append(got, fmt.Sprint(h.Name, " ", len(text), " ", h.FileInfo().Mode()))
	}
	if _, err := io.Copy(io.Discard, z); err != nil {
		t.Error(err)
	}
	check("tar", got)

	if b, err = packZip("top", files, "cipherlane", date); err != nil {
		t.Fatal(err)
	}
	archive, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	got = nil
	for _, f := range archive.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil || !bytes.Equal(text, files[strings.TrimPrefix(f.Name, "top/")]) {
			t.Fatal(err, f.Name)
		}
		got = append(got, fmt.Sprint(f.Name, " ", len(text), " ", f.Mode()))
	}
	check("zip", got)
}
