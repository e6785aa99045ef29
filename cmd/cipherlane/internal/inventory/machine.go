package inventory

import (
	"runtime"
	"runtime/debug"

	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
)

// A Machine describes what measurements depend on besides the code.
type Machine struct {
	CPU      string   `json:"cpu"`
	OS       string   `json:"os"`
	Arch     string   `json:"arch"`
	Cores    int      `json:"cores"`
	Features []string `json:"features"`
	Go       string   `json:"go"`
}

// ThisMachine describes the machine that this process runs on.
func ThisMachine() Machine {
	m := Machine{
		CPU:      cpu.Model(),
		OS:       runtime.GOOS,
		Arch:     runtime.GOARCH,
		Cores:    runtime.NumCPU(),
		Features: FeatureNames(cpu.Features()),
		Go:       runtime.Version(),
	}
	if m.CPU == "" {
		m.CPU = "CPU of unknown model"
	}
	return m
}

func (m Machine) String() string { return m.CPU + ", " + m.OS + "/" + m.Arch }

// Versions returns the version of the command, and the revision of its source.
func Versions() (version, revision string) {
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

// FeatureNames never returns nil, so that JSON contains [] and not null.
func FeatureNames(f drivers.Features) []string { return append([]string{}, f.Names()...) }
