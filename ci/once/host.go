//go:build linux

package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
)

// Tests replace these files (go build -ldflags -X).
var (
	cpuinfo = "/proc/cpuinfo"
	version = "/proc/version"
)

// cpu describes the CPUs: their number, the model and its features, according to Linux.
func cpu() string {
	text, _ := os.ReadFile(cpuinfo)
	kept := []string{fmt.Sprint(runtime.NumCPU())}
	for line := range strings.Lines(string(text)) {
		if line == "\n" {
			break // the others are the same
		}
		name, value, _ := strings.Cut(line, ":")
		switch strings.TrimSpace(name) {
		case "vendor_id", "cpu family", "model", "model name", "stepping", "microcode", "flags", "isa", "Features",
			"CPU implementer", "CPU variant", "CPU part", "CPU revision", "uarch", "mvendorid", "marchid", "mimpid":
			kept = append(kept, strings.TrimSpace(value))
		}
	}
	return strings.Join(kept, "; ")
}

// kernel describes the kernel of Linux.
func kernel() string {
	text, _ := os.ReadFile(version)
	return string(text)
}
