package cpu

import (
	"io"
	"os"
	"strings"
)

// Model returns the model name of this CPU, or an empty string if neither the CPU nor
// Linux's /proc/cpuinfo provides it. It is for people: two systems may use different
// names for the same CPU.
func Model() string {
	if name := brand(); name != "" {
		return name
	}
	return model(procCPUInfo())
}

// procCPUInfo returns the text of Linux's /proc/cpuinfo, or "". It does not use
// [os.ReadFile]: package time, which that links, would make every program larger by 80 kB.
func procCPUInfo() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	if err != nil {
		return ""
	}
	return string(text)
}

// model returns the name of the first CPU in the text of /proc/cpuinfo, whose keys
// depend on the architecture.
func model(cpuinfo string) string {
	first := map[string]string{}
	for line := range strings.Lines(cpuinfo) {
		key, value, _ := strings.Cut(line, ":")
		key, value = strings.TrimSpace(key), strings.Join(strings.Fields(value), " ")
		if first[key] == "" {
			first[key] = value
		}
	}
	name := ""
	for _, key := range []string{
		"model name", // x86, arm
		"Model Name", // loong64
		"cpu model",  // mips
		"uarch",      // riscv64
		"cpu",        // ppc64
		"Hardware",   // arm: the board
	} {
		if name = first[key]; name != "" {
			break
		}
	}
	if part := first["CPU part"]; part != "" { // arm, where the model name is only an architecture, and arm64, which has none
		name = strings.TrimSpace(name + " (implementer " + first["CPU implementer"] + ", part " + part + ")")
	}
	return name
}
