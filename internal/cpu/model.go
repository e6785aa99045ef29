package cpu

import (
	"runtime"
	"strings"
)

// Model returns the model name of this CPU, or an empty string if neither the CPU nor
// Linux's /proc/cpuinfo provides it. It is for people: two systems may use different
// names for the same CPU.
func Model() string {
	// An amd64 CPU without a name has none in /proc/cpuinfo either.
	if name := brand(); name != "" || assembly && runtime.GOARCH == "amd64" {
		return name
	}
	return model(procCPUInfo())
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
