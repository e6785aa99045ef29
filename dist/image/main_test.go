package main

import (
	"archive/tar"
	"bytes"
	"crypto/x509"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

func TestImage(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "1700000000")
	dir := t.TempDir()
	program := filepath.Join(dir, "program")
	if err := os.WriteFile(program, []byte("a program"), 0o600); err != nil {
		t.Fatal(err)
	}
	platforms := []string{"linux/amd64", "linux/arm64", "linux/arm/v7", "linux/arm/v6", "linux/riscv64"}
	args := []string{"hello", "1.2.3"}
	for _, p := range platforms {
		args = append(args, p+"="+program)
	}
	one, two := filepath.Join(dir, "one.tar"), filepath.Join(dir, "two.tar")
	for _, out := range []string{one, two} {
		if err := run(out, description{licences: "MIT", about: "a server", cmd: []string{"serve", "-v"}}, args); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(one)
	if err != nil {
		t.Fatal(err)
	}
	second, err := os.ReadFile(two)
	if err != nil || !bytes.Equal(text, second) {
		t.Errorf("two images of the same differ: %v", err)
	}

	at := filepath.Join(dir, "layout")
	for name, b := range untar(t, bytes.NewReader(text)) {
		name = filepath.Join(at, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	top, err := layout.ImageIndexFromPath(at)
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := top.IndexManifest()
	if err != nil || len(manifest.Manifests) != 1 || manifest.Manifests[0].Annotations["org.opencontainers.image.ref.name"] != "hello:1.2.3" {
		t.Fatalf("%v, %+v", err, manifest)
	}
	index, err := top.ImageIndex(manifest.Manifests[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Index(index); err != nil {
		t.Error(err)
	}
	if manifest, err = index.IndexManifest(); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range manifest.Manifests {
		got = append(got, m.Platform.String())
		image, err := index.Image(m.Digest)
		if err != nil {
			t.Fatal(err)
		}
		checkImage(t, image, m.Platform)
	}
	if strings.Join(got, " ") != strings.Join(platforms, " ") {
		t.Errorf("platforms %v", got)
	}
}

func checkImage(t *testing.T, image v1.Image, platform *v1.Platform) {
	t.Helper()
	config, err := image.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	c := config.Config
	if c.User != "65532:65532" || c.Entrypoint[0] != "/hello" || strings.Join(c.Cmd, " ") != "serve -v" ||
		c.Labels["org.opencontainers.image.version"] != "1.2.3" || config.Platform().String() != platform.String() {
		t.Errorf("%s: %+v", platform, config)
	}
	if c.Labels["org.opencontainers.image.licenses"] != "MIT" || c.Labels["org.opencontainers.image.description"] != "a server" {
		t.Errorf("labels %v", c.Labels)
	}
	if len(config.History) != 2 {
		t.Errorf("history %v", config.History)
	}
	for _, h := range config.History {
		if h.Created.Unix() != 1700000000 {
			t.Errorf("history: %v", h)
		}
	}
	layers, err := image.Layers()
	if err != nil || len(layers) != 2 {
		t.Fatal(layers, err)
	}
	files := map[string][]byte{}
	for _, l := range layers {
		r, err := l.Uncompressed()
		if err != nil {
			t.Fatal(err)
		}
		for name, text := range untar(t, r) {
			files[name] = text
		}
	}
	if string(files["hello"]) != "a program" {
		t.Errorf("%s: no program", platform)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(files["etc/ssl/certs/ca-certificates.crt"]) || bytes.Count(files["etc/ssl/certs/ca-certificates.crt"], []byte("BEGIN CERTIFICATE")) < 100 {
		t.Error("no certificates")
	}
}

func untar(t *testing.T, r io.Reader) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for tr := tar.NewReader(r); ; {
		h, err := tr.Next()
		if err == io.EOF {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if files[h.Name], err = io.ReadAll(tr); err != nil {
			t.Fatal(err)
		}
	}
}

func TestRefuses(t *testing.T) {
	dir := t.TempDir()
	out, program := filepath.Join(dir, "out.tar"), os.Args[0]
	for want, args := range map[string][]string{
		"want -o FILE":              {"hello"},
		"linux/arm64: want a":       {"hello", "1", "linux/arm64"},
		"windows/amd64=x: want a":   {"hello", "1", "windows/amd64=x"},
		"no such file or directory": {"hello", "1", "linux/amd64=" + program, "linux/arm64=/no/such"},
		"SOURCE_DATE_EPOCH: want":   {"hello", "1", "linux/amd64=" + program},
	} {
		epoch := "1700000000"
		if strings.HasPrefix(want, "SOURCE") {
			epoch = "now"
		}
		t.Setenv("SOURCE_DATE_EPOCH", epoch)
		if err := run(out, description{licences: "MIT", about: "a server"}, args); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v", args, err)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 0 {
			t.Errorf("%v: left %v", args, left)
		}
	}
}
