package main

import (
	"runtime/debug"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
)

type versionCmd struct{}

// versionFlag is the verb version as an option.
type versionFlag bool

func (versionCmd) Help() string {
	return `Include this output in bug reports and with published measurements.

Example:

    cipherlane version`
}

func (versionCmd) Run(p *cli.Program) error {
	version, revision := versions()
	m := thisMachine()
	p.Say("cipherlane %s\nrevision   %s\ngo         %s %s/%s\ncpu        %s\n",
		version, revision, m.Go, m.OS, m.Arch, m.CPU)
	return nil
}

func versions() (version, revision string) {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info.Main.Version, revisionOf(info.Settings)
	}
	return "of unknown version", "not recorded"
}

// revisionOf returns the source revision that the go command recorded, if any.
func revisionOf(settings []debug.BuildSetting) string {
	note := map[string]string{}
	for _, s := range settings {
		note[s.Key] = s.Value
	}
	if note["vcs.revision"] == "" {
		return "not recorded"
	}
	revision := note["vcs.revision"]
	if note["vcs.time"] != "" {
		revision += " of " + note["vcs.time"]
	}
	if note["vcs.modified"] == "true" {
		revision += ", modified"
	}
	return revision
}
