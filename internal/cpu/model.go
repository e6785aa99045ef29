package cpu

import (
	"os"
	"strings"
)

// Model returns what this CPU calls itself, or an empty string if neither the
// CPU nor Linux's /proc/cpuinfo knows. The text is for people: two systems
// may name the same CPU differently.
func Model() string {
	if name := brand(); name != "" {
		return name
	}
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	return model(string(text))
}

// model looks for the first CPU in the text of /proc/cpuinfo, whose keys
// differ by architecture.
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
	if part := first["CPU part"]; part != "" { // arm, whose model name is but an architecture; arm64 has none
		name = strings.TrimSpace(name + " (implementer " + first["CPU implementer"] + ", part " + part + ")")
	}
	return name
}
