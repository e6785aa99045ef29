package main

import (
	"runtime"

	"github.com/cipherlane/cipherlane/internal/cpu"
)

// A machine describes what measurements depend on besides the code.
type machine struct {
	CPU      string   `json:"cpu"`
	OS       string   `json:"os"`
	Arch     string   `json:"arch"`
	Cores    int      `json:"cores"`
	Features []string `json:"features"`
	Go       string   `json:"go"`
}

func thisMachine() machine {
	m := machine{
		CPU:      cpu.Model(),
		OS:       runtime.GOOS,
		Arch:     runtime.GOARCH,
		Cores:    runtime.NumCPU(),
		Features: names(cpu.Features()),
		Go:       runtime.Version(),
	}
	if m.CPU == "" {
		m.CPU = "CPU of unknown model"
	}
	return m
}

func (m machine) String() string { return m.CPU + ", " + m.OS + "/" + m.Arch }
