package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"time"
)

// archive makes a compressed tar archive. Names begin with "./", as opkg expects.
func archive(t time.Time, entries []entry) ([]byte, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	w := tar.NewWriter(z)
	for _, e := range append([]entry{{dir: true, mode: 0o755}}, entries...) {
		h := &tar.Header{Name: "./" + e.name, Mode: e.mode, Uname: "root", Gname: "root", Size: int64(len(e.data)), ModTime: t, Format: tar.FormatGNU, Typeflag: tar.TypeReg}
		if e.dir {
			h.Typeflag = tar.TypeDir
			if e.name != "" {
				h.Name += "/"
			}
		}
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := w.Write(e.data); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// ipk makes the package for opkg, and returns its paragraph in the index without file and sum.
func (p *pkg) ipk() ([]byte, string, error) {
	data, err := archive(p.time, p.entries)
	if err != nil {
		return nil, "", err
	}
	var installed int
	for _, e := range p.entries {
		installed += len(e.data)
	}
	var control strings.Builder
	for _, f := range p.fields {
		if f.name != "Description" {
			fmt.Fprintf(&control, "%s: %s\n", f.name, f.value)
		}
	}
	fmt.Fprintf(&control, "Installed-Size: %d\nDescription: %s\n", installed, p.field("Description"))
	meta := []entry{{name: "control", mode: 0o644, data: []byte(control.String())}}
	var conffiles strings.Builder
	for _, name := range p.conffiles {
		if slices.ContainsFunc(p.entries, func(e entry) bool { return !e.dir && "/"+e.name == name }) {
			conffiles.WriteString(name + "\n")
		}
	}
	if conffiles.Len() > 0 {
		meta = append(meta, entry{name: "conffiles", mode: 0o644, data: []byte(conffiles.String())})
	}
	const head = "#!/bin/sh\n[ -s \"$IPKG_INSTROOT/lib/functions.sh\" ] || exit 0\n. \"$IPKG_INSTROOT/lib/functions.sh\"\n"
	meta = append(meta,
		entry{name: "postinst", mode: 0o755, data: []byte(strings.Replace(head, "\n", "\n[ \"$IPKG_NO_SCRIPT\" != 1 ] || exit 0\n", 1) + "default_postinst \"$0\" \"$@\"\n")},
		entry{name: "prerm", mode: 0o755, data: []byte(head + "default_prerm \"$0\" \"$@\"\n")})
	inner, err := archive(p.time, meta)
	if err != nil {
		return nil, "", err
	}
	file, err := archive(p.time, []entry{
		{name: "debian-binary", mode: 0o644, data: []byte("2.0\n")},
		{name: "data.tar.gz", mode: 0o644, data: data},
		{name: "control.tar.gz", mode: 0o644, data: inner},
	})
	return file, control.String(), err
}

// opkgIndex is the file Packages: a paragraph for each package.
func opkgIndex(paragraphs, names []string, files [][]byte) []byte {
	var b bytes.Buffer
	for i, paragraph := range paragraphs {
		head, description, _ := strings.Cut(paragraph, "Description: ")
		fmt.Fprintf(&b, "%sFilename: %s\nSize: %d\nSHA256sum: %x\nDescription: %s\n", head, names[i], len(files[i]), sha256.Sum256(files[i]), description)
	}
	return b.Bytes()
}

// usign is the format of OpenWrt's signatures and keys, that of OpenBSD's signify: an
// algorithm, 8 bytes that name the key, and the signature or key.
func usign(comment string, public ed25519.PublicKey, what []byte) []byte {
	return fmt.Appendf(nil, "untrusted comment: %s\n%s\n", comment, base64.StdEncoding.EncodeToString(slices.Concat([]byte("Ed"), usignName(public), what)))
}

func usignName(public ed25519.PublicKey) []byte {
	sum := sha256.Sum256(public)
	return sum[:8]
}
