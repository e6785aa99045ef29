// Image makes an OCI image from programs, without a daemon and the same to the byte each time.
//
//	go -C dist/image run . -o FILE [-cmd WORDS] -licences SPDX -about TEXT NAME VERSION linux/arm/v7=PROGRAM...
//
// FILE is a tar archive of an OCI layout: one index with an image for each platform, as
// "podman load" and "docker load" take it and "skopeo copy oci-archive:FILE" pushes it. An
// image has two layers: the certificates of Mozilla's list and the directories /data, /config,
// /srv and /tmp, and the program. It runs as user 65532. The time in it is SOURCE_DATE_EPOCH.
package main

import (
	"archive/tar"
	"bytes"
	"encoding/pem"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// user is who runs the program, as in other images without a shell.
const user = 65532

// A description is what images of all platforms have in common.
type description struct {
	name, version, licences, about string
	cmd                            []string
	created                        time.Time
}

func main() {
	out := flag.String("o", "", "the file to write")
	cmd := flag.String("cmd", "--help", "default arguments of the program")
	licences := flag.String("licences", "", "an SPDX expression")
	about := flag.String("about", "", "what the program is")
	flag.Parse()
	if err := run(*out, description{licences: *licences, about: *about, cmd: strings.Fields(*cmd)}, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(1)
	}
}

func run(out string, d description, args []string) error {
	if out == "" || d.licences == "" || d.about == "" || len(args) < 3 {
		return errors.New("want -o FILE, -licences SPDX, -about TEXT, a name, a version, and programs as in linux/arm64=PROGRAM")
	}
	seconds, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
	if err != nil {
		return errors.New("SOURCE_DATE_EPOCH: want seconds since 1970")
	}
	d.name, d.version, d.created = args[0], args[1], time.Unix(seconds, 0).UTC()
	index, err := makeIndex(d, args[2:])
	if err != nil {
		return err
	}
	return write(out, args[0]+":"+args[1], index)
}

// makeIndex makes the index of images from arguments like linux/arm64=PROGRAM.
func makeIndex(d description, programs []string) (v1.ImageIndex, error) {
	base, err := layer(d.created, baseFiles())
	if err != nil {
		return nil, err
	}
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, arg := range programs {
		name, file, ok := strings.Cut(arg, "=")
		platform, err := v1.ParsePlatform(name)
		if !ok || err != nil || platform.OS != "linux" || platform.Architecture == "" {
			return nil, fmt.Errorf("%s: want a platform and a program, as in linux/arm64=PROGRAM", arg)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		image, err := d.image(base, *platform, text)
		if err != nil {
			return nil, err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: image, Descriptor: v1.Descriptor{Platform: platform}})
	}
	return index, nil
}

// labels of an image, and annotations of its manifest.
func (d description) labels() map[string]string {
	return map[string]string{
		"org.opencontainers.image.title":       d.name,
		"org.opencontainers.image.version":     d.version,
		"org.opencontainers.image.created":     d.created.Format(time.RFC3339),
		"org.opencontainers.image.description": d.about,
		"org.opencontainers.image.licenses":    d.licences,
		"org.opencontainers.image.source":      "https://github.com/cipherlane/cipherlane",
	}
}

func (d description) image(base v1.Layer, platform v1.Platform, program []byte) (v1.Image, error) {
	top, err := layer(d.created, []file{{name: d.name, mode: 0o755, text: program}})
	if err != nil {
		return nil, err
	}
	image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	history := func(what string) v1.History {
		return v1.History{Created: v1.Time{Time: d.created}, CreatedBy: "dist/build-image", Comment: what}
	}
	image, err = mutate.Append(image,
		mutate.Addendum{Layer: base, History: history("certificates and directories")},
		mutate.Addendum{Layer: top, History: history(d.name + " " + d.version)})
	if err != nil {
		return nil, err
	}
	config, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture, config.Variant = platform.OS, platform.Architecture, platform.Variant
	config.Created = v1.Time{Time: d.created}
	config.Config = v1.Config{
		User:       fmt.Sprintf("%d:%[1]d", user),
		Entrypoint: []string{"/" + d.name},
		Cmd:        d.cmd,
		Env:        []string{"PATH=/", "HOME=/data", "XDG_DATA_HOME=/data", "XDG_CONFIG_HOME=/config"},
		WorkingDir: "/srv",
		Labels:     d.labels(),
	}
	if image, err = mutate.ConfigFile(image, config); err != nil {
		return nil, err
	}
	return mutate.Annotations(image, d.labels()).(v1.Image), nil
}

// A file of a layer; a directory's name ends with a slash.
type file struct {
	name  string
	mode  int64
	owner int
	text  []byte
}

func baseFiles() []file {
	var certificates bytes.Buffer
	for root := range bundle.Roots() {
		// A list cannot express that Mozilla trusts a root only for certificates before some day.
		if root.Constraint == nil {
			pem.Encode(&certificates, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate})
		}
	}
	return []file{
		{name: "config/", mode: 0o700, owner: user},
		{name: "data/", mode: 0o700, owner: user},
		{name: "etc/", mode: 0o755},
		{name: "etc/group", mode: 0o644, text: fmt.Appendf(nil, "root:x:0:\nnonroot:x:%d:\n", user)},
		{name: "etc/passwd", mode: 0o644, text: fmt.Appendf(nil, "root:x:0:0::/:/none\nnonroot:x:%d:%[1]d::/data:/none\n", user)},
		{name: "etc/ssl/", mode: 0o755},
		{name: "etc/ssl/certs/", mode: 0o755},
		{name: "etc/ssl/certs/ca-certificates.crt", mode: 0o644, text: certificates.Bytes()},
		{name: "srv/", mode: 0o755},
		{name: "tmp/", mode: 0o1777},
	}
}

func layer(created time.Time, files []file) (v1.Layer, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, f := range files {
		h := &tar.Header{Name: f.name, Mode: f.mode, Uid: f.owner, Gid: f.owner, Size: int64(len(f.text)), ModTime: created, Format: tar.FormatUSTAR, Typeflag: tar.TypeReg}
		if strings.HasSuffix(f.name, "/") {
			h.Typeflag = tar.TypeDir
		}
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.text); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b.Bytes())), nil }
	return tarball.LayerFromOpener(open, tarball.WithMediaType(types.OCILayer), tarball.WithCompressedCaching)
}

// write writes an archive of a layout whose index.json names our index alone, because what
// reads such archives wants one image in it.
func write(out, name string, index v1.ImageIndex) error {
	dir, err := os.MkdirTemp("", "image-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	at, err := layout.Write(dir, mutate.IndexMediaType(empty.Index, types.OCIImageIndex))
	if err != nil {
		return err
	}
	if err := at.AppendIndex(index, layout.WithAnnotations(map[string]string{
		"org.opencontainers.image.ref.name": name,
		"io.containerd.image.name":          "localhost/" + name,
	})); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(out), "."+filepath.Base(out))
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if err := errors.Join(archive(f, os.DirFS(dir)), f.Chmod(0o644), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), out)
}

func archive(to io.Writer, dir fs.FS) error {
	w := tar.NewWriter(to)
	err := fs.WalkDir(dir, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := fs.ReadFile(dir, name)
		if err != nil {
			return err
		}
		if err := w.WriteHeader(&tar.Header{Name: path.Clean(name), Mode: 0o644, Size: int64(len(text)), ModTime: time.Unix(0, 0), Format: tar.FormatUSTAR}); err != nil {
			return err
		}
		_, err = w.Write(text)
		return err
	})
	return errors.Join(err, w.Close())
}
