package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"path"
	"slices"
	"strings"
)

// apk makes the package for apk, and returns what of it is in the index.
func (p *pkg) apk(key *ecdsa.PrivateKey) ([]byte, indexed, error) {
	entries := p.apkEntries()
	c := newContainer()
	var installed int64
	dirs := map[string][]entry{"": nil}
	modes := map[string]int64{"": 0o755}
	for _, e := range entries {
		if e.dir {
			dirs[e.name] = nil // it comes before what is in it
			modes[e.name] = e.mode
			continue
		}
		dir := strings.TrimPrefix(path.Dir("/"+e.name), "/")
		dirs[dir] = append(dirs[dir], e)
		installed += int64(len(e.data))
	}
	names := make([]string, 0, len(dirs))
	for name := range dirs {
		names = append(names, name)
	}
	slices.Sort(names) // apk compares bytes, as this does
	acl := func(mode int64) uint32 { return c.object(c.number(mode), c.text("root"), c.text("root")) }
	var paths []uint32
	for _, name := range names {
		var files []uint32
		for _, e := range dirs[name] {
			sum := sha256.Sum256(e.data)
			files = append(files, c.object(c.text(path.Base(e.name)), acl(e.mode), c.number(int64(len(e.data))),
				c.number(p.time.Unix()), c.blob(sum[:])))
		}
		paths = append(paths, c.object(c.text(name), acl(modes[name]), c.array(files...)))
	}
	// The unique name of the package is a hash of the container in which it is zero.
	unique := c.blob(bytes.Repeat([]byte{0xff}, 20))
	at := unique&^adbBlob8 + 1
	clear(c.data[at : at+20])
	scripts := c.object(0, 0, c.text(p.postInstall()), c.text(p.preRemove()), 0, 0, c.text(p.postInstall()))
	c.setRoot(c.object(p.info(c, unique, installed, 0), c.array(paths...), scripts))
	sum := sha256.Sum256(c.data)
	copy(c.data[at:], sum[:20])

	file, err := c.file(schemaPackage, key, func(file []byte) ([]byte, error) {
		var err error
		for i, name := range names {
			for j, e := range dirs[name] {
				if len(e.data) == 0 {
					continue
				}
				where := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, uint32(i+1)), uint32(j+1))
				if file, err = block(file, blockData, where, e.data); err != nil {
					return nil, fmt.Errorf("%s: %w", e.name, err)
				}
			}
		}
		return file, nil
	})
	return file, indexed{p, sha256.Sum256(c.data), installed, int64(len(file))}, err
}

// info is what package and index have in common.
func (p *pkg) info(c *container, hash uint32, installed, size int64) uint32 {
	var depends []uint32
	for _, name := range p.depends() {
		depends = append(depends, c.object(c.text(name)))
	}
	arch := p.field("Architecture")
	if arch == "all" {
		arch = "noarch"
	}
	fileSize := uint32(0)
	if size > 0 {
		fileSize = c.number(size)
	}
	return c.object(c.text(p.name()), c.text(p.version()), hash, c.text(p.field("Description")), c.text(arch),
		c.text(p.field("License")), c.text(p.name()), c.text(p.field("Maintainer")), c.text(p.field("URL")), 0,
		c.number(p.time.Unix()), c.number(max(installed, 1)), fileSize, 0, c.array(depends...))
}

// indexed is a package as the index has it.
type indexed struct {
	*pkg
	hash            [32]byte // of the container
	installed, size int64
}

// apkIndex makes packages.adb.
func apkIndex(packages []indexed, key *ecdsa.PrivateKey) ([]byte, error) {
	c := newContainer()
	var list []uint32
	for _, p := range packages { // which are sorted by name
		list = append(list, p.info(c, c.blob(p.hash[:]), p.installed, p.size))
	}
	c.setRoot(c.object(c.text("cipherlane"), c.array(list...)))
	return c.file(schemaIndex, key, nil)
}

// apkEntries are the files of the package and those that OpenWrt's scripts read of every
// package: what it has, and what of it is configuration.
func (p *pkg) apkEntries() []entry {
	const dir = "lib/apk/packages"
	var list, static strings.Builder
	for _, e := range p.entries {
		if e.dir {
			continue
		}
		fmt.Fprintf(&list, "/%s\n", e.name)
		if slices.Contains(p.conffiles, "/"+e.name) {
			fmt.Fprintf(&static, "/%s %x\n", e.name, sha256.Sum256(e.data))
		}
	}
	add := []entry{{name: dir + "/" + p.name() + ".list", data: []byte(list.String())}}
	if len(p.conffiles) > 0 {
		add = append(add,
			entry{name: dir + "/" + p.name() + ".conffiles", data: []byte(strings.Join(p.conffiles, "\n") + "\n")},
			entry{name: dir + "/" + p.name() + ".conffiles_static", data: []byte(static.String())})
	}
	entries := slices.Clone(p.entries)
	for _, name := range []string{"lib", "lib/apk", dir} {
		if !slices.ContainsFunc(entries, func(e entry) bool { return e.name == name }) {
			entries = append(entries, entry{name: name, dir: true, mode: 0o755})
		}
	}
	for _, e := range add {
		e.mode = 0o644
		entries = append(entries, e)
	}
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	return entries
}

// postInstall and preRemove leave the work to OpenWrt's functions, as its own packages do:
// they enable and disable the services among the files.
func (p *pkg) postInstall() string {
	return "#!/bin/sh\n[ \"$IPKG_NO_SCRIPT\" != 1 ] && [ -s \"$IPKG_INSTROOT/lib/functions.sh\" ] || exit 0\n. \"$IPKG_INSTROOT/lib/functions.sh\"\nexport root=\"$IPKG_INSTROOT\" pkgname=" + p.name() + "\ndefault_postinst\n"
}

func (p *pkg) preRemove() string {
	return "#!/bin/sh\n[ -s \"$IPKG_INSTROOT/lib/functions.sh\" ] || exit 0\n. \"$IPKG_INSTROOT/lib/functions.sh\"\nexport root=\"$IPKG_INSTROOT\" pkgname=" + p.name() + "\ndefault_prerm\n"
}
