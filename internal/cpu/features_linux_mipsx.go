//go:build linux && (mips || mipsle || mips64 || mips64le) && !purego

package cpu

import (
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

func detect() Set {
	if isRelease2(platform()) {
		return MIPSR2
	}
	return 0
}

// isRelease2 reports whether the name of a platform, such as mips32r2, is that of release 2
// or of one that has all its instructions: release 6 has not.
func isRelease2(platform string) bool {
	switch platform {
	case "mips32r2", "mips32r3", "mips32r5", "mips64r2", "mips64r3", "mips64r5":
		return true
	}
	return false
}

// platform returns the release of the architecture: from AT_BASE_PLATFORM, which Linux has
// since 5.1, or the last one in the line "isa" of /proc/cpuinfo.
func platform() string {
	const atBasePlatform = 24
	vector, err := unix.Auxv()
	if err != nil {
		return ""
	}
	for i := range vector {
		if vector[i][0] == atBasePlatform && vector[i][1] != 0 {
			return unix.BytePtrToString(*(**byte)(unsafe.Pointer(&vector[i][1])))
		}
	}
	return lastISA(procCPUInfo())
}

// lastISA returns the last word of the line "isa" of /proc/cpuinfo.
func lastISA(info string) string {
	for line := range strings.Lines(info) {
		name, list, _ := strings.Cut(line, ":")
		if fields := strings.Fields(list); strings.TrimSpace(name) == "isa" && len(fields) > 0 {
			return fields[len(fields)-1]
		}
	}
	return ""
}
