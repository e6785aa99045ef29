package main

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/alecthomas/kong"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
)

// A confinement is what a verb needs of the system, on OpenBSD (pledge and unveil).
type confinement struct {
	promises string   // of pledge; "" if the verb is not confined
	writes   []string // options that name files to write
	plugins  []string // options with which it may run plugins of age: then it is not confined
}

const (
	// Threads, memory, the streams and the terminal's width.
	printing = "stdio tty"
	// Also reading any file, making some beside their final names, with the mode and the group
	// of those they replace, and asking for a passphrase.
	converting = "stdio rpath wpath cpath fattr chown tty"
)

// confinements are those of all verbs. Verbs that read data of others are confined. Verbs that
// measure or describe the machine are not: they ask the system for more than promises have
// names for. Nor is go, which runs another program.
var confinements = map[string]confinement{
	"list":              {},
	"speed":             {},
	"tune":              {},
	"selftest":          {},
	"doctor":            {},
	"report":            {},
	"go":                {},
	"version":           {},
	"hash":              {promises: "stdio rpath tty"},
	"keygen":            {converting, []string{"output"}, nil},
	"pubkey":            {converting, []string{"output"}, nil},
	"encrypt":           {converting, []string{"output"}, []string{"recipient", "recipients-file"}},
	"decrypt":           {converting, []string{"output"}, []string{"identity"}},
	"inspect":           {promises: "stdio rpath tty"},
	"recipients add":    {}, // -i is required, and may need plugins
	"recipients remove": {},
	"cipher":            {converting, []string{"output"}, nil},
	"sm2 keygen":        {converting, []string{"output", "public"}, nil},
	"sm2 pubkey":        {converting, []string{"output"}, nil},
	"sm2 sign":          {converting, []string{"output"}, nil},
	"sm2 verify":        {promises: "stdio rpath tty"},
	"sm2 cert":          {converting, []string{"output", "new-key"}, nil},
	"sm2 encrypt":       {converting, []string{"output"}, nil},
	"sm2 decrypt":       {converting, []string{"output"}, nil},
	"kem keygen":        {converting, []string{"output", "public"}, nil},
	"kem pubkey":        {converting, []string{"output"}, nil},
	"kem encap":         {converting, []string{"output", "secret"}, nil},
	"kem decap":         {converting, []string{"output"}, nil},
	"completion":        {promises: printing},
	"man":               {promises: printing},
	"help":              {promises: printing},
}

// An unveiling is a path that stays visible, with the letters of unveil: rwxc.
type unveiling struct{ path, permissions string }

// unveilings returns what a verb may see: all files to read, since lists of checksums name
// some, and the directories of its outputs to write. Those of links are the link's and its
// target's.
func (c confinement) unveilings(flags []*kong.Flag) []unveiling {
	list := []unveiling{{"/", "r"}, {"/dev/tty", "rw"}, {"/dev/null", "rw"}}
	for _, f := range flags {
		for _, name := range c.writes {
			path, ok := f.Target.Interface().(string)
			if f.Name != name || !ok || path == "" || path == "-" {
				continue
			}
			list = append(list, unveiling{filepath.Dir(path), "rwc"})
			if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
				list = append(list, unveiling{path, "rw"}) // a device, or an open file in /dev/fd
			}
			if to, err := os.Readlink(path); err == nil {
				if !filepath.IsAbs(to) {
					to = filepath.Join(filepath.Dir(path), to)
				}
				list = append(list, unveiling{filepath.Dir(to), "rwc"})
			}
		}
	}
	return list
}

// mayRun reports whether a verb may run other programs: plugins, or one that asks for a passphrase.
func (c confinement) mayRun(flags []*kong.Flag) bool {
	return c.promises == converting && cli.MayRunAskpass() || slices.ContainsFunc(flags, func(f *kong.Flag) bool { return f.Set && slices.Contains(c.plugins, f.Name) })
}

// confine confines the process to what its verb needs, where the system can.
func confine(ctx *kong.Context) error {
	name := "hash" // sm3sum has no verbs
	if verb := ctx.Selected(); verb != nil {
		name = verb.Path()
	}
	c, ok := confinements[name]
	switch {
	case !ok:
		panic("no confinement for " + name) // a test looks for this
	case c.promises == "" || c.mayRun(ctx.Flags()):
		return nil
	}
	return pledge(c.promises, c.unveilings(ctx.Flags()))
}
